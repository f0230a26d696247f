"""Sentences into steps: what `follow` can read.

    Open Settings, tap Display, turn on Dark theme, then go home and type "Hello, world" into Message

Commas, semicolons, full stops and line ends always part steps; "and", "then" and "and then" do where a known
verb follows, so that names such as "Network and internet" stay whole. Text to be typed that holds a separator
must be quoted, because where it ends would otherwise be guesswork.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from device.actions import Key
from policies.errors import UnreadableTask
from policies.follow.steps import (
    Check,
    Clear,
    Direction,
    Gesture,
    Open,
    Pause,
    Press,
    Scroll,
    Step,
    Toggle,
    Touch,
    Type,
)

EXAMPLES = (
    "I can read, for example: Open Settings, tap Display, turn on Dark theme."
    ' Or: type "Hello, world" into Message, then press enter.'
)
MAX_WAIT = 600.0
"""Seconds; what a run may take in all unless somebody says otherwise (`tapwright run --seconds`)."""

_QUOTES = {'"': '"', "“": "”", "„": "“", "「": "」", "『": "』", "«": "»", "‘": "’", "'": "'"}
_STRAIGHT = "\"'"
# In the mask a quoted text is one opening sign, fillers, one closing sign; none of them occurs elsewhere in it.
_OPEN, _INSIDE, _CLOSE = "\x01", "\x00", "\x02"
_QUOTED = f"{_OPEN}{_INSIDE}*{_CLOSE}"

_LEAD = (
    r"(?:(?:please|kindly|now|next|finally|lastly|also|just|first|after\ that|afterwards|and|then|&"
    r"|(?:can|could|would|will)\ you|i\ (?:want|need|would\ like)\ (?:you\ )?to|i['’]d\ like\ (?:you\ )?to"
    r"|go\ ahead\ and)(?:[,\s]+|$))*"
)
_BARE = r"(?:back|home|recents|recent\ apps|enter|clear|wait|pause)"
_START = (
    r"(?:(?:open|launch|start|tap|click|select|choose|pick|press|hit|touch|hold|enable|disable|activate|deactivate"
    r"|type|enter|write|clear|scroll|swipe|verify|ensure|(?:double|long)[-\s]?(?:tap|click|press))\s+\S"
    r"|(?:turn|switch)\s+(?:on|off)\s+\S|(?:turn|switch)\s+[^,;.\n]+?\s(?:on|off)\b"
    r"|go\s+(?:back|home|to)\b|make\s+sure\s|check\s+(?:that|if|whether)\s|check\s+[^,;.\n]+?\s(?:is|are)\s"
    r"|fill\s+[^,;.\n]+?\swith\s|(?:wait|pause)\s+(?:for\s|\d)"
    rf"|{_BARE}\s*(?:$|[,;.，；。\n]|\s(?:and|then)\s))"
)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(r"\ ", r"[ \t]+"), re.IGNORECASE | re.DOTALL)


_SEPARATOR = _compiled(
    rf"\s*\n\s*|\s*[;；。，]\s*|\s*,(?:\s+|$)|,(?={_START})|\s*\.(?:\s+|$)"
    # "Press and hold Camera" is one step.
    rf"|(?<!press)(?<!tap)(?<!touch)(?<!click)\s+(?:and\s+then|then|and|&)\s+(?={_LEAD}{_START})"
)
_LIST_NUMBER = re.compile(
    r"(?:(?<![\s\S])|(?<=[\n,;，；。])|(?<=\.\s)|(?<=,\s))([ \t]*(?:\d{1,2}[.)]|[-*•–]))(?=[ \t])"
)
_NEXT_NUMBER = _compiled(rf"\s\d{{1,2}}[.)](?=\s+{_LEAD}{_START})")
_LEADING = _compiled(_LEAD)
_COURTESY = re.compile(r"(?:please|and|then|[\s.,!?])*", re.IGNORECASE)
_STRAY_THEN = _compiled(r"\s(?:and\ then|then)\s+(\S.*)")
_TYPING = _compiled(r"(?:type|enter|write)\s")
_INTO = _compiled(r"\sinto\s")


@dataclass(frozen=True, slots=True)
class Words:
    """A stretch of the task. `mask` is as long as `text` and covers what is quoted; `at` is its place in the task."""

    text: str
    mask: str
    at: int = 0

    def cut(self, start: int, end: int | None = None) -> Words:
        return Words(self.text[start:end], self.mask[start:end], self.at + start)

    def strip(self, signs: str = " \t\r\n") -> Words:
        start = len(self.mask) - len(self.mask.lstrip(signs))
        return self.cut(start, max(len(self.mask.rstrip(signs)), start))

    def group(self, found: re.Match[str], number: int) -> Words:
        """What a group of a match on the mask stands for; empty where it did not take part."""
        start, end = found.span(number)
        return (self.cut(start, end) if start >= 0 else self.cut(0, 0)).strip()

    def unquoted(self) -> str:
        """The text, without its quotation marks where it is quoted as a whole."""
        return self.text[1:-1] if re.fullmatch(_QUOTED, self.mask) else self.text

    @property
    def end(self) -> int:
        return self.at + len(self.text)


def parse(task: str) -> tuple[Step, ...]:
    """The steps of a task, at least one.

    Raises UnreadableTask naming the words that could not be read, with two examples of what can.
    """
    pieces = list(_pieces(Words(task, _mask(task))))
    if not pieces:
        raise UnreadableTask("The task is empty: it holds no step.", advice=EXAMPLES)
    steps = [_read(piece) for piece in pieces]
    _refuse_doubtful_text(task, pieces, steps)
    strange = [piece for piece, step in zip(pieces, steps, strict=True) if step is None]
    if strange:
        words = "; ".join(f"“{piece.text}”" for piece in strange)
        hint = next((hint for pattern, hint in _HINTS if pattern.match(strange[0].mask)), _NAME_HINT)
        raise UnreadableTask(f"I cannot read these words as a step: {words}.", advice=f"{hint} {EXAMPLES}")
    return tuple(step for step in steps if step is not None)


def _mask(task: str) -> str:
    """The task with quoted stretches covered, so that no rule looks into them. Same length."""
    out: list[str] = []
    at = 0
    while at < len(task):
        end = _closing(task, at)
        if end > at:
            out += (_OPEN, _INSIDE * (end - at - 1), _CLOSE)
            at = end + 1
        else:
            out.append("\N{REPLACEMENT CHARACTER}" if task[at] in (_OPEN, _INSIDE, _CLOSE) else task[at])
            at += 1
    mask = "".join(out)
    if re.match(r"\s*1[.)]\s", mask):
        # In a numbered list without line ends a number before a verb begins the next step.
        mask = _NEXT_NUMBER.sub(lambda found: "\n" + " " * (len(found[0]) - 1), mask)
    return _LIST_NUMBER.sub(lambda found: " " * len(found[0]), mask)


def _closing(task: str, at: int) -> int:
    """Where the quotation that opens here closes, or -1. Raises UnreadableTask when it is never closed."""
    sign = task[at]
    close = _QUOTES.get(sign)
    if close is None:
        return -1
    # 5" and it's open nothing, and neither closes what goes on with a letter.
    if sign in _STRAIGHT + "‘" and at > 0 and task[at - 1].isalnum():
        return -1
    end = task.find(close, at + 1)
    while sign in "'‘" and end >= 0 and end + 1 < len(task) and task[end + 1].isalnum():
        end = task.find(close, end + 1)
    if end < 0 and sign not in "'‘":
        beginning = task[at : at + 40]
        raise UnreadableTask(f"The quotation that begins with {beginning} is not closed.", advice=f"Close it: {close}")
    return end


def _pieces(task: Words) -> Iterator[Words]:
    """What stands between the separators, without the words of courtesy and order before it."""
    start = 0
    for found in [*_SEPARATOR.finditer(task.mask), None]:
        piece = task.cut(start, found.start() if found is not None else None).strip()
        start = found.end() if found is not None else start
        lead = _LEADING.match(piece.mask)
        order = piece.cut(lead.end() if lead is not None else 0).strip()
        if order.mask.strip(".!?,"):
            yield order
        elif found is None and piece.mask and not _COURTESY.fullmatch(piece.mask):
            # "Next, tap Save" begins with a word of order; "tap Save, next" ends with something else.
            yield piece


def _read(piece: Words) -> Step | None:
    if not _TYPING.match(piece.mask) and _STRAY_THEN.search(piece.mask):
        return None
    for pattern, make in _RULES:
        found = pattern.fullmatch(piece.mask)
        if found is not None and (step := make(piece, found)) is not None:
            return step
    return None


def _refuse_doubtful_text(task: str, pieces: Sequence[Words], steps: Sequence[Step | None]) -> None:
    """Raise UnreadableTask where the text of a step may go on behind its separator."""
    for place, piece in enumerate(pieces):
        typing = re.match(r"(?:type|enter|write)\s+(?![\x01\s])", piece.mask, re.IGNORECASE)
        if typing is None:
            continue
        step, last = steps[place], place
        open_end = not (isinstance(step, Type) and step.into)
        while last + 1 < len(pieces) and _may_be_text(pieces[last + 1], steps[last + 1], open_end):
            last += 1
        if last == place and not _STRAY_THEN.search(piece.mask):
            continue
        text, field = task[piece.at + typing.end() : pieces[last].end], ""
        if found := re.match(r"(.*)\sinto\s+(.+)$", text, re.IGNORECASE | re.DOTALL):
            text, field = found[1], f" into {found[2]}"
        marks = next((pair for pair in ('""', "“”", "「」") if pair[1] not in text), '""')
        raise UnreadableTask(
            f"It is not clear where the text to type ends: “{text}”.",
            advice=f"If all of it is the text, quote it: type {marks[0]}{text}{marks[1]}{field}. {EXAMPLES}",
        )


def _may_be_text(piece: Words, step: Step | None, open_end: bool) -> bool:
    """Not a step of its own, or one in whose name an "into" makes no sense."""
    if _INTO.search(piece.mask):
        return not isinstance(step, Type)
    return step is None and open_end


# Names

_NOUNS = "button|icon|link"
_THE_NOUNS = f"{_NOUNS}|tab|option|row|item|entry|setting|menu|menu\\ item|checkbox|box|chip|tile"
_FIELD_NOUNS = "field|text\\ field|input\\ field|text\\ box|input|box|area"
_SWITCH_NOUNS = "switch|toggle|checkbox|setting|option|button"
_APP_NOUNS = "app|application"


def _name(words: Words, nouns: str = _NOUNS, the_nouns: str = _THE_NOUNS) -> str:
    """A target as it is called, without the words around it: "the Save button, please" is "Save"."""
    words = words.strip()
    for tail in (r"(?:,?\s+(?:please|for\ me))+", r"[.,;:\s]+"):
        if found := _compiled(rf"(.*?\S){tail}").fullmatch(words.mask):
            words = words.group(found, 1)
    # Only small: "The Guardian" is called so. The same word alone would leave nothing.
    article = re.match(r"(?:the|my)\s+(?=\S)", words.mask)
    if article is not None:
        words, nouns = words.cut(article.end()), f"{nouns}|{the_nouns}"
    if found := _compiled(rf"(.*?\S)\s+(?:{nouns})").fullmatch(words.mask):
        words = words.group(found, 1)
    return words.unquoted().strip()


def _field(words: Words) -> str:
    return _name(words, f"{_FIELD_NOUNS}|{_NOUNS}")


# Rules: a pattern for the whole mask of a step, and what makes the step of it

_Make = Callable[[Words, re.Match[str]], Step | None]
_KEYS = {
    "back": Key.BACK,
    "home": Key.HOME,
    "recent": Key.RECENTS,
    "enter": Key.ENTER,
    "return": Key.ENTER,
}
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def _press(piece: Words, found: re.Match[str]) -> Step:
    word = piece.group(found, 1).text.casefold()
    return Press(next(key for name, key in _KEYS.items() if word.startswith(name)))


def _pause(piece: Words, found: re.Match[str]) -> Step:
    amount, unit = (piece.group(found, n).text.casefold() for n in (1, 2))
    if amount in _NUMBERS:
        seconds = float(_NUMBERS.index(amount) + 1)
    else:
        seconds = {"": 1.0, "a": 1.0, "an": 1.0, "half a": 0.5}.get(amount) or float(amount.replace(",", "."))
    seconds *= 60 if unit.startswith("m") else 1
    if not 0 < seconds <= MAX_WAIT:
        raise UnreadableTask(f"I cannot wait {seconds:g} seconds.", advice=f"Wait up to {MAX_WAIT:g} seconds.")
    return Pause(seconds)


def _typed(piece: Words, found: re.Match[str]) -> Step:
    """`type T`, `type T into X`: quoted text ends with its quotation, other text with the last "into"."""
    body = piece.group(found, 1)
    quoted = re.fullmatch(rf"({_QUOTED})(?:\s+(?:into|in|to|on)\s+(.+))?", body.mask, re.IGNORECASE | re.DOTALL)
    plain = _compiled(r"(.+)\sinto\s+(.+)").fullmatch(body.mask)
    if quoted is not None:
        step = Type(body.group(quoted, 1).unquoted(), _field(body.group(quoted, 2)))
    elif plain is not None:
        step = Type(body.group(plain, 1).text, _field(body.group(plain, 2)))
    else:
        inside = _compiled(r"(.+)\sin\s+(.+)").fullmatch(body.mask)
        tail = (body.group(inside, 1).text, _field(body.group(inside, 2))) if inside is not None else None
        step = Type(body.text, tail=tail)
    if not step.text or re.match(r"into(?:\s|$)", body.mask, re.IGNORECASE):
        raise UnreadableTask(
            f"There is no text to type in “{piece.text}”.", advice=f"To empty a field, say: clear Message. {EXAMPLES}"
        )
    return step


def _filled(piece: Words, found: re.Match[str]) -> Step:
    return Type(piece.group(found, 2).unquoted(), _field(piece.group(found, 1)))


def _toggle(piece: Words, found: re.Match[str]) -> Step:
    word = piece.group(found, 1).text.casefold()
    return _switched(piece.group(found, 2), not word.endswith(("off", "disable", "deactivate")))


def _toggle_behind(piece: Words, found: re.Match[str]) -> Step:
    return _switched(piece.group(found, 1), piece.group(found, 2).text.casefold() == "on")


def _switched(words: Words, on: bool) -> Toggle:
    return Toggle(_name(words, _SWITCH_NOUNS), on)


def _scroll(piece: Words, found: re.Match[str]) -> Step | None:
    """Scrolling down shows what lies further down, so the finger goes up; a swipe names the finger's own way."""
    verb, way, to = (piece.group(found, n) for n in (1, 2, 3))
    end = re.fullmatch(r"(?:the\s+)?(?:very\s+)?(top|bottom|end|start|beginning)(?:\s+of\s.*)?", to.mask, re.IGNORECASE)
    if not way.text and not to.text:
        return None
    if not way.text:
        down = end is None or end[1].casefold() in ("bottom", "end")
        finger = Direction.UP if down else Direction.DOWN
    else:
        direction = Direction(way.text.casefold())
        finger = direction.opposite if verb.text.casefold() == "scroll" else direction
    content = verb.text.casefold() == "scroll"
    name = _name(to) if to.text and end is None else ""
    return Scroll(finger, to=name, end=end is not None, content=content)


def _touch(gesture: Gesture) -> _Make:
    def make(piece: Words, found: re.Match[str]) -> Step:
        return Touch(_name(piece.group(found, 1)), gesture)

    return make


def _opened(piece: Words, found: re.Match[str]) -> Step:
    words = piece.group(found, 1).strip(" \t\r\n?!")
    return Open(_name(words, _APP_NOUNS, _APP_NOUNS))


_SEEN = r"(?:shown|visible|displayed|there|present|(?:shown\ |visible\ |displayed\ )?on\ (?:the\ )?screen)"
_RULES: tuple[tuple[re.Pattern[str], _Make], ...] = tuple(
    (_compiled(pattern), make)
    for pattern, make in (
        (r"(?:go\ |return\ )?(?:to\ )?(?:the\ )?(back|home)(?:\ screen)?(?:\ please)?", _press),
        (r"(?:(?:go\ to|show|open)\ )?(?:the\ )?(recents|recent\ apps)(?:\ screen)?(?:\ please)?", _press),
        (
            r"(?:press|hit)\ (?:on\ )?(?:the\ )?(back|home|recents|enter|return)(?:\ (?:button|key))?(?:\ please)?",
            _press,
        ),
        (r"(enter)", _press),
        (
            rf"(?:wait|pause)(?:\ for)?(?:\ (\d+(?:[.,]\d+)?|a|an|half\ a|{'|'.join(_NUMBERS)}))?"
            r"(?:\s*(s|secs?|seconds?|m|mins?|minutes?))?(?:\ please)?",
            _pause,
        ),
        (r"(?:open|launch|start)(?:\ up)?\s+(.+)", _opened),
        (r"(turn\ on|turn\ off|switch\ on|switch\ off|enable|disable|activate|deactivate)\s+(.+)", _toggle),
        (r"(?:turn|switch)\s+(.+?)\s+(on|off)", _toggle_behind),
        (r"(?:type|enter|write)\s+(?:(?:the\s+)?(?:text|words?)\s+(?=\x01))?(.+)", _typed),
        (r"fill\s+(?:in\s+|out\s+)?(.+?)\s+with\s+(.+)", _filled),
        (r"clear()", lambda piece, found: Clear("")),
        (r"clear\s+(.+)", lambda piece, found: Clear(_field(piece.group(found, 1)))),
        (
            r"(scroll|swipe)(?:\s+(up|down|left|right))?"
            rf"(?:\s+(?:to|until|till)\s+(?:you\ see\s+)?(.+?)(?:\s+(?:is|are)\s+{_SEEN}|\s+appears?)?)?(?:\ please)?",
            _scroll,
        ),
        (
            rf"(?:check|verify|make\ sure|ensure)\s+(?:that\s+|if\s+|whether\s+)?(.+?)\s+(?:is|are)\s+{_SEEN}",
            lambda piece, found: Check(_name(piece.group(found, 1))),
        ),
        (r"double[-\s]?(?:tap|click)(?:\s+on)?\s+(.+)", _touch(Gesture.DOUBLE_TAP)),
        (
            r"(?:long[-\s]?(?:press|tap|click)|(?:press|tap|touch|click)\ and\ hold|hold)(?:\ down)?(?:\s+on)?\s+(.+)",
            _touch(Gesture.HOLD),
        ),
        (r"(?:tap|press|click|select|choose|pick|hit|touch)(?:\s+on)?\s+(.+)", _touch(Gesture.TAP)),
    )
)
"""Tried in order; the first that fits the whole step makes it."""

_NAME_HINT = "If they belong to a name or a text, quote the whole: tap “Chen, Alex”."
_HINTS = tuple(
    (_compiled(pattern), hint)
    for pattern, hint in (
        (r"check\b", "To tick a box, say: turn on X. To make sure of something, say: check that X is shown."),
        (r"(?:make\ sure|verify|ensure)\b", "I can only check what is shown: check that X is shown. Or: turn on X."),
        (r"go\ to\b", "For an app say: open X; for something on the screen: tap X."),
        (r"turn|switch|toggle", "Say: turn on X, or: turn off X."),
        (r"scroll|swipe", "Say: scroll down, swipe left, or: scroll down to X."),
        (r"(?:wait|pause)\b", "Say: wait 3 seconds."),
    )
)
