from __future__ import annotations

import pytest

from agent_server.runs import words
from agent_server.runs.gate import (
    Admit,
    AskPerson,
    Conclude,
    Deed,
    Refuse,
    Rules,
    Verdict,
    fingerprint,
    judge,
    signature,
    takes_secret,
)
from agent_server.runs.model import Budgets, OutcomeCode
from device.actions import Action, Drag, Key, OpenApp, PressKey, Swipe, Tap, TypeText, Wait
from device.base import Answer
from device.geometry import Box, Point
from perception.screen import Element, Screen
from policies.base import Ask
from tests.agent_server.screens import element, screen

VIRTUAL = Rules(budgets=Budgets(steps=40, seconds=600), ask_always=False)
REAL = Rules(budgets=Budgets(steps=40, seconds=600), ask_always=True)


def gate(
    action: Action,
    on: Screen,
    meant: Element | None = None,
    past: tuple[Deed, ...] = (),
    rules: Rules = VIRTUAL,
    step: int = 1,
    seconds_left: float = 100.0,
) -> Verdict:
    return judge(action, meant, on, past, rules=rules, step=step, seconds_left=seconds_left)


def tap(one: Element) -> Tap:
    return Tap(one.click)


SENSITIVE = [
    *(
        "Pay",
        "Pay now",
        "BUY",
        "Place order",
        "Checkout",
        "Check  out",
        "Send",
        "Send message",
        "Delete",
        "Remove account",
    ),
    *("Uninstall", "Install", "Permissions", "Allow", "While using the app, allow", "Transfer money", "Factory reset"),
    *(
        "Confirm payment",
        "Erase all data",
        "支付",
        "确认支付",
        "发送",
        "删除联系人",
        "卸载",
        "允许",
        "转账",
        "恢复出厂设置",
        "提交订单",
    ),
]
HARMLESS = [
    *("Save", "Create contact", "First name", "Display", "Dark theme", "Contacts", "Settings", "Cancel", "OK", "Next"),
    *("Sender", "Payload", "Orders of magnitude", "Recorder", "Reorder", "re-order", "Allowance", "Buyer", "Undelete"),
    *(
        "Don't allow",
        "Don’t send",
        "Do not delete",
        "保存",
        "新建联系人",
        "显示",
        "深色主题",
        "不允许",
        "不发送",
        "取消",
    ),
]


@pytest.mark.parametrize("name", SENSITIVE)
def test_a_button_that_costs_reaches_people_destroys_or_gives_rights_asks(name: str) -> None:
    button = element(name)
    verdict = gate(tap(button), screen(button), button)
    assert isinstance(verdict, AskPerson) and verdict.cause == "sensitive-word" and verdict.word


@pytest.mark.parametrize("name", HARMLESS)
def test_ordinary_words_and_refusals_pass(name: str) -> None:
    button = element(name)
    assert gate(tap(button), screen(button), button) == Admit()


def test_what_lies_under_the_finger_counts_not_what_the_policy_names() -> None:
    delete, save = element("Delete"), element("Save", row=2)
    on = screen(delete, save)
    assert isinstance(gate(Tap(delete.click), on, on.elements[1]), AskPerson)
    assert isinstance(gate(Tap(delete.click), on, None), AskPerson)


def test_a_whole_page_of_text_does_not_make_its_buttons_sensitive() -> None:
    page = element("We will send you news", role="text", box=Box(0, 0.05, 1, 0.95))
    save = element("Save", row=3)
    assert gate(tap(save), screen(page, save), save) == Admit()


def test_the_details_of_a_row_do_not_count_but_its_title_does() -> None:
    apps = element("Apps\nPermissions, default apps", role="list_item")
    rights = element("Permissions\nCamera, microphone", role="list_item", row=1)
    assert gate(tap(apps), screen(apps, rights), apps) == Admit()
    assert isinstance(gate(tap(rights), screen(apps, rights), rights), AskPerson)


def test_a_field_may_be_focused_whatever_it_is_called() -> None:
    to = element("", role="text_field", label="Send to")
    assert gate(tap(to), screen(to), to) == Admit()


@pytest.mark.parametrize(
    "action",
    [
        OpenApp("Play Store, install apps"),
        PressKey(Key.BACK),
        PressKey(Key.HOME),
        Swipe(Point(0.5, 0.13), Point(0.5, 0.9)),
        Wait(),
    ],
)
def test_opening_apps_going_back_home_and_scrolling_are_not_matched_by_words(action: Action) -> None:
    assert gate(action, screen(element("Delete"))) == Admit()


def test_a_slide_to_pay_is_a_payment() -> None:
    slider = element("Slide to pay")
    verdict = gate(Swipe(slider.click, Point(0.9, slider.click.y)), screen(slider))
    assert isinstance(verdict, AskPerson) and verdict.word == "pay"


def test_dragging_or_pressing_enter_on_a_sensitive_button_asks() -> None:
    delete = element("Delete", states=frozenset({"focused"}))
    on = screen(delete)
    assert isinstance(gate(Drag(delete.click, Point(0.5, 0.9)), on), AskPerson)
    assert isinstance(gate(PressKey(Key.ENTER), on), AskPerson)


@pytest.mark.parametrize(
    "field",
    [
        element("", role="text_field", password=True),
        element("", role="text_field", label="Password"),
        element("", role="text_field", label="Enter your PIN"),
        element("", role="text_field", label="密码"),
        element("", role="text_field", password=True, states=frozenset({"focused"})),
    ],
)
def test_typing_into_a_password_field_is_refused(field: Element) -> None:
    on = screen(field)
    assert gate(TypeText("hunter2"), on, on.elements[0]) == Refuse("password-field")


def test_typing_without_a_visible_focus_is_refused_where_a_password_field_stands() -> None:
    secret, name = element("", role="text_field", password=True), element("", role="text_field", row=1)
    assert gate(TypeText("x"), screen(secret, name)) == Refuse("password-field")
    focused = element("", role="text_field", row=1, label="First name", states=frozenset({"focused"}))
    assert gate(TypeText("x"), screen(secret, focused)) == Admit()


def test_pinned_is_no_pin_and_an_ordinary_field_takes_text() -> None:
    field = element("", role="text_field", label="Pinned note", states=frozenset({"focused"}))
    assert not takes_secret(field, screen(field))


def test_on_a_real_phone_every_act_asks_except_waiting() -> None:
    save = element("Save")
    assert gate(tap(save), screen(save), save, rules=REAL) == AskPerson("untrusted-phone")
    assert gate(PressKey(Key.BACK), screen(save), rules=REAL) == AskPerson("untrusted-phone")
    assert gate(Wait(), screen(save), rules=REAL) == Admit()


def test_the_budget_of_steps_ends_the_run_before_the_act_beyond_it() -> None:
    save = element("Save")
    rules = Rules(budgets=Budgets(steps=3, seconds=600), ask_always=False)
    assert gate(tap(save), screen(save), save, rules=rules, step=3) == Admit()
    assert gate(tap(save), screen(save), save, rules=rules, step=4) == Conclude(
        OutcomeCode.OUT_OF_STEPS, "out-of-steps"
    )


def test_the_budget_of_seconds_ends_the_run() -> None:
    save = element("Save")
    verdict = gate(tap(save), screen(save), save, seconds_left=0.0)
    assert verdict == Conclude(OutcomeCode.OUT_OF_SECONDS, "out-of-seconds")


def deed(action: Action, on: Screen, meant: Element | None, **values: object) -> Deed:
    return Deed(fingerprint=fingerprint(on), signature=signature(action, meant), **values)  # type: ignore[arg-type]


def test_the_same_act_in_vain_is_told_the_second_time_and_ends_the_run_the_third() -> None:
    on = screen(element("Save"), element("Other", row=1))
    save = on.elements[0]
    once = deed(tap(save), on, save, changed=Answer.NO)
    assert gate(tap(save), on, save, (once,)) == Admit("same-act-again")
    assert gate(tap(save), on, save, (once, once)) == Conclude(OutcomeCode.STUCK, "same-act-thrice")


def test_another_act_in_between_does_not_hide_the_repetition_but_a_changed_screen_does() -> None:
    on = screen(element("Save"), element("Other", row=1))
    save, other = on.elements
    first, between = deed(tap(save), on, save), deed(tap(other), on, other)
    assert isinstance(gate(tap(save), on, save, (first, between, first)), Conclude)
    elsewhere = deed(tap(other), screen(element("Another screen")), other, changed=Answer.YES)
    assert gate(tap(save), on, save, (first, first, elsewhere)) == Admit()


def test_taps_that_differ_by_a_few_pixels_are_the_same_act() -> None:
    a, b = Tap(Point(0.501, 0.4)), Tap(Point(0.502, 0.401))
    assert signature(a, None) == signature(b, None)
    assert signature(a, None) != signature(Tap(Point(0.6, 0.4)), None)
    assert signature(TypeText("a"), None) != signature(TypeText("b"), None)
    assert signature(Ask(prompt="Which?"), None) == signature(Ask(prompt="Which?", options=("a",)), None)


def test_leafing_through_pictures_is_no_loop() -> None:
    on = screen(element("Next"), element("Share", row=1))
    leafed = deed(tap(on.elements[0]), on, on.elements[0], changed=Answer.YES)
    assert gate(tap(on.elements[0]), on, on.elements[0], (leafed,) * 9) == Admit()


def test_waiting_again_and_again_is_no_loop() -> None:
    on = screen(element("Loading"))
    waits = tuple(deed(Wait(), on, None, changed=Answer.NO) for _ in range(5))
    assert gate(Wait(), on, None, waits) == Admit()


def test_what_the_person_denied_is_not_asked_again_on_the_same_screen() -> None:
    on = screen(element("Delete"))
    delete = on.elements[0]
    denied = deed(tap(delete), on, delete, changed=Answer.NO, denied="said-no")
    assert gate(tap(delete), on, delete, (denied,)) == Conclude(OutcomeCode.DENIED, "said-no")


def test_the_clock_in_the_status_bar_does_not_change_the_screen() -> None:
    bar = Box(0.02, 0.005, 0.2, 0.03)
    before = screen(element("9:41", box=bar, role="text"), element("Save"))
    after = screen(element("9:42", box=bar, role="text"), element("Save"))
    assert fingerprint(before) == fingerprint(after)
    assert fingerprint(after) != fingerprint(screen(element("Saved")))


@pytest.mark.parametrize("name", ["", " ", "\n", "…", "🙂", "a" * 10_000, "不", "don't "])
def test_any_text_can_be_judged(name: str) -> None:
    assert words.sensitive(name) is None
    assert not words.protected(name)
