"""The ground: what the files in the root promise."""

from __future__ import annotations

import ast
import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("agent_server", "device", "perception", "policies")


def sources() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def test_cv2_has_one_owner() -> None:
    assert set(packages_distributions()["cv2"]) == {"opencv-python-headless"}


def test_every_core_dependency_is_pinned_in_the_constraints() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {re.split("==", line)[0].lower().replace("_", "-") for line in lines if "==" in line}
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {re.split(r"[\[<>=]", one)[0].strip().lower().replace("_", "-") for one in wanted}
    assert names <= pinned, f"not pinned: {sorted(names - pinned)}"


def test_files_and_functions_stay_small() -> None:
    long_files = [f"{path}: {n}" for path in sources() if (n := path.read_text().count("\n")) > 500]
    long_functions = [
        f"{path}:{node.lineno} {node.name}"
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno >= 80
    ]
    assert not long_files and not long_functions


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    forbidden = {"utils", "util", "common", "helpers", "helper", "manager", "misc"}
    assert not [path for path in sources() if path.stem in forbidden]


def test_every_file_that_the_promises_name_exists() -> None:
    text = (ROOT / "docs/promises.md").read_text()
    named = set(re.findall(r"`((?:tests|benchmarks|docs|agent_server|device|perception|policies)/[\w./-]+)`", text))
    assert named, "the promises name their proofs"
    assert not [name for name in named if not (ROOT / name).exists()]


def test_every_picture_and_page_that_the_readme_shows_exists() -> None:
    text = (ROOT / "README.md").read_text()
    targets = [target for target in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in target]
    assert targets
    assert not [target for target in targets if not (ROOT / target).exists()]


def test_the_package_ships_its_types() -> None:
    assert not [package for package in PACKAGES if not (ROOT / package / "py.typed").exists()]
