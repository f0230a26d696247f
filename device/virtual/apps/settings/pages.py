"""All pages of the settings by screen name, the root first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from device.virtual.apps.settings import pages_radio, pages_screen, pages_system
from device.virtual.apps.settings.model import Choice, Entry, Level, Page, Setting, Toggle, Typed, page
from device.virtual.apps.settings.search import parents
from device.virtual.apps.words import words

APPS = Page(name="apps", title=words("Apps", "应用"))
APP_INFO = Page(name="app_info", title=words("App info", "应用信息"))
APP_PERMISSIONS = Page(name="app_permissions", title=words("App permissions", "应用权限"))
APP_NOTIFICATIONS = Page(name="app_notifications", title=words("App notifications", "应用通知"))
PERMISSION_MANAGER = Page(name="permission_manager", title=words("Permission manager", "权限管理器"))
PERMISSION = Page(name="permission", title=words("Permission", "权限"))

ROOT = Page(
    name="root",
    title=words("Settings", "设置"),
    rows=(
        page(
            "network",
            pages_radio.NETWORK.title,
            "network",
            summary=words("Mobile, Wi-Fi, hotspot", "移动网络、WLAN、热点"),
            icon="wifi",
        ),
        page(
            "connected_devices",
            pages_radio.CONNECTED.title,
            "connected_devices",
            summary=words("Bluetooth, pairing", "蓝牙、配对"),
            icon="devices",
        ),
        page("apps", APPS.title, "apps", summary=words("App info, permissions", "应用信息、权限"), icon="apps"),
        page(
            "notifications",
            pages_screen.NOTIFICATIONS.title,
            "notifications",
            summary=words("Notification history, Do Not Disturb", "通知历史记录、勿扰模式"),
            icon="notifications",
        ),
        page("battery", pages_screen.BATTERY.title, "battery", summary=pages_screen.battery, icon="battery_full"),
        page("storage", pages_screen.STORAGE.title, "storage", summary=pages_screen.storage, icon="storage"),
        page(
            "sound",
            pages_screen.SOUND.title,
            "sound",
            summary=words("Volume, haptics", "音量、触感反馈"),
            icon="volume_up",
        ),
        page(
            "display",
            pages_screen.DISPLAY.title,
            "display",
            summary=words("Dark theme, font size, brightness", "深色主题、字体大小、亮度"),
            icon="brightness_medium",
        ),
        page(
            "wallpaper",
            pages_screen.WALLPAPER.title,
            "wallpaper",
            summary=words("Picture behind home and lock screen", "主屏幕和锁定屏幕的图片"),
            icon="wallpaper",
        ),
        page(
            "accessibility",
            pages_system.ACCESSIBILITY.title,
            "accessibility",
            summary=words("Display, audio, services", "显示、音频、服务"),
            icon="accessibility_new",
        ),
        page(
            "security",
            pages_system.SECURITY.title,
            "security",
            summary=words("Screen lock, passwords", "屏幕锁定、密码"),
            icon="lock",
        ),
        page(
            "privacy",
            pages_system.PRIVACY.title,
            "privacy",
            summary=words("Permissions, camera, microphone", "权限、摄像头、麦克风"),
            icon="visibility",
        ),
        page(
            "location",
            pages_system.LOCATION.title,
            "location",
            summary=pages_screen.on_off("secure", "location_mode"),
            icon="location_on",
        ),
        page(
            "system",
            pages_system.SYSTEM.title,
            "system",
            summary=words("Languages, gestures, time, reset", "语言、手势、时间、重置"),
            icon="info",
        ),
        page(
            "about",
            pages_system.ABOUT.title,
            "about",
            summary=lambda w, _lang: w.settings.get("global", "device_name"),
            icon="smartphone",
        ),
    ),
)

PAGES: Mapping[str, Page] = {
    one.name: one
    for one in (
        ROOT,
        *pages_radio.PAGES,
        APPS,
        APP_INFO,
        APP_PERMISSIONS,
        APP_NOTIFICATIONS,
        *pages_screen.PAGES,
        *pages_system.PAGES,
        PERMISSION_MANAGER,
        PERMISSION,
    )
}

ABOVE: Mapping[str, str] = parents(PAGES, ROOT)
"""For each page the one above it."""


def entry_of(page_name: str, key: str) -> Entry:
    """The entry of that key among the fixed rows of a page; raises KeyError."""
    for entry in PAGES[page_name].entries():
        if entry.key == key:
            return entry
    raise KeyError(f"page {page_name} has no entry {key!r}")


def settings() -> Iterator[Setting]:
    """Every stored value that some page can change."""
    for one in PAGES.values():
        for entry in one.entries():
            if isinstance(entry.control, Toggle | Level | Choice | Typed):
                yield entry.control.setting
