"""Contacts: the list with search and letters, one person, and the form."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar

from device.virtual.apps.contacts.model import Contact, matches, ordered, section
from device.virtual.apps.contacts.people import PEOPLE
from device.virtual.apps.words import language, say, words
from device.virtual.core.app import App, ScreenState, command, screen
from device.virtual.core.package import Package
from device.virtual.ui import (
    Act,
    Avatar,
    Box,
    Button,
    Column,
    Dialog,
    Empty,
    Fab,
    Icon,
    IconButton,
    ListItem,
    Node,
    Row,
    Scaffold,
    Scroll,
    SearchBar,
    SectionHeader,
    Spacer,
    Text,
    TextField,
    TopBar,
    back,
    close_dialog,
    open_dialog,
    push,
    replace,
    seq,
    toast,
)
from device.virtual.ui import command as do

if TYPE_CHECKING:
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

FIELDS = (
    ("first", words("First name", "名字"), "text", "person"),
    ("last", words("Last name", "姓氏"), "text", ""),
    ("company", words("Company", "公司"), "text", "business"),
    ("phone", words("Phone", "电话"), "phone", "call"),
    ("email", words("Email", "电子邮件"), "email", "mail"),
)
"""Name in `Contact`, label, kind of text field, icon."""

_CREATE = words("Create contact", "新建联系人")
_EDIT = words("Edit contact", "编辑联系人")
_SAVE = words("Save", "保存")
_CANCEL = words("Cancel", "取消")
_DELETE = words("Delete", "删除")
_DISCARD = words("Discard", "舍弃")
_KEEP = words("Keep editing", "继续编辑")
_SEARCH = words("Search contacts", "搜索联系人")
_FAVORITES = words("Favorites", "收藏")
_STAR = words("Add to favorites", "添加到收藏")
_UNSTAR = words("Remove from favorites", "从收藏中移除")
_NOBODY = words("No contacts found", "未找到联系人")
_NONE_YET = words("No contacts yet", "还没有联系人")
_GONE = words("This contact no longer exists", "该联系人已不存在")
_EMPTY_FORM = words("Add a name, company, phone or email first", "请先填写姓名、公司、电话或电子邮件")
_NO_DETAILS = words("No phone or email", "没有电话或电子邮件")
_NO_PERMISSION = words("Contacts needs your permission to show your contacts", "需要您的许可才能显示联系人")
_ALLOW = words("Allow access", "允许访问")
READ = "android.permission.READ_CONTACTS"


class Contacts(App):
    """The address book. Its table is `Contact`."""

    package = "org.tapwright.contacts"
    label = words("Contacts", "通讯录")
    icon = "person"
    hue = 217
    version = "4.2"
    system = True
    permissions = (
        "android.permission.READ_CONTACTS",
        "android.permission.WRITE_CONTACTS",
        "android.permission.POST_NOTIFICATIONS",
    )
    activities: ClassVar[Mapping[str, str]] = {".Contacts": "main", ".Editor": "edit"}
    intents: ClassVar[Mapping[str, str]] = {"android.intent.action.INSERT": "edit"}

    def seed(self, w: World, rng: random.Random) -> None:
        """The people of `PEOPLE`, in an order that depends on the seed."""
        people = list(PEOPLE)
        rng.shuffle(people)
        for first, last, company, phone, email, starred in people:
            w.table(Contact).add(first=first, last=last, company=company, phone=phone, email=email, starred=starred)

    @command
    def save(
        self,
        w: World,
        *,
        id: int | None = None,
        first: str = "",
        last: str = "",
        company: str = "",
        phone: str = "",
        email: str = "",
    ) -> Act | None:
        """Add a person, or change the one with that id; then show it. A form without any text is not saved."""
        values = {"first": first, "last": last, "company": company, "phone": phone, "email": email}
        values = {key: value.strip() for key, value in values.items()}
        if not any(values.values()):
            return toast(say(_EMPTY_FORM, language(w)))
        known = w.table(Contact).maybe(id)
        if known is None:
            return replace("detail", id=w.table(Contact).add(**values, starred=False).id)
        w.table(Contact).update(known.id, **values)
        return back()

    @command
    def delete(self, w: World, *, id: int) -> None:
        """Remove a person."""
        w.table(Contact).remove(id)

    @command
    def star(self, w: World, *, id: int, value: bool) -> None:
        """Put a person among the favourites, or take the person out."""
        w.table(Contact).update(id, starred=value)

    @screen("main")
    def main(self, w: World, s: ScreenState, env: Env) -> Node:
        """Everybody by letter with the favourites first, or those who match the search; nobody without permission."""
        allowed = _allowed(w)
        people = ordered(w.table(Contact).all()) if allowed else []
        query = s.field("query").strip()
        found = [person for person in people if matches(person, query)]
        rows = [_row(person) for person in found] if query else _sections(people, env)
        none = Empty("person_search", say(_NOBODY if query else _NONE_YET, env.lang))
        empty = none if allowed else _no_permission(env)
        label = say(_CREATE, env.lang)
        return Scaffold(
            top=Box(SearchBar("query", say(_SEARCH, env.lang), id="open_search_bar"), pad=(16, 8, 16, 8)),
            body=Scroll(*rows, Spacer(h=88), key="list") if rows else empty,
            fab=Fab("add", text=label, desc=label, on_tap=push("edit"), id="floating_action_button"),
            asks=READ,
        )

    @screen("detail")
    def detail(self, w: World, s: ScreenState, env: Env) -> Node:
        """One person: picture, names, phone and email, with star, edit and delete above."""
        person = w.table(Contact).maybe(s.args["id"])
        if person is None:
            return Scaffold(top=TopBar("", on_nav=back()), body=Empty("person_off", say(_GONE, env.lang)))
        actions = (
            IconButton(
                "star",
                filled=person.starred,
                color="primary" if person.starred else "on_surface_variant",
                desc=say(_UNSTAR if person.starred else _STAR, env.lang),
                on_tap=do("contacts.star", id=person.id, value=not person.starred),
                id="menu_star",
            ),
            IconButton("edit", desc=say(_EDIT, env.lang), on_tap=push("edit", id=person.id), id="menu_edit"),
            IconButton(
                "delete", desc=say(_DELETE, env.lang), on_tap=open_dialog("delete", id=person.id), id="menu_delete"
            ),
        )
        head = Column(
            Avatar(person.initials, hue=person.hue, size=120),
            Text(person.name, style="headline", align="center", id="large_title"),
            *(
                (Text(person.company, style="body", color="on_surface_variant", id="organization"),)
                if person.company
                else ()
            ),
            align="center",
            gap=12,
            pad=(24, 16, 24, 24),
        )
        return Scaffold(top=TopBar("", on_nav=back(), actions=actions), body=Scroll(head, *_details(person, env)))

    @screen("edit")
    def edit(self, w: World, s: ScreenState, env: Env) -> Node:
        """The form: for the person `id`, or for a new one."""
        person = _edited(w, s)
        values = {name: s.field(name, getattr(person, name)) for name, *_ in FIELDS}
        dirty = any(values[name] != getattr(person, name) for name in values)
        save = Button(
            say(_SAVE, env.lang), on_tap=do("contacts.save", id=s.args.get("id"), **values), id="toolbar_button"
        )
        leave = open_dialog("discard") if dirty else back()
        draft = Contact(id=0, first=values["first"], last=values["last"])
        picture = Column(
            Avatar(draft.initials, hue=draft.hue, size=96) if dirty or person.id else _blank(), align="center"
        )
        rows = [
            Row(
                Box(*((Icon(icon),) if icon else ()), w=56, h=64, align=("center", "center")),
                TextField(name, label=say(label, env.lang), value=getattr(person, name), kind=kind, id=name, weight=1),
                align="center",
                pad=(0, 0, 16, 8),
            )
            for name, label, kind, icon in FIELDS
        ]
        title = say(_EDIT if person.id else _CREATE, env.lang)
        return Scaffold(
            top=TopBar(title, nav="close", on_nav=leave, actions=(save,)),
            body=Scroll(Box(picture, pad=(0, 16, 0, 24)), *rows, Spacer(h=24)),
            on_back=leave,
        )

    @screen("delete")
    def ask_delete(self, w: World, s: ScreenState, env: Env) -> Node:
        """The dialog before a person is removed."""
        person = w.table(Contact).maybe(s.args["id"])
        name = person.name if person is not None else ""
        question = words(
            f"{name} will be permanently deleted from this phone.", f"系统将从这部手机中永久删除“{name}”。"
        )
        return Dialog(
            say(words("Delete contact?", "要删除联系人吗？"), env.lang),
            say(question, env.lang),
            (
                Button(say(_CANCEL, env.lang), style="text", on_tap=close_dialog(), id="button2"),
                Button(
                    say(_DELETE, env.lang),
                    style="text",
                    on_tap=seq(close_dialog(), back(), do("contacts.delete", id=s.args["id"])),
                    id="button1",
                ),
            ),
        )

    @screen("discard")
    def ask_discard(self, w: World, s: ScreenState, env: Env) -> Node:
        """The dialog before typed text is thrown away."""
        return Dialog(
            say(words("Discard your changes?", "要舍弃所做的更改吗？"), env.lang),
            say(words("What you typed will not be saved.", "您输入的内容不会保存。"), env.lang),
            (
                Button(say(_KEEP, env.lang), style="text", on_tap=close_dialog(), id="button2"),
                Button(say(_DISCARD, env.lang), style="text", on_tap=seq(close_dialog(), back()), id="button1"),
            ),
        )


def _allowed(w: World) -> bool:
    """Whether the app may read the address book; on a phone without it as a package, it may."""
    row = w.table(Package).first(name=Contacts.package)
    return row is None or READ in row.granted


def _no_permission(env: Env) -> Node:
    ask = Button(say(_ALLOW, env.lang), style="tonal", on_tap=Act("permission.ask", {"permission": READ}), id="allow")
    return Column(
        Spacer(weight=1),
        Empty("contacts", say(_NO_PERMISSION, env.lang)),
        Row(Spacer(weight=1), ask, Spacer(weight=1)),
        Spacer(weight=2),
        align="stretch",
        gap=16,
    )


def _edited(w: World, s: ScreenState) -> Contact:
    return w.table(Contact).maybe(s.args.get("id")) or Contact(id=0)


def _blank() -> Node:
    icon = Icon("person", size=48, color="on_primary_container")
    return Box(icon, w=96, h=96, radius=48, bg="primary_container", align=("center", "center"))


def _row(person: Contact) -> Node:
    return ListItem(
        person.name,
        leading=Avatar(person.initials, hue=person.hue, size=40),
        on_tap=push("detail", id=person.id),
        id="contact_row",
    )


def _sections(people: list[Contact], env: Env) -> list[Node]:
    starred = [person for person in people if person.starred]
    rows: list[Node] = [SectionHeader(say(_FAVORITES, env.lang)), *map(_row, starred)] if starred else []
    for letter, group in groupby(people, section):
        rows += [SectionHeader(letter), *map(_row, group)]
    return rows


def _details(person: Contact, env: Env) -> list[Node]:
    known = [
        ListItem(getattr(person, name), summary=say(label, env.lang), icon=icon, id=name)
        for name, label, _kind, icon in FIELDS
        if name in ("phone", "email") and getattr(person, name)
    ]
    return known or [ListItem(say(_NO_DETAILS, env.lang), icon="info")]
