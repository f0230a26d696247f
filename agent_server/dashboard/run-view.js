// @ts-check
/** One run: what it does now, its pictures, its steps, and the ways to steer it. */

import { call, pastEvents } from "./api.js";
import { t } from "./languages.js";
import { LivePicture } from "./live.js";
import { QuestionCard } from "./question-card.js";
import { StepList } from "./step-list.js";
import { beginning, told, TYPES } from "./story.js";
import { byId, clock, ENDED, spent, stateWords } from "./words.js";

/** @typedef {import("./api.js").Run} Run */
/** @typedef {import("./api.js").RunEvent} RunEvent */

/** Milliseconds until a stream that the browser has given up is asked for again. */
const AGAIN = 2000;

export class RunView {
  /** @param {import("./speech.js").Speech} speech @param {() => void} moved told when the run's state may have changed */
  constructor(speech, moved) {
    this.speech = speech;
    this.moved = moved;
    this.live = new LivePicture(byId("live-canvas"), byId("live-note"));
    this.question = new QuestionCard();
    this.steps = new StepList();
    /** @type {Run | null} */
    this.run = null;
    /** @type {EventSource | null} */
    this.source = null;
    this.story = beginning();
    this.wanted = "";
    /** How many times the run was read; answers of older readings are dropped. */
    this.asked = 0;
    for (const verb of ["pause", "resume", "stop"]) byId(verb).addEventListener("click", () => this.#steer(verb));
  }

  /** Open a run. Rejects with Refusal. @param {string} runId */
  async show(runId) {
    this.hide();
    this.wanted = runId;
    const [run, events] = await Promise.all([call("GET", `/v1/runs/${runId}`), pastEvents(runId)]);
    if (this.wanted !== runId) return;
    this.run = run;
    // What lies behind is shown, not said: only what happens from now on is news.
    this.story = events.reduce(told, beginning());
    byId("run").hidden = false;
    this.#head();
    this.#draw();
    if (this.story.question) this.speech.hear({ importance: 3, speak: this.story.question.prompt, lang: run.lang });
    if (!this.story.ended) this.#follow(runId);
    this.#picture();
    this.moved();
  }

  hide() {
    this.wanted = "";
    this.source?.close();
    this.source = null;
    this.run = null;
    this.story = beginning();
    this.steps.clear();
    this.question.show(null);
    this.speech.hush();
    this.live.watch("", "");
    byId("run-error").textContent = "";
    byId("run").hidden = true;
  }

  /** @param {string} runId */
  #follow(runId) {
    const source = new EventSource(`/v1/runs/${runId}/events?after=${this.story.last}`);
    this.source = source;
    for (const type of TYPES) {
      source.addEventListener(type, (message) => {
        if (source === this.source) this.#hear(JSON.parse(/** @type {MessageEvent} */ (message).data));
      });
    }
    source.addEventListener("error", () => {
      if (source !== this.source) return;
      this.moved();
      // A cut line the browser takes up again by itself; after a refusal it never does.
      if (source.readyState === EventSource.CLOSED) setTimeout(() => source === this.source && this.#follow(runId), AGAIN);
    });
  }

  /** @param {RunEvent} event */
  #hear(event) {
    this.story = told(this.story, event);
    this.speech.hear(event);
    this.#head();
    this.#draw();
    if (/^(run|question)\.|^usage$/.test(event.type)) this.#reread();
    if (this.story.ended) {
      this.source?.close();
      this.source = null;
      this.#picture();
    }
  }

  async #reread() {
    const runId = this.wanted;
    const mine = (this.asked += 1);
    const run = await call("GET", `/v1/runs/${runId}`).catch(() => null);
    // Answers may overtake each other: only the one that was asked for last is the newest.
    if (run && this.wanted === runId && this.asked === mine) {
      this.run = run;
      this.#head();
      this.moved();
    }
  }

  #head() {
    const run = this.run;
    if (!run) return;
    // The state is the story's own: what was read of the run beside it may be older.
    const [words, tone] = stateWords(this.story.state);
    byId("run-task").textContent = run.task;
    document.title = `${words}: ${run.task.slice(0, 60)} · Tapwright`;
    const chip = byId("run-state");
    chip.textContent = words;
    chip.className = `chip ${tone}`;
    const seconds = run.started_at && run.finished_at ? (Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000 : 0;
    byId("run-facts").textContent = [
      t("Policy {name}", { name: run.policy }), run.serial, clock(run.created_at),
      seconds ? t("{seconds} s", { seconds: Math.round(seconds) }) : "", spent(run.usage),
    ].filter(Boolean).join(" · ");
    byId("advice").textContent = run.outcome?.advice ?? "";
    byId("now-card").className = `now card ${tone}`;
  }

  #draw() {
    const { story } = this;
    const now = byId("now");
    now.textContent = story.now;
    now.lang = story.nowLang;
    this.steps.show(story.steps);
    this.question.show(story.question);
    // The question says what is waited for; the place it takes is the pictures'.
    byId("now-card").hidden = story.question !== null;
    this.#buttons();
  }

  #buttons() {
    const { story } = this;
    const over = ENDED.has(story.state);
    const active = !over && story.state !== "queued";
    const focused = document.activeElement?.id ?? "";
    byId("pause").hidden = !active || story.paused || story.pausing;
    byId("resume").hidden = !active || !(story.paused || story.pausing);
    byId("stop").hidden = over;
    const again = /** @type {HTMLAnchorElement} */ (byId("again"));
    again.hidden = !over;
    again.href = `#/again/${this.wanted}`;
    // A button that has gone must not take the focus with it.
    if (["pause", "resume", "stop"].includes(focused) && byId(focused).hidden) {
      const heir = ["pause", "resume", "run-task"].map((id) => byId(id)).find((one) => !one.hidden);
      heir?.focus();
    }
  }

  #picture() {
    const shown = this.run !== null && !this.story.ended;
    byId("live").hidden = !shown;
    document.querySelector(".stage")?.classList.toggle("past", !shown);
    this.live.watch(shown ? (this.run?.serial ?? "") : "", this.run?.serial ?? "");
  }

  /** @param {string} verb */
  async #steer(verb) {
    const error = byId("run-error");
    error.textContent = "";
    try {
      await call("POST", `/v1/runs/${this.wanted}/${verb}`);
    } catch (refusal) {
      error.textContent = /** @type {Error} */ (refusal).message;
    }
  }
}
