"""The virtual phone: one object that is looked at, touched and asked, like a phone in the hand.

    phone = VirtualPhone()
    phone.start("com.android.settings")
    phone.settle()
    phone.tap(540, 1200)
    phone.png()

All coordinates are pixels of the picture as it stands (rotated space). Nothing here waits: on a manual clock calls
advance it, on a live clock `due` says when `pump` has something to do.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

from PIL import Image

from device.virtual.core.journal import text_data
from device.virtual.errors import StaleNode
from device.virtual.input import Pending, Points
from device.virtual.states import PhoneStates
from device.virtual.ui.a11y import A11yNode, A11yWindow, accessible, to_xml
from device.virtual.ui.anim import FRAME_MS
from device.virtual.ui.layout import Placed
from device.virtual.ui.window import Window

SNAPSHOT_MAGIC = b"tapwright-phone-2\n"

_ALWAYS_SEEN = ("status_bar", "nav_bar", "ime")  # windows that stay reachable above a dialog


class VirtualPhone(PhoneStates):
    """Look, touch, pass time, keep. `world` is to be read, and changed through `world.commit` or the phone's calls."""

    # picture

    @property
    def rotation(self) -> int:
        """Quarter turns to the left, 0 to 3."""
        return self._system.rotation

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture as the phone is held, pixels."""
        return self._builder.size().pixels

    @property
    def natural_size(self) -> tuple[int, int]:
        """Width and height of the unturned phone, pixels."""
        return self._builder.natural_pixels()

    @property
    def density(self) -> int:
        """Dots per inch in force."""
        return round(self._builder.density() * 160)

    def frame(self) -> int:
        """The number of the picture in view, from 1; it rises when something looks different."""
        return self._picture.frame()

    def raw(self, *, glass: bool = False, display: int = 0) -> bytes:
        """The picture as RGBA bytes, rows from the top, as a program captures it; see `png`."""
        dark = self._dark(display)
        return self._picture.raw(glass=glass) if dark is None else dark.convert("RGBA").tobytes()

    def png(self, *, glass: bool = False, display: int = 0) -> bytes:
        """The picture as a program captures it: secure windows are black. With `glass`, as the eye sees it.

        `display` is the id of one of `displays()`; one that is not in use is black. Raises ValueError for another.
        """
        dark = self._dark(display)
        if dark is None:
            return self._picture.png(glass=glass)
        out = io.BytesIO()
        dark.save(out, "PNG", compress_level=1)
        return out.getvalue()

    def _dark(self, display: int) -> Image.Image | None:
        """The black picture of a display that is not in use; None for the one in use (0)."""
        found = next((one for one in self.displays() if one.panel.id == display), None)
        if display and found is None:
            raise ValueError(f"no display {display}; there are {', '.join(str(d.panel.id) for d in self.displays())}")
        if found is None or found.active:
            return None
        return Image.new("RGB", (found.panel.width, found.panel.height))

    def jpeg(self, quality: int = 80, scale: float = 1.0) -> bytes:
        """The picture as JPEG; `scale` shrinks its sides."""
        return self._picture.jpeg(quality, scale)

    def image(self, *, glass: bool = False) -> Image.Image:
        """A copy of the picture, RGBA, as a program captures it, or as the eye sees it."""
        return self._picture.image(glass=glass).copy()

    @property
    def animating(self) -> bool:
        """Whether the picture is changing by itself at this moment."""
        return self._picture.animating

    # tree

    def windows(self) -> tuple[A11yWindow, ...]:
        """What a screen reader finds in each window, the topmost first; nothing while the screen is off."""
        stack = self._builder.windows()
        cover = next((n for n in range(len(stack) - 1, -1, -1) if stack[n].modal), 0)
        seen = [(n, w) for n, w in enumerate(stack) if n >= cover or w.type in _ALWAYS_SEEN]
        return tuple(found for number, window in reversed(seen) for found in self._accessible(number, window))

    def _accessible(self, number: int, window: Window) -> Iterator[A11yWindow]:
        roots = accessible(window.placed, window.package, (window.left, window.top), window.env, window.state, number)
        for root in roots:  # none while the window is outside the display
            yield A11yWindow(
                type=window.type,
                package=window.package,
                title=window.title,
                focused=window.focused,
                root=root,
                secure=window.secure,
                id=window.id,
            )

    def dump(
        self,
        u2: bool = True,
        compressed: bool = False,
        max_depth: int = 50,
        active_only: bool = False,
        windows: tuple[A11yWindow, ...] | None = None,
    ) -> str:
        """The tree as XML: all windows as uiautomator2 gives it, or the active one as `uiautomator dump` does.

        `windows` are dumped in place of those there are.
        """
        there = self.windows() if windows is None else windows
        windows = tuple(window for window in there if window.type != "toast")  # toasts are events, not nodes
        if active_only or not u2:
            windows = tuple(window for window in windows if window.focused)[:1]
        return to_xml(windows, self.rotation, u2=u2, compressed=compressed, max_depth=max_depth)

    # input

    # `fingers` is the number of a person's fingers on the glass; 0 is an event injected by a program, which differs
    # while a screen reader runs (see screen_reader.py).

    def pointer(self, action: str, x: float, y: float, *, fingers: int = 0) -> None:
        """One event of a finger: "down", "move", "up" or "cancel"."""
        self._input.pointer(action, x, y, fingers)

    def tap(self, x: float, y: float, hold_ms: float = 0, *, fingers: int = 0) -> Pending:
        """Touch a point; half a second or more is a long press."""
        return self._input.tap(x, y, hold_ms, fingers)

    def swipe(self, points: Points, duration_ms: float, rest_ms: float = 0.0, *, fingers: int = 0) -> Pending:
        """Draw a finger along the points; it rests on the last before it lifts."""
        return self._input.swipe(points, duration_ms, rest_ms=rest_ms, fingers=fingers)

    def drag(self, points: Points, duration_ms: float, *, fingers: int = 0) -> Pending:
        """Press long on the first point, then draw the finger along."""
        return self._input.drag(points, duration_ms, fingers)

    def key(self, code: int, meta: int = 0, long_press: bool = False) -> Pending:
        """Press a key by its Android code."""
        return self._input.key(code, meta, long_press)

    def type_text(self, text: str) -> Pending:
        """Type by the US key map (`input text`); raises UnmappedCharacter, before anything is typed."""
        return self._input.type_text(text)

    def commit_text(self, text: str) -> bool:
        """Insert any text at the caret as an input method does; False without a focused field."""
        cause = self._text_cause("commit", text)
        with self._picture.change():
            return self._text.commit(text, cause)

    def clear_text(self) -> bool:
        """Empty the focused field; False without one."""
        cause = self._text_cause("clear", "")
        with self._picture.change():
            return self._text.replace("", cause)

    def paste(self) -> bool:
        """Insert the clipboard; False without a focused field."""
        cause = self._text_cause("paste", self._session.clipboard)
        with self._picture.change():
            return self._text.paste(cause)

    def set_text(self, node: A11yNode, text: str) -> bool:
        """Replace what a field of `windows()` holds, without touching it; False when it is no field."""
        window, placed = self._find(node)
        screen, field = self._session.screen(window.owner), placed.node
        bind = field.props.get("bind")
        if screen is None or field.kind != "text_field" or not bind:
            return False
        cause = self.journal.input({"set_text": text_data(text, password=field.password)})
        with self._picture.change():
            return self._text.set_text(screen, str(bind), text, cause)

    def click_node(self, node: A11yNode) -> bool:
        """Do what a tap on a node of `windows()` does (ACTION_CLICK); False when it is no target."""
        window, placed = self._find(node)
        cause = self.journal.input({"click": node.resource_id or node.text, "bounds": list(node.bounds)})
        with self._picture.change():
            return self._touch.click(window, placed, cause)

    def _find(self, node: A11yNode) -> tuple[Window, Placed]:
        stack = self._builder.windows()
        if node.window < len(stack):
            placed = stack[node.window].placed.at(node.path)
            if placed is not None and stack[node.window].package == node.package:
                return stack[node.window], placed
        raise StaleNode

    def _text_cause(self, how: str, text: str) -> str:
        field = self._text.focused()
        return self.journal.input({how: text_data(text, password=field is not None and field.password)})

    # time

    def advance(self, ms: float) -> None:
        """Let time pass. Manual clock only."""
        self._input.need_manual("advance")
        self.clock.advance(ms)

    def settle(self, cap_ms: float = 3000) -> bool:
        """Let time pass until nothing moves, at most `cap_ms`; whether it came to rest. Manual clock only."""
        self._input.need_manual("settle")
        left = cap_ms
        while (rest := max(self._picture.rest_ms(), self._reader.pending_ms)) > 0 and left > 0:
            step = min(rest, left)
            self.clock.advance(step)
            left -= step
        self._session.settle_flings()
        return self._picture.rest_ms() <= 0

    def pump(self) -> int:
        """Run what has come due on a live clock; how many timers ran."""
        return self.clock.run_due()

    def due(self) -> float | None:
        """Milliseconds until the next timer or picture, None when nothing will happen by itself."""
        times = [self.clock.due()]
        if self.animating:
            times.append(FRAME_MS)
        if self._session.toast:
            times.append(self._session.toast_until - self.clock.now_ms())
        if self._session.heads_up_shown:
            times.append(self._session.heads_up_until - self.clock.now_ms())
        return min((time for time in times if time is not None), default=None)

    # whole

    def snapshot(self) -> bytes:
        """World, session and time as bytes. Movement and a finger on the glass are not kept."""
        session = self._session.dump().encode()
        time = json.dumps(self.clock.state()).encode()
        head = len(session).to_bytes(8, "big") + len(time).to_bytes(8, "big")
        return SNAPSHOT_MAGIC + head + session + time + self.world.snapshot()

    def restore(self, data: bytes) -> None:
        """Go back to a snapshot; raises ValueError for other bytes. The journal goes on."""
        start = len(SNAPSHOT_MAGIC)
        if not data.startswith(SNAPSHOT_MAGIC):
            raise ValueError("these bytes are no snapshot of a phone")
        sizes = [int.from_bytes(data[start + n : start + n + 8], "big") for n in (0, 8)]
        start += 16
        session, time = data[start : start + sizes[0]], data[start + sizes[0] : start + sum(sizes)]
        self._touch.cancel()
        self._picture.forget_movement()
        self.world.restore(data[start + sum(sizes) :])
        now, wall = json.loads(time)
        self.clock.restore((now, wall))
        self._session.load(session.decode())
        self.journal.append("start", {"restored": True})

    def state_json(self) -> dict[str, Any]:
        """The world as JSON (see World.to_json), with what is in front."""
        package, activity = self.foreground
        return {
            **self.world.to_json(),
            "phone": {
                "foreground": f"{package}/{activity}",
                "screen": self._session.tasks.front.top.name,
                "awake": self.awake,
                "locked": self.locked,
                "rotation": self.rotation,
                "ime_shown": self.ime_shown,
                "clipboard": self.clipboard,
                "toast": self.toast,
                **self.condition(),
            },
        }
