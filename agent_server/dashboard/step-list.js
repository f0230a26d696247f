// @ts-check
/** The steps of a run with thought, act and outcome; choosing one shows what the policy saw in it. */

import { language, t } from "./languages.js";
import { PictureView } from "./picture-view.js";
import { byId, make, placeRing } from "./words.js";

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
    this.large = new PictureView((n) => this.choose(n));
    byId("newest").addEventListener("click", () => {
      const newest = this.steps[this.steps.length - 1]?.n ?? 0;
      this.choose(0);
      this.list.querySelector(`[data-step="${newest}"]`)?.scrollIntoView({ block: "nearest" });
      /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-step="${newest}"] button`))?.focus();
    });
    byId("seen-open").addEventListener("click", () => {
      const shown = this.#shown();
      if (shown) this.large.open(this.#pictured(), shown.n);
    });
  }

  clear() {
    this.large.close();
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

  #pictured() {
    return this.steps.filter((step) => step.overlay);
  }

  #shown() {
    const pictured = this.#pictured();
    return pictured.find((step) => step.n === this.chosen) ?? pictured[pictured.length - 1];
  }

  /** Drawn anew only when it changed; the button stays, so that the focus does. @param {Step} step */
  #draw(step) {
    const words = JSON.stringify(step);
    const known = this.items.get(step.n);
    if (known?.drawn === words) return;
    const item = known?.item ?? this.#item(step.n);
    this.items.set(step.n, { item, drawn: words });
    const [act, thought, result] = ["act", "thought", "result"].map((name) => item.querySelector(`.${name}`));
    if (!(act instanceof HTMLElement) || !(thought instanceof HTMLElement) || !(result instanceof HTMLElement)) return;
    act.textContent = step.act;
    act.lang = thought.lang = step.lang;
    thought.textContent = step.thought;
    result.textContent = step.result;
    result.className = `result ${step.tone}`;
  }

  /** @param {number} n */
  #item(n) {
    const act = make("button", { class: "act", lang: language });
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
    const shown = this.#shown();
    byId("newest").hidden = !this.chosen;
    for (const [n, { item }] of this.items) {
      const chosen = n === this.chosen;
      item.classList.toggle("chosen", chosen);
      item.querySelector("button")?.setAttribute("aria-pressed", String(chosen));
    }
    placeRing(byId("seen-ring"), shown?.box ?? null);
    const key = shown ? `${shown.n} ${shown.overlay}` : "";
    if (key === this.pictured) return;
    this.pictured = key;
    byId("seen-note").textContent = shown ? "" : t("No picture yet");
    byId("seen-open").hidden = !shown;
    byId("seen-title").textContent = shown ? t("Policy’s view, step {n}", { n: shown.n }) : t("Policy’s view");
    if (!shown) return;
    const image = /** @type {HTMLImageElement} */ (byId("seen"));
    image.src = `/v1/artifacts/${shown.overlay}`;
    image.alt = shown.app
      ? t("Screen of {app} with numbered marks, at step {n}. Opens the picture.", { app: shown.app, n: shown.n })
      : t("Screen with numbered marks, at step {n}. Opens the picture.", { n: shown.n });
  }
}
