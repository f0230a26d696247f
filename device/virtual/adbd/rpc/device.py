"""Methods on the phone as a whole: facts, fingers at places, keys, picture, tree, clipboard, rotation."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from device.virtual.adbd import filesystem
from device.virtual.adbd.rpc.errors import invalid_params, java_error
from device.virtual.adbd.rpc.method import Automation, Method, Params, numbers
from device.virtual.adbd.shell import keys
from device.virtual.errors import PhoneError
from device.virtual.faults import reader
from device.virtual.faults.camera import Picture, capture
from device.virtual.faults.hand import Hand
from device.virtual.phone import VirtualPhone

STEP_MS = 5.0
"""uiautomator sends one movement every 5 ms."""
CLICK_MS = 100.0
"""How long a click of uiautomator presses."""

NAMED_KEYS = {
    "home": keys.HOME,
    "back": keys.BACK,
    "left": keys.DPAD_LEFT,
    "right": keys.DPAD_RIGHT,
    "up": keys.DPAD_UP,
    "down": keys.DPAD_DOWN,
    "center": keys.DPAD_CENTER,
    "menu": keys.MENU,
    "search": keys.SEARCH,
    "enter": keys.ENTER,
    "delete": keys.DEL,
    "del": keys.DEL,
    "recent": keys.APP_SWITCH,
    "volume_up": keys.VOLUME_UP,
    "volume_down": keys.VOLUME_DOWN,
    "volume_mute": keys.VOLUME_MUTE,
    "camera": keys.CAMERA,
    "power": keys.POWER,
}
ROTATIONS = {"natural": 0, "n": 0, "left": 1, "l": 1, "upsidedown": 2, "u": 2, "right": 3, "r": 3}


async def device_info(server: Automation, params: Params) -> Any:
    def read(phone: VirtualPhone) -> dict[str, Any]:
        width, height = phone.size
        density = phone.density / 160
        natural = phone.rotation in (0, 2)
        active = next((window.package for window in phone.windows() if window.focused), phone.foreground[0])
        return {
            "currentPackageName": active,
            "displayHeight": height,
            "displayRotation": phone.rotation,
            "displaySizeDpX": round(width / density),
            "displaySizeDpY": round(height / density),
            "displayWidth": width,
            "naturalOrientation": natural,
            "productName": phone.profile.product,
            "screenOn": phone.awake,
            "sdkInt": phone.profile.sdk,
        }

    return await server.host.run(read)


async def click_at(server: Automation, params: Params) -> bool:
    x, y, *rest = numbers("click", params, 2, 3)
    return await server.gesture(lambda hand: hand.tap(int(x), int(y), rest[0] if rest else CLICK_MS))


async def drag(server: Automation, params: Params) -> bool:
    x1, y1, x2, y2, steps = numbers("drag", params, 5)
    return await server.gesture(lambda hand: hand.drag([(x1, y1), (x2, y2)], steps * STEP_MS))


async def swipe_at(server: Automation, params: Params) -> bool:
    x1, y1, x2, y2, steps = numbers("swipe", params, 5)
    return await server.gesture(lambda hand: hand.swipe([(x1, y1), (x2, y2)], max(steps, 1) * STEP_MS))


async def swipe_points(server: Automation, params: Params) -> bool:
    if len(params) != 2 or not isinstance(params[0], list) or len(params[0]) % 2 or len(params[0]) < 2:
        raise invalid_params("swipePoints")
    flat = numbers("swipePoints", params[0], len(params[0]))
    (steps,) = numbers("swipePoints", params[1:], 1)
    points = list(zip(flat[::2], flat[1::2], strict=True))
    return await server.gesture(lambda hand: hand.swipe(points, max(len(points) - 1, 1) * max(steps, 1) * STEP_MS))


async def inject_input_event(server: Automation, params: Params) -> bool:
    action, x, y, _meta = numbers("injectInputEvent", params, 4)

    def inject(hand: Hand) -> bool | None:
        match int(action):
            case 0:
                hand.pointer("down", x, y)
            case 1:
                hand.pointer("up", x, y)
            case 2:
                hand.pointer("move", x, y)
            case 3:
                hand.pointer("cancel", x, y)
        return None

    return int(action) in (0, 1, 2, 3) and await server.gesture(inject)


async def press_key(server: Automation, params: Params) -> bool:
    if len(params) != 1 or not isinstance(params[0], str):
        raise invalid_params("pressKey")
    code = NAMED_KEYS.get(params[0].lower())
    return False if code is None else await server.gesture(lambda hand: hand.key(code))


async def press_key_code(server: Automation, params: Params) -> bool:
    code, *rest = numbers("pressKeyCode", params, 1, 2)
    meta = int(rest[0]) if rest else 0
    return await server.gesture(lambda hand: hand.key(int(code), meta))


async def dump(server: Automation, params: Params) -> str:
    compressed = bool(params[0]) if params else False
    depth = int(params[1]) if len(params) > 1 else 50
    active = bool(params[2]) if len(params) > 2 else False
    injector = server.conditions.injector
    return await server.host.run(
        lambda phone: reader.dump(phone, injector, "u2", compressed=compressed, max_depth=depth, active_only=active)
    )


async def take_screenshot(server: Automation, params: Params) -> str | None:
    """(scale, quality) gives base64 text; (file, scale, quality) writes the picture and gives its path."""
    path = params[0] if len(params) == 3 and isinstance(params[0], str) else ""
    scale, quality = numbers("takeScreenshot", params[1:] if path else params, 2)
    injector = server.conditions.injector

    def take(phone: VirtualPhone) -> Picture | None:
        if phone.capture_refused:
            return None
        return capture(phone, injector, "u2", "jpeg", quality=int(quality), scale=scale)

    picture = await server.host.run(take)
    if picture is None:
        return None
    data = picture.data
    if not path:
        return base64.b64encode(data).decode("ascii")
    try:
        await server.host.run(lambda phone: filesystem.write(phone, path, data))
    except filesystem.FileError as error:
        raise java_error("java.io.FileNotFoundException", f"{path}: open failed: {error}") from None
    return path


async def set_clipboard(server: Automation, params: Params) -> None:
    if len(params) != 2:
        raise invalid_params("setClipboard")
    text = "" if params[1] is None else str(params[1])

    def put(phone: VirtualPhone) -> None:
        phone.clipboard = text

    await server.host.run(put)


async def freeze_rotation(server: Automation, params: Params) -> None:
    frozen = bool(params[0]) if params else True
    await server.host.run(lambda phone: phone.set_rotation(phone.rotation if frozen else 0, frozen))


async def set_orientation(server: Automation, params: Params) -> None:
    rotation = ROTATIONS.get(str(params[0]).lower()) if params else None
    if rotation is not None:
        await server.host.run(lambda phone: phone.set_rotation(rotation, True))


async def launch_app(server: Automation, params: Params) -> bool:
    package = str(params[0]) if params else ""

    def launch(phone: VirtualPhone) -> bool:
        if phone.resolve(package) is None:
            return False
        try:
            return phone.start(package).ok
        except PhoneError:
            return False

    return await server.host.run(launch)


async def execute_shell_command(server: Automation, params: Params) -> dict[str, Any]:
    if not params:
        raise invalid_params("executeShellCommand")
    status, out, err = await server.shell(str(params[0]))
    return {"returnCode": status, "stderr": err.decode("utf-8", "replace"), "stdout": out.decode("utf-8", "replace")}


async def wait_for_idle(server: Automation, params: Params) -> None:
    (ms,) = numbers("waitForIdle", params, 1)
    await server.host.until(lambda phone: not phone.animating, ms / 1000)


async def wait_for_window_update(server: Automation, params: Params) -> bool:
    if len(params) != 2:
        raise invalid_params("waitForWindowUpdate")
    package, ms = params
    if package and await server.host.run(lambda phone: phone.foreground[0]) != package:
        return False
    before = await server.host.run(lambda phone: phone.frame())
    return await server.host.until(lambda phone: phone.frame() != before, float(ms) / 1000)


async def get_configurator(server: Automation, params: Params) -> dict[str, int]:
    return dict(server.configurator)


async def set_configurator(server: Automation, params: Params) -> dict[str, int]:
    if not params or not isinstance(params[0], dict):
        raise invalid_params("setConfigurator")
    server.configurator.update({key: int(value) for key, value in params[0].items() if key in server.configurator})
    return dict(server.configurator)


async def ping(server: Automation, params: Params) -> str:
    return "pong"


async def nothing(server: Automation, params: Params) -> None:
    """Text passed over by a screen reader's cursor: nobody reads on this phone."""


def asking(act: Callable[[VirtualPhone], Any]) -> Method:
    """A method without parameters that gives what `act` returns."""

    async def run(server: Automation, params: Params) -> Any:
        return await server.host.run(act)

    return run


def doing(act: Callable[[VirtualPhone], Any], result: Any = True) -> Method:
    """A method without parameters that gives `result`."""

    async def run(server: Automation, params: Params) -> Any:
        await server.host.run(act)
        return result

    return run


def typing(act: Callable[[Hand], Any]) -> Method:
    """A method without parameters that changes text and gives nothing."""

    async def run(server: Automation, params: Params) -> None:
        await server.gesture(act)

    return run


METHODS: dict[str, Method] = {
    "deviceInfo": device_info,
    "drag": drag,
    "swipePoints": swipe_points,
    "injectInputEvent": inject_input_event,
    "pressKey": press_key,
    "pressKeyCode": press_key_code,
    "dumpWindowHierarchy": dump,
    "takeScreenshot": take_screenshot,
    "setClipboard": set_clipboard,
    "getClipboard": asking(lambda phone: phone.clipboard),
    "pasteClipboard": typing(lambda hand: hand.paste()),
    "clearInputText": typing(lambda hand: hand.clear_text()),
    "getLastToast": asking(lambda phone: phone.toast),
    "clearLastToast": doing(lambda phone: phone.clear_toast(), None),
    "getLastTraversedText": nothing,
    "clearLastTraversedText": nothing,
    "wakeUp": doing(lambda phone: phone.wake(), None),
    "sleep": doing(lambda phone: phone.sleep(), None),
    "isScreenOn": asking(lambda phone: phone.awake),
    "freezeRotation": freeze_rotation,
    "setOrientation": set_orientation,
    "openNotification": doing(lambda phone: phone.open_notifications()),
    "openQuickSettings": doing(lambda phone: phone.open_quick_settings()),
    "launchApp": launch_app,
    "executeShellCommand": execute_shell_command,
    "waitForIdle": wait_for_idle,
    "waitForWindowUpdate": wait_for_window_update,
    "getConfigurator": get_configurator,
    "setConfigurator": set_configurator,
    "ping": ping,
}
