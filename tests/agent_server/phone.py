"""A phone for tests, on the far side of `device.base.Device`: a few screens, drawn with Pillow, that are linked.

It answers with a picture and an accessibility dump as a phone does, keeps a list of everything that touched
it, and can lose its link, stay silent or refuse at a named place.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from xml.sax.saxutils import quoteattr

from PIL import Image, ImageDraw

from agent_server.fleet import Listing
from device.actions import (
    Action,
    ClearText,
    DoubleTap,
    Drag,
    Key,
    LongPress,
    OpenApp,
    PressKey,
    Swipe,
    Tap,
    TypeText,
    kind,
)
from device.base import Answer, DeviceInfo, Outcome, State, View
from device.errors import AppNotFound, DeviceError, LinkLost, NoFocusedField, StaleView
from device.frame import Foreground, Frame
from device.geometry import Point, Size

SIZE = Size(540, 1200)
PACKAGE = "org.example.app"


@dataclass(frozen=True)
class Spot:
    """Something on a screen. A tap on it leads to the screen `to`, if it names one."""

    text: str
    to: str = ""
    field: bool = False
    password: bool = False
    hint: str = ""

    @property
    def id(self) -> str:
        return f"{PACKAGE}:id/" + (self.hint or self.text).lower().replace(" ", "_")


Graph = Mapping[str, Sequence[Spot]]

GRAPH: Graph = {
    "home": (Spot("Contacts", to="contacts"), Spot("Settings", to="settings")),
    "settings": (Spot("Display", to="display"), Spot("Passwords", to="login"), Spot("Nothing happens")),
    "display": (Spot("Dark theme", to="dark"), Spot("Brightness")),
    "dark": (Spot("Dark theme is on", to="display"),),
    "contacts": (Spot("Create contact", to="new"), Spot("Delete all", to="contacts_empty"), Spot("Send", to="sent")),
    "contacts_empty": (Spot("No contacts"),),
    "sent": (Spot("It is sent"),),
    "new": (Spot("", field=True, hint="First name"), Spot("", field=True, hint="Phone"), Spot("Save", to="contacts")),
    "login": (Spot("", field=True, password=True, hint="Secret word"), Spot("Log in", to="home")),
}


@dataclass
class GraphPhone:
    """A phone in memory. `touched` lists what reached it; `faults` maps a verb to what it raises next."""

    serial: str = "test-1"
    virtual: bool = True
    graph: Graph = field(default_factory=lambda: GRAPH)
    here: str = "home"
    focus: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    touched: list[Action] = field(default_factory=list)
    faults: dict[str, list[DeviceError]] = field(default_factory=dict)
    gates: dict[str, asyncio.Event] = field(default_factory=dict)
    entered: dict[str, asyncio.Event] = field(default_factory=dict)
    silent: bool = False
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    looks: int = 0

    # The contract

    async def describe(self) -> DeviceInfo:
        return DeviceInfo(serial=self.serial, model="Test Phone", sdk=34, size=SIZE, density=420, virtual=self.virtual)

    async def observe(self, *, tree: bool = True) -> View:
        await self._pass("observe")
        self.looks += 1
        frame = Frame(
            data=self.picture(),
            media_type="image/png",
            size=SIZE,
            rotation=0,
            taken_at=datetime(2026, 1, 1, tzinfo=UTC),
            foreground=Foreground(package=PACKAGE, activity=f".{self.here.title()}"),
            keyboard=bool(self.focus),
        )
        states = frozenset({State.KEYBOARD}) if self.focus else frozenset()
        return View(frame=frame, tree=self.dump() if tree else None, states=states)

    async def act(self, action: Action, on: View | None = None) -> Outcome:
        await self._pass("act")
        if on is not None and on.frame.size != SIZE:
            raise StaleView("the screen was turned", serial=self.serial)
        before = self._state()
        self._do(action)
        self.touched.append(action)
        await self._pass("after_act")
        changed = Answer.YES if self._state() != before else Answer.NO
        sent = Answer.UNKNOWN if self.silent else Answer.YES
        return Outcome(
            sent=sent, path="test", changed=Answer.UNKNOWN if self.silent else changed, settled=True, elapsed=0.01
        )

    async def close(self) -> None:
        self.closed.set()

    # What a test sees and steers

    def hold(self, verb: str) -> asyncio.Event:
        """Make the next `observe`, `act` or `after_act` wait until the returned event is set."""
        self.gates[verb] = asyncio.Event()
        self.entered[verb] = asyncio.Event()
        return self.gates[verb]

    @property
    def kinds(self) -> list[str]:
        return [kind(action) for action in self.touched]

    def dump(self) -> str:
        """What uiautomator would say of the screen."""
        nodes = "".join(self._node(i, spot) for i, spot in enumerate(self.graph[self.here]))
        whole = f"[0,0][{SIZE.width},{SIZE.height}]"
        return (
            "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">"
            f'<node index="0" text="" resource-id="" class="android.widget.FrameLayout" package="{PACKAGE}" '
            f'content-desc="" checkable="false" checked="false" clickable="false" enabled="true" focusable="false" '
            f'focused="false" scrollable="false" long-clickable="false" password="false" selected="false" '
            f'bounds="{whole}">{nodes}</node></hierarchy>'
        )

    def picture(self) -> bytes:
        image = Image.new("RGB", (SIZE.width, SIZE.height), "white")
        draw = ImageDraw.Draw(image)
        for i, spot in enumerate(self.graph[self.here]):
            left, top, right, bottom = edges(i)
            draw.rectangle(
                (left, top, right - 1, bottom - 1), outline="black", fill="yellow" if spot.password else "white"
            )
            draw.text((left + 20, top + 30), self.texts.get(spot.id, spot.text) or spot.hint, fill="black")
        buffer = io.BytesIO()
        image.save(buffer, "PNG")
        return buffer.getvalue()

    # Inside

    async def _pass(self, verb: str) -> None:
        if verb in self.gates:
            self.entered[verb].set()
            await self.gates[verb].wait()
            self.gates.pop(verb, None)
        if self.faults.get(verb):
            raise self.faults[verb].pop(0)

    def _state(self) -> tuple[object, ...]:
        return self.here, self.focus, tuple(sorted(self.texts.items()))

    def _node(self, i: int, spot: Spot) -> str:
        left, top, right, bottom = edges(i)
        cls = "android.widget.EditText" if spot.field else "android.widget.Button"
        text = self.texts.get(spot.id, spot.text)
        shown = "•" * len(text) if spot.password else text
        flags = {
            "focused": self.focus == spot.id,
            "password": spot.password,
            "clickable": True,
            "focusable": spot.field,
        }
        said = " ".join(f'{name}="{str(value).lower()}"' for name, value in flags.items())
        return (
            f'<node index="{i}" text={quoteattr(shown)} resource-id={quoteattr(spot.id)} class="{cls}" '
            f'package="{PACKAGE}" content-desc="" checkable="false" checked="false" enabled="true" scrollable="false" '
            f'long-clickable="false" selected="false" hint={quoteattr(spot.hint)} {said} '
            f'bounds="[{left},{top}][{right},{bottom}]" />'
        )

    def _do(self, action: Action) -> None:
        match action:
            case Tap(at) | DoubleTap(at) | LongPress(at):
                self._touch(at)
            case TypeText(text, clear):
                if not self.focus:
                    raise NoFocusedField("no field has the focus", serial=self.serial)
                self.texts[self.focus] = text if clear else self.texts.get(self.focus, "") + text
            case ClearText():
                self.texts.pop(self.focus, None)
            case PressKey(Key.HOME):
                self._go("home")
            case PressKey(Key.BACK):
                self._go("settings" if self.here in ("display", "dark") else "home")
            case OpenApp(name):
                if name.lower() not in self.graph:
                    raise AppNotFound(f"there is no app {name!r}", serial=self.serial)
                self._go(name.lower())
            case Swipe() | Drag():
                pass
            case _:
                pass

    def _touch(self, at: Point) -> None:
        x, y = at.to_pixel(SIZE)
        for i, spot in enumerate(self.graph[self.here]):
            left, top, right, bottom = edges(i)
            if left <= x < right and top <= y < bottom:
                if spot.field:
                    self.focus = spot.id
                elif spot.to:
                    self._go(spot.to)
                return

    def _go(self, screen: str) -> None:
        self.here, self.focus = screen, ""


def edges(i: int) -> tuple[int, int, int, int]:
    """Pixel edges of the i-th spot of a screen."""
    top = 120 + i * 160
    return 40, top, 500, top + 100


def center(i: int) -> Point:
    left, top, right, bottom = edges(i)
    return Point.from_pixel((left + right) / 2, (top + bottom) / 2, SIZE)


class GraphCamera:
    """A second look at such a phone; implements `agent_server.camera.Camera`."""

    size = SIZE

    def __init__(self, phone: GraphPhone) -> None:
        self.phone = phone
        self.taken = 0
        self.closed = False
        self.fault: DeviceError | None = None

    async def frame(self, short_side: int) -> Frame:
        if self.fault is not None:
            raise self.fault
        self.taken += 1
        return Frame(self.phone.picture(), "image/png", SIZE, 0, datetime(2026, 1, 1, tzinfo=UTC))

    async def tree(self) -> str | None:
        return self.phone.dump()

    async def close(self) -> None:
        self.closed = True


class Shelf:
    """Phones as adb would list them; implements `agent_server.fleet.Source`."""

    def __init__(self, *phones: GraphPhone, states: Mapping[str, str] | None = None) -> None:
        self.phones = {phone.serial: phone for phone in phones}
        self.states = dict(states or {})
        self.opened: list[str] = []
        self.cameras: list[GraphCamera] = []
        self._changed = asyncio.Event()

    async def listed(self) -> Sequence[Listing]:
        serials = [*self.phones, *(serial for serial in self.states if serial not in self.phones)]
        return [Listing(serial, self.states.get(serial, "device"), "Test_Phone") for serial in serials]

    async def track(self) -> AsyncGenerator[Sequence[Listing], None]:
        while True:
            yield await self.listed()
            await self._changed.wait()
            self._changed.clear()

    async def open(self, serial: str) -> GraphPhone:
        self.opened.append(serial)
        return self.phones[serial]

    async def camera(self, info: DeviceInfo) -> GraphCamera:
        camera = GraphCamera(self.phones[info.serial])
        self.cameras.append(camera)
        return camera

    def unplug(self, serial: str) -> GraphPhone:
        """Take a phone away while it is in use: it leaves the list and its link breaks."""
        phone = self.phones.pop(serial)
        for verb in ("observe", "act"):
            phone.faults.setdefault(verb, []).append(LinkLost("the cable is out", serial=serial))
        self._changed.set()
        return phone

    def plug(self, phone: GraphPhone) -> None:
        """A phone comes, or comes back."""
        phone.faults.clear()
        self.phones[phone.serial] = phone
        self._changed.set()


def with_spot(graph: Graph, screen: str, spot: Spot) -> dict[str, Sequence[Spot]]:
    """The same screens with one more thing on one of them."""
    return {**graph, screen: (*graph[screen], replace(spot))}
