// @ts-check
/** Words of the page for states and times, and the shortest ways into the document. */

import { locale, t } from "./languages.js";

/** @type {Record<string, [string, string]>} a state's words and tone */
export const STATES = {
  queued: [t("Waiting for its phone"), ""],
  running: [t("Running"), "live"],
  waiting_for_answer: [t("Needs your answer"), "warn"],
  paused: [t("Paused"), "warn"],
  succeeded: [t("Done"), "good"],
  failed: [t("Failed"), "bad"],
  stopped: [t("Stopped"), ""],
  expired: [t("Out of budget"), "warn"],
  interrupted: [t("Interrupted"), "bad"],
};
export const ENDED = new Set(["succeeded", "failed", "stopped", "expired", "interrupted"]);

/** @param {string} state @returns {[string, string]} */
export function stateWords(state) {
  return STATES[state] ?? [state, ""];
}

/** The time of a moment of today, with its day otherwise. @param {string | null} moment */
export function clock(moment) {
  if (!moment) return "";
  const then = new Date(moment);
  const today = then.toDateString() === new Date().toDateString();
  const time = then.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });
  return today ? time : `${then.toLocaleDateString(locale, { day: "numeric", month: "short" })}, ${time}`;
}

/** What the models of a run have cost; empty while none was asked. @param {import("./api.js").Run["usage"]} usage */
export function spent(usage) {
  if (!usage?.calls) return "";
  const both = usage.input_tokens === null || usage.output_tokens === null ? null : usage.input_tokens + usage.output_tokens;
  const tokens = both === null ? t("tokens unknown") : t("{n} tokens", { n: both.toLocaleString(locale) });
  const cost = usage.cost_usd === null ? t("price unknown") : `$${usage.cost_usd.toFixed(usage.cost_usd < 1 ? 4 : 2)}`;
  return `${tokens} · ${cost}`;
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

/** Frame what an act touches. @param {HTMLElement} frame @param {[number, number, number, number] | null} box fractions */
export function placeRing(frame, box) {
  frame.hidden = !box;
  if (!box) return;
  const [left, top, right, bottom] = box.map((share) => share * 100);
  Object.assign(frame.style, {
    left: `${left}%`, top: `${top}%`, width: `${right - left}%`, height: `${bottom - top}%`,
  });
}
