"""The overview: one card per running app, the most recent in the middle."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from device.virtual.apps.words import say, words
from device.virtual.core.package import Package
from device.virtual.ui import (
    Act,
    AppIcon,
    Box,
    Button,
    Column,
    Empty,
    Node,
    Row,
    Spacer,
    Text,
    set_view,
)

if TYPE_CHECKING:
    from device.virtual.core.app import ScreenState, TaskInfo
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

_NONE = words("No recent items", "近期没有任何内容")
_CLEAR = words("Clear all", "全部清除")
_CARD = 0.68  # share of the screen's width and height that the middle card takes, as on the launchers of 2024
_GAP = 12.0


def overview(w: World, s: ScreenState, env: Env) -> Node:
    """Cards from new to old, left of the middle one the older, right the newer; a swipe up removes a card."""
    tasks = s.system.tasks
    if not tasks:
        return Box(
            Empty("history", say(_NONE, env.lang)),
            align=("center", "center"),
            bg="surface_container",
            w=env.width_dp,
            h=env.height_dp,
            on_tap=Act("home"),
        )
    at = min(int(s.view("index", 0)), len(tasks) - 1)
    width, height = env.width_dp * _CARD, env.height_dp * _CARD
    side = (env.width_dp - width) / 2 - _GAP
    older = _peek(at + 1, tasks, w, env, side, height) if at + 1 < len(tasks) else Spacer(w=side)
    newer = _peek(at - 1, tasks, w, env, side, height) if at > 0 else Spacer(w=side)
    clear = Button(say(_CLEAR, env.lang), style="tonal", on_tap=Act("recents.clear"), id="clear_all")
    panel = Column(
        Spacer(h=env.insets[1] + 24),
        Spacer(weight=1),
        Row(older, _card(tasks[at], w, env, width, height), newer, gap=_GAP, align="center"),
        Spacer(weight=1),
        Row(Spacer(weight=1), clear, Spacer(weight=1)),
        Spacer(h=env.insets[3] + 16),
        bg="surface_container",
        align="stretch",
        w=env.width_dp,
        h=env.height_dp,
        id="overview_panel",
        swipe_up=Act("recents.remove", {"package": tasks[at].package}),
    )
    return dataclasses.replace(panel, props={**panel.props, **_turns(at, len(tasks))})


def _turns(at: int, count: int) -> dict[str, Act]:
    turns = {}
    if at + 1 < count:
        turns["swipe_right"] = set_view("index", at + 1)
    if at > 0:
        turns["swipe_left"] = set_view("index", at - 1)
    return turns


def _card(task: TaskInfo, w: World, env: Env, width: float, height: float) -> Node:
    title = _title(task, w, env)
    return Column(
        Row(_icon(task, w, 36), Text(title, style="subtitle", id="task_title"), gap=12, align="center", pad=16),
        Box(_icon(task, w, 88), align=("center", "center"), weight=1),
        align="stretch",
        bg="surface",
        radius=28,
        w=width,
        h=height,
        on_tap=Act("recents.open", {"package": task.package}),
        desc=title,
        id="task",
    )


def _peek(n: int, tasks: tuple[TaskInfo, ...], w: World, env: Env, width: float, height: float) -> Node:
    return Box(
        _icon(tasks[n], w, 36),
        align=("center", "center"),
        bg="surface",
        radius=20,
        w=width,
        h=height,
        on_tap=set_view("index", n),
        desc=_title(tasks[n], w, env),
        id="task_beside",
    )


def _title(task: TaskInfo, w: World, env: Env) -> str:
    package = w.table(Package).first(name=task.package)
    return package.title(env.lang) if package is not None else task.label


def _icon(task: TaskInfo, w: World, size: float) -> Node:
    package = w.table(Package).first(name=task.package)
    icon, hue = (package.icon, package.hue) if package is not None else ("android", 210)
    return AppIcon(icon, hue, size=size)
