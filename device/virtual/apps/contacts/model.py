"""The people in the address book, and how they are ordered and found."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """One person. Any of the texts may be empty, but not all of names, company, phone and email."""

    id: int
    first: str = ""
    last: str = ""
    company: str = ""
    phone: str = ""
    email: str = ""
    starred: bool = False

    @property
    def name(self) -> str:
        """First and last name, in East Asian order for East Asian names; other data stand in for missing names."""
        if _east_asian(self.first) and _east_asian(self.last):
            return self.last + self.first
        return " ".join(filter(None, (self.first, self.last))) or self.company or self.phone or self.email

    @property
    def initials(self) -> str:
        """One letter of each name, at most two; the family name's sign alone for East Asian names."""
        if _east_asian(self.first) and _east_asian(self.last):
            return self.last[0]
        letters = [part[0].upper() for part in (self.first, self.last) if part]
        return "".join(letters) or self.name[:1].upper()

    @property
    def hue(self) -> int:
        """Colour of the round picture, 0 to 359: always the same for the same name."""
        return sum(ord(char) * (n + 7) for n, char in enumerate(self.name)) * 37 % 360


def _east_asian(name: str) -> bool:
    scripts = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL")
    return bool(name) and all(unicodedata.name(char, "").startswith(scripts) for char in name)


def fold(text: str) -> str:
    """Text as it is compared: without case, and without the accents of Latin, Greek and Cyrillic letters."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def section(contact: Contact) -> str:
    """The letter this person is listed under; "#" for names that begin with neither letter nor ideograph."""
    first = fold(contact.name)[:1].upper()
    return first if first.isalpha() else "#"


def ordered(contacts: Iterable[Contact]) -> list[Contact]:
    """By name: letters by code point without accents, "#" at the end."""
    return sorted(contacts, key=lambda c: (section(c) == "#", fold(c.name), c.id))


def matches(contact: Contact, query: str) -> bool:
    """Whether every word of the query is part of the person's texts, or its digits part of the phone number."""
    texts = fold(" ".join((contact.name, contact.first, contact.last, contact.company, contact.email)))
    digits = "".join(filter(str.isdigit, contact.phone))

    def found(part: str) -> bool:
        number = "".join(filter(str.isdigit, part))
        return part in texts or bool(number and number in digits)

    return all(found(part) for part in fold(query).split())
