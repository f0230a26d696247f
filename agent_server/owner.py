"""What the phone's owner has agreed to, and the secrets they keep here."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from agent_server import secrets
from agent_server.consent import Consent, Consents
from agent_server.errors import NotFound, SecretWrittenOut
from agent_server.secrets import Vault


class Owner:
    """Consents and secrets, as the API and the command line ask for them."""

    def __init__(self, consents: Consents, vault: Vault) -> None:
        self._consents = consents
        self._vault = vault

    async def consents(self, serial: str | None = None) -> tuple[Consent, ...]:
        """Which phones' pictures may go to which hosts, beside those that the settings name."""
        return await self._consents.listed(serial)

    async def revoke(self, serial: str, host: str) -> None:
        """Take a consent back: a run at work asks anew before its next step. Raises NotFound."""
        if not await self._consents.revoke(serial, host):
            raise NotFound(
                f"Nobody has agreed that pictures of {serial} go to {host}.", advice="GET /v1/consents lists them."
            )

    def secrets(self) -> tuple[str, ...]:
        """Their names. Raises SecretsUnreadable."""
        return self._vault.names()

    async def keep(self, name: str, value: str) -> None:
        """Keep a secret, in place of the one of that name. Raises InvalidRequest, SecretsUnreadable."""
        await asyncio.to_thread(self._vault.put, name, value)

    async def forget(self, name: str) -> None:
        """Raises NotFound, SecretsUnreadable."""
        await asyncio.to_thread(self._vault.delete, name)

    def check_words(self, words: Mapping[str, Any]) -> None:
        """What people write names secrets that there are, and quotes none. Raises UnknownSecret, SecretWrittenOut.

        `words` is plain data by the names of the request's fields.
        """
        kept = self._vault.names()
        for field, value in words.items():
            missing = sorted(secrets.names_in(value) - set(kept))
            if missing:
                raise secrets.unknown(missing[0], kept, pointer=f"/{field}")
            quoted = self._vault.written_out_in(value)
            if quoted:
                raise SecretWrittenOut(
                    f"The request quotes the value of the secret {quoted!r}; it has not been kept.",
                    advice=f"Write {secrets.reference(quoted)} in its place.",
                    pointer=f"/{field}",
                )
