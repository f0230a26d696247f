"""Two tiny apps and a home screen for the tests of the phone itself, and a finger that finds things in `windows()`."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from device.virtual.core.app import App, ScreenState, command, screen
from device.virtual.core.world import World
from device.virtual.phone import VirtualPhone
from device.virtual.ui import (
    A11yNode,
    A11yWindow,
    Act,
    Button,
    Column,
    Dialog,
    ListItem,
    Node,
    Scaffold,
    Scroll,
    SliderItem,
    SwitchItem,
    Text,
    TextField,
    TopBar,
    back,
    close_dialog,
    open_dialog,
    push,
    replace,
    seq,
    start,
    toast,
    toggle_view,
)
from device.virtual.ui import command as do

if TYPE_CHECKING:
    from device.virtual.ui.env import Env

NOTES, TIMER = "org.example.notes", "org.example.timer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    TABLE: ClassVar[str] = "notes.note"

    id: int
    title: str
    body: str = ""


class Home(App):
    package = "org.example.home"
    activities: ClassVar[Mapping[str, str]] = {".Home": "home"}
    wallpaper = True
    launchable = False

    @screen("home")
    def home(self, w: World, s: ScreenState, env: Env) -> Node:
        rows = (
            Button("Notes", on_tap=start(NOTES)),
            Button("Timer", on_tap=start(TIMER)),
            Text(f"page {s.view('page', 0)}"),
        )
        return Column(
            Text("Home"),
            *rows,
            w=env.width_dp,
            h=env.height_dp,
            pad=(0, 100, 0, 0),
            bg="surface",
            swipe_up=Act("drawer.open"),
            swipe_left=Act("view.set", {"key": "page", "value": 1}),  # type: ignore[call-arg]
        )

    @screen("drawer")
    def drawer(self, w: World, s: ScreenState, env: Env) -> Node:
        return Scaffold(top=TopBar("All apps"), body=Text("drawer"))

    @screen("recents")
    def recents(self, w: World, s: ScreenState, env: Env) -> Node:
        rows = (ListItem(t.label, on_tap=Act("recents.open", {"package": t.package})) for t in s.system.tasks)
        return Scaffold(top=TopBar("Recent"), body=Column(*rows, align="stretch"))


class Notes(App):
    package = NOTES
    label: ClassVar[Mapping[str, str]] = {"en": "Notes"}
    version = "2.1"
    permissions = ("android.permission.CAMERA",)
    activities: ClassVar[Mapping[str, str]] = {".Notes": "main", ".Editor": "edit"}
    intents: ClassVar[Mapping[str, str]] = {"note:": "edit", "org.example.NEW_NOTE": "edit"}

    def seed(self, w: World, rng: random.Random) -> None:
        for number in range(100):
            w.table(Note).add(title=f"Note {number}", body=rng.choice(("red", "green")))

    @command
    def save(self, w: World, *, title: str, body: str = "") -> Act:
        row = w.table(Note).add(title=title, body=body)
        return seq(replace("detail", id=row.id), toast("Saved"))

    @command
    def delete(self, w: World, *, id: int) -> None:
        w.table(Note).remove(id)

    @command
    def put(self, w: World, *, key: str, value: object) -> None:
        w.settings.put("system", key, value if isinstance(value, bool) else round(float(str(value))))

    @command
    def login(self, w: World, *, password: str) -> None:
        w.settings.put("secure", "login", len(password))

    @screen("main")
    def main(self, w: World, s: ScreenState, env: Env) -> Node:
        rows = (
            ListItem(n.title, on_tap=push("detail", id=n.id), on_long=open_dialog("ask", id=n.id), id="note")
            for n in w.table(Note)
        )
        actions = (Button("New", style="text", on_tap=push("edit"), id="new"),)
        return Scaffold(top=TopBar("Notes", nav="", actions=actions), body=Scroll(*rows, key="notes"))

    @screen("detail")
    def detail(self, w: World, s: ScreenState, env: Env) -> Node:
        note = w.table(Note).maybe(s.args["id"])
        body = Column(
            Text(note.title if note else "gone", id="shown"),
            SwitchItem("Pinned", w.settings.flag("system", "pinned"), do("notes.put", key="pinned"), id="pinned"),
            SliderItem("Size", w.settings.number("system", "size", 0), 0, 100, do("notes.put", key="size"), id="size"),
            Button("More", on_tap=toggle_view("more"), id="more"),
            *((Text("the rest"),) if s.view("more") else ()),
            Button("Timer", on_tap=start(TIMER), id="timer"),
            align="stretch",
        )
        return Scaffold(top=TopBar("Detail", on_nav=back()), body=body)

    @screen("edit")
    def edit(self, w: World, s: ScreenState, env: Env) -> Node:
        values = {"title": s.field("title", str(s.args.get("data", ""))), "body": s.field("body")}
        fields = (
            TextField("title", label="Title", value=str(s.args.get("data", "")), id="title"),
            TextField("phone", label="Phone", kind="phone", id="phone"),
            TextField("secret", label="Secret", kind="password", id="secret"),
            TextField("body", label="Body", multiline=True, id="body"),
            Button("Log in", on_tap=do("notes.login", password=s.field("secret")), id="login"),
            *(Text(f"line {n}") for n in range(30)),
        )
        save = Button("Save", on_tap=do("notes.save", **values), id="save")
        return Scaffold(top=TopBar("Edit", on_nav=back(), actions=(save,)), body=Scroll(*fields, key="form", pad=16))

    @screen("ask")
    def ask(self, w: World, s: ScreenState, env: Env) -> Node:
        delete = seq(do("notes.delete", id=s.args["id"]), close_dialog())
        buttons = (
            Button("Cancel", style="text", on_tap=close_dialog(), id="button2"),
            Button("Delete", style="text", on_tap=delete, id="button1"),
        )
        return Dialog("Delete note?", "It is gone then.", buttons)


class Timer(App):
    package = TIMER
    label: ClassVar[Mapping[str, str]] = {"en": "Timer"}

    @screen("main")
    def main(self, w: World, s: ScreenState, env: Env) -> Node:
        return Scaffold(
            top=TopBar("Timer", on_nav=back()),
            body=Column(TextField("name", label="Name", id="name"), Text(f"{env.now:%S}", id="seconds")),
            on_back=open_dialog("leave") if s.field("name") else None,
            autofocus="name",  # type: ignore[call-arg]
            ticking=True,
        )

    @screen("leave")
    def leave(self, w: World, s: ScreenState, env: Env) -> Node:
        return Dialog("Leave?", "", (Button("Yes", style="text", on_tap=seq(close_dialog(), back())),))


def make_phone(profile: str = "phone", seed: int = 1, **how: object) -> VirtualPhone:
    """A phone with these apps alone."""
    return VirtualPhone(profile, seed, apps=(Home(), Notes(), Timer()), **how)  # type: ignore[arg-type]


def nodes(phone: VirtualPhone) -> Iterator[tuple[A11yWindow, A11yNode]]:
    """Every accessible node with its window."""

    def walk(window: A11yWindow, node: A11yNode) -> Iterator[tuple[A11yWindow, A11yNode]]:
        yield window, node
        for child in node.children:
            yield from walk(window, child)

    for window in phone.windows():
        yield from walk(window, window.root)


def typing(phone: VirtualPhone) -> bool:
    """Whether the input method serves a field."""
    return phone.ime_shown


def moving(phone: VirtualPhone) -> bool:
    """Whether the picture changes by itself."""
    return phone.animating


def find(phone: VirtualPhone, text: str = "", id: str = "", type: str = "") -> A11yNode | None:
    """The first node of that text, description or id."""
    for window, node in nodes(phone):
        named = (text and text in (node.text, node.desc)) or (id and node.resource_id.endswith(f"/{id}"))
        if named and (not type or window.type == type):
            return node
    return None


def middle(node: A11yNode) -> tuple[float, float]:
    left, top, right, bottom = node.bounds
    return (left + right) / 2, (top + bottom) / 2


def touch(phone: VirtualPhone, text: str = "", id: str = "", type: str = "", hold_ms: float = 0) -> None:
    """Tap what is found, and let the phone settle."""
    node = find(phone, text, id, type)
    assert node is not None, f"{text or id!r} is not on the screen: {texts(phone)}"
    phone.tap(*middle(node), hold_ms=hold_ms)
    if not phone.clock.live:
        phone.settle()


def texts(phone: VirtualPhone) -> list[str]:
    return [node.text for _, node in nodes(phone) if node.text]
