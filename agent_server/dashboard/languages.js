// @ts-check
/** The page's own words in the person's language. The English words are the key; another language is one table. */

import { ZH } from "./zh.js";

/** @type {Record<string, Record<string, string>>} */
const TABLES = { en: {}, zh: ZH };
const STORED = "tapwright.language";

/** The language of the page: the one that was chosen here, or else the first of the browser's that there is. */
export const language = (() => {
  const wanted = [localStorage.getItem(STORED) ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2));
  return wanted.find((tag) => tag in TABLES) ?? "en";
})();

/** What dates and times are written in. */
export const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;

/** Show the page in another language. @param {string} tag */
export function choose(tag) {
  localStorage.setItem(STORED, tag);
  location.reload();
}

/** The words in the page's language, with values for `{names}`. @param {string} words @param {Record<string, unknown>} [values] */
export function t(words, values = {}) {
  return (TABLES[language][words] ?? words).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

const ATTRIBUTES = ["aria-label", "placeholder", "title"];

/** Put everything that stands in the document into the page's language. */
export function translatePage() {
  document.documentElement.lang = language;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = /** @type {Text} */ (texts.currentNode);
    const words = node.data.trim();
    // Names of languages stand in their own.
    if (words && !node.parentElement?.closest("[lang]:not(html), script, noscript")) node.data = node.data.replace(words, t(words));
  }
  for (const name of ATTRIBUTES) {
    for (const one of document.querySelectorAll(`[${name}]`)) one.setAttribute(name, t(one.getAttribute(name) ?? ""));
  }
}
