// @ts-check
/** Where everything starts: the address decides which view is shown, and the lists are kept up to date. */

import { Refusal } from "./api.js";
import { choose, language, t, translatePage } from "./languages.js";
import { RunList } from "./run-list.js";
import { RunView } from "./run-view.js";
import { Speech } from "./speech.js";
import { StartView } from "./start-view.js";
import { byId } from "./words.js";

/** Milliseconds between two readings of the lists. */
const REFRESH = 4000;

translatePage();
const speech = new Speech(byId("spoken"), byId("urgent"));
const list = new RunList(readRuns);
const run = new RunView(speech, readRuns);
const start = new StartView((runId) => {
  location.hash = `#/runs/${runId}`;
  readRuns();
});

function readRuns() {
  attempt(() => list.refresh());
}

/** Do it; a server that does not answer is said in the header, an ended login leads to the login page. */
async function attempt(/** @type {() => Promise<unknown>} */ work) {
  try {
    await work();
    trouble("");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 401) location.reload();
    trouble(error.status === 0 ? t("The server does not answer. Trying again …") : error.message);
  }
}

/** Show and say it, once; an empty string says that it is over. @param {string} words */
function trouble(words) {
  const state = byId("link-state");
  if (state.textContent === words) return;
  speech.hear({ importance: 1, speak: words || t("The server answers again."), lang: language });
  state.textContent = words;
  state.hidden = !words;
}

/** Whether the view that the address names is there: a server that was away is asked again. */
let there = false;

/** Show what the address names. @param {boolean} moved whether somebody came from another view of this page */
async function show(moved) {
  const [, view = "", runId = ""] = location.hash.match(/^#\/(runs|again)\/([\w-]+)$/) ?? [];
  const running = view === "runs";
  document.body.dataset.view = running ? "run" : "start";
  list.mark(running ? runId : "");
  there = false;
  byId("view-error").textContent = "";
  if (running) start.hide();
  else run.hide();
  if (!running) document.title = `${t("New run")} · Tapwright`;
  await attempt(async () => {
    try {
      await (running ? run.show(runId) : start.show(runId));
      there = true;
    } catch (error) {
      if (!(error instanceof Refusal) || error.status === 0) throw error;
      byId("view-error").textContent = error.message;
      there = true;
    }
  });
  // A new view without a new page: the focus must come along, or a screen reader stays behind.
  if (moved) byId(running ? "run-task" : "start-title").focus();
}

function refresh() {
  if (document.hidden) return;
  if (!there) show(false);
  attempt(async () => {
    await list.refresh();
    if (start.open) await start.refresh();
  });
}

const languages = /** @type {HTMLSelectElement} */ (byId("language"));
languages.value = language;
languages.addEventListener("change", () => choose(languages.value));
window.addEventListener("hashchange", () => show(true));
document.addEventListener("visibilitychange", refresh);
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});
setInterval(refresh, REFRESH);
readRuns();
show(false);
