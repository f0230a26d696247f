"""Sentences into steps: what `follow` can read.

    Open Settings, tap Display, turn on Dark theme, then go home and type "Hello, world" into Message

Steps are joined by commas, semicolons, line ends, full stops, "then", "and". A separator only separates where a
known verb follows, so names such as "Network and internet" stay whole; text to be typed that holds a separator
must be quoted, because what follows it would otherwise be guesswork.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from device.actions import Key
from policies.errors import UnreadableTask

Direction = Literal["up", "down", "left", "right"]


@dataclass(frozen=True, slots=True)
class Open:
    app: str


@dataclass(frozen=True, slots=True)
class TapOn:
    target: str
    long: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    target: str
    on: bool


@dataclass(frozen=True, slots=True)
class Type:
    """`into` is empty where the text goes to whatever field has the focus."""

    text: str
    into: str = ""

    def __repr__(self) -> str:
        return f"Type(<{len(self.text)} characters>, into={self.into!r})"


@dataclass(frozen=True, slots=True)
class Clear:
    target: str


@dataclass(frozen=True, slots=True)
class Scroll:
    """Show what lies further down, up, ...: the finger moves the other way. `to` is what must come into view."""

    direction: Direction
    to: str = ""


@dataclass(frozen=True, slots=True)
class SwipeFinger:
    """The finger itself moves in this direction."""

    direction: Direction
    to: str = ""


@dataclass(frozen=True, slots=True)
class Press:
    key: Key


@dataclass(frozen=True, slots=True)
class Pause:
    seconds: float


@dataclass(frozen=True, slots=True)
class Check:
    target: str


Step = Open | TapOn | Turn | Type | Clear | Scroll | SwipeFinger | Press | Pause | Check

_QUOTES = {'"': '"', "“": "”", "„": "“", "「": "」", "『": "』", "«": "»", "‘": "’", "'": "'"}
_EXAMPLES = 'For example: open Settings, tap Display, turn on Dark theme. Or: type "Hello, world" into Message.'
MAX_TASK = 4000
"""Characters; longer than any instruction people give in one breath."""
MAX_WAIT = 300.0

_KEYS = {
    "home": Key.HOME,
    "home screen": Key.HOME,
    "back": Key.BACK,
    "recents": Key.RECENTS,
    "recent apps": Key.RECENTS,
    "enter": Key.ENTER,
    "return": Key.ENTER,
}
_UNIT = r"(?:s|sec|secs|second|seconds)"
_VERBS = (
    r"open|launch|start|tap|press|click|select|choose|touch|hit|long[- ]press|long[- ]tap|hold|"
    r"turn|switch|enable|disable|activate|deactivate|type|enter|write|input|fill|clear|empty|scroll|swipe|go|back|home|"
    r"return|wait|pause|check|verify|make sure|ensure|confirm that"
)
_FILLER = r"(?:(?:please|now|next|finally|first|also|just|kindly|and|then|after that|afterwards)\b[,\s]*)*"
_SEPARATOR = re.compile(
    rf"\s*(?:[,;，；、]\s*|[.!。！]\s+|[.。!！]?\s*\n+\s*|\s+(?=(?:and|then|after that)\b)|[。；，])"
    rf"(?={_FILLER}(?:{_VERBS})\b)",
    re.IGNORECASE,
)
_FILLED = re.compile(rf"^{_FILLER}", re.IGNORECASE)
_TYPE_VERB = re.compile(r"^(?:type|enter|write|input|fill in|fill)\b\s*", re.IGNORECASE)


def parse(task: str) -> tuple[Step, ...]:
    """The steps of a task, at least one.

    Raises UnreadableTask naming the words that could not be read, with examples of what can.
    """
    if not task.strip():
        raise UnreadableTask("the task is empty", advice=_EXAMPLES)
    if len(task) > MAX_TASK:
        raise UnreadableTask(f"the task has {len(task)} characters; {MAX_TASK} can be read", advice="Split it.")
    masked, quoted = _mask(task)
    masked = re.sub(r"\b(?:press|tap) and hold\b", "long-press", masked, flags=re.IGNORECASE)
    pieces = [piece for piece in _SEPARATOR.split(masked) if _FILLED.sub("", piece).strip(" .,;!?。，；！")]
    if not pieces:
        raise UnreadableTask(f"no step can be read in {task.strip()!r}", advice=_EXAMPLES)
    return tuple(_step(piece, quoted) for piece in pieces)


def _mask(task: str) -> tuple[str, list[str]]:
    """Put quoted text out of the separators' reach: each becomes a private-use character."""
    quoted: list[str] = []
    out, at = [], 0
    while at < len(task):
        close = _QUOTES.get(task[at])
        # An apostrophe inside a word opens nothing.
        inside_word = task[at] in "'‘" and at > 0 and task[at - 1].isalnum()
        end = task.find(close, at + 1) if close is not None and not inside_word else -1
        if end > at and not (task[at] == "'" and end + 1 < len(task) and task[end + 1].isalnum()):
            out.append(_mark(len(quoted)))
            quoted.append(task[at + 1 : end])
            at = end + 1
        else:
            # A private-use character of the user's own would be taken for one of ours.
            out.append("\N{REPLACEMENT CHARACTER}" if _MARK.match(task[at]) else task[at])
            at += 1
    return "".join(out), quoted


_MARK = re.compile("[\U000f0000-\U000ffffd]")
"""Characters of a private-use plane stand for quoted texts while the task is cut into steps."""


def _mark(number: int) -> str:
    return chr(0xF0000 + number)


def _unmask(text: str, quoted: list[str]) -> str:
    return _MARK.sub(lambda found: quoted[ord(found[0]) - 0xF0000], text)


def _name(text: str, quoted: list[str]) -> str:
    """A target as people say it, without the words around it."""
    text = text.strip().rstrip(".!?。！？").strip()
    text = re.sub(r"^(?:on|at|in|the|a|an)\s+(?:the\s+)?(?=\S)", "", text, flags=re.IGNORECASE)
    text = re.sub(
        r"\s+(?:button|icon|option|entry|item|menu item|tab|link|field|text field|box|app|application|switch|toggle)$",
        "",
        text,
        flags=re.IGNORECASE,
    )
    return _unmask(text, quoted).strip()


def _unreadable(piece: str, quoted: list[str], why: str = "") -> UnreadableTask:
    words = _unmask(piece, quoted).strip()
    reason = f": {why}" if why else ""
    return UnreadableTask(f"these words cannot be read: {words!r}{reason}", advice=_EXAMPLES)


def _step(piece: str, quoted: list[str]) -> Step:
    text = _FILLED.sub("", piece.strip()).strip()
    if _TYPE_VERB.match(text) and not re.fullmatch(r"(?:enter|return)\W*", text, re.IGNORECASE):
        return _typing(text, piece, quoted)
    body = text.rstrip(".!?。！？").strip()
    for pattern, make in _RULES:
        found = pattern.fullmatch(body)
        if found:
            step = make(found, quoted)
            if step is not None:
                return step
    raise _unreadable(piece, quoted)


def _typing(text: str, piece: str, quoted: list[str]) -> Step:
    rest = _TYPE_VERB.sub("", text, count=1)
    filled = re.fullmatch(r"(?:in\s+)?(?:the\s+)?(.+?)\s+with\s+(.+)", rest, re.IGNORECASE | re.DOTALL)
    if filled and re.match(r"fill", text, re.IGNORECASE):
        return Type(_typed(filled[2], piece, quoted), _name(filled[1], quoted))
    found = re.fullmatch(r"(.+)\sinto\s+(.+)", rest, re.IGNORECASE | re.DOTALL)
    if found is None and _MARK.match(rest):
        # Where the text is quoted, "in" cannot belong to it.
        found = re.fullmatch(r"(.)\s+(?:in|on|as)\s+(.+)", rest, re.IGNORECASE | re.DOTALL)
    if found:
        return Type(_typed(found[1], piece, quoted), _name(found[2], quoted))
    return Type(_typed(rest, piece, quoted))


def _typed(text: str, piece: str, quoted: list[str]) -> str:
    """Quoted text exactly as it stands; unquoted text only if no separator makes its end doubtful."""
    text = re.sub(r"^the (?:text|words?|name|number)\s+", "", text.strip(), flags=re.IGNORECASE)
    if not text or re.match(r"into\s", text, re.IGNORECASE):
        raise _unreadable(piece, quoted, "there is no text to type")
    if _MARK.fullmatch(text):
        return _unmask(text, quoted)
    shown = _unmask(text, quoted)
    if re.search(r"[,;\n，；。、]|\.\s", text):
        raise UnreadableTask(
            f"it is not clear where the text to type ends: {shown!r}",
            advice=f'Put the text in quotes: type "{shown}" into ...',
        )
    return shown.rstrip(".") if shown.count(".") == 1 else shown


def _seconds(found: re.Match[str], quoted: list[str]) -> Step:
    seconds = float(found[1] or 1)
    if seconds > MAX_WAIT:
        raise UnreadableTask(f"waiting {seconds:g} seconds is too long", advice=f"Wait at most {MAX_WAIT:g} seconds.")
    return Pause(seconds)


def _key(found: re.Match[str], quoted: list[str]) -> Step | None:
    key = _KEYS.get(found[1].casefold())
    return Press(key) if key is not None else None


def _move(found: re.Match[str], quoted: list[str]) -> Step:
    kind = Scroll if found[1].casefold() == "scroll" else SwipeFinger
    direction: Direction = found[2].casefold()  # type: ignore[assignment]
    return kind(direction, _name(found[3] or "", quoted))


def _switch(found: re.Match[str], quoted: list[str]) -> Step:
    words = " ".join(found[1].casefold().split()[-1:])
    return Turn(_name(found[2], quoted), words in ("on", "enable", "activate"))


def _switch_behind(found: re.Match[str], quoted: list[str]) -> Step:
    return Turn(_name(found[1], quoted), found[2].casefold() == "on")


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


_Make = Callable[[re.Match[str], list[str]], Step | None]
_PLACE = r"(home screen|home|back|recents|recent apps|enter|return)"
_SEEN = r"(?:shown|visible|there|displayed|on (?:the )?screen)"
_UNTIL = r"(?:\s+(?:to|until|till)\s+(.+?)(?:\s+(?:is|becomes|appears).*)?)?"
_RULES: tuple[tuple[re.Pattern[str], _Make], ...] = (
    (_rule(rf"(?:go|return|press|tap|hit)?\s*(?:the |to the |to )?{_PLACE}(?: key| button)?"), _key),
    (_rule(rf"(?:wait|pause)(?: for)?(?: (\d+(?:\.\d+)?)\s*{_UNIT}?)?(?: a second)?"), _seconds),
    (_rule(r"(?:open|launch|start)\s+(.+)"), lambda found, quoted: Open(_name(found[1], quoted))),
    (
        _rule(r"(turn on|turn off|switch on|switch off|enable|disable|activate|deactivate)\s+(.+)"),
        _switch,
    ),
    (_rule(r"(?:turn|switch)\s+(.+?)\s+(on|off)"), _switch_behind),
    (
        _rule(r"(?:long[- ]press|long[- ]tap|hold)\s+(.+)"),
        lambda found, quoted: TapOn(_name(found[1], quoted), long=True),
    ),
    (_rule(r"(?:clear|empty)\s+(.+)"), lambda found, quoted: Clear(_name(found[1], quoted))),
    (_rule(rf"(scroll|swipe)\s+(up|down|left|right){_UNTIL}"), _move),
    (_rule(r"scroll\s+(?:to|until)\s+(.+)"), lambda found, quoted: Scroll("down", _name(found[1], quoted))),
    (
        _rule(rf"(?:check|verify|make sure|ensure|confirm)\s+(?:that\s+)?(.+?)\s+(?:is|are)\s+{_SEEN}"),
        lambda found, quoted: Check(_name(found[1], quoted)),
    ),
    (
        _rule(r"(?:tap|press|click|select|choose|touch|hit|go to)\s+(?:on\s+)?(.+)"),
        lambda found, quoted: TapOn(_name(found[1], quoted)),
    ),
)
"""Tried in order; the first that fits the whole step makes it."""
