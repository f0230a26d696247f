"""What a virtual phone refuses, and what to do instead.

PhoneError
├── UnknownPackage      no such package is installed
├── UnknownActivity     the package has no such activity
├── NoSuchScreen        the app has no screen of that name
├── UnknownAct          a handler names nothing the phone can do
├── UnmappedCharacter   the key map has no key for a character
├── UnknownInputMethod  no such input method is installed
├── StaleNode           the node is no longer on the screen
└── WrongClock          the call fits the other clock mode
"""

from __future__ import annotations


class PhoneError(Exception):
    """The virtual phone cannot do what was asked."""


class UnknownPackage(PhoneError):
    def __init__(self, package: str, installed: tuple[str, ...] = ()) -> None:
        known = f"; installed are {', '.join(sorted(installed))}" if installed else ""
        super().__init__(f"no package {package!r} is installed{known}")
        self.package = package


class UnknownActivity(PhoneError):
    def __init__(self, component: str, activities: tuple[str, ...]) -> None:
        super().__init__(f"no activity {component!r}; the package has {', '.join(activities) or 'none'}")
        self.component = component


class NoSuchScreen(PhoneError):
    def __init__(self, package: str, screen: str, screens: tuple[str, ...]) -> None:
        super().__init__(
            f"{package} has no screen {screen!r}; it has {', '.join(screens) or 'none'}: mark a method with @screen"
        )


class UnknownAct(PhoneError):
    def __init__(self, name: str) -> None:
        super().__init__(f"no act {name!r}: use a constructor of ui.node or name a world command as app.command")


class UnmappedCharacter(PhoneError):
    """Typed text contains characters that the US key map has no key for; nothing was typed."""

    def __init__(self, character: str) -> None:
        super().__init__(f"no key types U+{ord(character):04X}: use commit_text, paste or set_text for such text")
        self.character = character


class UnknownInputMethod(PhoneError):
    def __init__(self, id: str, known: tuple[str, ...]) -> None:
        super().__init__(f"no input method {id!r}; installed are {', '.join(known)}")


class StaleNode(PhoneError):
    def __init__(self) -> None:
        super().__init__("the node is no longer on the screen: read windows() again")


class WrongClock(PhoneError):
    def __init__(self, call: str, mode: str) -> None:
        super().__init__(f"{call} needs a {mode} clock")
