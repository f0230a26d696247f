"""How the phone's shell carries lines out."""

from __future__ import annotations

import pytest

from device.virtual.phone import VirtualPhone

from .conftest import Shell

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("line", "out"),
    [
        ("echo hi", "hi\n"),
        ("echo 'a b' 'it'\"'\"'s' '$HOME' '你好'", "a b it's $HOME 你好\n"),
        ("echo -n a; echo b", "ab\n"),
        ("A='x y'; echo $A \"$A\" '$A'", "x y x y $A\n"),
        ('echo "a  b" a  b', "a  b a b\n"),
        ("true && echo yes || echo no", "yes\n"),
        ("false && echo yes || echo no", "no\n"),
        ("false; echo $?", "1\n"),
        ("nope 2>/dev/null; echo X4EXIT:$?", "X4EXIT:127\n"),
        ("! false && echo turned", "turned\n"),
        ("echo $(echo a; echo b) `echo c`", "a b c\n"),
        ("echo \"$(echo 'a  b')\"", "a  b\n"),
        ("X=1 env | grep '^X='", "X=1\n"),
        ("echo $X-", "-\n"),
        ("export X=7; sh -c 'echo $X'", "7\n"),
        ("printf '%s-%s\\n' a b", "a-b\n"),
        ("echo a | cat | wc -l", "1\n"),
        ("[ 3 -gt 2 ] && test -n x && echo ok", "ok\n"),
        ("test -e /sdcard && test -d /data/local/tmp && echo there", "there\n"),
        ("/system/bin/echo full", "full\n"),
        ("toybox echo box", "box\n"),
        ("command -v echo", "/system/bin/echo\n"),
        ("which ls nope", "/system/bin/ls\n"),
        ("cd /data/local/tmp && pwd", "/data/local/tmp\n"),
        ("echo a; exit 3; echo b", "a\n"),
        ("echo [$(echo a; sleep 1; echo b)]", "[a b]\n"),
        ("sh -c 'echo a; sleep 1; echo b' | wc -l", "2\n"),
        ("echo a; exec echo b; echo c", "a\nb\n"),
    ],
)
async def test_a_line_prints_what_a_shell_prints(shell: Shell, line: str, out: str) -> None:
    assert (await shell(line)).out == out


async def test_the_exit_status_is_that_of_the_last_command(shell: Shell) -> None:
    assert (await shell("true")).status == 0
    assert (await shell("true; false")).status == 1
    assert (await shell("exit 42")).status == 42
    assert (await shell("sh -c 'exit 3'")).status == 3


async def test_an_unknown_command_is_refused_in_the_shells_words_and_journalled(
    shell: Shell, phone: VirtualPhone
) -> None:
    done = await shell("frobnicate --all 'x y'")
    assert (done.status, done.out, done.err) == (127, "", "sh: frobnicate: inaccessible or not found\n")
    (entry,) = phone.journal.entries("unknown")
    assert dict(entry.data) == {"command": "frobnicate", "args": ["--all", "x y"]}


async def test_what_the_shell_cannot_parse_is_an_error_of_one_line(shell: Shell) -> None:
    done = await shell("echo 'a")
    assert done.status == 1 and done.err == "sh: no closing quote\n" and done.out == ""


async def test_output_and_errors_go_where_they_are_sent(shell: Shell) -> None:
    await shell("echo one > /sdcard/a.txt; echo two >> /sdcard/a.txt; nope 2>> /sdcard/a.txt")
    assert (await shell("cat /sdcard/a.txt")).lines == ["one", "two", "sh: nope: inaccessible or not found"]
    merged = await shell("nope 2>&1 | cat")
    assert merged.out == "sh: nope: inaccessible or not found\n" and merged.err == ""
    assert (await shell("cat < /sdcard/a.txt | head -1")).out == "one\n"
    refused = await shell("echo x > /system/a")
    assert refused.status == 1 and refused.err == "sh: can't create /system/a: Read-only file system\n"


async def test_patterns_stand_for_the_files_that_fit_and_for_themselves_when_none_does(shell: Shell) -> None:
    await shell("touch /sdcard/a.png /sdcard/b.png /sdcard/c.txt /sdcard/.hidden.png")
    assert (await shell("echo /sdcard/*.png")).out == "/sdcard/a.png /sdcard/b.png\n"
    assert (await shell("cd /sdcard; echo *.png '*.png' [ab].png ?.txt")).out == (
        "a.png b.png *.png a.png b.png c.txt\n"
    )
    assert (await shell("echo /sdcard/*.gif")).out == "/sdcard/*.gif\n"


async def test_a_name_that_holds_a_command_stays_a_name(shell: Shell) -> None:
    """What unquoted text would do, quoted text does not."""
    await shell("touch /sdcard/x; touch '/sdcard/a; touch b'")
    assert (await shell("ls /sdcard/b")).status == 1
    await shell("touch /sdcard/a; touch /sdcard/b")
    assert (await shell("ls /sdcard/b")).status == 0
    await shell("echo '$(touch /sdcard/evil)' \"\\$(touch /sdcard/evil)\"")
    assert (await shell("ls /sdcard/evil")).status == 1
    await shell('echo "$(touch /sdcard/evil)"')
    assert (await shell("ls /sdcard/evil")).status == 0


async def test_sleeping_lets_the_phones_time_pass(shell: Shell, phone: VirtualPhone) -> None:
    before = phone.clock.now_ms()
    assert (await shell("sleep 1.5")).status == 0
    assert phone.clock.now_ms() - before == pytest.approx(1500)
    assert (await shell("sleep x")).status == 1


async def test_a_script_file_runs(shell: Shell) -> None:
    await shell("echo 'echo from $0; id -u' > /data/local/tmp/s.sh")
    assert (await shell("sh /data/local/tmp/s.sh")).out == "from sh\n2000\n"
    assert (await shell("sh /data/local/tmp/none.sh")).status == 127
