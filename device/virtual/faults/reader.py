"""What programs read of the screen's structure: the phone's tree, with the faults that are armed."""

from __future__ import annotations

from device.virtual.errors import PhoneError
from device.virtual.faults.injector import FaultInjector
from device.virtual.faults.tree import Dump, FailingDump, TreeFault, Windows
from device.virtual.phone import VirtualPhone
from device.virtual.windows import STATUS_BAR_DP


class DumpFailed(PhoneError):
    """The dumper ends without a tree; `status` is its exit status."""

    def __init__(self, words: str, status: int) -> None:
        super().__init__(words)
        self.status = status


def dump(
    phone: VirtualPhone,
    injector: FaultInjector,
    path: str,
    *,
    compressed: bool = False,
    max_depth: int = 50,
    active_only: bool = False,
) -> str:
    """The tree as XML, as `path` ("stock" or "u2") gives it. Raises DumpFailed."""
    if not injector.armed(TreeFault):
        return phone.dump(path == "u2", compressed, max_depth, active_only)
    windows = phone.windows()
    one = Dump(path=path, bar_px=round(STATUS_BAR_DP * phone.density / 160), before=injector.last_windows)
    fired = injector.firing(phone, TreeFault, one, {"path": path})
    injector.last_windows = windows
    for each in fired:
        if isinstance(each.fault, FailingDump):
            raise DumpFailed(each.fault.words, each.fault.status)
        windows = each.fault.change(windows, one, each.random)
    xml = phone.dump(path == "u2", compressed, max_depth, active_only, windows)
    for each in fired:
        xml = each.fault.cut(xml)
    return xml


def windows(phone: VirtualPhone, injector: FaultInjector) -> Windows:
    """What selectors of the automation server look through."""
    found = phone.windows()
    if not injector.armed(TreeFault):
        return found
    one = Dump(path="u2", lookup=True)
    for each in injector.firing(phone, TreeFault, one, {"path": "u2", "lookup": True}):
        found = each.fault.change(found, one, each.random)
    return found
