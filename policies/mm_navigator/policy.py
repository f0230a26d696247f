"""MM-Navigator on a live phone: two pictures, a numbered answer, and a history the model writes itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from device.base import Answer
from perception import overlay
from perception.overlay import Overlay
from perception.screen import Element
from policies.base import Choice, Decision, Finish, Needs, Observation, Turn
from policies.errors import PolicyError
from policies.llm import corrected, prices, prompts
from policies.llm.base import ChatModel, Message, Picture, Request, Schema
from policies.llm.endpoint import ProviderName
from policies.llm.model import ProtocolName, connect
from policies.mm_navigator import grammar
from policies.mm_navigator.acting import meaning
from policies.mm_navigator.grammar import Said

SummaryMode = Literal["turn", "fused"]


class BadSetting(PolicyError):
    """A setting of the policy is wrong; the message names it."""

    code = "bad-policy-params"


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """What the model is shown and asked for.

    `text`: the list of elements besides the pictures. `history`: the model's own summary and what became of the
    last action. `summary`: "turn" asks for it in a second turn, as the paper does; "fused" with the action.
    `width`: pixels of the pictures' shorter side.
    """

    text: bool = False
    history: bool = True
    summary: SummaryMode = "turn"
    width: int = 540
    max_tokens: int = 4096

    def __post_init__(self) -> None:
        if not 200 <= self.width <= 2000:
            # Claude reads badly under 200 px on any edge; over 2000 no provider shows the picture as it is.
            raise BadSetting(f"width must be 200 to 2000 pixels, not {self.width}.")
        if self.max_tokens < 64:
            raise BadSetting(f"max_tokens must be at least 64, not {self.max_tokens}.")

    @property
    def fused(self) -> bool:
        return self.history and self.summary == "fused"

    @property
    def reflects(self) -> bool:
        """Whether the summary is a turn of its own."""
        return self.history and self.summary == "turn"


class Navigator:
    """The policy with a model that is there already."""

    name = "mm_navigator"

    def __init__(self, model: ChatModel, style: Style = Style()) -> None:
        self.needs = Needs(
            elements=True, tree=True, remote_model=f"{model.name} at {model.host}", remote_host=model.host
        )
        self.style = style
        self._model = model

    async def close(self) -> None:
        """Let go of the model's connections."""
        await self._model.close()

    async def decide(self, observation: Observation) -> Decision:
        """The next action, with the summary as memo. Raises ModelError, Unparsable."""
        decision = await self.choose(observation)
        if isinstance(decision.choice, Finish) or not self.style.reflects:
            return decision
        return await self.reflect(observation, decision)

    async def choose(self, observation: Observation) -> Decision:
        """The next action alone: the first of the paper's two turns."""
        request, drawn = await asyncio.to_thread(_first_turn, observation, self.style)

        def read(text: str) -> tuple[Said, Choice, Element | None]:
            said = grammar.parse(text, summary=self.style.fused)
            return said, *meaning(said.act, observation.screen, drawn.marks.keys())

        answer = await corrected.ask(self._model, request, read)
        said, choice, element = answer.value
        return Decision(
            choice=choice,
            thought=said.thought,
            summary=said.summary or "",
            element=element,
            memo=said.summary or "",
            raw=answer.raw,
            usage=answer.usage,
        )

    async def reflect(self, observation: Observation, decision: Decision) -> Decision:
        """The same decision with the model's summary as memo: the second turn of the same conversation.

        It needs nothing that happens after `choose`, so it may run while the action does.
        """
        request, _ = await asyncio.to_thread(_first_turn, observation, self.style)
        question = prompts.render(_prompt("reflect"), lang=observation.lang)
        turns = (Message("assistant", (decision.raw,)), Message("user", (question,)))
        reply = await self._model.answer(replace(request, messages=(*request.messages, *turns), schema=None))
        summary = " ".join(reply.text.split())
        return replace(decision, summary=summary, memo=summary, usage=prices.total(decision.usage, reply.usage))


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
        text: bool = False,
        history: bool = True,
        summary: SummaryMode = "turn",
        width: int = 540,
        max_tokens: int = 4096,
        timeout: float = 90.0,
    ) -> None:
        """Parameters as a run gives them. Raises BadSetting, Unauthorized, Rejected."""
        _choose_from(get_args(ProviderName), provider=provider)
        _choose_from(get_args(ProtocolName), protocol=protocol)
        _choose_from(get_args(SummaryMode), summary=summary)
        _require(str, "a text", model=model, base_url=base_url)
        _require(bool, "true or false", structured=structured, text=text, history=history)
        _require(int, "a whole number", width=width, max_tokens=max_tokens)
        _require((int, float), "a number of seconds", timeout=timeout)
        if not model or timeout <= 0:
            raise BadSetting(f"model must be named and timeout be above 0, not {model!r} and {timeout}.")
        style = Style(text=text, history=history, summary=summary, width=width, max_tokens=max_tokens)
        chat = connect(provider, model, base_url=base_url, protocol=protocol, structured=structured, seconds=timeout)
        super().__init__(chat, style)


def _choose_from(allowed: tuple[str, ...], **given: object) -> None:
    for name, value in given.items():
        if value not in allowed:
            raise BadSetting(f"{name} must be one of {', '.join(allowed)}, not {value!r}.")


def _require(kind: type | tuple[type, ...], called: str, **given: object) -> None:
    # Parameters come as JSON, where types are not a given; true is no number.
    for name, value in given.items():
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise BadSetting(f"{name} must be {called}, not {value!r}.")


def _prompt(name: str) -> str:
    return prompts.load(__package__, name)


def _first_turn(observation: Observation, style: Style) -> tuple[Request, Overlay]:
    """The request for an action, and the marked picture in it. Draws: call it on a worker thread."""
    plain = overlay.draw(observation.screen, width=style.width, style="none")
    drawn = overlay.draw(observation.screen, width=style.width)
    parts = ("\n\n".join(_texts(observation, drawn, style)), _picture(plain), _picture(drawn))
    system = prompts.render(
        _prompt("system"),
        actions=grammar.describe(),
        more=" and summary" if style.fused else "",
        lang=observation.lang,
        form=_prompt("form_fused" if style.fused else "form"),
    )
    request = Request(
        system=system,
        messages=(Message("user", parts),),
        schema=Schema("next_action", grammar.schema(summary=style.fused)),
        max_tokens=style.max_tokens,
    )
    return request, drawn


def _picture(drawn: Overlay) -> Picture:
    return Picture(drawn.data, "image/jpeg", drawn.size)


def _texts(observation: Observation, drawn: Overlay, style: Style) -> Sequence[str]:
    texts = [prompts.render(_prompt("task"), goal=observation.goal)]
    if style.history:
        texts.append(_history(observation.history))
    if style.text:
        texts.append(prompts.render(_prompt("listing"), listing=_quoted(drawn.listing)))
    return [*texts, _prompt("question")]


def _quoted(listing: str) -> str:
    # Texts are JSON strings in it; a < could only come from the screen, and could otherwise end the quotation.
    return listing.replace("<", "\\u003c")


def _history(turns: Sequence[Turn]) -> str:
    if not turns:
        return _prompt("first_step")
    summary = next((turn.decision.memo for turn in reversed(turns) if turn.decision.memo), "(nothing noted)")
    return prompts.render(_prompt("history"), summary=summary, outcome=_outcome(turns[-1]))


def _outcome(turn: Turn) -> str:
    """Facts, whatever the summary claims: an action that was refused or changed nothing is said to be so."""
    if turn.sent is Answer.NO:
        said = "it was not carried out."
    elif turn.sent is Answer.UNKNOWN:
        said = "nobody knows whether it was carried out; look before you repeat it."
    else:
        said = {
            Answer.YES: "it was carried out and the screen changed.",
            Answer.NO: "it was carried out and nothing changed on the screen.",
            Answer.UNKNOWN: "it was carried out; whether anything changed is not known.",
        }[turn.changed]
    return f"{said} {turn.note}".strip()
