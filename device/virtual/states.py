"""The states of a phone that get in the way: what can be done to it beside looking and touching.

Error and permission dialogs, lock and sleep, windows that may not be captured, notifications over the app, a screen
reader, the displays of a foldable. Every call is journalled and is part of a snapshot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from device.virtual.core.accessibility import ENABLED, enabled_services
from device.virtual.core.package import Notification
from device.virtual.power import LockKind, Wakefulness
from device.virtual.profiles import Panel
from device.virtual.services import PhoneServices
from device.virtual.shell.bars import GESTURES, THREE_BUTTONS

NAVIGATION = {"gestures": GESTURES, "buttons": THREE_BUTTONS}
CAPTURES = ("black", "null")


@dataclass(frozen=True, slots=True)
class Display:
    """A display with what it is made of, and whether it is the one in use."""

    panel: Panel
    active: bool


class PhoneStates(PhoneServices):
    """See the module."""

    # error and permission dialogs

    def show_anr(self, package: str = "") -> bool:
        """The app (that in front, by default) does not respond, and the system says so; whether the dialog shows.

        It does not with global `hide_error_dialogs` 1. Raises UnknownPackage.
        """
        return self._in({"anr": package or "front"}, lambda cause: self._alerts.error("anr", package, cause))

    def show_crash(self, package: str = "", again: bool = False) -> bool:
        """The app ends, and the system says so: it "has stopped", or "keeps stopping" the next time or with `again`."""
        return self._in(
            {"crash": package or "front"}, lambda cause: self._alerts.error("crash", package, cause, again=again)
        )

    def dismiss_error(self) -> bool:
        """Take the top error dialog away as if nobody had answered it; False when there is none."""
        return self._in({"error": "dismiss"}, lambda cause: self._alerts.end_error("", cause))

    @property
    def error_dialog(self) -> tuple[str, str] | None:
        """Kind ("anr" or "crash") and package of the error dialog in view."""
        error = self._session.error
        return (error.kind, error.package) if error is not None else None

    def request_permission(self, package: str, permission: str) -> bool:
        """The app asks for a permission; whether the dialog shows: not when it has it, or was refused it for good.

        Raises UnknownPackage, and ValueError for a permission the app does not declare.
        """
        return self._in({"request": permission}, lambda cause: self._alerts.request(package, permission, cause))

    @property
    def permission_dialog(self) -> tuple[str, str] | None:
        """Package and permission of the permission dialog in front."""
        return self._alerts.requested

    def reset_permissions(self, package: str = "") -> None:
        """Take all runtime permissions away, as if nobody had ever been asked: of one package, or of all."""
        if package:
            self._installed(package)
        self._in(
            {"reset_permissions": package or "all"},
            lambda cause: self._system.commit("reset_permissions", cause, package=package),
        )

    # power and lock

    @property
    def wakefulness(self) -> Wakefulness:
        """Awake, Asleep, Dozing or Dreaming, as `dumpsys power` says."""
        return self._system.power.wakefulness

    def doze(self) -> None:
        """Switch the screen off into ambient display; with secure `doze_always_on` 1 it shows a clock."""
        self._in({"power": "doze"}, lambda cause: self._system.power.sleep("dozing"))

    def dream(self) -> None:
        """Show the screen saver."""
        self._in({"power": "dream"}, lambda cause: self._system.power.dream())

    @property
    def lock_kind(self) -> LockKind:
        """What locks the phone: none, swipe or pin."""
        return self._system.power.lock

    def set_lock(self, kind: str = "swipe", pin: str = "") -> None:
        """Change what locks the phone; raises ValueError. The PIN never reaches the journal."""
        self._in({"lock": kind}, lambda cause: self._system.power.set_lock(kind, pin, cause))

    def pin_matches(self, pin: str) -> bool:
        """Whether this is the PIN of the lock."""
        return self._system.power.matches(pin)

    def lock(self) -> None:
        """Lock with the screen on; nothing with the lock "none"."""
        self._in({"power": "lock"}, lambda cause: self._system.power.lock_now())

    @property
    def bouncer(self) -> bool:
        """Whether the phone asks for its PIN now."""
        return self._session.locked and self._session.pad.open

    # windows that may not be captured

    def set_secure(self, package: str, on: bool = True, capture: str = "black") -> None:
        """Give every window of an app FLAG_SECURE; raises UnknownPackage and ValueError.

        `capture` is what the automation server's takeScreenshot gives of it: a "black" picture, or "null".
        """
        self._installed(package)
        if capture not in CAPTURES:
            raise ValueError(f"capture must be one of {', '.join(CAPTURES)}, not {capture!r}")
        self._in({"secure": package, "on": on}, lambda cause: self._set_secure(package, on, capture))

    def _set_secure(self, package: str, on: bool, capture: str) -> None:
        if on:
            self._session.secure[package] = capture
        else:
            self._session.secure.pop(package, None)

    @property
    def secure(self) -> bool:
        """Whether something in view may not be captured."""
        return self._picture.secure

    @property
    def capture_refused(self) -> bool:
        """Whether the automation server gives no picture at all of what is in view."""
        shown = {window.package for window in self._builder.windows() if window.secure}
        return any(self._session.secure.get(package) == "null" for package in shown)

    # notifications

    def notify(self, package: str, title: str, text: str = "", heads_up: bool = True) -> Notification:
        """Post a notification; with `heads_up` it also shows over the app for five seconds. Raises UnknownPackage."""
        return self._in({"notify": package}, lambda cause: self._alerts.notify(package, title, text, heads_up, cause))

    # accessibility

    def enable_accessibility_service(self, id: str, on: bool = True) -> None:
        """Switch a service on or off as a person does in the settings."""
        known = [name for name in self.accessibility_services if name != id]
        self.put_setting("secure", ENABLED, ":".join([*known, id] if on else known))

    @property
    def accessibility_services(self) -> tuple[str, ...]:
        """Services that are switched on."""
        return tuple(enabled_services(self.world.settings))

    @property
    def bound_services(self) -> tuple[str, ...]:
        """Services that run: those switched on, unless an automation suspends them."""
        return () if self._session.automation == "suppressing" else self.accessibility_services

    @property
    def screen_reader(self) -> bool:
        """Whether TalkBack runs now, so that fingers explore instead of touching."""
        return self._reader.active

    @property
    def accessibility_focus(self) -> str | None:
        """What the screen reader's focus is on, as it is spoken."""
        focused = self._reader.focused
        return focused.spoken if focused is not None else None

    def automation_started(self, suppress: bool = True) -> None:
        """A program has taken the phone's UiAutomation; without the don't-suppress flag services are suspended."""
        self._automation("suppressing" if suppress else "on")

    def automation_ended(self) -> None:
        """UiAutomation is free again: services that were suspended run again."""
        self._automation("")

    def _automation(self, how: str) -> None:
        before, self._session.automation = self.bound_services, how
        if before != self.bound_services:
            suspended = not self.bound_services
            told = {"services": "suspended" if suspended else "resumed", "of": list(self.accessibility_services)}
            self.journal.append("accessibility", told)
        if not self._reader.active:
            self._session.a11y_focus = None
        self._session.changed()

    # displays and navigation

    def displays(self) -> tuple[Display, ...]:
        """The phone's displays in the order of the hardware composer."""
        return tuple(Display(panel, panel is self.panel or panel == self.panel) for panel in self.profile.panels)

    @property
    def panel(self) -> Panel:
        """The display in use."""
        return self._builder.panel

    def fold(self, folded: bool = True) -> None:
        """Close a foldable, so that its outer display is in use, or open it; raises ValueError for another phone."""
        if len(self.profile.panels) < 2:
            raise ValueError(f"the {self.profile.name} does not fold: use the profile foldable")
        self._in({"fold": folded}, lambda cause: self._fold(folded))

    def _fold(self, folded: bool) -> None:
        self._session.folded = folded

    @property
    def folded(self) -> bool:
        return self._session.folded

    def hold(self, rotation: int) -> None:
        """Turn the phone in the hand (0 to 3 quarter turns); the display follows while auto-rotate is on."""
        self._in({"hold": rotation}, lambda cause: self._system.hold(rotation))

    def set_navigation(self, mode: str) -> None:
        """Gesture navigation ("gestures") or three buttons ("buttons"); raises ValueError."""
        if mode not in NAVIGATION:
            raise ValueError(f"navigation must be one of {', '.join(NAVIGATION)}, not {mode!r}")
        self.put_setting("secure", "navigation_mode", NAVIGATION[mode])

    @property
    def navigation(self) -> str:
        mode = self.world.settings.get("secure", "navigation_mode", GESTURES)
        return "buttons" if mode == THREE_BUTTONS else "gestures"

    def condition(self) -> dict[str, Any]:
        """All of this as JSON."""
        error, permission = self.error_dialog, self.permission_dialog
        return {
            "wakefulness": self.wakefulness,
            "lock": self.lock_kind,
            "bouncer": self.bouncer,
            "error": {"kind": error[0], "package": error[1]} if error is not None else None,
            "permission": {"package": permission[0], "permission": permission[1]} if permission is not None else None,
            "secure": self.secure,
            "heads_up": self._session.heads_up_shown or None,
            "folded": self.folded,
            "screen_reader": self.screen_reader,
            "automation": self._session.automation,
            "a11y_focus": self.accessibility_focus,
            "navigation": self.navigation,
        }
