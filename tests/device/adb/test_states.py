"""States of a phone: recognised in what it says, named with what the caller can do."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device import errors
from device.adb import tree
from device.adb.client import listed
from device.adb.states import Signs, recognised
from device.base import ADVICE, MEANING, State, View, state_error
from device.frame import Foreground, Frame
from device.geometry import Size

RECORDED = Path(__file__).parents[2] / "recorded"
SHADE = Foreground(window="NotificationShade")
GRANT = Foreground(
    "com.google.android.permissioncontroller", "com.android.permissioncontroller.permission.ui.GrantPermissionsActivity"
)


def node(id: str, text: str = "", package: str = "android") -> str:
    return f'<node class="android.widget.Button" resource-id="{id}" text="{text}" package="{package}" />'


def dump(*nodes: str) -> str:
    return f'<hierarchy rotation="0">{"".join(nodes)}</hierarchy>'


@pytest.mark.parametrize(
    ("signs", "expected"),
    [
        (Signs(), {}),
        (Signs(wakefulness="Awake", locked=False, keyboard=False, explored=False), {}),
        (Signs(wakefulness="Asleep"), {State.SCREEN_OFF: ""}),
        (Signs(wakefulness="Dozing"), {State.DOZING: "", State.SCREEN_OFF: "it dozes"}),
        (Signs(wakefulness="Dreaming"), {State.SCREENSAVER: ""}),
        (Signs(locked=True, lock_secure=False), {State.LOCKED: "a swipe opens it"}),
        (
            Signs(locked=True, lock_secure=True, foreground=SHADE),
            {State.LOCKED: "only its owner can open it", State.LOCKED_SECURE: ""},
        ),
        (Signs(keyboard=True), {State.KEYBOARD: ""}),
        (Signs(explored=True, services=("a.b/a.b.Reader",)), {State.SCREEN_READER: "a.b"}),
        (Signs(services=("a.b/a.b.PasswordKeeper",)), {}),
        (Signs(foreground=SHADE, locked=False), {State.SHADE: ""}),
        (Signs(foreground=Foreground(window="StatusBar")), {State.SHADE: ""}),
        (Signs(foreground=SHADE, wakefulness="Asleep"), {State.SCREEN_OFF: ""}),
        (Signs(foreground=Foreground(window="Application Not Responding: com.a")), {State.NOT_RESPONDING: "com.a"}),
        (Signs(foreground=Foreground(window="Application Error: com.a")), {State.CRASHED: "com.a"}),
        (Signs(foreground=GRANT), {State.PERMISSION: ""}),
        (Signs(foreground=Foreground("com.android.permissioncontroller", "com.a.ManagePermissions")), {}),
    ],
)
def test_what_the_phones_services_say_is_a_state(signs: Signs, expected: dict[State, str]) -> None:
    assert recognised(signs) == expected


@pytest.mark.parametrize(
    ("xml", "signs", "expected"),
    [
        (dump(node("android:id/alertTitle", "Maps isn't responding"), node("android:id/aerr_wait")), Signs(),
         {State.NOT_RESPONDING: "Maps isn't responding"}),
        (dump(node("android:id/alertTitle", "Maps keeps stopping"), node("android:id/aerr_close")), Signs(),
         {State.CRASHED: "Maps keeps stopping"}),
        (dump(node("android:id/aerr_wait")), Signs(foreground=Foreground(window="Application Not Responding: com.a")),
         {State.NOT_RESPONDING: "com.a"}),
        (dump(node("com.android.permissioncontroller:id/permission_message", "Allow &lt;Maps&gt; to ...?")), Signs(),
         {State.PERMISSION: "Allow <Maps> to ...?"}),
        (dump(node("com.android.systemui:id/keyguard_status_view")), Signs(),
         {State.LOCKED: "its lock screen is shown"}),
        (dump(node("com.android.systemui:id/keyguard_pin_view")), Signs(),
         {State.LOCKED: "only its owner can open it", State.LOCKED_SECURE: ""}),
        (dump(node("com.android.systemui:id/keyguard_status_view")), Signs(locked=False), {}),
        (dump(node("com.a:id/permission_message", "we ask")), Signs(), {}),
        (dump(node("com.a:id/aerr_wait")), Signs(), {}),
    ],
)  # fmt: skip
def test_what_the_tree_says_is_a_state_where_the_services_are_silent(
    xml: str, signs: Signs, expected: dict[State, str]
) -> None:
    assert recognised(signs, xml) == expected


@pytest.mark.parametrize("name", sorted(one.name for one in RECORDED.glob("*.xml")))
def test_ordinary_screens_of_real_phones_are_no_state(name: str) -> None:
    assert recognised(Signs(wakefulness="Awake", locked=False), (RECORDED / name).read_text()) == {}


@pytest.mark.parametrize("state", list(State))
def test_every_state_says_what_the_caller_can_do(state: State) -> None:
    assert ADVICE[state].endswith(".") and len(ADVICE[state]) > 20


@pytest.mark.parametrize(("state", "kind"), MEANING.items())
def test_a_state_that_hinders_is_an_error_for_who_cannot_go_on(state: State, kind: type[errors.StateError]) -> None:
    view = View(frame=_frame(), tree=None, states=frozenset({state}), details={state: "com.a"})
    with pytest.raises(kind) as caught:
        view.demand(State.KEYBOARD, state, serial="S", doing="typing")
    assert (caught.value.serial, caught.value.doing, caught.value.advice) == ("S", "typing", ADVICE[state])
    assert "com.a" in str(caught.value)
    View(frame=_frame(), tree=None).demand(state)


def test_a_dialog_is_named_by_the_error_it_becomes() -> None:
    error = state_error(State.CRASHED, "com.a")
    assert isinstance(error, errors.BlockedByDialog) and error.dialog == "crashed"


def _frame() -> Frame:
    return Frame(b"", "image/png", Size(1, 1), 0, datetime(2026, 1, 1, tzinfo=UTC))


PIECES = st.sampled_from(
    [
        *("<node ", 'resource-id="', "android:id/aerr_wait", '"', " />", "</hierarchy>", '<hierarchy rotation="', "9"),
        *('bounds="[0,0][99999999,1]"', 'package="com.android.systemui"', "&#x110000;", "&amp", "permission_message"),
        "com.android.permissioncontroller:id/",
    ]
)


@given(xml=st.one_of(st.text(), st.lists(PIECES).map("".join)), window=st.text(), locked=st.none() | st.booleans())
def test_any_dump_and_any_window_give_states(xml: str, window: str, locked: bool | None) -> None:
    signs = Signs(foreground=Foreground(window=window), wakefulness=window, locked=locked, services=(window,))
    assert recognised(signs, xml).keys() <= set(State)
    readers = (tree.whole, tree.turned, tree.packages, tree.extent, tree.identified, tree.signature)
    for read in (*readers, tree.focused_field, tree.field_names, listed):
        read(xml)
    tree.window_edges(xml, window)
