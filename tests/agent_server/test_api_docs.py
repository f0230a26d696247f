from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_server import errors
from agent_server.errors import DataFolderInUse, ServiceError
from agent_server.runs.model import EventType, OutcomeCode, RunState
from tests.agent_server.wire import served

DOCUMENT = (Path(__file__).parents[2] / "docs" / "api.md").read_text()


def kinds(of: type[ServiceError]) -> Iterator[type[ServiceError]]:
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


@pytest.mark.parametrize("name", [*EventType, *OutcomeCode, *RunState])
def test_every_event_type_outcome_and_state_is_documented(name: str) -> None:
    assert f"`{name}`" in DOCUMENT


@pytest.mark.parametrize("kind", [kind for kind in kinds(ServiceError) if kind is not DataFolderInUse])
def test_every_refusal_is_documented_with_its_status(kind: type[ServiceError]) -> None:
    (line,) = [
        line for line in DOCUMENT.splitlines() if line.startswith("|") and f"`{kind.code}`" in line.split("|")[1]
    ]
    assert str(kind.status) in line.split("|")[2]


def test_the_tree_of_errors_is_drawn_in_their_module() -> None:
    for kind in kinds(ServiceError):
        assert kind.__name__ in (errors.__doc__ or ""), kind


@pytest.mark.anyio
async def test_every_route_is_documented(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        paths = (await api.client.get("/v1/openapi.json")).json()["paths"]
    for path, methods in paths.items():
        for method in methods:
            assert f"`{method.upper()} {path}`" in DOCUMENT, (method, path)
