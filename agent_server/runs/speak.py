"""One spoken sentence per event, made from its data by templates: instant, stable, and the same everywhere.

At most 140 characters (live regions of screen readers cut longer ones; reference: the accessibility practice
of `role="status"`), never a coordinate, elements by the name that people see.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_server.runs.model import Budgets, EventType, Importance
from agent_server.runs.phrases import ACTS, FINGERS, KEYS, LANGUAGES, LINES, REASONS, Lang

LIMIT = 140
NAME_LIMIT = 40
"""Long enough for the labels people give to buttons, short enough that two fit in one sentence."""

IMPORTANCE: Mapping[EventType, Importance] = {
    EventType.RUN_QUEUED: Importance.PROGRESS,
    EventType.RUN_STARTED: Importance.PROGRESS,
    EventType.STEP_STARTED: Importance.DETAIL,
    EventType.OBSERVATION: Importance.DETAIL,
    EventType.PERCEPTION: Importance.DETAIL,
    EventType.THOUGHT: Importance.DETAIL,
    EventType.ACTION_PLANNED: Importance.DETAIL,
    EventType.ACTION_DONE: Importance.PROGRESS,
    EventType.ACTION_UNCERTAIN: Importance.RESULT,
    EventType.ACTION_FAILED: Importance.RESULT,
    EventType.ACTION_BLOCKED: Importance.RESULT,
    EventType.STEP_REFLECTED: Importance.DETAIL,
    EventType.QUESTION_ASKED: Importance.ALERT,
    EventType.QUESTION_ANSWERED: Importance.PROGRESS,
    EventType.QUESTION_EXPIRED: Importance.RESULT,
    EventType.USAGE: Importance.DETAIL,
    EventType.RUN_PAUSING: Importance.PROGRESS,
    EventType.RUN_PAUSED: Importance.RESULT,
    EventType.RUN_RESUMED: Importance.PROGRESS,
    EventType.RUN_STOPPING: Importance.PROGRESS,
    EventType.RUN_INTERRUPTED: Importance.ALERT,
    EventType.RUN_FINISHED: Importance.RESULT,
}


def importance(type: EventType, data: Mapping[str, Any]) -> Importance:
    """How much it matters to a listener; a run that ended badly matters as much as a question."""
    bad = type is EventType.RUN_FINISHED and data.get("outcome", {}).get("code") not in ("complete", "stopped")
    return Importance.ALERT if bad else IMPORTANCE[type]


def language(lang: str) -> Lang:
    """The language we speak that is nearest to a BCP 47 tag; English where there is none."""
    main = lang.casefold().partition("-")[0]
    return next((known for known in LANGUAGES if known == main), "en")


def clip(text: str, limit: int = LIMIT) -> str:
    """One line of at most `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def reason(cause: str, lang: str, *, said: str = "", **facts: str | int) -> str:
    """The sentence for a stable cause; `said`, somebody's own words, where there is none for it."""
    template = REASONS[language(lang)].get(cause)
    return said if template is None else template.format(**facts)


def bounds(budgets: Budgets) -> dict[str, Any]:
    """What sentences about a run's budgets may name."""
    return {
        "steps": budgets.steps,
        "seconds": round(budgets.seconds),
        "tokens": budgets.tokens or 0,
        "dollars": f"{budgets.cost_usd or 0:g}",
    }


def may_i(data: Mapping[str, Any], lang: str) -> str:
    """The question for a yes to an action."""
    return LINES[language(lang)]["question.approval"].format(act=act(data, lang))


def may_send(consent: Mapping[str, Any], lang: str) -> str:
    """The question for a yes to sending pictures, in full."""
    return LINES[language(lang)]["consent.prompt"].format(**consent)


def act(data: Mapping[str, Any], lang: str, form: int = 2) -> str:
    """An action in words: form 0 is being done, 1 was done, 2 as in "may I ...". `data` as in `action.planned`."""
    tongue = language(lang)
    lines = LINES[tongue]
    action, target = data["action"], data.get("target")
    kind = action["kind"]
    name = clip(str(target["name"]), NAME_LIMIT) if target and target.get("name") else ""
    # What stands in a field may have been typed, so a field without a label has no name to say.
    field = kind in ("type_text", "clear_text") or bool(target and target.get("role") == "text_field")
    place = lines["target.field"] if field else lines["target.place"]
    quoted = [lines["target.quoted"].format(name=one) for one in action.get("secrets", ())]
    return ACTS[tongue]["type_secret" if quoted else kind][form].format(
        secret=", ".join(quoted),
        target=lines["target.quoted"].format(name=name) if name else place,
        finger=FINGERS[tongue].get(action.get("finger", ""), ""),
        characters=action.get("characters", 0),
        key=KEYS[tongue].get(action.get("key", ""), ""),
        name=lines["target.quoted"].format(name=clip(str(action.get("name", "")), NAME_LIMIT)),
    )


def options(labels: list[str], lang: str) -> str:
    """Choices read out with their numbers: "1: Home. 2: Work." """
    line = LINES[language(lang)]["question.option"]
    return " ".join(line.format(number=n, label=clip(label, NAME_LIMIT)) for n, label in enumerate(labels, 1))


def speak(type: EventType, data: Mapping[str, Any], lang: str) -> str:
    """The sentence for an event."""
    return clip(_sentence(type, data, lang))


def _sentence(type: EventType, data: Mapping[str, Any], lang: str) -> str:
    lines = LINES[language(lang)]
    match type:
        case EventType.RUN_QUEUED:
            return lines["run.queued" if data["position"] else "run.queued.next"].format(position=data["position"])
        case EventType.RUN_STARTED:
            return lines[type].format(device=data.get("model") or lines["phone"])
        case EventType.OBSERVATION:
            app = str(data.get("app", "")).rpartition(".")[2]
            return lines[type].format(app=clip(app, NAME_LIMIT) or lines["app"], elements=data["elements"])
        case EventType.THOUGHT:
            return str(data["text"]) or str(data.get("summary", ""))
        case EventType.ACTION_PLANNED | EventType.ACTION_DONE | EventType.ACTION_UNCERTAIN:
            line = lines["action.done.unchanged" if data.get("changed") == "no" else type]
            return line.format(doing=act(data, lang, 0), done=act(data, lang, 1), act=act(data, lang))
        case EventType.ACTION_FAILED | EventType.ACTION_BLOCKED:
            return lines[type].format(act=act(data, lang), reason=data.get("reason", ""))
        case EventType.QUESTION_ASKED:
            return _question(data, lang)
        case EventType.QUESTION_ANSWERED:
            return _answered(data, lang)
        case EventType.QUESTION_EXPIRED:
            return lines["question.withdrawn" if data.get("cause") else type]
        case EventType.RUN_INTERRUPTED:
            return lines[type].format(summary=data.get("summary", ""))
        case EventType.RUN_FINISHED:
            outcome = data["outcome"]
            return lines[outcome["code"]].format(summary=outcome.get("answer") or outcome.get("summary", ""))
        case EventType.STEP_REFLECTED:
            line = lines["step.unreflected" if data["cause"] else type]
            return line.format(summary=data["summary"], reason=data["reason"])
        case EventType.USAGE:
            return lines[type if data["tokens"] is not None else "usage.unknown"].format(tokens=data["tokens"])
        case _:
            return lines[type].format(**data)


def _question(data: Mapping[str, Any], lang: str) -> str:
    lines = LINES[language(lang)]
    if "consent" in data:
        return lines["question.consent"].format(host=clip(str(data["consent"]["host"]), NAME_LIMIT))
    if data["kind"] == "approval":
        return may_i(data, lang)
    labels = [str(option["label"]) for option in data.get("options", ())]
    if not labels:
        return str(data["prompt"])
    # The choices are what must be heard: they get the room, the question what is left.
    read_out = clip(options(labels, lang), LIMIT - NAME_LIMIT)
    prompt = clip(str(data["prompt"]), LIMIT - 1 - len(read_out))
    return lines["question.choice"].format(prompt=prompt, options=read_out)


def _answered(data: Mapping[str, Any], lang: str) -> str:
    lines = LINES[language(lang)]
    match data["kind"]:
        case "approval":
            return lines[f"question.answered.{data['answer']}"]
        case "choice":
            return lines["question.answered.choice"].format(label=clip(str(data.get("label", "")), NAME_LIMIT))
        case _:
            return lines["question.answered.text"]
