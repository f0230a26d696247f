// @ts-check
/** Words of the page for states and times, and the two shortest ways into the document. */

/** @type {Record<string, [string, string]>} a state's words and tone */
export const STATES = {
  queued: ["Waiting for its phone", ""],
  running: ["Running", "live"],
  waiting_for_answer: ["Needs your answer", "warn"],
  paused: ["Paused", "warn"],
  succeeded: ["Done", "good"],
  failed: ["Failed", "bad"],
  stopped: ["Stopped", ""],
  expired: ["Out of budget", "warn"],
  interrupted: ["Interrupted", "bad"],
};
export const ENDED = new Set(["succeeded", "failed", "stopped", "expired", "interrupted"]);

/** @param {string} state @returns {[string, string]} */
export function stateWords(state) {
  return STATES[state] ?? [state, ""];
}

/** @param {string | null} moment */
export function clock(moment) {
  if (!moment) return "";
  const then = new Date(moment);
  const today = then.toDateString() === new Date().toDateString();
  const time = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return today ? time : `${then.toLocaleDateString([], { day: "numeric", month: "short" })}, ${time}`;
}

/**
 * An element that stands in the page.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id @returns {T}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return /** @type {T} */ (found);
}

/**
 * A new element. Text is set as text, never as HTML: it may come from a screen.
 * @param {string} tag @param {{class?: string, text?: string, lang?: string}} [is] @param {(Node | null)[]} [inside]
 */
export function make(tag, is = {}, inside = []) {
  const element = document.createElement(tag);
  if (is.class) element.className = is.class;
  if (is.text !== undefined) element.textContent = is.text;
  if (is.lang) element.lang = is.lang;
  element.append(...inside.filter((one) => one !== null));
  return element;
}
