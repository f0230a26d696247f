"""The permission controller: the dialog in which an app asks for a permission, an activity of a package of its own.

Ids and order of the buttons are those of Android 11 and later (packages/modules/Permission, grant_permissions.xml).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from device.virtual.apps.words import Words, say, words
from device.virtual.core.app import App, ScreenState, screen
from device.virtual.core.package import Package
from device.virtual.ui import Act, Box, Button, Column, Dialog, Icon, Node, Spacer, Text

if TYPE_CHECKING:
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

PERMISSION_CONTROLLER = "com.android.permissioncontroller"
GRANT_ACTIVITY = ".permission.ui.GrantPermissionsActivity"

_PREFIX = "android.permission."
_WHILE_IN_USE = ("CAMERA", "RECORD_AUDIO", "ACCESS_FINE_LOCATION", "ACCESS_COARSE_LOCATION")
"""Permissions that may be given for one time, or while the app is in use (PermissionGroup, backgroundPermission)."""

_ASKED: Mapping[str, tuple[str, Words]] = {
    "CAMERA": ("photo_camera", words("take pictures and record video", "拍摄照片和录制视频")),
    "RECORD_AUDIO": ("mic", words("record audio", "录制音频")),
    "ACCESS_FINE_LOCATION": ("location_on", words("access this device's location", "获取此设备的位置信息")),
    "ACCESS_COARSE_LOCATION": ("location_on", words("access this device's location", "获取此设备的位置信息")),
    "READ_CONTACTS": ("contacts", words("access your contacts", "访问您的通讯录")),
    "WRITE_CONTACTS": ("contacts", words("access your contacts", "访问您的通讯录")),
    "POST_NOTIFICATIONS": ("notifications", words("send you notifications", "向您发送通知")),
    "READ_CALENDAR": ("calendar_today", words("access your calendar", "访问您的日历")),
    "SEND_SMS": ("sms", words("send and view SMS messages", "发送和查看短信")),
    "CALL_PHONE": ("call", words("make and manage phone calls", "拨打电话和管理通话")),
    "READ_MEDIA_IMAGES": ("photo_library", words("access photos and videos", "访问照片和视频")),
}
_ALLOW, _DENY = words("Allow", "允许"), words("Don't allow", "不允许")
_IN_USE, _ONCE = words("While using the app", "使用时允许"), words("Only this time", "仅限这一次")


class PermissionController(App):
    """One screen: the dialog for the arguments `package` and `permission`."""

    package = PERMISSION_CONTROLLER
    label = words("Permission controller", "权限控制器")
    name = "permissioncontroller"
    icon = "key"
    activities: ClassVar[Mapping[str, str]] = {GRANT_ACTIVITY: "grant"}
    system = True
    launchable = False
    floating = True

    @screen("grant")
    def grant(self, w: World, s: ScreenState, env: Env) -> Node:
        """Icon, question and the choices below each other."""
        asked = str(s.args["permission"])
        short = asked.removeprefix(_PREFIX)
        icon, does = _ASKED.get(short, ("key", words(f"use {short}", f"使用 {short}")))
        row = w.table(Package).first(name=str(s.args["package"]))
        app = row.title(env.lang) if row is not None else str(s.args["package"])
        question = words(f"Allow {app} to {does['en']}?", f"要允许“{app}”{does['zh']}吗？")
        refused = row is not None and row.flags.get(asked) == "USER_SET" and asked not in row.granted
        choices = [_choice(*one, env) for one in _choices(short, refused=refused)]
        body = Column(
            Box(Icon(icon, color="primary", id="permission_icon"), align=("center", "center")),
            Text(say(question, env.lang), style="title", align="center", id="permission_message"),
            Spacer(h=8),
            Column(*choices, align="stretch", gap=4),
            align="stretch",
            gap=12,
            id="content_container",
        )
        return replace(Dialog("", body, id="grant_dialog"), cls="android.widget.LinearLayout")


def _choices(permission: str, *, refused: bool) -> list[tuple[str, str, Words]]:
    """Id, answer and words of each choice; the second refusal of the same permission is for good."""
    deny = "permission_deny_and_dont_ask_again_button" if refused else "permission_deny_button"
    if permission in _WHILE_IN_USE:
        return [
            ("permission_allow_foreground_only_button", "allow", _IN_USE),
            ("permission_allow_one_time_button", "once", _ONCE),
            (deny, "deny", _DENY),
        ]
    return [("permission_allow_button", "allow", _ALLOW), (deny, "deny", _DENY)]


def _choice(id: str, answer: str, label: Words, env: Env) -> Node:
    return Button(say(label, env.lang), style="tonal", on_tap=Act("permission.answer", {"answer": answer}), id=id, h=56)
