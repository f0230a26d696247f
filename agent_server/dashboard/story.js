// @ts-check
/** What a run's events amount to: a pure function from one event and the picture so far to the next picture. */

/** @typedef {import("./api.js").RunEvent} RunEvent */
/** @typedef {{id: string, kind: string, prompt: string, why: string, lang: string, deadline: string,
 *   options: {id: string, label: string}[]}} Question */
/** @typedef {{n: number, act: string, thought: string, result: string, tone: "" | "good" | "warn" | "bad",
 *   overlay: string, app: string, over: boolean}} Step */
/** @typedef {{state: string, steps: Step[], now: string, question: Question | null, paused: boolean, pausing: boolean,
 *   stopping: boolean, ended: boolean, last: number}} Story */

/** @returns {Story} */
export function beginning() {
  return {
    state: "queued", steps: [], now: "", question: null, paused: false, pausing: false, stopping: false, ended: false, last: 0,
  };
}

/** Event types that change what is shown; others are ignored, as the API asks of its clients. */
export const TYPES = [
  "run.queued", "run.started", "step.started", "observation", "perception", "thought", "action.planned",
  "action.done", "action.uncertain", "action.failed", "action.blocked", "question.asked", "question.answered",
  "question.expired", "run.pausing", "run.paused", "run.resumed", "run.stopping", "run.interrupted", "run.finished",
];

/** @param {RunEvent} event @returns {Partial<Step>} */
function outcome(event) {
  const reason = event.data.reason ?? "";
  const seconds = event.data.ms === undefined ? "" : ` after ${(event.data.ms / 1000).toFixed(1)} s`;
  switch (event.type) {
    case "action.done":
      if (event.data.changed === "yes") return { result: `Done, the screen changed${seconds}`, tone: "good" };
      if (event.data.changed === "no") return { result: `Sent, but nothing changed. ${reason}`.trim(), tone: "warn" };
      return { result: `Done${seconds}. ${reason}`.trim(), tone: "good" };
    case "action.uncertain":
      return { result: "Perhaps done: the phone's answer was lost.", tone: "warn" };
    case "action.blocked":
      return { result: `Not done. ${reason}`.trim(), tone: "warn" };
    default:
      return { result: `Failed. ${reason}`.trim(), tone: "bad" };
  }
}

/** @param {RunEvent} event @returns {Question} */
function asked(event) {
  const { question_id: id, kind, why = "", deadline, options = [] } = event.data;
  const prompt = kind === "approval" ? event.speak : event.data.prompt;
  return { id, kind, prompt, why, deadline, options, lang: event.lang };
}

/** @param {Step[]} steps @param {number | null} n @param {Partial<Step>} change @returns {Step[]} */
function changed(steps, n, change) {
  return steps.map((step) => (step.n === n ? { ...step, ...change } : step));
}

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
      return {
        ...next,
        now: "Looking at the screen.",
        steps: [...story.steps, {
          n: event.data.n, act: "Looking", thought: "", result: "", tone: "", overlay: "", app: "", over: false,
        }],
      };
    case "observation":
      return { ...next, now: "Thinking.", steps: at({ overlay: event.data.overlay, app: event.data.app, act: "Thinking" }) };
    case "thought":
      return { ...next, steps: at({ thought: event.data.text || event.data.summary, act: "Deciding" }) };
    case "action.planned":
      return { ...next, now: event.speak, steps: at({ act: event.speak }) };
    case "action.done":
    case "action.uncertain":
    case "action.failed":
    case "action.blocked":
      return { ...next, now: event.speak, steps: at({ act: firstSentence(event.speak), over: true, ...outcome(event) }) };
    case "question.asked":
      return { ...next, state: "waiting_for_answer", question: asked(event), now: "Waiting for your answer.", steps: at({ act: asked(event).prompt }) };
    case "question.answered":
    case "question.expired":
      return { ...next, state: "running", question: null, now: event.speak, steps: at({ result: event.speak, over: true }) };
    case "run.pausing":
      return { ...next, pausing: true, now: event.speak };
    case "run.paused":
      return { ...next, state: "paused", pausing: false, paused: true, now: event.speak };
    case "run.resumed":
      // Taken back before it took effect, a pause has not changed the state.
      return {
        ...next, state: story.paused ? "running" : story.state, pausing: false, paused: false, now: event.speak,
      };
    case "run.stopping":
      return { ...next, stopping: true, now: event.speak };
    case "run.finished":
    case "run.interrupted":
      return {
        ...next, state: event.data.state, ended: true, paused: false, pausing: false, question: null, now: event.speak,
        steps: story.steps.map((step) => finished(step, event)),
      };
    case "run.queued":
      return { ...next, now: event.speak };
    case "run.started":
      return { ...next, state: "running", now: event.speak };
    default:
      return next;
  }
}

/** @param {string} sentences */
function firstSentence(sentences) {
  return sentences.match(/^.*?[.。](?=\s|$)|^[^。]*。/)?.[0] ?? sentences;
}

/** A step that the end of the run cut off says so. @param {Step} step @param {RunEvent} event @returns {Step} */
function finished(step, event) {
  if (step.over) return step;
  const done = event.data.outcome?.code === "complete";
  return { ...step, over: true, act: done ? "Saw that the task is done" : "The run ended here" };
}
