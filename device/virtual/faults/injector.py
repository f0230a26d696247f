"""Decides which fault fires, from seeded streams of its own, and writes every firing into the phone's journal.

Everything here happens where the phone lives (its thread); `armed` and `active` alone may be asked from elsewhere.
Each rule has a stream of its own, so that what one rule draws never moves another one's dice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, Protocol, TypeVar

from PIL import Image

from device.virtual.core.clock import Timer
from device.virtual.faults.catalogue import FAULTS
from device.virtual.faults.fault import BadFault, Fault
from device.virtual.faults.plan import Plan, Rule, read_fault
from device.virtual.faults.timing import Event, KeyboardFault, Link, Opened, OpeningFault
from device.virtual.faults.tree import Windows
from device.virtual.phone import VirtualPhone

F = TypeVar("F", bound=Fault, covariant=True)
K = TypeVar("K", bound=Fault)

GRACE_MS = 100.0
"""An event that follows an act comes so long after its end: the answer to the act has left by then."""
LOOK_MS = 16.0
RPC_SWITCH = {"": "", "hang": "rpc_hang", "drop": "rpc_drop", "disconnected": "rpc_disconnected"}
"""The values of the switch `rpc`, and the faults they stand for."""


class Ending(Protocol):
    """A gesture, as far as its end is concerned."""

    @property
    def done(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Fired(Generic[F]):
    """A fault that fires now, with the dice for its effect."""

    fault: F
    random: Random


@dataclass(slots=True)
class _Armed:
    rule: Rule
    random: Random
    fired: int = 0

    @property
    def spent(self) -> bool:
        most = self.rule.when.next
        if most is None and isinstance(self.rule.fault, Event):
            most = 1
        return most is not None and self.fired >= most


class FaultInjector:
    """The faults armed on one phone: a plan, and switches that are simply on."""

    def __init__(self) -> None:
        self._switches: dict[str, _Armed] = {}
        self._plan: Plan | None = None
        self._planned: tuple[_Armed, ...] = ()
        self._kinds: frozenset[type] = frozenset()
        self._timers: list[Timer] = []
        self._since_ms = 0.0
        self._in_front = ""
        self.link: Link | None = None
        self.acts = 0
        self.fired: Counter[str] = Counter()
        self.last_image: Image.Image | None = None
        self.last_windows: Windows | None = None

    # what is armed

    @property
    def active(self) -> bool:
        """Whether anything is armed at all; a calm phone is asked nothing more."""
        return bool(self._kinds)

    def armed(self, kind: type[Fault]) -> bool:
        """Whether a fault of that kind could fire."""
        return kind in self._kinds

    def arm(self, phone: VirtualPhone, plan: Plan) -> None:
        """Put this plan in the place of the one before; acts and time count from here."""
        self._plan = plan
        self._planned = tuple(
            _Armed(rule, Random(f"{plan.seed}/{n}/{rule.fault.name}")) for n, rule in enumerate(plan.rules)
        )
        self.acts, self._since_ms = 0, phone.clock.now_ms()
        self.fired.clear()
        self._changed(phone)

    def switch(self, phone: VirtualPhone, values: Mapping[str, Any]) -> None:
        """Switch faults on (true or parameters) and off (false); raises BadFault before anything changes."""
        wanted: dict[str, _Armed | None] = {}
        for name, value in values.items():
            if name == "rpc":
                wanted |= dict.fromkeys(filter(None, RPC_SWITCH.values()))
                if not isinstance(value, str) or value not in RPC_SWITCH:
                    raise BadFault(f"rpc must be one of {', '.join(map(repr, RPC_SWITCH))}, not {value!r}")
                name, value = RPC_SWITCH[value], bool(value)
                if not name:
                    continue
            elif name in FAULTS and not isinstance(value, bool | Mapping):
                raise BadFault(f"{name} must be true or false, or an object of parameters, not {value!r}")
            fault = read_fault(name, {} if isinstance(value, bool) else value, "")
            wanted[name] = None if value is False else _Armed(Rule(fault=fault), Random(f"switch/{name}"))
        for name, armed in wanted.items():
            self._switches.pop(name, None)
            if armed is not None:
                self._switches[name] = armed
        self._changed(phone)

    def clear(self, phone: VirtualPhone) -> None:
        """A healthy phone again."""
        self._switches.clear()
        self._plan, self._planned = None, ()
        self.fired.clear()
        self._changed(phone)

    def _all(self) -> tuple[_Armed, ...]:
        return (*self._switches.values(), *self._planned)

    def _changed(self, phone: VirtualPhone) -> None:
        self._kinds = frozenset(kind for armed in self._all() for kind in type(armed.rule.fault).__mro__)
        self.last_image, self.last_windows = None, None
        self._in_front = phone.foreground[0]
        for timer in self._timers:
            phone.clock.cancel(timer)
        self._timers = [
            phone.clock.at(self._since_ms + at_ms, "fault", lambda: self._happen(phone))
            for armed in self._planned
            if isinstance(armed.rule.fault, Event) and (at_ms := armed.rule.when.at_ms) is not None
        ]
        phone.opened = (lambda: self._opened(phone)) if self.active else None
        phone.ime_delay = (lambda: self._ime_delay(phone)) if self.armed(KeyboardFault) else None
        if self.link is not None and not any(armed.rule.fault.name in _SHUT for armed in self._all()):
            self.link.heal()
        self._happen(phone)

    def to_json(self) -> dict[str, Any]:
        """Every fault as a switch, then the plan, the acts counted and what has fired."""
        switches: dict[str, Any] = dict.fromkeys(FAULTS, False)
        for name, armed in self._switches.items():
            plain = armed.rule.fault == FAULTS[name]()
            switches[name] = True if plain else armed.rule.fault.parameters()
        rpc = next((word for word, name in RPC_SWITCH.items() if name in self._switches), "")
        plan = self._plan.to_json() if self._plan is not None else None
        return {**switches, "rpc": rpc, "plan": plan, "acts": self.acts, "fired": dict(self.fired)}

    # what fires

    def firing(
        self, phone: VirtualPhone, kind: type[K], operation: Any, detail: Mapping[str, Any] | None = None
    ) -> list[Fired[K]]:
        """The faults of that kind that befall the operation, in their order; each stands in the journal now."""
        if not self.armed(kind):
            return []
        found: list[Fired[K]] = []
        for armed in self._all():
            fault = armed.rule.fault
            if isinstance(fault, kind) and fault.fits(operation) and self._due(armed, phone):
                self._fire(phone, armed, detail or {})
                found.append(Fired(fault, armed.random))
        return found

    def _due(self, armed: _Armed, phone: VirtualPhone, *, dice: bool = True) -> bool:
        when = armed.rule.when
        if armed.spent:
            return False
        if when.after_acts is not None and self.acts < when.after_acts:
            return False
        if when.at_ms is not None and phone.clock.now_ms() - self._since_ms < when.at_ms:
            return False
        if when.screen is not None and when.screen not in (phone.screen, phone.foreground[0]):
            return False
        return when.probability is None or (dice and armed.random.random() < when.probability)

    def _fire(self, phone: VirtualPhone, armed: _Armed, detail: Mapping[str, Any]) -> None:
        armed.fired += 1
        fault = armed.rule.fault
        self.fired[fault.name] += 1
        data = {"fault": fault.name, "parameters": fault.parameters(), **detail}
        phone.journal.append("fault", data)

    # what happens by itself

    def acted(self, phone: VirtualPhone, ending: Ending) -> None:
        """An act was injected; events that follow it come when it has ended."""
        self.acts += 1
        if not self.armed(Event):
            return
        clock = phone.clock

        def look() -> None:
            if ending.done:
                clock.at(clock.now_ms() + GRACE_MS, "fault", lambda: self._happen(phone, acted=True))
            else:
                clock.at(clock.now_ms() + LOOK_MS, "fault", look)

        look()

    def _happen(self, phone: VirtualPhone, *, acted: bool = False) -> None:
        """Let the events happen whose time has come; dice are thrown after acts alone."""
        for armed in self._all():
            fault = armed.rule.fault
            if isinstance(fault, Event) and self._due(armed, phone, dice=acted):
                self._fire(phone, armed, {})
                fault.happen(phone, self.link)

    def _opened(self, phone: VirtualPhone) -> None:
        package = phone.foreground[0]
        home = package in phone.apps and phone.apps[package].wallpaper  # the home screen is always there
        fresh, self._in_front = package != self._in_front and not home, package
        opened = Opened(package=package, screen=phone.screen, fresh=fresh)
        for fired in self.firing(phone, OpeningFault, opened, {"screen": opened.screen, "package": package}):
            fired.fault.open(phone)
        if self.armed(Event):  # not from within the input that opened the screen
            phone.clock.at(phone.clock.now_ms(), "fault", lambda: self._happen(phone))

    def _ime_delay(self, phone: VirtualPhone) -> float:
        return sum(fired.fault.delay_ms for fired in self.firing(phone, KeyboardFault, None))


_SHUT = ("unauthorized", "offline")
