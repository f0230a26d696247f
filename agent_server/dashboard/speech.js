// @ts-check
/** What a screen reader hears: one polite sentence at a time, questions and failures at once. */

/** Milliseconds between two polite sentences; a quicker change would cut the one before off. */
const PACE = 1500;
const PROGRESS = 1;
const ALERT = 3;

export class Speech {
  /** @param {HTMLElement} polite @param {HTMLElement} urgent */
  constructor(polite, urgent) {
    this.polite = polite;
    this.urgent = urgent;
    this.waiting = "";
    this.lang = "en";
    this.free = 0;
  }

  /** @param {{importance: number, speak: string, lang: string}} event */
  hear(event) {
    if (event.importance >= ALERT) {
      this.waiting = "";
      this.urgent.lang = event.lang;
      this.urgent.textContent = event.speak;
    } else if (event.importance >= PROGRESS) {
      // Of several sentences that would come at once only the newest is said.
      const idle = !this.waiting;
      this.waiting = event.speak;
      this.lang = event.lang;
      if (idle) setTimeout(() => this.#say(), Math.max(0, this.free - Date.now()));
    }
  }

  #say() {
    if (!this.waiting) return;
    this.polite.lang = this.lang;
    this.polite.textContent = this.waiting;
    this.waiting = "";
    this.free = Date.now() + PACE;
  }

  /** Forget what was said of another run. */
  hush() {
    this.waiting = "";
    this.polite.textContent = "";
    this.urgent.textContent = "";
  }
}
