"""Commands on files, text, identity and processes."""

from __future__ import annotations

import hashlib
import re

import pytest

from device.virtual.phone import VirtualPhone

from .conftest import Shell

pytestmark = pytest.mark.anyio


async def test_files_are_made_listed_moved_and_removed(shell: Shell, phone: VirtualPhone) -> None:
    done = await shell("cd /sdcard; mkdir -p d/e && echo -n hello > d/f && cp /sdcard/d/f /sdcard/d/g && mv d/g d/e/")
    assert (done.status, done.err) == (0, "")
    assert phone.world.files.read("/sdcard/d/e/g") == b"hello"
    assert (await shell("ls /sdcard/d")).lines == ["e", "f"]
    long = await shell("ls -l /sdcard/d/f")
    assert re.fullmatch(r"-rw-rw---- 1 \w+ \w+ 5 \d{4}-\d\d-\d\d \d\d:\d\d /sdcard/d/f\n", long.out)
    assert (await shell("stat -c %s /sdcard/d/f")).out == "5\n"
    assert (await shell("find /sdcard/d -type f")).lines == ["/sdcard/d/e/g", "/sdcard/d/f"]
    assert (await shell("rm /sdcard/d")).err == "rm: /sdcard/d: Is a directory\n"
    assert (await shell("rmdir /sdcard/d")).err == "rmdir: /sdcard/d: Directory not empty\n"
    assert (await shell("rm -r /sdcard/d; ls /sdcard/d")).err == "ls: /sdcard/d: No such file or directory\n"


async def test_what_is_missing_or_forbidden_is_refused_in_unixs_words(shell: Shell) -> None:
    assert (await shell("cat /sdcard/none")).err == "cat: /sdcard/none: No such file or directory\n"
    assert (await shell("rm /sdcard/none")).status == 1
    assert (await shell("rm -f /sdcard/none")).status == 0
    assert (await shell("touch /data/x")).err == "touch: '/data/x': Permission denied\n"
    assert (await shell("mkdir /sdcard/a/b")).err == "mkdir: '/sdcard/a/b': No such file or directory\n"
    assert (await shell("cat /sdcard")).err == "cat: /sdcard: Is a directory\n"


async def test_digests_are_those_of_the_file(shell: Shell) -> None:
    await shell("echo -n abc > /data/local/tmp/f")
    wanted = hashlib.md5(b"abc").hexdigest()
    assert (await shell("toybox md5sum /data/local/tmp/f")).out == f"{wanted}  /data/local/tmp/f\n"
    assert wanted in (await shell("md5 /data/local/tmp/f")).out
    missing = await shell("toybox md5sum /data/local/tmp/none")
    assert missing.status == 1 and "No such file" in missing.err


@pytest.mark.parametrize(
    ("line", "out"),
    [
        ("grep b", "b1\nb2\n"),
        ("grep -c b", "2\n"),
        ("grep -v b", "a1\nc1\n"),
        ("grep -E 'a|c'", "a1\nc1\n"),
        ("grep 'a\\|c'", "a1\nc1\n"),
        ("grep -i B2", "b2\n"),
        ("grep -o '[ab]'", "a\nb\nb\n"),
        ("head -n 1", "a1\n"),
        ("head -2", "a1\nb1\n"),
        ("tail -1", "c1\n"),
        ("sort -r | head -1", "c1\n"),
        ("cut -c 1 2>/dev/null || true", ""),
        ("cut -d 1 -f 1", "a\nb\nb2\nc\n"),
        ("tr -d '12'", "a\nb\nb\nc\n"),
        ("tr ab xy | head -1", "x1\n"),
        ("wc -l", "4\n"),
        ("tr -d '12' | uniq -c", "      1 a\n      2 b\n      1 c\n"),
    ],
)
async def test_filters_do_what_their_names_say(shell: Shell, line: str, out: str) -> None:
    await shell("printf 'a1\\nb1\\nb2\\nc1\\n' > /sdcard/t")
    assert (await shell(f"cat /sdcard/t | {line}")).out == out


async def test_grep_finds_nothing_with_status_one(shell: Shell) -> None:
    assert (await shell("echo a | grep -q b")).status == 1
    assert (await shell("echo a | grep -q a")).status == 0


async def test_the_shell_is_the_shell_user(shell: Shell) -> None:
    assert (await shell("whoami")).out == "shell\n"
    assert (await shell("id")).out.startswith("uid=2000(shell) gid=2000(shell) groups=2000(shell)")
    assert (await shell("su -c id")).status == 127


async def test_properties_answer_one_by_one_and_all_together(shell: Shell, phone: VirtualPhone) -> None:
    for name, value in {
        "ro.product.model": phone.profile.model,
        "ro.build.version.sdk": "34",
        "ro.build.version.release": "14",
        "sys.boot_completed": "1",
        "ro.product.cpu.abi": "x86_64",
        "ro.tapwright.virtual": "1",
        "ro.no.such": "",
    }.items():
        assert (await shell(f"getprop {name}")).out == value + "\n"
    whole = (await shell("getprop")).lines
    assert f"[ro.product.name]: [{phone.profile.product}]" in whole
    assert all(re.fullmatch(r"\[[^]]+\]: \[[^]]*\]", line) for line in whole)


async def test_ps_has_nine_columns_with_the_pid_second_and_the_name_last(shell: Shell, phone: VirtualPhone) -> None:
    phone.start("com.android.settings")
    head, *rows = (await shell("ps -A")).lines
    assert head.split() == ["USER", "PID", "PPID", "VSZ", "RSS", "WCHAN", "ADDR", "S", "NAME"]
    fields = [row.split() for row in rows]
    assert all(len(row) == 9 and row[1].isdigit() for row in fields)
    pid = next(int(row[1]) for row in fields if row[-1] == "com.android.settings")
    assert (await shell("pidof com.android.settings")).out == f"{pid}\n"
    assert pid in [number for number, _ in phone.running()]
    assert (await shell("pidof com.none")).status == 1


async def test_the_date_is_the_phones(shell: Shell) -> None:
    assert (await shell("date '+%Y-%m-%d %H:%M'")).out == "2026-11-21 09:41\n"
    assert (await shell("date")).out == "Sat Nov 21 09:41:00 GMT 2026\n"
    assert int((await shell("date +%s")).out) == 1795254060
    assert (await shell("uptime")).out.startswith(" 09:41:00 up 0 min")


async def test_the_phones_address_can_be_read_in_both_ways(shell: Shell) -> None:
    assert re.search(r"inet\s*addr:(.*?)\s", (await shell("ifconfig wlan0")).out)
    assert re.search(r"inet (\d+.*?)/\d+", (await shell("ip addr show dev wlan0")).out)
    assert (await shell("svc wifi disable; ip addr show dev wlan0")).out.count("inet ") == 0
