"""The pages that the episodes happen on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from policies.base import Status
from tests.policies.phone import Episode, Phone, Row

LONG = [Row(f"Entry {letter}") for letter in "abcdefghijklmnopqrstuvwxyz"]
PAGES: dict[str, Sequence[Row]] = {
    "home": [Row("Welcome", text_only=True)],
    "settings": [
        Row("Settings", text_only=True),
        Row("Network & internet", "Wi-Fi, hotspot"),
        Row("Display size and text"),
        Row("Accessibility", "Display, interaction", go="accessibility"),
        Row("Display", "Dark theme, font size", go="display"),
        Row("Location", go="location"),
        *LONG,
        Row("About phone", go="about"),
    ],
    "accessibility": [Row("Wrong page")],
    "display": [
        Row("Display", text_only=True),
        Row("Dark theme", switch="dark"),
        Row("Night light", switch="night", slow=True),
    ],
    "location": [Row("Location", text_only=True), Row("Use location", switch="location")],
    "about": [Row("Model", "Tapwright One")],
    "contacts": [
        Row("Contacts", text_only=True),
        Row("Alex Chen", "Nova Labs", go="nova"),
        Row("Create contact", go="edit"),
        Row("Alex Chen", "Home", go="mine"),
    ],
    "nova": [Row("Nova Labs", text_only=True)],
    "mine": [Row("Private", text_only=True)],
    "edit": [
        Row("Save", go="saved"),
        Row("First name", field="first"),
        Row("Last name", field="last"),
        Row("Company", field="company"),
        Row("Street", field="street"),
        Row("City", field="city"),
        Row("Phone", field="phone"),
        Row("Password", field="password", password=True),
    ],
    "saved": [Row("Saved", text_only=True)],
    "broken": [
        Row("Dead end", deaf=True),
        Row("Dark theme", switch="dark", deaf=True),
        Row("Title", field="title", deaf=True),
        Row("Next", go="saved"),
    ],
    "search": [Row("Search here", field="query")],
    "notes": [Row("Message", field="message"), Row("Title", field="title")],
    "gallery": [Row("Beach", hold="menu"), Row("Beaches")],
    "menu": [Row("Share", go="saved")],
}


def phone(**values: object) -> Phone:
    return replace(Phone(PAGES), **values)  # type: ignore[arg-type]


def complete(episode: Episode) -> str:
    assert episode.finish.status is Status.COMPLETE, episode.finish
    return episode.finish.reason


def impossible(episode: Episode) -> str:
    assert episode.finish.status is Status.IMPOSSIBLE, episode.finish
    return episode.finish.reason
