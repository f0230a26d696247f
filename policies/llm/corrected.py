"""An answer that fits its dialect, with one chance to mend it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from policies.base import Usage
from policies.errors import Unparsable
from policies.llm import prompts
from policies.llm.base import ChatModel, Message, Request
from policies.llm.errors import ModelError

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed(Generic[T]):
    """What the answer means, its own words, and what all calls for it cost."""

    value: T
    raw: str
    usage: Usage


async def ask(model: ChatModel, request: Request, parse: Callable[[str], T]) -> Parsed[T]:
    """`parse` raises ValueError with a reason that a model can understand; it is told so once.

    Raises Unparsable when the second answer does not fit either, and ModelError.
    """
    first = await model.answer(request)
    try:
        return Parsed(value=parse(first.text), raw=first.text, usage=first.usage)
    except ValueError as error:
        reason = str(error)
    correction = prompts.render(prompts.load(__package__, "correct"), reason=reason)
    # Providers refuse an empty turn; a model that said nothing is quoted with a mark for it.
    said = Message("assistant", (first.text.strip() or "(nothing)",))
    again = replace(request, messages=(*request.messages, said, Message("user", (correction,))))
    try:
        second = await model.answer(again)
    except ModelError as error:
        error.after(first.usage)
        raise
    usage = first.usage + second.usage
    try:
        return Parsed(value=parse(second.text), raw=second.text, usage=usage)
    except ValueError as error:
        raise Unparsable(second.text, f"The model's answer cannot be used: {error}").after(usage) from error
