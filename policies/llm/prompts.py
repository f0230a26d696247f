"""Prompts are files with named gaps; each gap is filled, and each filling has a gap."""

from __future__ import annotations

import re
from importlib.resources import files

_GAP = re.compile(r"\{\{(\w+)\}\}")


class PromptError(ValueError):
    """A prompt and what was given for it do not belong together: a mistake in the code, not in a task."""


def load(package: str, name: str) -> str:
    """The text of `prompts/NAME.txt` in that package, without a line break at its end."""
    return (files(package) / "prompts" / f"{name}.txt").read_text(encoding="utf-8").strip()


def render(template: str, **fields: str) -> str:
    """The template with each `{{name}}` replaced once; what is put in is not looked at again. Raises PromptError."""
    wanted = set(_GAP.findall(template))
    missing, unused = sorted(wanted - fields.keys()), sorted(fields.keys() - wanted)
    if missing or unused:
        raise PromptError(f"missing: {', '.join(missing) or 'none'}; unused: {', '.join(unused) or 'none'}")
    return _GAP.sub(lambda gap: fields[gap.group(1)], template)
