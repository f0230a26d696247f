// @ts-check
/** The page for a new run: task, phone, policy with its parameters, and the phone's screen beside them. */

import { call } from "./api.js";
import { language, t } from "./languages.js";
import { LivePicture } from "./live.js";
import { MissingParam, ParamFields } from "./param-fields.js";
import { byId } from "./words.js";

/** @typedef {import("./api.js").Phone} Phone */
/** @typedef {import("./api.js").Run} Run */
/** @typedef {{name: string, description: string, remote_model: string,
 *   params: import("./param-fields.js").ObjectSchema}} Policy */

const BUDGETS = [["steps", "steps-most"], ["seconds", "seconds-most"], ["tokens", "tokens-most"], ["cost_usd", "cost-most"]];

/** @param {string} id */
const field = (id) => /** @type {HTMLInputElement} */ (byId(id));

export class StartView {
  /** @param {(runId: string) => void} started */
  constructor(started) {
    this.started = started;
    this.live = new LivePicture(byId("preview-canvas"), byId("preview-note"));
    this.phone = /** @type {HTMLSelectElement} */ (byId("phone"));
    this.policy = /** @type {HTMLSelectElement} */ (byId("policy"));
    this.params = new ParamFields(byId("params-needed"), byId("params-further"));
    /** @type {Phone[]} */
    this.phones = [];
    /** @type {Policy[]} */
    this.policies = [];
    this.open = false;
    field("lang").value = language;
    this.phone.addEventListener("change", () => this.#preview());
    this.policy.addEventListener("change", () => this.#choosePolicy());
    byId("describe").addEventListener("click", () => this.#describe());
    byId("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#begin();
    });
    byId("task").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#begin();
    });
  }

  /** Show the form, filled in like a run that was before. Rejects with Refusal. @param {string} [like] a run's name */
  async show(like = "") {
    this.open = true;
    byId("start").hidden = false;
    byId("description").textContent = "";
    if (!this.policies.length) {
      this.policies = (await call("GET", "/v1/policies")).items;
      this.policy.replaceChildren(...this.policies.map((one) => new Option(one.name, one.name)));
      if (this.policies.some((one) => one.name === "follow")) this.policy.value = "follow";
      this.#choosePolicy();
    }
    await this.refresh();
    if (like) this.#fill(await call("GET", `/v1/runs/${like}`));
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
        const option = new Option(this.#nameOf(one), one.serial);
        option.disabled = !one.ready;
        return option;
      }));
      if (!this.phones.some((one) => one.ready)) this.phone.prepend(new Option(t("No phone is ready"), ""));
      const ready = this.phones.filter((one) => one.ready).map((one) => one.serial);
      this.phone.value = ready.includes(before) ? before : (ready[0] ?? "");
    }
    this.#preview();
  }

  /** @param {Run} run */
  #fill(run) {
    field("task").value = run.task;
    this.policy.value = run.policy;
    this.#choosePolicy();
    const left = this.params.fill(run.params);
    field("params").value = Object.keys(left).length ? JSON.stringify(left, null, 1) : "";
    for (const [name, id] of BUDGETS) {
      const most = run.budgets[/** @type {keyof Run["budgets"]} */ (name)];
      field(id).value = most === null ? "" : String(most);
    }
    field("lang").value = run.lang;
    // Trust is given anew each time.
    field("trusted").checked = false;
    if (this.phones.some((one) => one.serial === run.serial && one.ready)) this.phone.value = run.serial;
    this.#preview();
    if (Object.keys(left).length) /** @type {HTMLDetailsElement} */ (byId("more")).open = true;
  }

  /** Its model, and its serial where several have the same. @param {Phone} phone */
  #nameOf(phone) {
    const model = modelOf(phone);
    if (!model) return phone.serial;
    return this.phones.filter((one) => modelOf(one) === model).length > 1 ? `${model} (${phone.serial})` : model;
  }

  #preview() {
    const phone = this.phones.find((one) => one.serial === this.phone.value);
    byId("phone-help").textContent = !this.phones.length
      ? t("No phone is connected. Plug one in, or start one with: tapwright phone")
      : !phone
        ? t("No phone is ready. Unlock it and allow USB debugging.")
        : phone.run
          ? `${phone.serial}. ${t("It works on a run; a new one waits for its turn.")}`
          : phone.serial;
    byId("describe").hidden = !phone;
    this.live.watch(phone?.serial ?? "", phone ? modelOf(phone) : "", t("No phone is ready"));
  }

  #choosePolicy() {
    const policy = this.policies.find((one) => one.name === this.policy.value);
    const sends = policy?.remote_model ? ` ${t("Pictures of the screen are sent to {model}.", { model: policy.remote_model })}` : "";
    byId("policy-help").textContent = policy ? policy.description + sends : "";
    this.params.show(policy?.params ?? {});
  }

  async #describe() {
    const out = byId("description");
    out.textContent = t("Looking …");
    try {
      const serial = encodeURIComponent(this.phone.value);
      const description = await call("GET", `/v1/devices/${serial}/description?lang=${language}`);
      out.lang = description.lang;
      out.textContent = description.text;
    } catch (error) {
      out.lang = language;
      out.textContent = /** @type {Error} */ (error).message;
    }
  }

  /** @returns {Record<string, unknown>} the request's body; throws SyntaxError for what is no JSON, and MissingParam */
  #wish() {
    const value = (/** @type {string} */ id) => field(id).value.trim();
    /** @type {Record<string, unknown>} */
    const wish = { task: value("task"), policy: this.policy.value, lang: value("lang") };
    wish.trusted = field("trusted").checked;
    if (this.phone.value) wish.serial = this.phone.value;
    wish.params = { ...this.params.values(), ...(value("params") ? JSON.parse(value("params")) : {}) };
    wish.budgets = Object.fromEntries(
      BUDGETS.filter(([, id]) => value(id)).map(([name, id]) => [name, Number(value(id))]),
    );
    return wish;
  }

  async #begin() {
    const error = byId("form-error");
    const button = byId("begin");
    if (button.getAttribute("aria-disabled") === "true") return;
    error.textContent = "";
    if (!this.phone.value) {
      error.textContent = byId("phone-help").textContent;
      this.phone.focus();
      return;
    }
    button.setAttribute("aria-disabled", "true");
    try {
      const run = await call("POST", "/v1/runs", this.#wish());
      field("task").value = "";
      this.started(run.id);
    } catch (refusal) {
      this.#refused(/** @type {Error} */ (refusal));
    } finally {
      button.removeAttribute("aria-disabled");
    }
  }

  /** Say what is wrong, and go to where it can be mended. @param {Error} refusal */
  #refused(refusal) {
    const json = refusal instanceof SyntaxError;
    const place = json ? byId("params") : refusal instanceof MissingParam ? refusal.field : byId("task");
    byId("form-error").textContent = json ? t("The parameters are not JSON: {why}", { why: refusal.message }) : refusal.message;
    const folded = place.closest("details");
    if (folded) folded.open = true;
    place.focus();
  }
}

/** @param {Phone} phone */
function modelOf(phone) {
  return phone.model.replaceAll("_", " ");
}
