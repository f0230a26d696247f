"""The commands `screencap` and `uiautomator`: the picture and the tree."""

from __future__ import annotations

import struct

from device.virtual.adbd import filesystem
from device.virtual.adbd.faults import fired
from device.virtual.adbd.shell.command import Call, Command, Console
from device.virtual.phone import VirtualPhone

DISPLAY_ID = 4619827259835644672
"""What SurfaceFlinger calls the first display of a phone; programs pass it to `screencap -d`."""
_RGBA_8888, _SRGB = 1, 1
DISPLAY_WARNING = (
    b"[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display found,\n"
    b"however this default is not guaranteed to be consistent across captures. A display id should be specified.\n"
    b'See "dumpsys SurfaceFlinger --display-id" for valid display IDs.\n'
)
DUMP_FILE = "/sdcard/window_dump.xml"
EMPTY_TREE = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\r\n<hierarchy rotation=\"0\" />"
IDLE_SECONDS = 10.0
"""How long `uiautomator dump` waits for the screen to stand still (AOSP, cmds/uiautomator, DumpCommand)."""
BUSY = (
    "java.lang.IllegalStateException: UiAutomationService "
    "android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5deffd5already registered!"
)


def screencap(phone: VirtualPhone, call: Call) -> int:
    """Without -p: width, height, format, colour space (u32 each, since Android 9), then the pixels."""
    png, path, args = False, "", list(call.args)
    while args:
        word = args.pop(0)
        if word == "-p":
            png = True
        elif word == "-d":
            if not args or args.pop(0) not in (str(DISPLAY_ID), "0"):
                return call.fail('Display Id is not valid. See "dumpsys SurfaceFlinger --display-id" for IDs.')
        elif word.startswith("-") and word not in ("-a",):
            return call.fail("usage: screencap [-ahp] [-d display-id] [FILENAME]")
        else:
            path = word
    if png or path.endswith(".png"):
        parts = [phone.png()]
    else:
        width, height = phone.size
        parts = [struct.pack("<4I", width, height, _RGBA_8888, _SRGB), phone.raw()]
    if call.faults.display_warning and "-d" not in call.args:
        fired(phone, "display_warning")
        parts.insert(0, DISPLAY_WARNING)
    if not path:
        for part in parts:
            call.write(part)
        return 0
    try:
        filesystem.write(phone, call.path(path), b"".join(parts))
    except filesystem.FileError as error:
        return call.fail(f"Error opening file: {path} ({error})")
    return 0


async def uiautomator(console: Console, call: Call) -> int:
    """`uiautomator dump [--compressed] [FILE]`; it takes the phone's automation for itself as long as it runs."""
    verb, *args = call.args or ("",)
    if verb != "dump":
        await console.host.run(lambda phone: phone.journal.append("unknown", {"command": "uiautomator", "verb": verb}))
        return call.fail("Usage: uiautomator dump [--verbose] [--compressed] [file]", 1)
    if console.u2.running or call.faults.automation_taken:
        return call.fail(BUSY, 1)
    compressed = "--compressed" in args
    path = next((word for word in args if not word.startswith("-")), DUMP_FILE)
    await console.host.until(lambda phone: not phone.animating, IDLE_SECONDS)
    return await console.host.run(lambda phone: dump_tree(phone, call, path, compressed))


def dump_tree(phone: VirtualPhone, call: Call, path: str, compressed: bool) -> int:
    """Write the tree, unless the screen is moving or dark."""
    if phone.animating:
        return call.fail("ERROR: could not get idle state.", 0)  # status 0: real ones end well all the same
    if not phone.awake:
        return call.fail("ERROR: null root node returned by UiTestAutomationBridge.", 0)
    xml = EMPTY_TREE if call.faults.empty_tree else phone.dump(u2=False, compressed=compressed)
    if path == "/dev/tty":
        call.write(xml.encode())
    else:
        try:
            filesystem.write(phone, call.path(path), xml.encode())
        except filesystem.FileError as error:
            return call.fail(f"java.io.FileNotFoundException: {path}: open failed: {error}", 137)
    call.say(f"UI hierchary dumped to: {path}")
    return 0


COMMANDS: dict[str, Command] = {"screencap": Command(screencap), "uiautomator": Command(wait=uiautomator)}
