"""The commands `am` and `monkey`: starting and stopping apps, broadcasts, in the words of Android's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from device.virtual.adbd import filesystem
from device.virtual.adbd.shell.command import STDERR, Call, Command, Console
from device.virtual.adbd.shell.installed import full_class, home_package
from device.virtual.errors import PhoneError
from device.virtual.phone import VirtualPhone

EXCEPTION = 255
MAIN, VIEW = "android.intent.action.MAIN", "android.intent.action.VIEW"
HOME, LAUNCHER = "android.intent.category.HOME", "android.intent.category.LAUNCHER"
LAUNCH_SECONDS = 10.0
"""After this long Android reports a launch that has not ended as timed out."""
NO_ACTIVITIES = 252
"""Exit status of monkey without an activity to run (-4)."""


@dataclass(slots=True, kw_only=True)
class Intent:
    """What the options of `am` spell out."""

    action: str = ""
    data: str = ""
    categories: list[str] = field(default_factory=list)
    component: str = ""
    package: str = ""
    extras: dict[str, str | int | float | bool] = field(default_factory=dict)
    stop: bool = False

    def __str__(self) -> str:
        parts = [f"act={self.action}"] if self.action else []
        parts += [f"cat=[{','.join(self.categories)}]"] if self.categories else []
        parts += [f"dat={self.data}"] if self.data else []
        parts += [f"pkg={self.package}"] if self.package and not self.component else []
        parts += [f"cmp={self.component}"] if self.component else []
        parts += ["(has extras)"] if self.extras else []
        return f"Intent {{ {' '.join(parts)} }}"


class _BadOption(Exception):
    """An option `am` does not know, or one without its value."""


_FLAGS = {
    "-W",
    "-D",
    "-N",
    "-R",
    "--streaming",
    "--track-allocation",
    "--task-overlay",
    "--lock-task",
    "--allow-background",
}
_VALUES = {"-f", "-t", "--user", "--display", "--windowingMode", "--activityType", "-P", "-i", "--receiver-permission"}
_EXTRAS: dict[str, Callable[[str], str | int | float | bool]] = {
    "--es": str,
    "-e": str,
    "--ei": int,
    "--el": int,
    "--ef": float,
    "--ez": lambda text: text.lower() in ("true", "t", "1"),
    "--eu": str,
}


def parse_intent(words: list[str]) -> Intent:
    """The intent that options and operands spell; raises _BadOption."""
    intent, args = Intent(), list(words)

    def value(option: str) -> str:
        if not args:
            raise _BadOption(f'java.lang.IllegalArgumentException: Argument expected after "{option}"')
        return args.pop(0)

    while args:
        word = args.pop(0)
        if word == "-a":
            intent.action = value(word)
        elif word == "-d":
            intent.data = value(word)
        elif word == "-c":
            intent.categories.append(value(word))
        elif word == "-n":
            intent.component = value(word)
        elif word == "-p":
            intent.package = value(word)
        elif word in _EXTRAS:
            key = value(word)
            try:
                intent.extras[key] = _EXTRAS[word](text := value(word))
            except ValueError:
                raise _BadOption(f'java.lang.NumberFormatException: For input string: "{text}"') from None
        elif word == "--esn":
            intent.extras[value(word)] = ""
        elif word == "-S":
            intent.stop = True
        elif word in _VALUES:
            value(word)
        elif word in _FLAGS or word.startswith(("--activity-", "--grant-", "--include-", "--receiver-")):
            continue
        elif word.startswith("-"):
            raise _BadOption(f"java.lang.IllegalArgumentException: Unknown option: {word}")
        else:
            _operand(intent, word)
    return intent


def _operand(intent: Intent, word: str) -> None:
    if ":" in word:
        intent.data, intent.action = word, intent.action or VIEW
    elif "/" in word:
        intent.component = word
    else:
        intent.package, intent.action = word, intent.action or MAIN
        intent.categories = intent.categories or [LAUNCHER]


def am(phone: VirtualPhone, call: Call) -> int:
    if not call.args:
        return call.fail("usage: am [start|force-stop|broadcast|kill]", 1)
    name, *args = call.args
    run = _COMMANDS.get(name)
    if run is None:
        phone.journal.append("unknown", {"command": "am", "args": [name]})
        return call.fail(f"Unknown command: {name}", EXCEPTION)
    try:
        return run(phone, call, args)
    except _BadOption as error:
        call.complain("", f"Exception occurred while executing '{name}':", str(error))
        return EXCEPTION


def _start(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    """Like Android 14 it ends with status 0 whatever happens: the text alone tells."""
    intent = parse_intent(args)
    package, _, activity = intent.component.partition("/")
    call.say(f"Starting: {intent}")
    if intent.stop and package:
        _force(phone, package)
    target = package or _implicit(phone, intent)
    if target is None:
        unresolved = str(intent).removesuffix(" }") + " flg=0x10000000 }"
        call.complain(f"Error: Activity not started, unable to resolve {unresolved}")
        return 0
    action = "" if package or intent.action == MAIN else intent.action
    result = phone.start(target, activity, intent.data, intent.extras, action=action)
    if not result.ok:
        call.complain("Error type 3")
        call.complain(f"Error: Activity class {{{target}/{full_class(target, activity)}}} does not exist.")
        return 0
    if result.text:
        call.complain(result.text)
    return 0


async def start_and_wait(console: Console, call: Call) -> int:
    """`am start -W`: tells how long the app took until the screen stood still."""
    before = await console.host.run(lambda phone: phone.clock.now_ms())
    status = await console.host.run(lambda phone: am(phone, call))
    errors = b"".join(data for fd, data in call.chunks if fd == STDERR)
    if status or b"Error" in errors:
        return status
    await console.host.until(lambda phone: not phone.animating, LAUNCH_SECONDS)
    (package, activity), now = await console.host.run(lambda phone: (phone.foreground, phone.clock.now_ms()))
    call.say("Status: ok", f"LaunchState: {'UNKNOWN (0)' if errors else 'COLD'}", f"Activity: {package}/{activity}")
    call.say(f"TotalTime: {round(now - before)}", f"WaitTime: {round(now - before)}", "Complete")
    return 0


def _implicit(phone: VirtualPhone, intent: Intent) -> str | None:
    """The package that answers an intent without a component."""
    if intent.package:
        return intent.package if phone.resolve(intent.package) else None
    if intent.action == MAIN and HOME in intent.categories:
        return home_package(phone)
    return phone.match(intent.action, intent.data)


def _force(phone: VirtualPhone, package: str) -> None:
    try:
        phone.force_stop(package)
    except PhoneError:  # Android stops what is not there without a word
        return


def _force_stop(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    names = [word for at, word in enumerate(args) if word != "--user" and (not at or args[at - 1] != "--user")]
    if not names:
        raise _BadOption('java.lang.IllegalArgumentException: Argument expected after "force-stop"')
    for name in names[:1]:
        _force(phone, name)
    return 0


def _kill_all(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    for _, package in phone.running():
        if package not in (phone.foreground[0], home_package(phone), "com.android.systemui"):
            _force(phone, package)
    return 0


def _broadcast(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    """Only the keyboard for programs listens; every other broadcast reaches nobody, which is a result of 0."""
    intent = parse_intent(args)
    shown = str(intent).replace("Intent { ", "Intent { flg=0x400000 ", 1)
    call.say(f"Broadcasting: {shown}")
    extras = {key: value for key, value in intent.extras.items() if isinstance(value, str | int)}
    reply = call.hand(phone).ime_broadcast(intent.action, extras)
    data = f', data="{reply.data}"' if reply.data else ""
    call.say(f"Broadcast completed: result={reply.result}{data}")
    return 0


def _current_user(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    call.say("0")
    return 0


_Sub = Callable[[VirtualPhone, Call, list[str]], int]
_COMMANDS: dict[str, _Sub] = {
    "start": _start,
    "start-activity": _start,
    "force-stop": _force_stop,
    "stop-app": _force_stop,
    "kill": _force_stop,
    "kill-all": _kill_all,
    "broadcast": _broadcast,
    "get-current-user": _current_user,
}


def monkey(phone: VirtualPhone, call: Call) -> int:
    """`monkey -p P -c android.intent.category.LAUNCHER 1`: how programs launch an app without knowing its activity.

    Like the real one it leaves the phone turning with its sensor. More events than one would be random: refused.
    """
    package, count, args = "", "", list(call.args)
    while args:
        word = args.pop(0)
        if word == "-p" and args:
            package = args.pop(0)
        elif word in ("-c", "-s", "--throttle", "--pct-touch", "--pct-syskeys") and args:
            args.pop(0)
        elif not word.startswith("-"):
            count = word
    if not count.isdigit():
        return call.fail("** Error: Count not specified", EXCEPTION)
    component = phone.resolve(package) if package else phone.resolve(home_package(phone))
    if component is None:
        call.say("** No activities found to run, monkey aborted.")
        return NO_ACTIVITIES
    if int(count) > 1:
        phone.journal.append("unknown", {"command": "monkey", "args": [count]})
        return call.fail("** Error: the virtual phone injects no random events", EXCEPTION)
    phone.start(component.partition("/")[0])
    filesystem.put_setting(phone, "system", "accelerometer_rotation", "1")
    call.say("Events injected: 1", "## Network stats: elapsed time=9ms (0ms mobile, 0ms wifi, 9ms not connected)")
    return 0


COMMANDS: dict[str, Command] = {
    "am": Command(am, start_and_wait, waits=lambda args: "-W" in args),
    "monkey": Command(monkey),
}
