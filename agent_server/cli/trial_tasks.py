"""The ten tasks of `tapwright models try`, and how the phone's own world tells whether each was done.

The list is frozen: a table made today can be laid beside one made later. Whoever needs other tasks adds another list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

LIST = "settings-and-contacts-1"
"""Changes with the list, and stands in every result."""
NEW = "contacts.contact/+"
"""The path of a contact that was not there before, whatever number it got."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialTask:
    """One task on a fresh virtual phone of seed 1.

    `wanted` has each change that must be there, by the path of the phone's own `/diff`; of a record that came, the
    fields that must be right. `aside` are beginnings of paths that may change along with it; anything else that
    changes is damage. `answer` is what must be in the answer of a task that asks for something.
    """

    id: str
    goal: str
    steps: int
    wanted: Mapping[str, Any] = field(default_factory=dict)
    aside: tuple[str, ...] = ()
    answer: str = ""


_TOGGLE, _FORM = 10, 16
"""Steps a task may take: twice what one needs who knows the way, and some to look around."""

TASKS = (
    TrialTask(
        id="dark-theme",
        goal="Turn on the dark theme.",
        steps=_TOGGLE,
        wanted={"settings/secure/ui_night_mode": "2"},
    ),
    TrialTask(
        id="bluetooth",
        goal="Switch Bluetooth on.",
        steps=_TOGGLE,
        wanted={"settings/global/bluetooth_on": "1"},
        aside=("settings.bluetoothdevice/",),
    ),
    TrialTask(
        id="wifi-off",
        goal="Turn Wi-Fi off.",
        steps=_TOGGLE,
        wanted={"settings/global/wifi_on": "0"},
        aside=("settings.wifinetwork/",),
    ),
    TrialTask(
        id="night-light",
        goal="Turn on Night Light, so that the screen is easier on the eyes in the evening.",
        steps=_TOGGLE,
        wanted={"settings/secure/night_display_activated": "1"},
    ),
    TrialTask(
        id="battery-percentage",
        goal="Show the battery percentage in the status bar.",
        steps=_TOGGLE,
        wanted={"settings/system/status_bar_show_battery_percent": "1"},
    ),
    TrialTask(
        id="screen-timeout",
        goal="Let the screen turn off only after 5 minutes without a touch.",
        steps=_TOGGLE,
        wanted={"settings/system/screen_off_timeout": "300000"},
    ),
    TrialTask(
        id="new-contact",
        goal="Add a contact: first name Ada, last name Lovelace, phone number +44 20 7946 0018.",
        steps=_FORM,
        wanted={NEW: {"first": "Ada", "last": "Lovelace", "phone": "+442079460018"}},
    ),
    TrialTask(
        id="favourite",
        goal="Mark Lena Müller as a favourite in Contacts.",
        steps=_FORM,
        wanted={"contacts.contact/25/starred": True},
    ),
    TrialTask(
        id="new-number",
        goal="Grace Kim has a new phone number: change it to +1 555 0199.",
        steps=_FORM,
        wanted={"contacts.contact/7/phone": "+15550199"},
    ),
    TrialTask(
        id="read-email",
        goal="What is the e-mail address of Kenji Watanabe in Contacts? Answer with the address.",
        steps=_FORM,
        answer="kenji@example.com",
    ),
)


def verdict(task: TrialTask, changes: Iterable[Mapping[str, Any]], answer: str) -> str:
    """An empty string when the phone's world says that the task was done and nothing else, otherwise what is wrong.

    `changes` are the entries {path, before, after} of the phone's `/diff` since before the task.
    """
    open_, damage = dict(task.wanted), []
    for change in changes:
        path, after = str(change["path"]), change["after"]
        new = path.startswith("contacts.contact/") and path.count("/") == 1 and change["before"] is None
        name = NEW if new else path
        if name in open_ and _fits(open_[name], after):
            del open_[name]
        elif not path.startswith(task.aside or ("\0",)):
            damage.append(path)
    if task.answer and task.answer.casefold() not in answer.casefold():
        open_["answer"] = task.answer
    missing = [f"{path} is not {_told(value)}" for path, value in open_.items()]
    return "; ".join((*missing, *(f"{path} changed" for path in damage if path not in open_)))


def _fits(wanted: Any, found: Any) -> bool:
    """Telephone numbers count by their digits: fields put spaces into them."""
    if isinstance(wanted, Mapping):
        return isinstance(found, Mapping) and all(_fits(value, found.get(key)) for key, value in wanted.items())
    if isinstance(wanted, str) and wanted.startswith("+") and isinstance(found, str):
        return wanted == "".join(sign for sign in found if sign.isdigit() or sign == "+")
    return bool(wanted == found and type(wanted) is type(found))


def _told(value: Any) -> str:
    return " ".join(map(str, value.values())) if isinstance(value, Mapping) else str(value)
