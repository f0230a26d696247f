// @ts-check
/** Fields for a policy's parameters, made from their JSON Schema. What has no field can be given as JSON. */

import { t } from "./languages.js";
import { make } from "./words.js";

/** @typedef {{type?: string, enum?: unknown[], anyOf?: Schema[], default?: unknown}} Schema */
/** @typedef {{properties?: Record<string, Schema>, required?: string[]}} ObjectSchema */

const PLAIN = new Set(["string", "boolean", "integer", "number"]);

/** The schema without "or nothing". @param {Schema} schema @returns {Schema} */
function core(schema) {
  return schema.anyOf?.find((one) => one.type !== "null") ?? schema;
}

/** @param {Schema} schema @param {boolean} required */
function control(schema, required) {
  const { type, enum: choices } = core(schema);
  const usual = schema.default === null || schema.default === undefined || schema.default === "" ? "" : String(schema.default);
  const options = choices?.map(String) ?? (type === "boolean" ? ["true", "false"] : null);
  if (options) {
    const select = document.createElement("select");
    const none = usual ? t("As usual ({value})", { value: usual }) : required ? t("Choose one") : t("As usual");
    select.append(new Option(none, ""), ...options.map((one) => new Option(one, one)));
    return select;
  }
  const input = document.createElement("input");
  input.autocomplete = "off";
  input.spellcheck = false;
  input.placeholder = usual;
  if (type === "integer" || type === "number") input.inputMode = "decimal";
  return input;
}

export class ParamFields {
  /** @param {HTMLElement} needed where fields go that must be filled @param {HTMLElement} further where others go */
  constructor(needed, further) {
    this.needed = needed;
    this.further = further;
    /** @type {Map<string, {field: HTMLInputElement | HTMLSelectElement, schema: Schema, required: boolean}>} */
    this.fields = new Map();
  }

  /** Show the fields of a policy. @param {ObjectSchema} schema */
  show(schema) {
    this.fields.clear();
    this.needed.replaceChildren();
    this.further.replaceChildren();
    for (const [name, one] of Object.entries(schema.properties ?? {})) {
      if (!PLAIN.has(core(one).type ?? "") && !core(one).enum) continue;
      const required = schema.required?.includes(name) ?? false;
      const field = control(one, required);
      field.id = `param-${name}`;
      field.required = required;
      const label = make("label", { class: "code", text: name, lang: "en" });
      label.setAttribute("for", field.id);
      (required ? this.needed : this.further).append(make("div", { class: "field" }, [label, field]));
      this.fields.set(name, { field, schema: one, required });
    }
  }

  /** What is filled in, in the schema's types. Throws an Error that names an empty field that must be filled. */
  values() {
    /** @type {Record<string, unknown>} */
    const found = {};
    for (const [name, { field, schema, required }] of this.fields) {
      const said = field.value.trim();
      const { type } = core(schema);
      if (!said && required) throw new MissingParam(t("{name} is needed by this policy.", { name }), field);
      if (!said) continue;
      found[name] = type === "boolean" ? said === "true" : type === "integer" || type === "number" ? number(said) : said;
    }
    return found;
  }

  /** Fill in what another run had; gives back what has no field. @param {Record<string, unknown>} params */
  fill(params) {
    /** @type {Record<string, unknown>} */
    const left = {};
    for (const [name, value] of Object.entries(params)) {
      const known = this.fields.get(name);
      if (known) known.field.value = value === null ? "" : String(value);
      else left[name] = value;
    }
    return left;
  }
}

export class MissingParam extends Error {
  /** @param {string} words @param {HTMLElement} field */
  constructor(words, field) {
    super(words);
    this.field = field;
  }
}

/** What is no number is sent as it is: the server says what is wrong with it. @param {string} said */
function number(said) {
  return Number.isFinite(Number(said)) ? Number(said) : said;
}
