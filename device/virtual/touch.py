"""The finger: where it comes down, what the gestures mean there, and what they do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from device.virtual.acts import Acts
from device.virtual.core.clock import Timer, VirtualClock
from device.virtual.core.world import World
from device.virtual.session import Session
from device.virtual.tasks import OpenScreen
from device.virtual.text_input import TextInput
from device.virtual.ui.anim import Fling
from device.virtual.ui.gestures import (
    EDGE_DP,
    Direction,
    Dragged,
    Edge,
    Flung,
    Gesture,
    GestureEngine,
    LongPressed,
    Released,
    Scrolled,
    Swiped,
    SystemSwiped,
    Tapped,
    Target,
)
from device.virtual.ui.hit import hit, slider_value
from device.virtual.ui.layout import Placed, scroll_limit
from device.virtual.ui.node import Act
from device.virtual.ui.paint.fields import text_index
from device.virtual.ui.window import Window, ancestors, chain, touched
from device.virtual.windows import STATUS_BAR_DP, WindowBuilder

_SWIPE_PROPS: dict[Direction, str] = {
    "left": "swipe_left",
    "right": "swipe_right",
    "up": "swipe_up",
    "down": "swipe_down",
}


Change = Callable[[], AbstractContextManager[None]]
"""What goes around an input that may change the screen (see picture.Picture.change)."""


@dataclass(slots=True)
class Grip:
    """What the finger holds: the window, the nodes under it (root first), and the list it may drag."""

    window: Window
    nodes: tuple[Placed, ...]
    tap: Placed | None
    long: Placed | None
    scroll: Placed | None
    slider: Placed | None
    cause: str
    owner: OpenScreen
    stopped: bool = False
    sent: object = None


class Touch:
    """Feeds positions (dp of the display) to the gesture engine and does what it recognises."""

    def __init__(
        self,
        world: World,
        session: Session,
        builder: WindowBuilder,
        acts: Acts,
        text: TextInput,
        clock: VirtualClock,
        change: Change,
    ) -> None:
        self._world = world
        self._session = session
        self._builder = builder
        self._acts = acts
        self._text = text
        self._clock = clock
        self._change = change
        self._engine = GestureEngine()
        self._held: Grip | None = None
        self._timer: Timer | None = None
        self.press_back: Callable[[str], None] = lambda cause: None

    @property
    def active(self) -> bool:
        """Whether a finger is down."""
        return self._engine.active

    def down(self, x: float, y: float, cause: str) -> None:
        """The finger comes down; a dark screen feels nothing."""
        self._forget_timer()
        if self._session.awake and self._session.rest_kind == "dreaming":  # a touch ends the screen saver, and no more
            with self._change():
                self._acts.wake()
            return
        window = touched(self._builder.windows(), x, y)
        self._held = self._take(window, x, y, cause) if window is not None else None
        if self._held is None:
            return
        if self._session.rest(self._held.owner):  # a touch on a moving list stops it, and does nothing else
            self._held.tap = self._held.long = self._held.slider = None
            self._held.stopped = True
        self._engine.down(self._clock.now_ms(), x, y, self._target(self._held, x, y))
        if (due := self._engine.due) is not None:
            self._timer = self._clock.at(due, "long press", self._tick)

    def move(self, x: float, y: float) -> None:
        self._do(self._engine.move(self._clock.now_ms(), x, y))

    def up(self, x: float, y: float) -> None:
        self._forget_timer()
        try:
            self._do(self._engine.up(self._clock.now_ms(), x, y))
        finally:
            self._held = None

    def cancel(self) -> None:
        """The finger is taken away without a tap."""
        self._forget_timer()
        self._do(self._engine.cancel())
        self._held = None

    def _tick(self) -> None:
        self._timer = None
        self._do(self._engine.tick(self._clock.now_ms()))

    def _forget_timer(self) -> None:
        if self._timer is not None:
            self._clock.cancel(self._timer)
            self._timer = None

    # what lies there

    def _take(self, window: Window, x: float, y: float, cause: str) -> Grip:
        local = window.local(x, y)
        nodes = chain(window.placed, *local)
        owner = self._session.screen(window.owner) or OpenScreen(serial=0, name=window.id, activity="")
        tap = hit(window.placed, *local, "tap")
        slider = _deepest(nodes, lambda p: p.node.kind == "slider" and p.node.on_change is not None and p.node.enabled)
        contact = Grip(
            window=window,
            nodes=nodes,
            tap=tap,
            long=hit(window.placed, *local, "long"),
            scroll=_deepest(nodes, lambda p: scroll_limit(p) > 0),
            slider=slider,
            cause=cause,
            owner=owner,
        )
        shown = slider or tap
        if shown is not None:
            self._session.pressed = (window.owner or window.id, shown.path)
            self._session.changed()
        return contact

    def _target(self, contact: Grip, x: float, y: float) -> Target:
        scrolls: set[Direction] = {"up", "down"} if contact.scroll is not None else set()
        if contact.scroll is not None:  # at an end the list leaves the swipe to whoever answers it
            offset = self._offset(contact, contact.scroll)
            swipes = self._swipes(contact)
            scrolls -= {"down"} if offset <= 0 and "down" in swipes else set()
            scrolls -= {"up"} if offset >= scroll_limit(contact.scroll) and "up" in swipes else set()
        return Target(
            edge=self._edge(contact, x, y),
            scrolls=frozenset(scrolls),
            swipes=frozenset(self._swipes(contact)),
            drags=contact.slider is not None,
            long=contact.long is not None,
        )

    def _swipes(self, contact: Grip) -> dict[Direction, Act]:
        found: dict[Direction, Act] = {}
        for placed in reversed(contact.nodes):
            for direction, prop in _SWIPE_PROPS.items():
                act = placed.node.props.get(prop)
                if isinstance(act, Act):
                    found.setdefault(direction, act)
        return found

    def _edge(self, contact: Grip, x: float, y: float) -> Edge:
        size = self._builder.size()
        if self._session.locked:
            return ""
        gestures = self._world.settings.get("secure", "navigation_mode", "2") != "0"
        if gestures and y >= size.height - self._builder.nav_height:
            return "home"
        if y < STATUS_BAR_DP and self._session.shade != "quick_settings":
            return "shade"
        if gestures and (x < EDGE_DP or x >= size.width - EDGE_DP) and contact.window.type != "nav_bar":
            return "back"
        return ""

    # what gestures do

    def _do(self, gestures: list[Gesture]) -> None:
        contact = self._held
        if contact is None:
            return
        for gesture in gestures:
            if isinstance(gesture, Scrolled | Released):  # nothing else can come of these, so save the looking
                self._one(contact, gesture)
            else:
                with self._change():
                    self._one(contact, gesture)
            self._session.changed()

    def _one(self, contact: Grip, gesture: Gesture) -> None:
        match gesture:
            case Released():
                self._session.pressed = None
            case Tapped(x, y):
                self._tap(contact, x, y)
            case LongPressed(x, y):
                self._long_press(contact)
            case Scrolled(dy):
                self._scroll(contact, dy)
            case Flung(velocity):
                self._fling(contact, velocity)
            case Dragged(x, _, done):
                self._drag(contact, x, done)
            case Swiped(direction):
                self._acts.perform(self._swipes(contact)[direction], contact.owner, contact.cause)
            case SystemSwiped(name):
                self._system_swipe(name, contact.cause)

    def _tap(self, contact: Grip, x: float, y: float) -> None:
        if contact.stopped:
            return
        if contact.slider is not None:
            self._drag(contact, x, True)
            return
        field = next((p for p in reversed(contact.nodes) if p.node.kind == "text_field" and p.node.enabled), None)
        target = contact.tap
        if field is not None and (target is None or len(field.path) >= len(target.path)):
            caret = text_index(field, contact.window.env, *contact.window.local(x, y), caret=contact.owner.caret)
            self._text.focus(contact.owner, str(field.node.props["bind"]), caret=caret)
        elif target is not None and target.node.on_tap is not None:
            self._acts.perform(target.node.on_tap, contact.owner, contact.cause)
        elif contact.window.type == "dialog" and not contact.nodes:  # beside the card
            self._acts.perform(Act("dialog.close"), contact.owner, contact.cause)

    def click(self, window: Window, placed: Placed, cause: str) -> bool:
        """Do what a tap on a node does, wherever it lies and whatever covers it (ACTION_CLICK)."""
        owner = self._session.screen(window.owner) or OpenScreen(serial=0, name=window.id, activity="")
        if not placed.node.enabled:
            return False
        if placed.node.kind == "text_field":
            return self._text.focus(owner, str(placed.node.props["bind"]))
        if placed.node.on_tap is None:
            return False
        self._acts.perform(placed.node.on_tap, owner, cause)
        return True

    def activate(self, window: Window, placed: Placed, cause: str, *, long: bool) -> bool:
        """What a screen reader does with its focus: click the node or the target around it, or press it long."""
        line = ancestors(window.placed, placed.path)
        if long:
            held = next((p for p in reversed(line) if p.node.enabled and p.node.on_long is not None), None)
            if held is None or held.node.on_long is None:
                return False
            owner = self._session.screen(window.owner) or OpenScreen(serial=0, name=window.id, activity="")
            with self._change():
                self._acts.perform(held.node.on_long, owner, cause)
            return True
        with self._change():
            return any(self.click(window, target, cause) for target in reversed(line))

    def _long_press(self, contact: Grip) -> None:
        held = contact.long
        if held is not None and held.node.on_long is not None:
            self._acts.perform(held.node.on_long, contact.owner, contact.cause)
        elif held is not None and held.node.kind == "text_field":
            self._text.focus(contact.owner, str(held.node.props["bind"]))

    def _drag(self, contact: Grip, x: float, done: bool) -> None:
        slider = contact.slider
        if slider is None or slider.node.on_change is None:
            return
        value = slider_value(slider, x - contact.window.left)
        if value != contact.sent:
            contact.sent = value
            self._acts.perform(slider.node.on_change.with_value(value), contact.owner, contact.cause)

    def _system_swipe(self, name: str, cause: str) -> None:
        match name:
            case "back":
                self.press_back(cause)
            case "home":
                self._acts.home()
            case "recents":
                self._acts.recents()
            case "shade":
                self._acts.shade("quick_settings" if self._session.shade else "notifications")

    # lists

    def _offset(self, contact: Grip, placed: Placed) -> float:
        return contact.owner.scroll.get(str(placed.node.props["key"]), 0.0)

    def _scroll(self, contact: Grip, dy: float) -> None:
        if contact.scroll is None:
            return
        offset = self._offset(contact, contact.scroll) - dy
        contact.owner.scroll[str(contact.scroll.node.props["key"])] = min(
            max(offset, 0.0), scroll_limit(contact.scroll)
        )

    def _fling(self, contact: Grip, velocity: float) -> None:
        if contact.scroll is None or not velocity:
            return
        offset, limit = self._offset(contact, contact.scroll), scroll_limit(contact.scroll)
        fling = Fling(str(contact.scroll.node.props["key"]), self._clock.now_ms(), offset, -velocity, limit)
        if fling.length > 0:
            self._session.flings[contact.owner.serial] = fling


def _deepest(nodes: tuple[Placed, ...], fits: Callable[[Placed], bool]) -> Placed | None:
    return next((placed for placed in reversed(nodes) if fits(placed)), None)
