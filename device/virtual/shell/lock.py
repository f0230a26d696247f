"""The lock screen, the pad that asks for the PIN, the clock of a dozing phone, and the screen saver.

Ids are those of Android's SystemUI (res-keyguard, keyguard_pin_view.xml; keyguard_status_view, lock_icon_view).
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from device.virtual.apps.words import say, words
from device.virtual.shell.bars import clock_text
from device.virtual.shell.wallpaper import long_date, wallpaper
from device.virtual.ui import Act, Box, Button, Column, Icon, IconButton, Node, Row, Spacer, Text

if TYPE_CHECKING:
    from device.virtual.core.app import ScreenState
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

_SWIPE = words("Swipe up to open", "向上滑动即可解锁")
_ENTER, _WRONG = words("Enter PIN", "输入 PIN 码"), words("Wrong PIN. Try again.", "PIN 码错误，请重试。")
_DELETE, _OK = words("Delete", "删除"), words("Enter", "输入")
_EMERGENCY = words("Emergency call", "紧急呼救")
_PIN_AREA = words("PIN area", "PIN 码区域")
_BULLET = "\u2022"
_KEY_DP, _GAP_DP = 72.0, 16.0
_LANDSCAPE_KEY_DP, _LANDSCAPE_GAP_DP = 52.0, 8.0
_LOW_DP = 640.0  # a display lower than this has no room for large keys below clock and message


def lock_screen(w: World, s: ScreenState, env: Env) -> Node:
    """Clock, date, the owner's text from the settings, and the lock."""
    owner = w.settings.get("secure", "lock_screen_owner_info", "")
    high = env.height_dp >= _LOW_DP
    front = Column(
        Spacer(h=96 if high else 48),
        Column(
            Text(clock_text(w, env), style="clock", color="white", id="lockscreen_clock_view"),
            Text(long_date(env), style="title", color="white", id="keyguard_slice_view"),
            align="center",
            gap=4,
            id="keyguard_status_view",
        ),
        *((Text(owner, style="body", color="white", id="owner_info"),) if owner else ()),
        Spacer(weight=1),
        IconButton(
            "lock", desc=say(words("Lock", "锁定"), env.lang), on_tap=Act("unlock"), id="lock_icon_view", color="white"
        ),
        Text(say(_SWIPE, env.lang), style="label", color="white", id="keyguard_indication_text"),
        Spacer(h=48 if high else 32),
        align="center",
        gap=4,
        w=env.width_dp,
        h=env.height_dp,
        swipe_up=Act("unlock"),
    )
    return Box(wallpaper(w, env), front, w=env.width_dp, h=env.height_dp, id="keyguard_root_view")


def pin_pad(w: World, s: ScreenState, env: Env) -> Node:
    """Message, the digits typed so far as dots, the keys, and the emergency call."""
    low = env.height_dp < _LOW_DP
    key, gap = (_LANDSCAPE_KEY_DP, _LANDSCAPE_GAP_DP) if low else (_KEY_DP, _GAP_DP)
    rows = [Row(*(_digit(d, key) for d in digits), gap=gap) for digits in ("123", "456", "789")]
    last = Row(
        _function("backspace", say(_DELETE, env.lang), "delete", "delete_button", key),
        _digit("0", key),
        _function("keyboard_tab", say(_OK, env.lang), "enter", "key_enter", key),
        gap=gap,
    )
    front = Column(
        Spacer(weight=1),
        *(() if low else (Icon("lock", color="white", size=28),)),
        Text(_message(s, env), style="subtitle", color="white", id="bouncer_message_area"),
        _entry(s, env),
        Spacer(h=gap),
        Column(*rows, last, gap=gap, id="keyguard_pin_view"),
        Spacer(weight=1),
        *(() if low else (_emergency(env),)),
        Spacer(h=env.insets[3] + 24),
        align="center",
        gap=8,
        bg="black/60",
        w=env.width_dp,
        h=env.height_dp,
        swipe_down=Act("pin.back"),
    )
    root = Box(wallpaper(w, env), front, w=env.width_dp, h=env.height_dp, id="keyguard_security_container")
    return dataclasses.replace(root, props={**root.props, "ticking": s.system.pin_seconds > 0})


def _message(s: ScreenState, env: Env) -> str:
    if s.system.pin_seconds:
        n = s.system.pin_seconds
        later = words(f"Too many attempts. Try again in {n} seconds.", f"尝试次数过多，请在 {n} 秒后重试。")
        return say(later, env.lang)
    return say(_WRONG if s.system.pin_note == "wrong" else _ENTER, env.lang)


def _entry(s: ScreenState, env: Env) -> Node:
    """The field: dots, with as many bullets as its text, as a screen reader is told."""
    count = s.system.pin_length
    dots = (Box(w=12, h=12, radius=6, bg="white") for _ in range(count))
    row = Row(*dots, gap=12, h=40, min_h=40, w=240, align="center", justify="center", id="pinEntry")
    return dataclasses.replace(
        row, cls="android.widget.EditText", text=_BULLET * count, password=True, desc=say(_PIN_AREA, env.lang)
    )


def _digit(digit: str, size: float) -> Node:
    return Box(
        Text(digit, style="headline", color="white", id="digit_text"),
        align=("center", "center"),
        w=size,
        h=size,
        radius=size / 2,
        bg="white/20",
        cls="android.view.ViewGroup",
        desc=digit,
        on_tap=Act("pin.key", {"value": digit}),
        id=f"key{digit}",
    )


def _function(icon: str, desc: str, value: str, id: str, size: float) -> Node:
    return Box(
        Icon(icon, color="white"),
        align=("center", "center"),
        w=size,
        h=size,
        radius=size / 2,
        bg="white/10",
        cls="android.widget.ImageButton",
        desc=desc,
        on_tap=Act("pin.key", {"value": value}),
        id=id,
    )


def _emergency(env: Env) -> Node:
    return Button(say(_EMERGENCY, env.lang), style="text", color="white", enabled=False, id="emergency_call_button")


def ambient(w: World, _s: ScreenState, env: Env) -> Node:
    """What a dozing phone shows with secure `doze_always_on`: the time, faint on black."""
    return Column(
        Spacer(h=env.height_dp * 0.3),
        Text(clock_text(w, env), style="clock", color="white/60", id="lockscreen_clock_view"),
        Text(long_date(env), style="body", color="white/60", id="keyguard_slice_view"),
        align="center",
        bg="black",
        w=env.width_dp,
        h=env.height_dp,
        id="keyguard_root_view",
    )


def dream(w: World, _s: ScreenState, env: Env) -> Node:
    """The screen saver: a clock in the middle of the dark."""
    return Box(
        Text(clock_text(w, env), style="clock", color="white/80", id="digital_clock"),
        align=("center", "center"),
        bg="black",
        w=env.width_dp,
        h=env.height_dp,
        id="saver_container",
    )
