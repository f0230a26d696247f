"""Commands that only talk: text, time, identity, properties, processes."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from datetime import datetime

from device.virtual.adbd import filesystem
from device.virtual.adbd.shell.command import Call, Command, Console, plain
from device.virtual.phone import VirtualPhone

BUILD = "TAPW.261121.001"


def echo(phone: VirtualPhone, call: Call) -> int:
    words = list(call.args)
    newline, escapes = True, False
    while words and words[0] in ("-n", "-e", "-ne", "-en", "-E"):
        newline &= "n" not in words[0]
        escapes |= "e" in words.pop(0)
    text = " ".join(words)
    if escapes:
        text = _unescape(text)
    call.write((text + ("\n" if newline else "")).encode("utf-8", "surrogateescape"))
    return 0


def printf(phone: VirtualPhone, call: Call) -> int:
    if not call.args:
        return call.fail("printf: not enough arguments", 1)
    form, values = _unescape(call.args[0]), list(call.args[1:])
    out, rest = "", form
    while "%" in rest:
        before, _, rest = rest.partition("%")
        kind, rest = rest[:1], rest[1:]
        out += before
        if kind == "%":
            out += "%"
        elif kind in ("s", "d"):
            out += values.pop(0) if values else ("" if kind == "s" else "0")
        else:
            return call.fail(f"printf: %{kind}: invalid conversion")
    call.write((out + rest).encode("utf-8", "surrogateescape"))
    return 0


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "\\": "\\", "0": "\0"}


def _unescape(text: str) -> str:
    out, at = "", 0
    while at < len(text):
        if text[at] == "\\" and text[at + 1 : at + 2] in _ESCAPES:
            out += _ESCAPES[text[at + 1]]
            at += 2
        else:
            out += text[at]
            at += 1
    return out


def true(phone: VirtualPhone, call: Call) -> int:
    return 0


def false(phone: VirtualPhone, call: Call) -> int:
    return 1


async def sleep(console: Console, call: Call) -> int:
    units = {"s": 1, "m": 60, "h": 3600, "d": 86400}
    seconds = 0.0
    for word in call.args:
        number, unit = (word[:-1], units[word[-1]]) if word[-1:] in units else (word, 1)
        try:
            seconds += float(number) * unit
        except ValueError:
            return call.fail(f"sleep: Not number '{word}'")
    if not call.args:
        return call.fail("sleep: Needs 1 argument")
    await console.host.sleep(seconds)
    return 0


def test(phone: VirtualPhone, call: Call) -> int:
    args = list(call.args)
    if call.name == "[":
        if args[-1:] != ["]"]:
            return call.fail("sh: [: missing ]", 2)
        args.pop()
    negated = args[:1] == ["!"]
    holds = _holds(phone, call, args[1:] if negated else args)
    if holds is None:
        return call.fail(f"sh: {call.name}: {' '.join(args)}: unexpected operator/operand", 2)
    return int(holds is negated)


_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}


def _holds(phone: VirtualPhone, call: Call, args: Sequence[str]) -> bool | None:
    match list(args):
        case []:
            return False
        case [word]:
            return bool(word)
        case ["-z", word]:
            return not word
        case ["-n", word]:
            return bool(word)
        case ["-e" | "-f" | "-d" | "-s" | "-r" | "-w" | "-x" as sign, path]:
            file = filesystem.stat(phone, call.path(path))
            if file is None:
                return False
            return {"-f": not file.is_folder, "-d": file.is_folder, "-s": bool(file.data)}.get(sign, True)
        case [left, "=" | "==", right]:
            return left == right
        case [left, "!=", right]:
            return left != right
        case [left, sign, right] if sign in _NUMBERS and _is_number(left) and _is_number(right):
            return _NUMBERS[sign](int(left), int(right))
    return None


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdigit()


def date(phone: VirtualPhone, call: Call) -> int:
    now = phone.clock.wall()
    words = [word for word in call.args if word not in ("-u",)]
    if not words:
        call.say(now.strftime("%a %b %e %H:%M:%S GMT %Y"))
    elif words[0].startswith("+"):
        form = words[0][1:].replace("%s", str(int((now - datetime(1970, 1, 1)).total_seconds())))
        call.say(now.strftime(form.replace("%N", f"{now.microsecond * 1000:09d}").replace("%Z", "GMT")))
    else:
        return call.fail("date: cannot set date: Operation not permitted")
    return 0


def uptime(phone: VirtualPhone, call: Call) -> int:
    hours, minutes = divmod(int(phone.clock.now_ms() / 60_000), 60)
    up = f"{hours:2}:{minutes:02}" if hours else f"{minutes} min"
    call.say(f" {phone.clock.wall():%H:%M:%S} up {up},  0 users,  load average: 0.00, 0.00, 0.00")
    return 0


_GROUPS = (
    "2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),1028(sdcard_r),1078(ext_data_rw),1079(ext_obb_rw),"
    "3001(net_bt_admin),3002(net_bt),3003(inet),3006(net_bw_stats),3009(readproc),3011(uhid),3012(readtracefs)"
)


def id_(phone: VirtualPhone, call: Call) -> int:
    match call.args:
        case ("-u",):
            call.say("2000")
        case ("-un",) | ("-nu",):
            call.say("shell")
        case _:
            call.say(f"uid=2000(shell) gid=2000(shell) groups={_GROUPS} context=u:r:shell:s0")
    return 0


def whoami(phone: VirtualPhone, call: Call) -> int:
    call.say("shell")
    return 0


def uname(phone: VirtualPhone, call: Call) -> int:
    parts = {"s": "Linux", "n": "localhost", "r": "6.1.0-virtual", "m": "x86_64"}
    letters = "".join(word[1:] for word in call.args if word.startswith("-")) or "s"
    wanted = parts if "a" in letters else [letter for letter in parts if letter in letters]
    call.say(" ".join(parts[letter] for letter in wanted))
    return 0


def pwd(phone: VirtualPhone, call: Call) -> int:
    call.say(call.cwd)
    return 0


def basename(phone: VirtualPhone, call: Call) -> int:
    name = posixpath.basename(call.args[0].rstrip("/")) if call.args else ""
    call.say(name.removesuffix(call.args[1]) if len(call.args) > 1 else name)
    return 0


def dirname(phone: VirtualPhone, call: Call) -> int:
    call.say(*(posixpath.dirname(word.rstrip("/")) or "." for word in call.args))
    return 0


def env(phone: VirtualPhone, call: Call) -> int:
    call.say(*(f"{name}={value}" for name, value in sorted(call.env.items())))
    return 0


def properties(phone: VirtualPhone) -> dict[str, str]:
    """System properties. `ro.tapwright.virtual` tells whoever wants to know that this is no real phone."""
    profile = phone.profile
    locale = phone.world.settings.get("system", "system_locales", "en-US")
    fingerprint = (
        f"{profile.brand.lower()}/{profile.product}/{profile.device}:{profile.release}/{BUILD}/1:user/release-keys"
    )
    return {
        "dev.bootcomplete": "1",
        "gsm.sim.state": "ABSENT",
        "init.svc.adbd": "running",
        "init.svc.bootanim": "stopped",
        "persist.sys.locale": locale,
        "persist.sys.timezone": "GMT",
        "persist.sys.usb.config": "adb",
        "ro.board.platform": "virtual",
        "ro.boot.hardware": "virtual",
        "ro.build.characteristics": "default" if profile.name != "tablet" else "tablet",
        "ro.build.fingerprint": fingerprint,
        "ro.build.id": BUILD,
        "ro.build.type": "user",
        "ro.build.version.codename": "REL",
        "ro.build.version.incremental": "1",
        "ro.build.version.release": profile.release,
        "ro.build.version.sdk": str(profile.sdk),
        "ro.build.version.security_patch": "2026-11-05",
        "ro.debuggable": "0",
        "ro.hardware": "virtual",
        "ro.product.brand": profile.brand,
        "ro.product.cpu.abi": "x86_64",
        "ro.product.cpu.abilist": "x86_64",
        "ro.product.device": profile.device,
        "ro.product.locale": locale,
        "ro.product.manufacturer": profile.brand,
        "ro.product.model": profile.model,
        "ro.product.name": profile.product,
        "ro.secure": "1",
        "ro.serialno": f"TWV{phone.world.seed:08d}",
        "ro.sf.lcd_density": str(profile.dpi),
        "ro.tapwright.virtual": "1",
        "ro.zygote": "zygote64",
        "sys.boot_completed": "1",
        "sys.usb.state": "adb",
    }


def getprop(phone: VirtualPhone, call: Call) -> int:
    known = properties(phone)
    if call.args:
        call.say(known.get(call.args[0], call.args[1] if len(call.args) > 1 else ""))
    else:
        call.say(*(f"[{name}]: [{value}]" for name, value in sorted(known.items())))
    return 0


def setprop(phone: VirtualPhone, call: Call) -> int:
    return call.fail(f"Failed to set property '{call.args[0] if call.args else ''}' to the given value.")


_SYSTEM_PROCESSES = (
    ("root", 1, 0, "init"),
    ("logd", 212, 1, "logd"),
    ("system", 233, 1, "servicemanager"),
    ("system", 402, 1, "surfaceflinger"),
    ("root", 411, 1, "zygote64"),
    ("shell", 498, 1, "adbd"),
    ("system", 634, 411, "system_server"),
)
_COLUMNS = {"USER": 12, "PID": 7, "PPID": 6, "VSZ": 10, "RSS": 7, "WCHAN": 18, "ADDR": 10, "S": 1, "NAME": 27}


def processes(phone: VirtualPhone) -> list[tuple[str, int, int, str]]:
    """(user, pid, parent, name) of everything that runs."""
    apps = [(f"u0_a{100 + number}", pid, 411, name) for number, (pid, name) in enumerate(phone.running())]
    return sorted([*_SYSTEM_PROCESSES, *apps], key=lambda process: process[1])


def ps(phone: VirtualPhone, call: Call) -> int:
    rows = processes(phone)
    if not any(word.startswith("-") and ("A" in word or "e" in word) for word in call.args):
        rows = [row for row in rows if row[0] == "shell"]
    columns = list(_COLUMNS)
    if "-o" in call.args[:-1]:
        columns = [name.upper() for name in call.args[call.args.index("-o") + 1].split(",")]
        columns = ["NAME" if name in ("CMD", "ARGS", "CMDLINE", "COMM") else name for name in columns]
        if unknown := [name for name in columns if name not in _COLUMNS]:
            return call.fail(f"ps: bad -o {unknown[0]}")
    call.say(" ".join(_cell(name, name) for name in columns))
    for user, pid, parent, name in rows:
        values = {
            "USER": user,
            "PID": str(pid),
            "PPID": str(parent),
            "VSZ": "13894016",
            "RSS": "131072",
            "WCHAN": "do_epoll_wait",
            "ADDR": "0",
            "S": "S",
            "NAME": name,
        }
        call.say(" ".join(_cell(column, values[column]) for column in columns).rstrip())
    return 0


def _cell(column: str, value: str) -> str:
    width = _COLUMNS[column]
    return value.rjust(width) if column in ("PID", "PPID", "VSZ", "RSS", "ADDR") else value.ljust(width)


def pidof(phone: VirtualPhone, call: Call) -> int:
    found = [str(pid) for _, pid, _, name in processes(phone) if name in call.args]
    if found:
        call.say(" ".join(reversed(found)))
    return 0 if found else 1


def clear(phone: VirtualPhone, call: Call) -> int:
    call.write(b"\x1b[2J\x1b[H")
    return 0


COMMANDS: dict[str, Command] = {
    **plain(
        echo=echo,
        printf=printf,
        true=true,
        false=false,
        test=test,
        date=date,
        uptime=uptime,
        id_=id_,
        whoami=whoami,
        uname=uname,
        pwd=pwd,
        basename=basename,
        dirname=dirname,
        env=env,
        printenv=env,
        getprop=getprop,
        setprop=setprop,
        ps=ps,
        pidof=pidof,
        clear=clear,
    ),
    ":": Command(true),
    "[": Command(test),
    "sleep": Command(wait=sleep),
}
