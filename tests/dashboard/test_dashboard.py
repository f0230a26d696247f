"""The dashboard in real Chromium, against a real server and a virtual phone."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from tests.dashboard.conftest import Bench, open_page

AXE = Path(__file__).with_name("axe.min.js")
TASK = "Open Settings, tap Display, turn on Dark theme"
SLOW = [{"kind": "wait", "seconds": 1.0}] * 12
ASK = {"kind": "ask", "prompt": "Which number shall I take?", "options": ["Mobile", "Work"], "reason": "There are two."}


def expect(page: Any, selector: str, words: str) -> None:
    """The element's text comes to hold these words."""
    page.locator(selector).filter(has_text=words).wait_for(state="attached")


def until(page: Any, condition: str) -> None:
    """The JavaScript condition comes to hold. Asked from here: the page's policy forbids what Playwright would do."""
    for _ in range(150):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"never: {condition}")


def chip(page: Any, words: str) -> None:
    expect(page, "#run-state", words)


def go(page: Any, bench: Bench, run_id: str) -> None:
    page.goto(f"{bench.client.url}/#/runs/{run_id}")
    page.locator("#run-task").wait_for()


def axe(page: Any) -> list[str]:
    """Violations of WCAG 2.0 to 2.2, A and AA, and of best practice, as axe-core names them."""
    # Through the debugger, not as a script of the page: the page's policy stays as it is.
    page.evaluate(AXE.read_text() + "; undefined")
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert len(found["passes"]) > 10
    return [f"{one['id']}: {[node['target'] for node in one['nodes']]}" for one in found["violations"]]


def test_a_run_is_started_watched_and_done(page: Any, bench: Bench) -> None:
    page.get_by_label("Task").fill(TASK)
    expect(page, "#phone option", "Tapwright Phone")
    page.get_by_label("Policy", exact=True).select_option("follow")
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("heading", level=1, name=TASK).wait_for()
    until(page, "Number(document.getElementById('live-canvas').dataset.frames) > 2")
    image = page.locator("#seen")
    image.wait_for()
    until(page, "document.getElementById('seen').naturalWidth >= 300")
    assert re.search(r"numbered marks, at step \d", image.get_attribute("alt"))
    chip(page, "Done")
    acts = page.locator("#steps .act").all_text_contents()
    assert acts[::-1] == [
        "Opened “Settings”.",
        "Tapped “Display”.",
        "Tapped “Dark theme”.",
        "Saw that the task is done",
    ]
    assert page.locator("#live").is_hidden() and page.locator("#stop").is_hidden()
    expect(page, "#spoken", "Done.")
    assert bench.phone.state()["settings"]["secure"].get("ui_night_mode") == "2"


def test_the_live_picture_follows_the_phone(page: Any, bench: Bench) -> None:
    canvas = "document.getElementById('preview-canvas')"
    until(page, f"Number({canvas}.dataset.frames) > 0")
    assert page.evaluate(f"[{canvas}.width, {canvas}.height]") == [540, 1200]
    bench.ended(bench.script({"kind": "press_key", "key": "home"}))
    page.wait_for_timeout(500)
    before = page.evaluate(f"{canvas}.toDataURL()")
    bench.ended(bench.script({"kind": "open_app", "name": "Contacts"}))
    until(page, f"{canvas}.toDataURL() !== '{before}'")
    assert page.locator("#preview-note").text_content() == ""


def test_pause_resume_and_stop_by_keyboard_alone(page: Any, bench: Bench) -> None:
    go(page, bench, bench.script(*SLOW))
    chip(page, "Running")
    page.locator("#pause").focus()
    page.keyboard.press("Enter")
    chip(page, "Paused")
    expect(page, "#now", "Paused. The phone is yours until you resume.")
    assert page.evaluate("document.activeElement.id") == "resume", "the focus goes on to what can be done now"
    page.keyboard.press("Enter")
    chip(page, "Running")
    assert page.evaluate("document.activeElement.id") == "pause"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "stop"
    page.keyboard.press("Space")
    chip(page, "Stopped")
    expect(page, "#now", "Stopped. You stopped the run.")
    assert page.evaluate("document.activeElement.id") == "run-task"


def test_a_question_is_announced_at_once_and_answered_by_its_button(page: Any, bench: Bench) -> None:
    run_id = bench.script({"kind": "wait", "seconds": 1.0}, ASK)
    go(page, bench, run_id)
    page.locator("#question").wait_for()
    chip(page, "Needs your answer")
    assert page.locator("#urgent").text_content() == "Which number shall I take? 1: Mobile. 2: Work."
    assert page.locator("#question-why").text_content() == "There are two."
    page.get_by_role("button", name="Work", exact=True).press("Enter")
    page.locator("#question").wait_for(state="hidden")
    assert page.evaluate("document.activeElement.id") == "run-task", "the focus is not lost with the card"
    chip(page, "Done")
    (question,) = bench.client.call("GET", f"/v1/questions?run={run_id}")["items"]
    assert question["answer"] == "2"


def test_an_unclear_answer_says_so_and_free_words_are_understood(page: Any, bench: Bench) -> None:
    run_id = bench.script(ASK)
    go(page, bench, run_id)
    field = page.get_by_label("Or answer in your own words")
    field.fill("the blue one")
    page.keyboard.press("Enter")
    expect(page, "#answer-error", "The answer was not understood")
    assert page.evaluate("document.activeElement.id") == "answer"
    field.fill("the first")
    page.keyboard.press("Enter")
    chip(page, "Done")
    assert bench.client.call("GET", f"/v1/questions?run={run_id}")["items"][0]["answer"] == "1"


def test_a_refused_task_is_explained_beside_the_form(page: Any) -> None:
    page.get_by_label("Task").fill("   ")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page, "#form-error", "The task is empty.")
    assert page.evaluate("document.activeElement.id") == "task"
    page.get_by_text("More options").click()
    page.get_by_label("Parameters of the policy").fill("{no")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page, "#form-error", "The parameters are not JSON")


def test_a_past_run_shows_each_step_with_its_picture(page: Any, bench: Bench) -> None:
    run_id = bench.start("Open Settings, tap Display")
    bench.ended(run_id)
    page.reload()
    page.locator("#runs a").filter(has_text="Open Settings, tap Display").first.click()
    page.locator("#steps li").first.wait_for()
    assert page.evaluate("document.activeElement.id") == "run-task"
    newest = page.locator("#seen").get_attribute("src")
    first = page.locator('#steps [data-step="1"] button')
    first.press("Enter")
    assert first.get_attribute("aria-pressed") == "true"
    assert page.locator("#seen").get_attribute("src") != newest
    expect(page, "#seen-title", "step 1")
    page.get_by_role("button", name="Back to the newest").press("Enter")
    assert page.locator("#seen").get_attribute("src") == newest
    assert page.locator("#spoken").text_content() == "", "what lies behind is not announced"


def test_the_screen_is_said_in_words(page: Any, bench: Bench) -> None:
    until(page, "Number(document.getElementById('preview-canvas').dataset.frames) > 0")
    page.get_by_role("button", name="Say what is on the screen").click()
    until(page, "document.getElementById('description').textContent.length > 20")


def test_a_page_that_nobody_looks_at_pulls_no_pictures(page: Any, bench: Bench) -> None:
    until(page, "Number(document.getElementById('preview-canvas').dataset.frames) > 0")
    page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    page.wait_for_timeout(600)
    frames = page.evaluate("document.getElementById('preview-canvas').dataset.frames")
    bench.ended(bench.script({"kind": "press_key", "key": "home"}, {"kind": "open_app", "name": "Contacts"}))
    # One credit was out already; its picture may still come.
    assert int(page.evaluate("document.getElementById('preview-canvas').dataset.frames")) <= int(frames) + 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 640, 320])
def test_axe_finds_nothing_on_any_view(browser: Any, bench: Bench, scheme: str, width: int) -> None:
    with open_page(browser, bench, color_scheme=scheme, viewport={"width": width, "height": 860}) as page:
        until(page, "Number(document.getElementById('preview-canvas').dataset.frames) > 0")
        page.get_by_text("More options").click()
        assert axe(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing to scroll sideways"
        go(page, bench, bench.script({"kind": "open_app", "name": "Settings"}, ASK, *SLOW))
        page.locator("#question").wait_for()
        assert axe(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.get_by_role("button", name="Mobile", exact=True).click()
        chip(page, "Running")
        assert axe(page) == []
        page.locator("#stop").click()
        chip(page, "Stopped")
        assert axe(page) == []


def test_every_control_is_large_enough_and_shows_its_focus(page: Any, bench: Bench) -> None:
    go(page, bench, bench.script({"kind": "open_app", "name": "Settings"}, ASK))
    page.locator("#question").wait_for()
    page.reload()
    page.locator("#question").wait_for()
    page.keyboard.press("Tab")
    seen = set()
    for _ in range(40):
        found = page.evaluate(
            """() => { const one = document.activeElement, box = one.getBoundingClientRect(),
            style = getComputedStyle(one), again = one === document.body || one.dataset.visited;
            one.dataset.visited = "yes";
            return [one.textContent.trim() || one.id, box.height, style.outlineStyle, again]; }"""
        )
        name, height, outline, again = found
        if again:
            break
        seen.add(name)
        assert height >= 24 and outline == "solid", found
        page.keyboard.press("Tab")
    assert {"Skip to the main part", "Pause", "Stop", "answer", "Mobile", "Send answer"} <= seen


def test_no_text_of_the_page_names_a_place_on_the_screen(page: Any, bench: Bench) -> None:
    run_id = bench.start(TASK)
    bench.ended(run_id)
    go(page, bench, run_id)
    words = page.locator("#run").inner_text() + page.locator("#spoken").inner_text()
    assert not re.search(r"\d+\s*[,x×]\s*\d+|0\.\d{2,}|\bleft\b|\bright\b|upper|lower|coordinate", words), words


def test_the_page_allows_scripts_and_styles_of_its_own_files_only(browser: Any, bench: Bench) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(bench.login())
    answer = page.request.get(bench.client.url + "/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy and "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    text = answer.text()
    assert not re.search(r"<script(?![^>]*src=)|<style|\son\w+=|\sstyle=", text)
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\" id=intruder>x</p>')")
    assert page.evaluate("getComputedStyle(document.getElementById('intruder')).color") != "rgb(255, 0, 0)"
    assert page.request.get(bench.client.url + "/dashboard/..%2f..%2fwiring.py").status in (404, 422)
    context.close()


def test_without_a_login_the_page_is_not_given(browser: Any, bench: Bench) -> None:
    context = browser.new_context()
    page = context.new_page()
    assert page.goto(bench.client.url + "/").status == 401
    assert "Open the login link" in page.locator("main").inner_text()
    assert page.goto(bench.client.url + "/dashboard/app.js").status == 401
    context.close()


def test_watching_does_not_slow_the_agent_much(browser: Any, bench: Bench) -> None:
    """Printed for the documents; the bound is wide, for two processors share phone, server and browser here."""
    seconds: dict[bool, float] = {}
    for watched in (False, True, False, True):
        bench.ended(bench.script({"kind": "press_key", "key": "home"}))
        with open_page(browser, bench) as page:
            page.goto("about:blank" if not watched else bench.client.url)
            if watched:
                until(page, "Number(document.getElementById('preview-canvas').dataset.frames) > 0")
            started = time.perf_counter()
            bench.ended(bench.start("Open Settings, tap Display, press back, press back, open Contacts"))
            spent = time.perf_counter() - started
            seconds[watched] = min(seconds.get(watched, 99.0), spent)
    print(f"\nrun of 6 steps: {seconds[False]:.2f} s unwatched, {seconds[True]:.2f} s watched by a browser")
    assert seconds[True] < seconds[False] * 1.6 + 0.5


def test_what_a_person_or_a_policy_wrote_is_shown_as_text(page: Any, bench: Bench) -> None:
    prompt = "<img src=x onerror=alert(1)>"
    go(page, bench, bench.script({**ASK, "prompt": prompt, "options": ["<b>bold</b>"]}))
    page.locator("#question").wait_for()
    assert page.locator("#question-prompt").text_content() == prompt
    assert page.get_by_role("button", name="<b>bold</b>").count() == 1
    assert page.locator("main img[src=x], #options b").count() == 0
