"""The adb command line drives the phone, each binary through its own server."""

from __future__ import annotations

import io
import re
import struct
from pathlib import Path

import pytest
import uiautomator2
from PIL import Image

from .conftest import AdbServer, LivePhone
from .operations import SETTINGS, front, last_input

APK = Path(uiautomator2.__file__).parent / "assets" / "app-uiautomator.apk"
TEMP = "/data/local/tmp"


def on(server: AdbServer, live: LivePhone, *args: str, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    """`adb -s PHONE ARGS`: status, output, errors."""
    done = server.run("-s", live.address, *args, stdin=stdin)
    return done.returncode, done.stdout, done.stderr


def test_the_phone_is_listed_with_its_names(server: AdbServer, fresh: LivePhone) -> None:
    line = next(l for l in server.run("devices", "-l").stdout.decode().splitlines() if l.startswith(fresh.address))
    profile = fresh.ask(lambda phone: phone.profile)
    assert line.split()[1:5] == [
        "device",
        f"product:{profile.product}",
        f"model:{profile.model.replace(' ', '_')}",
        f"device:{profile.device}",
    ]
    assert on(server, fresh, "get-state")[1] == b"device\n"
    assert server.run("connect", fresh.address).stdout == f"already connected to {fresh.address}\n".encode()


def test_shell_keeps_output_errors_and_status_apart(server: AdbServer, fresh: LivePhone) -> None:
    assert on(server, fresh, "shell", "echo out; nope; exit 3") == (
        3,
        b"out\n",
        b"sh: nope: inaccessible or not found\n",
    )
    assert on(server, fresh, "shell", "echo", "a b", "'c  d'")[1] == b"a b c  d\n"


def test_shell_without_v2_has_no_status(server: AdbServer, fresh: LivePhone) -> None:
    assert on(server, fresh, "shell", "-x", "echo hi; false") == (0, b"hi\n", b"")


def test_shell_reads_standard_input(server: AdbServer, fresh: LivePhone) -> None:
    assert on(server, fresh, "shell", "cat > /sdcard/in.bin", stdin=bytes(range(256)) * 99)[0] == 0
    assert fresh.ask(lambda phone: phone.world.files.read("/sdcard/in.bin")) == bytes(range(256)) * 99
    status, out, _ = on(server, fresh, "shell", stdin=b"echo one\necho $((\nexit 4\n")
    assert (status, out) != (0, b"") and b"one" not in out  # one script, refused as a whole
    assert on(server, fresh, "shell", stdin=b"echo one\nexit 4\necho two\n")[:2] == (4, b"one\n")


def test_a_terminal_gets_a_prompt_echo_and_status(server: AdbServer, fresh: LivePhone) -> None:
    status, out, _ = on(server, fresh, "shell", "-t", "-t", stdin=b"echo hi\nexit 5\n")
    assert status == 5
    assert out.replace(b"\r", b"").split(b"\n")[:2] == [b"twp:/ $ echo hi", b"hi"]


def test_a_megabyte_comes_through_whole(server: AdbServer, fresh: LivePhone) -> None:
    data = bytes(range(251)) * 4500
    fresh.ask(lambda phone: phone.world.files)
    assert on(server, fresh, "shell", "cat > /sdcard/big", stdin=data)[0] == 0
    assert on(server, fresh, "shell", "cat /sdcard/big")[1] == data
    assert on(server, fresh, "exec-out", "cat /sdcard/big")[1] == data


def test_exec_out_gives_the_picture(server: AdbServer, fresh: LivePhone) -> None:
    png = on(server, fresh, "exec-out", "screencap", "-p")[1]
    assert Image.open(io.BytesIO(png)).size == (1080, 2400)
    raw = on(server, fresh, "exec-out", "screencap")[1]
    assert struct.unpack("<4I", raw[:16]) == (1080, 2400, 1, 1)
    assert raw[16:] == fresh.ask(lambda phone: phone.raw())


def test_input_reaches_the_phone(server: AdbServer, fresh: LivePhone) -> None:
    assert on(server, fresh, "shell", "input", "tap", "400", "700") == (0, b"", b"")
    assert {"x": 400.0, "y": 700.0}.items() <= fresh.ask(last_input).items()


def test_files_and_folders_are_pushed_and_pulled(server: AdbServer, fresh: LivePhone, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "sub").mkdir(parents=True)
    (tree / "a.txt").write_bytes(b"one")
    (tree / "sub" / "big").write_bytes(bytes(range(256)) * 2000)
    (tree / "empty").write_bytes(b"")
    status, out, err = on(server, fresh, "push", str(tree), TEMP)
    assert status == 0, out + err
    read = fresh.ask(lambda phone: phone.world.files)
    assert read.read(f"{TEMP}/tree/sub/big") == bytes(range(256)) * 2000 and read.read(f"{TEMP}/tree/empty") == b""
    assert on(server, fresh, "pull", f"{TEMP}/tree", str(tmp_path / "back"))[0] == 0
    back = {p.relative_to(tmp_path / "back"): p.read_bytes() for p in (tmp_path / "back").rglob("*") if p.is_file()}
    assert back == {p.relative_to(tree): p.read_bytes() for p in tree.rglob("*") if p.is_file()}
    assert b"a.txt" in on(server, fresh, "ls", f"{TEMP}/tree")[1]


def test_what_cannot_be_pushed_or_pulled_is_an_error(server: AdbServer, fresh: LivePhone, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"x")
    status, out, err = on(server, fresh, "push", str(tmp_path / "x"), "/system/x")
    assert status == 1 and b"Read-only file system" in out + err
    status, out, err = on(server, fresh, "push", str(tmp_path / "x"), "/no/such/folder/x")
    assert status == 1 and b"file system" in out + err
    status, out, err = on(server, fresh, "pull", f"{TEMP}/none", str(tmp_path))
    assert status == 1 and b"No such file or directory" in out + err


def test_an_apk_is_installed_and_uninstalled(server: AdbServer, fresh: LivePhone, tmp_path: Path) -> None:
    status, out, err = on(server, fresh, "install", "-r", str(APK))
    assert status == 0 and b"Success" in out, out + err
    assert "com.github.uiautomator" in fresh.ask(lambda phone: [package.name for package in phone.packages()])
    status, out, _ = on(server, fresh, "uninstall", "com.github.uiautomator")
    assert status == 0 and out == b"Success\n"
    (tmp_path / "bad.apk").write_bytes(b"PK nothing")
    status, out, err = on(server, fresh, "install", str(tmp_path / "bad.apk"))
    assert status == 1 and b"INSTALL_PARSE_FAILED_NOT_APK" in out + err


def test_apps_are_started_and_seen_in_front(server: AdbServer, fresh: LivePhone) -> None:
    out = on(server, fresh, "shell", "am", "start", "-W", "-n", f"{SETTINGS}/.Settings")[1].decode()
    assert "Status: ok" in out and fresh.ask(front) == SETTINGS
    focus = on(server, fresh, "shell", "dumpsys window displays | grep mCurrentFocus")[1].decode()
    assert re.search(rf"u0 {SETTINGS}/{SETTINGS}\.Settings}}", focus)


def test_logcat_dumps_and_ends(server: AdbServer, fresh: LivePhone) -> None:
    on(server, fresh, "shell", "input tap 77 78")
    status, out, _ = on(server, fresh, "logcat", "-d")
    assert status == 0 and b"x=77.0 y=78.0" in out
    assert on(server, fresh, "logcat", "-c")[0] == 0


def test_reverse_and_forward_are_listed_and_removed(server: AdbServer, fresh: LivePhone) -> None:
    assert on(server, fresh, "reverse", "tcp:7001", "tcp:7002")[0] == 0
    assert b"tcp:7001 tcp:7002" in on(server, fresh, "reverse", "--list")[1]
    assert on(server, fresh, "reverse", "--no-rebind", "tcp:7001", "tcp:7003")[0] == 1
    assert on(server, fresh, "reverse", "--remove", "tcp:7001")[0] == 0
    assert on(server, fresh, "reverse", "--remove", "tcp:7001")[0] == 1
    port = on(server, fresh, "reverse", "tcp:0", "tcp:7002")[1].strip()
    assert port.isdigit() and on(server, fresh, "reverse", "--remove-all")[0] == 0
    local = on(server, fresh, "forward", "tcp:0", "tcp:9008")[1].strip().decode()
    assert f"tcp:{local} tcp:9008".encode() in on(server, fresh, "forward", "--list")[1]
    assert on(server, fresh, "forward", "--remove", f"tcp:{local}")[0] == 0


def test_a_production_phone_gives_no_root(server: AdbServer, fresh: LivePhone) -> None:
    status, out, err = on(server, fresh, "root")
    assert b"adbd cannot run as root in production builds" in out + err and status in (0, 1)


@pytest.mark.parametrize("service", ["jdwp", "abb:x", "dev:/dev/null"])
def test_services_the_phone_does_not_have_are_refused(server: AdbServer, fresh: LivePhone, service: str) -> None:
    local = on(server, fresh, "forward", "tcp:0", "localabstract:nobody")[1].strip().decode()
    assert local.isdigit() and on(server, fresh, "forward", "--remove", f"tcp:{local}")[0] == 0
    connection = server.client.device(fresh.address).open_transport()
    connection.send_command(service)
    with pytest.raises(Exception, match="closed"):
        connection.check_okay()
    connection.close()


def test_jdwp_lists_nothing_and_ends(server: AdbServer, fresh: LivePhone) -> None:
    status, out, err = on(server, fresh, "jdwp")
    assert out == b"" and b"closed" in err and status == 1
