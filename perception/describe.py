"""A screen in plain sentences, for people who hear it instead of seeing it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perception.draft import title
from perception.screen import Element, Screen

# What one sentence names before it says "and n more": lists read aloud are remembered up to about seven.
_NAMED = 6
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class _Words:
    """One language. Templates take `names`, `n` or `name`; plural forms are separate keys where they differ."""

    roles: dict[str, str]
    states: dict[str, str]
    groups: dict[str, str]
    called: str
    titled: str
    nothing: str
    keyboard: str
    secure: str
    more: str
    with_state: str
    filled: str
    at: str
    password: str
    unnamed: str
    unnamed_many: str
    join: str
    gap: str


_EN = _Words(
    roles={
        "button": "button",
        "switch": "switch",
        "checkbox": "checkbox",
        "radio": "option",
        "text_field": "field",
        "slider": "slider",
        "list_item": "entry",
        "tab": "tab",
        "image": "picture",
        "text": "text",
        "list": "list",
    },
    states={
        "checked": "on",
        "unchecked": "off",
        "selected": "selected",
        "disabled": "not available",
        "blocked": "under the keyboard",
    },
    groups={
        "text_field": "Fields: {names}.",
        "list_item": "Entries: {names}.",
        "switch": "Switches: {names}.",
        "checkbox": "Checkboxes: {names}.",
        "radio": "Options: {names}.",
        "slider": "Sliders: {names}.",
        "tab": "Tabs: {names}.",
        "button": "Buttons: {names}.",
        "seen": "Written there: {names}.",
        "text": "Text: {names}.",
    },
    called="the {role} “{name}”",
    titled="The screen shows “{name}”.",
    nothing="Nothing could be made out on the screen.",
    keyboard="The keyboard is open.",
    secure="The app does not let its screen be seen.",
    more="and {n} more",
    with_state="{name} ({states})",
    filled="holds “{text}”",
    at="at {text}",
    password="password, hidden",  # noqa: S106 - a word, not a secret
    unnamed="One button has no name.",
    unnamed_many="{n} buttons have no name.",
    join=", ",
    gap=" ",
)
_ZH = _Words(
    roles={
        "button": "按钮",
        "switch": "开关",
        "checkbox": "复选框",
        "radio": "选项",
        "text_field": "输入框",
        "slider": "滑块",
        "list_item": "条目",
        "tab": "标签页",
        "image": "图片",
        "text": "文字",
        "list": "列表",
    },
    states={
        "checked": "已开启",
        "unchecked": "已关闭",
        "selected": "已选中",
        "disabled": "不可用",
        "blocked": "被键盘遮住",
    },
    groups={
        "text_field": "输入框：{names}。",
        "list_item": "条目：{names}。",
        "switch": "开关：{names}。",
        "checkbox": "复选框：{names}。",
        "radio": "选项：{names}。",
        "slider": "滑块：{names}。",
        "tab": "标签页：{names}。",
        "button": "按钮：{names}。",
        "seen": "屏幕上写着：{names}。",
        "text": "文字：{names}。",
    },
    called="“{name}”{role}",
    titled="屏幕显示“{name}”。",
    nothing="屏幕上没有识别出任何内容。",
    keyboard="键盘已打开。",
    secure="该应用不允许查看其屏幕。",
    more="另有{n}项",
    with_state="{name}（{states}）",
    filled="内容为“{text}”",
    at="当前为{text}",
    password="密码，已隐藏",  # noqa: S106 - a word, not a secret
    unnamed="有一个按钮没有名称。",
    unnamed_many="有{n}个按钮没有名称。",
    join="、",
    gap="",
)
_CONTROLS = ("switch", "checkbox", "radio", "slider")
_ORDER = ("text_field", "switch", "checkbox", "radio", "slider", "list_item", "button", "tab")


def describe(screen: Screen, lang: str = "en") -> str:
    """What is on the screen, in sentences: title, fields, controls, entries, buttons, what else is written.

    `lang` is `en` or `zh`, with or without a region; others get English. Text of password fields is never said.
    """
    words = _words(lang)
    elements = screen.elements
    sentences: list[str] = []
    if screen.frame.secure:
        sentences.append(words.secure)
    heading = _heading(elements)
    if heading is not None:
        sentences.append(words.titled.format(name=_short(heading.text)))
    for role in _ORDER:
        sentences += _group(words, role, [e for e in elements if e.role == role and name(e)])
    likely = [e for e in elements if e.role in ("text", "image") and e.interactable and e is not heading and name(e)]
    sentences += _group(words, "seen", likely)
    plain = [e for e in elements if e.role == "text" and not e.interactable and e is not heading and e.text]
    sentences += _group(words, "text", plain)
    unnamed = sum(e.interactable and e.role in ("button", "image") and not name(e) for e in elements)
    if unnamed:
        sentences.append(words.unnamed if unnamed == 1 else words.unnamed_many.format(n=unnamed))
    if screen.frame.keyboard:
        sentences.append(words.keyboard)
    return words.gap.join(sentences) or words.nothing


def name(element: Element) -> str:
    """The element's name alone: a row's title, a field's or slider's label; empty when it has none."""
    if element.password:
        return _short(title(element.label))
    if element.role in ("text_field", "slider"):
        return _short(title(element.label) or title(element.text))
    return _short(title(element.text) or title(element.label))


def spoken(element: Element, lang: str = "en") -> str:
    """The element as part of a sentence: `the switch “Dark theme”`, `“深色主题”开关`; by its kind without a name."""
    words = _words(lang)
    role = words.roles.get(element.role, words.roles["button"])
    called = name(element)
    if not called:
        return role if words is _ZH else f"the {role}"
    return words.called.format(role=role, name=called)


def _words(lang: str) -> _Words:
    return _ZH if lang.lower().startswith("zh") else _EN


def _heading(elements: Sequence[Element]) -> Element | None:
    """The first words before anything one would list: what an app or dialog writes above the rest."""
    for element in elements:
        if element.role in ("list_item", "text_field", *_CONTROLS):
            return None
        # Avatars and clocks are shorter or have no letters.
        if element.role == "text" and len(element.text) > 2 and any(c.isalpha() for c in element.text):
            return element
    return None


def _group(words: _Words, group: str, members: Sequence[Element]) -> list[str]:
    if not members:
        return []
    named = [_item(words, element) for element in members[:_NAMED]]
    if len(members) > _NAMED:
        named.append(words.more.format(n=len(members) - _NAMED))
    return [words.groups[group].format(names=words.join.join(named))]


def _item(words: _Words, element: Element) -> str:
    states = set(element.states)
    if element.role == "radio":  # of several options one is chosen; the others are not "off"
        states = {"selected" if state == "checked" else state for state in states - {"unchecked"}}
    said = [words.states[state] for state in sorted(states) if state in words.states]
    if element.password:
        said.insert(0, words.password)
    elif element.text and element.label and element.role in ("text_field", "slider"):
        value = words.filled if element.role == "text_field" else words.at
        said.insert(0, value.format(text=_short(element.text)))
    called = name(element).rstrip(".。")
    return words.with_state.format(name=called, states=words.join.join(said)) if said else called


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1].rstrip() + "…"
