// @ts-check
/** What the policy saw, in full size, step by step. */

import { t } from "./languages.js";
import { byId, placeRing } from "./words.js";

/** @typedef {import("./story.js").Step} Step */

export class PictureView {
  /** @param {(n: number) => void} shown told which step is looked at */
  constructor(shown) {
    this.shown = shown;
    this.dialog = /** @type {HTMLDialogElement} */ (byId("zoom"));
    /** @type {Step[]} */
    this.steps = [];
    this.at = 0;
    byId("zoom-before").addEventListener("click", () => this.#move(-1));
    byId("zoom-after").addEventListener("click", () => this.#move(1));
    byId("zoom-close").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("keydown", (event) => {
      if (event.key === "ArrowLeft") this.#move(-1);
      if (event.key === "ArrowRight") this.#move(1);
    });
  }

  /** @param {Step[]} steps those that have a picture @param {number} n the one to begin with */
  open(steps, n) {
    this.steps = steps;
    this.at = Math.max(0, steps.findIndex((step) => step.n === n));
    this.#draw();
    this.dialog.showModal();
  }

  close() {
    this.dialog.close();
  }

  /** @param {number} by */
  #move(by) {
    const at = this.at + by;
    if (at < 0 || at >= this.steps.length) return;
    this.at = at;
    this.#draw();
    this.shown(this.steps[at].n);
  }

  #draw() {
    const step = this.steps[this.at];
    byId("zoom-title").textContent = t("What the policy saw in step {n}", { n: step.n });
    byId("zoom-act").textContent = step.act;
    byId("zoom-act").lang = step.lang;
    const image = /** @type {HTMLImageElement} */ (byId("zoom-picture"));
    image.src = `/v1/artifacts/${step.overlay}`;
    image.alt = t("Screen with numbered marks");
    placeRing(byId("zoom-ring"), step.box);
    // Only now is it known how tall the picture is.
    image.decode().then(() => byId("zoom-ring").scrollIntoView({ block: "center" }), () => {});
    byId("zoom-before").setAttribute("aria-disabled", String(this.at === 0));
    byId("zoom-after").setAttribute("aria-disabled", String(this.at === this.steps.length - 1));
  }
}
