"""Search over every entry of every page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from device.virtual.apps.settings.model import Entry, Open, Page, Rows
from device.virtual.apps.words import say


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """An entry and the page it stands on."""

    page: Page
    entry: Entry

    @property
    def target(self) -> Open:
        """Where a tap leads: the entry's own page, or the page it stands on."""
        return self.entry.control if isinstance(self.entry.control, Open) else Open(self.page.name)


def parents(pages: Mapping[str, Page], root: Page) -> Mapping[str, str]:
    """For each page that rows lead to, the name of the first page with such a row, searched level by level."""
    known: dict[str, str] = {}
    level = [root]
    while level:
        below: list[Page] = []
        for page in level:
            for entry in page.entries():
                if isinstance(entry.control, Open) and entry.control.page not in known:
                    known[entry.control.page] = page.name
                    below.append(pages[entry.control.page])
        level = below
    return known


def breadcrumb(hit: Hit, pages: Mapping[str, Page], above: Mapping[str, str], lang: str) -> str:
    """Titles of the pages that lead to the entry, without the root: "Display > Night Light"."""
    names = [hit.page.name]
    while (parent := above.get(names[-1])) is not None and parent not in names:
        names.append(parent)
    titles = [say(pages[name].title, lang) for name in reversed(names) if name != "root"]
    return " › ".join(titles)


def found(rows: Iterable[tuple[Page, Rows]], query: str, lang: str) -> list[Hit]:
    """Entries with every word of the query in their title; titles that begin with it come first.

    A page that several rows lead to is listed once.
    """
    wanted = query.casefold().split()
    hits: dict[tuple[str, str], Hit] = {}
    for page, page_rows in rows:
        for entry in page_rows:
            if not isinstance(entry, Entry) or not entry.title:
                continue
            title = say(entry.title, lang).casefold()
            if wanted and all(word in title for word in wanted):
                hit = Hit(page=page, entry=entry)
                place = f"{hit.target.page} {sorted(hit.target.args.items())}"
                hits.setdefault((title, place), hit)
    start = query.casefold().strip()
    return sorted(hits.values(), key=lambda hit: not say(hit.entry.title, lang).casefold().startswith(start))
