// @ts-check
/** The page for a new run: task, phone, policy, and the phone's screen beside them. */

import { call } from "./api.js";
import { LivePicture } from "./live.js";
import { byId } from "./words.js";

/** @typedef {import("./api.js").Phone} Phone */

export class StartView {
  /** @param {(runId: string) => void} started */
  constructor(started) {
    this.started = started;
    this.live = new LivePicture(byId("preview-canvas"), byId("preview-note"));
    this.phone = /** @type {HTMLSelectElement} */ (byId("phone"));
    this.policy = /** @type {HTMLSelectElement} */ (byId("policy"));
    /** @type {Phone[]} */
    this.phones = [];
    /** @type {{name: string, description: string, remote_model: string}[]} */
    this.policies = [];
    this.open = false;
    this.phone.addEventListener("change", () => this.#preview());
    this.policy.addEventListener("change", () => this.#policyHelp());
    byId("describe").addEventListener("click", () => this.#describe());
    byId("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#begin();
    });
  }

  async show() {
    this.open = true;
    byId("start").hidden = false;
    if (!this.policies.length) {
      this.policies = (await call("GET", "/v1/policies")).items;
      this.policy.replaceChildren(...this.policies.map((one) => new Option(one.name, one.name)));
      if (this.policies.some((one) => one.name === "follow")) this.policy.value = "follow";
      this.#policyHelp();
    }
    await this.refresh();
  }

  hide() {
    this.open = false;
    byId("start").hidden = true;
    this.live.watch("", "");
  }

  /** Read the phones anew. Rejects with Refusal. */
  async refresh() {
    const phones = (await call("GET", "/v1/devices")).items;
    if (!this.open) return;
    const before = this.phone.value;
    if (JSON.stringify(phones) !== JSON.stringify(this.phones) || !this.phone.options.length) {
      this.phones = phones;
      this.phone.replaceChildren(...this.phones.map((one) => {
        const option = new Option(`${one.model.replaceAll("_", " ") || "Phone"} (${one.serial})`, one.serial);
        option.disabled = !one.ready;
        return option;
      }));
      const ready = this.phones.filter((one) => one.ready).map((one) => one.serial);
      this.phone.value = ready.includes(before) ? before : (ready[0] ?? "");
    }
    this.#preview();
  }

  #preview() {
    const phone = this.phones.find((one) => one.serial === this.phone.value);
    const help = !this.phones.length
      ? "No phone is connected. Plug one in, or start one with: tapwright phone"
      : !phone
        ? "No phone is ready. Unlock it and allow USB debugging."
        : phone.run
          ? "It works on a run; a new one waits for its turn."
          : "";
    byId("phone-help").textContent = help;
    byId("describe").hidden = !phone;
    this.live.watch(phone?.serial ?? "", phone?.model.replaceAll("_", " ") ?? "", "No phone is ready");
  }

  #policyHelp() {
    const policy = this.policies.find((one) => one.name === this.policy.value);
    const sends = policy?.remote_model ? ` Pictures of the screen are sent to ${policy.remote_model}.` : "";
    byId("policy-help").textContent = policy ? policy.description + sends : "";
  }

  async #describe() {
    const out = byId("description");
    out.textContent = "Looking …";
    try {
      const serial = encodeURIComponent(this.phone.value);
      out.textContent = (await call("GET", `/v1/devices/${serial}/description`)).text;
    } catch (error) {
      out.textContent = /** @type {Error} */ (error).message;
    }
  }

  /** @returns {Record<string, unknown>} the request's body; throws SyntaxError for parameters that are no JSON */
  #wish() {
    const value = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (byId(id)).value.trim();
    /** @type {Record<string, unknown>} */
    const wish = { task: value("task"), policy: this.policy.value, lang: value("lang") };
    wish.trusted = /** @type {HTMLInputElement} */ (byId("trusted")).checked;
    if (this.phone.value) wish.serial = this.phone.value;
    if (value("params")) wish.params = JSON.parse(value("params"));
    /** @type {Record<string, number>} */
    const budgets = {};
    if (value("steps-most")) budgets.steps = Number(value("steps-most"));
    if (value("seconds-most")) budgets.seconds = Number(value("seconds-most"));
    return { ...wish, budgets };
  }

  async #begin() {
    const error = byId("form-error");
    const button = byId("begin");
    if (button.getAttribute("aria-disabled") === "true") return;
    error.textContent = "";
    button.setAttribute("aria-disabled", "true");
    try {
      const run = await call("POST", "/v1/runs", this.#wish());
      /** @type {HTMLTextAreaElement} */ (byId("task")).value = "";
      this.started(run.id);
    } catch (refusal) {
      const words = /** @type {Error} */ (refusal);
      error.textContent = words instanceof SyntaxError ? `The parameters are not JSON: ${words.message}` : words.message;
      byId(words instanceof SyntaxError ? "params" : "task").focus();
    } finally {
      button.removeAttribute("aria-disabled");
    }
  }
}
