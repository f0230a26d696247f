"""Our device on real wires: a real adb server, and a virtual phone in a process of its own.

What an act did is asked of the phone's owner's endpoint, never of the driver.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from device.actions import (
    Action,
    ClearText,
    DoubleTap,
    Drag,
    Key,
    LongPress,
    OpenApp,
    PressKey,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from device.adb.client import AdbServer
from device.adb.connection import Deadline
from device.adb.device import AdbDevice
from device.base import Answer, State, View
from device.errors import AppNotFound, CommandRefused, DeviceError, NoFocusedField, StaleView, UnsupportedText
from device.geometry import Box, Point
from tests.lab import Lab, Phone

pytestmark = pytest.mark.anyio

SETTINGS, CONTACTS = "com.android.settings", "org.tapwright.contacts"
READER = "org.example.reader/.ReaderService"
MIDDLE = Point(0.5, 0.5)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    lab = Lab(tmp_path_factory.mktemp("bench"))
    with lab.adb_server():
        yield lab


@pytest.fixture(scope="module")
def shared(lab: Lab) -> Iterator[tuple[Phone, bytes]]:
    with lab.phone() as phone:
        yield phone, control(phone, "POST", "/snapshot").content


_SINCE: dict[str, int] = {}


def inputs(phone: Phone) -> list[dict[str, Any]]:
    """What fingers and keys did to the phone in this test."""
    return phone.inputs()[_SINCE.get(phone.serial, 0) :]


@pytest.fixture
def phone(shared: tuple[Phone, bytes]) -> Phone:
    """The phone as it came out of the box."""
    phone, fresh = shared
    control(phone, "POST", "/restore", content=fresh)
    # The journal goes on over a restore: each test reads what came after it.
    _SINCE[phone.serial] = len(phone.inputs())
    return phone


def control(phone: Phone, method: str, path: str, **options: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {phone.token}"}
    answer = httpx.request(method, phone.control + path, headers=headers, timeout=20, trust_env=False, **options)
    answer.raise_for_status()
    return answer


@contextlib.asynccontextmanager
async def opened(
    lab: Lab, phone: Phone, *, use_tree: bool = True, consent_accessibility: bool = False
) -> AsyncIterator[AdbDevice]:
    server = AdbServer("127.0.0.1", lab.adb_port)
    device = await AdbDevice.open(server, phone.serial, use_tree=use_tree, consent_accessibility=consent_accessibility)
    try:
        yield device
    finally:
        await device.close()


async def sh(lab: Lab, phone: Phone, *argv: str) -> str:
    return (await AdbServer("127.0.0.1", lab.adb_port).link(phone.serial).shell(argv)).text


def place(view: View, label: str) -> Point:
    """The middle of the element with that text or description."""
    assert view.tree is not None, view.tree_reason
    for node in ElementTree.fromstring(view.tree).iter("node"):
        if label in (node.get("text"), node.get("content-desc"), node.get("hint")):
            edges = [float(one) for one in node.get("bounds", "").replace("][", ",").strip("[]").split(",")]
            return Box.from_pixel(edges[0], edges[1], edges[2], edges[3], view.frame.size).center
    raise AssertionError(f"{label!r} is not on the screen: {view.tree}")


async def tap(device: AdbDevice, label: str) -> None:
    view = await device.observe()
    outcome = await device.act(Tap(place(view, label)), on=view)
    assert outcome.sent is Answer.YES, outcome


async def open_editor(device: AdbDevice) -> None:
    """A form with empty fields; the first has the focus."""
    await device.act(OpenApp("Contacts"))
    await tap(device, "Create contact")
    await tap(device, "First name")


async def automation(lab: Lab, phone: Phone, request: str = "") -> bool:
    """Whether the automation server listens on the phone; sends it a request."""
    try:
        async with await AdbServer("127.0.0.1", lab.adb_port).link(phone.serial).open("tcp:9008") as stream:
            if request:
                stream.send(f"GET {request} HTTP/1.1\r\nHost: phone\r\nConnection: close\r\n\r\n".encode())
                await stream.rest(Deadline.after(5), "stop")
            return True
    except CommandRefused:
        return False


async def stopped(lab: Lab, phone: Phone) -> bool:
    """Whether the automation server is gone, or soon is: the phone ends it when its stream closes."""
    for _ in range(100):
        if not await automation(lab, phone):
            return True
        await asyncio.sleep(0.02)
    return False


def front(phone: Phone) -> str:
    return str(phone.state()["phone"]["foreground"]).split("/")[0]


def touches(phone: Phone) -> list[tuple[str, tuple[int, int]]]:
    """What the finger did in this test, and where it first touched, in pixels."""
    found = []
    for one in inputs(phone):
        data = one["data"]
        if data.get("action") in ("tap", "down", "swipe", "drag"):
            x, y = data["points"][0] if "points" in data else (data["x"], data["y"])
            found.append((data["action"], (int(x), int(y))))
    return found


# Looking


async def test_a_look_gives_frame_tree_and_foreground_of_the_same_screen(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        info = await device.describe()
        await device.act(OpenApp(SETTINGS))
        view = await device.observe()
    assert info.virtual and info.size == view.frame.size and "tree" in info.capabilities
    assert view.stable and view.tree is not None and "Network" in view.tree
    assert view.foreground.package == SETTINGS == front(phone)
    assert view.frame.pixels.shape == (view.frame.size.height, view.frame.size.width, 3)
    assert view.frame.pixels.std() > 5
    assert view.keyboard is False and State.LOCKED not in view.states


async def test_without_the_tree_the_reason_is_told_and_typing_still_works(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as seeing, opened(lab, phone, use_tree=False) as device:
        await open_editor(seeing)
        view = await device.observe()
        assert view.tree is None and view.tree_reason and State.NO_TREE in view.states
        outcome = await device.act(TypeText("héllo 你好"))
        assert outcome.sent is Answer.YES
        assert "héllo 你好" in str((await seeing.observe()).tree)


async def test_a_still_screen_settles_soon_and_a_second_look_costs_little(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        await device.act(OpenApp(SETTINGS))
        await device.observe()
        looks = []
        for _ in range(5):
            started = time.monotonic()
            await device.observe()
            looks.append(time.monotonic() - started)
        nothing_there = await device.act(Tap(Point(0.5, 0.999)))
    # Four times what it takes on an idle machine: the tests share theirs.
    assert sorted(looks)[2] < 0.4
    assert nothing_there.timings["settle"] < 1.8


# Acting: each effect as the phone itself tells it


async def test_a_tap_hits_its_pixel_once(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        view = await device.observe()
        outcome = await device.act(Tap(Point(0.25, 0.75)), on=view)
    x, y = Point(0.25, 0.75).to_pixel(view.frame.size)
    assert outcome.sent is Answer.YES and touches(phone) == [("tap", (x, y))]


async def test_a_tap_that_opens_something_has_changed_the_screen_and_one_beside_has_not(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        await device.act(OpenApp(SETTINGS))
        view = await device.observe()
        opening = await device.act(Tap(place(view, "Display")), on=view)
        view = await device.observe()
        assert "Dark theme" in str(view.tree)
        title = await device.act(Tap(place(view, "Display")), on=view)
    assert (opening.changed, opening.settled) == (Answer.YES, True)
    assert title.changed is Answer.NO


GESTURES: list[tuple[Action, list[str], list[str]]] = [
    (DoubleTap(MIDDLE), ["down", "down"], ["tap", "tap"]),
    (LongPress(MIDDLE, 0.6), ["down"], ["down"]),
    (Swipe(Point(0.5, 0.7), Point(0.5, 0.4), 0.2), ["swipe"], ["swipe"]),
    (Drag(MIDDLE, Point(0.5, 0.6), 0.3), ["down"], ["down"]),
]
"""A gesture, how the automation server does it, and how `input` does it."""


@pytest.mark.parametrize("automated", [True, False])
async def test_gestures_reach_the_phone_as_they_were_meant(lab: Lab, phone: Phone, automated: bool) -> None:
    if not automated:
        await sh(lab, phone, "settings", "put", "secure", "enabled_accessibility_services", READER)
    async with opened(lab, phone) as device:
        size = (await device.observe()).frame.size
        wanted = []
        for gesture, by_server, by_input in GESTURES:
            outcome = await device.act(gesture)
            assert (outcome.sent, outcome.path) == (Answer.YES, "uiautomator" if automated else "input")
            start = gesture.start if isinstance(gesture, Swipe | Drag) else MIDDLE
            wanted += [(action, start.to_pixel(size)) for action in (by_server if automated else by_input)]
    assert touches(phone) == wanted


async def test_a_double_tap_is_neither_too_quick_nor_too_slow_for_android(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        await device.act(DoubleTap(MIDDLE))
    up, down = (one["ms"] for one in inputs(phone)[1:3])
    # android.view.ViewConfiguration: DOUBLE_TAP_MIN_TIME is 40 ms, DOUBLE_TAP_TIMEOUT 300 ms.
    assert 40 <= down - up <= 300


async def test_keys_go_home_and_back(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        await device.act(OpenApp(SETTINGS))
        await tap(device, "Display")
        await device.act(PressKey(Key.BACK))
        assert "Display" in str((await device.observe()).tree) and front(phone) == SETTINGS
        await device.act(PressKey(Key.HOME))
        assert front(phone) not in (SETTINGS, "")


async def test_sleep_and_wake_are_seen_and_undone(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        await device.act(PressKey(Key.SLEEP))
        asleep = await device.observe()
        await device.act(PressKey(Key.WAKE))
        awake = await device.observe()
    assert State.SCREEN_OFF in asleep.states and State.SECURE not in asleep.states
    assert State.SCREEN_OFF not in awake.states and phone.state()["phone"]["awake"]


async def test_waiting_touches_nothing(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        outcome = await device.act(Wait(0.05))
    assert (outcome.sent, outcome.changed) == (Answer.YES, Answer.UNKNOWN) and inputs(phone) == []


# Typing

TEXTS = [
    "hello",
    "two  spaces and a trailing one ",
    " leading",
    "100%",
    "%s %d %%s",
    'it\'s "quoted" `twice`',
    "$(reboot) $HOME ${x}",
    "; rm -rf / && echo | cat > /x",
    "back\\slash \\n \\",
    "*?[a-z]~!#^",
    "<b>&amp;</b>",
    "--option -n",
    "héllo",
    "e\u0301",
    "ñandú Ünïcödé ß",
    "你好，世界",
    "こんにちは カタカナ",
    "안녕하세요",
    "مرحبا",
    "שלום",
    "Привет",
    "👍🏽",
    "👩‍👩‍👧 🇪🇸",
    "𝒳 𐍈",
    "null",
    "***",
    "x" * 200,
    "長い文" * 66,
]


async def test_every_text_lands_exactly_and_the_clipboard_is_as_before(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        await open_editor(device)
        await device._automation.u2.call("setClipboard", None, "what the owner copied")  # type: ignore[union-attr]
        for text in TEXTS:
            outcome = await device.act(TypeText(text, replace=True))
            assert outcome.sent is Answer.YES and outcome.landed == text, (text, outcome.landed, outcome.note)
    assert phone.state()["phone"]["clipboard"] == "what the owner copied"


async def test_typed_text_is_put_in_beside_what_is_there(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        await open_editor(device)
        await device._automation.u2.call("setClipboard", None, "kept")  # type: ignore[union-attr]
        first = await device.act(TypeText("你好"))
        second = await device.act(TypeText(", world"))
        cleared = await device.act(ClearText())
        again = await device.act(TypeText("new"))
    assert [one.landed for one in (first, second, cleared, again)] == ["你好", "你好, world", "", "new"]
    assert phone.state()["phone"]["clipboard"] == "kept"


async def test_what_was_typed_is_saved_by_the_app(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        await open_editor(device)
        await device.act(TypeText("$(id) 张伟 👍🏽", replace=True))
        await tap(device, "Save")
    rows = phone.state()["tables"]["contacts.contact"]
    assert any(row["first"] == "$(id) 张伟 👍🏽" for row in rows.values())


async def test_typing_without_a_field_is_refused_before_anything_is_sent(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        for action in (TypeText("x"), TypeText("x", replace=True), ClearText()):
            with pytest.raises(NoFocusedField) as caught:
                await device.act(action)
            assert caught.value.serial == phone.serial and caught.value.advice
    assert inputs(phone) == []


@pytest.mark.parametrize("text", ["a\0b", "\ud83d"])
async def test_what_is_no_text_is_refused(lab: Lab, phone: Phone, text: str) -> None:
    async with opened(lab, phone) as device:
        with pytest.raises(UnsupportedText):
            await device.act(TypeText(text))


# Accessibility services


async def test_a_screen_reader_is_not_silenced_and_the_phone_still_works(lab: Lab, phone: Phone) -> None:
    await sh(lab, phone, "settings", "put", "secure", "enabled_accessibility_services", READER)
    async with opened(lab, phone) as device:
        view = await device.observe()
        assert await stopped(lab, phone)
        assert view.tree is None and "org.example.reader" in view.tree_reason and State.NO_TREE in view.states
        assert view.frame.pixels.std() > 5
        outcome = await device.act(Tap(Point(0.25, 0.75)), on=view)
        assert (outcome.sent, outcome.path) == (Answer.YES, "input")
        assert READER in (await device.describe()).accessibility_services
    assert touches(phone) == [("tap", Point(0.25, 0.75).to_pixel(view.frame.size))]


async def test_with_the_owners_consent_the_tree_is_read(lab: Lab, phone: Phone) -> None:
    await sh(lab, phone, "settings", "put", "secure", "enabled_accessibility_services", READER)
    async with opened(lab, phone, consent_accessibility=True) as device:
        assert (await device.observe()).tree is not None


async def test_a_screen_reader_switched_on_later_ends_our_server_and_off_again_brings_it_back(
    lab: Lab, phone: Phone
) -> None:
    async with opened(lab, phone) as device:
        assert (await device.observe()).tree is not None
        assert await automation(lab, phone)
        await sh(lab, phone, "settings", "put", "secure", "enabled_accessibility_services", READER)
        await device.observe()
        assert await stopped(lab, phone)
        assert (await device.observe()).tree is None
        await sh(lab, phone, "settings", "delete", "secure", "enabled_accessibility_services")
        await device.observe()
        assert (await device.observe()).tree is not None


# Apps


@pytest.mark.parametrize("name", [SETTINGS, "Settings", "设置", "the settings app"])
async def test_an_app_is_opened_by_package_and_by_name(lab: Lab, phone: Phone, name: str) -> None:
    async with opened(lab, phone) as device:
        outcome = await device.act(OpenApp(name))
        assert (outcome.sent, outcome.note) == (Answer.YES, "")
        again = await device.act(OpenApp(name))
        assert again.sent is Answer.YES
    assert front(phone) == SETTINGS


@pytest.mark.parametrize("name", ["No Such App", "com.example.absent", "x; reboot", ""])
async def test_an_unknown_app_is_named_with_the_nearest(lab: Lab, phone: Phone, name: str) -> None:
    before = front(phone)
    async with opened(lab, phone) as device:
        with pytest.raises(AppNotFound) as caught:
            await device.act(OpenApp(name))
    assert caught.value.serial == phone.serial and "package name" in caught.value.advice
    assert front(phone) == before


# Views that are no longer true


async def test_a_turned_phone_makes_the_view_stale_before_anything_is_sent(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        view = await device.observe()
        await sh(lab, phone, "settings", "put", "system", "accelerometer_rotation", "0")
        await sh(lab, phone, "settings", "put", "system", "user_rotation", "1")
        with pytest.raises(StaleView) as caught:
            await device.act(Tap(MIDDLE), on=view)
        assert caught.value.serial == phone.serial and touches(phone) == []
        turned = await device.observe()
        assert turned.frame.rotation == 1 and turned.frame.size.width > turned.frame.size.height
        assert (await device.act(Tap(MIDDLE), on=turned)).sent is Answer.YES
    assert touches(phone) == [("tap", MIDDLE.to_pixel(turned.frame.size))]


# Trouble


async def test_a_server_killed_on_the_phone_is_started_again(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        await device.observe()
        await automation(lab, phone, "/stop")
        assert await stopped(lab, phone)
        view = await device.observe()
        assert view.frame.pixels.std() > 5
        assert (await device.act(PressKey(Key.HOME))).sent is Answer.YES
        assert (await device.observe()).tree is not None


async def test_two_looks_and_an_act_at_once_take_turns(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        one, outcome, two = await asyncio.gather(device.observe(), device.act(Tap(MIDDLE)), device.observe())
    assert one.tree and two.tree and outcome.sent is Answer.YES and len(touches(phone)) == 1


async def test_a_cancelled_act_leaves_a_device_that_works(lab: Lab, phone: Phone) -> None:
    async with opened(lab, phone) as device:
        for delay in (0.0, 0.01, 0.05, 0.2):
            act = asyncio.create_task(device.act(Swipe(Point(0.5, 0.7), Point(0.5, 0.4), 0.3)))
            await asyncio.sleep(delay)
            act.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await act
        assert (await device.observe()).tree is not None


async def test_a_phone_that_dies_is_a_named_error_in_time(lab: Lab) -> None:
    with contextlib.ExitStack() as stack:
        mortal = stack.enter_context(lab.phone())
        async with opened(lab, mortal) as device:
            await device.observe()
            stack.close()
            started = time.monotonic()
            for attempt in (device.observe, lambda: device.act(Tap(MIDDLE))):
                with pytest.raises(DeviceError) as caught:
                    await attempt()
                assert caught.value.serial == mortal.serial
            assert time.monotonic() - started < 45
