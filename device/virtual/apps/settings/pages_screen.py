"""Pages about what one sees and hears: notifications, battery, storage, sound, display, wallpaper."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from device.virtual.apps.settings.model import Page, Section, choice, info, page, slider, switch
from device.virtual.apps.words import Words, say, words

if TYPE_CHECKING:
    from device.virtual.core.world import World

STORAGE_BYTES = 128 * 10**9
"""Size of the phone's storage."""

SYSTEM_BYTES = 21 * 10**9
"""What the system itself takes of it."""

WALLPAPERS = 6
"""How many wallpapers there are; secure `wallpaper` holds the number of the chosen one, from 1."""

_FONT_SIZES = (
    ("0.85", words("Small", "小")),
    ("1.0", words("Default", "默认")),
    ("1.15", words("Large", "大")),
    ("1.3", words("Largest", "最大")),
)
_TIMEOUTS = (
    ("15000", words("15 seconds", "15 秒")),
    ("30000", words("30 seconds", "30 秒")),
    ("60000", words("1 minute", "1 分钟")),
    ("120000", words("2 minutes", "2 分钟")),
    ("300000", words("5 minutes", "5 分钟")),
    ("600000", words("10 minutes", "10 分钟")),
    ("1800000", words("30 minutes", "30 分钟")),
)


def on_off(ns: str, key: str, off: str = "0") -> Callable[[World, str], str]:
    """A summary "On" or "Off" after a stored value."""

    def summary(w: World, lang: str) -> str:
        on = w.settings.get(ns, key, off) != off
        return say(words("On", "已开启") if on else words("Off", "已关闭"), lang)

    return summary


def battery(w: World, lang: str) -> str:
    """ "87% - about 1 day, 20 hr left": two and a half hours for each five percent."""
    level = int(w.settings.get("global", "battery_level", "87"))
    hours = level // 2
    days = words(f"about {hours // 24} day, {hours % 24} hr left", f"大约还可使用 {hours // 24} 天 {hours % 24} 小时")
    short = words(f"about {hours} hr left", f"大约还可使用 {hours} 小时")
    return f"{level}% · {say(days if hours >= 24 else short, lang)}"


def files_bytes(w: World) -> int:
    """Bytes of the files on the phone."""
    return sum(len(w.files.read(path)) for path in w.files.paths() if not _is_folder(w, path))


def _is_folder(w: World, path: str) -> bool:
    file = w.files.get(path)
    return file is not None and file.is_folder


def storage(w: World, lang: str) -> str:
    """ "17% used - 107 GB free"."""
    used = SYSTEM_BYTES + files_bytes(w)
    free = (STORAGE_BYTES - used) // 10**9
    percent = round(100 * used / STORAGE_BYTES)
    return say(words(f"{percent}% used · {free} GB free", f"已使用 {percent}% · 还剩 {free} GB"), lang)


def brightness(w: World, _lang: str) -> str:
    """Brightness in percent."""
    return f"{round(100 * int(w.settings.get('system', 'screen_brightness', '128')) / 255)}%"


def _off_on(off: Words, on: Words) -> tuple[tuple[str, Words], ...]:
    return (("0", off), ("1", on))


NOTIFICATIONS = Page(
    name="notifications",
    title=words("Notifications", "通知"),
    rows=(
        page("app_notifications", words("App notifications", "应用通知"), "app_notifications", icon="apps"),
        switch(
            "notification_history",
            words("Notification history", "通知历史记录"),
            "secure",
            "notification_history_enabled",
            summary=words("Keep notifications of the last 24 hours", "保留过去 24 小时的通知"),
            icon="history",
        ),
        Section(words("Privacy", "隐私")),
        choice(
            "lock_screen_notifications",
            words("Notifications on lock screen", "锁定屏幕上的通知"),
            "secure",
            "lock_screen_show_notifications",
            "1",
            _off_on(
                words("Don't show any notifications", "不显示任何通知"),
                words("Show all notification content", "显示所有通知内容"),
            ),
            icon="lock",
        ),
        Section(words("General", "常规")),
        page(
            "dnd",
            words("Do Not Disturb", "勿扰模式"),
            "do_not_disturb",
            summary=on_off("global", "zen_mode"),
            icon="do_not_disturb_on",
        ),
        switch(
            "notification_dot",
            words("Notification dot on app icon", "应用图标上的通知圆点"),
            "secure",
            "notification_badging",
            True,
            icon="notifications",
        ),
        switch(
            "snooze",
            words("Allow notification snoozing", "允许延后通知"),
            "secure",
            "show_notification_snooze",
            icon="snooze",
        ),
    ),
)

DO_NOT_DISTURB = Page(
    name="do_not_disturb",
    title=words("Do Not Disturb", "勿扰模式"),
    rows=(
        switch("use_dnd", words("Use Do Not Disturb", "使用勿扰模式"), "global", "zen_mode", icon="do_not_disturb_on"),
        Section(words("What can interrupt Do Not Disturb", "可以打断勿扰模式的内容")),
        switch("dnd_alarms", words("Alarms", "闹钟"), "global", "zen_allow_alarms", True, icon="alarm"),
        switch("dnd_calls", words("Calls from contacts", "联系人来电"), "global", "zen_allow_calls", True, icon="call"),
        switch(
            "dnd_messages", words("Messages from contacts", "联系人短信"), "global", "zen_allow_messages", icon="chat"
        ),
        switch("dnd_media", words("Media sounds", "媒体声音"), "global", "zen_allow_media", True, icon="music_note"),
    ),
)

BATTERY = Page(
    name="battery",
    title=words("Battery", "电池"),
    rows=(
        info("battery_level", words("Battery level", "电池电量"), battery, icon="battery_full"),
        page(
            "battery_saver",
            words("Battery Saver", "省电模式"),
            "battery_saver",
            summary=on_off("global", "low_power"),
            icon="battery_saver",
        ),
        switch(
            "battery_percentage",
            words("Battery percentage", "电池电量百分比"),
            "system",
            "status_bar_show_battery_percent",
            summary=words("Show battery percentage in status bar", "在状态栏中显示电池电量百分比"),
            icon="percent",
        ),
        switch(
            "adaptive_battery",
            words("Adaptive Battery", "自适应电池"),
            "global",
            "adaptive_battery_management_enabled",
            True,
            summary=words("Limit battery for apps that you don't use often", "限制不常用应用的耗电量"),
            icon="bolt",
        ),
    ),
)

BATTERY_SAVER = Page(
    name="battery_saver",
    title=words("Battery Saver", "省电模式"),
    rows=(
        switch("use_battery_saver", words("Use Battery Saver", "使用省电模式"), "global", "low_power"),
        choice(
            "battery_saver_schedule",
            words("Turn on automatically", "自动开启"),
            "global",
            "low_power_trigger_level",
            "0",
            (
                ("0", words("No schedule", "不设时间表")),
                ("10", words("At 10%", "电量为 10% 时")),
                ("20", words("At 20%", "电量为 20% 时")),
                ("50", words("At 50%", "电量为 50% 时")),
            ),
        ),
        switch(
            "battery_saver_off",
            words("Turn off when charged", "充满电时关闭"),
            "global",
            "low_power_sticky_auto_disable_enabled",
            True,
            summary=words("When the battery reaches 90%", "电量达到 90% 时"),
        ),
    ),
)

SOUND = Page(
    name="sound",
    title=words("Sound & vibration", "提示音和振动"),
    rows=(
        slider("media_volume", words("Media volume", "媒体音量"), "system", "volume_music", (0, 15), 7, "music_note"),
        slider("call_volume", words("Call volume", "通话音量"), "system", "volume_voice", (1, 7), 4, "call"),
        slider("ring_volume", words("Ring volume", "铃声音量"), "system", "volume_ring", (0, 7), 5, "vibration"),
        slider(
            "notification_volume",
            words("Notification volume", "通知音量"),
            "system",
            "volume_notification",
            (0, 7),
            5,
            "notifications",
        ),
        slider("alarm_volume", words("Alarm volume", "闹钟音量"), "system", "volume_alarm", (1, 7), 6, "alarm"),
        choice(
            "ringtone",
            words("Phone ringtone", "手机铃声"),
            "system",
            "ringtone",
            "harbour",
            (("none", words("None", "无")), ("harbour", "Harbour"), ("lantern", "Lantern"), ("meadow", "Meadow")),
            icon="ring_volume",
        ),
        switch("vibrate", words("Vibrate for calls", "来电时振动"), "system", "vibrate_when_ringing", icon="vibration"),
        Section(words("System sounds", "系统提示音")),
        switch("dial_tones", words("Dial pad tones", "拨号键盘提示音"), "system", "dtmf_tone", True),
        switch(
            "lock_sounds", words("Screen locking sound", "屏幕锁定提示音"), "system", "lockscreen_sounds_enabled", True
        ),
        switch(
            "charging_sounds",
            words("Charging sounds and vibration", "充电提示音和振动"),
            "secure",
            "charging_sounds_enabled",
            True,
        ),
        switch("touch_sounds", words("Touch sounds", "触摸提示音"), "system", "sound_effects_enabled"),
        switch("haptics", words("Touch feedback", "触感反馈"), "system", "haptic_feedback_enabled", True),
    ),
)

DISPLAY = Page(
    name="display",
    title=words("Display", "显示"),
    rows=(
        Section(words("Brightness", "亮度")),
        slider(
            "brightness",
            words("Brightness level", "亮度"),
            "system",
            "screen_brightness",
            (1, 255),
            128,
            "brightness_medium",
        ),
        switch(
            "adaptive_brightness",
            words("Adaptive brightness", "自动调节亮度"),
            "system",
            "screen_brightness_mode",
            icon="brightness_auto",
        ),
        Section(words("Appearance", "外观")),
        switch(
            "dark_theme",
            words("Dark theme", "深色主题"),
            "secure",
            "ui_night_mode",
            on="2",
            off="1",
            icon="dark_mode",
            summary=words("Dark colors for the whole phone", "整部手机使用深色"),
        ),
        choice(
            "font_size", words("Font size", "字体大小"), "system", "font_scale", "1.0", _FONT_SIZES, icon="format_size"
        ),
        page("wallpaper", words("Wallpaper", "壁纸"), "wallpaper", icon="wallpaper"),
        page(
            "night_light",
            words("Night Light", "夜间模式"),
            "night_light",
            summary=on_off("secure", "night_display_activated"),
            icon="nightlight",
        ),
        Section(words("Other display controls", "其他显示控件")),
        choice(
            "screen_timeout",
            words("Screen timeout", "屏幕超时"),
            "system",
            "screen_off_timeout",
            "60000",
            _TIMEOUTS,
            icon="timer",
        ),
        switch(
            "auto_rotate",
            words("Auto-rotate screen", "自动旋转屏幕"),
            "system",
            "accelerometer_rotation",
            icon="screen_rotation",
        ),
        switch(
            "tap_to_wake",
            words("Tap to check phone", "点按即可查看手机"),
            "secure",
            "double_tap_to_wake",
            True,
            icon="touch_app",
        ),
    ),
)

NIGHT_LIGHT = Page(
    name="night_light",
    title=words("Night Light", "夜间模式"),
    rows=(
        switch("use_night_light", words("Use Night Light", "使用夜间模式"), "secure", "night_display_activated"),
        slider(
            "night_light_intensity",
            words("Intensity", "浓度"),
            "secure",
            "night_display_intensity",
            (0, 100),
            50,
        ),
        choice(
            "night_light_schedule",
            words("Schedule", "时间安排"),
            "secure",
            "night_display_auto_mode",
            "0",
            (
                ("0", words("None", "无")),
                ("1", words("Turns on at custom time", "在设定的时间开启")),
                ("2", words("Turns on from sunset to sunrise", "在日落到日出期间开启")),
            ),
        ),
    ),
)

WALLPAPER = Page(name="wallpaper", title=words("Wallpaper", "壁纸"))
STORAGE = Page(name="storage", title=words("Storage", "存储"))

PAGES = (NOTIFICATIONS, DO_NOT_DISTURB, BATTERY, BATTERY_SAVER, SOUND, DISPLAY, NIGHT_LIGHT, WALLPAPER, STORAGE)
