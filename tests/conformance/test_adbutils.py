"""adbutils 2.12 drives the phone: every operation that reaches it, on every adb server, checked by its effect."""

from __future__ import annotations

import re
import socket
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import adbutils
import pytest
import uiautomator2
from PIL import ImageChops

from .conftest import AdbServer, LivePhone
from .operations import (
    CONTACTS,
    LAUNCHER,
    SETTINGS,
    Operation,
    Operations,
    field_text,
    front,
    last_input,
    open_editor,
)

# The library leaves the sockets of its framebuffer, forward and logcat calls to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

ADBUTILS = Operations()
FOLDER = "/data/local/tmp"


@ADBUTILS.add
def state_features_and_names(d: Any, live: Any) -> None:
    assert d.get_state() == "device"
    features = set(d.get_features().split(","))
    assert {"shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir"} <= features
    assert not {f for f in features if f.startswith(("sendrecv_v2_", "delayed_ack"))}
    assert d.get_serialno() == live.address
    assert d.info["state"] == "device"


@ADBUTILS.add
def the_server_lists_connects_and_waits_for_the_phone(d: Any, live: Any) -> None:
    client = d._client
    assert client.server_version() == 41
    assert live.address in [device.serial for device in client.device_list()]
    assert client.connect(live.address) == f"already connected to {live.address}"
    client.wait_for(live.address, timeout=5)
    event = next(event for event in client.track_devices() if event.serial == live.address)
    assert (event.present, event.status) == (True, "device")
    assert d.get_devpath() == "unknown"


@ADBUTILS.add
def shell_with_a_string(d: Any, live: Any) -> None:
    assert d.shell("echo hi") == "hi"


@ADBUTILS.add
def shell_with_a_list_quotes_each_word(d: Any, live: Any) -> None:
    assert d.shell(["echo", "a b", "it's", "$HOME", "你好"]) == "a b it's $HOME 你好"


@ADBUTILS.add
def shell2_gives_the_exit_status(d: Any, live: Any) -> None:
    done = d.shell2("echo hi; false")
    assert (done.returncode, done.output) == (1, "hi\n")


@ADBUTILS.add
def shell2_over_v2_keeps_errors_apart(d: Any, live: Any) -> None:
    done = d.shell2("echo out; nope", v2=True)
    assert (done.returncode, done.stdout, done.stderr) == (127, "out\n", "sh: nope: inaccessible or not found\n")


@ADBUTILS.add
def a_stream_shows_output_as_it_comes(d: Any, live: Any) -> None:
    stream = d.shell("echo first; sleep 30; echo never", stream=True)
    assert stream.read_string(6) == "first\n"
    stream.close()


@ADBUTILS.add
def window_size_is_that_of_the_held_phone(d: Any, live: Any) -> None:
    assert tuple(d.window_size()) == (1080, 2400)
    live.ask(lambda phone: phone.set_rotation(1))
    assert tuple(d.window_size()) == (2400, 1080)


@ADBUTILS.add
def rotation_counts_quarter_turns(d: Any, live: Any) -> None:
    for turn in (0, 1, 3):
        live.ask(lambda phone, turn=turn: phone.set_rotation(turn))
        assert d.rotation() == turn


@ADBUTILS.add
def screenshot_is_the_phones_picture(d: Any, live: Any) -> None:
    picture = d.screenshot()
    assert ImageChops.difference(picture, live.ask(lambda phone: phone.image()).convert("RGB")).getbbox() is None


@ADBUTILS.add
def screenshot_of_a_display_by_number(d: Any, live: Any) -> None:
    assert d.screenshot(display_id=0).size == (1080, 2400)
    with pytest.raises(adbutils.AdbError):
        d.screenshot(display_id=1)


@ADBUTILS.add
def framebuffer_has_the_same_pixels(d: Any, live: Any) -> None:
    picture = d.framebuffer()
    assert picture.mode == "RGBA" and picture.tobytes() == live.ask(lambda phone: phone.raw())


@ADBUTILS.add
def click_in_pixels(d: Any, live: Any) -> None:
    d.click(400, 700)
    assert live.ask(last_input) == {"action": "tap", "x": 400.0, "y": 700.0, "hold_ms": 0}


@ADBUTILS.add
def click_in_shares_of_the_screen(d: Any, live: Any) -> None:
    d.click(0.5, 0.3)
    assert {"x": 540.0, "y": 720.0}.items() <= live.ask(last_input).items()


@ADBUTILS.add
def click_on_a_display(d: Any, live: Any) -> None:
    d.click(10, 20, display_id=0)
    assert {"x": 10.0, "y": 20.0}.items() <= live.ask(last_input).items()


@ADBUTILS.add
def swipe_takes_its_time(d: Any, live: Any) -> None:
    began = time.monotonic()
    d.swipe(500, 1500, 500, 500, 0.3)
    assert time.monotonic() - began >= 0.3
    seen = live.ask(last_input)
    assert seen["action"] == "swipe" and seen["duration_ms"] == 300
    assert seen["points"] == [[500.0, 1500.0], [500.0, 500.0]]


@ADBUTILS.add
def drag_presses_first(d: Any, live: Any) -> None:
    d.drag(100, 1200, 300, 1200, 0.2)
    assert live.ask(last_input)["action"] == "drag"


@ADBUTILS.add
def keyevent_by_name_and_number(d: Any, live: Any) -> None:
    live.ask(lambda phone: phone.start(SETTINGS))
    d.keyevent("BACK")
    assert live.ask(front) == LAUNCHER
    live.ask(lambda phone: phone.start(SETTINGS))
    d.keyevent(3)
    assert live.ask(front) == LAUNCHER


@ADBUTILS.add
def volume_keys_change_the_volume(d: Any, live: Any) -> None:
    before = live.ask(lambda phone: phone.world.settings.number("system", "volume_music", 5))
    d.volume_up()
    assert live.ask(lambda phone: phone.world.settings.number("system", "volume_music", 5)) == before + 1
    d.volume_mute()
    assert live.ask(lambda phone: phone.world.settings.number("system", "volume_music", 5)) == 0


@ADBUTILS.add
def send_keys_types_ascii(d: Any, live: Any) -> None:
    open_editor(live)
    d.send_keys("hello world")
    assert live.ask(field_text) == "hello world"


@ADBUTILS.add
def send_keys_gets_javas_exception_for_other_characters(d: Any, live: Any) -> None:
    open_editor(live)
    assert "java.lang.NullPointerException: Attempt to get length of null array" in d.send_keys("héllo")
    assert live.ask(field_text) == ""


@ADBUTILS.add
def app_current_names_app_activity_and_process(d: Any, live: Any) -> None:
    live.ask(lambda phone: phone.start(SETTINGS))
    info = d.app_current()
    pid = next(number for number, name in live.ask(lambda phone: phone.running()) if name == SETTINGS)
    assert (info.package, info.activity, info.pid) == (SETTINGS, ".Settings", pid)


@ADBUTILS.add
def app_start_by_package_and_by_activity(d: Any, live: Any) -> None:
    d.app_start(SETTINGS)
    assert live.ask(front) == SETTINGS
    d.app_start(CONTACTS, ".Contacts")
    assert live.ask(front) == CONTACTS


@ADBUTILS.add
def app_stop_ends_the_app(d: Any, live: Any) -> None:
    live.ask(lambda phone: phone.start(SETTINGS))
    d.app_stop(SETTINGS)
    assert SETTINGS not in [name for _, name in live.ask(lambda phone: phone.running())]


@ADBUTILS.add
def app_clear_forgets_the_apps_data(d: Any, live: Any) -> None:
    assert live.ask(lambda phone: phone.state_json()["tables"]["contacts.contact"])
    d.app_clear(CONTACTS)
    assert not live.ask(lambda phone: phone.state_json()["tables"]["contacts.contact"])


@ADBUTILS.add
def app_info_reads_version_flags_and_times(d: Any, live: Any) -> None:
    info = d.app_info(SETTINGS)
    package = live.ask(lambda phone: next(p for p in phone.packages() if p.name == SETTINGS))
    assert (info.version_name, info.version_code) == (package.version_name, package.version_code)
    assert "SYSTEM" in info.flags and info.signature and info.path.endswith(".apk")
    assert info.first_install_time == package.first_install.replace(microsecond=0)
    assert d.app_info("com.none") is None


@ADBUTILS.add
def list_packages_names_every_package(d: Any, live: Any) -> None:
    assert d.list_packages() == sorted(live.ask(lambda phone: [p.name for p in phone.packages()]))
    assert set(d.list_packages(["-3"])) == set(
        live.ask(lambda phone: [p.name for p in phone.packages() if not p.system])
    )


@ADBUTILS.add
def screen_is_switched_and_seen_switched(d: Any, live: Any) -> None:
    assert d.is_screen_on()
    d.switch_screen(False)
    assert not d.is_screen_on() and not live.ask(lambda phone: phone.awake)
    d.switch_screen(True)
    assert d.is_screen_on()


@ADBUTILS.add
def battery_is_read(d: Any, live: Any) -> None:
    battery = d.battery()
    assert battery.level == 87 and battery.technology == "Li-ion" and battery.temperature == 25.0
    assert battery.usb_powered and battery.present and not battery.ac_powered


@ADBUTILS.add
def brightness_is_read_and_set(d: Any, live: Any) -> None:
    assert d.brightness_value == live.ask(lambda phone: phone.brightness)
    d.brightness_value = 77
    assert live.ask(lambda phone: phone.brightness) == 77
    d.brightness_mode = adbutils.BrightnessMode.AUTO
    assert d.brightness_mode == adbutils.BrightnessMode.AUTO


@ADBUTILS.add
def wifi_and_airplane_mode_are_switched(d: Any, live: Any) -> None:
    d.switch_wifi(False)
    d.switch_airplane(True)
    settings = live.ask(lambda phone: dict(phone.world.settings.items("global")))
    assert (settings["wifi_on"], settings["airplane_mode_on"]) == ("0", "1")


@ADBUTILS.add
def open_browser_leaves_the_phone_as_it_is_without_one(d: Any, live: Any) -> None:
    before = live.ask(front)
    d.open_browser("example.org")
    assert live.ask(front) == before


@ADBUTILS.add
def wlan_ip_is_an_address(d: Any, live: Any) -> None:
    assert re.fullmatch(r"[\d.]+", d.wlan_ip())


@ADBUTILS.add
def getprop_and_prop(d: Any, live: Any) -> None:
    profile = live.ask(lambda phone: phone.profile)
    assert d.getprop("ro.product.model") == profile.model
    assert (d.prop.name, d.prop.model, d.prop.device) == (profile.product, profile.model, profile.device)


@ADBUTILS.add
def dump_hierarchy_is_the_active_windows_tree(d: Any, live: Any) -> None:
    live.ask(lambda phone: phone.start(SETTINGS))
    xml = d.dump_hierarchy()
    assert xml.encode() == live.ask(lambda phone: phone.world.files.read("/data/local/tmp/uidump.xml"))
    assert f'package="{SETTINGS}"' in xml


@ADBUTILS.add
def push_stores_the_file_with_mode_and_size(d: Any, live: Any) -> None:
    data = bytes(range(256)) * 1000
    assert d.sync.push(data, f"{FOLDER}/blob", mode=0o640, check=True) == len(data)
    file = live.ask(lambda phone: phone.world.files.get(f"{FOLDER}/blob"))
    assert file.data == data and file.mode == 0o100640


@ADBUTILS.add
def push_to_a_place_that_cannot_be_is_an_error(d: Any, live: Any) -> None:
    with pytest.raises(adbutils.AdbError):
        d.sync.push(b"x", "/no/such/folder/file")
    assert live.ask(lambda phone: phone.world.files.get("/no/such/folder/file")) is None


@ADBUTILS.add
def files_are_read_listed_and_looked_at(d: Any, live: Any) -> None:
    d.sync.push(b"hello", f"{FOLDER}/d/a.txt")
    assert d.sync.read_bytes(f"{FOLDER}/d/a.txt") == b"hello"
    info = d.sync.stat(f"{FOLDER}/d/a.txt")
    assert info.size == 5 and info.mode & 0o170000 == 0o100000
    assert {entry.path for entry in d.sync.list(f"{FOLDER}/d")} == {".", "..", "a.txt"}
    assert d.sync.stat(f"{FOLDER}/d/none").mode == 0 and not d.sync.exists(f"{FOLDER}/d/none")
    with pytest.raises(adbutils.AdbError, match="No such file"):
        d.sync.read_bytes(f"{FOLDER}/d/none")


@ADBUTILS.add
def pull_brings_files_and_folders(d: Any, live: Any) -> None:
    d.sync.push(b"one", f"{FOLDER}/tree/a")
    d.sync.push(b"two", f"{FOLDER}/tree/sub/b")
    with tempfile.TemporaryDirectory() as folder:
        assert d.sync.pull(f"{FOLDER}/tree/a", Path(folder) / "a") == 3
        assert (Path(folder) / "a").read_bytes() == b"one"
        d.sync.pull(f"{FOLDER}/tree", str(Path(folder) / "tree"))
        assert (Path(folder) / "tree" / "sub" / "b").read_bytes() == b"two"


@ADBUTILS.add
def remove_and_rmtree(d: Any, live: Any) -> None:
    d.sync.push(b"x", f"{FOLDER}/r/a")
    d.remove(f"{FOLDER}/r/a")
    assert live.ask(lambda phone: phone.world.files.get(f"{FOLDER}/r/a")) is None
    d.sync.push(b"x", f"{FOLDER}/r/b/c")
    d.rmtree(f"{FOLDER}/r")
    assert live.ask(lambda phone: phone.world.files.get(f"{FOLDER}/r")) is None


@ADBUTILS.add
def install_brings_the_keyboard_and_uninstall_takes_it(d: Any, live: Any) -> None:
    apk = Path(uiautomator2.__file__).parent / "assets" / "app-uiautomator.apk"
    d.install(str(apk), nolaunch=True, silent=True)
    assert "com.github.uiautomator" in live.ask(lambda phone: [p.name for p in phone.packages()])
    assert "Success" in d.uninstall("com.github.uiautomator")
    assert "com.github.uiautomator" not in d.list_packages()


@ADBUTILS.add
def forward_reaches_a_listener_on_the_phone(d: Any, live: Any) -> None:
    port = d.forward_port("tcp:9008")
    assert any(item.remote == "tcp:9008" and item.local == f"tcp:{port}" for item in d.forward_list())
    with socket.create_connection(("127.0.0.1", port), timeout=5) as nobody:
        assert nobody.recv(1) == b""  # nothing listens there yet
    d.forward_remove(f"tcp:{port}")
    assert not d.forward_list()


@ADBUTILS.add
def reverse_is_listed_and_leads_back_to_the_computer(d: Any, live: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(5)
        local = f"tcp:{listener.getsockname()[1]}"
        d.reverse("tcp:7001", local)
        assert [(item.remote, item.local) for item in d.reverse_list()] == [("tcp:7001", local)]

        def echo() -> None:
            peer, _ = listener.accept()
            with peer:
                peer.sendall(b"back:" + peer.recv(100))

        thread = threading.Thread(target=echo)
        thread.start()
        with d.create_connection(adbutils.Network.TCP, 7001) as connection:
            connection.settimeout(5)
            connection.sendall(b"hello")
            assert connection.recv(100) == b"back:hello"
        thread.join(5)
    d.reverse_remove_all()
    assert d.reverse_list() == []


@ADBUTILS.add
def nothing_listens_on_other_ports(d: Any, live: Any) -> None:
    with pytest.raises(adbutils.AdbError, match="closed"):
        d.create_connection(adbutils.Network.TCP, 12345)
    with pytest.raises(adbutils.AdbError, match="closed"):
        d.create_connection(adbutils.Network.LOCAL_ABSTRACT, "nobody")


@ADBUTILS.add
def root_and_tcpip_answer_as_a_production_phone(d: Any, live: Any) -> None:
    assert d.root() == "adbd cannot run as root in production builds\n"
    assert d.tcpip(5555) == "restarting in TCP mode port: 5555\n"


@ADBUTILS.add
def logcat_follows_what_happens(d: Any, live: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "log.txt"
        event = d.logcat(str(file), clear=True, command="logcat -v time")
        d.click(11, 12)
        deadline = time.monotonic() + 5
        while "x=11" not in file.read_text() and time.monotonic() < deadline:
            time.sleep(0.05)
        event.stop_nowait()
        d.click(1, 1)
        assert "x=11.0 y=12.0" in file.read_text()


@ADBUTILS.add
def the_serial_number_is_the_seeds(d: Any, live: Any) -> None:
    assert d.shell("getprop ro.serialno") == live.ask(lambda phone: f"TWV{phone.world.seed:08d}")


@pytest.mark.parametrize("operation", ADBUTILS, ids=lambda operation: operation.name)
def test_adbutils(operation: Operation, server: AdbServer, fresh: LivePhone) -> None:
    operation.run(server.client.device(fresh.address), fresh)
