"""How long a phone takes for each kind of command, in the phone's own time: on a manual clock it costs nothing.

Sources of the figures: the reference on real devices, section B, with its projects and numbers. A command takes part
of its time before it has its effect (a Java machine starts, a picture is taken) and part after (a picture is encoded).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from device.virtual.faults.fault import BadFault
from device.virtual.faults.wire import Operation

COMMANDS: Mapping[str, str] = {
    "input": "input",
    "uiautomator": "tree",
    "am": "start",
    "activity": "start",
    "monkey": "start",
    "dumpsys": "dumpsys",
}
BUILTINS = frozenset({":", "[", "echo", "false", "printf", "pwd", "sleep", "test", "true"})
"""What the shell does by itself, without starting a program."""

METHODS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "click",
            "longClick",
            "clickAndWaitForNewWindow",
            "drag",
            "dragTo",
            "swipe",
            "swipePoints",
            "gesture",
            "pinchIn",
            "pinchOut",
            "injectInputEvent",
            "pressKey",
            "pressKeyCode",
        ),
        "input",
    ),
    **dict.fromkeys(("setText", "clearTextField", "pasteClipboard", "clearInputText"), "text"),
    "takeScreenshot": "capture",
    "dumpWindowHierarchy": "tree",
    "launchApp": "start",
}


def shell_operation(name: str, args: tuple[str, ...]) -> Operation:
    """What a shell command asks for; `cmd` is what it calls."""
    if name == "cmd" and args:
        name, args = args[0], args[1:]
    if name == "screencap":
        encoded = "-p" in args or any(word.endswith(".png") for word in args)
        return Operation(path="shell", name=name, group="capture" if encoded else "raw")
    group = "builtin" if name in BUILTINS else COMMANDS.get(name, "other")
    return Operation(path="shell", name=name, group=group)


def rpc_operation(method: str) -> Operation:
    """What a method of the automation server asks for."""
    return Operation(path="u2", name=method, group=METHODS.get(method, "other"))


FRAMEBUFFER = Operation(path="framebuffer", name="framebuffer", group="raw")


@dataclass(frozen=True, slots=True)
class Delay:
    """Milliseconds before the effect, after it, and for each element of a tree."""

    before: float = 0.0
    after: float = 0.0
    per_element: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """A phone's delays by path and group; what is not named takes no time."""

    name: str
    delays: Mapping[tuple[str, str], Delay] = field(default_factory=dict)

    def of(self, operation: Operation) -> Delay:
        return self.delays.get((operation.path, operation.group), _NONE)


_NONE = Delay()
_LATENCIES = (
    Latency(name="none"),
    # A phone of today. input 226 ms (mobilecli#286), a JVM before the event. screencap -p 450 ms (midscene#1842), raw
    # 250 to 300 ms (arkHelper#16). uiautomator dump 2.1 to 2.2 s (mobilecli#286). Injection in a running process
    # 5.6 ms (scrcpy#231). u2's frame as minicap's and scrcpy's, about 100 ms; its dump 0.1 s and more with the tree.
    # am like input, since both start a program that talks to the system. dumpsys and the rest: a process start, of
    # which nobody has published a figure; ours.
    Latency(
        name="phone",
        delays={
            ("shell", "input"): Delay(220, 6),
            ("shell", "capture"): Delay(100, 350),
            ("shell", "raw"): Delay(100, 175),
            ("framebuffer", "raw"): Delay(100, 175),
            ("shell", "tree"): Delay(1300, 850),
            ("shell", "start"): Delay(226),
            ("shell", "dumpsys"): Delay(40),
            ("shell", "other"): Delay(20),
            ("u2", "input"): Delay(6),
            ("u2", "text"): Delay(6),
            ("u2", "capture"): Delay(30, 70),
            ("u2", "tree"): Delay(100, 0, 1.5),
            ("u2", "start"): Delay(20),
            ("u2", "other"): Delay(2),
        },
    ),
    # An old one: input up to 1 s (scrcpy#231), screencap -p 1.5 to 2 s of which 250 ms is the capture (scrcpy#112,
    # #469, #3345), dumps of 6 s and more (u2#867); the rest four times a phone of today, as these are.
    Latency(
        name="slow",
        delays={
            ("shell", "input"): Delay(975, 25),
            ("shell", "capture"): Delay(250, 1500),
            ("shell", "raw"): Delay(250, 850),
            ("framebuffer", "raw"): Delay(250, 850),
            ("shell", "tree"): Delay(3000, 3000),
            ("shell", "start"): Delay(1000),
            ("shell", "dumpsys"): Delay(160),
            ("shell", "other"): Delay(80),
            ("u2", "input"): Delay(25),
            ("u2", "text"): Delay(25),
            ("u2", "capture"): Delay(120, 280),
            ("u2", "tree"): Delay(400, 0, 6),
            ("u2", "start"): Delay(80),
            ("u2", "other"): Delay(8),
        },
    ),
)
LATENCIES: Mapping[str, Latency] = {latency.name: latency for latency in _LATENCIES}


def latency(name: str) -> Latency:
    """The model of that name; raises BadFault with the known names."""
    if name not in LATENCIES:
        raise BadFault(f"no latency {name!r}; known are {', '.join(LATENCIES)}")
    return LATENCIES[name]
