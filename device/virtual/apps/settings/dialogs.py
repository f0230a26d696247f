"""The dialogs of the settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from device.virtual.apps.settings import radios
from device.virtual.apps.settings.model import Choice, Typed
from device.virtual.apps.settings.pages import entry_of
from device.virtual.apps.settings.render import cancel, choice_dialog, confirm_dialog, typed_dialog
from device.virtual.apps.words import say, words
from device.virtual.core.package import Package
from device.virtual.ui import (
    Act,
    Button,
    Checkbox,
    Column,
    Dialog,
    Node,
    TextField,
    back,
    close_dialog,
    command,
    seq,
    toggle_view,
)

if TYPE_CHECKING:
    from device.virtual.core.app import ScreenState, View
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

_PASSWORD = words("Password", "密码")
_SHOW = words("Show password", "显示密码")
_CONNECT = words("Connect", "连接")
_FORGET = words("Forget", "取消保存")
_NAME = words("Network name", "网络名称")


def choice(w: World, s: ScreenState, env: Env) -> Node:
    """The options of the entry `key` of the page `page`."""
    entry = entry_of(s.args["page"], s.args["key"])
    if not isinstance(entry.control, Choice):
        raise TypeError(f"entry {entry.key} of page {s.args['page']} offers no choice")
    return choice_dialog(entry, entry.control, w, env)


def typed(w: World, s: ScreenState, env: Env) -> Node:
    """The text field of the entry `key` of the page `page`."""
    entry = entry_of(s.args["page"], s.args["key"])
    if not isinstance(entry.control, Typed):
        raise TypeError(f"entry {entry.key} of page {s.args['page']} takes no text")
    return typed_dialog(entry, entry.control, w, s, env)


def wifi_password(w: World, s: ScreenState, env: Env) -> Node:
    """Asks for the password of a secured network; Connect waits for eight characters."""
    network = w.table(radios.WifiNetwork).get(s.args["id"])
    join = seq(command("settings.wifi_join", id=network.id, password=s.field("wifi_password")), close_dialog())
    return Dialog(
        network.ssid,
        _password_field(s, env),
        (cancel(env), _connect(join, len(s.field("wifi_password")) >= radios.PASSWORD_MIN, env)),
    )


def add_network(w: World, s: ScreenState, env: Env) -> Node:
    """Name and password of a network that is not in the list; without a password it is an open one."""
    ssid, password = s.field("ssid").strip(), s.field("wifi_password")
    join = seq(command("settings.wifi_add", ssid=ssid, password=password), close_dialog())
    label = say(_NAME, env.lang)
    return Dialog(
        say(words("Add network", "添加网络"), env.lang),
        Column(TextField("ssid", label=label, id="ssid"), _password_field(s, env), align="stretch", gap=16),
        (cancel(env), _connect(join, bool(ssid) and (not password or len(password) >= radios.PASSWORD_MIN), env)),
    )


def _password_field(s: ScreenState, env: Env) -> Node:
    shown = bool(s.view("show_password", False))
    return Column(
        TextField("wifi_password", label=say(_PASSWORD, env.lang), kind="text" if shown else "password", id="password"),
        Checkbox(shown, toggle_view("show_password"), text=say(_SHOW, env.lang), id="show_password"),
        align="stretch",
        gap=8,
    )


def _connect(act: Act, enabled: bool, env: Env) -> Node:
    return Button(say(_CONNECT, env.lang), style="text", on_tap=act, enabled=enabled, id="button1")


def forget_network(w: World, s: ScreenState, env: Env) -> Node:
    """Asks before a saved network is forgotten."""
    ssid = w.table(radios.WifiNetwork).get(s.args["id"]).ssid
    return confirm_dialog(
        words("Forget network?", "要取消保存该网络吗？"),
        words(f"The password of {ssid} will be deleted.", f"系统将删除“{ssid}”的密码。"),
        _FORGET,
        seq(back(), command("settings.wifi_forget", id=s.args["id"])),
        env,
    )


def pair(w: World, s: ScreenState, env: Env) -> Node:
    """Asks before a device is paired and shows the code that both sides must agree on."""
    device = w.table(radios.BluetoothDevice).get(s.args["id"])
    code = f"{(device.id * 271_829 + w.seed * 31_415) % 1_000_000:06d}"
    return confirm_dialog(
        words(f"Pair with {device.name}?", f"要与{device.name}配对吗？"),
        words(f"Bluetooth pairing code: {code}", f"蓝牙配对码：{code}"),
        words("Pair", "配对"),
        seq(command("settings.bluetooth_pair", id=device.id), back()),
        env,
    )


def forget_device(w: World, s: ScreenState, env: Env) -> Node:
    """Asks before a paired device is forgotten."""
    name = w.table(radios.BluetoothDevice).get(s.args["id"]).name
    return confirm_dialog(
        words("Forget device?", "要取消保存该设备吗？"),
        words(f"Your phone will no longer be paired with {name}.", f"您的手机将不再与{name}配对。"),
        _FORGET,
        seq(back(), command("settings.bluetooth_forget", id=s.args["id"])),
        env,
    )


def reset_network(w: World, s: ScreenState, env: Env) -> Node:
    """Asks before networks and devices are forgotten."""
    return confirm_dialog(
        words("Reset Wi-Fi & Bluetooth?", "要重置 WLAN 和蓝牙设置吗？"),
        words("All saved networks and paired devices will be forgotten.", "系统将清除所有已保存的网络和已配对的设备。"),
        words("Reset", "重置"),
        command("settings.reset_network"),
        env,
    )


def reset_settings(w: World, s: ScreenState, env: Env) -> Node:
    """Asks before every setting of the pages gets its first value back."""
    return confirm_dialog(
        words("Reset all settings?", "要重置所有设置吗？"),
        words("Settings return to those of a fresh phone. Your data stays.", "设置将恢复为初始状态，您的数据会保留。"),
        words("Reset", "重置"),
        command("settings.reset_settings"),
        env,
    )


def clear_app(w: World, s: ScreenState, env: Env) -> Node:
    """Asks before an app loses its data."""
    return confirm_dialog(
        words("Clear storage?", "要清除存储空间吗？"),
        words("All data of this app will be permanently deleted.", "系统将永久删除此应用的所有数据。"),
        words("Clear", "清除"),
        Act("app.clear", {"package": s.args["app"]}),
        env,
    )


def uninstall(w: World, s: ScreenState, env: Env) -> Node:
    """Asks before an app is removed."""
    row = w.table(Package).first(name=s.args["app"])
    name = row.title(env.lang) if row is not None else s.args["app"]
    return confirm_dialog(
        words(f"Uninstall {name}?", f"要卸载{name}吗？"),
        words("The app and its data will be removed from this phone.", "系统将从这部手机中移除该应用及其数据。"),
        words("Uninstall", "卸载"),
        seq(back(), Act("app.uninstall", {"package": s.args["app"]})),
        env,
    )


DIALOGS: Mapping[str, View] = {
    "choice": choice,
    "typed": typed,
    "wifi_password": wifi_password,
    "add_network": add_network,
    "forget_network": forget_network,
    "pair": pair,
    "forget_device": forget_device,
    "clear_app": clear_app,
    "uninstall": uninstall,
    "reset_network": reset_network,
    "reset_settings": reset_settings,
}
