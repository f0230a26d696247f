"""Settings: one screen per page of the tables, the search over all of them, the dialogs and the commands."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from device.virtual.apps.settings import packages, radios
from device.virtual.apps.settings.dialogs import DIALOGS
from device.virtual.apps.settings.live import LIVE
from device.virtual.apps.settings.model import Page, Rows, Section
from device.virtual.apps.settings.pages import ABOVE, PAGES, ROOT, settings
from device.virtual.apps.settings.pages_screen import WALLPAPERS
from device.virtual.apps.settings.render import draw_page, draw_row, large_title
from device.virtual.apps.settings.search import breadcrumb, found
from device.virtual.apps.words import language, say, words
from device.virtual.core.accessibility import enabled_services, put_services
from device.virtual.core.app import App, ScreenState, View, command, screen
from device.virtual.core.package import Credential
from device.virtual.ui import (
    Act,
    Box,
    Button,
    Column,
    Empty,
    Grid,
    Icon,
    IconButton,
    ListItem,
    Node,
    Picture,
    Row,
    Scaffold,
    Scroll,
    SearchBar,
    Spacer,
    Text,
    TextField,
    TopBar,
    back,
    push,
    toast,
)
from device.virtual.ui import command as do

if TYPE_CHECKING:
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

_SEARCH = words("Search settings", "搜索设置")
_SHORT = words(
    f"The password needs at least {radios.PASSWORD_MIN} characters", f"密码至少需要 {radios.PASSWORD_MIN} 个字符"
)
_RESET_NETWORK = words("Wi-Fi and Bluetooth have been reset", "WLAN 和蓝牙设置已重置")
_RESET = words("Settings have been reset", "设置已重置")
_NOTHING = words("No results", "无结果")
_SET_PIN, _SAVE = words("Set a PIN", "设置 PIN 码"), words("Save", "保存")
_OLD_PIN, _NEW_PIN = words("Current PIN", "当前 PIN 码"), words("New PIN", "新 PIN 码")
_REMOVE_PIN = words("Remove PIN", "移除 PIN 码")
_PIN_LEAST, _PIN_MOST = 4, 16  # digits, as the lock takes them (see power.py)
_PIN_RULE = words(f"A PIN has at least {_PIN_LEAST} digits", f"PIN 码至少需要 {_PIN_LEAST} 位数字")


class Settings(App):
    """The settings app. Tables: `WifiNetwork`, `BluetoothDevice`; everything else lives in the world's settings."""

    package = "com.android.settings"
    label = words("Settings", "设置")
    icon = "settings"
    hue = 262
    version = "14"
    version_code = 34
    system = True
    activities: ClassVar[Mapping[str, str]] = {
        ".Settings": "root",
        ".Settings$NetworkDashboardActivity": "network",
        ".Settings$WifiSettingsActivity": "wifi",
        ".Settings$ConnectedDeviceDashboardActivity": "connected_devices",
        ".Settings$BluetoothSettingsActivity": "bluetooth",
        ".Settings$ManageApplicationsActivity": "apps",
        ".Settings$ConfigureNotificationSettingsActivity": "notifications",
        ".Settings$ZenModeSettingsActivity": "do_not_disturb",
        ".Settings$PowerUsageSummaryActivity": "battery",
        ".Settings$StorageDashboardActivity": "storage",
        ".Settings$SoundSettingsActivity": "sound",
        ".Settings$DisplaySettingsActivity": "display",
        ".Settings$WallpaperSettingsActivity": "wallpaper",
        ".Settings$AccessibilitySettingsActivity": "accessibility",
        ".Settings$SecurityDashboardActivity": "security",
        ".Settings$PrivacySettingsActivity": "privacy",
        ".Settings$LocationSettingsActivity": "location",
        ".Settings$LanguageAndInputSettingsActivity": "languages",
        ".Settings$DateTimeSettingsActivity": "date_time",
        ".Settings$DevelopmentSettingsDashboardActivity": "developer",
        ".Settings$MyDeviceInfoActivity": "about",
        ".SettingsSearch": "search",
        ".AppInfo": "app_info",
    }
    intents: ClassVar[Mapping[str, str]] = {
        "android.settings.SETTINGS": "root",
        "android.settings.WIRELESS_SETTINGS": "network",
        "android.settings.WIFI_SETTINGS": "wifi",
        "android.settings.BLUETOOTH_SETTINGS": "bluetooth",
        "android.settings.APPLICATION_SETTINGS": "apps",
        "android.settings.APPLICATION_DETAILS_SETTINGS": "app_info",
        "android.settings.NOTIFICATION_SETTINGS": "notifications",
        "android.settings.BATTERY_SAVER_SETTINGS": "battery_saver",
        "android.settings.INTERNAL_STORAGE_SETTINGS": "storage",
        "android.settings.SOUND_SETTINGS": "sound",
        "android.settings.DISPLAY_SETTINGS": "display",
        "android.settings.ACCESSIBILITY_SETTINGS": "accessibility",
        "android.settings.SECURITY_SETTINGS": "security",
        "android.settings.PRIVACY_SETTINGS": "privacy",
        "android.settings.LOCATION_SOURCE_SETTINGS": "location",
        "android.settings.LOCALE_SETTINGS": "languages",
        "android.settings.INPUT_METHOD_SETTINGS": "keyboards",
        "android.settings.DATE_SETTINGS": "date_time",
        "android.settings.APPLICATION_DEVELOPMENT_SETTINGS": "developer",
        "android.settings.DEVICE_INFO_SETTINGS": "about",
        "android.settings.APP_SEARCH_SETTINGS": "search",
    }

    def screens(self) -> Mapping[str, View]:
        """The pages, the dialogs, and the screens with a look of their own."""
        pages: dict[str, View] = {name: partial(_page, one) for name, one in PAGES.items()}
        return {**pages, **DIALOGS, **super().screens()}

    def seed(self, w: World, rng: random.Random) -> None:
        """The value of every setting on a fresh phone, where nothing is stored yet; networks and devices."""
        for setting in settings():
            if not w.settings.has(setting.ns, setting.key):
                w.settings.put(setting.ns, setting.key, setting.default)
        if not w.settings.has("secure", "wallpaper"):
            w.settings.put("secure", "wallpaper", "1")
        radios.seed(w, rng)

    @command
    def put(self, w: World, *, ns: str, key: str, value: bool | float | str, on: str = "1", off: str = "0") -> None:
        """Store a setting. A truth value becomes the text `on` or `off`, a number is rounded to a whole one."""
        if isinstance(value, bool):
            value = on if value else off
        elif not isinstance(value, str):
            value = str(round(value))
        w.settings.put(ns, key, value)

    @command
    def wifi_join(self, w: World, *, id: int, password: str = "") -> Act | None:
        """Save a network and use it."""
        if not radios.join(w, id, password):
            return toast(say(_SHORT, language(w)))
        return None

    @command
    def wifi_add(self, w: World, *, ssid: str, password: str = "") -> None:
        """Save a network that is not in reach; one of that name in reach is joined instead."""
        known = w.table(radios.WifiNetwork).first(ssid=ssid)
        if known is not None:
            radios.join(w, known.id, password)
        else:
            w.table(radios.WifiNetwork).add(ssid=ssid, level=0, secured=bool(password), saved=True, password=password)

    @command
    def wifi_forget(self, w: World, *, id: int) -> None:
        """Drop a saved network."""
        radios.forget(w, id)

    @command
    def wifi_set(self, w: World, *, id: int, field: str, value: bool) -> None:
        """Switch `auto_join` or `metered` of a network."""
        if field not in ("auto_join", "metered"):
            raise ValueError(f"a network's field must be auto_join or metered, not {field!r}")
        w.table(radios.WifiNetwork).update(id, **{field: value})

    @command
    def bluetooth_pair(self, w: World, *, id: int) -> None:
        """Pair with a device and connect it."""
        w.table(radios.BluetoothDevice).update(id, paired=True, connected=True)

    @command
    def bluetooth_connect(self, w: World, *, id: int, value: bool) -> None:
        """Connect or disconnect a paired device."""
        w.table(radios.BluetoothDevice).update(id, connected=value)

    @command
    def bluetooth_forget(self, w: World, *, id: int) -> None:
        """Forget a paired device."""
        w.table(radios.BluetoothDevice).update(id, paired=False, connected=False)

    @command
    def service(self, w: World, *, component: str, value: bool) -> None:
        """Switch an accessibility service; the others keep their places."""
        others = [one for one in enabled_services(w.settings) if one != component]
        put_services(w.settings, [*others, component] if value else others)

    @command
    def permission(self, w: World, *, package: str, permission: str, value: bool) -> None:
        """Give or take a permission."""
        packages.set_permission(w, package, permission, value)

    @command
    def reset_network(self, w: World) -> Act:
        """Forget all networks and devices."""
        for network in w.table(radios.WifiNetwork).find(saved=True):
            radios.forget(w, network.id)
        for device in w.table(radios.BluetoothDevice).find(paired=True):
            w.table(radios.BluetoothDevice).update(device.id, paired=False, connected=False)
        return toast(say(_RESET_NETWORK, language(w)))

    @command
    def reset_settings(self, w: World) -> Act:
        """Give every setting of the pages the value of a fresh phone."""
        for setting in settings():
            w.settings.put(setting.ns, setting.key, setting.default)
        return toast(say(_RESET, language(w)))

    @screen("root")
    def root(self, w: World, s: ScreenState, env: Env) -> Node:
        """Large title, the search pill, and the pages."""
        pill = SearchBar(hint=say(_SEARCH, env.lang), on_tap=push("search"), id="search_action_bar")
        rows = (draw_row("root", row, w, env) for row in ROOT.rows)
        return Scaffold(
            body=Scroll(
                Spacer(h=40),
                large_title(say(ROOT.title, env.lang)),
                Box(pill, pad=(16, 0, 16, 12)),
                *rows,
                Spacer(h=24),
                key="root",
            )
        )

    @screen("search")
    def search(self, w: World, s: ScreenState, env: Env) -> Node:
        """Entries of all pages whose title holds the words of the query."""
        query = s.field("query")
        everything = ((one, _rows(one, w, s, env)) for one in PAGES.values())
        hits = found(everything, query, env.lang)
        rows = (
            ListItem(
                say(hit.entry.title, env.lang),
                summary=breadcrumb(hit, PAGES, ABOVE, env.lang),
                icon=hit.entry.icon or "settings",
                on_tap=push(hit.target.page, **hit.target.args),
                id="search_result",
            )
            for hit in hits
        )
        empty = Empty("search", say(_NOTHING if query.strip() else _SEARCH, env.lang))
        bar = Row(
            IconButton("arrow_back", desc=say(words("Navigate up", "向上导航"), env.lang), on_tap=back()),
            SearchBar("query", say(_SEARCH, env.lang), weight=1, id="search_src_text"),
            align="center",
            pad=(4, 8, 16, 8),
        )
        found_it = Scaffold(top=bar, body=Scroll(*rows, key="results") if hits else empty)
        return dataclasses.replace(found_it, props={**found_it.props, "autofocus": "query"})

    @screen("choose_pin")
    def choose_pin(self, w: World, s: ScreenState, env: Env) -> Node:
        """Sets, changes or removes the PIN of the lock screen. Nothing of this page may be captured."""
        known = len(w.table(Credential)) > 0
        old, new = s.field("old_pin"), s.field("new_pin")
        fits = new.isdigit() and _PIN_LEAST <= len(new) <= _PIN_MOST
        save = Act("lock.set", {"kind": "pin", "pin": new, "old": old})
        remove = Act("lock.set", {"kind": "swipe", "pin": "", "old": old})
        fields = [TextField("new_pin", label=say(_NEW_PIN, env.lang), kind="password", id="password_entry")]
        if known:
            old_label = say(_OLD_PIN, env.lang)
            fields.insert(0, TextField("old_pin", label=old_label, kind="password", id="current_password"))
        removal = (Button(say(_REMOVE_PIN, env.lang), style="text", on_tap=remove, id="remove_pin"),) if known else ()
        body = Column(
            Text(say(_PIN_RULE, env.lang), style="body_small", color="on_surface_variant", id="description"),
            *fields,
            Row(*removal, Spacer(weight=1), Button(say(_SAVE, env.lang), on_tap=save, enabled=fits, id="next_button")),
            align="stretch",
            gap=16,
            pad=(24, 8, 24, 24),
        )
        top = TopBar(say(_SET_PIN, env.lang), on_nav=back())
        return Scaffold(top=top, body=Scroll(body, key="choose_pin"), secure=True)

    @screen("wallpaper")
    def wallpapers(self, w: World, s: ScreenState, env: Env) -> Node:
        """The wallpapers; touching one takes it."""
        chosen = w.settings.get("secure", "wallpaper", "1")
        columns = 2 if env.width_dp < 600 else 4
        width = (env.width_dp - 32 - 16 * (columns - 1)) / columns
        tiles = (
            Box(
                Picture(kind="wallpaper", seed=n, w=width, h=width * 1.6, radius=20),
                *((Icon("check_circle", size=32, color="white", filled=True),) if chosen == str(n) else ()),
                align=("center", "center"),
                desc=say(words(f"Wallpaper {n}", f"壁纸 {n}"), env.lang),
                selected=chosen == str(n),
                on_tap=do("settings.put", ns="secure", key="wallpaper", value=str(n)),
                id=f"wallpaper_{n}",
            )
            for n in range(1, WALLPAPERS + 1)
        )
        title = large_title(say(PAGES["wallpaper"].title, env.lang))
        return Scaffold(
            top=TopBar("", on_nav=back()),
            body=Scroll(title, Column(Grid(*tiles, columns=columns, gap=16), pad=(16, 0, 16, 24)), key="wallpaper"),
        )


def _rows(one: Page, w: World, s: ScreenState, env: Env) -> Rows:
    """The rows that are shown now: the fixed ones, then the live ones."""
    live = LIVE.get(one.name)
    rows = one.rows + (live(w, s, env) if live is not None else ())
    return tuple(row for row in rows if isinstance(row, Section) or row.shown is None or row.shown(w))


def _page(one: Page, w: World, s: ScreenState, env: Env) -> Node:
    return draw_page(one, _rows(one, w, s, env), w, env)
