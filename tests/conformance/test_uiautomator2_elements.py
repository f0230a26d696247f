"""uiautomator2 3.7 types text and finds elements, on every adb server, checked by the effect."""

from __future__ import annotations

from typing import Any

import pytest
import uiautomator2

from device.virtual.phone import VirtualPhone

from .conftest import LivePhone
from .operations import (
    ADB_KEYBOARD,
    SETTINGS,
    Operation,
    Operations,
    field_text,
    last_input,
    nodes,
    open_editor,
    open_settings,
)

# The library leaves the socket of each call to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

U2 = Operations()


# text


@U2.add
def send_keys_without_a_keyboard_of_its_own_pastes(d: Any, live: Any) -> None:
    open_editor(live)
    d.send_keys("héllo 你好")
    assert live.ask(field_text) == "héllo 你好"
    assert live.ask(lambda phone: phone.clipboard) == "héllo 你好"


@U2.add
def send_keys_with_its_keyboard_broadcasts(d: Any, live: Any) -> None:
    live.ask(lambda phone: phone.install("com.github.uiautomator"))
    open_editor(live)
    d.send_keys("one")
    assert live.ask(lambda phone: phone.current_ime) == ADB_KEYBOARD
    d.send_keys("héllo 你好", clear=True)
    assert live.ask(field_text) == "héllo 你好"


@U2.add
def the_first_use_of_its_keyboard_installs_it(d: Any, live: Any) -> None:
    d.set_input_ime(True)
    assert "com.github.uiautomator" in live.ask(lambda phone: [p.name for p in phone.packages()])
    assert d.current_ime() == ADB_KEYBOARD
    d.set_input_ime(False)
    assert live.ask(lambda phone: phone.current_ime) != ADB_KEYBOARD


@U2.add
def send_action_is_answered_and_does_nothing(d: Any, live: Any) -> None:
    """The library sends the code as text, which the keyboard does not read; a real phone does nothing either."""
    open_editor(live)
    before = live.ask(field_text)
    d.send_action("search")
    assert live.ask(field_text) == before


@U2.add
def clear_text_and_hide_keyboard(d: Any, live: Any) -> None:
    open_editor(live)
    live.ask(lambda phone: phone.commit_text("gone soon"))
    d.clear_text()
    assert live.ask(field_text) == ""
    d.hide_keyboard()
    assert live.until(lambda phone: not phone.ime_shown)


@U2.add
def the_clipboard_is_set_and_read(d: Any, live: Any) -> None:
    d.clipboard = "kept 你好"
    assert d.clipboard == "kept 你好" and live.ask(lambda phone: phone.clipboard) == "kept 你好"


@U2.add
def set_text_replaces_and_get_text_reads(d: Any, live: Any) -> None:
    open_editor(live)
    field = d(className="android.widget.EditText", instance=0)
    field.set_text("Ada")
    field.set_text("Grace 你好")
    assert field.get_text() == "Grace 你好"
    assert any(node.editable and node.text == "Grace 你好" for node in live.ask(nodes))
    field.clear_text()
    assert not any(node.editable and node.text == "Grace 你好" for node in live.ask(nodes))


# elements


@U2.add
def elements_exist_are_counted_and_described(d: Any, live: Any) -> None:
    open_settings(live)
    assert d(text="Display").exists and not d(text="No such row").exists
    assert d(resourceId="android:id/title").count > 5
    info = d(text="Display").info
    node = live.ask(lambda phone: next(n for n in nodes(phone) if n.text == "Display"))
    left, top, right, bottom = node.bounds
    assert info["bounds"] == {"left": left, "top": top, "right": right, "bottom": bottom}
    assert info["className"] == "android.widget.TextView" and info["packageName"] == SETTINGS
    assert info["resourceName"] == "android:id/title" and info["contentDescription"] is None


@U2.add
def a_click_on_an_element_opens_it(d: Any, live: Any) -> None:
    open_settings(live)
    d(text="Display").click()
    assert d(text="Dark theme").wait(timeout=3)
    assert live.ask(lambda phone: any(node.text == "Dark theme" for node in nodes(phone)))


@U2.add
def a_switch_is_switched_and_its_setting_with_it(d: Any, live: Any) -> None:
    open_settings(live)
    d(text="Display").click()
    before = live.ask(lambda phone: phone.world.settings.get("secure", "ui_night_mode"))
    d(text="Dark theme").click(timeout=3)
    assert live.until(lambda phone: phone.world.settings.get("secure", "ui_night_mode") != before)


@U2.add
def a_missing_element_is_an_error_of_its_own(d: Any, live: Any) -> None:
    with pytest.raises(uiautomator2.UiObjectNotFoundError):
        d(text="No such row").click(timeout=0.2)
    with pytest.raises(uiautomator2.UiObjectNotFoundError):
        _ = d(text="No such row").info


@U2.add
def children_siblings_and_instances(d: Any, live: Any) -> None:
    open_settings(live)
    titles = [node.text for node in live.ask(nodes) if node.resource_id == "android:id/title"]
    assert d(resourceId="android:id/title", instance=1).get_text() == titles[1]
    assert d(resourceId="android:id/title")[2].get_text() == titles[2]
    assert d(scrollable=True).child(resourceId="android:id/title", instance=1).get_text() == titles[1]
    row = d(text=titles[0]).sibling(resourceId="android:id/summary")
    assert row.exists and row.get_text() in [n.text for n in live.ask(nodes) if n.resource_id == "android:id/summary"]
    assert d(textStartsWith=titles[0][:4]).exists and d(textMatches=".*" + titles[0][-3:]).exists


@U2.add
def waiting_for_an_element_to_come_and_go(d: Any, live: Any) -> None:
    assert not d(packageName=SETTINGS).wait(timeout=0.3)
    open_settings(live)
    assert d(packageName=SETTINGS).wait(timeout=2)
    live.ask(lambda phone: phone.key(3))
    assert d(packageName=SETTINGS).wait_gone(timeout=3)


@U2.add
def an_xpath_finds_and_clicks(d: Any, live: Any) -> None:
    open_settings(live)
    d.xpath("//*[@text='Display']").click()
    assert d.xpath("Dark theme").wait(timeout=3) is not None


@U2.add
def lists_scroll_to_an_element_and_back(d: Any, live: Any) -> None:
    open_settings(live)

    def rows(phone: VirtualPhone) -> list[str]:
        return [node.text for node in nodes(phone) if node.resource_id == "android:id/title"]

    before = live.ask(rows)
    scrollable = d(scrollable=True)
    assert scrollable.scroll.forward() is True and live.ask(rows)[0] != before[0]
    assert scrollable.scroll.toEnd(max_swipes=9) and not scrollable.scroll.forward()
    assert scrollable.scroll.to(text=before[0]) and before[0] in live.ask(rows)
    scrollable.fling.toEnd(max_swipes=9)
    assert scrollable.fling.toBeginning(max_swipes=9) and live.ask(rows)[0] == before[0]


@U2.add
def a_long_click_on_an_element(d: Any, live: Any) -> None:
    open_settings(live)
    d(text="Display").long_click(duration=0.6)
    assert live.ask(last_input)["hold_ms"] == 600


@U2.add
def an_element_is_swiped_and_dragged(d: Any, live: Any) -> None:
    open_settings(live)
    d(text="Display").swipe("up", steps=10)
    assert live.ask(last_input)["action"] == "swipe"
    d(textContains="i", className="android.widget.TextView", instance=2).drag_to(540, 1200, duration=0.1)
    assert live.ask(last_input)["action"] == "drag"


@pytest.mark.parametrize("operation", U2, ids=lambda operation: operation.name)
def test_uiautomator2_elements(operation: Operation, u2: Any, fresh: LivePhone) -> None:
    operation.run(u2, fresh)
