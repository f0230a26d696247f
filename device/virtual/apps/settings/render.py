"""How entries and pages look: one renderer for every page of the settings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, assert_never

from device.virtual.apps.settings.model import (
    Choice,
    Do,
    Entry,
    Flip,
    Info,
    Level,
    Open,
    Page,
    Section,
    Setting,
    Summary,
    Toggle,
    Typed,
)
from device.virtual.apps.words import Words, say, words
from device.virtual.ui import (
    Act,
    Button,
    Column,
    Dialog,
    Icon,
    ListItem,
    Node,
    RadioItem,
    Scaffold,
    Scroll,
    SectionHeader,
    SliderItem,
    Spacer,
    SwitchItem,
    Text,
    TextField,
    TopBar,
    back,
    close_dialog,
    command,
    open_dialog,
    push,
    seq,
)

if TYPE_CHECKING:
    from device.virtual.core.app import ScreenState
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

CANCEL = words("Cancel", "取消")
OK = words("OK", "确定")


def put(setting: Setting, **more: str) -> Act:
    """The act that stores a value; widgets add it as `value`."""
    return command("settings.put", ns=setting.ns, key=setting.key, **more)


def told(summary: Summary, w: World, lang: str) -> str:
    """The text of a summary."""
    return say(summary(w, lang) if callable(summary) else summary, lang)


def draw_page(page: Page, rows: Iterable[Entry | Section], w: World, env: Env) -> Node:
    """A page with its large title, which scrolls away with the rows."""
    return Scaffold(
        top=TopBar("", on_nav=back()),
        body=Scroll(
            large_title(say(page.title, env.lang)),
            *(draw_row(page.name, row, w, env) for row in rows),
            Spacer(h=24),
            key=page.name,
        ),
    )


def large_title(text: str) -> Node:
    """The big title above the rows."""
    return Column(Text(text, style="display", id="collapsing_toolbar"), pad=(24, 24, 24, 24))


def draw_row(page: str, row: Entry | Section, w: World, env: Env) -> Node:
    """One row. `page` names the page for the dialogs that choices and text entries open."""
    if isinstance(row, Section):
        return SectionHeader(say(row.title, env.lang))
    title, icon, id_ = say(row.title, env.lang), row.icon, row.key
    summary = told(row.summary, w, env.lang)
    match row.control:
        case Toggle() as toggle:
            act = put(toggle.setting, on=toggle.on, off=toggle.off)
            return SwitchItem(title, toggle.is_on(w), act, summary=summary, icon=icon, id=id_)
        case Flip(checked, act):
            return SwitchItem(title, checked, act, summary=summary, icon=icon, id=id_)
        case Level() as level:
            number = w.settings.number(level.setting.ns, level.setting.key, float(level.setting.default))
            return SliderItem(title, number, level.lo, level.hi, put(level.setting), icon=icon, id=id_)
        case Choice() as choice:
            text, act = say(choice.label(w), env.lang), open_dialog("choice", page=page, key=row.key)
            return ListItem(title, summary=text, icon=icon, on_tap=act, id=id_)
        case Typed() as typed:
            value = typed.setting.read(w)
            text = "•" * len(value) if typed.kind == "password" else value or say(words("Not set", "未设置"), env.lang)
            act = open_dialog("typed", page=page, key=row.key)
            return ListItem(title, summary=text, icon=icon, on_tap=act, id=id_)
        case Open(name, args):
            return ListItem(title, summary=summary, icon=icon, on_tap=push(name, **args), id=id_)
        case Do(act):
            return ListItem(title, summary=summary, icon=icon, trailing=_badge(row), on_tap=act, id=id_)
        case Info() if not title:
            return _note(icon, summary, id_)
        case Info():
            return ListItem(title, summary=summary, icon=icon, id=id_)
        case _:
            assert_never(row.control)


def _note(icon: str, text: str, id_: str) -> Node:
    """An explanation below the rows, as wide as they are."""
    told_text = Text(text, style="body_small", color="on_surface_variant", id="android:id/title")
    return Column(Icon(icon or "info"), told_text, gap=16, pad=(24, 20, 24, 20), id=id_)


def _badge(row: Entry) -> Node | None:
    return Icon(row.badge, size=20) if row.badge else None


def choice_dialog(entry: Entry, control: Choice, w: World, env: Env) -> Node:
    """Radio buttons; touching one stores it and closes the dialog."""
    stored = control.chosen(w)
    radios = (
        RadioItem(
            say(label, env.lang),
            selected=value == stored,
            on_tap=seq(
                command("settings.put", ns=control.setting.ns, key=control.setting.key, value=value), close_dialog()
            ),
            id="select_dialog_item",
        )
        for value, label in control.options
    )
    return Dialog(say(entry.title, env.lang), Scroll(*radios, key="options"), (cancel(env),))


def typed_dialog(entry: Entry, control: Typed, w: World, s: ScreenState, env: Env) -> Node:
    """A text field with Cancel and OK."""
    stored = control.setting.read(w)
    act = command(
        "settings.put", ns=control.setting.ns, key=control.setting.key, value=s.field(entry.key, stored).strip()
    )
    title = say(entry.title, env.lang)
    return Dialog(
        title,
        TextField(entry.key, label=title, value=stored, kind=control.kind, id="edit"),
        (cancel(env), Button(say(OK, env.lang), style="text", on_tap=seq(act, close_dialog()), id="button1")),
    )


def confirm_dialog(title: Words, text: Words, verb: Words, act: Act, env: Env) -> Node:
    """A question with Cancel and the verb."""
    return Dialog(
        say(title, env.lang),
        say(text, env.lang),
        (cancel(env), Button(say(verb, env.lang), style="text", on_tap=seq(close_dialog(), act), id="button1")),
    )


def cancel(env: Env) -> Node:
    """The button that closes a dialog and changes nothing."""
    return Button(say(CANCEL, env.lang), style="text", on_tap=close_dialog(), id="button2")
