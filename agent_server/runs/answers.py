"""What people say to a question, read by a small grammar: ids, numbers, ordinals, yes and no, or the words themselves.

No model is asked: a yes must be a yes. Whatever is not clear is refused, and the question stays open.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from agent_server.runs.model import Option, Question, QuestionKind

YES = frozenset(
    (
        *("yes", "y", "yeah", "yep", "yup", "sure", "ok", "okay", "allow", "allowed", "approve", "approved"),
        *("confirm", "go ahead", "do it", "please do", "yes please", "of course"),
        *(
            "是",
            "是的",
            "好",
            "好的",
            "好吧",
            "可以",
            "行",
            "对",
            "对的",
            "同意",
            "允许",
            "确定",
            "确认",
            "没问题",
            "嗯",
        ),
    )
)
NO = frozenset(
    (
        *("no", "n", "nope", "nah", "deny", "denied", "don't", "do not", "never", "cancel", "refuse", "reject"),
        *("no thanks", "no thank you", "rather not", "not now"),
        *("不", "不是", "不要", "不行", "不可以", "不同意", "不允许", "拒绝", "取消", "别", "算了", "否", "不用"),
    )
)
STOP = frozenset(
    ("stop", "stop it", "stop now", "abort", "quit", "halt", "停", "停止", "停下", "停下来", "别做了", "中止")
)
ORDINALS = {
    "first": 1,
    "one": 1,
    "second": 2,
    "two": 2,
    "third": 3,
    "three": 3,
    "fourth": 4,
    "four": 4,
    "fifth": 5,
    "five": 5,
    "sixth": 6,
    "six": 6,
    "seventh": 7,
    "seven": 7,
    "eighth": 8,
    "eight": 8,
    "ninth": 9,
    "nine": 9,
    "tenth": 10,
    "ten": 10,
    "last": -1,
}
CHINESE_DIGITS = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
_FILLER = re.compile(
    r"^(?:(?:the|number|no\.?|option|choice|please|take|choose|i choose|i want|选|我选|选择)\s*)+"
    r"|(?:\s+(?:one|please))+$"
)
_NUMBER = re.compile(r"(\d{1,3})(?:st|nd|rd|th)?")
_CHINESE_ORDINAL = re.compile(r"第?([一二两三四五六七八九十]|\d{1,2})(?:个|项|号|种)?")


class NotClear(Exception):
    """The words fit none of the possible answers. The message says which would."""


def said_stop(text: str) -> bool:
    """Whether the person wants the whole run to end."""
    return _plain(text) in STOP


def read(text: str, question: Question) -> str:
    """The id of the option that was meant, or the words of a free answer. Raises NotClear."""
    said = _plain(text)
    if question.kind is QuestionKind.TEXT:
        if not text.strip():
            raise NotClear("an answer in words is expected")
        return text.strip()
    if question.kind is QuestionKind.APPROVAL:
        if said in YES:
            return "allow"
        if said in NO:
            return "deny"
        named = next((one.id for one in question.options if said == _plain(one.label)), "")
        if named in ("allow", "deny"):
            return named
        raise NotClear("answer yes or no")
    chosen = _by_name(said, question.options) or _by_number(said, question.options) or _by_words(said, question.options)
    if chosen is None:
        choices = "; ".join(f"{n}: {option.label}" for n, option in enumerate(question.options, 1))
        raise NotClear(f"choose one by number or name: {choices}")
    return chosen.id


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(re.sub(r"[,;:!?，；：！？。、\"“”]", " ", folded).strip(" .").split())


def _by_name(said: str, options: Sequence[Option]) -> Option | None:
    return next((one for one in options if said in (one.id.casefold(), _plain(one.label))), None)


def _by_number(said: str, options: Sequence[Option]) -> Option | None:
    if said in ("最后一个", "最后"):
        return options[-1]
    bare = _FILLER.sub("", said).strip()
    number = ORDINALS.get(bare)
    if number is None and (match := _NUMBER.fullmatch(bare)):
        number = int(match.group(1))
    if number is None and (match := _CHINESE_ORDINAL.fullmatch(bare)):
        digit = match.group(1)
        number = CHINESE_DIGITS.get(digit) or int(digit)
    if number == -1:
        return options[-1]
    return options[number - 1] if number is not None and 1 <= number <= len(options) else None


def _by_words(said: str, options: Sequence[Option]) -> Option | None:
    """The only option whose label holds every word that was said: "the blue one"."""
    wanted = set(_FILLER.sub("", said).split())
    fits = [one for one in options if wanted and wanted <= set(_plain(one.label).split())]
    return fits[0] if len(fits) == 1 else None
