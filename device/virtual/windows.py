"""Which windows the phone shows, and what is in them: the one place where apps and shell become placed trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from device.virtual import shell
from device.virtual.core.app import ScreenState, SystemState, TaskInfo, View
from device.virtual.core.world import World
from device.virtual.packages import KEYBOARD, SYSTEM_UI
from device.virtual.profiles import Panel, Profile
from device.virtual.session import Session
from device.virtual.shell.keyboard import height as keyboard_height
from device.virtual.system import System
from device.virtual.tasks import OpenScreen, Task
from device.virtual.ui.a11y import WindowType
from device.virtual.ui.anim import ease_out
from device.virtual.ui.env import Env, LayoutState
from device.virtual.ui.layout import Placed, lay_out, scroll_limit
from device.virtual.ui.node import Node
from device.virtual.ui.theme import Theme
from device.virtual.ui.widgets import Box
from device.virtual.ui.window import SCRIM, Window, ancestors, placed_field

STATUS_BAR_DP = 32.0
"""Height of the status bar; phones with a camera hole have 28 to 52 dp."""

TOAST_DP, TOAST_GAP_DP = 72.0, 24.0
"""Height of the window a toast is centred in, and its distance from the navigation bar."""

HEADS_UP_DP = 112.0
"""Height of the window of a notification that shows itself over the app."""

ANDROID, DREAMS = "android", "com.android.dreams.basic"
"""Packages of the system's error dialogs and of the screen saver."""

CARET_MS = 500.0
"""How long a blinking caret is lit and dark (Android's Editor.BLINK)."""


@dataclass(frozen=True, slots=True)
class DisplaySize:
    """The display as it is held: dp, pixels per dp, quarter turns."""

    width: float
    height: float
    density: float
    rotation: int

    @property
    def pixels(self) -> tuple[int, int]:
        return round(self.width * self.density), round(self.height * self.density)


class WindowBuilder:
    """Builds the stack of windows from world and session, and remembers it until one of them changes."""

    def __init__(self, world: World, session: Session, system: System, profile: Profile) -> None:
        self._world = world
        self._session = session
        self._system = system
        self._profile = profile
        self._key: tuple[object, ...] | None = None
        self._windows: tuple[Window, ...] = ()
        self._ticking = False
        self._placed: dict[str, tuple[tuple[object, ...], Placed]] = {}

    # sizes and surroundings

    def natural_pixels(self) -> tuple[int, int]:
        """Width and height of the unturned display; global `display_size_forced` (`wm size`) overrides the panel's."""
        forced = self._world.settings.get("global", "display_size_forced").replace("x", ",").split(",")
        if len(forced) == 2 and all(part.strip().isdigit() for part in forced):
            return int(forced[0]), int(forced[1])
        return self.panel.width, self.panel.height

    @property
    def panel(self) -> Panel:
        """The display that is in use: the outer one of a closed foldable."""
        return self._profile.panels[-1 if self._session.folded else 0]

    def density(self) -> float:
        """Pixels per dp; secure `display_density_forced` (`wm density`) overrides the panel's."""
        return self._world.settings.number("secure", "display_density_forced", self.panel.dpi) / 160

    def size(self) -> DisplaySize:
        width, height = self.natural_pixels()
        rotation, density = self._system.rotation, self.density()
        if rotation % 2:
            width, height = height, width
        return DisplaySize(width / density, height / density, density, rotation)

    def env(self, size: DisplaySize, width: float, height: float, insets: tuple[float, float, float, float]) -> Env:
        settings = self._world.settings
        dark = settings.get("secure", "ui_night_mode", "1") == "2"
        locale = settings.get("system", "system_locales", "en-US")
        return Env(
            theme=Theme.of(dark, settings.get("secure", "accent_color", "blue")),
            lang="zh" if locale.startswith("zh") else "en",
            font_scale=settings.number("system", "font_scale", 1.0),
            density=size.density,
            width_dp=width,
            height_dp=height,
            insets=insets,
            rotation=size.rotation,
            now=self._world.clock.wall(),
        )

    @property
    def nav_height(self) -> float:
        return shell.navigation_height(self._world)

    # the stack

    def windows(self) -> tuple[Window, ...]:
        """From the lowest to the topmost; none while the screen is off."""
        self._session.settle_flings()
        key = self._state_key()
        if key != self._key:
            self._windows = self._build()
            self._key = self._state_key()  # laying out may have corrected offsets
        return self._windows

    def _state_key(self) -> tuple[object, ...]:
        session, clock = self._session, self._world.clock
        now = clock.now_ms()
        moving = bool(session.flings) or (session.ime_slide is not None and session.ime_slide.running(now))
        wall = clock.wall().replace(microsecond=0)
        blink = self._caret_lit() if self._blinks() else True
        second = wall if self._ticking else wall.replace(second=0)
        shown = (session.toast, session.heads_up_shown)
        return (self._world.version, session.version, shown, second, blink, now if moving else None)

    def _build(self) -> tuple[Window, ...]:
        session, size = self._session, self.size()
        self._ticking = False
        system = self._system_state()
        if not session.awake or session.rest_kind:
            return self._resting(size, system)
        stack: list[Window] = []
        if session.locked:
            view = shell.pin_pad if session.pad.open else shell.lock_screen
            id = "bouncer" if session.pad.open else "lock"
            stack.append(self._system_window(id, "keyguard", view, size, system, modal=True))
        else:
            stack += self._task_windows(size, system)
        stack += self._bars(size, system)
        if session.heads_up_shown:
            area = (0.0, STATUS_BAR_DP, size.width, HEADS_UP_DP)
            stack.append(self._system_window("heads_up", "heads_up", shell.heads_up, size, system, area=area))
        if session.toast:
            top = size.height - self.nav_height - TOAST_DP - TOAST_GAP_DP
            area = (0.0, top, size.width, TOAST_DP)
            stack.append(self._system_window("toast", "toast", shell.toast, size, system, area=area, touchable=False))
        return tuple(stack)

    def _resting(self, size: DisplaySize, system: SystemState) -> tuple[Window, ...]:
        """The screen saver, or the clock of a dozing phone that always shows it; else the dark."""
        if self._session.awake:
            return (self._system_window("dream", "dream", shell.dream, size, system, modal=True, package=DREAMS),)
        if self._session.rest_kind and self._world.settings.flag("secure", "doze_always_on"):
            clock = self._system_window("ambient", "keyguard", shell.ambient, size, system, modal=True)
            return (replace(clock, touchable=False),)
        return ()

    def _task_windows(self, size: DisplaySize, system: SystemState) -> list[Window]:
        task, session = self._session.tasks.front, self._session
        ime = self.ime_height(size)
        insets = (0.0, STATUS_BAR_DP, 0.0, max(self.nav_height, ime))
        below = session.tasks.base
        stack = [] if below is task else self._screens(below, size, insets, system)
        above = self._screens(task, size, insets, system)
        if below is not task:  # a floating activity takes every touch, and darkens what it leaves in view
            above = [replace(window, modal=True, scrim=SCRIM) for window in above]
        stack += [*above, *self._veil(size, system)]
        if session.error is not None:
            alert = self._system_window("alert", "alert", shell.error_dialog, size, system, modal=True, package=ANDROID)
            stack.append(replace(alert, title=session.error.title, scrim=SCRIM, focused=not session.shade))
        leaving = session.ime_slide is not None and session.ime_slide.running(self._world.clock.now_ms())
        if ime or (leaving and not session.shade):
            stack.append(self._ime_window(size, system, ime or session.ime_height, shown=bool(ime)))
        if session.shade:
            stack.append(
                self._system_window(
                    "shade", "shade", shell.shade, size, system, modal=True, screen=session.shade_screen
                )
            )
        return stack

    def _screens(
        self, task: Task, size: DisplaySize, insets: tuple[float, float, float, float], system: SystemState
    ) -> list[Window]:
        front = self._session.front if self._session.error is None else None
        return [
            self._app_window(task.package, screen, size, insets, system, focused=screen is front)
            for screen in (task.page, *task.dialogs)
        ]

    def _app_window(
        self,
        package: str,
        screen: OpenScreen,
        size: DisplaySize,
        insets: tuple[float, float, float, float],
        system: SystemState,
        *,
        focused: bool,
    ) -> Window:
        pushed = self._session.pushed.get(screen.serial, 0.0)
        env = self.env(size, size.width, size.height - pushed, insets)
        view = self._system.apps[package].screens()[screen.name]
        node = view(self._world, self._screen_state(screen, system), env)
        self._ticking = self._ticking or bool(node.props.get("ticking"))
        state = LayoutState(
            scroll=self._session.scroll_of(screen),
            fields=dict(screen.fields),
            focus=screen.focus if focused else None,
            caret=screen.caret,
            caret_on=focused and screen.focus is not None and self._caret_lit(),
            pressed=self._session.pressed_on(screen.serial),
        )
        placed, state = self._within(screen, node, env, state, f"app:{screen.serial}")
        return Window(
            id=f"app:{screen.serial}",
            type="dialog" if screen.dialog else "app",
            package=package,
            title=f"{package}/{screen.activity}",
            owner=screen.serial,
            node=node,
            env=env,
            state=state,
            placed=placed,
            top=pushed,
            width=size.width,
            height=size.height - pushed,
            focused=focused,
            modal=screen.dialog,
            scrim=SCRIM if screen.dialog else 0.0,
            secure=bool(node.props.get("secure")) or package in self._session.secure,
        )

    def _veil(self, size: DisplaySize, system: SystemState) -> list[Window]:
        """What hides the app in front while it starts or loads, and what has pushed its screen down."""
        session, task = self._session, self._session.tasks.front
        found: list[Window] = []
        if pushed := session.pushed.get(task.page.serial, 0.0):
            area = (0.0, 0.0, size.width, STATUS_BAR_DP + pushed)
            found.append(self._system_window("banner", "app", shell.VEILS["banner"], size, system, area=area))
        if session.veil and session.veil_owner == task.package:
            found.append(self._system_window("veil", "app", shell.VEILS[session.veil], size, system, modal=True))
        return [replace(window, package=task.package, title=f"{task.package}/{task.activity}") for window in found]

    def _caret_lit(self) -> bool:
        """Carets stand still, so that pictures do, unless system `caret_blink` is 1."""
        return not self._blinks() or self._world.clock.now_ms() // CARET_MS % 2 == 0

    def _blinks(self) -> bool:
        return self._world.settings.flag("system", "caret_blink") and self._session.front.focus is not None

    def _within(
        self, screen: OpenScreen, node: Node, env: Env, state: LayoutState, id: str
    ) -> tuple[Placed, LayoutState]:
        """Lay out; a list that has become shorter than its offset goes back to its end."""
        placed = self._lay_out(id, node, env, state)
        ends = scroll_ends(placed)
        right = {key: min(offset, ends[key]) if key in ends else offset for key, offset in state.scroll.items()}
        if right == dict(state.scroll):
            return placed, state
        screen.scroll.update({key: offset for key, offset in right.items() if key in screen.scroll})
        state = replace(state, scroll=right)
        return self._lay_out(id, node, env, state), state

    def _lay_out(self, id: str, node: Node, env: Env, state: LayoutState) -> Placed:
        key = (node, replace(env, now=_NO_TIME), replace(state, pressed=None))
        known = self._placed.get(id)
        if known is not None and known[0] == key:
            return known[1]
        placed = lay_out(node, env, env.width_dp, env.height_dp, state)
        self._placed[id] = (key, placed)
        if len(self._placed) > _KEPT_LAYOUTS:
            del self._placed[next(iter(self._placed))]
        return placed

    def _bars(self, size: DisplaySize, system: SystemState) -> list[Window]:
        nav = self.nav_height
        bottom = (0.0, size.height - nav, size.width, nav)
        return [
            self._system_window(
                "status_bar", "status_bar", shell.status_bar, size, system, area=(0.0, 0.0, size.width, STATUS_BAR_DP)
            ),
            self._system_window("nav_bar", "nav_bar", shell.navigation_bar, size, system, area=bottom),
        ]

    def _system_window(
        self,
        id: str,
        type: WindowType,
        view: View,
        size: DisplaySize,
        system: SystemState,
        *,
        area: tuple[float, float, float, float] | None = None,
        modal: bool = False,
        touchable: bool = True,
        screen: OpenScreen | None = None,
        package: str = SYSTEM_UI,
    ) -> Window:
        """A window of the system UI, in `area` (left, top, width, height) or over the whole display."""
        left, top, width, height = area or (0.0, 0.0, size.width, size.height)
        insets = (0.0, STATUS_BAR_DP, 0.0, self.nav_height) if area is None else (0.0, 0.0, 0.0, 0.0)
        env = self.env(size, width, height, insets)
        opened = screen or OpenScreen(serial=0, name=id, activity="")
        node = view(self._world, self._screen_state(opened, system), env)
        self._ticking = self._ticking or bool(node.props.get("ticking"))
        scroll = self._session.scroll_of(opened) if screen is not None else {}
        state = LayoutState(scroll=scroll, pressed=self._session.pressed_on(id))
        placed, state = self._within(opened, node, env, state, id)
        return Window(
            id=id,
            type=type,
            package=package,
            title=TITLES[type],
            owner=opened.serial,
            node=node,
            env=env,
            state=state,
            placed=placed,
            left=left,
            top=top,
            width=width,
            height=height,
            focused=modal,
            modal=modal,
            touchable=touchable,
        )

    def _ime_window(self, size: DisplaySize, system: SystemState, height: float, *, shown: bool) -> Window:
        env = self.env(size, size.width, height, (0.0, 0.0, 0.0, self.nav_height))
        views = {"layer": self._session.keyboard.layer, "shift": self._session.keyboard.shift}
        keys = shell.keyboard(self._world, ScreenState(name="keyboard", views=views, system=system), env)
        node = Box(
            replace(keys, props={**keys.props, "w": size.width, "h": height - self.nav_height}),
            bg="keyboard",
            w=size.width,
            h=height,
        )
        state = LayoutState(pressed=self._session.pressed_on("ime"))
        slide = self._session.ime_slide
        moved = 1.0 if slide is None else ease_out(slide.share(self._world.clock.now_ms()))
        hidden = 1.0 - moved if shown else moved
        return Window(
            id="ime",
            type="ime",
            package=KEYBOARD,
            title=TITLES["ime"],
            owner=0,
            node=node,
            env=env,
            state=state,
            placed=self._lay_out("ime", node, env, state),
            top=size.height - height * (1.0 - hidden),
            width=size.width,
            height=height,
            touchable=shown,
        )

    def ime_height(self, size: DisplaySize) -> float:
        """Height of the keyboard with the bar below it, 0 while it is hidden."""
        session = self._session
        if not session.ime_shown or session.shade or session.tasks.front.top.focus is None:
            return 0.0
        if session.error is not None or session.rest_kind:
            return 0.0
        if not self._system.own_keyboard:
            return 0.0
        return keyboard_height(self.env(size, size.width, size.height, (0, 0, 0, 0))) + self.nav_height

    # what views are told

    def _screen_state(self, screen: OpenScreen, system: SystemState) -> ScreenState:
        return ScreenState(
            name=screen.name,
            args=screen.args,
            views=dict(screen.views),
            fields=dict(screen.fields),
            scroll=dict(screen.scroll),
            focus=screen.focus,
            system=system,
        )

    def _system_state(self) -> SystemState:
        session = self._session
        front = session.tasks.base
        home = self._system.apps[front.package].wallpaper and len(front.screens) == len(front.dialogs) + 1
        return SystemState(
            foreground=front.package,
            tasks=tuple(
                TaskInfo(
                    package=task.package, activity=task.activity, label=self._system.apps[task.package].title("en")
                )
                for task in session.tasks.recent()
            ),
            ime_shown=session.ime_shown and session.tasks.front.top.focus is not None,
            field_kind=session.field_kind,
            action=session.field_action,
            toast=session.toast,
            shade=session.shade,
            locked=session.locked,
            immersive=home or bool(session.shade) or session.locked,
            lock=self._system.power.lock,
            pin_length=len(session.pad.typed),
            pin_note=session.pad.note,
            pin_seconds=session.pin_seconds,
            error=session.error.kind if session.error is not None else "",
            error_package=session.error.package if session.error is not None else "",
            error_again=session.error is not None and session.error.again,
            heads_up=session.heads_up_shown,
        )


TITLES: Mapping[str, str] = {
    "status_bar": "StatusBar",
    "nav_bar": "NavigationBar0",
    "shade": "NotificationShade",
    "keyguard": "NotificationShade",
    "ime": "InputMethod",
    "toast": "Toast",
    "app": "Splash Screen",
    "alert": "Application Error",
    "heads_up": "NotificationShade",
    "dream": "com.android.dreams.basic/.Colors",
}
"""Titles of the system's windows as Android's window manager has them."""

_NO_TIME = datetime(2000, 1, 1)
_KEPT_LAYOUTS = 12
_ENDLESS_DP = 20000.0
_REVEAL_GAP_DP = 8.0  # room between a focused field and the keyboard


def scroll_ends(placed: Placed) -> dict[str, float]:
    """The largest offset of each list, by key."""
    return {str(p.node.props.get("key")): scroll_limit(p) for p in placed.walk() if p.scroll_extent is not None}


def offset_showing(window: Window, bind: str) -> tuple[str, float] | None:
    """The list around a text field and the offset that shows the field with the least movement.

    None when the field is in no list or shows already. Rows out of view have no place, so the screen is laid out once
    more in a window as high as all of it.
    """
    tall = lay_out(
        window.node,
        window.env,
        window.width,
        _ENDLESS_DP,
        replace(window.state, scroll=dict.fromkeys(window.state.scroll, 0.0)),
    )
    field = placed_field(tall, bind)
    line = ancestors(tall, field.path) if field is not None else ()
    whole = next((placed for placed in reversed(line) if placed.scroll_extent is not None), None)
    shown = window.placed.at(whole.path) if whole is not None else None
    if field is None or whole is None or shown is None:
        return None
    key = str(whole.node.props["key"])
    now = window.state.scroll.get(key, 0.0)
    room = min(shown.bottom, window.height - window.env.insets[3]) - shown.top
    top, bottom = field.top - whole.top, field.bottom - whole.top + _REVEAL_GAP_DP
    wanted = min(max(now, bottom - room), top)
    wanted = min(max(wanted, 0.0), scroll_limit(shown))
    return (key, wanted) if wanted != now else None
