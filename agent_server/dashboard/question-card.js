// @ts-check
/** A question that waits for a person: buttons for its options, and a field for an answer in free words. */

import { call } from "./api.js";
import { locale, t } from "./languages.js";
import { byId, make } from "./words.js";

/** @typedef {import("./story.js").Question} Question */

export class QuestionCard {
  constructor() {
    /** @type {Question | null} */
    this.question = null;
    this.sending = false;
    this.field = /** @type {HTMLInputElement} */ (byId("answer"));
    byId("answer-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#answer(this.field.value);
    });
  }

  /** @param {Question | null} question */
  show(question) {
    if (question?.id === this.question?.id) return;
    const card = byId("question");
    const focused = card.contains(document.activeElement);
    this.question = question;
    card.hidden = !question;
    byId("answer-error").textContent = "";
    this.field.value = "";
    if (question) this.#fill(question);
    else if (focused) byId("run-task").focus();
  }

  /** @param {Question} question */
  #fill(question) {
    const prompt = byId("question-prompt");
    prompt.textContent = question.prompt;
    prompt.lang = question.lang;
    byId("question-why").textContent = question.why;
    byId("question-why").lang = question.lang;
    byId("question-details").replaceChildren(...question.details.map((line) => make("li", { text: line })));
    byId("answer-label").textContent = question.options.length ? t("Or answer in your own words") : t("Your answer");
    const until = new Date(question.deadline).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });
    byId("question-deadline").textContent = t("Without an answer by {time} it counts as no.", { time: until });
    byId("options").replaceChildren(...question.options.map((option) => {
      const button = make("button", { text: option.label, lang: question.lang });
      button.setAttribute("type", "button");
      button.addEventListener("click", () => this.#answer(option.id));
      return button;
    }));
  }

  /** @param {string} said */
  async #answer(said) {
    const question = this.question;
    const error = byId("answer-error");
    if (!question || this.sending) return;
    error.textContent = "";
    if (!said.trim()) {
      error.textContent = t("Write an answer first.");
      this.field.focus();
      return;
    }
    this.sending = true;
    try {
      await call("POST", `/v1/questions/${question.id}/answer`, { answer: said });
    } catch (refusal) {
      error.textContent = /** @type {Error} */ (refusal).message;
      this.field.focus();
    } finally {
      this.sending = false;
    }
  }
}
