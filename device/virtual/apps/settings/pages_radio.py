"""Pages about connections: Network & internet and Connected devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from device.virtual.apps.settings import radios
from device.virtual.apps.settings.model import Entry, Info, Page, Section, Setting, Typed, choice, info, page, switch
from device.virtual.apps.words import say, words

if TYPE_CHECKING:
    from device.virtual.core.world import World

WIFI = words("Wi-Fi", "WLAN")


def _internet(w: World, lang: str) -> str:
    joined = radios.joined(w)
    if joined is not None:
        return joined.ssid
    if radios.wifi_on(w):
        return say(words("Not connected", "未连接"), lang)
    return say(words("Off", "已关闭"), lang)


def _bluetooth(w: World, lang: str) -> str:
    if not radios.bluetooth_on(w):
        return say(words("Off", "已关闭"), lang)
    names = [d.name for d in radios.devices(w) if d.connected]
    return ", ".join(names) if names else say(words("On", "已开启"), lang)


def _saved(w: World, lang: str) -> str:
    count = sum(n.saved for n in radios.networks(w))
    return say(words(f"{count} network{'s' * (count != 1)}", f"{count} 个网络"), lang)


def _hotspot(w: World, lang: str) -> str:
    on = w.settings.get("global", "tether_enabled", "0") == "1"
    return say(words("On", "已开启") if on else words("Off", "已关闭"), lang)


NETWORK = Page(
    name="network",
    title=words("Network & internet", "网络和互联网"),
    rows=(
        page("wifi", WIFI, "wifi", summary=_internet, icon="wifi"),
        page("mobile", words("SIMs", "SIM 卡"), "mobile", summary="Fable Mobile", icon="sim_card"),
        switch(
            "airplane_mode",
            words("Airplane mode", "飞行模式"),
            "global",
            "airplane_mode_on",
            icon="airplanemode_active",
        ),
        page(
            "hotspot",
            words("Hotspot & tethering", "热点和网络共享"),
            "hotspot",
            summary=_hotspot,
            icon="wifi_tethering",
        ),
        page("data_saver", words("Data Saver", "流量节省程序"), "data_saver", icon="data_saver_on"),
        choice(
            "private_dns",
            words("Private DNS", "私人 DNS"),
            "global",
            "private_dns_mode",
            "opportunistic",
            (
                ("off", words("Off", "关闭")),
                ("opportunistic", words("Automatic", "自动")),
                ("hostname", words("Private DNS provider hostname", "私人 DNS 提供商主机名")),
            ),
            icon="dns",
        ),
    ),
)

WIFI_PAGE = Page(
    name="wifi",
    title=WIFI,
    rows=(
        switch("use_wifi", words("Use Wi-Fi", "使用 WLAN"), "global", "wifi_on", True, icon="wifi"),
        page("wifi_preferences", words("Network preferences", "网络偏好设置"), "wifi_preferences", icon="settings"),
        page(
            "saved_networks", words("Saved networks", "已保存的网络"), "saved_networks", summary=_saved, icon="bookmark"
        ),
    ),
)

WIFI_PREFERENCES = Page(
    name="wifi_preferences",
    title=words("Network preferences", "网络偏好设置"),
    rows=(
        switch(
            "wifi_wakeup",
            words("Turn on Wi-Fi automatically", "自动开启 WLAN"),
            "global",
            "wifi_wakeup_enabled",
            True,
            summary=words("Near high-quality saved networks, like your home network", "在信号好的已保存网络附近开启"),
        ),
        switch(
            "wifi_notify",
            words("Notify for public networks", "公共网络通知"),
            "global",
            "wifi_networks_available_notification_on",
            True,
            summary=words("Notify when a high-quality public network is available", "有可用的优质公共网络时通知我"),
        ),
    ),
)

SAVED_NETWORKS = Page(name="saved_networks", title=words("Saved networks", "已保存的网络"))
WIFI_NETWORK = Page(name="wifi_network", title=words("Network details", "网络详情"))

MOBILE = Page(
    name="mobile",
    title=words("SIMs", "SIM 卡"),
    rows=(
        info("operator", words("Operator", "运营商"), "Fable Mobile", icon="sim_card"),
        switch("mobile_data", words("Mobile data", "移动数据"), "global", "mobile_data", True),
        switch(
            "roaming",
            words("Roaming", "漫游"),
            "global",
            "data_roaming",
            summary=words("Connect to data services when roaming", "漫游时使用数据服务"),
        ),
        choice(
            "network_type",
            words("Preferred network type", "首选网络类型"),
            "global",
            "preferred_network_mode",
            "26",
            (("26", "5G"), ("12", "LTE"), ("3", "3G"), ("1", "2G")),
        ),
    ),
)

HOTSPOT = Page(
    name="hotspot",
    title=words("Hotspot & tethering", "热点和网络共享"),
    rows=(
        switch("use_hotspot", words("Wi-Fi hotspot", "WLAN 热点"), "global", "tether_enabled"),
        Entry(
            key="hotspot_name",
            title=words("Hotspot name", "热点名称"),
            control=Typed(setting=Setting("global", "hotspot_name", "Tapwright hotspot")),
        ),
        Entry(
            key="hotspot_password",
            title=words("Hotspot password", "热点密码"),
            control=Typed(setting=Setting("global", "hotspot_password", "paper-lantern-31"), kind="password"),
        ),
        switch(
            "hotspot_timeout",
            words("Turn off hotspot automatically", "自动关闭热点"),
            "global",
            "soft_ap_timeout_enabled",
            True,
            summary=words("When no devices are connected", "没有设备连接时"),
        ),
    ),
)

DATA_SAVER = Page(
    name="data_saver",
    title=words("Data Saver", "流量节省程序"),
    rows=(
        switch("use_data_saver", words("Use Data Saver", "使用流量节省程序"), "global", "data_saver_enabled"),
        Entry(
            key="data_saver_about",
            title="",
            summary=words(
                "Data Saver keeps apps in the background from using mobile data.",
                "流量节省程序会阻止后台应用使用移动数据。",
            ),
            control=Info(),
            icon="info",
        ),
    ),
)

CONNECTED = Page(
    name="connected_devices",
    title=words("Connected devices", "已连接的设备"),
    rows=(
        page("pair_device", words("Pair new device", "与新设备配对"), "pair_device", icon="add"),
        page("bluetooth", words("Bluetooth", "蓝牙"), "bluetooth", summary=_bluetooth, icon="bluetooth"),
        switch(
            "nfc",
            words("Use NFC", "使用 NFC"),
            "global",
            "nfc_on",
            True,
            summary=words("Exchange data with devices that touch the phone", "与碰触手机的设备交换数据"),
            icon="nfc",
        ),
        switch(
            "nearby_share",
            words("Visible to nearby devices", "对附近设备可见"),
            "secure",
            "nearby_sharing_visible",
            icon="devices",
        ),
    ),
)

BLUETOOTH = Page(
    name="bluetooth",
    title=words("Bluetooth", "蓝牙"),
    rows=(
        switch("use_bluetooth", words("Use Bluetooth", "使用蓝牙"), "global", "bluetooth_on", icon="bluetooth"),
        page("pair_device", words("Pair new device", "与新设备配对"), "pair_device", icon="add"),
        Entry(
            key="bluetooth_name",
            title=words("Device name", "设备名称"),
            control=Typed(setting=Setting("secure", "bluetooth_name", "Tapwright Phone")),
            icon="smartphone",
        ),
        Section(words("Saved devices", "已保存的设备")),
    ),
)

PAIR_DEVICE = Page(name="pair_device", title=words("Pair new device", "与新设备配对"))
BLUETOOTH_DEVICE = Page(name="bluetooth_device", title=words("Device details", "设备详情"))

PAGES = (
    NETWORK,
    WIFI_PAGE,
    WIFI_PREFERENCES,
    SAVED_NETWORKS,
    WIFI_NETWORK,
    MOBILE,
    HOTSPOT,
    DATA_SAVER,
    CONNECTED,
    BLUETOOTH,
    PAIR_DEVICE,
    BLUETOOTH_DEVICE,
)
