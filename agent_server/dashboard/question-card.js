// @ts-check
/** A question that waits for a person: buttons for its options, and a field for an answer in free words. */

import { call } from "./api.js";
import { byId, make } from "./words.js";

/** @typedef {import("./story.js").Question} Question */

export class QuestionCard {
  constructor() {
    /** @type {Question | null} */
    this.question = null;
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
    byId("answer-label").textContent = question.options.length ? "Or answer in your own words" : "Your answer";
    const until = new Date(question.deadline).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    byId("question-deadline").textContent = `Without an answer by ${until} it counts as no.`;
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
    error.textContent = "";
    if (!question) return;
    if (!said.trim()) {
      error.textContent = "Write an answer first.";
      this.field.focus();
      return;
    }
    try {
      await call("POST", `/v1/questions/${question.id}/answer`, { answer: said });
    } catch (refusal) {
      error.textContent = /** @type {Error} */ (refusal).message;
      this.field.focus();
    }
  }
}
