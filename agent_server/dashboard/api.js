// @ts-check
/** Requests to the server. Every refusal is problem+json and becomes a Refusal with a sentence for people. */

import { t } from "./languages.js";

/** @typedef {{id: string, task: string, serial: string, policy: string, lang: string, state: string, steps: number,
 *   outcome: null | {code: string, summary: string, advice: string, answer: string},
 *   params: Record<string, unknown>, trusted: boolean,
 *   budgets: {steps: number, seconds: number, tokens: number | null, cost_usd: number | null},
 *   usage: {input_tokens: number | null, output_tokens: number | null, calls: number, cost_usd: number | null},
 *   created_at: string, started_at: string | null, finished_at: string | null}} Run */
/** @typedef {{id: number, run_id: string, ts: string, type: string, step: number | null, actor: string,
 *   importance: number, speak: string, lang: string, data: Record<string, any>}} RunEvent */
/** @typedef {{serial: string, state: string, model: string, ready: boolean, virtual: boolean | null,
 *   run: string | null, queued: number}} Phone */

export class Refusal extends Error {
  /** @param {number} status @param {string} detail @param {string} [code] */
  constructor(status, detail, code = "") {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

/**
 * One request; its JSON answer. Rejects with Refusal; status 0 means that no server answered.
 * @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>}
 */
export async function call(method, path, body) {
  /** @type {RequestInit} */
  const options = { method, headers: { Accept: "application/json" }, credentials: "same-origin" };
  if (body !== undefined) {
    options.headers = { ...options.headers, "Content-Type": "application/json" };
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refusal(0, t("The server does not answer."));
  }
  const document = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (answer.ok) return document;
  if (answer.status === 401) throw new Refusal(401, t("Your login has ended. Open a new login link."), "unauthorized");
  throw new Refusal(answer.status, document?.detail ?? t("The server answered {status}.", { status: answer.status }), document?.code);
}

/**
 * All events of a run so far.
 * @param {string} runId @returns {Promise<RunEvent[]>}
 */
export async function pastEvents(runId) {
  /** @type {RunEvent[]} */
  const found = [];
  for (let after = 0; ; after = found[found.length - 1].id) {
    const page = await call("GET", `/v1/runs/${runId}/events?after=${after}`);
    found.push(...page.items);
    if (!page.next) return found;
  }
}
