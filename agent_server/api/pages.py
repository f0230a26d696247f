"""The few plain pages a browser gets: no script, every word escaped, readable without a mouse or eyes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import quote

from fastapi.responses import HTMLResponse

from agent_server.runs.model import Question, Run
from agent_server.service import Phone

STYLE = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; font-weight: 600; padding: .5rem 0; }
th, td { text-align: left; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid #8888; vertical-align: top; }
a { display: inline-block; padding: .4rem .2rem; }
code { overflow-wrap: anywhere; }
"""


def page(title: str, body: str, status: int = 200) -> HTMLResponse:
    """A whole page; `body` is HTML already."""
    return HTMLResponse(
        f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<main>
<h1>{escape(title)}</h1>
{body}
</main>
</body>
</html>
""",
        status,
    )


def not_logged_in() -> HTMLResponse:
    """For a browser without a cookie."""
    return page(
        "Log in to Tapwright",
        "<p>Open the login link that the server printed when it started. Each link works once; a new one comes from"
        " <code>POST /v1/login-tickets</code> with the token of the data folder.</p>",
        401,
    )


def ticket_refused() -> HTMLResponse:
    return page(
        "This login link is used up",
        "<p>Each link works once and for ten minutes. Get a new one from <code>POST /v1/login-tickets</code>, or"
        " restart the server.</p>",
        401,
    )


def home(phones: Sequence[Phone], trouble: str, runs: Sequence[Run], questions: Sequence[Question]) -> HTMLResponse:
    """Phones, open questions and the newest runs. `trouble` says why the phones cannot be listed."""
    parts = [
        f"<p role=alert>{escape(trouble)}</p>" if trouble else _phones(phones),
        _questions(questions),
        _runs(runs),
        _link("/v1/policies", "Policies") + " " + _link("/v1/openapi.json", "The API"),
    ]
    return page("Tapwright", "\n".join(part for part in parts if part))


def _link(address: str, text: str) -> str:
    return f'<a href="{escape(address)}">{escape(text)}</a>'


def _table(caption: str, heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are HTML already."""
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _phones(phones: Sequence[Phone]) -> str:
    if not phones:
        return "<p>No phone is connected. Plug one in, or start one: <code>tapwright phone</code></p>"
    rows = []
    for phone in phones:
        base = f"/v1/devices/{quote(phone.serial, safe='')}"
        looks = (("screen", "Screen"), ("overlay", "Marks"), ("description", "In words"), ("elements", "Elements"))
        links = " ".join(_link(f"{base}/{path}", text) for path, text in looks) if phone.ready else ""
        run = _link(f"/v1/runs/{phone.run}", "running") if phone.run else "free"
        rows.append((escape(phone.serial), escape(phone.model), escape(phone.state), run, links))
    return _table("Phones", ("Serial", "Model", "State", "Run", "Look"), rows)


def _questions(questions: Sequence[Question]) -> str:
    if not questions:
        return ""
    rows = [
        (escape(one.speak), escape(one.why), f"<code>POST /v1/questions/{escape(one.id)}/answer</code>")
        for one in questions
    ]
    return _table("Questions that wait for you", ("Question", "Why", "Answer"), rows)


def _runs(runs: Sequence[Run]) -> str:
    if not runs:
        return "<p>No run yet.</p>"
    rows = []
    for run in runs:
        base = f"/v1/runs/{run.id}"
        links = f"{_link(base, 'Run')} {_link(base + '/steps', 'Steps')} {_link(base + '/events', 'Events')}"
        outcome = run.outcome.summary if run.outcome is not None else ""
        rows.append((escape(run.task), escape(run.serial), escape(run.state), escape(outcome), links))
    return _table("Newest runs", ("Task", "Phone", "State", "Outcome", "More"), rows)
