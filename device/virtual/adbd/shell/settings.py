"""Commands on the phone's switches: `settings`, `svc`, `wm`, `ime`, `locksettings`, and the doors of `cmd`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from device.virtual.adbd import filesystem
from device.virtual.adbd.shell.activity import am
from device.virtual.adbd.shell.command import Call, Command, plain
from device.virtual.adbd.shell.input import input_
from device.virtual.adbd.shell.package import comes_over_stdin, install_stream, pm
from device.virtual.core.settings import NAMESPACES
from device.virtual.errors import UnknownInputMethod
from device.virtual.phone import VirtualPhone

EXCEPTION = 255
NO_SERVICE = 20
NAVBAR = "com.android.internal.systemui.navbar."
"""Packages of the overlays that choose the navigation bar."""


def settings(phone: VirtualPhone, call: Call) -> int:
    args = list(call.args)
    while "--user" in args:
        at = args.index("--user")
        del args[at : at + 2]
    args = [word for word in args if word != "--lineage"]
    verb, namespace = [*args, "", ""][:2]
    if verb not in ("get", "put", "delete", "list"):
        return call.fail(f"Invalid command: {verb or 'none'}; known are get, put, delete, list", EXCEPTION)
    if namespace not in NAMESPACES:
        return call.fail(f"Invalid namespace '{namespace}'", EXCEPTION)
    stored = phone.world.settings
    match verb, args[2:]:
        case "list", _:
            call.say(*(f"{key}={value}" for key, value in stored.items(namespace)))
        case "get", [key, *_]:
            call.say(stored.get(namespace, key) if stored.has(namespace, key) else "null")
        case "put", [key, value, *_]:
            filesystem.put_setting(phone, namespace, key, value)
        case "delete", [key, *_]:
            call.say(f"Deleted {int(filesystem.put_setting(phone, namespace, key, None))} rows")
        case _:
            return call.fail("Bad arguments", EXCEPTION)
    return 0


_SWITCHES = {"wifi": "wifi_on", "data": "mobile_data", "bluetooth": "bluetooth_on", "nfc": "nfc_on"}


def svc(phone: VirtualPhone, call: Call) -> int:
    match call.args:
        case ("wifi" | "data" | "bluetooth" | "nfc" as name, "enable" | "disable" as state):
            filesystem.put_setting(phone, "global", _SWITCHES[name], str(int(state == "enable")))
        case ("power", "stayon", state):
            bits = {"true": "15", "false": "0", "ac": "1", "usb": "2", "wireless": "4"}.get(state)
            if bits is None:
                return call.fail("usage: svc power stayon [true|false|usb|ac|wireless]", 1)
            filesystem.put_setting(phone, "global", "stay_on_while_plugged_in", bits)
        case _:
            phone.journal.append("unknown", {"command": "svc", "args": list(call.args)})
            return call.fail("Available commands: wifi, data, bluetooth, nfc, power", 1)
    return 0


def wm(phone: VirtualPhone, call: Call) -> int:
    args = [word for at, word in enumerate(call.args) if word != "-d" and (not at or call.args[at - 1] != "-d")]
    match args:
        case ["size"]:
            call.say(f"Physical size: {phone.panel.width}x{phone.panel.height}")
            if tuple(phone.natural_size) != (phone.panel.width, phone.panel.height):
                call.say("Override size: {}x{}".format(*phone.natural_size))
        case ["size", "reset"]:
            filesystem.put_setting(phone, "global", "display_size_forced", None)
        case ["size", size]:
            width, cross, height = size.partition("x")
            if not (cross and width.isdigit() and height.isdigit() and int(width) > 99 and int(height) > 99):
                return call.fail("Error: bad size " + size, EXCEPTION)
            filesystem.put_setting(phone, "global", "display_size_forced", f"{width},{height}")
        case ["density"]:
            call.say(f"Physical density: {phone.panel.dpi}")
            forced = phone.world.settings.get("secure", "display_density_forced")
            if forced and forced != str(phone.panel.dpi):
                call.say(f"Override density: {forced}")
        case ["density", "reset"]:
            filesystem.put_setting(phone, "secure", "display_density_forced", None)
        case ["density", dpi]:
            if not dpi.isdigit() or int(dpi) < 72:
                return call.fail("Error: density must be >= 72", EXCEPTION)
            filesystem.put_setting(phone, "secure", "display_density_forced", dpi)
        case ["user-rotation" | "set-user-rotation", *rest]:
            return _user_rotation(phone, call, rest)
        case ["dismiss-keyguard"]:
            phone.unlock()
        case _:
            phone.journal.append("unknown", {"command": "wm", "args": list(call.args)})
            return call.fail(f"Unknown command: {args[0] if args else ''}", EXCEPTION)
    return 0


def _user_rotation(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    match list(args):
        case []:
            frozen = not phone.world.settings.flag("system", "accelerometer_rotation")
            call.say(f"lock {phone.rotation}" if frozen else "free")
        case ["free"]:
            phone.set_rotation(0, False)
        case ["lock"]:
            phone.set_rotation(phone.rotation, True)
        case ["lock", turn] if turn in ("0", "1", "2", "3"):
            phone.set_rotation(int(turn), True)
        case _:
            return call.fail("Error: argument needs to be either -d, free or lock.", EXCEPTION)
    return 0


def ime(phone: VirtualPhone, call: Call) -> int:
    verb, *args = call.args or ("",)
    ids = [word for word in args if not word.startswith("-")]
    match verb:
        case "list":
            letters = "".join(word[1:] for word in args if word.startswith("-"))
            for method in phone.input_methods():
                if "a" not in letters and not method.enabled:
                    continue
                if "s" in letters:
                    call.say(method.id)
                else:
                    call.say(f"{method.id}:", f"  mId={method.id} mLabel={method.label} mIsDefaultResId=0x0")
        case "enable" | "disable" | "set" if ids:
            return _change_ime(phone, call, verb, ids[0])
        case "reset":
            own = phone.input_methods()[0].id
            phone.set_ime(own)
            call.say("Reset current and enabled IMEs for user #0", f"  Newly selected: {own}")
        case _:
            return call.fail("ime <command>: list [-a] [-s], enable ID, disable ID, set ID, reset", EXCEPTION)
    return 0


def _change_ime(phone: VirtualPhone, call: Call, verb: str, id: str) -> int:
    method = next((method for method in phone.input_methods() if method.id == id), None)
    try:
        if verb == "set":
            phone.set_ime(id)
            call.say(f"Input method {id} selected for user #0")
            return 0
        phone.enable_ime(id, verb == "enable")
    except UnknownInputMethod:
        verbed = {"set": "selected", "enable": "enabled", "disable": "disabled"}[verb]
        call.say(f"Unknown input method {id} cannot be {verbed} for user #0")
        return EXCEPTION
    assert method is not None
    before = "already" if method.enabled == (verb == "enable") else "now"
    call.say(f"Input method {id}: {before} {verb}d for user #0")
    return 0


def locksettings(phone: VirtualPhone, call: Call) -> int:
    args, old = _without_old(call.args)
    if args[:1] in (("set-pin",), ("clear",), ("verify",)) and phone.lock_kind == "pin" and not phone.pin_matches(old):
        return call.fail(f"Old password '{old}' didn't match")
    match args:
        case ("set-pin", pin):
            try:
                phone.set_lock("pin", pin)
            except ValueError:
                return call.fail(f"Error while executing command: set-pin: the PIN needs at least 4 digits: {len(pin)}")
            call.say(f"Pin set to '{pin}'")
        case ("clear",):
            phone.set_lock("swipe")
            call.say("Lock credential cleared")
        case ("verify",):
            call.say("Lock credential verified successfully")
        case ("get-disabled",):
            call.say(str(phone.world.settings.flag("secure", "lockscreen_disabled")).lower())
        case ("set-disabled", "true" | "false" as state):
            filesystem.put_setting(phone, "secure", "lockscreen_disabled", str(int(state == "true")))
            call.say(f"Lock screen disabled set to {state}")
        case _:
            phone.journal.append("unknown", {"command": "locksettings", "args": list(call.args[:1])})
            return call.fail(f"Unknown command: {call.args[0] if call.args else ''}", EXCEPTION)
    return 0


def _without_old(args: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """The arguments without `--old CREDENTIAL` and `--user N`, and that credential."""
    kept, old = list(args), ""
    for option in ("--old", "--user"):
        while option in kept[:-1]:
            at = kept.index(option)
            old = kept[at + 1] if option == "--old" else old
            del kept[at : at + 2]
    return tuple(kept), old


def _overlay(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    """`cmd overlay enable-exclusive [--category] com.android.internal.systemui.navbar.NAME`: the navigation bar."""
    bars = {"gestural": "gestures", "threebutton": "buttons"}
    match [word for word in args if word not in ("--category", "--user", "0", "current")]:
        case ["enable-exclusive" | "enable", name] if name.startswith(NAVBAR) and name.removeprefix(NAVBAR) in bars:
            phone.set_navigation(bars[name.removeprefix(NAVBAR)])
        case ["list"]:
            chosen = {value: key for key, value in bars.items()}[phone.navigation]
            call.say("com.android.systemui", *(f"[{'x' if n == chosen else ' '}] {NAVBAR}{n}" for n in bars))
        case _:
            phone.journal.append("unknown", {"command": "cmd overlay", "args": list(args)})
            return call.fail("Error: Failed to set exclusive overlay", EXCEPTION)
    return 0


def cmd(phone: VirtualPhone, call: Call) -> int:
    if not call.args:
        return call.fail("cmd: No service specified; use -l to list all services", NO_SERVICE)
    service, *args = call.args
    if service == "-l":
        call.say("Currently running services:", *(f"  {name}" for name in sorted({*_SERVICES, *_SMALL})))
        return 0
    if (run := _SERVICES.get(service)) is not None:
        inner = replace(call, name=service, args=tuple(args))
        status = run(phone, inner)
        call.pending = inner.pending
        return status
    if (small := _SMALL.get(service)) is not None:
        return small(phone, call, args)
    phone.journal.append("unknown", {"command": "cmd", "args": [service]})
    return call.fail(f"cmd: Can't find service: {service}", NO_SERVICE)


def _statusbar(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    match list(args):
        case ["expand-notifications"]:
            phone.open_notifications()
        case ["expand-settings"]:
            phone.open_quick_settings()
        case ["collapse"]:
            phone.close_shade()
        case _:
            return call.fail(f"Unknown command: {args[0] if args else ''}", EXCEPTION)
    return 0


def _uimode(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    modes = {"auto": "0", "no": "1", "yes": "2"}
    match list(args):
        case ["night"]:
            pass
        case ["night", mode] if mode in modes:
            filesystem.put_setting(phone, "secure", "ui_night_mode", modes[mode])
        case _:
            return call.fail("Error: mode must be 'yes', 'no', or 'auto'", EXCEPTION)
    value = phone.world.settings.get("secure", "ui_night_mode", "1")
    call.say("Night mode: " + next((name for name, known in modes.items() if known == value), "unknown"))
    return 0


def _switch(key: str, verbs: dict[str, str]) -> Callable[[VirtualPhone, Call, Sequence[str]], int]:
    def run(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
        value = verbs.get(" ".join(args))
        if value is None:
            return call.fail(f"Unknown command: {args[0] if args else ''}", EXCEPTION)
        filesystem.put_setting(phone, "global", key, value)
        return 0

    return run


def _connectivity(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    match list(args):
        case ["airplane-mode"]:
            on = phone.world.settings.flag("global", "airplane_mode_on")
            call.say("enabled" if on else "disabled")
        case ["airplane-mode", "enable" | "disable" as state]:
            filesystem.put_setting(phone, "global", "airplane_mode_on", str(int(state == "enable")))
        case _:
            return call.fail(f"Unknown command: {args[0] if args else ''}", EXCEPTION)
    return 0


_SERVICES: dict[str, Callable[[VirtualPhone, Call], int]] = {
    "activity": am,
    "input": input_,
    "input_method": ime,
    "lock_settings": locksettings,
    "package": pm,
    "settings": settings,
    "window": wm,
}
_SMALL: dict[str, Callable[[VirtualPhone, Call, Sequence[str]], int]] = {
    "bluetooth_manager": _switch("bluetooth_on", {"enable": "1", "disable": "0"}),
    "connectivity": _connectivity,
    "overlay": _overlay,
    "statusbar": _statusbar,
    "uimode": _uimode,
    "wifi": _switch("wifi_on", {"set-wifi-enabled enabled": "1", "set-wifi-enabled disabled": "0"}),
}


COMMANDS: dict[str, Command] = {
    **plain(settings=settings, svc=svc, wm=wm, ime=ime, locksettings=locksettings),
    "cmd": Command(cmd, install_stream, waits=lambda args: args[:1] == ("package",) and comes_over_stdin(args)),
}
