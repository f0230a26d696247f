"""Pages about apps: the list, one app, permissions and notifications."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from device.virtual.apps.settings.model import Do, Entry, Flip, Live, Rows, Section, info, page
from device.virtual.apps.words import Words, words
from device.virtual.core.package import Package
from device.virtual.ui import Act, command, open_dialog, start

if TYPE_CHECKING:
    from device.virtual.core.app import ScreenState
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

POST_NOTIFICATIONS = "android.permission.POST_NOTIFICATIONS"

GROUPS: Mapping[str, tuple[Words, str]] = {
    "android.permission.ACCESS_COARSE_LOCATION": (words("Approximate location", "大致位置"), "location_on"),
    "android.permission.ACCESS_FINE_LOCATION": (words("Location", "位置信息"), "location_on"),
    "android.permission.CAMERA": (words("Camera", "相机"), "photo_camera"),
    "android.permission.RECORD_AUDIO": (words("Microphone", "麦克风"), "mic"),
    "android.permission.READ_CONTACTS": (words("Read contacts", "读取通讯录"), "contacts"),
    "android.permission.WRITE_CONTACTS": (words("Change contacts", "修改通讯录"), "contacts"),
    "android.permission.READ_CALENDAR": (words("Read calendar", "读取日历"), "calendar_month"),
    "android.permission.WRITE_CALENDAR": (words("Change calendar", "修改日历"), "calendar_month"),
    "android.permission.CALL_PHONE": (words("Phone", "电话"), "call"),
    "android.permission.SEND_SMS": (words("Send messages", "发送短信"), "chat"),
    "android.permission.READ_SMS": (words("Read messages", "读取短信"), "chat"),
    "android.permission.READ_MEDIA_IMAGES": (words("Photos", "照片"), "image"),
    "android.permission.READ_MEDIA_AUDIO": (words("Music and audio", "音乐和音频"), "music_note"),
    POST_NOTIFICATIONS: (words("Notifications", "通知"), "notifications"),
}
"""The permissions that a person can give and take: title and icon."""


def visible(w: World) -> list[Package]:
    """Packages with a place in the launcher, by label."""
    return sorted((p for p in w.table(Package).all() if p.launchable), key=lambda p: p.label.casefold())


def _of(w: World, s: ScreenState) -> Package | None:
    name = s.args.get("app") or str(s.args.get("data", "")).removeprefix("package:")
    return w.table(Package).first(name=name)


def apps(w: World, s: ScreenState, env: Env) -> Rows:
    """Every app; touching one opens its page."""
    found = visible(w)
    return (
        page("permission_manager", words("Permission manager", "权限管理器"), "permission_manager", icon="key"),
        Section(words(f"All apps ({len(found)})", f"所有应用 ({len(found)})")),
        *(page("app", p.title(env.lang), "app_info", summary=p.version_name, icon=p.icon, app=p.name) for p in found),
    )


def app_info(w: World, s: ScreenState, env: Env) -> Rows:
    """One app: open, permissions, version."""
    p = _of(w, s)
    if p is None:
        return (info("gone", words("This app is not installed", "此应用未安装"), ""),)
    asked, granted = _askable(p), [one for one in _askable(p) if one in p.granted]
    told = words(f"{len(granted)} of {len(asked)} allowed", f"已允许 {len(granted)} 项，共 {len(asked)} 项")
    none = words("No permissions requested", "未请求任何权限")
    permissions = (
        page("permissions", words("Permissions", "权限"), "app_permissions", summary=told, icon="key", app=p.name)
        if asked
        else info("permissions", words("Permissions", "权限"), none, icon="key")
    )
    return (
        info("app", p.title(env.lang), p.name, icon=p.icon),
        Entry(key="open", title=words("Open", "打开"), control=Do(start(p.name)), icon="open_in_new"),
        Entry(
            key="force_stop",
            title=words("Force stop", "强行停止"),
            control=Do(Act("app.stop", {"package": p.name})),
            icon="block",
        ),
        permissions,
        *(_notification_rows(p) if POST_NOTIFICATIONS in p.permissions else ()),
        Entry(
            key="clear_storage",
            title=words("Clear storage", "清除存储空间"),
            control=Do(open_dialog("clear_app", app=p.name)),
            icon="clear_all",
        ),
        *(() if p.system else (_uninstall(p),)),
        info("version", words("Version", "版本"), p.version_name, icon="info"),
    )


def _uninstall(p: Package) -> Entry:
    ask = Do(open_dialog("uninstall", app=p.name))
    return Entry(key="uninstall", title=words("Uninstall", "卸载"), control=ask, icon="delete")


def _askable(p: Package) -> list[str]:
    return [one for one in p.permissions if one in GROUPS]


def _notification_rows(p: Package) -> Rows:
    flip = _flip(p, POST_NOTIFICATIONS)
    return (Entry(key="notifications", title=GROUPS[POST_NOTIFICATIONS][0], control=flip, icon="notifications"),)


def _flip(p: Package, permission: str) -> Flip:
    return Flip(permission in p.granted, command("settings.permission", package=p.name, permission=permission))


def app_permissions(w: World, s: ScreenState, env: Env) -> Rows:
    """What one app asks for, each with a switch."""
    p = _of(w, s)
    if p is None:
        return ()
    return (
        Section(words(p.title("en"), p.title("zh"))),
        *(
            Entry(key="permission", title=GROUPS[one][0], control=_flip(p, one), icon=GROUPS[one][1])
            for one in _askable(p)
        ),
    )


def app_notifications(w: World, s: ScreenState, env: Env) -> Rows:
    """The apps that ask to post notifications, each with a switch."""
    return _askers(w, env, POST_NOTIFICATIONS)


def permission_manager(w: World, s: ScreenState, env: Env) -> Rows:
    """Permissions that some app asks for, with how many have them."""
    rows = []
    for permission, (title, icon) in GROUPS.items():
        asking = [p for p in visible(w) if permission in p.permissions]
        count = sum(permission in p.granted for p in asking)
        told = words(f"{count} of {len(asking)} apps allowed", f"已允许 {count} 个应用，共 {len(asking)} 个")
        if asking:
            rows.append(page("permission_group", title, "permission", summary=told, icon=icon, permission=permission))
    return tuple(rows)


def permission(w: World, s: ScreenState, env: Env) -> Rows:
    """The apps that ask for one permission, each with a switch."""
    name = s.args.get("permission", "")
    if name not in GROUPS:
        return ()
    return (Section(GROUPS[name][0]), *_askers(w, env, name))


def _askers(w: World, env: Env, permission: str) -> Rows:
    rows = tuple(
        Entry(key="app", title=p.title(env.lang), control=_flip(p, permission), icon=p.icon)
        for p in visible(w)
        if permission in p.permissions
    )
    return rows or (info("none", words("No app asks for this permission", "没有应用请求此权限"), "", icon="info"),)


def set_permission(w: World, package: str, name: str, allowed: bool) -> None:
    """Give or take a permission that the package asks for; raises ValueError for others."""
    row = w.table(Package).first(name=package)
    if row is None or name not in row.permissions:
        raise ValueError(f"package {package!r} does not ask for {name}: see its page in Settings > Apps")
    kept = tuple(one for one in row.granted if one != name)
    w.table(Package).update(row.id, granted=(*kept, name) if allowed else kept)


LIVE: Mapping[str, Live] = {
    "apps": apps,
    "app_info": app_info,
    "app_permissions": app_permissions,
    "app_notifications": app_notifications,
    "permission_manager": permission_manager,
    "permission": permission,
}
