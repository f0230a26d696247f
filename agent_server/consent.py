"""Pictures of somebody's screen leave this machine only for hosts that its owner has named."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from agent_server.service import PolicyInfo, Registry
from policies.base import Policy
from policies.errors import PolicyError

HERE = frozenset({"localhost", "127.0.0.1", "::1"})


class ConsentMissing(PolicyError):
    """The policy would send pictures to a host that nobody agreed to."""

    code = "consent-missing"


class Consented:
    """A registry that makes no policy whose pictures would go to a host that is not among `hosts`.

    A model on this machine needs no consent. Asked when a run is handed in and again when it starts, for settings
    may have changed between the two.
    """

    def __init__(self, registry: Registry, hosts: Collection[str]) -> None:
        self._registry = registry
        self._hosts = frozenset(hosts)

    def names(self) -> Sequence[PolicyInfo]:
        return self._registry.names()

    def create(self, name: str, params: Mapping[str, Any]) -> Policy:
        """Raises ConsentMissing naming the host, UnknownPolicy, PolicyError."""
        policy = self._registry.create(name, params)
        host = policy.needs.remote_host
        if host and host not in self._hosts and _name(host) not in HERE | self._hosts:
            raise ConsentMissing(
                f"The policy {name!r} would send pictures of the phone's screen to {host}.",
                advice=f"If the phone's owner agrees, start the server with TAPWRIGHT_REMOTE_HOSTS={_name(host)}",
            )
        return policy

    def check(self, name: str, params: Mapping[str, Any], goal: str) -> None:
        self.create(name, params)
        self._registry.check(name, params, goal)


def _name(host: str) -> str:
    """The host without its port."""
    return urlsplit(f"//{host}").hostname or host
