// Translate: text in, translation as you type; a word tells where it came from and what else might have stood there.

import { directionOf, examplesOf, latest, modelCalled, served } from "./asking.js";
import { letters, tint } from "./colours.js";
import { say, teach } from "./language.js";
import { announce, button, copy, download, draw, el, field, fill, hears, nextFrame, paused, percent, refill, walks, written } from "./nodes.js";
import { flowNodes } from "./stage.js";

teach({
  yourText: ["Your text", "你的文字"],
  typeHere: ["Type a sentence …", "输入一句话……"],
  direction: ["Direction", "方向"],
  models: ["Models, side by side", "模型（可并排）"],
  beam: ["Beam", "束宽"],
  beamHint: ["How many beginnings the search follows at once. One always takes the likeliest next word; more look further.", "搜索同时跟踪多少个开头。为一时总取最可能的下一个词；越大看得越远。"],
  others: ["Alternatives", "备选数"],
  othersHint: ["How many other translations to show.", "显示多少个其他译文。"],
  othersHead: ["Alternatives and their log-probability; the one above has {0}. The search also reckons with length.", "其他译文及其对数概率；上面的译文为 {0}。搜索还会考虑长度。"],
  willStand: ["The translation appears here.", "译文将显示在这里。"],
  swap: ["⇄ Swap", "⇄ 互换"],
  copy: ["Copy", "复制"],
  permalink: ["Copy link", "复制链接"],
  asText: ["Save text", "保存文本"],
  asJson: ["Save details", "保存详情"],
  lookInside: ["Look inside", "看看内部"],
  sure: ["sure", "确定"],
  unsure: ["unsure", "不确定"],
  sureness: ["{0} sure", "把握 {0}"],
  wordSure: ["{0}, {1} sure", "{0}，把握 {1}"],
  translationOf: ["Translation by {0}", "{0} 的翻译"],
  invite: ["Type a sentence: it is translated as you write. Then choose any word of the translation to see where it came from.", "输入一句话，边写边译。然后点选译文中的任何一个词，看看它来自哪里。"],
  pickWord: ["Choose a word of the translation to see where it came from and what else might have stood there.", "点选译文中的一个词，看看它来自哪里，以及还可能是什么。"],
  cameFrom: ["“{0}” came from", "“{0}”来自"],
  noSources: ["For this text there are no weights: it is too long, or was cut into parts.", "这段文字没有权重：太长，或被分成了几部分。"],
  rivals: ["Instead of “{0}”", "“{0}”的竞争者"],
  rivalsHint: ["Choose another and the rest is written anew from there.", "选另一个词，其余部分将从那里重新译出。"],
  ownWord: ["Or a word of your own", "或者你自己的词"],
  rewrite: ["Write on from here", "从这里续写"],
  begins: ["Begins as you chose: “{0}”", "按你的选择开头：“{0}”"],
  undo: ["Undo", "撤销"],
  theEnd: ["the end", "句末"],
  litBy: ["{0}: {1}", "{0}：{1}"],
  rewritten: ["Rewritten: {0}", "已重写：{0}"],
  aligningHead: ["weights of {0}, head {1}", "{0} 头 {1} 的权重"],
  meanWeights: ["weights of cross-attention", "交叉注意力的权重"],
  tryOne: ["Try", "试试"],
});

const PAUSE = 250;
const END = "<end>";

const USUAL = { beam: 5, others: 3 };
const state = { text: "", direction: null, models: [], ...USUAL, picked: null, answers: new Map(), rivals: null };
/** What one model answered, and how it was told to begin. */
const answerOf = (name) => {
  if (!state.answers.has(name)) state.answers.set(name, { prefix: "", ends: false, details: null, problem: "", waiting: false, asking: latest() });
  return state.answers.get(name);
};

const area = hears(el("textarea", { id: "source", rows: 3, spellcheck: "false" }), () => typed());
const count = el("span", { class: "small" });
const lit = el("div", { class: "sourcewords", "aria-hidden": "true" });
const examples = el("div", { class: "cardfoot" });
const directionPick = el("select", { onchange: () => chooseDirection(directionPick.value) });
const modelPick = walks(el("div", { class: "tokens", role: "group", label: "models" }));
const beamPick = el("input", { type: "number", min: 1, onchange: () => set("beam", beamPick) });
const othersPick = el("input", { type: "number", min: 0, onchange: () => set("others", othersPick) });
const swapButton = button("swap", () => swap());
const answers = el("div", { class: "answers" });
const why = el("div", { class: "why" });
const invite = el("p", { class: "lead invite", say: "invite" });
let go = () => {};

const set = (name, input) => {
  const low = Number(input.min);
  const high = Number(input.max);
  state[name] = Math.min(Math.max(Math.round(Number(input.value)) || low, low), high);
  input.value = String(state[name]);
  translateAll();
};

// ---------------------------------------------------------------- asking

const typed = () => {
  state.text = area.value;
  state.picked = state.rivals = null;
  for (const answer of state.answers.values()) Object.assign(answer, { prefix: "", ends: false });
  redraw();
  soon();
};
const soon = paused(PAUSE, () => translateAll());
const translateAll = () => {
  link();
  for (const name of state.models) translateWith(name);
};

const translateWith = async (name) => {
  const answer = answerOf(name);
  if (!state.text.trim()) {
    answer.asking.stop();
    Object.assign(answer, { details: null, problem: "", waiting: false });
    return redraw();
  }
  answer.waiting = true;
  redraw();
  const body = { q: state.text, model: name, beam: state.beam, alternatives: Math.min(state.others, served.limits.alternatives), details: true };
  if (answer.prefix) body.prefix = answer.prefix;
  try {
    const found = await answer.asking("translate", body);
    if (!found) return;
    Object.assign(answer, { details: answer.ends ? ended(found.details[0], answer.prefix) : found.details[0], problem: "", waiting: false });
    announce(answer.details.text);
  } catch (error) {
    Object.assign(answer, { details: null, problem: error.message, waiting: false });
  }
  redraw();
  if (state.picked?.model === name) pick(name, state.picked.at);
};

const askRivals = latest();
const pick = async (model, at) => {
  const { details } = answerOf(model);
  if (!details) return;
  const last = details.words.length;
  state.picked = { model, at: Math.min(at, last) };
  state.rivals = null;
  redraw();
  const word = details.words[state.picked.at];
  if (word?.sources) announce(say("litBy", word.text, strongest(details, word).slice(0, 3).map(([text, weight]) => `${text} ${percent(weight)}`).join(", ")));
  try {
    const found = await askRivals("rivals", { model, text: details.source, target: details.text, position: state.picked.at, count: 5 });
    if (found && state.picked) state.rivals = found;
  } catch (error) {
    state.rivals = { problem: error.message };
  }
  redraw();
};
const strongest = (details, word) =>
  word.sources.map((weight, at) => [details.source_words[at].text, weight]).sort((a, b) => b[1] - a[1]);

/** A translation that ends where it was told to: the words before were written knowing nothing of what followed. */
const ended = (details, prefix) => {
  let spelt = "";
  const words = details.words.filter(({ space, text }) => (spelt += space + text).length <= prefix.length);
  return { ...details, words, text: prefix, after: "", alternatives: [], confidence: null, log_probability: null };
};
/** Write on from a beginning: what stands after it is decoded anew, or left away. */
const writeFrom = async (model, prefix, ends = false) => {
  Object.assign(answerOf(model), { prefix, ends });
  link();
  await translateWith(model);
  const { details } = answerOf(model);
  if (details) announce(say("rewritten", details.text));
};
const beforeWord = (details, at) => details.words.slice(0, at).map(({ space, text }) => space + text).join("");

// ---------------------------------------------------------------- choosing

const pairs = () => [...new Map(served.models.map((model) => [`${model.source}>${model.target}`, model])).entries()];
const fitting = () => served.models.filter((model) => `${model.source}>${model.target}` === state.direction);
const chooseDirection = (direction) => {
  state.direction = direction;
  state.models = [fitting()[0].name];
  state.picked = state.rivals = null;
  redraw();
  translateAll();
};
const swap = () => {
  const [source, target] = state.direction.split(">");
  const text = state.answers.get(state.models[0])?.details?.text;
  if (text) area.value = state.text = text;
  chooseDirection(`${target}>${source}`);
};
const toggle = (name) => {
  const chosen = state.models.includes(name) ? state.models.filter((each) => each !== name) : [...state.models, name];
  if (!chosen.length) return;
  state.models = fitting().map((model) => model.name).filter((each) => chosen.includes(each));
  if (!state.models.includes(state.picked?.model)) state.picked = state.rivals = null;
  redraw();
  link();
  if (state.models.includes(name)) translateWith(name);
};

/** What a link brings back: the text, the models, how each was told to begin and whether to end there. */
const chosen = () => {
  const about = { text: state.text, models: state.models.join(",") };
  for (const name of ["beam", "others"]) if (state[name] !== USUAL[name]) about[name] = state[name];
  for (const name of state.models) {
    const { prefix, ends } = answerOf(name);
    const of = state.models.length > 1 ? `.${name}` : "";
    if (prefix) about[`prefix${of}`] = prefix;
    if (prefix && ends) about[`ends${of}`] = "yes";
  }
  return about;
};
const address = () => `#translate?${new URLSearchParams(chosen())}`;
const link = () => {
  if (location.hash.startsWith("#translate") || !location.hash) history.replaceState(null, "", state.text ? address() : "#translate");
};

// ---------------------------------------------------------------- drawing

const redraw = nextFrame(() => {
  area.placeholder = say("typeHere");
  count.textContent = state.text ? `${Array.from(state.text).length} / ${served.limits.characters ?? "…"}` : "";
  fill(directionPick, pairs().map(([pair, model]) => [pair, directionOf(model)]), state.direction ?? "");
  const [source, target] = (state.direction ?? ">").split(">");
  swapButton.hidden = !served.models.some((model) => model.source === target && model.target === source);
  refill(modelPick, fitting().map((model) => el("button", { type: "button", "aria-pressed": String(state.models.includes(model.name)), text: model.name, title: aboutModel(model), onclick: () => toggle(model.name) })));
  modelPick.parentElement.hidden = fitting().length < 2;
  beamPick.value = String(state.beam);
  othersPick.value = String(state.others);
  const offered = examplesOf({ source, target });
  examples.replaceChildren(...(offered.length ? [el("span", { text: say("tryOne") })] : []), ...offered.map((text) => el("button", { type: "button", class: "quiet", text, onclick: () => ((area.value = text), typed(), area.focus()) })), count);
  const focused = focusKey();
  answers.classList.toggle("several", state.models.length > 1);
  answers.replaceChildren(...state.models.map(card));
  drawLit();
  drawWhy();
  refocus(focused);
});

/** Cards are drawn anew; whoever had the focus keeps it. */
const focusKey = () => document.activeElement?.dataset?.focus;
const refocus = (key) => {
  if (key && document.activeElement === document.body) document.querySelector(`[data-focus="${CSS.escape(key)}"]`)?.focus();
};

const aboutModel = (model) => `${model.name} · ${say(model.kind)}${model.bleu === null ? "" : ` · BLEU ${written(model.bleu, 1)}`}`;

const card = (name) => {
  const model = modelCalled(name);
  const { details, problem, waiting, prefix } = answerOf(name);
  const text = walks(el("div", { class: waiting ? "translation waiting" : "translation", lang: model.target, role: "group", "aria-label": say("translationOf", name), "aria-busy": String(waiting) }));
  if (details) {
    const picked = state.picked?.model === name ? state.picked.at : 0;
    details.words.forEach((word, at) => {
      const made = el("button", {
        type: "button", text: word.text, "data-focus": `word-${name}-${at}`, tabindex: at === picked ? 0 : -1,
        "aria-pressed": String(state.picked?.model === name && state.picked.at === at),
        "aria-label": say("wordSure", word.text, percent(word.confidence)), title: percent(word.confidence),
        onclick: () => pick(name, at),
      });
      made.style.setProperty("--doubt", (1 - word.confidence).toFixed(3));
      text.append(word.space, made);
    });
    text.append(details.after);
  } else if (!state.text.trim()) text.append(el("span", { class: "faint", text: say("willStand") }));
  const others = details?.alternatives ?? [];
  return el("article", { class: "card text", "aria-label": name },
    el("div", { class: "cardtop" }, el("span", {}, el("b", { text: name }), ` · ${say(model.kind)}`), details ? el("span", { class: "legend" }, el("span", { text: say("sure") }), el("i"), el("span", { text: say("unsure") })) : null),
    text,
    prefix ? el("p", { class: "kept" }, el("span", { text: say("begins", prefix) }), el("button", { type: "button", class: "quiet", text: say("undo"), "data-focus": `undo-${name}`, onclick: () => writeFrom(name, "") })) : null,
    problem ? el("p", { class: "problem", role: "alert", text: problem }) : null,
    details?.warnings.length ? el("ul", { class: "warnings" }, ...details.warnings.map((each) => el("li", { text: each }))) : null,
    others.length ? el("p", { class: "small othershead", text: say("othersHead", written(details.log_probability, 2)) }) : null,
    others.length ? el("ol", { class: "nbest", "aria-label": say("others") }, ...others.map(({ text: other, log_probability }) => el("li", {}, el("b", { text: written(log_probability, 2) }), el("span", { text: other, lang: model.target })))) : null,
    details ? el("div", { class: "cardfoot" },
      act("copy", name, () => copy(details.text)),
      act("permalink", name, () => (link(), copy(location.href))),
      act("asText", name, () => download(new Blob([`${details.text}\n`], { type: "text/plain" }), `${name}.txt`)),
      act("asJson", name, () => download(new Blob([JSON.stringify(details, null, 1)], { type: "application/json" }), `${name}.json`)),
      act("lookInside", name, () => go("look", { model: name, text: details.source, target: details.text })),
      details.confidence === null ? null : el("span", { class: "small", text: say("sureness", percent(details.confidence)) })) : null);
};
const act = (phrase, name, does) => el("button", { type: "button", class: "quiet", text: say(phrase), "data-focus": `${phrase}-${name}`, onclick: does });

const pickedWord = () => {
  const details = state.picked && answerOf(state.picked.model).details;
  return details ? { details, word: details.words[state.picked.at] ?? null } : {};
};

/** The words of the source, lit by how much the picked word looked at them. */
const drawLit = () => {
  const { details, word } = pickedWord();
  lit.hidden = !word?.sources;
  if (word?.sources) lit.replaceChildren(...details.source_words.map(({ text }, at) => tint(el("span", { class: "chip", text, title: percent(word.sources[at]) }), word.sources[at])));
};

const drawWhy = () => {
  const shown = state.models.map((name) => [name, answerOf(name).details]).find(([, details]) => details);
  why.hidden = !shown;
  invite.hidden = Boolean(shown) || Boolean(state.text.trim());
  if (!shown) return;
  const { details, word } = pickedWord();
  const seen = details ?? shown[1];
  const model = state.picked?.model ?? shown[0];
  why.replaceChildren(flowCard(seen, model), details ? rivalsCard(details, word) : el("div", { class: "card" }, el("p", { class: "small", text: say("pickWord") })));
};

const flowCard = (details, model) => {
  const known = details.words.every((word) => word.sources) && details.words.length > 0;
  const title = state.picked && pickedWord().word ? say("cameFrom", pickedWord().word.text) : details.aligning ? say("aligningHead", details.aligning.name, details.aligning.head) : say("meanWeights");
  if (!known) return el("div", { class: "card" }, el("h3", { text: title }), el("p", { class: "small", text: say("noSources") }));
  const scene = {
    rows: details.words.map(({ text }) => text), columns: details.source_words.map(({ text }) => text),
    values: Float32Array.from(details.words.flatMap(({ sources }) => sources)), low: 0, high: 1,
  };
  const at = state.picked?.model === model && state.picked.at < details.words.length ? state.picked.at : null;
  const wide = Math.max((why.clientWidth || 900) * (innerWidth > 832 ? 0.58 : 1) - 40, 260);
  const listening = (node, side, place) => side === "q" && (node.setAttribute("class", "word"), node.addEventListener("click", () => pick(model, place)));
  const { nodes, width, height } = flowNodes(scene, { wide, share: 0.92, lit: at === null ? null : { q: at, k: null }, listening });
  const svg = draw("svg", { class: "flow", width: Math.ceil(width), height: Math.ceil(height), "font-family": letters(), "aria-hidden": "true" }, ...nodes);
  const list = at === null ? null : el("ol", { class: "bars", "aria-label": title }, ...strongest(details, details.words[at]).filter(([, weight]) => weight >= 0.01).slice(0, 4).map(([text, weight]) => {
    const bar = el("i");
    bar.style.width = `${100 * weight}%`;
    return el("li", {}, el("bdi", { text }), el("span", { class: "track" }, bar), el("b", { text: percent(weight) }));
  }));
  return el("div", { class: "card" }, el("h3", { text: title }), el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title }, svg), list);
};

const rivalsCard = (details, word) => {
  const { model, at } = state.picked;
  const card = el("section", { class: "card", "aria-label": say("rivals", word?.text ?? say("theEnd")) }, el("h3", { text: say("rivals", word?.text ?? say("theEnd")) }));
  if (state.rivals?.problem) card.append(el("p", { class: "problem", role: "alert", text: state.rivals.problem }));
  const spoken = (text) => (text === END ? say("theEnd") : text);
  const offers = (state.rivals?.rivals ?? []).map((rival, number) => {
    const bar = el("i");
    bar.style.width = `${100 * rival.probability}%`;
    return el("li", {}, el("button", { type: "button", "aria-pressed": String(rival.chosen), "data-focus": `rival-${number}`, disabled: !rival.chosen && !rival.prefix, onclick: () => !rival.chosen && writeFrom(model, rival.prefix, rival.word === END) },
      el("bdi", { text: spoken(rival.word) }), el("span", { class: "track" }, bar), el("b", { text: percent(rival.probability) }),
      rival.chosen ? null : el("span", { class: "small", text: rival.text })));
  });
  const own = el("input", { type: "text", autocomplete: "off", "data-focus": "own", value: typedWord });
  own.addEventListener("input", () => (typedWord = own.value));
  const submit = (event) => {
    event.preventDefault();
    if (!typedWord.trim()) return;
    const space = word?.space ?? (details.words.length ? " " : "");
    writeFrom(model, beforeWord(details, at) + space + typedWord.trim());
    typedWord = "";
  };
  card.append(el("ol", { class: "rivals" }, ...offers), el("p", { class: "small", text: say("rivalsHint") }),
    el("form", { class: "own", onsubmit: submit }, el("label", { class: "field" }, el("span", { text: say("ownWord") }), own), el("button", { text: say("rewrite") })));
  return card;
};
let typedWord = "";

// ---------------------------------------------------------------- the tab

export const tab = {
  name: "translate",
  build: (studio) => {
    go = studio.go;
    state.direction = served.models.length ? `${modelCalled(served.default).source}>${modelCalled(served.default).target}` : null;
    state.models = served.models.length ? [modelCalled(served.default).name] : [];
    beamPick.max = String(served.limits.beam);
    othersPick.max = String(served.limits.alternatives);
    return el("div", {},
      el("div", { class: "controls" }, field("direction", directionPick), swapButton, el("div", { class: "field" }, el("span", { say: "models" }), modelPick), field("beam", beamPick, "beamHint"), field("others", othersPick, "othersHint")),
      el("div", { class: "desk" },
        el("div", { class: "card text" }, el("label", { class: "cardtop", for: "source" }, el("b", { say: "yourText" })), area, lit, examples),
        answers),
      why, invite);
  },
  show: ({ text, models, beam, others, ...told }) => {
    const within = (given, { min, max }, usual) => Math.min(Math.max(Math.round(Number(given)) || usual, Number(min)), Number(max));
    if (beam !== undefined) state.beam = within(beam, beamPick, USUAL.beam);
    if (others !== undefined) state.others = within(others, othersPick, 0);
    const named = (models ?? "").split(",").filter((name) => served.models.some((model) => model.name === name));
    if (named.length) {
      const first = modelCalled(named[0]);
      state.direction = `${first.source}>${first.target}`;
      state.models = named.filter((name) => fitting().some((model) => model.name === name));
    }
    if (text !== undefined && location.hash !== address()) {
      area.value = state.text = text;
      state.picked = state.rivals = null;
      for (const name of state.models) {
        const [prefix, ends] = ["prefix", "ends"].map((each) => told[`${each}.${name}`] ?? told[each] ?? "");
        Object.assign(answerOf(name), { prefix, ends: Boolean(prefix && ends), details: null });
      }
    } else if (state.text) link();
    if (state.text && state.models.some((name) => !answerOf(name).details)) translateAll();
    else if (text !== undefined) translateAll();
  },
  redraw,
};
