"""What the model is shown and asked for: the settings, and the published experiments as files of settings."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

from perception import tags
from policies.errors import PolicyError

SummaryMode = Literal["turn", "fused"]
PromptName = Literal["detail", "baseline", "think"]


class BadSetting(PolicyError):
    """A setting of the policy is wrong; the message names it."""

    code = "bad-policy-params"


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """What the model is shown and asked for.

    `text`: the list of elements besides the pictures. `history`: the model's own summary and what became of the
    last action. `summary`: "turn" asks for it in a second turn, as the paper does; "fused" with the action.
    `tags`: how numbers are drawn. `prompt`: what is said besides the task, after the paper's table 5. `describe`: the
    model first says in words what it would do, on the plain picture, and then names the number, as the paper's
    section 4 takes the two apart. `width`: pixels of the pictures' shorter side.
    """

    text: bool = False
    history: bool = True
    summary: SummaryMode = "turn"
    tags: tags.Style = "placed"
    prompt: PromptName = "detail"
    describe: bool = False
    width: int = 540
    max_tokens: int = 4096

    def __post_init__(self) -> None:
        if not 200 <= self.width <= 2000:
            # Claude reads badly under 200 px on any edge; over 2000 no provider shows the picture as it is.
            raise BadSetting(f"width must be 200 to 2000 pixels, not {self.width}.")
        if self.max_tokens < 64:
            raise BadSetting(f"max_tokens must be at least 64, not {self.max_tokens}.")

    @property
    def fused(self) -> bool:
        return self.history and self.summary == "fused"

    @property
    def reflects(self) -> bool:
        """Whether the summary is a turn of its own."""
        return self.history and self.summary == "turn"


DEFAULT = Style()


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """One row of the paper's tables as settings. `overall`: the score printed there, in percent; None for none."""

    name: str
    row: str
    overall: float | None
    settings: Mapping[str, Any]


_CHOICES: Mapping[str, tuple[str, ...]] = {
    "summary": get_args(SummaryMode),
    "tags": get_args(tags.Style),
    "prompt": get_args(PromptName),
}
_KINDS: Mapping[str, tuple[type, str]] = {
    "text": (bool, "true or false"),
    "history": (bool, "true or false"),
    "describe": (bool, "true or false"),
    "width": (int, "a whole number"),
    "max_tokens": (int, "a whole number"),
}
_ROW: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "row": (str, "a text"),
    "overall": ((int, float), "a number"),
}


def settle(preset: str | None, **given: object) -> Style:
    """The preset's settings with those that were given in their place; None is not given. Raises BadSetting."""
    chosen = {name: value for name, value in given.items() if value is not None}
    _check(chosen)
    return Style(**{**(_named(preset).settings if preset is not None else {}), **chosen})


def read(name: str, text: str) -> Preset:
    """A preset from TOML: `[paper]` names the row, `[settings]` has fields of `Style`. Raises BadSetting."""
    try:
        data = tomllib.loads(text)
        _closed(data, {"paper", "settings"}, "the file")
        _closed(data["paper"], set(_ROW), "paper")
        require(_ROW, data["paper"])
        if "row" not in data["paper"]:
            raise BadSetting("paper must name its row.")
        _closed(data["settings"], set(_CHOICES) | set(_KINDS), "settings")
        _check(data["settings"])
        Style(**data["settings"])
    except (tomllib.TOMLDecodeError, BadSetting) as error:
        raise BadSetting(f"The preset {name} is wrong: {error}") from error
    return Preset(name=name, row=data["paper"]["row"], overall=data["paper"].get("overall"), settings=data["settings"])


@cache
def presets() -> Mapping[str, Preset]:
    """Those that come with the policy, by name. Raises BadSetting."""
    folder = files(__package__) / "presets"
    found = sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))
    return {name: read(name, (folder / f"{name}.toml").read_text(encoding="utf-8")) for name in found}


def choose_from(allowed: tuple[str, ...], **given: object) -> None:
    """Raise BadSetting unless each is one of them."""
    for name, value in given.items():
        if value not in allowed:
            raise BadSetting(f"{name} must be one of {', '.join(allowed)}, not {value!r}.")


def require(kinds: Mapping[str, tuple[type | tuple[type, ...], str]], given: Mapping[str, object]) -> None:
    """Raise BadSetting unless each is of its kind. Settings come as JSON or TOML, where types are not a given."""
    for name, value in given.items():
        kind, called = kinds[name]
        # true is no number.
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise BadSetting(f"{name} must be {called}, not {value!r}.")


def _named(name: object) -> Preset:
    known = presets()
    if not isinstance(name, str) or name not in known:
        raise BadSetting(f"There is no preset {name!r}.", advice=f"Choose one of: {', '.join(known)}.")
    return known[name]


def _check(settings: Mapping[str, object]) -> None:
    for name, value in settings.items():
        if name in _CHOICES:
            choose_from(_CHOICES[name], **{name: value})
    require(_KINDS, {name: value for name, value in settings.items() if name not in _CHOICES})


def _closed(data: object, known: set[str], what: str) -> None:
    if not isinstance(data, Mapping):
        raise BadSetting(f"{what} must be a table.")
    unknown = sorted(data.keys() - known)
    missing = {"paper", "settings"} & known - data.keys()
    if unknown or missing:
        raise BadSetting(f"{what}: unknown or missing: {', '.join([*unknown, *sorted(missing)])}.")
