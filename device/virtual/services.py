"""What a phone is made of, and its services: apps, packages, power, input methods, shade, settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from device.virtual.acts import Acts
from device.virtual.alerts import Alerts
from device.virtual.catalogue import standard_apps
from device.virtual.core.app import App
from device.virtual.core.clock import VirtualClock
from device.virtual.core.journal import Journal, text_data
from device.virtual.core.package import Package
from device.virtual.core.world import World
from device.virtual.errors import UnknownPackage
from device.virtual.input import Input
from device.virtual.packages import KEYBOARD_IME, add_package, register_system, seed_app
from device.virtual.picture import Picture
from device.virtual.profiles import Profile, profile_of
from device.virtual.screen_reader import ScreenReader
from device.virtual.session import Session, Veil
from device.virtual.shell import PermissionController
from device.virtual.shell.permission import PERMISSION_CONTROLLER
from device.virtual.system import ImeReply, InputMethod, StartResult, System
from device.virtual.text_input import TextInput
from device.virtual.touch import Touch
from device.virtual.ui.node import Node
from device.virtual.ui.window import field_nodes
from device.virtual.windows import WindowBuilder

T = TypeVar("T")

_FACTORY_SETTINGS = (
    ("secure", "default_input_method", KEYBOARD_IME),
    ("secure", "enabled_input_methods", KEYBOARD_IME),
    ("secure", "navigation_mode", "2"),
    ("system", "user_rotation", "0"),
    ("system", "accelerometer_rotation", "0"),
    ("system", "screen_brightness", "128"),
    ("system", "font_scale", "1.0"),
    ("global", "transition_animation_scale", "1.0"),
    ("global", "window_animation_scale", "1.0"),
    ("global", "animator_duration_scale", "1.0"),
    ("global", "wifi_on", "1"),
    ("global", "bluetooth_on", "0"),
    ("global", "airplane_mode_on", "0"),
)
"""What a phone out of the box has stored."""


class PhoneServices:
    """The parts of a phone wired together, and all that is done to it other than looking and touching."""

    def __init__(
        self,
        profile: str | Profile = "phone",
        seed: int = 1,
        *,
        clock: VirtualClock | None = None,
        dark: bool = False,
        lang: str = "en",
        apps: Sequence[App] | None = None,
    ) -> None:
        """`apps` replaces the apps that come with the phone; raises ValueError for an unknown profile."""
        self.profile = profile_of(profile)
        self.clock = clock or VirtualClock()
        self.journal = Journal(self.clock.now_ms)
        self.world = World(seed, self.clock, self.journal)
        installed = list(standard_apps() if apps is None else apps)
        if not any(app.package == PERMISSION_CONTROLLER for app in installed):
            installed.append(PermissionController())
        self.apps: Mapping[str, App] = {app.package: app for app in installed}
        home = next((app.package for app in installed if app.wallpaper), installed[0].package)
        self._session = Session(self.clock, self._app, home)
        self._system = System(self.world, self._session, self.journal, self.apps, home)
        self._builder = WindowBuilder(self.world, self._session, self._system, self.profile)
        self._picture = Picture(self.world, self._session, self._builder, self.clock)
        self._alerts = Alerts(self.world, self._session, self._system, self.journal)
        self._acts = Acts(self.world, self._session, self._system, self.journal, self._alerts)
        self._text = TextInput(self._session, self._system, self.journal, self._builder.windows, self._acts.perform)
        change = self._picture.change
        self._touch = Touch(self.world, self._session, self._builder, self._acts, self._text, self.clock, change)
        self._reader = ScreenReader(self.world, self._session, self._builder, self._touch, self.journal, self.clock)
        self._input = Input(
            self._reader,
            self._session,
            self._system,
            self._acts,
            self._text,
            self._touch,
            self.journal,
            self.clock,
            self._builder.density,
            change,
        )
        self._acts.press_key = self._text.press
        self._acts.press_button = lambda code, cause: self._input.press(code, 0, cause)
        self._acts.secrets = self._passwords
        self._touch.press_back = self._input.back
        self._picture.opened = self._opened
        self.opened: Callable[[], None] | None = None  # told when a screen has come to the front
        self._prepare(dark=dark, lang=lang)

    def _prepare(self, *, dark: bool, lang: str) -> None:
        register_system(self.world, self.apps)
        for app in self.apps.values():
            for name, run in app.commands().items():
                self.world.register(name, run)

        def boot(w: World) -> None:
            for ns, key, value in _FACTORY_SETTINGS:
                w.settings.put(ns, key, value)
            w.settings.put("secure", "ui_night_mode", "2" if dark else "1")
            w.settings.put("global", "device_name", self.profile.model)
            w.settings.put("system", "system_locales", {"zh": "zh-CN"}.get(lang, "en-US"))
            for app in self.apps.values():
                add_package(w, app)
                seed_app(w, app)

        self.world.register("system.boot", lambda w: boot(w))
        self.world.commit("system.boot", {}, "boot")
        self.world.unregister("system.boot")

    def _app(self, package: str) -> App:
        try:
            return self.apps[package]
        except KeyError:
            raise UnknownPackage(package, tuple(self.apps)) from None

    def _opened(self) -> None:
        """Another screen has come to the front: write it down, and focus the field it names."""
        front = self._session.front
        window = {"window": self.focused_window, "screen": front.name}
        self.journal.append("window", window, self.journal.last_cause)
        self._text.open_front()
        asked = self._text.root_prop("asks")
        if asked and not front.views.get("asked") and self.awake and not self.locked:
            front.views["asked"] = True  # once for each time the screen is opened
            self._alerts.request(self._session.tasks.front.package, str(asked), self.journal.last_cause)
        if self.opened is not None:
            self.opened()

    def _passwords(self) -> frozenset[str]:
        screen = self._session.front
        window = next((w for w in self._builder.windows() if w.owner == screen.serial), None)
        nodes = [node for node in field_nodes(window.node) if node.password] if window is not None else []
        return frozenset(screen.fields.get(str(node.props.get("bind")), node.text) for node in nodes) - {""}

    # apps

    @property
    def foreground(self) -> tuple[str, str]:
        """Package and activity in front."""
        return self._system.foreground

    def start(
        self,
        package: str,
        activity: str = "",
        data: str = "",
        extras: Mapping[str, Any] | None = None,
        *,
        action: str = "",
        screen: str = "",
    ) -> StartResult:
        """Start an activity (`am start -n`), or the app as the launcher does; not found is a result, not an error."""
        return self._in(
            {"start": f"{package}/{activity}".rstrip("/"), "action": action, "data": data},
            lambda cause: self._system.try_start(
                package, activity, screen=screen, action=action, data=data, extras=extras, cause=cause
            ),
        )

    def match(self, action: str, data: str = "") -> str | None:
        """The package that answers an intent without a component."""
        return self._system.match(action, data)

    def force_stop(self, package: str) -> None:
        """End an app; raises UnknownPackage."""
        self._installed(package)
        self._in({"force_stop": package}, lambda cause: self._system.stop(package))

    def clear(self, package: str) -> None:
        """Forget an app's data and end it; raises UnknownPackage."""
        self._installed(package)
        self._in({"clear": package}, lambda cause: self._acts.clear_app(package, cause))

    def install(self, package: str, label: str = "") -> None:
        """Install a package; one that the phone has the app of comes with its screens."""
        self._in(
            {"install": package}, lambda cause: self._system.commit("install", cause, package=package, label=label)
        )

    def uninstall(self, package: str) -> None:
        """Remove a package and its data; raises UnknownPackage."""
        self._installed(package)
        self._in({"uninstall": package}, lambda cause: self._system.uninstall(package, cause))

    def grant(self, package: str, permission: str) -> None:
        """Give a permission; raises UnknownPackage, and ValueError for one the package does not ask for."""
        self._in(
            {"grant": package},
            lambda cause: self._system.commit("grant", cause, package=package, permission=permission),
        )

    def revoke(self, package: str, permission: str) -> None:
        """Take a permission away; raises UnknownPackage."""
        self._in(
            {"revoke": package},
            lambda cause: self._system.commit("revoke", cause, package=package, permission=permission),
        )

    def packages(self) -> tuple[Package, ...]:
        """Installed packages in the order of their installation."""
        return self._system.packages()

    def running(self) -> tuple[tuple[int, str], ...]:
        """Process id and package of what runs."""
        return self._system.running()

    def resolve(self, package: str) -> str | None:
        """The component the launcher would start, or None."""
        return self._system.resolve(package)

    def _installed(self, package: str) -> None:
        names = tuple(row.name for row in self.packages())
        if package not in names:
            raise UnknownPackage(package, names)

    def _in(self, data: Mapping[str, Any], run: Callable[[str], T]) -> T:
        cause = self.journal.input({key: value for key, value in data.items() if value})
        with self._picture.change():
            result = run(cause)
            self._session.changed()
        return result

    # state

    @property
    def awake(self) -> bool:
        """Whether the screen is on."""
        return self._session.awake

    def wake(self) -> None:
        self._in({"power": "wake"}, lambda cause: self._system.power.wake())

    def sleep(self) -> None:
        """Switch the screen off; the phone locks unless its lock is "none"."""
        self._in({"power": "sleep"}, lambda cause: self._system.power.sleep())

    @property
    def locked(self) -> bool:
        return self._session.locked

    def unlock(self) -> None:
        """Leave the lock screen (`wm dismiss-keyguard`): a swipe lock opens, a PIN lock asks for the PIN."""
        self._in({"power": "unlock"}, lambda cause: self._system.power.dismiss())

    @property
    def clipboard(self) -> str:
        return self._session.clipboard

    @clipboard.setter
    def clipboard(self, text: str) -> None:
        self._session.clipboard = text

    @property
    def toast(self) -> str | None:
        """The text of the last toast, whether it still shows or not."""
        return self._session.last_toast

    def clear_toast(self) -> None:
        """Forget the last toast; one that shows stays."""
        self._session.last_toast = None

    def show_toast(self, text: str, long: bool = False) -> None:
        """Show a toast from outside the apps."""
        self._in({"toast": text}, lambda cause: self._acts.toast(text, cause, long=long))

    @property
    def ime_shown(self) -> bool:
        """Whether the input method serves a field."""
        return self._session.ime_shown and self._text.focused() is not None

    @property
    def ime_delay(self) -> Callable[[], float] | None:
        """How late the keyboard comes each time it is asked for, ms; None for at once."""
        return self._session.ime_delay

    @ime_delay.setter
    def ime_delay(self, delay: Callable[[], float] | None) -> None:
        self._session.ime_delay = delay

    @property
    def screen(self) -> str:
        """The name of the screen in front, dialogs included."""
        return self._session.tasks.front.top.name

    def veil(self, kind: Veil, ms: float) -> None:
        """Hide the app in front behind its starting window ("starting") or a progress circle ("loading")."""
        self._session.cover(kind, ms)

    def push_down(self, dp: float, after_ms: float) -> None:
        """Let something pop in at the top of the screen in front, later, that pushes it down."""
        self._session.push_down(dp, after_ms)

    def hide_ime(self) -> None:
        self._in({"ime": "hide"}, lambda cause: self._text.hide())

    def input_methods(self) -> tuple[InputMethod, ...]:
        """Installed input methods."""
        return self._system.input_methods()

    def set_ime(self, id: str) -> None:
        """Choose an input method and enable it; raises UnknownInputMethod."""
        self._in({"ime": id}, lambda cause: self._system.set_ime(id, cause))

    def enable_ime(self, id: str, on: bool = True) -> None:
        """Offer an input method or not; raises UnknownInputMethod."""
        self._in({"ime": id, "on": on}, lambda cause: self._system.enable_ime(id, on, cause))

    @property
    def current_ime(self) -> str:
        return self._system.current_ime

    def ime_broadcast(self, action: str, extras: Mapping[str, str | int]) -> ImeReply:
        """A broadcast to uiautomator2's keyboard; result 0 when it is not the chosen one."""
        secret = self._text.focused()
        told = text_data(str(extras.get("text", "")), password=secret is not None and secret.password)
        return self._in(
            {"broadcast": action, **({"text": told} if "text" in extras else {})},
            lambda cause: self._text.broadcast(action, extras, cause),
        )

    @property
    def focused_field(self) -> Node | None:
        """The text field that has the focus."""
        field = self._text.focused()
        return field.node if field is not None else None

    @property
    def focused_window(self) -> str:
        """`package/activity`, or the title of the system window that keys go to; "" in the dark without a lock."""
        focused = next((window for window in reversed(self._builder.windows()) if window.focused), None)
        if focused is None and not self.awake and not self.locked:
            return ""
        return focused.title if focused is not None else "NotificationShade"

    def open_notifications(self) -> None:
        self._in({"shade": "notifications"}, lambda cause: self._acts.shade("notifications"))

    def open_quick_settings(self) -> None:
        self._in({"shade": "quick_settings"}, lambda cause: self._acts.shade("quick_settings"))

    def close_shade(self) -> None:
        self._in({"shade": "close"}, lambda cause: self._acts.shade(""))

    def set_rotation(self, rotation: int, freeze: bool = True) -> None:
        """Turn the phone by quarter turns (0 to 3); frozen, it does not follow its sensor."""
        self._in({"rotation": rotation}, lambda cause: self._system.set_rotation(rotation, freeze, cause))

    @property
    def rotation_frozen(self) -> bool:
        return not self.world.settings.flag("system", "accelerometer_rotation")

    @property
    def brightness(self) -> int:
        """Of the screen, 0 to 255."""
        return int(self.world.settings.number("system", "screen_brightness", 128))

    def put_setting(self, ns: str, key: str, value: str) -> None:
        """Store a setting from outside the apps (`settings put`)."""
        self._in(
            {"setting": f"{ns}/{key}"}, lambda cause: self._system.commit("put", cause, ns=ns, key=key, value=value)
        )
