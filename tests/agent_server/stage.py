"""A server for tests: real SQLite and blobs in a temporary folder, real perception, a phone in memory."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent_server.service import NewRun
from agent_server.settings import Settings
from agent_server.wiring import Parts, Wired, running
from device.actions import Action, Tap
from perception.pipeline import Pipeline
from perception.screen import Screen
from policies.base import Choice, Decision, Finish, Needs, Observation, Policy, Status
from policies.errors import PolicyError, UnknownPolicy, UnreadableTask
from tests.agent_server.phone import GraphPhone, Shelf

TOKEN = "a-token-for-tests-only"
Move = Choice | str | Callable[[Observation], Choice | Decision | Awaitable[Decision]]
"""A choice, the name of an element to tap, or a function of the observation."""


def tap(screen: Screen, name: str) -> Decision:
    """Tap the element with that text or label."""
    element = next(one for one in screen.elements if name in (one.text, one.label))
    return Decision(choice=Tap(element.click), element=element, thought=f"tap {name}")


@dataclass
class Script:
    """A policy that makes one move after the other, and then says it is done."""

    moves: Sequence[Move]
    name: str = "script"
    needs: Needs = field(default_factory=Needs)
    seen: list[Observation] = field(default_factory=list)

    async def decide(self, observation: Observation) -> Decision:
        self.seen.append(observation)
        n = len(observation.history)
        if n >= len(self.moves):
            return Decision(choice=Finish(status=Status.COMPLETE, reason="All done."))
        move = self.moves[n]
        if isinstance(move, str):
            return tap(observation.screen, move)
        if callable(move):
            found = move(observation)
            if isinstance(found, Awaitable):
                return await found
            return found if isinstance(found, Decision) else Decision(choice=found)
        return Decision(choice=move)


@dataclass(frozen=True)
class Info:
    name: str
    description: str
    needs: Needs
    params: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})


@dataclass
class Scripts:
    """A registry with one policy per script; refuses tasks that say "gibberish"."""

    scripts: dict[str, Policy] = field(default_factory=dict)

    def names(self) -> Sequence[Info]:
        return [Info(name, "A script.", policy.needs) for name, policy in self.scripts.items()]

    def create(self, name: str, params: Mapping[str, Any]) -> Policy:
        if name not in self.scripts:
            raise UnknownPolicy(f"There is no policy {name!r}; there are {', '.join(self.scripts)}.")
        return self.scripts[name]

    def check(self, name: str, params: Mapping[str, Any], goal: str) -> None:
        self.create(name, params)
        if "gibberish" in goal:
            raise UnreadableTask("Cannot read: gibberish.", advice="Say it in steps.")
        if "broken" in params:
            raise PolicyError("broken is not a parameter")


def settings(folder: Path, **values: Any) -> Settings:
    return Settings(
        **{"data_dir": folder / "data", "token": TOKEN, "log_level": "error", "log_format": "json", **values}
    )


@dataclass
class Stage:
    """A running server and what stands around it."""

    wired: Wired
    shelf: Shelf
    scripts: Scripts

    @property
    def phone(self) -> GraphPhone:
        return next(iter(self.shelf.phones.values()))

    async def start(self, *moves: Move, script: str = "script", **values: Any) -> str:
        """Start a run that makes these moves; returns its name."""
        self.scripts.scripts[script] = Script(moves)
        new = NewRun(**{"task": "do it", "serial": self.phone.serial, "policy": script, **values})
        run, _ = await self.wired.service.create_run(new)
        return run.id

    async def ended(self, run_id: str, seconds: float = 10) -> Any:
        """The run once it has ended."""
        async with asyncio.timeout(seconds):
            run = await self.wired.service.run(run_id)
            while not run.state.final:
                run = await self.wired.service.wait_run(run_id, seconds)
            return run

    async def until(self, run_id: str, type: str, seconds: float = 10, nth: int = 1) -> Any:
        """The first event of that type, or the `nth`."""
        async with (
            asyncio.timeout(seconds),
            contextlib.aclosing(self.wired.service.follow(run_id, after=0, idle=seconds)) as events,
        ):
            async for event in events:
                if event is not None and event.type == type:
                    nth -= 1
                    if not nth:
                        return event
        raise AssertionError(f"the run ended without {type}")

    async def events(self, run_id: str) -> list[Any]:
        return list((await self.wired.service.events(run_id, after=0, limit=1000)).items)

    async def steps(self, run_id: str) -> list[Any]:
        return list((await self.wired.service.steps(run_id, after=0, limit=200)).items)

    async def types(self, run_id: str) -> list[str]:
        return [event.type for event in await self.events(run_id)]


@contextlib.asynccontextmanager
async def stage(
    folder: Path, *phones: GraphPhone, states: Mapping[str, str] | None = None, **values: Any
) -> AsyncIterator[Stage]:
    """A server in this process; ends with the block."""
    shelf = Shelf(*(phones or (GraphPhone(),)), states=states)
    scripts = Scripts({"script": Script(())})
    perceiver = Pipeline(None, ocr="never")
    parts = Parts(source=shelf, perceiver=perceiver, policies=scripts)
    try:
        async with running(settings(folder, **values), parts) as wired:
            yield Stage(wired, shelf, scripts)
    finally:
        perceiver.close()


def sent(phone: GraphPhone) -> list[Action]:
    return phone.touched
