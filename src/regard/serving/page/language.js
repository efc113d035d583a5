// What the page says, in English and in Chinese. Each part of the page teaches its own phrases.

export const LANGUAGES = { en: "English", zh: "中文" };
const SPOKEN = { en: "en", zh: "zh-Hans" };
const phrases = new Map();
const listeners = new Set();
let spoken = "en";

/** Add phrases: a name, and what it is in English and in Chinese. */
export const teach = (more) => {
  for (const [phrase, both] of Object.entries(more)) {
    if (phrases.has(phrase)) throw new Error(`the phrase ${phrase} is taught twice`);
    phrases.set(phrase, both);
  }
};

/** A phrase in the reader's language; {0}, {1} … are filled in. What is no phrase is said as it is. */
export const say = (phrase, ...given) => {
  const both = phrases.get(phrase);
  const text = both ? both[spoken === "zh" ? 1 : 0] : String(phrase);
  return text.replace(/\{(\d)\}/g, (_, at) => given[at] ?? "");
};

/** Two wordings, side by side where they are used but once. */
export const either = (english, chinese) => (spoken === "zh" ? chinese : english);

export const language = () => spoken;
export const onSpeaking = (listen) => listeners.add(listen);
export const speak = (chosen) => {
  spoken = chosen in LANGUAGES ? chosen : "en";
  document.documentElement.lang = SPOKEN[spoken];
  rephraseAll(document);
  for (const listen of listeners) listen();
};

/** Nodes made before they stand on the page are told anew once they do. */
export const rephraseAll = (root) => root.querySelectorAll("[data-say], [data-label], [data-hint]").forEach(rephrase);

/** A node that carries phrases follows the language. */
export const rephrase = (node) => {
  if (node.dataset.say) node.textContent = say(node.dataset.say);
  if (node.dataset.label) node.setAttribute("aria-label", say(node.dataset.label));
  if (node.dataset.hint) node.title = say(node.dataset.hint);
};
