"""OpenAI's protocols: Responses for its own models, Chat Completions for the many servers that speak it."""

from __future__ import annotations

import base64
from typing import Any

import openai
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam
from openai.types.responses import Response, ResponseInputParam, ResponseTextConfigParam, ResponseUsage

from policies.base import UNKNOWN_CALL
from policies.llm import failures, prices, sizes
from policies.llm.base import Message, Picture, Reply, Request
from policies.llm.endpoint import Endpoint
from policies.llm.errors import ModelError, Refused, StreamCut, Truncated, Unavailable


def _open(endpoint: Endpoint) -> openai.AsyncOpenAI:
    # Time and repetitions are ours: the SDK knows no deadline for everything together.
    return openai.AsyncOpenAI(api_key=endpoint.key, base_url=endpoint.base_url, max_retries=0, timeout=None)


def _failure(error: openai.OpenAIError, host: str) -> ModelError:
    if isinstance(error, openai.APIStatusError):
        return failures.of_status(error.response, f"{error.message} {error.code or ''}".strip(), host)
    if isinstance(error, openai.APIConnectionError):
        return failures.of_connection(error, host)
    return Unavailable(f"{host} answered with something that cannot be read: {error}").after(UNKNOWN_CALL)


def _system(request: Request) -> list[ChatCompletionMessageParam]:
    # A network with a system sentence of its own takes none; an empty one would be one.
    return [{"role": "system", "content": request.system}] if request.system else []


def _url(picture: Picture) -> str:
    return f"data:{picture.media_type};base64,{base64.b64encode(picture.data).decode()}"


def _billed(usage: ResponseUsage | CompletionUsage | None) -> prices.Tokens | None:
    if usage is None:
        return None
    if isinstance(usage, CompletionUsage):
        details = usage.prompt_tokens_details
        cached = (details.cached_tokens or 0) if details else 0
        return prices.Tokens(input=usage.prompt_tokens, output=usage.completion_tokens, cached=cached)
    return prices.Tokens(
        input=usage.input_tokens,
        output=usage.output_tokens,
        cached=usage.input_tokens_details.cached_tokens or 0,
        written=usage.input_tokens_details.cache_write_tokens or 0,
    )


class Responses:
    """One model by the Responses protocol. Nothing is stored by the provider."""

    def __init__(self, model: str, endpoint: Endpoint, *, structured: bool = True) -> None:
        self._model, self._host, self._structured = model, endpoint.host, structured
        self._client = _open(endpoint)

    async def close(self) -> None:
        await self._client.close()

    async def once(self, request: Request) -> Reply:
        original = sizes.limits(self._model).original
        text: ResponseTextConfigParam | openai.Omit = openai.omit
        if request.schema is not None and self._structured:
            name, schema = request.schema.name, dict(request.schema.data)
            text = {"format": {"type": "json_schema", "name": name, "schema": schema, "strict": True}}
        try:
            response = await self._client.responses.create(
                model=self._model,
                instructions=request.system,
                input=self._input(request.messages, "original" if original else "high"),
                text=text,
                max_output_tokens=request.max_tokens,
                store=False,
                # Without it a provider may thin out pictures of a long conversation unseen.
                image={"context_compression": "disabled"} if original else openai.omit,
            )
        except openai.OpenAIError as error:
            raise _failure(error, self._host) from error
        return self._reply(response)

    def _input(self, messages: tuple[Message, ...], detail: Any) -> ResponseInputParam:
        items: ResponseInputParam = []
        for message in messages:
            if message.role == "assistant":
                items.append({"role": "assistant", "content": "\n".join(map(str, message.parts))})
                continue
            items.append(
                {
                    "role": "user",
                    "content": [
                        {"type": "input_image", "image_url": _url(part), "detail": detail}
                        if isinstance(part, Picture)
                        else {"type": "input_text", "text": part}
                        for part in message.parts
                    ],
                }
            )
        return items

    def _reply(self, response: Response) -> Reply:
        if not isinstance(response, Response) or not isinstance(response.output, list):
            raise Unavailable(f"{self._host} answered with something other than a response.").after(UNKNOWN_CALL)
        usage = prices.usage(_billed(response.usage), self._host, response.model)
        try:
            self._check(response)
        except ModelError as error:
            error.after(usage)
            raise
        return Reply(text=response.output_text, usage=usage, model=response.model, request_id=response.id)

    def _check(self, response: Response) -> None:
        """Raises ModelError unless the answer is a whole one."""
        for item in response.output:
            for part in (item.content or []) if item.type == "message" else []:
                if part.type == "refusal":
                    raise Refused(f"{response.model} declined: {part.refusal}")
        if response.status == "incomplete":
            cause = response.incomplete_details.reason if response.incomplete_details else None
            if cause == "content_filter":
                raise Refused(f"The filter of {self._host} stopped {response.model}'s answer.")
            raise Truncated(f"{response.model} ran into its limit: {cause}.")
        if response.status == "failed":
            raise Unavailable(
                f"{self._host} gave up: {response.error.message if response.error else 'no reason given'}"
            )
        if response.status != "completed":
            raise StreamCut(f"{self._host} ended an answer that is {response.status}.")


class ChatCompletions:
    """One model by the Chat Completions protocol: vLLM, llama.cpp, Ollama and their like."""

    def __init__(self, model: str, endpoint: Endpoint, *, structured: bool = True) -> None:
        self._model, self._host, self._structured = model, endpoint.host, structured
        self._client = _open(endpoint)

    async def close(self) -> None:
        await self._client.close()

    async def once(self, request: Request) -> Reply:
        form: Any = openai.omit
        if request.schema is not None and self._structured:
            schema = {"name": request.schema.name, "schema": dict(request.schema.data), "strict": True}
            form = {"type": "json_schema", "json_schema": schema}
        try:
            completion = await self._client.chat.completions.create(
                model=self._model,
                messages=[*_system(request), *map(self._message, request.messages)],
                response_format=form,
                # The name that servers other than OpenAI's know; theirs still takes it.
                max_tokens=request.max_tokens,
            )
        except openai.OpenAIError as error:
            raise _failure(error, self._host) from error
        return self._reply(completion)

    def _message(self, message: Message) -> ChatCompletionMessageParam:
        if message.role == "assistant":
            return {"role": "assistant", "content": "\n".join(map(str, message.parts))}
        detail: Any = "original" if sizes.limits(self._model).original else "high"
        return {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": _url(part), "detail": detail}}
                if isinstance(part, Picture)
                else {"type": "text", "text": part}
                for part in message.parts
            ],
        }

    def _reply(self, completion: ChatCompletion) -> Reply:
        if not isinstance(completion, ChatCompletion) or not completion.choices:
            raise Unavailable(f"{self._host} answered with something other than a completion.").after(UNKNOWN_CALL)
        usage = prices.usage(_billed(completion.usage), self._host, completion.model)
        try:
            self._check(completion)
        except ModelError as error:
            error.after(usage)
            raise
        text = completion.choices[0].message.content or ""
        return Reply(text=text, usage=usage, model=completion.model, request_id=completion.id)

    def _check(self, completion: ChatCompletion) -> None:
        """Raises ModelError unless the answer is a whole one."""
        choice = completion.choices[0]
        if choice.message.refusal:
            raise Refused(f"{completion.model} declined: {choice.message.refusal}")
        if choice.finish_reason == "content_filter":
            raise Refused(f"The filter of {self._host} stopped {completion.model}'s answer.")
        if choice.finish_reason == "length":
            raise Truncated(f"{completion.model} ran into its limit.")
