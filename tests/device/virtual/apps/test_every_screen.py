"""What holds for every screen of every app: it builds, its icons exist, its touches are known."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from finger import Finger

from device.virtual.core.app import ScreenState
from device.virtual.phone import VirtualPhone
from device.virtual.ui import Env, Node, Theme
from device.virtual.ui.icons import known

CONTACTS, SETTINGS, HOME = "org.tapwright.contacts", "com.android.settings", "org.tapwright.launcher"
ARGS: Mapping[str, Mapping[str, Any]] = {
    "wifi_network": {"id": 1},
    "bluetooth_device": {"id": 1},
    "app_info": {"app": CONTACTS},
    "app_permissions": {"app": CONTACTS},
    "accessibility_service": {"component": "org.tapwright.speak/.SelectToSpeakService"},
    "permission": {"permission": "android.permission.READ_CONTACTS"},
    "choice": {"page": "display", "key": "font_size"},
    "typed": {"page": "about", "key": "device_name"},
    "wifi_password": {"id": 3},
    "forget_network": {"id": 1},
    "pair": {"id": 4},
    "forget_device": {"id": 1},
    "clear_app": {"app": CONTACTS},
    "uninstall": {"app": CONTACTS},
    "detail": {"id": 1},
    "delete": {"id": 1},
    "icon_menu": {"package": CONTACTS},
    "grant": {"package": CONTACTS, "permission": "android.permission.CAMERA"},
}
ENV = Env(theme=Theme.of(False), insets=(0, 32, 0, 24))
SURROUNDINGS = {
    "english": ENV,
    "chinese": replace(ENV, lang="zh"),
    "tablet": replace(ENV, width_dp=800, height_dp=1280, density=2.0),
    "sideways": replace(ENV, width_dp=914, height_dp=411, rotation=1),
}


def walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from walk(child)


def screens(phone: VirtualPhone, env: Env) -> Iterator[tuple[str, Node]]:
    for package, app in phone.apps.items():
        for name, view in app.screens().items():
            yield f"{package} {name}", view(phone.world, ScreenState(name=name, args=ARGS.get(name, {})), env)


@pytest.mark.parametrize("env", SURROUNDINGS.values(), ids=SURROUNDINGS.keys())
def test_every_icon_that_a_screen_names_is_shipped(phone: VirtualPhone, env: Env) -> None:
    wanted = {node.props["icon"]: where for where, root in screens(phone, env) for node in walk(root) if _icon(node)}
    assert len(wanted) > 40
    assert {icon: where for icon, where in wanted.items() if not known(icon)} == {}


def _icon(node: Node) -> bool:
    return bool(node.props.get("icon"))


@pytest.mark.parametrize("name", ["wifi_network", "bluetooth_device", "detail", "app_info"])
def test_a_screen_of_something_that_is_gone_says_so(phone: VirtualPhone, name: str) -> None:
    app = phone.apps[CONTACTS if name == "detail" else SETTINGS]
    root = app.screens()[name](phone.world, ScreenState(args={"id": 999, "app": "org.example.gone"}), ENV)
    assert any("not" in node.text or "no longer" in node.text for node in walk(root))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_in_chinese_no_english_label_is_left_and_in_english_no_chinese_one(lang: str) -> None:
    phone = VirtualPhone(lang=lang)
    phone.start(SETTINGS)
    phone.settle()
    titles = [node.text for node in Finger(phone).nodes() if node.resource_id == "android:id/title"]
    assert len(titles) > 5
    assert all(("\u4e00" <= title[0] <= "\u9fff") is (lang == "zh") for title in titles)


@pytest.mark.parametrize("seed", range(4))
def test_hundreds_of_random_touches_never_break_the_phone(seed: int) -> None:
    rng = random.Random(seed)
    phone = VirtualPhone("tablet" if seed % 2 else "phone", dark=bool(seed % 2), lang="zh" if seed > 1 else "en")
    finger = Finger(phone)
    for step in range(120):
        targets = [node for node in finger.nodes("app", "dialog", "shade", "ime") if node.clickable]
        match rng.randrange(12):
            case 0:
                phone.key(rng.choice((3, 4, 4, 187)))
            case 1:
                phone.start(rng.choice((SETTINGS, CONTACTS)))
            case 2:
                finger.scroll()
            case _ if targets:
                left, top, right, bottom = rng.choice(targets).bounds
                phone.tap((left + right) / 2, (top + bottom) / 2, hold_ms=rng.choice((0, 0, 0, 700)))
        phone.settle()
        if step % 20 == 0:
            assert phone.image().size == phone.size
    assert phone.journal.entries("command")


def test_the_demonstration_task_can_be_done_by_touch_and_typing(phone: VirtualPhone) -> None:
    finger = Finger(phone)
    finger.tap("Settings")
    finger.tap("Display")
    finger.tap("Dark theme")
    phone.key(3)
    phone.settle()
    finger.tap("Contacts")
    finger.tap("Create contact")
    finger.fill("First name", "María")
    finger.fill("Last name", "García-张伟")
    finger.fill("Phone", "+34 600 555 0123")
    finger.tap("Save")
    changes = {path: after for path, _, after in finger.changes()}
    dark, contact = changes.pop("settings/secure/ui_night_mode"), changes.popitem()
    assert dark == "2" and not changes
    assert contact[0].startswith("contacts.contact/")
    assert (contact[1]["first"], contact[1]["last"], contact[1]["phone"]) == (
        "María",
        "García-张伟",
        "+34 600 555 0123",
    )
