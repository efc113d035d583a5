// Making nodes. Every word of the reader's is set as text and never parsed as markup.

import { rephrase, say, teach } from "./language.js";

teach({
  saved: ["Saved {0}.", "已保存 {0}。"],
  copied: ["Copied.", "已复制。"],
});

export const SVG = "http://www.w3.org/2000/svg";

/** An element; `say` and `label` are phrases that follow the language, `on…` are listeners. */
export const el = (tag, about = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(about)) {
    if (name === "say") node.dataset.say = value;
    else if (name === "label") node.dataset.label = value;
    else if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  rephrase(node);
  return node;
};

/** An element of a picture. */
export const draw = (tag, about = {}, ...children) => {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(about)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
};

/** A control with its name above; `hint` tells more where one rests on it. */
export const field = (phrase, control, hint = null) => {
  if (hint) control.dataset.hint = hint;
  rephrase(control);
  return el("label", { class: "field" }, el("span", { say: phrase }), control);
};
export const tick = (phrase, change, checked = false) => {
  const box = el("input", { type: "checkbox", checked, onchange: () => change(box.checked) });
  return { box, label: el("label", { class: "tick" }, box, el("span", { say: phrase })) };
};
export const button = (phrase, act, about = {}) => el("button", { type: "button", say: phrase, onclick: act, ...about });

/** A few choices side by side, one of them pressed. */
export const segments = (phrase, choices, choose) => {
  const buttons = choices.map((choice) => button(choice, () => choose(choice)));
  const group = el("div", { class: "segments", role: "group", label: phrase }, ...buttons);
  const show = (current) => buttons.forEach((each, at) => each.setAttribute("aria-pressed", String(choices[at] === current)));
  return { group, show };
};

/** A slide with its number beside it. */
export const slide = (phrase, { min, max, step, value, write = String, change }) => {
  const input = el("input", { type: "range", min, max, step, label: phrase });
  const output = el("output");
  input.value = String(value);
  const show = () => {
    output.textContent = write(Number(input.value));
    input.setAttribute("aria-valuetext", output.textContent);
  };
  input.addEventListener("input", () => (show(), change(Number(input.value))));
  show();
  const set = (to) => ((input.value = String(to)), show());
  return { input, set, show, label: el("label", { class: "slide" }, el("span", { say: phrase }), input, output) };
};

/** Fill a list of choices; one that is as it was is left alone, for it may stand open. */
export const fill = (select, options, current) => {
  const same = select.options.length === options.length && options.every(([value, text], at) => select.options[at].value === String(value) && select.options[at].textContent === text);
  if (!same) select.replaceChildren(...options.map(([value, text]) => el("option", { value, text })));
  if (!same || select.value !== String(current)) select.value = String(current);
};

/** Put others into a group; whoever had the focus has it at the same place. */
export const refill = (group, children) => {
  const at = [...group.children].indexOf(document.activeElement);
  group.replaceChildren(...children);
  if (at >= 0) group.children[Math.min(at, children.length - 1)]?.focus();
};

/** Hear what is typed once it stands: a word that is still being composed, as in Chinese, is waited for. */
export const hears = (input, act) => {
  input.addEventListener("input", (event) => event.isComposing || act());
  input.addEventListener("compositionend", () => act());
  return input;
};

/** One stop of the tab key for a whole group; arrow keys walk inside it. */
export const walks = (group) => {
  const all = () => [...group.querySelectorAll("button")];
  group.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    if (!(event.key in steps) || event.target.tagName !== "BUTTON") return;
    event.preventDefault();
    const buttons = all();
    buttons[Math.min(Math.max(buttons.indexOf(event.target) + steps[event.key], 0), buttons.length - 1)].focus();
  });
  group.addEventListener("focusin", (event) => {
    if (event.target.tagName === "BUTTON") for (const each of all()) each.tabIndex = each === event.target ? 0 : -1;
  });
  return group;
};

// ---------------------------------------------------------------- saying things aloud, numbers, files

const live = el("p", { class: "unseen", role: "status", "aria-live": "polite" });
document.body.append(live);
export const announce = (text) => (live.textContent = text);

const toast = el("p", { class: "toast", "aria-hidden": "true", hidden: true });
document.body.append(toast);
let fading;
/** Say it aloud, and show it for a moment. */
export const notice = (text) => {
  announce(text);
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(fading);
  fading = setTimeout(() => (toast.hidden = true), 2500);
};

export const copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const lent = el("textarea", { class: "unseen", "aria-hidden": "true", tabindex: "-1" });
    const had = document.activeElement;
    lent.value = text;
    document.body.append(lent);
    lent.select();
    document.execCommand("copy");
    lent.remove();
    had?.focus();
  }
  notice(say("copied"));
};

export const written = (value, digits = 3) =>
  Number.isFinite(value) ? value.toFixed(digits).replace("-", "−") : value < 0 ? "−∞" : value > 0 ? "∞" : "–";
export const percent = (value) => (value > 0 && value < 0.0005 ? "< 0.1 %" : `${(100 * value).toFixed(value > 0.995 || value < 0.0995 ? 1 : 0)} %`);

export const download = (content, name) => {
  const address = URL.createObjectURL(content);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  notice(say("saved", name));
};

/** A drawing as a file of its own: what it shows, on paper. */
export const saveSvg = (svg, name) =>
  download(new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" }), `${name}.svg`);
export const savePng = async (svg, name) => {
  const [width, height] = ["width", "height"].map((side) => Number(svg.getAttribute(side)));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const scale = Math.min(2, 8000 / Math.max(width, height));
  const onto = el("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  onto.getContext("2d").drawImage(image, 0, 0, onto.width, onto.height);
  onto.toBlob((content) => download(content, `${name}.png`), "image/png");
};

/** Do something once the reader has paused. */
export const paused = (milliseconds, act) => {
  let waiting;
  return (...given) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => act(...given), milliseconds);
  };
};

/** Draw once, in the next frame, however often it is asked for. */
export const nextFrame = (act) => {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => ((asked = false), act()));
  };
};
