"""All commands the phone knows. What is not here is `inaccessible or not found`, and journalled as unknown."""

from __future__ import annotations

from collections.abc import Mapping

from device.virtual.adbd.shell import (
    activity,
    basics,
    dumpsys,
    files,
    input,
    logcat,
    network,
    package,
    screen,
    server,
    settings,
    text,
)
from device.virtual.adbd.shell.command import Command

COMMANDS: Mapping[str, Command] = {
    **activity.COMMANDS,
    **basics.COMMANDS,
    **dumpsys.COMMANDS,
    **files.COMMANDS,
    **input.COMMANDS,
    **logcat.COMMANDS,
    **network.COMMANDS,
    **package.COMMANDS,
    **screen.COMMANDS,
    **server.COMMANDS,
    **settings.COMMANDS,
    **text.COMMANDS,
}
