// @ts-check
/** The steps of a run with thought, act and outcome; choosing one shows what the policy saw in it. */

import { byId, make } from "./words.js";

/** @typedef {import("./story.js").Step} Step */

export class StepList {
  constructor() {
    this.list = byId("steps");
    /** @type {Map<number, {item: HTMLElement, drawn: string}>} */
    this.items = new Map();
    /** @type {Step[]} */
    this.steps = [];
    /** The step whose picture is shown; 0 follows the newest. */
    this.chosen = 0;
    this.pictured = "";
    byId("newest").addEventListener("click", () => {
      const newest = this.steps[this.steps.length - 1]?.n ?? 0;
      this.choose(0);
      this.list.querySelector(`[data-step="${newest}"]`)?.scrollIntoView({ block: "nearest" });
      /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-step="${newest}"] button`))?.focus();
    });
  }

  clear() {
    this.items.clear();
    this.list.replaceChildren();
    this.chosen = 0;
    this.show([]);
  }

  /** @param {Step[]} steps */
  show(steps) {
    this.steps = steps;
    byId("no-steps").hidden = steps.length > 0;
    for (const step of steps) this.#draw(step);
    this.#picture();
  }

  /** @param {number} n */
  choose(n) {
    this.chosen = n;
    this.#picture();
  }

  /** Drawn anew only when it changed; the button stays, so that the focus does. @param {Step} step */
  #draw(step) {
    const words = JSON.stringify(step);
    const known = this.items.get(step.n);
    if (known?.drawn === words) return;
    const item = known?.item ?? this.#item(step.n);
    this.items.set(step.n, { item, drawn: words });
    const [act, thought, result] = ["act", "thought", "result"].map((name) => item.querySelector(`.${name}`));
    if (!act || !thought || !result) return;
    act.textContent = step.act;
    thought.textContent = step.thought;
    result.textContent = step.result;
    result.className = `result ${step.tone}`;
  }

  /** @param {number} n */
  #item(n) {
    const act = make("button", { class: "act" });
    act.setAttribute("type", "button");
    act.addEventListener("click", () => this.choose(n));
    const item = make("li", {}, [
      make("span", { class: "n", text: String(n) }),
      make("div", {}, [act, make("p", { class: "thought" }), make("p", { class: "result" })]),
    ]);
    item.dataset.step = String(n);
    // The newest comes first: what happens now needs no scrolling.
    this.list.prepend(item);
    this.list.setAttribute("reversed", "");
    return item;
  }

  #picture() {
    const pictured = this.steps.filter((step) => step.overlay);
    const shown = pictured.find((step) => step.n === this.chosen) ?? pictured[pictured.length - 1];
    byId("newest").hidden = !this.chosen;
    for (const [n, { item }] of this.items) {
      const chosen = n === this.chosen;
      item.classList.toggle("chosen", chosen);
      item.querySelector("button")?.setAttribute("aria-pressed", String(chosen));
    }
    const key = shown ? `${shown.n} ${shown.overlay}` : "";
    if (key === this.pictured) return;
    this.pictured = key;
    byId("seen-note").textContent = shown ? "" : "No picture yet";
    const link = /** @type {HTMLAnchorElement} */ (byId("seen-link"));
    const image = /** @type {HTMLImageElement} */ (byId("seen"));
    link.hidden = !shown;
    byId("seen-title").textContent = shown ? `Policy’s view, step ${shown.n}` : "Policy’s view";
    if (!shown) return;
    image.src = link.href = `/v1/artifacts/${shown.overlay}`;
    const app = shown.app ? ` of ${shown.app}` : "";
    image.alt = `Screen${app} with numbered marks, at step ${shown.n}. Opens the picture.`;
  }
}
