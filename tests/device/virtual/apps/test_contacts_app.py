"""The address book, through taps and typed text."""

from __future__ import annotations

import pytest
from finger import Finger

from device.virtual.apps.contacts.model import Contact, matches, ordered, section
from device.virtual.phone import VirtualPhone

CONTACTS = "org.tapwright.contacts"


@pytest.fixture
def book(finger: Finger) -> Finger:
    """A finger on the list of contacts."""
    finger.phone.start(CONTACTS)
    finger.phone.settle()
    finger.changes()
    return finger


def rows(phone: VirtualPhone, **values: object) -> tuple[Contact, ...]:
    return phone.world.table(Contact).find(**values)


def test_a_contact_is_created_through_the_form(book: Finger, phone: VirtualPhone) -> None:
    book.tap("Create contact")
    book.fill("First name", "María")
    book.fill("Last name", "García-张伟")
    book.fill("Phone", "+34 600 555 0123")
    book.tap("Save")
    (made,) = rows(phone, first="María")
    changed = book.changes()
    assert [path for path, *_ in changed] == [f"contacts.contact/{made.id}"]
    assert (made.last, made.phone, made.company, made.email) == ("García-张伟", "+34 600 555 0123", "", "")
    assert book.find("María García-张伟") is not None


def test_a_contact_is_changed_through_the_form(book: Finger, phone: VirtualPhone) -> None:
    (before,) = rows(phone, first="Priya")
    book.tap("Priya Raman")
    book.tap("Edit contact")
    book.tap("Phone")
    phone.clear_text()
    book.type("+1 555 0199")
    book.tap("Save")
    assert book.changes() == [(f"contacts.contact/{before.id}/phone", before.phone, "+1 555 0199")]


def test_an_empty_form_is_not_saved(book: Finger, phone: VirtualPhone) -> None:
    book.tap("Create contact")
    book.tap("Save")
    assert book.changes() == []
    assert phone.toast


def test_typed_text_is_only_thrown_away_after_a_question(book: Finger) -> None:
    book.tap("Create contact")
    book.fill("First name", "Nobody")
    book.back()  # hides the keyboard
    book.back()
    book.tap("Keep editing")
    assert book.find("Nobody") is not None
    book.tap("Close")
    book.tap("Discard")
    assert book.find("Search contacts") is not None
    assert book.changes() == []


def test_an_untouched_form_closes_without_a_question(book: Finger) -> None:
    book.tap("Create contact")
    book.tap("Close")
    assert book.find("Search contacts") is not None


def test_a_contact_is_deleted_after_a_question(book: Finger, phone: VirtualPhone) -> None:
    (victim,) = rows(phone, first="Amina")
    book.tap("Amina Diallo")
    book.tap("Delete")
    book.tap("Cancel")
    assert book.changes() == []
    book.tap("Delete")
    book.tap(id="button1")
    assert [(path, after) for path, _, after in book.changes()] == [(f"contacts.contact/{victim.id}", None)]
    assert book.find("Amina Diallo") is None
    assert book.find("Search contacts") is not None


def test_a_star_makes_a_favourite_and_a_second_tap_takes_it_back(book: Finger, phone: VirtualPhone) -> None:
    (person,) = rows(phone, first="Kenji")
    book.tap("Kenji Watanabe")
    book.tap("Add to favorites")
    assert book.changes() == [(f"contacts.contact/{person.id}/starred", False, True)]
    book.tap("Remove from favorites")
    assert book.changes() == [(f"contacts.contact/{person.id}/starred", True, False)]


def test_search_shows_only_those_who_match(book: Finger) -> None:
    book.tap("Search contacts")
    book.type("alex")
    names = [node.text for node in book.nodes() if node.resource_id == "android:id/title"]
    assert names == ["Alex Chen", "Alex Chen"]


def test_every_contact_can_be_reached_by_scrolling(book: Finger, phone: VirtualPhone) -> None:
    for person in phone.world.table(Contact).all():
        assert book.see(person.name).visible


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("asa", True),
        ("LIND", True),
        ("lindqvist asa", True),
        ("550104", True),
        ("+1 555", True),
        ("lindström", False),
        ("0105", False),
    ],
)
def test_a_query_ignores_case_and_accents_and_reads_digits(query: str, found: bool) -> None:
    person = Contact(id=1, first="Åsa", last="Lindqvist", phone="+1 555 0104")
    assert matches(person, query) is found


def test_names_are_ordered_by_letter_with_signs_at_the_end() -> None:
    names = ["Zoë", "Åsa", "7-up", "Анна", "Bob", "张"]
    people = [Contact(id=n, first=name) for n, name in enumerate(names)]
    assert [section(person) for person in ordered(people)] == ["A", "B", "Z", "А", "张", "#"]


def test_east_asian_names_begin_with_the_family_name() -> None:
    assert Contact(id=1, first="伟", last="张").name == "张伟"
    assert Contact(id=1, first="伟", last="张").initials == "张"
    assert Contact(id=1, first="María", last="García-张伟").name == "María García-张伟"
