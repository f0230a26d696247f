"""Words of the phone in its languages: a label is `{"en": ..., "zh": ...}`; English stands in for what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from device.virtual.core.world import World

Words = Mapping[str, str]


def words(en: str, zh: str = "") -> Words:
    """A label in English and, where given, Chinese."""
    return {"en": en, "zh": zh} if zh else {"en": en}


def say(label: Words | str, lang: str) -> str:
    """The label in `lang` ("en", "zh"); a plain string is a name and stays as it is."""
    return label if isinstance(label, str) else label.get(lang) or label["en"]


def language(w: World) -> str:
    """The phone's language ("en", "zh"), for commands: screens find it in their environment."""
    return "zh" if w.settings.get("system", "system_locales").startswith("zh") else "en"
