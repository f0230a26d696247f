"""`python -m benchmarks [--quick] [--check] [--write FILE]`: all figures, as Markdown tables."""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import driver, link, live, odyssey, overlap, phone, step
from benchmarks.figures import Figure, table

Measure = Callable[[Path, int], list[Figure]]

GROUPS: dict[str, tuple[str, Measure, int, int]] = {
    "link": ("Talking to a phone", link.measure, 40, 8),
    "driver": ("Driving a phone", driver.measure, 20, 4),
    "phone": ("The virtual phone", phone.measure, 200, 40),
    "step": ("One step, phase by phase", step.measure, 3, 1),
    "overlap": ("Looking back at a step while the phone acts", overlap.measure, 9, 3),
    "live": ("Watching a phone", live.measure, 5, 2),
    "odyssey": ("OdysseyAgent", odyssey.measure, 7, 1),
}
"""Group -> title, function, repetitions in full, repetitions with --quick."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("groups", nargs="*", help=f"which: {', '.join(GROUPS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    parser.add_argument("--check", action="store_true", help="fail when a ratio misses its aim by more than half")
    parser.add_argument("--write", type=Path, help="also write the tables to this Markdown file")
    options = parser.parse_args()
    unknown = sorted(set(options.groups) - set(GROUPS))
    if unknown:
        parser.error(f"no such group: {', '.join(unknown)}; there are {', '.join(GROUPS)}")
    failed: list[Figure] = []
    pages = []
    for name in options.groups or GROUPS:
        title, measure, full, quick = GROUPS[name]
        with tempfile.TemporaryDirectory(prefix="tapwright-bench-") as folder:
            figures = measure(Path(folder), quick if options.quick else full)
        failed += [one for one in figures if not one.holds]
        pages.append(table(title, figures))
        print(pages[-1], flush=True)
    if options.write:
        options.write.write_text(_page(pages))
    for one in failed:
        print(f"misses its aim: {one.what}: {one.ratio:.2f} instead of {one.aim}", file=sys.stderr)
    return 1 if failed and options.check else 0


def _page(pages: list[str]) -> str:
    machine = f"{platform.machine()}, Python {platform.python_version()}, {datetime.now(UTC):%Y-%m-%d}"
    intro = (
        f"# Figures\n\nMeasured by `python -m benchmarks` ({machine}, 2 cores). Milliseconds belong to that machine; "
        "the ratios are what counts. A ratio is the other side's time divided by ours, or the bound divided by ours; "
        "where something must cost next to nothing, ours divided by the time without it.\n"
    )
    return "\n".join([intro, *pages])


if __name__ == "__main__":
    sys.exit(main())
