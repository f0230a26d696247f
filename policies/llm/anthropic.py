"""Anthropic's Messages protocol."""

from __future__ import annotations

import base64

import anthropic
from anthropic.types import ImageBlockParam, MessageParam, TextBlockParam
from anthropic.types import Message as Answer
from anthropic.types import Usage as Billed

from policies.base import UNKNOWN_CALL
from policies.llm import failures, prices
from policies.llm.base import Message, Part, Picture, Reply, Request
from policies.llm.endpoint import Endpoint
from policies.llm.errors import ContextOverflow, ModelError, Refused, StreamCut, Truncated, Unavailable


class Messages:
    """One model by the Messages protocol. A picture that would be made smaller is refused by the provider too."""

    def __init__(self, model: str, endpoint: Endpoint, *, structured: bool = True) -> None:
        self._model, self._host, self._structured = model, endpoint.host, structured
        # Time and repetitions are ours: the SDK knows no deadline for everything together.
        self._client = anthropic.AsyncAnthropic(
            api_key=endpoint.key, base_url=endpoint.base_url, max_retries=0, timeout=None
        )

    async def close(self) -> None:
        await self._client.close()

    async def once(self, request: Request) -> Reply:
        structured = request.schema is not None and self._structured
        try:
            answer = await self._client.messages.create(
                model=self._model,
                system=request.system,
                messages=[_message(message) for message in request.messages],
                max_tokens=request.max_tokens,
                output_config={"format": {"type": "json_schema", "schema": dict(request.schema.data)}}
                if structured and request.schema is not None
                else anthropic.omit,
            )
        except anthropic.AnthropicError as error:
            raise self._failure(error) from error
        return self._reply(answer)

    def _failure(self, error: anthropic.AnthropicError) -> ModelError:
        if isinstance(error, anthropic.APIStatusError):
            return failures.of_status(error.response, error.message, self._host)
        if isinstance(error, anthropic.APIConnectionError):
            return failures.of_connection(error, self._host)
        return Unavailable(f"{self._host} answered with something that cannot be read: {error}").after(UNKNOWN_CALL)

    def _reply(self, answer: Answer) -> Reply:
        if not isinstance(answer, Answer) or not isinstance(answer.content, list):
            raise Unavailable(f"{self._host} answered with something other than a message.").after(UNKNOWN_CALL)
        usage = prices.usage(_billed(answer.usage), self._host, answer.model)
        try:
            self._check(answer)
        except ModelError as error:
            error.after(usage)
            raise
        text = "".join(block.text for block in answer.content if block.type == "text")
        return Reply(text=text, usage=usage, model=answer.model, request_id=answer.id)

    def _check(self, answer: Answer) -> None:
        """Raises ModelError unless the answer is a whole one."""
        match answer.stop_reason:
            case "refusal":
                raise Refused(f"{answer.model} declined.")
            case "max_tokens":
                raise Truncated(f"{answer.model} ran into its limit.")
            case "model_context_window_exceeded":
                raise ContextOverflow(f"The conversation is longer than {answer.model} can read.")
            case None | "pause_turn":
                raise StreamCut(f"{self._host} ended an answer that is not complete.")


def _billed(usage: Billed) -> prices.Tokens:
    cached, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    return prices.Tokens(
        input=usage.input_tokens + cached + written, output=usage.output_tokens, cached=cached, written=written
    )


def _message(message: Message) -> MessageParam:
    # Pictures before text, in their order: what the provider's vision guide prefers.
    ordered = sorted(message.parts, key=lambda part: not isinstance(part, Picture))
    blocks = [_block(part) for part in ordered]
    if message.role == "assistant":
        return {"role": "assistant", "content": blocks}
    return {"role": "user", "content": blocks}


def _block(part: Part) -> TextBlockParam | ImageBlockParam:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    data = base64.b64encode(part.data).decode()
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": part.media_type, "data": data},
        "transformations": {"oversized_image": "error"},
    }
