"""The automation server over `tcp:9008`: HTTP, JSON-RPC, selectors, errors."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from PIL import Image

from device.virtual.adbd.u2server import METHODS
from device.virtual.phone import VirtualPhone

from .adb_host import AdbHost, HostStream, Refused
from .reach import CONTACTS, LAUNCHER, SETTINGS, field_text, nodes, open_field

pytestmark = pytest.mark.anyio

START = "shell:CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008"
BITS = {
    "text": 0x1, "textContains": 0x2, "textMatches": 0x4, "textStartsWith": 0x8, "className": 0x10,
    "description": 0x40, "clickable": 0x1000, "scrollable": 0x4000, "focused": 0x20000, "packageName": 0x80000,
    "resourceId": 0x200000, "index": 0x800000, "instance": 0x1000000,
}  # fmt: skip

OBJ_INFO = """
bounds visibleBounds className contentDescription packageName resourceName text childCount checkable checked
clickable enabled focusable focused longClickable scrollable selected
"""


def by(*chain: tuple[str, dict[str, Any]], **fields: Any) -> dict[str, Any]:
    """A selector as the client library builds it."""
    mask = sum(BITS[name] for name in fields)
    relations, inner = [kind for kind, _ in chain], [by(**more) for _, more in chain]
    return {**fields, "mask": mask, "childOrSibling": relations, "childOrSiblingSelector": inner}


class Client:
    """One keep-alive connection to the server."""

    def __init__(self, stream: HostStream) -> None:
        self._stream = stream
        self._data = b""

    async def http(self, head: str, body: bytes = b"") -> tuple[int, bytes, dict[str, str]]:
        """One request: status, body, headers."""
        await self._stream.write(f"{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        while b"\r\n\r\n" not in self._data:
            self._data += await self._stream.read()
        lines, _, self._data = self._data.partition(b"\r\n\r\n")
        first, *rest = lines.decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in rest)
        size = int(headers["content-length"])
        while len(self._data) < size:
            self._data += await self._stream.read()
        answer, self._data = self._data[:size], self._data[size:]
        return int(first.split()[1]), answer, headers

    async def post(self, method: str, params: Any) -> dict[str, Any]:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        status, answer, headers = await self.http("POST /jsonrpc/0 HTTP/1.1\r\nHost: x", body)
        assert status == 200 and headers["content-type"] == "application/json"
        envelope = json.loads(answer)
        assert envelope["jsonrpc"] == "2.0" and envelope["id"] == 1
        return envelope

    async def call(self, method: str, *params: Any) -> Any:
        """The result of a call that must succeed."""
        envelope = await self.post(method, list(params) if params else {})
        assert "error" not in envelope, envelope
        return envelope["result"]

    async def error(self, method: str, *params: Any) -> dict[str, Any]:
        """The error of a call that must fail."""
        return (await self.post(method, list(params)))["error"]


@asynccontextmanager
async def running(wire: AdbHost) -> AsyncIterator[tuple[Client, HostStream]]:
    await wire.shell("echo jar > /data/local/tmp/u2.jar")
    process = await wire.open(START)
    assert b"Starting Server" in await process.read()
    yield Client(await wire.open("tcp:9008")), process


@pytest.fixture
async def u2(wire: AdbHost) -> AsyncIterator[Client]:
    async with running(wire) as (client, _):
        yield client


async def test_the_server_lives_exactly_as_long_as_its_process(wire: AdbHost) -> None:
    with pytest.raises(Refused):
        await wire.open("tcp:9008")
    async with running(wire) as (client, process):
        assert (await client.http("GET /ping HTTP/1.1"))[:2] == (200, b"pong")
        process.close()
        await wire.shell("true")
        with pytest.raises(Refused):
            await wire.open("tcp:9008")


async def test_a_second_server_finds_the_automation_taken(wire: AdbHost) -> None:
    async with running(wire):
        assert b"already registered" in await (await wire.open(START)).all()
        status, _, err = await wire.shell("uiautomator dump")
        assert status == 1 and b"already registered" in err


async def test_without_the_jar_nothing_starts(wire: AdbHost) -> None:
    assert b"ClassNotFoundException" in await (await wire.open(START)).all()
    assert (await wire.shell("app_process / some.other.Main"))[0] == 1


async def test_it_can_be_stopped_over_http(wire: AdbHost) -> None:
    async with running(wire) as (client, process):
        assert (await client.http("GET /stop HTTP/1.1"))[0] == 200
        assert await process.all() == b""
        with pytest.raises(Refused):
            await wire.open("tcp:9008")


async def test_other_paths_are_not_found_and_pictures_are_png(u2: Client) -> None:
    assert (await u2.http("GET /nowhere HTTP/1.1"))[0] == 404
    status, body, headers = await u2.http("GET /screenshot/0 HTTP/1.1")
    assert (status, headers["content-type"]) == (200, "image/png") and body.startswith(b"\x89PNG")


async def test_a_request_may_come_in_any_pieces(wire: AdbHost) -> None:
    async with running(wire):
        stream = await wire.open("tcp:9008")
        body = b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{}}'
        head = f"POST /jsonrpc/0 HTTP/1.1\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
        for byte in head + body:
            await stream.write(bytes([byte]))
        answer = await stream.all()
        assert answer.endswith(b'{"jsonrpc": "2.0", "id": 5, "result": "pong"}') and b"Connection: close" in answer


async def test_errors_have_the_codes_and_messages_that_clients_look_for(u2: Client) -> None:
    assert (await u2.error("makeToast", "hi", 1000))["code"] == -32601
    missing = await u2.error("objInfo", by(text="no such thing"))
    assert missing == {
        "code": -32001,
        "message": "androidx.test.uiautomator.UiObjectNotFoundException",
        "data": "UiSelector[TEXT=no such thing]",
    }
    assert (await u2.error("swipe", 1, 2))["code"] == -32602
    bad = await u2.error("exist", by(textMatches="["))
    assert bad["code"] == -32001 and bad["message"] == "java.lang.IllegalArgumentException"
    status, answer, _ = await u2.http("POST /jsonrpc/0 HTTP/1.1", b"no json")
    assert status == 200 and json.loads(answer)["error"]["code"] == -32700


async def test_every_method_of_the_real_interface_is_known() -> None:
    names = (
        "childByDescription childByInstance childByText clearInputText clearLastToast clearLastTraversedText "
        "clearTextField click clickAndWaitForNewWindow count deviceInfo drag dragTo dumpWindowHierarchy "
        "executeShellCommand exist flingBackward flingForward flingToBeginning flingToEnd freezeRotation gesture "
        "getChild getClipboard getConfigurator getFromParent getLastToast getLastTraversedText getText getUiObject "
        "getUiObjects getWatchers hasAnyWatcherTriggered hasWatcherTriggered injectInputEvent isScreenOn launchApp "
        "longClick objInfo objInfoOfAllInstances openNotification openQuickSettings pasteClipboard pinchIn pinchOut "
        "ping pressKey pressKeyCode registerClickUiObjectWatcher registerPressKeyskWatcher removeUiObject "
        "removeWatcher resetWatcherTriggers runWatchers scrollBackward scrollForward scrollTo scrollToBeginning "
        "scrollToEnd setClipboard setConfigurator setOrientation setText sleep swipe swipePoints takeScreenshot "
        "waitForExists waitForIdle waitForWindowUpdate waitUntilGone wakeUp"
    )
    assert set(names.split()) == set(METHODS)


async def test_device_info_follows_the_rotation(u2: Client, phone: VirtualPhone) -> None:
    info = await u2.call("deviceInfo")
    assert (info["displayWidth"], info["displayHeight"], info["displayRotation"]) == (1080, 2400, 0)
    assert info["currentPackageName"] == LAUNCHER and info["sdkInt"] == 34 and info["naturalOrientation"] is True
    await u2.call("setOrientation", "left")
    turned = await u2.call("deviceInfo")
    assert (turned["displayWidth"], turned["displayHeight"], turned["displayRotation"]) == (2400, 1080, 1)
    assert turned["naturalOrientation"] is False and phone.rotation == 1


async def test_pictures_come_as_base64_jpeg_or_into_a_file(u2: Client, phone: VirtualPhone) -> None:
    data = base64.b64decode(await u2.call("takeScreenshot", 0.5, 70))
    picture = Image.open(io.BytesIO(data))
    assert picture.format == "JPEG" and picture.size == (540, 1200)
    assert await u2.call("takeScreenshot", "/sdcard/p.jpg", 1.0, 80) == "/sdcard/p.jpg"
    assert phone.world.files.read("/sdcard/p.jpg") == phone.jpeg(80, 1.0)


async def test_numbers_may_come_as_floats(u2: Client, phone: VirtualPhone) -> None:
    assert await u2.call("click", 280.0, 590.0) is True
    data = phone.journal.entries("input")[-1].data
    assert (data["x"], data["y"], data["hold_ms"]) == (280, 590, 100)


async def test_plain_selectors_search_every_window_and_chained_ones_the_active(u2: Client, phone: VirtualPhone) -> None:
    phone.start(SETTINGS)
    phone.settle()
    clock = by(resourceId="com.android.systemui:id/clock")
    assert await u2.call("exist", clock) is True
    assert await u2.call("exist", by(resourceId="com.android.systemui:id/clock", instance=0)) is False
    assert await u2.call("exist", by(textContains="DISPLAY")) is False
    assert await u2.call("exist", by(textContains="DISPLAY", instance=0)) is True


async def test_instances_children_siblings_and_indexes(u2: Client, phone: VirtualPhone) -> None:
    phone.start(SETTINGS)
    phone.settle()
    titles = [node.text for node in nodes(phone) if node.resource_id == "android:id/title"]
    title = "android:id/title"
    assert await u2.call("count", by(resourceId=title)) == len(titles)
    assert await u2.call("count", by(resourceId=title, instance=2)) == 1
    assert await u2.call("getText", by(resourceId=title, instance=2)) == titles[2]
    assert await u2.call("getText", by(("child", {"resourceId": title, "instance": 1}), scrollable=True)) == titles[1]
    infos = await u2.call("objInfoOfAllInstances", by(resourceId=title))
    assert [info["text"] for info in infos] == titles
    summary = await u2.call("getText", by(("sibling", {"resourceId": "android:id/summary"}), text=titles[0]))
    wanted = [node.text for node in nodes(phone) if node.resource_id == "android:id/summary"]
    assert summary in wanted
    parent = next(n for n in nodes(phone) if any(child.text == titles[0] for child in n.children))
    index = [child.text for child in parent.children].index(titles[0])
    assert await u2.call("exist", by(text=titles[0], index=index)) is True
    assert await u2.call("exist", by(text=titles[0], index=index + 7)) is False


async def test_remembered_objects_are_referred_to_by_name(u2: Client, phone: VirtualPhone) -> None:
    phone.start(SETTINGS)
    phone.settle()
    name = await u2.call("childByText", by(scrollable=True), by(clickable=True), "Display")
    assert await u2.call("exist", name) is True
    assert (await u2.call("objInfo", name))["clickable"] is True
    inner = await u2.call("getChild", name, by(resourceId="android:id/title"))
    assert await u2.call("getText", inner) == "Display"
    assert set(await u2.call("getUiObjects")) == {name, inner}
    await u2.call("removeUiObject", name)
    assert (await u2.error("objInfo", name))["message"].endswith("UiObjectNotFoundException")


async def test_obj_info_has_exactly_the_fields_of_the_real_one(u2: Client, phone: VirtualPhone) -> None:
    phone.start(SETTINGS)
    phone.settle()
    info = await u2.call("objInfo", by(text="Display"))
    assert set(info) == set(OBJ_INFO.split())
    assert set(info["bounds"]) == {"left", "top", "right", "bottom"}
    assert (
        info["text"] == "Display" and info["contentDescription"] is None and info["resourceName"] == "android:id/title"
    )
    chained = await u2.call("objInfo", by(text="Display", instance=0))
    assert chained["contentDescription"] == "" and chained["resourceName"] is None


async def test_set_text_clicks_first_and_replaces(u2: Client, phone: VirtualPhone) -> None:
    open_field(phone)
    phone.commit_text("before")
    before = len(phone.journal)
    assert await u2.call("setText", by(focused=True), "héllo 你好") is True
    kinds = [next(iter(entry.data)) for entry in phone.journal.entries(since=before) if entry.kind == "input"]
    assert kinds[0] == "action" and "set_text" in kinds
    assert field_text(phone) == "héllo 你好"
    assert await u2.call("getText", by(focused=True)) == "héllo 你好"
    await u2.call("clearTextField", by(focused=True))
    assert field_text(phone) == ""


async def test_the_clipboard_is_set_pasted_and_cleared_away(u2: Client, phone: VirtualPhone) -> None:
    open_field(phone)
    await u2.call("setClipboard", None, "pasted 你好")
    assert await u2.call("getClipboard") == "pasted 你好"
    await u2.call("pasteClipboard")
    assert field_text(phone) == "pasted 你好"
    await u2.call("clearInputText")
    assert field_text(phone) == ""


async def test_waiting_takes_the_phones_time_only(u2: Client, phone: VirtualPhone) -> None:
    before = phone.clock.now_ms()
    assert await u2.call("waitForExists", by(text="no such thing"), 2000) is False
    assert phone.clock.now_ms() - before == pytest.approx(2000, abs=20)
    assert await u2.call("waitUntilGone", by(packageName=LAUNCHER), 100) is False
    phone.start(SETTINGS)
    assert await u2.call("waitForExists", by(packageName=SETTINGS), 2000) is True
    assert await u2.call("waitUntilGone", by(text="no such thing"), 2000) is True


async def test_scrolling_says_whether_anything_moved(u2: Client, phone: VirtualPhone) -> None:
    phone.start(SETTINGS)
    phone.settle()
    titles = [node.text for node in nodes(phone) if node.resource_id == "android:id/title"]
    down = by(scrollable=True)
    assert await u2.call("scrollBackward", down, True, 55) is False
    assert await u2.call("scrollForward", down, True, 55) is True
    assert titles[0] not in [node.text for node in nodes(phone)]
    assert await u2.call("scrollToEnd", down, True, 20, 55) is True
    assert await u2.call("scrollForward", down, True, 55) is False
    assert await u2.call("scrollTo", down, by(text=titles[0]), True) is True
    assert await u2.call("scrollTo", down, by(text="no such row"), True) is False
    assert await u2.call("flingToEnd", down, True, 9) is True
    assert await u2.call("flingToBeginning", down, True, 9) is True
    assert (await u2.error("scrollForward", by(text="nothing"), True, 55))["code"] == -32001


async def test_apps_are_launched_and_commands_run(u2: Client, phone: VirtualPhone) -> None:
    assert await u2.call("launchApp", CONTACTS) is True and phone.foreground[0] == CONTACTS
    assert await u2.call("launchApp", "com.none") is False
    done = await u2.call("executeShellCommand", "echo out; nope; exit 3", 1000)
    assert done == {"returnCode": 3, "stdout": "out\n", "stderr": "sh: nope: inaccessible or not found\n"}


async def test_watchers_click_what_they_were_told_to(u2: Client, phone: VirtualPhone) -> None:
    phone.start(SETTINGS)
    phone.settle()
    await u2.call("registerClickUiObjectWatcher", "w", [by(text="Display")], by(text="Display"))
    assert await u2.call("getWatchers") == ["w"] and await u2.call("hasAnyWatcherTriggered") is False
    await u2.call("runWatchers")
    assert await u2.call("hasWatcherTriggered", "w") is True
    phone.settle()
    assert any(node.text == "Dark theme" for node in nodes(phone))
    await u2.call("resetWatcherTriggers")
    await u2.call("removeWatcher", "w")
    assert await u2.call("getWatchers") == [] and await u2.call("hasWatcherTriggered", "w") is False


async def test_keys_toasts_power_shade_and_rotation(u2: Client, phone: VirtualPhone) -> None:
    assert await u2.call("pressKey", "home") is True and await u2.call("pressKey", "nope") is False
    assert await u2.call("pressKeyCode", 4) is True
    phone.show_toast("Saved")
    assert await u2.call("getLastToast") == "Saved"
    await u2.call("clearLastToast")
    assert await u2.call("getLastToast") is None
    await u2.call("sleep")
    assert await u2.call("isScreenOn") is False
    await u2.call("wakeUp")
    phone.unlock()
    assert await u2.call("isScreenOn") is True
    assert await u2.call("openQuickSettings") is True
    assert any(window.type == "shade" for window in phone.windows())
    await u2.call("freezeRotation", False)
    assert not phone.rotation_frozen


async def test_the_configurator_keeps_what_it_is_told(u2: Client) -> None:
    assert (await u2.call("getConfigurator"))["waitForIdleTimeout"] == 0
    told = await u2.call("setConfigurator", {"waitForIdleTimeout": 50, "nonsense": 1})
    assert told["waitForIdleTimeout"] == 50 and "nonsense" not in told
