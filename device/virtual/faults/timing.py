"""What happens by itself: slow starts, dialogs, interruptions, jumps of the clock, and a link that comes and goes.

Source of ids and behaviour: the reference on real devices; an event happens when its rule says so and asks nobody.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from device.virtual.faults.fault import Fault, number
from device.virtual.phone import VirtualPhone


class Link(Protocol):
    """The phone's connection to the world; its calls may come from the phone's thread and return at once."""

    def away(self, ms: float) -> None:
        """Cut every connection and close the port for that long."""
        ...

    def shut(self, how: str, ms: float) -> None:
        """Cut every connection, then answer handshakes with "unauthorized" or "offline"; 0 ms: until `heal`."""
        ...

    def move(self) -> None:
        """Listen on another port."""
        ...

    def stop_server(self) -> None:
        """End the automation server."""
        ...

    def heal(self) -> None:
        """Answer handshakes as usual again."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Fault):
    """Something that happens to the phone; by default once."""

    def happen(self, phone: VirtualPhone, link: Link | None) -> None:
        """Let it happen; without a link (nobody is connected) what concerns the link is nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anr(Event):
    """The app in front does not respond, and the system says so."""

    def happen(self, phone: VirtualPhone, link: Link | None) -> None:
        phone.show_anr(phone.foreground[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash(Event):
    """The app in front has crashed, and the system says so."""

    def happen(self, phone: VirtualPhone, link: Link | None) -> None:
        phone.show_crash(phone.foreground[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionDialog(Event):
    """The app in front asks for a permission; where it declares none such, the first app that does."""

    permission: str = "android.permission.READ_CONTACTS"

    def happen(self, phone: VirtualPhone, link: Link | None) -> None:
        asking = [package.name for package in phone.packages() if self.permission in package.permissions]
        if asking:
            package = phone.foreground[0] if phone.foreground[0] in asking else asking[0]
            phone.revoke(package, self.permission)
            phone.request_permission(package, self.permission)


@dataclass(frozen=True, slots=True, kw_only=True)
class Toast(Event):
    """A toast over the screen."""

    text: str = "Connected to a new network"

    def happen(self, phone: VirtualPhone, link: Link | None) -> None:
        phone.show_toast(self.text, long=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenOff(Event):
    """The screen goes off, and the phone locks if it does so at all."""

    def happen(self, phone: VirtualPhone, link: Link | None) -> None:
        phone.sleep()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotate(Event):
    """Somebody turns the phone."""

    to: int = number(1, 0, 3)

    def happen(self, phone: VirtualPhone, link: Link | None) -> None:
        phone.set_rotation(self.to, True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockJump(Event):
    """Date and time jump; monotonic time goes on."""

    ms: float = number(3_600_000.0, -1e12, 1e12)

    def happen(self, phone: VirtualPhone, link: Link | None) -> None:
        phone.clock.set_wall(phone.clock.wall() + timedelta(milliseconds=self.ms))


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnect(Event):
    """The link is cut and the phone is gone for `ms`, then it listens where it did."""

    ms: float = number(3000.0, 0, 3_600_000)

    def happen(self, phone: VirtualPhone, link: Link | None) -> None:
        if link is not None:
            link.away(self.ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShutEvent(Event):
    """The link is cut, and handshakes are not answered as usual for `ms`; 0: until the fault is cleared."""

    ms: float = number(0.0, 0, 3_600_000)

    def happen(self, phone: VirtualPhone, link: Link | None) -> None:
        if link is not None:
            link.shut(self.name, self.ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unauthorized(ShutEvent):
    """The phone asks its owner whether this computer may debug it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offline(ShutEvent):
    """The phone takes connections and says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reboot(Event):
    """The phone restarts: gone for `ms`, then locked, with no app and no automation server running."""

    ms: float = number(8000.0, 0, 3_600_000)

    def happen(self, phone: VirtualPhone, link: Link | None) -> None:
        if link is not None:
            link.stop_server()
            link.away(self.ms)
        reboot(phone)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPort(Event):
    """The phone leaves its port for another: to adb it is a new phone, as wireless debugging after a restart."""

    def happen(self, phone: VirtualPhone, link: Link | None) -> None:
        if link is not None:
            link.move()


def reboot(phone: VirtualPhone) -> None:
    """End every app and show the lock screen, if the phone has one."""
    for _, package in phone.running():
        if package in phone.apps and not phone.apps[package].wallpaper:
            phone.force_stop(package)
    phone.sleep()
    phone.wake()


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A screen has come to the front; `fresh`: its app, other than the home screen, was not in front before."""

    package: str
    screen: str
    fresh: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningFault(Fault):
    """Something about how a screen opens."""

    def open(self, phone: VirtualPhone) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ColdStart(OpeningFault):
    """An app that comes to the front shows only its starting window for `ms`, which swallows touches."""

    ms: float = number(2000.0, 0, 60_000)

    def fits(self, operation: Opened) -> bool:
        return operation.fresh

    def open(self, phone: VirtualPhone) -> None:
        phone.veil("starting", self.ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spinner(OpeningFault):
    """A screen that opens shows a progress circle first, for `ms`."""

    ms: float = number(1500.0, 0, 60_000)

    def open(self, phone: VirtualPhone) -> None:
        phone.veil("loading", self.ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class LateLayout(OpeningFault):
    """`ms` after a screen opened, something pops in at its top and pushes it down by `dp`."""

    ms: float = number(800.0, 0, 60_000)
    dp: float = number(72.0, 1, 400)

    def open(self, phone: VirtualPhone) -> None:
        phone.push_down(self.dp, self.ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyboardFault(Fault):
    """Something about how the on-screen keyboard comes."""

    @property
    def delay_ms(self) -> float:
        return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyboardLate(KeyboardFault):
    """The keyboard comes `ms` late."""

    ms: float = number(1500.0, 0, 60_000)

    @property
    def delay_ms(self) -> float:
        return self.ms


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyboardAbsent(KeyboardFault):
    """The keyboard never shows; the field has the focus all the same."""

    @property
    def delay_ms(self) -> float:
        return float("inf")
