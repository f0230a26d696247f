// @ts-check
/** What a run's events amount to: a pure function from one event and the picture so far to the next picture. */

import { language, t } from "./languages.js";

/** @typedef {import("./api.js").RunEvent} RunEvent */
/** @typedef {[number, number, number, number]} Box left, top, right, bottom as fractions */
/** @typedef {{id: string, kind: string, prompt: string, why: string, lang: string, deadline: string,
 *   options: {id: string, label: string}[], details: string[]}} Question */
/** `lang` is the language of act and thought; `box` what the act touches.
 *  @typedef {{n: number, lang: string, act: string, thought: string, result: string, tone: "" | "good" | "warn" | "bad",
 *   overlay: string, app: string, box: Box | null, over: boolean}} Step */
/** `nowLang` is the language of `now`.
 *  @typedef {{state: string, steps: Step[], now: string, nowLang: string, question: Question | null, paused: boolean, pausing: boolean,
 *   stopping: boolean, ended: boolean, last: number}} Story */

/** @returns {Story} */
export function beginning() {
  return {
    state: "queued", steps: [], now: "", nowLang: language, question: null, paused: false, pausing: false, stopping: false,
    ended: false, last: 0,
  };
}

/** Event types that change what is shown; others are ignored, as the API asks of its clients. */
export const TYPES = [
  "run.queued", "run.started", "step.started", "observation", "perception", "thought", "action.planned",
  "action.done", "action.uncertain", "action.failed", "action.blocked", "question.asked", "question.answered",
  "question.expired", "usage", "run.pausing", "run.paused", "run.resumed", "run.stopping", "run.interrupted", "run.finished",
];

/** @param {RunEvent} event @returns {Partial<Step>} */
function outcome(event) {
  const reason = event.data.reason ?? "";
  const seconds = event.data.ms === undefined ? "" : t(" after {seconds} s", { seconds: (event.data.ms / 1000).toFixed(1) });
  switch (event.type) {
    case "action.done":
      if (event.data.changed === "yes") return { result: t("Done, the screen changed{after}", { after: seconds }), tone: "good" };
      if (event.data.changed === "no") return { result: `${t("Sent, but nothing changed.")} ${reason}`.trim(), tone: "warn" };
      return { result: `${t("Done{after}.", { after: seconds })} ${reason}`.trim(), tone: "good" };
    case "action.uncertain":
      return { result: t("Perhaps done: the phone's answer was lost."), tone: "warn" };
    case "action.blocked":
      return { result: `${t("Not done.")} ${reason}`.trim(), tone: "warn" };
    default:
      return { result: `${t("Failed.")} ${reason}`.trim(), tone: "bad" };
  }
}

/** @param {RunEvent} event @returns {Question} */
function asked(event) {
  const { question_id: id, kind, why = "", deadline, options = [] } = event.data;
  const { consent } = event.data;
  const prompt = kind === "approval" && !consent ? event.speak : event.data.prompt;
  const details = consent ? [t("Sent to: {host}", consent), t("Model: {model}", consent), t("Phone: {serial}", consent)] : [];
  return { id, kind, prompt, why, deadline, options, details, lang: event.lang };
}

/** @param {Step[]} steps @param {number | null} n @param {Partial<Step>} change @returns {Step[]} */
function changed(steps, n, change) {
  return steps.map((step) => (step.n === n ? { ...step, ...change } : step));
}

/** What it does now, in the page's own words. @param {string} words */
const ours = (words) => ({ now: words, nowLang: language });
/** What it does now, in the run's words. @param {RunEvent} event */
const theirs = (event) => ({ now: event.speak, nowLang: event.lang });

/**
 * The story with one more event.
 * @param {Story} story @param {RunEvent} event @returns {Story}
 */
export function told(story, event) {
  if (event.id <= story.last) return story;
  const next = { ...story, last: event.id };
  const at = (/** @type {Partial<Step>} */ change) => changed(story.steps, event.step, change);
  switch (event.type) {
    case "step.started":
      return { ...next, ...ours(t("Looking at the screen.")), steps: [...story.steps, newStep(event.data.n)] };
    case "observation":
      return {
        ...next, ...ours(t("Thinking.")),
        steps: at({ overlay: event.data.overlay, app: event.data.app, act: t("Thinking"), lang: language }),
      };
    case "thought":
      return { ...next, steps: at({ thought: event.data.text || event.data.summary, act: t("Deciding"), lang: language }) };
    case "action.planned":
      return { ...next, ...theirs(event), steps: at({ act: event.speak, lang: event.lang, box: boxOf(event) }) };
    case "action.done":
    case "action.uncertain":
    case "action.failed":
    case "action.blocked":
      return {
        ...next, ...theirs(event),
        steps: at({ act: firstSentence(event.speak), lang: event.lang, box: boxOf(event), over: true, ...outcome(event) }),
      };
    case "question.asked":
      return {
        ...next, ...ours(t("Waiting for your answer.")), state: "waiting_for_answer", question: asked(event),
        steps: at({ act: asked(event).prompt, lang: event.lang, box: boxOf(event) }),
      };
    case "question.answered":
    case "question.expired":
      return { ...next, ...theirs(event), state: "running", question: null, steps: at({ result: event.speak, over: true }) };
    case "run.pausing":
      return { ...next, ...theirs(event), pausing: true };
    case "run.paused":
      return { ...next, ...theirs(event), state: "paused", pausing: false, paused: true };
    case "run.resumed":
      // Taken back before it took effect, a pause has not changed the state.
      return { ...next, ...theirs(event), state: story.paused ? "running" : story.state, pausing: false, paused: false };
    case "run.stopping":
      return { ...next, ...theirs(event), stopping: true };
    case "run.finished":
    case "run.interrupted":
      return {
        ...next, ...theirs(event), state: event.data.state, ended: true, paused: false, pausing: false, question: null,
        steps: story.steps.map((step) => finished(step, event)),
      };
    case "run.queued":
      return { ...next, ...theirs(event) };
    case "run.started":
      return { ...next, ...theirs(event), state: "running" };
    default:
      return next;
  }
}

/** @param {number} n @returns {Step} */
function newStep(n) {
  return {
    n, lang: language, act: t("Looking"), thought: "", result: "", tone: "", overlay: "", app: "", box: null, over: false,
  };
}

/** @param {RunEvent} event @returns {Box | null} */
function boxOf(event) {
  return event.data.target?.box ?? null;
}

/** @param {string} sentences */
function firstSentence(sentences) {
  return sentences.match(/^.*?[.。](?=\s|$)|^[^。]*。/)?.[0] ?? sentences;
}

/** A step that the end of the run cut off says so. @param {Step} step @param {RunEvent} event @returns {Step} */
function finished(step, event) {
  if (step.over) return step;
  const done = event.data.outcome?.code === "complete";
  return { ...step, over: true, lang: language, act: done ? t("Saw that the task is done") : t("The run ended here") };
}
