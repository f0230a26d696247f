"""A Chat Completions request as a prompt of the network, and the answer as a completion.

The message list is the history (`policies.odyssey.conversation`). What else a chat may hold (a system message, tools,
several choices) the network has no form for, and it is refused by name.
"""

from __future__ import annotations

import base64
import binascii
import re
import time
import uuid
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from policies.odyssey.conversation import BadChat, History, Manner, Said, asked
from policies.odyssey.generation import MOST_TOKENS, Answer, BadJob, Job
from policies.odyssey.prompt import Form
from policies.odyssey.tokenizer import Tokenizer

_DATA = re.compile(r"data:image/[a-z.+-]+;base64,", re.IGNORECASE)
MOST_BYTES = 30_000_000
"""Of one encoded picture; a full screen as PNG has three."""
MOST_MESSAGES = 400
"""The longest recorded tasks have under a hundred steps, two messages each."""


class BadRequest(BadJob):
    """The request cannot be answered; `param` is the field."""

    def __init__(self, message: str, param: str) -> None:
        super().__init__(message)
        self.param = param


class Text(BaseModel):
    type: Literal["text"]
    text: str


class ImageUrl(BaseModel):
    url: str
    detail: str = "auto"


class Image(BaseModel):
    type: Literal["image_url"]
    image_url: ImageUrl


class Message(BaseModel):
    role: str
    content: str | list[Annotated[Text | Image, Field(discriminator="type")]]


class Options(BaseModel):
    """What only this network knows. `history`: earlier screenshots through the resampler, as whole pictures (as many
    as are sent, at most four), or not at all. `constrained`: only an answer of the grammar can come out."""

    model_config = ConfigDict(extra="forbid")

    form: Form | None = None
    history: History = "resampler"
    actions: bool = True
    context: str = ""
    constrained: bool = True


class StreamOptions(BaseModel):
    include_usage: bool = False


class Request(BaseModel):
    """The fields of Chat Completions that mean something here; others are ignored, as servers of this kind do."""

    model: str
    messages: list[Message] = Field(max_length=MOST_MESSAGES)
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    n: int = 1
    stream: bool = False
    stream_options: StreamOptions | None = None
    tools: list[Any] | None = None
    odyssey: Options = Options()


def job_of(request: Request, tokenizer: Tokenizer, form: Form) -> Job:
    """The request as a prompt. Raises BadRequest naming the field. Slow for large pictures."""
    if request.n != 1:
        raise BadRequest("one answer is given at a time", "n")
    if request.tools:
        raise BadRequest("the network knows no tools; its answers are its own actions", "tools")
    options = request.odyssey
    manner = Manner(
        form=options.form or form,
        history=options.history,
        actions=options.actions,
        context=options.context,
        constrained=options.constrained,
        tokens=request.max_completion_tokens or request.max_tokens or MOST_TOKENS,
    )
    said = [
        Said(_role(one, at), _words(one), _picture(one, f"messages[{at}]")) for at, one in enumerate(request.messages)
    ]
    try:
        return asked(said, manner, tokenizer)
    except BadChat as error:
        where = "messages" if error.at is None else f"messages[{error.at}].content"
        raise BadRequest(str(error), where) from error


def _role(message: Message, at: int) -> Literal["user", "assistant"]:
    match message.role:
        case "user" | "assistant":
            return message.role
    raise BadRequest(
        f"a message may be of the user or the assistant, not {message.role!r}: the network's own system sentence "
        "is part of its input format",
        f"messages[{at}].role",
    )


def _words(message: Message) -> str:
    if isinstance(message.content, str):
        return message.content
    return "".join(part.text for part in message.content if isinstance(part, Text))


def _picture(message: Message, where: str) -> bytes | None:
    """The one picture of a message, decoded from its data URL; None when it has none."""
    if isinstance(message.content, str):
        return None
    urls = [part.image_url.url for part in message.content if isinstance(part, Image)]
    if len(urls) > 1:
        raise BadRequest("a message holds one screenshot at most; earlier ones belong to earlier messages", where)
    if not urls:
        return None
    head = _DATA.match(urls[0])
    if head is None:
        # Never fetched: whoever sends a prompt must not make this machine open addresses.
        raise BadRequest("a picture must be a data URL (data:image/png;base64,...)", where)
    if len(urls[0]) > MOST_BYTES * 4 // 3:
        raise BadRequest(f"a picture may have {MOST_BYTES} bytes at most", where)
    try:
        return base64.b64decode(urls[0][head.end() :], validate=True)
    except binascii.Error:
        raise BadRequest("the picture is no base64", where) from None


def usage(answer: Answer) -> dict[str, int]:
    return {
        "prompt_tokens": answer.asked,
        "completion_tokens": answer.written,
        "total_tokens": answer.asked + answer.written,
    }


def completion(answer: Answer, model: str) -> dict[str, Any]:
    """A whole answer in the API's shape."""
    message = {"role": "assistant", "content": answer.text}
    choice = {"index": 0, "message": message, "finish_reason": finish(answer), "logprobs": None}
    return {**head("chat.completion", model), "choices": [choice], "usage": usage(answer)}


def chunk(base: dict[str, Any], delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    """A part of a streamed answer."""
    return {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}]}


def head(kind: str, model: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{uuid.uuid4().hex}", "object": kind, "created": int(time.time()), "model": model}


def finish(answer: Answer) -> str:
    return "stop" if answer.ended else "length"
