"""The scripted model: where it is in its script, what it sees, and what it says next."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agent_server.model_server import looking, protocols
from agent_server.model_server import script as scripts
from agent_server.model_server.protocols import Asked, BadRequest, Kind, Protocol
from agent_server.model_server.script import Fault, Line, Script, Turn
from device.frame import Pixels, decode
from perception.base import TextLine, TextReader
from policies.mm_navigator import grammar
from policies.mm_navigator.grammar import Said

KEPT = 64
"""Requests whose bodies are kept with their pictures; each holds two of 100 kB."""
_TURN = {Kind.DESCRIPTION: Turn.DESCRIPTION, Kind.SUMMARY: Turn.SUMMARY}


@dataclass
class ScriptedModel:
    """Follows a script from line to line. A line is done once its action was answered well.

    `journal` has one entry per request: its number, protocol, kind, pictures by digest, the body without their bytes,
    and what was answered. `bodies` has the last requests as they came.
    """

    reader: TextReader
    script: Script
    done: int = 0
    number: int = 0
    answered: list[Line] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    journal: list[dict[str, Any]] = field(default_factory=list)
    bodies: deque[tuple[Protocol, dict[str, Any]]] = field(default_factory=lambda: deque(maxlen=KEPT))
    _seen: tuple[str, Sequence[TextLine]] = ("", ())

    def __post_init__(self) -> None:
        self.follow(self.script)

    def follow(self, script: Script) -> None:
        """Begin a script from its first line."""
        self.script, self.done = script, 0
        self.answered.clear()
        self.journal.clear()
        self.bodies.clear()
        self._arm(())

    @property
    def line(self) -> Line | None:
        """The line that is next, or None behind the last."""
        return self.script.lines[self.done] if self.done < len(self.script.lines) else None

    def advance(self) -> None:
        """The line was answered. What goes wrong with its summary is still to come."""
        line = self.line
        self.done += 1
        if line is not None:
            self.answered.append(line)
            self._arm([fault for fault in line.faults if fault.turn is Turn.SUMMARY])

    def fault(self, kind: Kind) -> Fault | None:
        """The next thing that is to go wrong before such a request is answered well."""
        turn = _TURN.get(kind, Turn.ACTION)
        found = next((fault for fault in self.faults if fault.turn is turn), None)
        if found is not None:
            self.faults.remove(found)
        return found

    def _arm(self, left: Sequence[Fault]) -> None:
        ahead = self.line.faults if self.line is not None else ()
        self.faults = [*left, *(fault for fault in ahead if fault.turn is not Turn.SUMMARY)]

    def note(self, protocol: Protocol, body: dict[str, Any], asked: Asked, **more: Any) -> None:
        """Write down what was asked, and what was answered."""
        self.journal.append(
            {
                "n": self.number,
                "protocol": protocol,
                "kind": str(asked.kind),
                "stream": asked.stream,
                "pictures": [protocols.told(picture) for picture in asked.pictures],
                "body": protocols.without_pictures(body),
                **more,
            }
        )

    def pass_over(self, asked: Asked) -> None:
        """Leave out lines that are not for what the screen shows. Computes: call it on a worker thread."""
        while (line := self.line) is not None and (line.when or line.unless) and not self._fits(line, asked):
            self.done += 1
            self._arm([fault for fault in self.faults if fault.turn is Turn.SUMMARY])

    def _fits(self, line: Line, asked: Asked) -> bool:
        lines = self._words(asked)
        wanted = not line.when or looking.best_line(line.when, lines) is not None
        return wanted and not (line.unless and looking.best_line(line.unless, lines) is not None)

    def said(self, line: Line | None, asked: Asked) -> Said:
        """The line as an answer; looks at the picture for it. Computes: call it on a worker thread."""
        if line is None:
            return Said("The script is at its end.", grammar.Impossible("The script is at its end."))
        if not line.label:
            return Said("This is the next line of the script.", line.act)
        mark = looking.find(line.label, _pixels(asked.pictures[-1:]), self._words(asked))
        mark = looking.listed(line.label, asked.listing) if mark is None else mark
        if mark is None:
            return Said(f"I look for “{line.label}”.", grammar.Impossible(f"“{line.label}” is not in the picture."))
        thought = f"I look for “{line.label}”; the number closest to it is {mark}."
        act = grammar.LongPress(mark) if isinstance(line.act, grammar.LongPress) else grammar.Click(mark)
        return Said(thought, act)

    def described(self) -> str:
        """The next line in words, without a number. Typed text is left out."""
        return "The script is at its end." if self.line is None else f"Next: {_plainly([self.line])}."

    def summary(self) -> str:
        """What the model says it has done. Typed text is left out."""
        return f"Done so far: {_plainly(self.answered)}."

    def _words(self, asked: Asked) -> Sequence[TextLine]:
        """What can be read on the screen: on the plain picture where there is one of the marked one's size."""
        marked = _pixels(asked.pictures[-1:])
        plain = asked.pictures[-2] if len(asked.pictures) > 1 else asked.pictures[-1]
        picture = _pixels([plain])
        digest = hashlib.sha256(plain).hexdigest()
        if picture.shape != marked.shape:
            digest, picture = hashlib.sha256(asked.pictures[-1]).hexdigest(), marked
        if self._seen[0] != digest:
            self._seen = (digest, self.reader.read(picture))
        return self._seen[1]


def _plainly(lines: Sequence[Line]) -> str:
    return "; ".join(" ".join(scripts.plain(line).values()) for line in lines)


def _pixels(pictures: Sequence[bytes]) -> Pixels:
    if not pictures:
        raise BadRequest("there is no picture to look at")
    return decode(pictures[0], "image/png" if pictures[0].startswith(b"\x89PNG") else "image/jpeg")
