"""Accessibility services as the settings keep them: which are switched on, and what the system writes beside."""

from __future__ import annotations

from collections.abc import Sequence

from device.virtual.core.settings import Settings

TALKBACK = "com.google.android.marvin.talkback/com.google.android.marvin.talkback.TalkBackService"
SWITCH_ACCESS = "com.google.android.marvin.talkback/com.google.android.accessibility.switchaccess.SwitchAccessService"
"""Two services of Android's accessibility suite; the phone models what the first does with fingers."""

ENABLED = "enabled_accessibility_services"


def enabled_services(settings: Settings) -> list[str]:
    """Components in secure `enabled_accessibility_services`, which separates them by colons."""
    return [name for name in settings.get("secure", ENABLED).split(":") if name and name != "null"]


def put_services(settings: Settings, names: Sequence[str]) -> None:
    """Store the list; `accessibility_enabled` and `touch_exploration_enabled` follow it. Only inside a command."""
    settings.put("secure", ENABLED, ":".join(names))
    follow_services(settings)


def follow_services(settings: Settings) -> None:
    """Write what the accessibility manager writes when the list has changed. Only inside a command."""
    names = enabled_services(settings)
    settings.put("secure", "accessibility_enabled", bool(names))
    settings.put("secure", "touch_exploration_enabled", TALKBACK in names)
