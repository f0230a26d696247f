"""Small accessibility dumps, written as the phone would write them."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from device.geometry import Size

PHONE = Size(1080, 2400)
Bounds = tuple[int, int, int, int]


def node(bounds: Bounds, *children: str, cls: str = "android.view.View", **attributes: str | bool) -> str:
    """One node. Attribute names use `_` for `-`; `id` is short for `resource-id`, `desc` for `content-desc`."""
    values = {"text": "", "resource-id": "", "class": cls, "package": "org.example", "content-desc": ""}
    for name, value in attributes.items():
        key = {"id": "resource-id", "desc": "content-desc"}.get(name, name.replace("_", "-"))
        values[key] = str(value).lower() if isinstance(value, bool) else value
    written = " ".join(f"{key}={quoteattr(value)}" for key, value in values.items())
    return f'<node {written} bounds="[{bounds[0]},{bounds[1]}][{bounds[2]},{bounds[3]}]">{"".join(children)}</node>'


def text(bounds: Bounds, written: str, **attributes: str | bool) -> str:
    return node(bounds, cls="android.widget.TextView", text=written, **attributes)


def dump(*windows: str, rotation: int = 0) -> str:
    declaration = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\r\n"
    return f'{declaration}<hierarchy rotation="{rotation}">{"".join(windows)}</hierarchy>'


def window(*children: str, bounds: Bounds = (0, 0, 1080, 2400), **attributes: str | bool) -> str:
    return node(bounds, *children, cls="android.widget.FrameLayout", **attributes)


def row(top: int, title: str, summary: str = "", *more: str, **attributes: str | bool) -> str:
    """A settings row, 180 px high and as wide as the phone, clickable."""
    children = [text((180, top + 30, 800, top + 90), title, id="android:id/title")]
    if summary:
        children.append(text((180, top + 95, 800, top + 140), summary, id="android:id/summary"))
    return node(
        (0, top, 1080, top + 180), *children, *more, cls="android.widget.LinearLayout", clickable=True, **attributes
    )


def keyboard(top: int = 1600) -> str:
    """A keyboard's window with keys from `top` down."""
    keys = [
        node((i * 108, top, i * 108 + 108, top + 150), desc=letter, clickable=True)
        for i, letter in enumerate("qwertyuiop")
    ]
    area = node((0, top, 1080, 2337), *keys, id="android:id/inputArea")
    return window(area, bounds=(0, 0, 1080, 2400), package="org.example.latin")
