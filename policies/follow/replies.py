"""What a person says to a question: a number, an ordinal, the words of an option or a part of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from policies.grounding.naming import normalise, plain, tokens

RETRY, SKIP, STOP = "Try again", "Skip this step", "Stop"
TROUBLE = (RETRY, SKIP, STOP)

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_CHINESE = "一二三四五六七八九十"
_AROUND = re.compile(r"^(?:please|the|number|option|choose|take|i choose|选择|选|我选|要)\s*|\s*(?:one|please|吧)$")
_SYNONYMS = {
    RETRY: "retry|again|once more|try it again|yes|重试|再试|再试一次|再来一次",
    SKIP: "skip|skip it|next|go on|continue|跳过|下一步|继续",
    STOP: "cancel|quit|abort|end|no|停|停止|停下|取消|算了",
}


def chosen(reply: str, options: Sequence[str]) -> int | None:
    """Index of the option that was meant, or None when that is not clear."""
    said = plain(normalise(reply))
    if not said:
        return None
    named = [plain(normalise(option)) for option in options]
    if named.count(said) == 1:
        return named.index(said)
    number = _number(said, len(options))
    if number is not None:
        return number if 0 <= number < len(options) else None
    wanted = set(tokens(_AROUND.sub("", said)))
    fits = [place for place, name in enumerate(named) if wanted and wanted <= set(tokens(name))]
    return fits[0] if len(fits) == 1 else None


def decided(reply: str) -> str | None:
    """RETRY, SKIP or STOP, or None when that is not clear."""
    said = plain(normalise(reply))
    for option, words in _SYNONYMS.items():
        if said in words.split("|"):
            return option
    place = chosen(reply, TROUBLE)
    return TROUBLE[place] if place is not None else None


def _number(said: str, count: int) -> int | None:
    """Index for "2", "the second", "number two", "第二个"; the last counts from the end. None: no number."""
    if said in ("last", "the last", "the last one", "最后", "最后一个"):
        return count - 1
    bare = said
    while (shorter := _AROUND.sub("", bare).strip()) not in (bare, ""):
        bare = shorter
    if found := re.fullmatch(r"(\d{1,3})(?:st|nd|rd|th)?", bare):
        return int(found[1]) - 1
    for words in (_ORDINALS, _NUMBERS):
        if bare in words:
            return words.index(bare)
    if found := re.fullmatch(rf"第?\s*([{_CHINESE}两]|\d{{1,3}})\s*(?:个|项|号|种|条)?", bare):
        sign = found[1]
        return int(sign) - 1 if sign.isdecimal() else 1 if sign == "两" else _CHINESE.index(sign)
    return None
