"""Clipboard and keyboard belong to the phone's owner: written down before they are changed, put back afterwards."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from device.adb import apps
from device.adb.changes import Change, ChangeJournal, digest
from device.adb.typing import Typist
from device.adb.u2 import U2
from device.errors import AppNotFound, InstallRefused, LinkLost, UnsupportedText
from tests.device.adb.phone_bench import CONTACTS, TALKBACK, Bench, QuickClock, field_text, open_editor
from tests.device.adb.server import SERIAL, Drop, Stage, healthy, in_turn, shell
from tests.device.adb.test_typing_outcomes import IME, TAKES_TEXT, TextField
from tests.lab import Lab

pytestmark = pytest.mark.anyio

ADB_KEYBOARD = "com.github.uiautomator/.AdbKeyboard"


@contextlib.asynccontextmanager
async def server_of(stage: Stage) -> AsyncIterator[U2]:
    async with stage.serving() as server:
        u2 = await U2.start(server.link(SERIAL))
        try:
            yield u2
        finally:
            await u2.close()


def typist(u2: U2, journal: ChangeJournal) -> Typist:
    return Typist(u2._link, QuickClock(), use_tree=True, journal=journal)


async def test_the_clipboard_is_written_down_before_it_is_changed_and_struck_out_when_it_is_back(
    tmp_path: Path,
) -> None:
    one = TextField(text="Ada ", clipboard="kept")
    automation = one.automation()
    journal = ChangeJournal(tmp_path / "changes")
    seen: list[tuple[Change, ...]] = []

    def paste(params: list[object]) -> None:
        seen.append(tuple(ChangeJournal(tmp_path / "changes").pending))
        one.paste(params)

    automation.results["pasteClipboard"] = paste
    async with server_of(healthy(automation)) as u2:
        landed = await typist(u2, journal).type("secret", False, u2, lambda: None)
    assert landed.text == "Ada secret" and one.clipboard == "kept"
    assert seen == [(Change(kind="clipboard", name="", before="kept", ours=digest("secret")),)]
    assert not journal.pending and "secret" not in (tmp_path / "changes").read_text()


async def test_a_clipboard_that_could_not_be_put_back_stays_written_down_and_is_put_back_the_next_time(
    tmp_path: Path,
) -> None:
    one = TextField(text="Ada ", clipboard="kept")
    automation = one.automation()
    journal = ChangeJournal(tmp_path / "changes")
    async with server_of(healthy(automation)) as u2:
        hands = typist(u2, journal)

        def drop(params: list[object]) -> object:
            automation.results["setClipboard"] = automation.results["pasteClipboard"] = Drop()
            return Drop()

        automation.results["pasteClipboard"] = drop
        with pytest.raises(LinkLost):
            await hands.type("one", False, u2, lambda: None)
        assert [change.before for change in journal.pending] == ["kept"] and one.clipboard == "one"
    automation.results.update(TextField.automation(one).results)
    async with server_of(healthy(automation)) as u2:
        await typist(u2, journal).type(" two", False, u2, lambda: None)
    assert one.clipboard == "kept" and not journal.pending


async def test_what_the_owner_copied_after_a_failure_is_theirs() -> None:
    one = TextField(text="Ada ", clipboard="copied since")
    journal = ChangeJournal()
    journal.record(Change(kind="clipboard", name="", before="old", ours=digest("typed long ago")))
    async with server_of(healthy(one.automation())) as u2:
        await typist(u2, journal).type("Lovelace", False, u2, lambda: None)
    assert one.clipboard == "copied since" and not journal.pending


async def test_a_keyboard_is_not_switched_unless_that_was_allowed() -> None:
    stage = healthy(None)
    stage.phone["shell,v2,raw:dumpsys input_method"] = shell(TAKES_TEXT)
    stage.phone[IME] = shell("com.example.keys/.Keys\n")
    stage.phone["shell,v2,raw:ime list"] = shell(f"{ADB_KEYBOARD}\ncom.example.keys/.Keys\n")
    async with stage.serving() as server:
        with pytest.raises(UnsupportedText):
            await Typist(server.link(SERIAL), QuickClock(), use_tree=True).type("你好", False, None, lambda: None)
    assert not [one for one in stage.asked if "ime " in one]


async def test_a_switched_keyboard_is_put_back_also_when_it_does_not_take_the_text() -> None:
    stage = healthy(None)
    stage.phone["shell,v2,raw:dumpsys input_method"] = shell(TAKES_TEXT)
    stage.phone[IME] = shell("com.example.keys/.Keys\n")
    stage.phone["shell,v2,raw:ime list"] = shell(f"{ADB_KEYBOARD}\ncom.example.keys/.Keys\n")
    stage.phone["shell,v2,raw:ime"] = shell()
    stage.phone["shell,v2,raw:am broadcast"] = in_turn(shell("Broadcast completed: result=0\n"))
    journal = ChangeJournal()
    async with stage.serving() as server:
        hands = Typist(server.link(SERIAL), QuickClock(), use_tree=True, journal=journal, switch_keyboard=True)
        with pytest.raises(UnsupportedText):
            await hands.type("你好", False, None, lambda: None)
    done = [one.removeprefix("shell,v2,raw:") for one in stage.asked if "raw:ime " in one]
    assert done[1:] == [
        f"ime enable {ADB_KEYBOARD}",
        f"ime set {ADB_KEYBOARD}",
        "ime set com.example.keys/.Keys",
        f"ime disable {ADB_KEYBOARD}",
    ]
    assert not journal.pending


# On a phone


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    lab = Lab(tmp_path_factory.mktemp("kept"))
    with lab.adb_server(), lab.phone() as phone:
        yield Bench(lab, phone)


def keyboard_apk() -> bytes:
    """The app that brings the keyboard for programs, as uiautomator2 ships it."""
    package = find_spec("uiautomator2")
    assert package is not None and package.origin is not None
    return (Path(package.origin).parent / "assets" / "app-uiautomator.apk").read_bytes()


async def test_an_app_is_installed_used_and_removed_when_asked_and_the_keyboard_is_as_before(bench: Bench) -> None:
    link, before = bench.server.link(bench.phone.serial), bench.keyboard()
    await apps.install(link, keyboard_apk())
    assert "com.github.uiautomator" in await bench.sh("pm", "list", "packages")
    assert "tapwright-" not in await bench.sh("ls", "/data/local/tmp")
    async with bench.opened() as device:
        await open_editor(device)
    bench.do("enable_accessibility_service", id=TALKBACK)
    journal = ChangeJournal()
    hands = Typist(link, QuickClock(), use_tree=True, journal=journal, switch_keyboard=True)
    landed = await hands.type("你好 👍🏽", False, None, lambda: None)
    assert landed.path == "keyboard" and bench.keyboard() == before and not journal.pending
    bench.do("enable_accessibility_service", id=TALKBACK, on=False)
    async with bench.opened() as device:
        assert field_text(await device.observe()) == "你好 👍🏽"
    await apps.uninstall(link, "com.github.uiautomator")
    assert "com.github.uiautomator" not in await bench.sh("pm", "list", "packages")


async def test_what_is_no_app_is_refused_in_the_phones_words_and_leaves_nothing_behind(bench: Bench) -> None:
    link = bench.server.link(bench.phone.serial)
    with pytest.raises(InstallRefused, match="INSTALL_PARSE_FAILED_NOT_APK"):
        await apps.install(link, b"no apk")
    assert "tapwright-" not in await bench.sh("ls", "/data/local/tmp")


@pytest.mark.parametrize("package", ["org.example.absent", "x; reboot", "", "-k"])
async def test_removing_what_is_not_there_is_refused(bench: Bench, package: str) -> None:
    with pytest.raises(AppNotFound):
        await apps.uninstall(bench.server.link(bench.phone.serial), package)


async def test_an_app_of_the_system_is_not_removed(bench: Bench) -> None:
    with pytest.raises(InstallRefused, match="DELETE_FAILED"):
        await apps.uninstall(bench.server.link(bench.phone.serial), CONTACTS)
