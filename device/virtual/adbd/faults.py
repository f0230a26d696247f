"""What can be made to go wrong on a phone, each as a switch: the troubles that programs meet on real phones.

Every firing is journalled as a fault, so that a check can tell a planned failure from a defect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from device.virtual.phone import VirtualPhone

RPC_FAULTS = ("", "hang", "drop", "disconnected")


@dataclass(slots=True, kw_only=True)
class Faults:
    """All off on a healthy phone.

    `refuse_injection`: neither `input` nor the automation server may touch the screen (INJECT_EVENTS);
    `automation_taken`: another program holds UiAutomation, so that no server starts and no dump is made;
    `empty_tree`: dumps have no element; `null_screenshot`: the server's screenshots are null;
    `rpc`: what becomes of the server's calls: "hang" (no answer), "drop" (the connection closes) or
    "disconnected" (UiAutomation not connected); `display_warning`: `screencap` without -d warns on stdout first.
    """

    refuse_injection: bool = False
    automation_taken: bool = False
    empty_tree: bool = False
    null_screenshot: bool = False
    rpc: str = ""
    display_warning: bool = False

    def change(self, values: Mapping[str, Any]) -> None:
        """Set the named switches; raises ValueError for a name or value that is none, before anything changes."""
        known = {field.name: field.default for field in fields(self)}
        for name, value in values.items():
            if name not in known:
                raise ValueError(f"no fault {name!r}; known are {', '.join(known)}")
            if name == "rpc" and value not in RPC_FAULTS:
                raise ValueError(f"rpc must be one of {', '.join(map(repr, RPC_FAULTS))}, not {value!r}")
            if name != "rpc" and not isinstance(value, bool):
                raise ValueError(f"{name} must be true or false, not {value!r}")
        for name, value in values.items():
            setattr(self, name, value)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def fired(phone: VirtualPhone, name: str) -> None:
    """Write down that a fault had its effect."""
    phone.journal.append("fault", {"fault": name})
