"""The grammar of the phone's shell: a line of text becomes a tree, nothing is carried out here.

What stands between programs and a phone in practice: words with quotes, backslashes, variables and command
substitution; assignments; redirections; pipes; `;`, newlines, `&&`, `||`, `!`. Loops, functions, subshells and
background jobs are refused as a syntax error. Source of the rules: POSIX.1-2017, Shell Command Language, 2.2-2.10.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


class ShellSyntaxError(Exception):
    """The line is no command of this shell; the text is what the shell prints after its name."""


@dataclass(frozen=True, slots=True)
class Text:
    """Characters as written; quoted ones are neither split nor taken for a pattern."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Variable:
    """`$name`, `${name}`, `$?` and the like."""

    name: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(line)` or the same in backquotes."""

    line: Script
    quoted: bool


Piece = Text | Variable | Substitution
Word = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Redirect:
    """`fd>target`; with `op` "&" the target is another descriptor."""

    fd: int
    op: Literal[">", ">>", "<", "&"]
    target: Word


@dataclass(frozen=True, slots=True)
class Simple:
    """Assignments, then the command's words, with redirections anywhere."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    commands: tuple[Simple, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Script:
    """Pipelines, each with the connector before it (";" for the first)."""

    steps: tuple[tuple[Literal[";", "&&", "||"], Pipeline], ...]


def parse(line: str) -> Script:
    """The tree of a line or several; raises ShellSyntaxError."""
    reader = _Reader(line)
    script = reader.script(until="")
    if not reader.at_end:
        raise ShellSyntaxError(f"syntax error: unexpected '{reader.peek()}'")
    return script


_BLANK = " \t"
_OPERATORS = "|&;<>()\n"
_REFUSED = frozenset(("if", "then", "for", "while", "until", "do", "done", "case", "function", "{", "}", "[["))


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._text)

    def peek(self, length: int = 1) -> str:
        return self._text[self._at : self._at + length]

    def _take(self, length: int = 1) -> str:
        taken = self.peek(length)
        self._at += length
        return taken

    def _blanks(self) -> None:
        while not self.at_end:
            if self.peek() in _BLANK:
                self._at += 1
            elif self.peek(2) == "\\\n":
                self._at += 2
            elif self.peek() == "#":
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            else:
                return

    def script(self, until: str) -> Script:
        """Read to the closing character, or to the end of the text when there is none."""
        steps: list[tuple[Literal[";", "&&", "||"], Pipeline]] = []
        connector: Literal[";", "&&", "||"] = ";"
        while True:
            self._separators(connector)
            if self.at_end or self.peek() == until:
                if connector != ";":
                    raise ShellSyntaxError(f"syntax error: unexpected 'newline' after '{connector}'")
                return Script(tuple(steps))
            steps.append((connector, self._pipeline()))
            connector = self._connector(until)

    def _separators(self, connector: str) -> None:
        self._blanks()
        while not self.at_end and self.peek() == "\n":
            self._take()
            self._blanks()
        if connector != ";" and self.peek() == ";":
            raise ShellSyntaxError("syntax error: unexpected ';'")

    def _connector(self, until: str) -> Literal[";", "&&", "||"]:
        self._blanks()
        if self.peek(2) == "&&":
            self._take(2)
            return "&&"
        if self.peek(2) == "||":
            self._take(2)
            return "||"
        if self.peek() in (";", "\n"):
            self._take()
            if self.peek() == ";":
                raise ShellSyntaxError("syntax error: unexpected ';;'")
        elif not self.at_end and self.peek() != until:
            raise ShellSyntaxError(f"syntax error: unexpected '{self.peek()}'")
        return ";"

    def _pipeline(self) -> Pipeline:
        negated = self.peek() == "!" and self.peek(2)[1:] in ("", " ", "\t")
        if negated:
            self._take()
            self._blanks()
        commands = [self._simple()]
        self._blanks()
        while self.peek() == "|" and self.peek(2) != "||":
            self._take()
            self._blanks()
            commands.append(self._simple())
            self._blanks()
        return Pipeline(tuple(commands), negated)

    def _simple(self) -> Simple:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while True:
            self._blanks()
            if (redirect := self._redirect()) is not None:
                redirects.append(redirect)
                continue
            if self.at_end or self.peek() in _OPERATORS:
                break
            if not words and (name := self._assigned_name()):
                assignments.append((name, self._word()))
            else:
                words.append(self._word())
        if not (assignments or words or redirects):
            raise ShellSyntaxError(f"syntax error: unexpected '{self.peek() or 'newline'}'")
        if words and isinstance(first := words[0][0], Text) and not first.quoted and first.text in _REFUSED:
            raise ShellSyntaxError(f"syntax error: unexpected '{first.text}'")
        return Simple(tuple(assignments), tuple(words), tuple(redirects))

    def _assigned_name(self) -> str:
        end = self._at
        while end < len(self._text) and (self._text[end].isalnum() or self._text[end] == "_"):
            end += 1
        name = self._text[self._at : end]
        if not name or name[0].isdigit() or self._text[end : end + 1] != "=":
            return ""
        self._at = end + 1
        return name

    def _redirect(self) -> Redirect | None:
        start = self._at
        digits = ""
        while self.peek().isdigit() and self.peek():
            digits += self._take()
        if self.peek() not in ("<", ">") or self.at_end:
            self._at = start
            return None
        sign = self._take()
        op: Literal[">", ">>", "<", "&"] = "<" if sign == "<" else ">"
        if op == ">" and self.peek() == ">":
            self._take()
            op = ">>"
        elif self.peek() == "&":
            self._take()
            op = "&"
        elif op == "<" and self.peek() == "<":
            raise ShellSyntaxError("syntax error: unexpected '<<'")
        self._blanks()
        if self.at_end or self.peek() in _OPERATORS:
            raise ShellSyntaxError(f"syntax error: unexpected '{self.peek() or 'newline'}'")
        return Redirect(int(digits) if digits else int(sign == ">"), op, self._word())

    def _word(self) -> Word:
        pieces: list[Piece] = []
        while not self.at_end and self.peek() not in _BLANK + _OPERATORS:
            char = self.peek()
            if char == "'":
                pieces.append(Text(self._single(), True))
            elif char == '"':
                pieces.extend(self._double())
            elif char == "\\":
                self._take()
                taken = self._take()
                if taken != "\n":
                    pieces.append(Text(taken, True))
            elif char == "$" or char == "`":
                pieces.append(self._dollar(quoted=False))
            else:
                pieces.append(Text(self._plain(), False))
        return tuple(pieces)

    def _plain(self) -> str:
        start = self._at
        while not self.at_end and self.peek() not in _BLANK + _OPERATORS + "'\"\\$`":
            self._at += 1
        return self._text[start : self._at]

    def _single(self) -> str:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise ShellSyntaxError("no closing quote")
        text = self._text[self._at + 1 : end]
        self._at = end + 1
        return text

    def _double(self) -> list[Piece]:
        self._take()
        pieces: list[Piece] = [Text("", True)]  # "" is a word of its own
        while True:
            if self.at_end:
                raise ShellSyntaxError("no closing quote")
            char = self.peek()
            if char == '"':
                self._take()
                return pieces
            if char == "\\" and self.peek(2)[1:] in ("$", "`", '"', "\\", "\n"):
                pieces.append(Text(self._take(2)[1].replace("\n", ""), True))
            elif char == "$" or char == "`":
                pieces.append(self._dollar(quoted=True))
            else:
                pieces.append(Text(self._take(), True))

    def _dollar(self, quoted: bool) -> Piece:
        if self.peek() == "`":
            end = self._text.find("`", self._at + 1)
            if end < 0:
                raise ShellSyntaxError("no closing quote")
            line = parse(self._text[self._at + 1 : end])
            self._at = end + 1
            return Substitution(line, quoted)
        self._take()
        following = self.peek()
        if self.peek(2) == "((":
            raise ShellSyntaxError("syntax error: unexpected '(('")
        if following == "(":
            self._take()
            line = self.script(until=")")
            if self._take() != ")":
                raise ShellSyntaxError("syntax error: unmatched '('")
            return Substitution(line, quoted)
        if following == "{":
            end = self._text.find("}", self._at)
            name = self._text[self._at + 1 : end]
            if end < 0 or not (name.isidentifier() or name in ("?", "$", "#", "@", "*", "0")):
                raise ShellSyntaxError(f"${{{name if end >= 0 else ''}: bad substitution")
            self._at = end + 1
            return Variable(name, quoted)
        if following and following in "?$#@*!0123456789":
            return Variable(self._take(), quoted)
        start = self._at
        while self.peek() and (self.peek().isalnum() or self.peek() == "_"):
            self._at += 1
        name = self._text[start : self._at]
        return Variable(name, quoted) if name else Text("$", quoted)
