"""The commands `screencap` and `uiautomator`: the picture and the tree."""

from __future__ import annotations

import struct
from contextlib import suppress

from device.virtual.adbd import filesystem
from device.virtual.adbd.shell.command import Call, Command, Console
from device.virtual.faults import reader
from device.virtual.faults.camera import Picture, capture
from device.virtual.faults.reader import DumpFailed
from device.virtual.faults.tree import AutomationTaken
from device.virtual.phone import VirtualPhone

_RGBA_8888, _SRGB = 1, 1
DISPLAY_WARNING = (
    b"[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display found,\n"
    b"however this default is not guaranteed to be consistent across captures. A display id should be specified.\n"
    b'See "dumpsys SurfaceFlinger --display-id" for valid display IDs.\n'
)
DUMP_FILE = "/sdcard/window_dump.xml"
IDLE_SECONDS = 10.0
"""How long `uiautomator dump` waits for the screen to stand still (AOSP, cmds/uiautomator, DumpCommand)."""
BUSY = (
    "java.lang.IllegalStateException: UiAutomationService "
    "android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5deffd5already registered!"
)


def screencap(phone: VirtualPhone, call: Call) -> int:
    """Without -p: width, height, format, colour space (u32 each, since Android 9), then the pixels."""
    png, path, args, chosen = False, "", list(call.args), 0
    ids = [display.panel.id for display in phone.displays()]
    while args:
        word = args.pop(0)
        if word == "-p":
            png = True
        elif word == "-d":
            word = args.pop(0) if args else ""
            chosen = ids[0] if word == "0" else int(word) if word.isdigit() else 0
            if chosen not in ids:
                return call.fail('Display Id is not valid. See "dumpsys SurfaceFlinger --display-id" for IDs.')
        elif word.startswith("-") and word not in ("-a",):
            return call.fail("usage: screencap [-ahp] [-d display-id] [FILENAME]")
        else:
            path = word
    encoded = png or path.endswith(".png")
    several = len(ids) > 1 and not chosen
    shown = next(display for display in phone.displays() if display.panel.id == (chosen or ids[0]))
    if shown.active:
        taken = capture(phone, call.injector, "screencap", "png" if encoded else "raw", named_display=bool(chosen))
        assert taken is not None  # only the automation server's pictures are refused
        picture = taken
    else:  # the panel that is folded away
        size = (shown.panel.width, shown.panel.height)
        picture = Picture(size, (phone.png if encoded else phone.raw)(display=shown.panel.id))
    parts = [DISPLAY_WARNING] if picture.warned or several else []
    parts += [] if encoded else [struct.pack("<4I", *picture.size, _RGBA_8888, _SRGB)]
    parts.append(picture.data)
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
    if console.u2.running or await console.device.conditions.strike(AutomationTaken):
        return call.fail(BUSY, 1)
    compressed = "--compressed" in args
    path = next((word for word in args if not word.startswith("-")), DUMP_FILE)
    await console.host.run(lambda phone: phone.automation_started())
    try:
        await console.host.until(lambda phone: not phone.animating, IDLE_SECONDS)
        return await console.host.run(lambda phone: dump_tree(phone, call, path, compressed))
    finally:
        with suppress(ConnectionError):  # the phone may have been switched off meanwhile
            await console.host.run(lambda phone: phone.automation_ended())


def dump_tree(phone: VirtualPhone, call: Call, path: str, compressed: bool) -> int:
    """Write the tree, unless the screen is moving or dark."""
    if phone.animating:
        return call.fail("ERROR: could not get idle state.", 0)  # status 0: real ones end well all the same
    if not phone.awake:
        return call.fail("ERROR: null root node returned by UiTestAutomationBridge.", 0)
    try:
        xml = reader.dump(phone, call.injector, "stock", compressed=compressed)
    except DumpFailed as error:
        return call.fail(str(error), error.status)
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
