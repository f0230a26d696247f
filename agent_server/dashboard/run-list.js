// @ts-check
/** The list of runs beside everything else, newest first. */

import { call } from "./api.js";
import { byId, clock, make, stateWords } from "./words.js";

/** @typedef {import("./api.js").Run} Run */

export class RunList {
  /** @param {() => void} again asks for the list to be read anew */
  constructor(again) {
    this.list = byId("runs");
    this.older = byId("older");
    this.limit = 30;
    this.shown = "";
    this.current = "";
    this.older.addEventListener("click", () => {
      this.limit = Math.min(this.limit + 30, 200);
      again();
    });
  }

  /** Read the list anew. Rejects with Refusal. */
  async refresh() {
    const page = await call("GET", `/v1/runs?limit=${this.limit}`);
    this.#draw(page.items);
    this.older.hidden = !page.next || this.limit >= 200;
    byId("no-runs").hidden = page.items.length > 0;
  }

  /** Mark the run that is open. @param {string} runId */
  mark(runId) {
    this.current = runId;
    for (const link of this.list.querySelectorAll("a")) this.#markOne(link);
  }

  /** @param {HTMLAnchorElement} link */
  #markOne(link) {
    if (link.dataset.run === this.current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }

  /** @param {Run[]} runs */
  #draw(runs) {
    const now = JSON.stringify(runs.map((run) => [run.id, run.state]));
    // Drawn anew only when something changed, so that the focus stays where it is.
    if (now === this.shown) return;
    this.shown = now;
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.run;
    this.list.replaceChildren(...runs.map((run) => this.#item(run)));
    const again = focused && this.list.querySelector(`[data-run="${CSS.escape(focused)}"]`);
    if (again instanceof HTMLElement) again.focus();
  }

  /** @param {Run} run */
  #item(run) {
    const [words, tone] = stateWords(run.state);
    const link = /** @type {HTMLAnchorElement} */ (make("a", {}, [
      make("span", { class: "what", text: run.task }),
      make("span", { class: "meta" }, [
        make("span", { class: `mark ${tone}`, text: words }),
        make("span", { text: clock(run.created_at) }),
      ]),
    ]));
    link.href = `#/runs/${run.id}`;
    link.dataset.run = run.id;
    this.#markOne(link);
    return make("li", {}, [link]);
  }
}
