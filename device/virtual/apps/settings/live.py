"""Rows that follow the world: networks in reach, paired devices, services, files, the phone's own data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from device.virtual.apps.settings import packages, radios
from device.virtual.apps.settings.model import Do, Entry, Flip, Info, Live, Rows, Section, info, page
from device.virtual.apps.settings.pages_screen import STORAGE_BYTES, SYSTEM_BYTES, files_bytes
from device.virtual.apps.words import Words, say, words
from device.virtual.core.accessibility import SWITCH_ACCESS, TALKBACK, enabled_services
from device.virtual.core.package import Credential, Package
from device.virtual.ui import command, open_dialog, push, seq, set_view, toast

if TYPE_CHECKING:
    from device.virtual.core.app import ScreenState
    from device.virtual.core.world import World
    from device.virtual.ui import Act
    from device.virtual.ui.env import Env

KEYBOARD_IME = "org.tapwright.keyboard/.Keyboard"
"""The phone's own input method."""

BUILD_TAPS = 7
"""Taps on the build number that unlock the developer options, as on Android."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """An accessibility service that is installed on the phone."""

    component: str
    title: Words
    about: Words
    icon: str


SERVICES = (
    Service(
        component=TALKBACK,
        title=words("TalkBack", "TalkBack"),
        about=words(
            "Speaks items on the screen as you touch them. Double-tap to activate what has the focus, swipe with one "
            "finger to go to the next item, scroll with two fingers.",
            "在您触摸屏幕时读出屏幕上的内容。点按两次即可激活聚焦的项目，单指滑动可转到下一项，双指滑动可滚动。",
        ),
        icon="record_voice_over",
    ),
    Service(
        component=SWITCH_ACCESS,
        title=words("Switch Access", "开关控制"),
        about=words("Operate the phone with one or more switches.", "使用一个或多个开关操作手机。"),
        icon="toggle_on",
    ),
    Service(
        component="org.tapwright.speak/.SelectToSpeakService",
        title=words("Select to Speak", "随选朗读"),
        about=words("Touch text to hear it spoken.", "触摸文字即可听到朗读。"),
        icon="text_to_speech",
    ),
    Service(
        component="org.tapwright.menu/.AccessibilityMenuService",
        title=words("Accessibility Menu", "无障碍功能菜单"),
        about=words("Large buttons for the most used phone functions.", "以大按钮提供最常用的手机功能。"),
        icon="accessibility_new",
    ),
)


def networks(w: World, s: ScreenState, env: Env) -> Rows:
    """Networks in reach, or a word about why there are none."""
    if not radios.wifi_on(w):
        text = words("To see available networks, turn Wi-Fi on", "要查看可用网络，请开启 WLAN")
        return (info("wifi_off", "", text, icon="wifi_off"),)
    found = [n for n in radios.networks(w) if n.level]
    add = Entry(
        key="add_network", title=words("Add network", "添加网络"), control=Do(open_dialog("add_network")), icon="add"
    )
    return (Section(words("Available networks", "可用网络")), *(_network(n, env) for n in found), add)


def _network(n: radios.WifiNetwork, env: Env) -> Entry:
    states = (
        (n.joined, words("Connected", "已连接")),
        (n.saved, words("Saved", "已保存")),
        (n.secured, words("Secured", "加密")),
        (True, words("Open", "开放")),
    )
    state = next(label for holds, label in states if holds)
    return Entry(
        key="wifi_network",
        title=n.ssid,
        summary=state,
        control=Do(_touch(n)),
        icon=_signal(n.level),
        badge="lock" if n.secured else "",
    )


def _touch(n: radios.WifiNetwork) -> Act:
    if n.joined:
        return push("wifi_network", id=n.id)
    if n.saved or not n.secured:
        return command("settings.wifi_join", id=n.id)
    return open_dialog("wifi_password", id=n.id)


def _signal(level: int) -> str:
    return {4: "wifi", 3: "wifi", 2: "wifi_2_bar"}.get(level, "wifi_1_bar")


def saved_networks(w: World, s: ScreenState, env: Env) -> Rows:
    """Networks with a kept password."""
    saved = [n for n in radios.networks(w) if n.saved]
    rows = tuple(page("saved_network", n.ssid, "wifi_network", icon="wifi", id=n.id) for n in saved)
    return rows or (info("no_saved", words("No saved networks", "没有已保存的网络"), "", icon="info"),)


def network_details(w: World, s: ScreenState, env: Env) -> Rows:
    """One network: state, forget or connect, automatic connection, metered."""
    n = w.table(radios.WifiNetwork).maybe(s.args.get("id"))
    if n is None:
        return (info("gone", words("This network is not saved any more", "该网络已不再保存"), ""),)
    state = words("Connected", "已连接") if n.joined else words("Saved", "已保存")
    connect = Entry(
        key="connect",
        title=words("Connect", "连接"),
        control=Do(command("settings.wifi_join", id=n.id)),
        icon="wifi",
    )
    forget = Entry(
        key="forget",
        title=words("Forget", "取消保存"),
        control=Do(open_dialog("forget_network", id=n.id)),
        icon="delete",
    )
    return (
        info("ssid", n.ssid, state, icon=_signal(n.level)),
        *(() if n.joined or not n.level else (connect,)),
        *((forget,) if n.saved else ()),
        Entry(
            key="auto_connect",
            title=words("Auto-connect", "自动连接"),
            summary=words("Allow connection to this network when in range", "在覆盖范围内允许连接到此网络"),
            control=Flip(n.auto_join, command("settings.wifi_set", id=n.id, field="auto_join")),
            icon="autorenew",
        ),
        Entry(
            key="metered",
            title=words("Treat as metered", "视为按流量计费"),
            control=Flip(n.metered, command("settings.wifi_set", id=n.id, field="metered")),
            icon="data_usage",
        ),
        info(
            "security",
            words("Security", "安全性"),
            "WPA2/WPA3-Personal" if n.secured else say(words("None", "无"), env.lang),
        ),
    )


def paired_devices(w: World, s: ScreenState, env: Env) -> Rows:
    """Devices the phone knows; touching one opens its page."""
    if not radios.bluetooth_on(w):
        return (info("bluetooth_off", "", words("Bluetooth is off", "蓝牙已关闭"), icon="info"),)
    return tuple(
        page(
            "bluetooth_device",
            d.name,
            "bluetooth_device",
            summary=words("Connected", "已连接") if d.connected else words("Saved", "已保存"),
            icon=radios.KIND_ICONS[d.kind],
            id=d.id,
        )
        for d in radios.devices(w)
    )


def new_devices(w: World, s: ScreenState, env: Env) -> Rows:
    """Devices in reach that are not paired; without Bluetooth a row that turns it on."""
    if not radios.bluetooth_on(w):
        act = command("settings.put", ns="global", key="bluetooth_on", value="1")
        title = words("Turn on Bluetooth to pair", "开启蓝牙以进行配对")
        return (Entry(key="turn_on", title=title, control=Do(act), icon="bluetooth"),)
    found = radios.devices(w, paired=False)
    return (
        Section(words("Available devices", "可用设备")),
        *(
            Entry(
                key="available_device",
                title=d.name,
                control=Do(open_dialog("pair", id=d.id)),
                icon=radios.KIND_ICONS[d.kind],
            )
            for d in found
        ),
        *(() if found else (info("none", words("No devices found", "未找到设备"), "", icon="info"),)),
    )


def device_details(w: World, s: ScreenState, env: Env) -> Rows:
    """One paired device: connect or disconnect, forget."""
    d = w.table(radios.BluetoothDevice).maybe(s.args.get("id"))
    if d is None or not d.paired:
        return (info("gone", words("This device is not paired any more", "此设备已不再配对"), ""),)
    return (
        info(
            "device",
            d.name,
            words("Connected", "已连接") if d.connected else words("Not connected", "未连接"),
            icon=radios.KIND_ICONS[d.kind],
        ),
        Entry(
            key="connect",
            title=words("Disconnect", "断开连接") if d.connected else words("Connect", "连接"),
            control=Do(command("settings.bluetooth_connect", id=d.id, value=not d.connected)),
            icon="bluetooth",
        ),
        Entry(
            key="forget",
            title=words("Forget", "取消保存"),
            control=Do(open_dialog("forget_device", id=d.id)),
            icon="delete",
        ),
    )


def services(w: World, s: ScreenState, env: Env) -> Rows:
    """The installed accessibility services."""
    on = enabled_services(w.settings)
    return tuple(
        page(
            "accessibility_service",
            service.title,
            "accessibility_service",
            summary=words("On", "已开启") if service.component in on else words("Off", "已关闭"),
            icon=service.icon,
            component=service.component,
        )
        for service in SERVICES
    )


def service(w: World, s: ScreenState, env: Env) -> Rows:
    """One accessibility service with its switch."""
    found = next((one for one in SERVICES if one.component == s.args.get("component")), SERVICES[0])
    on = found.component in enabled_services(w.settings)
    use = words(f"Use {found.title['en']}", f"使用{found.title['zh']}")
    return (
        Entry(
            key="use_service",
            title=use,
            control=Flip(on, command("settings.service", component=found.component)),
            icon=found.icon,
        ),
        Entry(key="about_service", title="", summary=found.about, control=Info(), icon="info"),
    )


def security(w: World, s: ScreenState, env: Env) -> Rows:
    """The PIN of the lock screen."""
    on = len(w.table(Credential)) > 0
    return (
        Entry(
            key="screen_pin",
            title=words("PIN", "PIN 码"),
            summary=words("On", "已开启") if on else words("Off", "已关闭"),
            control=Do(push("choose_pin")),
            icon="password",
        ),
    )


def keyboards(w: World, s: ScreenState, env: Env) -> Rows:
    """The enabled input methods; touching one makes it the keyboard."""
    current = w.settings.get("secure", "default_input_method", KEYBOARD_IME)
    enabled = [one for one in w.settings.get("secure", "enabled_input_methods").split(":") if one]
    return tuple(
        Entry(
            key="input_method",
            title=_label(w, one.partition("/")[0], env.lang),
            summary=words("Current keyboard", "当前键盘") if one == current else words("Enabled", "已启用"),
            control=Do(command("settings.put", ns="secure", key="default_input_method", value=one)),
            icon="keyboard",
        )
        for one in dict.fromkeys((KEYBOARD_IME, current, *enabled))
    )


def _label(w: World, package: str, lang: str) -> str:
    row = w.table(Package).first(name=package)
    return row.title(lang) if row is not None else package.rpartition(".")[2].capitalize()


def storage(w: World, s: ScreenState, env: Env) -> Rows:
    """What takes how much."""

    def size(count: int) -> str:
        for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
            if count >= unit:
                return f"{count / unit:.1f} {name}"
        return f"{count} B"

    used = files_bytes(w)
    total = words(f"of {size(STORAGE_BYTES)} used", f"已使用，共 {size(STORAGE_BYTES)}")
    kinds = (
        ("system", words("System", "系统"), SYSTEM_BYTES, "smartphone"),
        ("files", words("Files", "文件"), used, "folder"),
        ("free", words("Free space", "可用空间"), STORAGE_BYTES - SYSTEM_BYTES - used, "pie_chart"),
    )
    return (
        info("used", size(SYSTEM_BYTES + used), total, icon="storage"),
        *(info(key, title, size(count), icon=icon) for key, title, count, icon in kinds),
    )


def about(w: World, s: ScreenState, env: Env) -> Rows:
    """Model, version and the build number, which unlocks the developer options."""
    taps = int(s.view("taps", 0)) + 1
    return (
        info("model", words("Model", "型号"), w.settings.get("global", "device_model", "Tapwright Phone")),
        info("version", words("System version", "系统版本"), "14"),
        info("security_patch", words("Security update", "安全更新"), "2026-11-05"),
        Entry(
            key="build_number",
            title=words("Build number", "版本号"),
            summary="TW14.261121.001",
            control=Do(_count(w, taps, env)),
        ),
    )


def _count(w: World, taps: int, env: Env) -> Act:
    counted = set_view("taps", taps)
    if w.settings.flag("global", "development_settings_enabled"):
        return toast(say(words("No need, you are already a developer", "您已处于开发者模式"), env.lang))
    left = BUILD_TAPS - taps
    if left <= 0:
        unlock = command("settings.put", ns="global", key="development_settings_enabled", value="1")
        return seq(counted, unlock, toast(say(words("You are now a developer", "您现在是开发者了"), env.lang)))
    if left <= 3:
        text = words(f"{left} steps away from being a developer", f"再点按 {left} 次即可成为开发者")
        return seq(counted, toast(say(text, env.lang)))
    return counted


def reset(w: World, s: ScreenState, env: Env) -> Rows:
    """What can be put back to the state of a fresh phone."""
    return (
        Entry(
            key="reset_network",
            title=words("Reset Wi-Fi & Bluetooth", "重置 WLAN 和蓝牙设置"),
            control=Do(open_dialog("reset_network")),
            icon="wifi",
        ),
        Entry(
            key="reset_settings",
            title=words("Reset all settings", "重置所有设置"),
            control=Do(open_dialog("reset_settings")),
            icon="restart_alt",
        ),
    )


LIVE: Mapping[str, Live] = {
    **packages.LIVE,
    "wifi": networks,
    "saved_networks": saved_networks,
    "wifi_network": network_details,
    "bluetooth": paired_devices,
    "pair_device": new_devices,
    "bluetooth_device": device_details,
    "accessibility": services,
    "accessibility_service": service,
    "keyboards": keyboards,
    "security": security,
    "storage": storage,
    "about": about,
    "reset": reset,
}
"""Rows that a page adds below its fixed ones."""
