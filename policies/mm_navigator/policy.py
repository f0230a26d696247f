"""MM-Navigator on a live phone: two pictures, a numbered answer, and a history the model writes itself."""

from __future__ import annotations

import asyncio
from typing import get_args

from perception import tags as drawings
from perception.screen import Element
from policies.base import Aftermath, Choice, Decision, Moment, Needs, Observation, Reflection, Usage
from policies.errors import PolicyError
from policies.llm import corrected
from policies.llm.base import ChatModel
from policies.llm.endpoint import ProviderName
from policies.llm.model import ProtocolName, connect
from policies.mm_navigator import conversation, grammar, style
from policies.mm_navigator.acting import meaning
from policies.mm_navigator.grammar import Said
from policies.mm_navigator.style import DEFAULT, BadSetting, PromptName, Style, SummaryMode

__all__ = ["BadSetting", "MmNavigator", "Navigator", "Style"]


class Navigator:
    """The policy with a model that is there already."""

    name = "mm_navigator"

    def __init__(self, model: ChatModel, style: Style = DEFAULT) -> None:
        self.needs = Needs(
            elements=True, tree=True, remote_model=f"{model.name} at {model.host}", remote_host=model.host
        )
        self.style = style
        self.reflects = Moment.DECIDED if style.reflects else None
        self._model = model

    async def close(self) -> None:
        """Let go of the model's connections."""
        await self._model.close()

    async def decide(self, observation: Observation) -> Decision:
        """The next action: the first of the paper's two turns. Raises ModelError, Unparsable."""
        opening = await asyncio.to_thread(conversation.begin, observation, self.style)
        description, spent = "", Usage()
        if opening.then is not None:
            reply = await self._model.answer(opening.request)
            description, spent = reply.text, reply.usage

        def read(text: str) -> tuple[Said, Choice, Element | None]:
            said = grammar.parse(text, summary=self.style.fused)
            return said, *meaning(said.act, observation.screen, opening.marks)

        try:
            answer = await corrected.ask(self._model, opening.asking(description), read)
        except PolicyError as error:
            error.after(spent)
            raise
        said, choice, element = answer.value
        return Decision(
            choice=choice,
            thought=said.thought,
            summary=said.summary or "",
            element=element,
            memo=said.summary or "",
            raw=answer.raw if opening.then is None else conversation.joined(description, answer.raw),
            usage=spent + answer.usage,
        )

    async def reflect(self, observation: Observation, decision: Decision, after: Aftermath | None = None) -> Reflection:
        """The model's summary as memo: the second turn of the same conversation. Raises ModelError.

        It needs nothing that happens after the decision, so it may run while the action does.
        """
        opening = await asyncio.to_thread(conversation.begin, observation, self.style)
        reply = await self._model.answer(conversation.sum_up(opening, decision.raw, observation.lang))
        summary = " ".join(reply.text.split())
        return Reflection(memo=summary, summary=summary, usage=reply.usage)


class MmNavigator(Navigator):
    """A vision-language model chooses numbered marks on the screen (MM-Navigator). Sends pictures to that model."""

    needs = Needs(elements=True, tree=True, remote_model="the model of the run")

    def __init__(
        self,
        provider: ProviderName,
        model: str,
        base_url: str = "",
        protocol: ProtocolName = "auto",
        structured: bool = True,
        timeout: float = 90.0,
        preset: str | None = None,
        text: bool | None = None,
        history: bool | None = None,
        summary: SummaryMode | None = None,
        tags: drawings.Style | None = None,
        prompt: PromptName | None = None,
        describe: bool | None = None,
        width: int | None = None,
        max_tokens: int | None = None,
    ) -> None:
        """Parameters as a run gives them; None leaves a setting to the preset, or to the default of `Style`.

        Raises BadSetting, Unauthorized, Rejected.
        """
        style.choose_from(get_args(ProviderName), provider=provider)
        style.choose_from(get_args(ProtocolName), protocol=protocol)
        given = {"model": model, "base_url": base_url, "structured": structured, "timeout": timeout}
        style.require(_KINDS, given)
        if not model or timeout <= 0:
            raise BadSetting(f"model must be named and timeout be above 0, not {model!r} and {timeout}.")
        settled = style.settle(
            preset,
            text=text,
            history=history,
            summary=summary,
            tags=tags,
            prompt=prompt,
            describe=describe,
            width=width,
            max_tokens=max_tokens,
        )
        chat = connect(provider, model, base_url=base_url, protocol=protocol, structured=structured, seconds=timeout)
        super().__init__(chat, settled)


_KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "model": (str, "a text"),
    "base_url": (str, "a text"),
    "structured": (bool, "true or false"),
    "timeout": ((int, float), "a number of seconds"),
}
