"""Any states in any order, touched anywhere: nothing raises, every tree is well-formed, and twice is the same."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree

import pytest

from device.virtual.core.accessibility import TALKBACK
from device.virtual.phone import VirtualPhone

SETTINGS, CONTACTS = "com.android.settings", "org.tapwright.contacts"
STEPS = 120


def act(phone: VirtualPhone, rng: random.Random) -> None:
    width, height = phone.size
    point = (rng.uniform(0, width), rng.uniform(0, height))
    other = (rng.uniform(0, width), rng.uniform(0, height))
    package = rng.choice((SETTINGS, CONTACTS))
    acts = (
        lambda: phone.show_anr(),
        lambda: phone.show_crash(package),
        lambda: phone.request_permission(CONTACTS, "android.permission.READ_CONTACTS"),
        lambda: phone.reset_permissions(),
        lambda: phone.set_lock(rng.choice(("none", "swipe", "pin")), "2580"),
        lambda: phone.lock(),
        lambda: phone.unlock(),
        lambda: phone.doze(),
        lambda: phone.dream(),
        lambda: phone.sleep(),
        lambda: phone.set_secure(package, rng.random() < 0.5),
        lambda: phone.notify(package, "Hello"),
        lambda: phone.enable_accessibility_service(TALKBACK, rng.random() < 0.5),
        lambda: phone.automation_started(),
        lambda: phone.automation_ended(),
        lambda: phone.fold(rng.random() < 0.5),
        lambda: phone.set_navigation(rng.choice(("gestures", "buttons"))),
        lambda: phone.hold(rng.randrange(4)),
        lambda: phone.put_setting("system", "accelerometer_rotation", rng.choice(("0", "1"))),
        lambda: phone.open_notifications(),
        lambda: phone.start(package),
        lambda: phone.type_text("2580"),
        lambda: phone.restore(phone.snapshot()),
        *(lambda code=code: phone.key(code) for code in (3, 4, 26, 66, 82, 187, 224)),
        *(lambda fingers=n: phone.tap(*point, fingers=fingers) for n in (0, 0, 0, 1, 1)),
        *(lambda fingers=n: phone.swipe([point, other], 150, fingers=fingers) for n in (0, 1, 2)),
    )
    rng.choice(acts)()
    phone.advance(rng.choice((0, 60, 400)))


def life(seed: int) -> tuple[list[str], str]:
    phone, rng = VirtualPhone("foldable", seed), random.Random(seed)
    dumps = []
    for _ in range(STEPS):
        act(phone, rng)
        width, height = phone.size
        dumps.append(phone.dump())
        for node in ElementTree.fromstring(dumps[-1].partition("?>")[2]).iter("node"):
            left, top, right, bottom = (int(n) for n in node.attrib["bounds"].strip("[]").replace("][", ",").split(","))
            assert 0 <= left < right <= width and 0 <= top < bottom <= height, node.attrib
        focused = [window for window in phone.windows() if window.focused]
        assert len(focused) <= 1
    return dumps, str(phone.journal.to_json())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_states_in_any_order_raise_nothing_and_come_again_the_same(seed: int) -> None:
    first = life(seed)
    if seed == 1:
        assert life(seed) == first
