// The studio: tabs over what a run can do. No dependency, no build, no address but this server's.

import { tab as arithmetic } from "./arithmetic.js";
import { ask, served, useKey } from "./asking.js";
import { chooseTheme, onTheme, themeChosen } from "./colours.js";
import { tab as ladder } from "./ladder.js";
import { language, LANGUAGES, onSpeaking, rephraseAll, say, speak, teach } from "./language.js";
import { tab as look } from "./look.js";
import { announce, el, fill } from "./nodes.js";
import { tab as training } from "./training.js";
import { tab as translate } from "./translate.js";

teach({
  translate: ["Translate", "翻译"],
  look: ["Look", "观察"],
  arithmetic: ["Arithmetic", "算术"],
  ladder: ["Ladder", "阶梯"],
  training: ["Training", "训练"],
  languageName: ["Language", "语言"],
  themeName: ["Theme", "主题"],
  auto: ["Auto", "自动"],
  light: ["Light", "浅色"],
  dark: ["Dark", "深色"],
  parts: ["Parts of the studio", "工作室的各部分"],
  notExplanation: ["A weight says where a head looked, not why the model answered as it did.", "权重说明头看向哪里，而不是模型为何如此作答。"],
  everythingHere: ["Nothing you type leaves this server.", "你输入的内容不会离开这台服务器。"],
  interface: ["HTTP interface", "HTTP 接口"],
  noModel: ["No run served here has saved a checkpoint yet, so there is nothing to translate with. Once one has, start regard serve again. The ladder and the bench need none.", "这里的训练还没有保存检查点，无法翻译。保存之后请重新启动 regard serve。“阶梯”和“算术”里的演算台不需要模型。"],
  needsKey: ["This server asks for a key.", "该服务器需要密钥。"],
  key: ["Key", "密钥"],
  useIt: ["Use it", "使用"],
});

const TABS = [translate, look, arithmetic, ladder, training];
const remembered = {
  get: (name) => {
    try {
      return localStorage.getItem(`regard.${name}`);
    } catch {
      return null;
    }
  },
  set: (name, value) => {
    try {
      localStorage.setItem(`regard.${name}`, value);
    } catch {
      /* a browser that keeps nothing is no less welcome */
    }
  },
};

const problem = el("p", { class: "problem", role: "alert" });
const main = el("main");
const languagePick = el("select", { label: "languageName", onchange: () => (remembered.set("language", languagePick.value), speak(languagePick.value)) });
const themePick = el("select", { label: "themeName", onchange: () => (remembered.set("theme", themePick.value), chooseTheme(themePick.value)) });
const buttons = TABS.map((tab) => el("button", { type: "button", role: "tab", id: `tab-${tab.name}`, "aria-controls": tab.name, say: tab.name, onclick: () => go(tab.name) }));
const strip = el("div", { class: "tabs", role: "tablist", label: "parts" }, ...buttons);
const panels = new Map();
let current = null;

strip.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const at = buttons.indexOf(event.target);
  if (at < 0 || (!step && event.key !== "Home" && event.key !== "End")) return;
  event.preventDefault();
  const to = event.key === "Home" ? 0 : event.key === "End" ? buttons.length - 1 : (at + step + buttons.length) % buttons.length;
  buttons[to].focus();
  go(TABS[to].name);
});

/** An address within the page: the tab, and what is chosen in it. */
const parse = () => {
  const [name, query = ""] = location.hash.slice(1).split("?");
  return { tab: TABS.find((tab) => tab.name === name) ?? TABS[0], chosen: Object.fromEntries(new URLSearchParams(query)) };
};
const go = (name, chosen = {}) => {
  const query = String(new URLSearchParams(chosen));
  const to = `#${name}${query ? `?${query}` : ""}`;
  if (location.hash !== to) history.pushState(null, "", to);
  open();
};
const open = () => {
  const { tab, chosen } = parse();
  if (current && current !== tab) current.hide?.();
  current = tab;
  if (!panels.has(tab)) {
    const panel = el("section", { class: "panel", role: "tabpanel", id: tab.name, "aria-labelledby": `tab-${tab.name}`, tabindex: "-1" });
    panel.append(tab.build({ go }));
    panels.set(tab, panel);
    main.append(panel);
    rephraseAll(panel);
  }
  for (const [each, panel] of panels) panel.hidden = each !== tab;
  buttons.forEach((button, at) => {
    button.setAttribute("aria-selected", String(TABS[at] === tab));
    button.tabIndex = TABS[at] === tab ? 0 : -1;
  });
  document.title = `${say(tab.name)} · regard`;
  tab.show?.(chosen);
  tab.redraw?.();
};

const askForKey = () => {
  const input = el("input", { type: "password", autocomplete: "off", label: "key" });
  const form = el("form", { class: "controls", onsubmit: (event) => (event.preventDefault(), useKey(input.value), location.reload()) }, el("span", { say: "needsKey" }), input, el("button", { class: "primary", say: "useIt" }));
  main.prepend(form);
};

const begin = async () => {
  document.body.prepend(
    el("header", { class: "top" },
      el("div", { class: "bar" },
        el("h1", { class: "mark" }, el("img", { src: "icon.svg", alt: "", width: 29, height: 29 }), "regard"),
        strip,
        el("div", { class: "prefs" }, languagePick, themePick))),
    main,
    el("footer", {}, el("p", {}, el("span", { say: "everythingHere" }), el("span", { say: "notExplanation" }), el("a", { href: "docs", say: "interface" }))),
  );
  main.append(problem);
  chooseTheme(remembered.get("theme") ?? "auto");
  speak(remembered.get("language") ?? ((navigator.language ?? "").startsWith("zh") ? "zh" : "en"));
  const hear = () => {
    fill(languagePick, Object.entries(LANGUAGES), language());
    fill(themePick, ["auto", "light", "dark"].map((name) => [name, say(name)]), themeChosen());
    if (current) document.title = `${say(current.name)} · regard`;
    if (!served.models.length && served.asked) problem.textContent = say("noModel");
    for (const tab of panels.keys()) tab.redraw?.();
  };
  onSpeaking(hear);
  onTheme(() => current?.redraw?.());
  try {
    Object.assign(served, await ask("models"), { asked: true });
  } catch (error) {
    if (error.code === "key") askForKey();
    else problem.textContent = error.message;
  }
  addEventListener("popstate", open);
  addEventListener("hashchange", open);
  if (!location.hash && !served.models.length) history.replaceState(null, "", served.asked ? "#training" : "#ladder");
  open();
  hear();
  if (problem.textContent) announce(problem.textContent);
  requestAnimationFrame(() => (document.documentElement.dataset.ready = "true"));
};
begin();
