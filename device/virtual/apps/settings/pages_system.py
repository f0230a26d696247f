"""Pages about the phone itself: accessibility, security, privacy, location, system, developer options, about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from device.virtual.apps.settings.model import Entry, Page, Section, Setting, Typed, choice, info, page, switch
from device.virtual.apps.settings.pages_screen import on_off
from device.virtual.apps.words import words

if TYPE_CHECKING:
    from device.virtual.core.world import World

_SCALES = (
    ("0.0", words("Animation off", "关闭动画")),
    ("0.5", words("Animation scale 0.5x", "动画缩放 0.5x")),
    ("1.0", words("Animation scale 1x", "动画缩放 1x")),
    ("1.5", words("Animation scale 1.5x", "动画缩放 1.5x")),
    ("2.0", words("Animation scale 2x", "动画缩放 2x")),
    ("5.0", words("Animation scale 5x", "动画缩放 5x")),
    ("10.0", words("Animation scale 10x", "动画缩放 10x")),
)
_ZONES = (
    ("UTC", "UTC"),
    ("Europe/Lisbon", words("Lisbon", "里斯本")),
    ("Europe/Madrid", words("Madrid", "马德里")),
    ("Europe/Berlin", words("Berlin", "柏林")),
    ("Asia/Shanghai", words("Shanghai", "上海")),
    ("Asia/Tokyo", words("Tokyo", "东京")),
    ("America/New_York", words("New York", "纽约")),
)


def developer(w: World) -> bool:
    """Whether the developer options have been unlocked on the About page."""
    return w.settings.get("global", "development_settings_enabled", "0") == "1"


ACCESSIBILITY = Page(
    name="accessibility",
    title=words("Accessibility", "无障碍"),
    rows=(
        Section(words("Display", "显示")),
        switch(
            "color_inversion",
            words("Color inversion", "颜色反转"),
            "secure",
            "accessibility_display_inversion_enabled",
            icon="invert_colors",
        ),
        switch(
            "bold_text",
            words("Bold text", "粗体文字"),
            "secure",
            "bold_text_enabled",
            icon="format_bold",
        ),
        switch(
            "large_pointer", words("Large mouse pointer", "大号鼠标指针"), "secure", "accessibility_large_pointer_icon"
        ),
        Section(words("Audio", "音频")),
        switch("mono_audio", words("Mono audio", "单声道音频"), "system", "master_mono", icon="hearing"),
        switch(
            "captions",
            words("Caption preferences", "字幕偏好设置"),
            "secure",
            "accessibility_captioning_enabled",
            summary=words("Show captions", "显示字幕"),
            icon="closed_caption",
        ),
        Section(words("Services", "服务")),
    ),
)

ACCESSIBILITY_SERVICE = Page(name="accessibility_service", title=words("Accessibility service", "无障碍服务"))

SECURITY = Page(
    name="security",
    title=words("Security", "安全"),
    rows=(
        choice(
            "screen_lock",
            words("Screen lock", "屏幕锁定"),
            "secure",
            "lockscreen_disabled",
            "0",
            (("1", words("None", "无")), ("0", words("Swipe", "滑动"))),
            icon="lock",
        ),
        choice(
            "lock_after",
            words("Lock after screen timeout", "屏幕超时后锁定"),
            "secure",
            "lock_screen_lock_after_timeout",
            "5000",
            (
                ("0", words("Immediately", "立即")),
                ("5000", words("5 seconds", "5 秒")),
                ("30000", words("30 seconds", "30 秒")),
                ("60000", words("1 minute", "1 分钟")),
            ),
            icon="timer",
        ),
        switch(
            "power_lock",
            words("Power button instantly locks", "按电源按钮立即锁定"),
            "secure",
            "power_button_instantly_locks",
            True,
            icon="power_settings_new",
        ),
        switch(
            "show_passwords",
            words("Show passwords", "显示密码"),
            "system",
            "show_password",
            True,
            summary=words("Display characters briefly as you type", "键入时短暂显示字符"),
            icon="visibility",
        ),
        Entry(
            key="owner_info",
            title=words("Text on lock screen", "锁定屏幕上的文字"),
            control=Typed(setting=Setting("secure", "lock_screen_owner_info", "")),
            icon="badge",
        ),
    ),
)

PRIVACY = Page(
    name="privacy",
    title=words("Privacy", "隐私"),
    rows=(
        page("permission_manager", words("Permission manager", "权限管理器"), "permission_manager", icon="key"),
        switch(
            "camera_access",
            words("Camera access", "摄像头使用权限"),
            "secure",
            "camera_access_enabled",
            True,
            summary=words("For apps and services", "适用于应用和服务"),
            icon="photo_camera",
        ),
        switch(
            "mic_access",
            words("Microphone access", "麦克风使用权限"),
            "secure",
            "microphone_access_enabled",
            True,
            summary=words("For apps and services", "适用于应用和服务"),
            icon="mic",
        ),
        switch(
            "clipboard_access",
            words("Show clipboard access", "显示剪贴板访问通知"),
            "secure",
            "clipboard_show_access_notifications",
            True,
            summary=words("Show a message when apps read text you've copied", "应用读取您复制的文字时显示消息"),
            icon="content_paste",
        ),
        switch(
            "usage_data",
            words("Usage & diagnostics", "使用情况和诊断信息"),
            "global",
            "usage_reporting_enabled",
            icon="analytics",
        ),
    ),
)

LOCATION = Page(
    name="location",
    title=words("Location", "位置信息"),
    rows=(
        switch(
            "use_location",
            words("Use location", "使用位置信息"),
            "secure",
            "location_mode",
            True,
            on="3",
            icon="location_on",
        ),
        page(
            "location_permissions",
            words("App location permissions", "应用位置信息权限"),
            "permission",
            icon="apps",
            permission="android.permission.ACCESS_FINE_LOCATION",
        ),
        switch(
            "wifi_scanning",
            words("Wi-Fi scanning", "WLAN 扫描"),
            "global",
            "wifi_scan_always_enabled",
            summary=words("Let apps scan for networks even when Wi-Fi is off", "关闭 WLAN 时也允许应用扫描网络"),
            icon="wifi",
        ),
        switch(
            "bluetooth_scanning",
            words("Bluetooth scanning", "蓝牙扫描"),
            "global",
            "ble_scan_always_enabled",
            icon="bluetooth",
        ),
    ),
)

SYSTEM = Page(
    name="system",
    title=words("System", "系统"),
    rows=(
        page(
            "languages",
            words("Languages & input", "语言和输入法"),
            "languages",
            summary="English, 中文",
            icon="language",
        ),
        page("gestures", words("Gestures", "手势"), "gestures", icon="swipe"),
        page("date_time", words("Date & time", "日期和时间"), "date_time", icon="schedule"),
        Entry(
            key="developer_options",
            title=words("Developer options", "开发者选项"),
            control=page("", {"en": ""}, "developer").control,
            icon="code",
            shown=developer,
        ),
        page("reset", words("Reset options", "重置选项"), "reset", icon="restart_alt"),
    ),
)

LANGUAGES = Page(
    name="languages",
    title=words("Languages & input", "语言和输入法"),
    rows=(
        choice(
            "system_language",
            words("System language", "系统语言"),
            "system",
            "system_locales",
            "en-US",
            (("en-US", "English (United States)"), ("zh-CN", "简体中文")),
            icon="language",
        ),
        page("keyboards", words("On-screen keyboard", "屏幕键盘"), "keyboards", icon="keyboard"),
        switch(
            "spell_checker",
            words("Spell checker", "拼写检查工具"),
            "secure",
            "spell_checker_enabled",
            True,
            icon="spellcheck",
        ),
        switch(
            "pointer_speed_slow",
            words("Show on-screen keyboard with a physical one", "连接实体键盘时显示屏幕键盘"),
            "secure",
            "show_ime_with_hard_keyboard",
            icon="keyboard_alt",
        ),
    ),
)

KEYBOARDS = Page(
    name="keyboards",
    title=words("On-screen keyboard", "屏幕键盘"),
)

GESTURES = Page(
    name="gestures",
    title=words("Gestures", "手势"),
    rows=(
        choice(
            "navigation_mode",
            words("System navigation", "系统导航"),
            "secure",
            "navigation_mode",
            "2",
            (
                ("2", words("Gesture navigation", "手势导航")),
                ("0", words("3-button navigation", "“三按钮”导航")),
            ),
            icon="swipe",
        ),
        switch(
            "quick_camera",
            words("Quickly open camera", "快速打开相机"),
            "secure",
            "camera_double_tap_power_gesture_enabled",
            True,
            summary=words("Press the power button twice", "按两次电源按钮"),
            icon="photo_camera",
        ),
        switch(
            "lift_to_wake",
            words("Lift to check phone", "拿起手机即可查看"),
            "secure",
            "doze_pulse_on_pick_up",
            True,
            icon="smartphone",
        ),
    ),
)

DATE_TIME = Page(
    name="date_time",
    title=words("Date & time", "日期和时间"),
    rows=(
        switch("auto_time", words("Set time automatically", "自动设置时间"), "global", "auto_time", True),
        switch("auto_zone", words("Set time zone automatically", "自动设置时区"), "global", "auto_time_zone", True),
        choice("time_zone", words("Time zone", "时区"), "global", "time_zone", "UTC", _ZONES, icon="public"),
        switch(
            "use_24_hour",
            words("Use 24-hour format", "使用 24 小时制"),
            "system",
            "time_12_24",
            True,
            on="24",
            off="12",
        ),
    ),
)

DEVELOPER = Page(
    name="developer",
    title=words("Developer options", "开发者选项"),
    rows=(
        switch(
            "use_developer",
            words("Use developer options", "使用开发者选项"),
            "global",
            "development_settings_enabled",
        ),
        switch(
            "stay_awake",
            words("Stay awake", "保持唤醒状态"),
            "global",
            "stay_on_while_plugged_in",
            on="7",
            summary=words("Screen will never sleep while charging", "充电时屏幕不会休眠"),
        ),
        Section(words("Debugging", "调试")),
        switch("usb_debugging", words("USB debugging", "USB 调试"), "global", "adb_enabled", True),
        switch(
            "verify_apps", words("Verify apps over USB", "通过 USB 验证应用"), "global", "verifier_verify_adb_installs"
        ),
        Section(words("Input", "输入")),
        switch("show_taps", words("Show taps", "显示点按操作反馈"), "system", "show_touches"),
        switch("pointer_location", words("Pointer location", "指针位置"), "system", "pointer_location"),
        Section(words("Drawing", "绘图")),
        choice(
            "window_scale",
            words("Window animation scale", "窗口动画缩放"),
            "global",
            "window_animation_scale",
            "1.0",
            _SCALES,
        ),
        choice(
            "transition_scale",
            words("Transition animation scale", "过渡动画缩放"),
            "global",
            "transition_animation_scale",
            "1.0",
            _SCALES,
        ),
        choice(
            "animator_scale",
            words("Animator duration scale", "动画程序时长缩放"),
            "global",
            "animator_duration_scale",
            "1.0",
            _SCALES,
        ),
        Section(words("Apps", "应用")),
        switch(
            "no_activities",
            words("Don't keep activities", "不保留活动"),
            "global",
            "always_finish_activities",
            summary=words("Destroy every activity as soon as the user leaves it", "用户离开后即销毁每个活动"),
        ),
    ),
)

ABOUT = Page(
    name="about",
    title=words("About phone", "关于手机"),
    rows=(
        Entry(
            key="device_name",
            title=words("Device name", "设备名称"),
            control=Typed(setting=Setting("global", "device_name", "Tapwright Phone")),
        ),
        info("phone_number", words("Phone number", "手机号码"), "+1 555 0100"),
    ),
)

RESET = Page(name="reset", title=words("Reset options", "重置选项"))

PAGES = (
    ACCESSIBILITY,
    ACCESSIBILITY_SERVICE,
    SECURITY,
    PRIVACY,
    LOCATION,
    SYSTEM,
    LANGUAGES,
    KEYBOARDS,
    GESTURES,
    DATE_TIME,
    DEVELOPER,
    ABOUT,
    RESET,
)

__all__ = ["PAGES", "developer", "on_off"]
