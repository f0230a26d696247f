"""The system's dialogs about an app that does not respond or has stopped.

Ids and words are Android's (frameworks/base, app_anr_dialog.xml and app_error_dialog.xml); the window belongs to the
package "android".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from device.virtual.apps.words import Words, say, words
from device.virtual.core.package import Package
from device.virtual.ui import Act, Button, Column, Dialog, Node, Row, Spacer

if TYPE_CHECKING:
    from device.virtual.core.app import ScreenState
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

_CLOSE, _WAIT = words("Close app", "关闭应用"), words("Wait", "等待")
_INFO = words("App info", "应用信息")


def error_dialog(w: World, s: ScreenState, env: Env) -> Node:
    """Title and the two choices below each other."""
    row = w.table(Package).first(name=s.system.error_package)
    app = row.title(env.lang) if row is not None else s.system.error_package
    if s.system.error == "anr":
        title = words(f"{app} isn't responding", f"{app}没有响应")
        choices = (("aerr_close", "close", _CLOSE, "close"), ("aerr_wait", "wait", _WAIT, "schedule"))
    else:
        stopped = words(f"{app} has stopped", f"{app}已停止运行")
        title = words(f"{app} keeps stopping", f"{app}屡次停止运行") if s.system.error_again else stopped
        choices = (("aerr_app_info", "info", _INFO, "info"), ("aerr_close", "close", _CLOSE, "close"))
    buttons = (_choice(*one, env) for one in choices)
    return Dialog(say(title, env.lang), Column(*buttons, align="stretch"), id="parentPanel")


def _choice(id: str, choice: str, label: Words, icon: str, env: Env) -> Node:
    button = Button(
        say(label, env.lang), style="text", icon=icon, color="on_surface", on_tap=Act(f"error.{choice}"), id=id
    )
    return Row(button, Spacer(weight=1))
