"""A phone of pure data: pages of rows, what a touch on a row does, and a policy's episodes on it.

It stands where device and perception stand: it hands out screens and answers acts with an outcome.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from device.actions import (
    Action,
    ClearText,
    DoubleTap,
    Key,
    LongPress,
    OpenApp,
    PressKey,
    Swipe,
    Tap,
    TypeText,
    Wait,
    kind,
)
from device.base import Answer
from device.geometry import Point
from perception.screen import Element, Screen, TreeStatus
from policies.base import Ask, Decision, Finish, Observation, Policy, Turn
from policies.follow import Follow
from policies.grounding.naming import spoken_name
from tests.policies.screens import element, read, screen


@dataclass(frozen=True)
class Row:
    """One row of a page. `go`: page that a touch opens. `switch`, `field`: name of the state it shows.

    `deaf`: a touch does nothing. `slow`: a switch follows only after a wait. `hold`: page that a long touch opens.
    """

    name: str
    detail: str = ""
    go: str = ""
    hold: str = ""
    switch: str = ""
    field: str = ""
    deaf: bool = False
    slow: bool = False
    password: bool = False
    text_only: bool = False


Pages = Mapping[str, Sequence[Row]]


@dataclass
class Phone:
    """Shows `visible` rows at a time. `uncertain`: kinds of acts whose answer is lost, mapped to whether they happen.

    `refused`: kinds of acts that do not reach the phone, with the reason.
    """

    pages: Pages
    at: str = "home"
    tree: bool = True
    visible: int = 10
    on: set[str] = field(default_factory=set)
    texts: dict[str, str] = field(default_factory=dict)
    uncertain: Mapping[str, bool] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    keyboard: bool = False
    focus: str = ""
    offset: int = 0
    behind: list[str] = field(default_factory=list)
    pending: set[str] = field(default_factory=set)
    acts: list[Action] = field(default_factory=list)

    def look(self) -> Screen:
        shown = self._shown()
        status = TreeStatus.FRESH if self.tree else TreeStatus.ABSENT
        everything = [self._element(row, place) for place, row in enumerate(shown)]
        if self.tree and len(self.pages[self.at]) > self.visible:
            area = element(role="list", states=("scrollable",), rows=self.visible)
            everything.insert(0, replace(area, key="list"))
        return screen(*everything, keyboard=self.keyboard, tree=status, app=f"org.{self.at}")

    def act(self, action: Action) -> tuple[Answer, Answer, str]:
        """Sent, changed, note."""
        self.acts.append(action)
        name = kind(action)
        if name in self.refused:
            return Answer.NO, Answer.NO, self.refused[name]
        before = self._state()
        if self.uncertain.get(name, True):
            self._do(action)
        if name in self.uncertain:
            return Answer.UNKNOWN, Answer.UNKNOWN, ""
        return Answer.YES, Answer.NO if before == self._state() else Answer.YES, ""

    def _state(self) -> tuple[object, ...]:
        """What a picture of the phone would show."""
        return self.at, self.offset, frozenset(self.on), dict(self.texts), self.focus, self.keyboard

    def _shown(self) -> Sequence[Row]:
        return self.pages[self.at][self.offset : self.offset + self.visible]

    def _element(self, row: Row, place: int) -> Element:
        text = f"{row.name}\n{row.detail}" if row.detail else row.name
        if not self.tree:
            written = f"{row.name}\n{self.texts[row.field]}" if self.texts.get(row.field) else text
            return read(written, place)
        if row.field:
            states = ["focused"] if self.focus == row.field else []
            blocked = self.keyboard and place >= self.visible // 2
            content = "" if row.password else self.texts.get(row.field, "")
            return element(
                content,
                label=row.name,
                role="text_field",
                row=place,
                states=[*states, *(["blocked"] if blocked else [])],
                interactable=not blocked,
                password=row.password,
            )
        if row.switch:
            states = ["checked" if row.switch in self.on else "unchecked"]
            return element(text, role="switch", row=place, states=states)
        if row.name in ("Navigate up", "Close"):
            return element(label=row.name, role="button", row=place)
        return element(text, row=place, role="text" if row.text_only else "list_item", interactable=not row.text_only)

    def _do(self, action: Action) -> None:
        match action:
            case Tap(at) | DoubleTap(at):
                self._touch(at, long=False)
            case LongPress(at):
                self._touch(at, long=True)
            case TypeText(text, replace_all):
                if self.focus:
                    self.texts[self.focus] = text if replace_all else self.texts.get(self.focus, "") + text
            case ClearText():
                self.texts[self.focus] = ""
            case Swipe(start, end):
                step = self.visible // 2 if start.y > end.y else -(self.visible // 2)
                last = max(len(self.pages[self.at]) - self.visible, 0)
                self.offset = min(max(self.offset + step, 0), last) if start.x == end.x else self.offset
            case PressKey(key):
                self._press(key)
            case OpenApp(name):
                if name.casefold() in self.pages:
                    self._go(name.casefold())
            case Wait():
                self.on ^= self.pending
                self.pending.clear()

    def _touch(self, at: Point, *, long: bool) -> None:
        row = next((row for place, row in enumerate(self._shown()) if self._element(row, place).box.contains(at)), None)
        if row is None or row.deaf:
            return
        if long:
            self._go(row.hold or self.at)
        elif row.switch:
            (self.pending if row.slow else self.on).__ixor__({row.switch})
        elif row.field:
            self.focus, self.keyboard = row.field, True
        elif row.go:
            self._go(row.go)

    def _go(self, page: str) -> None:
        if page != self.at:
            self.behind.append(self.at)
        self.at, self.offset, self.focus, self.keyboard = page, 0, "", False

    def _press(self, key: Key) -> None:
        if key is Key.BACK and self.keyboard:
            self.keyboard = False
        elif key is Key.BACK and self.behind:
            page = self.behind.pop()
            self._go(page)
            self.behind.pop()
        elif key is Key.HOME:
            self._go("home")


@dataclass(frozen=True)
class Episode:
    """What a policy did on a phone, from the first look to the end."""

    turns: tuple[Turn, ...]
    last: Decision

    @property
    def finish(self) -> Finish:
        assert isinstance(self.last.choice, Finish), self.last
        return self.last.choice

    @property
    def questions(self) -> list[Ask]:
        return [turn.decision.choice for turn in self.turns if isinstance(turn.decision.choice, Ask)]

    @property
    def thoughts(self) -> list[str]:
        return [turn.decision.thought for turn in self.turns]

    @property
    def acts(self) -> list[str]:
        """Kinds of acts, and what they were meant for."""
        out = []
        for turn in self.turns:
            choice = turn.decision.choice
            if not isinstance(choice, Ask | Finish):
                target = turn.decision.element
                name = target and spoken_name(target)
                out.append(f"{kind(choice)} {name}" if name else kind(choice))
        return out


def live(goal: str, phone: Phone, replies: Sequence[str] = (), most: int = 60) -> Episode:
    """Run `follow` on the phone until it finishes; each step by an object of its own, from the history alone."""
    turns: list[Turn] = []
    answers = iter(replies)
    for step in range(1, most + 1):
        seen = Observation(goal=goal, screen=phone.look(), history=tuple(turns))
        decision = decide(Follow(), seen)
        assert decision == decide(Follow(), seen), "the same history must give the same decision"
        can_be_heard(decision)
        match decision.choice:
            case Finish():
                return Episode(tuple(turns), decision)
            case Ask():
                turns.append(Turn(step=step, decision=decision, reply=next(answers, "")))
            case action:
                sent, changed, note = phone.act(action)
                turns.append(Turn(step=step, decision=decision, sent=sent, changed=changed, note=note))
    raise AssertionError(f"no end after {most} steps: {turns[-1].decision}")


def decide(policy: Policy, seen: Observation) -> Decision:
    return asyncio.run(policy.decide(seen))


def can_be_heard(decision: Decision) -> None:
    """Thoughts are sentences without coordinates and without what was typed; memos are small JSON objects."""
    assert re.search(r"[.?]$", decision.thought), decision.thought
    assert not re.search(r"0\.\d|\d+ ?, ?\d+", decision.thought), decision.thought
    memo = json.loads(decision.memo)
    assert isinstance(memo, dict) and len(decision.memo) < 400
    if isinstance(decision.choice, TypeText):
        for words in (decision.thought, decision.summary, decision.memo):
            assert decision.choice.text not in words
