"""Methods on elements: existence, facts, clicks, text, children, watchers."""

from __future__ import annotations

from typing import Any

from device.virtual.adbd.rpc import device
from device.virtual.adbd.rpc.errors import invalid_params, java_error, not_found
from device.virtual.adbd.rpc.method import Automation, Method, Params, Watcher, center, numbers
from device.virtual.adbd.rpc.scroll import scroll_until
from device.virtual.adbd.rpc.selector import INSTANCE, Selector, Step, find, find_all, walk
from device.virtual.phone import VirtualPhone
from device.virtual.ui.a11y import A11yNode, Bounds

LONG_CLICK_MS = 600.0
"""Beyond Android's long-press time-out of 500 ms."""
CORNER_PX = 5
SWIPE_MARGIN_PX = 5
"""uiautomator's distances from an element's edge (UiObject: SWIPE_MARGIN_LIMIT and its corner clicks)."""


async def click(server: Automation, params: Params) -> bool:
    """(x, y[, ms]) or (element[, corner])."""
    if not params or isinstance(params[0], int | float):
        return await device.click_at(server, params)
    return await _press(server, params, device.CLICK_MS)


async def long_click(server: Automation, params: Params) -> bool:
    return await _press(server, params, LONG_CLICK_MS)


async def _press(server: Automation, params: Params, ms: float) -> bool:
    if len(params) not in (1, 2):
        raise invalid_params("click")
    node = await server.element(params[0])
    left, top, right, bottom = node.bounds
    match str(params[1]).lower() if len(params) > 1 and params[1] is not None else "center":
        case "c" | "center":
            x, y = center(node)
        case "tl" | "topleft":
            x, y = left + CORNER_PX, top + CORNER_PX
        case "br" | "bottomright":
            x, y = right - CORNER_PX, bottom - CORNER_PX
        case _:
            return False
    return await server.gesture(lambda hand: hand.tap(x, y, ms))


async def click_and_wait(server: Automation, params: Params) -> bool:
    if len(params) != 2:
        raise invalid_params("clickAndWaitForNewWindow")
    before = await server.host.run(lambda phone: phone.focused_window)
    await _press(server, params[:1], device.CLICK_MS)
    return await server.host.until(lambda phone: phone.focused_window != before, float(params[1]) / 1000)


async def exist(server: Automation, params: Params) -> bool:
    return await _present(server, params[0]) if params else False


async def _present(server: Automation, value: object) -> bool:
    selector = server.target(value)
    return await server.host.run(lambda phone: find(server.windows(phone), selector) is not None)


async def count(server: Automation, params: Params) -> int:
    if len(params) != 1:
        raise invalid_params("count")
    selector = server.target(params[0])
    if INSTANCE in selector.steps[-1].conditions:
        return int(await _present(server, params[0]))
    return await server.host.run(lambda phone: len(find_all(server.windows(phone), selector)))


async def obj_info(server: Automation, params: Params) -> dict[str, Any]:
    if len(params) != 1:
        raise invalid_params("objInfo")
    return describe(await server.element(params[0]), plain=server.target(params[0]).plain)


async def obj_info_of_all(server: Automation, params: Params) -> list[dict[str, Any]]:
    if len(params) != 1:
        raise invalid_params("objInfoOfAllInstances")
    selector = server.target(params[0])
    found = await server.host.run(lambda phone: find_all(server.windows(phone), selector))
    return [describe(node, plain=False) for node in found]


def describe(node: A11yNode, *, plain: bool) -> dict[str, Any]:
    """What uiautomator tells about an element; one found by a plain selector has null for text it does not have."""
    absent = None if plain else ""
    return {
        "bounds": _rectangle(node.bounds),
        "checkable": node.checkable,
        "checked": node.checked,
        "childCount": len(node.children),
        "className": node.cls,
        "clickable": node.clickable,
        "contentDescription": node.desc or absent,
        "enabled": node.enabled,
        "focusable": node.focusable,
        "focused": node.focused,
        "longClickable": node.long_clickable,
        "packageName": node.package,
        "resourceName": (node.resource_id or None) if plain else None,
        "scrollable": node.scrollable,
        "selected": node.selected,
        "text": node.text or ("" if node.editable else absent),
        "visibleBounds": _rectangle(node.bounds),
    }


def _rectangle(bounds: Bounds) -> dict[str, int]:
    left, top, right, bottom = bounds
    return {"bottom": bottom, "left": left, "right": right, "top": top}


async def wait_for_exists(server: Automation, params: Params) -> bool:
    if len(params) != 2:
        raise invalid_params("waitForExists")
    selector = server.target(params[0])
    if await _present(server, params[0]):
        return True
    await run_watchers(server, ())
    return await server.host.until(
        lambda phone: find(server.windows(phone), selector) is not None, float(params[1]) / 1000
    )


async def wait_until_gone(server: Automation, params: Params) -> bool:
    if len(params) != 2:
        raise invalid_params("waitUntilGone")
    selector = server.target(params[0])
    return await server.host.until(lambda phone: find(server.windows(phone), selector) is None, float(params[1]) / 1000)


async def get_text(server: Automation, params: Params) -> str | None:
    info = await obj_info(server, params)
    text = info["text"]
    assert text is None or isinstance(text, str)
    return text


async def set_text(server: Automation, params: Params) -> bool:
    """Click the element, then replace its text."""
    if len(params) != 2:
        raise invalid_params("setText")
    text = "" if params[1] is None else str(params[1])
    await _press(server, params[:1], device.CLICK_MS)
    selector = server.target(params[0])

    def put(phone: VirtualPhone) -> bool | None:
        node = find(server.windows(phone), selector)
        return None if node is None else server.hand(phone).set_text(node, text)

    done = await server.host.run(put)
    if done is None:
        raise not_found(selector)
    return True if selector.plain else done


async def clear_text_field(server: Automation, params: Params) -> None:
    if len(params) != 1:
        raise invalid_params("clearTextField")
    node = await server.element(params[0])
    await server.host.run(lambda phone: server.hand(phone).set_text(node, ""))


async def drag_to(server: Automation, params: Params) -> bool:
    """(element, x, y, steps) or (element, element, steps)."""
    if len(params) not in (3, 4):
        raise invalid_params("dragTo")
    start = center(await server.element(params[0]))
    if len(params) == 4:
        x, y, steps = numbers("dragTo", params[1:], 3)
    else:
        (x, y), (steps,) = center(await server.element(params[1])), numbers("dragTo", params[2:], 1)
    return await server.gesture(lambda hand: hand.drag([start, (x, y)], max(steps, 1) * device.STEP_MS))


async def swipe(server: Automation, params: Params) -> bool:
    """(x1, y1, x2, y2, steps), or (element, direction[, share of its length], steps)."""
    if len(params) == 5:
        return await device.swipe_at(server, params)
    if len(params) not in (3, 4):
        raise invalid_params("swipe")
    node = await server.element(params[0])
    left, top, right, bottom = node.bounds
    x, y = center(node)
    share, steps = (1.0, params[2]) if len(params) == 3 else (float(params[2]), params[3])
    lines = {
        "up": ((x, bottom - SWIPE_MARGIN_PX), (x, top + SWIPE_MARGIN_PX)),
        "down": ((x, top + SWIPE_MARGIN_PX), (x, bottom - SWIPE_MARGIN_PX)),
        "left": ((right - SWIPE_MARGIN_PX, y), (left + SWIPE_MARGIN_PX, y)),
        "right": ((left + SWIPE_MARGIN_PX, y), (right - SWIPE_MARGIN_PX, y)),
    }
    line = lines.get(str(params[1]).lower())
    if line is None:
        return False
    (x1, y1), (x2, y2) = line
    end = (x1 + (x2 - x1) * share, y1 + (y2 - y1) * share)
    return await server.gesture(lambda hand: hand.swipe([(x1, y1), end], max(float(steps), 1) * device.STEP_MS))


async def two_fingers(server: Automation, params: Params) -> bool:
    """Gestures with two fingers: the element must exist, but this phone feels one finger only."""
    if params:
        await server.element(params[0])
    await server.host.run(lambda phone: phone.journal.append("unknown", {"command": "two-finger gesture"}))
    raise java_error("java.lang.UnsupportedOperationException", "the virtual phone feels one finger only")


async def get_ui_object(server: Automation, params: Params) -> str:
    await server.element(params[0])
    return server.remember(server.target(params[0]))


async def get_child(server: Automation, params: Params) -> str:
    return server.remember(_joined(server, params, "child"))


async def get_from_parent(server: Automation, params: Params) -> str:
    return server.remember(_joined(server, params, "sibling"))


def _joined(server: Automation, params: Params, relation: str) -> Selector:
    if len(params) < 2:
        raise invalid_params("getChild")
    outer, inner = server.target(params[0]), server.target(params[1])
    first, *rest = inner.steps
    return Selector((*outer.steps, Step(relation, first.conditions), *rest))


async def child_by_text(server: Automation, params: Params) -> str:
    return await _child_by(server, params, "text")


async def child_by_description(server: Automation, params: Params) -> str:
    return await _child_by(server, params, "desc")


async def _child_by(server: Automation, params: Params, attribute: str) -> str:
    """The first of the collection's children that is, or holds, an element with that text."""
    if len(params) not in (3, 4):
        raise invalid_params("childByText")
    pattern, wanted = _joined(server, params, "child"), str(params[2])

    def search(phone: VirtualPhone) -> Selector | None:
        for number, node in enumerate(find_all(server.windows(phone), pattern)):
            if any(getattr(inner, attribute) == wanted for inner in walk(node)):
                return pattern.at(number)
        return None

    found = await server.host.run(search)
    may_scroll = len(params) == 4 and bool(params[3])
    if found is None and may_scroll and await scroll_until(server, params[0], lambda phone: search(phone) is not None):
        found = await server.host.run(search)
    if found is None:
        raise not_found(f'for {attribute}= "{wanted}"')
    return server.remember(found)


async def child_by_instance(server: Automation, params: Params) -> str:
    if len(params) != 3:
        raise invalid_params("childByInstance")
    return server.remember(_joined(server, params, "child").at(int(params[2])))


async def remove_ui_object(server: Automation, params: Params) -> None:
    server.objects.pop(str(params[0]) if params else "", None)


async def get_ui_objects(server: Automation, params: Params) -> list[str]:
    return list(server.objects)


async def register_click_watcher(server: Automation, params: Params) -> None:
    if len(params) != 3:
        raise invalid_params("registerClickUiObjectWatcher")
    name, conditions, target = params
    server.watchers[str(name)] = Watcher(tuple(server.target(c) for c in conditions), click=server.target(target))


async def register_keys_watcher(server: Automation, params: Params) -> None:
    if len(params) != 3:
        raise invalid_params("registerPressKeyskWatcher")
    name, conditions, names = params
    server.watchers[str(name)] = Watcher(tuple(server.target(c) for c in conditions), keys=tuple(map(str, names)))


async def run_watchers(server: Automation, params: Params) -> None:
    for watcher in server.watchers.values():
        windows = await server.host.run(server.windows)
        present = all(find(windows, selector) is not None for selector in watcher.conditions)
        if present and watcher.conditions:
            watcher.triggered = True
            await _answer_watcher(server, watcher)


async def _answer_watcher(server: Automation, watcher: Watcher) -> None:
    goal = watcher.click
    if goal is not None:
        node = await server.host.run(lambda phone: find(server.windows(phone), goal))
        if node is not None:
            x, y = center(node)
            await server.gesture(lambda hand: hand.tap(x, y, device.CLICK_MS))
    for key in watcher.keys:
        await device.press_key(server, [key])


async def remove_watcher(server: Automation, params: Params) -> None:
    server.watchers.pop(str(params[0]) if params else "", None)


async def get_watchers(server: Automation, params: Params) -> list[str]:
    return list(server.watchers)


async def has_watcher_triggered(server: Automation, params: Params) -> bool:
    watcher = server.watchers.get(str(params[0])) if params else None
    return watcher is not None and watcher.triggered


async def has_any_watcher_triggered(server: Automation, params: Params) -> bool:
    return any(watcher.triggered for watcher in server.watchers.values())


async def reset_watchers(server: Automation, params: Params) -> None:
    for watcher in server.watchers.values():
        watcher.triggered = False


METHODS: dict[str, Method] = {
    "click": click,
    "longClick": long_click,
    "clickAndWaitForNewWindow": click_and_wait,
    "exist": exist,
    "count": count,
    "objInfo": obj_info,
    "objInfoOfAllInstances": obj_info_of_all,
    "waitForExists": wait_for_exists,
    "waitUntilGone": wait_until_gone,
    "getText": get_text,
    "setText": set_text,
    "clearTextField": clear_text_field,
    "dragTo": drag_to,
    "swipe": swipe,
    "gesture": two_fingers,
    "pinchIn": two_fingers,
    "pinchOut": two_fingers,
    "getUiObject": get_ui_object,
    "getUiObjects": get_ui_objects,
    "removeUiObject": remove_ui_object,
    "getChild": get_child,
    "getFromParent": get_from_parent,
    "childByText": child_by_text,
    "childByDescription": child_by_description,
    "childByInstance": child_by_instance,
    "registerClickUiObjectWatcher": register_click_watcher,
    "registerPressKeyskWatcher": register_keys_watcher,
    "runWatchers": run_watchers,
    "removeWatcher": remove_watcher,
    "getWatchers": get_watchers,
    "hasWatcherTriggered": has_watcher_triggered,
    "hasAnyWatcherTriggered": has_any_watcher_triggered,
    "resetWatcherTriggers": reset_watchers,
}
