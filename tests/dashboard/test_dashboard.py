"""The dashboard in real Chromium, against a real server and a virtual phone."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from agent_server.api.dashboard import FOLDER as DASHBOARD
from agent_server.cli.client import ServiceClient
from agent_server.cli.processes import child
from tests.dashboard.conftest import Bench, open_page
from tests.lab import free_port

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
    page.locator("#policy option").first.wait_for(state="attached")
    page.locator("#phone option").first.wait_for(state="attached")
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


def test_what_a_person_or_a_policy_wrote_is_shown_as_text(page: Any, bench: Bench) -> None:
    prompt = "<img src=x onerror=alert(1)>"
    go(page, bench, bench.script({**ASK, "prompt": prompt, "options": ["<b>bold</b>"]}))
    page.locator("#question").wait_for()
    assert page.locator("#question-prompt").text_content() == prompt
    assert page.get_by_role("button", name="<b>bold</b>").count() == 1
    assert page.locator("main img[src=x], #options b").count() == 0


def test_the_touched_place_is_framed_in_the_policys_view_and_the_picture_opens_large(page: Any, bench: Bench) -> None:
    bench.lab.adb("-s", bench.phone.serial, "shell", "am", "force-stop", "com.android.settings")
    run_id = bench.start("Open Settings, tap Display")
    bench.ended(run_id)
    go(page, bench, run_id)
    page.locator('#steps [data-step="2"] button').press("Enter")
    ring, picture = page.locator("#seen-ring").bounding_box(), page.locator("#seen").bounding_box()
    (step,) = [one for one in bench.client.call("GET", f"/v1/runs/{run_id}/steps")["items"] if one["n"] == 2]
    left, top, right, bottom = step["target"]["box"]
    wanted = (left, top, right - left, bottom - top)
    sides = ("x", "y", "width", "height")
    scale = {"x": "width", "y": "height", "width": "width", "height": "height"}
    origin = {"x": picture["x"], "y": picture["y"], "width": 0, "height": 0}
    for side, share in zip(sides, wanted, strict=True):
        assert abs((ring[side] - origin[side]) / picture[scale[side]] - share) < 0.02, side
    page.locator("#seen-open").press("Enter")
    expect(page, "#zoom-title", "What the policy saw in step 2")
    until(page, "document.getElementById('zoom-picture').naturalWidth >= 300")
    assert axe(page) == []
    page.keyboard.press("ArrowLeft")
    expect(page, "#zoom-title", "What the policy saw in step 1")
    page.keyboard.press("Escape")
    page.locator("#zoom").wait_for(state="hidden")
    assert page.evaluate("document.activeElement.id") == "seen-open", "the focus is back where it was"
    expect(page, "#seen-title", "step 1")


def test_a_policy_shows_fields_for_its_parameters_and_says_which_is_missing(page: Any, bench: Bench) -> None:
    page.get_by_label("Task").fill("Turn on the dark theme")
    page.get_by_label("Policy", exact=True).select_option("mm_navigator")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page, "#form-error", "provider is needed by this policy.")
    assert page.evaluate("document.activeElement.id") == "param-provider"
    page.get_by_label("provider").select_option("openai")
    page.get_by_label("model", exact=True).fill("some-model")
    page.get_by_text("More options").click()
    page.get_by_label("base_url").fill("http://127.0.0.1:9/v1")
    page.get_by_label("structured").select_option("false")
    page.get_by_label("width").fill("360")
    page.get_by_label("Most steps").fill("3")
    page.get_by_label("Most tokens").fill("1000")
    assert axe(page) == []
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("heading", level=1, name="Turn on the dark theme").wait_for()
    run = bench.client.call("GET", f"/v1/runs/{page.url.rpartition('/')[2]}")
    base_url = "http://127.0.0.1:9/v1"
    wanted = {"provider": "openai", "model": "some-model", "base_url": base_url, "structured": False, "width": 360}
    assert run["params"] == wanted
    assert (run["budgets"]["steps"], run["budgets"]["tokens"]) == (3, 1000)


def test_consent_names_host_model_and_phone_and_a_no_ends_the_run(page: Any, bench: Bench) -> None:
    params = {"provider": "openai", "model": "some-model", "base_url": "http://models.example:8000/v1"}
    go(page, bench, bench.start("Turn on the dark theme", policy="mm_navigator", params=params))
    page.locator("#question").wait_for()
    host, model, phone = page.locator("#question-details li").all_text_contents()
    assert (host, phone) == ("Sent to: models.example:8000", f"Phone: {bench.phone.serial}")
    assert model.startswith("Model: some-model")
    assert axe(page) == []
    page.locator("#options button").last.press("Enter")
    chip(page, "Failed")
    expect(page, "#now", "You did not allow pictures of this phone to be sent")


def test_a_past_run_is_done_again_with_the_same_values(page: Any, bench: Bench) -> None:
    run_id = bench.script({"kind": "press_key", "key": "home"}, budgets={"steps": 7}, lang="zh")
    bench.ended(run_id)
    go(page, bench, run_id)
    page.get_by_role("link", name="Do it again").press("Enter")
    until(page, "document.getElementById('task').value === 'Replay what was written down'")
    assert page.evaluate("document.activeElement.id") == "start-title"
    assert page.locator("#steps-most").input_value() == "7" and page.locator("#lang").input_value() == "zh"
    page.get_by_role("button", name="Start", exact=True).click()
    until(page, f"location.hash.startsWith('#/runs/') && !location.hash.includes('{run_id}')")
    chip(page, "Done")
    again = bench.client.call("GET", f"/v1/runs/{page.url.rpartition('/')[2]}")
    assert again["id"] != run_id
    assert again["params"] == {"steps": [{"kind": "press_key", "key": "home"}]}


def test_the_page_speaks_chinese_to_whoever_reads_it(browser: Any, bench: Bench) -> None:
    with open_page(browser, bench, locale="zh-CN") as page:
        until(page, "Number(document.getElementById('preview-canvas').dataset.frames) > 0")
        assert page.evaluate("document.documentElement.lang") == "zh"
        assert page.locator("#start-title").text_content() == "新任务"
        assert page.locator("#lang").input_value() == "zh"
        page.get_by_text("更多选项").click()
        assert axe(page) == []
        go(page, bench, bench.script({"kind": "press_key", "key": "home"}, ASK))
        chip(page, "等待你的回答")
        assert page.locator("#question-prompt").get_attribute("lang") == "en", "the run speaks English"
        assert axe(page) == []
        page.get_by_label("页面语言").select_option("en")
        chip(page, "Needs your answer")
        page.reload()
        chip(page, "Needs your answer")


def test_every_word_of_the_page_is_there_in_chinese() -> None:
    english, chinese = own_words(), chinese_words()
    assert len(english) > 90
    assert english - chinese.keys() == set() and chinese.keys() - english == set()
    names = re.compile(r"\{\w+\}")
    assert [one for one, other in chinese.items() if sorted(names.findall(one)) != sorted(names.findall(other))] == []


def own_words() -> set[str]:
    """What scripts hand to t(), and what stands in the page."""
    found: set[str] = set()
    for script in DASHBOARD.glob("*.js"):
        found |= set(re.findall(r'(?<![\w.])t\(\s*"([^"]*)"', script.read_text()))
    reader = Words()
    reader.feed((DASHBOARD / "index.html").read_text())
    return found | reader.found - {"Tapwright", "{}"}


def chinese_words() -> dict[str, str]:
    lines = (DASHBOARD / "zh.js").read_text().replace(":\n   ", ":")
    return dict(re.findall(r'^  "([^"]*)": "([^"]*)",$', lines, re.MULTILINE))


class Words(HTMLParser):
    """Texts and spoken attributes of a page that are in no language of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.found |= {words for name in ("aria-label", "placeholder", "title") if (words := given.get(name))}
        if tag not in ("meta", "link", "input", "img", "br"):
            self.open.append((tag, tag in ("script", "noscript", "title") or ("lang" in given and tag != "html")))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip() and not any(foreign for _, foreign in self.open):
            self.found.add(data.strip())


def test_a_lost_server_is_said_and_the_page_goes_on_when_it_is_back(browser: Any, bench: Bench, tmp_path: Path) -> None:
    port = str(free_port())
    arguments = ["agent_server", "serve", "--port", port, "--announce"]
    env = {**bench.lab.env, "TAPWRIGHT_DATA_DIR": str(tmp_path / "data"), "TAPWRIGHT_LOG_FORMAT": "json"}
    context = browser.new_context(viewport={"width": 320, "height": 700})
    page = context.new_page()
    page.set_default_timeout(15_000)
    with child(arguments, log=tmp_path / "server.log", env=env) as first:
        client = ServiceClient(first["url"], Path(first["token_file"]).read_text().strip())
        body = {"task": "Wait", "serial": bench.phone.serial, "policy": "scripted", "params": {"steps": SLOW}}
        run_id = client.call("POST", "/v1/runs", json=body)["id"]
        client.close()
        page.goto(first["login"])
        page.goto(f"{first['url']}/#/runs/{run_id}")
        chip(page, "Running")
        os.kill(first["pid"], signal.SIGKILL)
        expect(page, "#link-state", "The server does not answer.")
        expect(page, "#spoken", "The server does not answer.")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, "nothing to scroll sideways"
    with child(arguments, log=tmp_path / "server.log", env=env):
        page.locator("#link-state").wait_for(state="hidden")
        chip(page, "Interrupted")
        expect(page, "#runs", "Interrupted")
        assert page.locator("#pause").is_hidden() and page.locator("#stop").is_hidden()
    context.close()


def test_a_phone_that_leaves_is_said_and_one_that_is_back_can_be_used(page: Any, bench: Bench) -> None:
    until(page, "Number(document.getElementById('preview-canvas').dataset.frames) > 0")
    bench.lab.adb("disconnect", bench.phone.serial)
    try:
        expect(page, "#phone-help", "No phone is connected.")
        expect(page, "#preview-note", "No phone is ready")
        page.get_by_label("Task").fill(TASK)
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page, "#form-error", "No phone is connected.")
        assert page.evaluate("document.activeElement.id") == "phone"
        assert axe(page) == []
    finally:
        bench.lab.adb("connect", bench.phone.serial)
    expect(page, "#phone-help", bench.phone.serial)
    until(page, "document.getElementById('preview-note').textContent === ''")


def test_a_run_that_is_not_there_is_said_so(page: Any, bench: Bench) -> None:
    page.goto(f"{bench.client.url}/#/runs/run_nothing")
    expect(page, "#view-error", "There is no run 'run_nothing'.")
    page.locator("#new-run").click()
    page.locator("#start-title").wait_for()
    assert page.locator("#view-error").text_content() == ""


def test_a_fresh_login_link_comes_from_the_command_line(browser: Any, bench: Bench) -> None:
    words = [sys.executable, "-m", "agent_server", "login"]
    env = {**os.environ, **bench.lab.env}
    printed = subprocess.run(words, env=env, capture_output=True, text=True, check=True, timeout=30).stdout.strip()
    context = browser.new_context()
    page = context.new_page()
    page.goto(printed)
    page.locator("#start-title").wait_for()
    page.goto(printed)
    assert "used already" in page.content() or page.locator("#start-title").count() == 0, "it works once"
    context.close()
