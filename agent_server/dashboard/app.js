// @ts-check
/** Where everything starts: the address decides which view is shown, and the lists are kept up to date. */

import { Refusal } from "./api.js";
import { RunList } from "./run-list.js";
import { RunView } from "./run-view.js";
import { Speech } from "./speech.js";
import { StartView } from "./start-view.js";
import { byId } from "./words.js";

/** Milliseconds between two readings of the lists. */
const REFRESH = 4000;

const speech = new Speech(byId("spoken"), byId("urgent"));
const list = new RunList();
const run = new RunView(speech, () => attempt(() => list.refresh()));
const start = new StartView((runId) => {
  location.hash = `#/runs/${runId}`;
  attempt(() => list.refresh());
});

/** Do it; a server that does not answer is said in the header, an ended login leads to the login page. */
async function attempt(/** @type {() => Promise<unknown>} */ work) {
  const state = byId("link-state");
  try {
    await work();
    state.hidden = true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 401) location.reload();
    state.textContent = error.status === 0 ? "The server does not answer. Trying again …" : error.message;
    state.hidden = false;
  }
}

/** Show what the address names. @param {boolean} moved whether somebody came from another view of this page */
async function show(moved) {
  const runId = location.hash.match(/^#\/runs\/([\w-]+)$/)?.[1] ?? "";
  document.body.dataset.view = runId ? "run" : "start";
  list.mark(runId);
  if (runId) {
    start.hide();
    await attempt(() => run.show(runId));
  } else {
    run.hide();
    document.title = "New run · Tapwright";
    await attempt(() => start.show());
  }
  // A new view without a new page: the focus must come along, or a screen reader stays behind.
  if (moved) byId(runId ? "run-task" : "start-title").focus();
}

window.addEventListener("hashchange", () => show(true));
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});
setInterval(() => {
  if (document.hidden) return;
  attempt(async () => {
    await list.refresh();
    if (start.open) await start.refresh();
  });
}, REFRESH);
attempt(() => list.refresh());
show(false);
