"""Where a model is, and what opens it.

Keys come from the environment, from the variables that the providers' own tools read, and go only to the address
that the same environment (or nobody) names: a run that brings an address of its own gets no key with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from policies.llm.errors import Rejected, Unauthorized

ProviderName = Literal["openai", "anthropic"]
_HOMES: Mapping[ProviderName, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
}
_NO_KEY = "none"
"""Sent where no key is needed: the SDKs insist on having one."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A base address without a path to any method, and a key."""

    base_url: str
    key: str = field(default=_NO_KEY, repr=False)

    @property
    def host(self) -> str:
        """Host, and port unless it is the scheme's own: how people are told where pictures go."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]


def endpoint(provider: ProviderName, base_url: str, environment: Mapping[str, str]) -> Endpoint:
    """The address of a run or of the environment, else the provider's own. Raises Unauthorized, Rejected."""
    if base_url:
        return Endpoint(_checked(base_url, "base_url"))
    prefix = provider.upper()
    key = environment.get(f"{prefix}_API_KEY", "")
    if not key:
        raise Unauthorized(
            f"There is no key for {provider}.",
            advice=f"Set {prefix}_API_KEY in the environment of the server, or give base_url for a server without key.",
        )
    address = environment.get(f"{prefix}_BASE_URL", "")
    return Endpoint(_checked(address, f"{prefix}_BASE_URL") if address else _HOMES[provider], key)


def _checked(address: str, name: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Rejected(
            f"{name} must be an http or https address, not {address!r}.", advice="For example http://127.0.0.1:8000/v1"
        )
    return address.rstrip("/")
