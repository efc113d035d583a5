// Look: every head small, one head large, one number; knock heads out, compare sentences and runs, take pictures along.

import { examplesOf, latest, modelCalled, served } from "./asking.js";
import { colour, ramp, themeChosen } from "./colours.js";
import { language, say, teach } from "./language.js";
import { AttentionMap, difference, MEAN, unitsOf } from "./maps.js";
import { announce, button, copy, download, el, field, fill, hears, nextFrame, paused, savePng, saveSvg, segments, slide, tick, walks, written } from "./nodes.js";
import { paint, Stage } from "./stage.js";

teach({
  run: ["Run", "模型"],
  sentence: ["Sentence", "句子"],
  targetText: ["Its translation (left empty, the model's own)", "译文（留空则用模型自己的）"],
  overview: ["Every head", "所有的头"],
  order: ["Order", "排序"],
  byLayer: ["by layer", "按层"],
  layer: ["Attention", "注意力"],
  head: ["Head", "头"],
  headN: ["head {0}", "头 {0}"],
  meanHead: ["mean of all {0} heads", "全部 {0} 个头的均值"],
  view: ["View", "视图"],
  heatmap: ["Heatmap", "热图"],
  flow: ["Flow", "连线"],
  table: ["Table", "表格"],
  unit: ["Labels", "标签"],
  words: ["Words", "词"],
  pieces: ["Subwords", "子词"],
  share: ["Share of each row kept", "每行保留的份额"],
  compare: ["Compare with", "对比"],
  nothing: ["nothing", "无"],
  anotherSentence: ["another sentence", "另一个句子"],
  theRun: ["the run {0}", "模型 {0}"],
  otherSentence: ["The other sentence", "另一个句子"],
  noneBeside: ["{0} has no attention of this kind", "{0} 没有这种注意力"],
  showDifference: ["Show the difference", "显示差值"],
  asSvg: ["Save SVG", "保存 SVG"],
  asPng: ["Save PNG", "保存 PNG"],
  asHtml: ["Save HTML", "保存 HTML"],
  toArithmetic: ["Its arithmetic", "它的算术"],
  knockOut: ["Knock this head out", "关掉这个头"],
  isOut: ["knocked out: it brings nothing back", "已关掉：什么也不带回"],
  "subwords merged": ["subwords merged", "子词已合并"],
  putBack: ["Put this head back", "恢复这个头"],
  putAllBack: ["Put all back", "全部恢复"],
  knockedOut: ["Knocked out: {0}", "已关掉：{0}"],
  wholeModel: ["Whole model", "完整模型"],
  withoutThem: ["Without {0}", "去掉 {0} 后"],
  noChange: ["The translation stays as it was; the old one became {0} times less likely.", "译文不变；原译文的概率变为原来的 1/{0}。"],
  changed: ["The translation changes; the old one became {0} times less likely.", "译文变了；原译文的概率变为原来的 1/{0}。"],
  likelier: ["The old translation became {0} times likelier.", "原译文的概率变为原来的 {0} 倍。"],
  query: ["Query", "查询"],
  looksAt: ["“{0}” looks at", "“{0}”关注"],
  rankOf: ["Rank {0} of {1} in its row.", "在该行 {1} 个键中排第 {0}。"],
  typeToLook: ["Type a sentence to look inside the model.", "输入一句话，看看模型内部。"],
  keysHelp: ["Arrow keys move · Enter locks · Esc frees", "方向键移动 · 回车锁定 · Esc 解除"],
});

const OTHER = "sentence";
const state = {
  model: null, text: "", target: "", words: true, name: null, head: 0, view: "heatmap", share: { heatmap: 1, flow: 0.9, table: 1 }, order: "byLayer",
  out: new Map(), with: "", otherText: "", signed: false, found: null, beside: null, problem: "",
};

const modelPick = el("select", { onchange: () => chooseModel(modelPick.value) });
const line = (act) => hears(el("input", { type: "text", autocomplete: "off", spellcheck: "false" }), () => (act(), soon()));
const textInput = line(() => ((state.text = textInput.value), (state.target = targetInput.value = "")));
const targetInput = line(() => (state.target = targetInput.value));
const otherInput = line(() => (state.otherText = otherInput.value));
const comparePick = el("select", { onchange: () => ((state.with = comparePick.value), look()) });
const orderPick = el("select", { onchange: () => ((state.order = orderPick.value), redraw()) });
const layerPick = el("select", { onchange: () => choose(layerPick.value, state.head) });
const headPick = el("select", { onchange: () => choose(state.name, headPick.value === MEAN ? MEAN : Number(headPick.value)) });
const viewPick = segments("view", ["heatmap", "flow", "table"], (view) => ((state.view = view), redraw()));
const unitPick = segments("unit", ["words", "pieces"], (unit) => ((state.words = unit === "words"), look()));
const shareSlide = slide("share", { min: 5, max: 100, step: 1, value: 90, write: (value) => `${value} %`, change: (value) => ((state.share[state.view] = value / 100), redraw()) });
const signedTick = tick("showDifference", (signed) => ((state.signed = signed), redraw()));
const thumbs = walks(el("div", { class: "strips" }));
const title = el("h2", { class: "headtitle" });
const notes = el("p", { class: "notes" });
const problem = el("p", { class: "problem", role: "alert" });
const effect = el("div", { class: "effect card", role: "status", hidden: true });
const knock = button("knockOut", () => toggleOut());
const putBack = button("putAllBack", () => (state.out.clear(), look()));
const stage = new Stage({ onlook: (place) => drawNumber(place) });
const second = new Stage({ onlook: () => {} });
const secondTitle = el("h3");
const firstTitle = el("h3");
const stages = el("div", { class: "beside" }, el("div", {}, firstTitle, stage.node), el("div", {}, secondTitle, second.node));
const scaleBar = el("canvas", { width: 256, height: 1, "aria-hidden": "true" });
const scaleLow = el("span");
const scaleHigh = el("span");
const queryTitle = el("h3", { class: "q" });
const bars = el("ol", { class: "bars" });
const pair = el("p", { class: "pair" });
const big = el("p", { class: "big" });
const rank = el("p", { class: "small" });

// ---------------------------------------------------------------- asking

const [askFirst, askSecond] = [latest(), latest()];
const body = (model, text, target) => {
  const has = (name, head) => modelCalled(model).attentions.some((each) => each.name === name && head < each.heads);
  const knocked = Object.fromEntries([...state.out].map(([name, heads]) => [name, [...heads].filter((head) => has(name, head))]).filter(([, heads]) => heads.length));
  return { model, text, target: target || null, words: state.words, ...(Object.keys(knocked).length ? { knock_out: knocked } : {}) };
};
const read = (answer) => ({ ...answer, maps: answer.maps.map((told) => new AttentionMap(told)) });

const look = async () => {
  if (!state.text.trim()) {
    askFirst.stop();
    Object.assign(state, { found: null, problem: "" });
    return redraw();
  }
  const other = state.with === OTHER ? [state.model, state.otherText, ""] : state.with ? [state.with, state.text, state.target] : null;
  try {
    const [first, beside] = await Promise.all([
      askFirst("attention", body(state.model, state.text, state.target)),
      other && other[1].trim() ? askSecond("attention", body(...other)) : null,
    ]);
    if (!first) return;
    Object.assign(state, { found: read(first), beside: beside && read(beside), problem: "" });
    const named = mapCalled(state.name);
    if (named && state.head !== MEAN) state.head = Math.min(state.head, named.heads.length - 1);
    if (!state.found.maps.some((map) => map.name === state.name)) {
      const aligning = modelCalled(state.model).aligning;
      const at = state.found.maps.find((map) => map.name === aligning?.name) ?? state.found.maps.find((map) => map.kind === "cross") ?? state.found.maps[0];
      Object.assign(state, { name: at.name, head: at.name === aligning?.name ? aligning.head : 0 });
    }
  } catch (error) {
    state.problem = error.message;
  }
  redraw();
};
const soon = paused(350, look);

const chooseModel = (model) => {
  Object.assign(state, { model, name: null, head: 0, target: "", with: state.with === model ? "" : state.with });
  targetInput.value = "";
  state.out.clear();
  look();
};
const choose = (name, head) => {
  const map = mapCalled(name);
  Object.assign(state, { name, head: head === MEAN ? MEAN : Math.min(head, map.heads.length - 1) });
  announce(nameOf(map, state.head));
  redraw();
};
const toggleOut = () => {
  const heads = state.out.get(state.name) ?? new Set();
  for (const head of state.head === MEAN ? mapCalled(state.name).heads.keys() : [state.head])
    if (heads.has(head)) heads.delete(head);
    else heads.add(head);
  state.out.set(state.name, heads);
  look();
};
/** A link brings back what is seen: the head, the view, what is compared and what is knocked out. */
const link = () => {
  if (!location.hash.startsWith("#look") || !state.text) return;
  const { model, text, target, name, head, view, otherText, out } = state;
  const knocked = [...out].filter(([, heads]) => heads.size).map(([each, heads]) => `${each}:${[...heads].join(",")}`).join(";");
  const told = { model, text, target, name, head, view: view === "heatmap" ? "" : view, unit: state.words ? "" : "pieces", with: state.with, other: state.with === OTHER ? otherText : "", signed: state.signed ? "yes" : "", out: knocked };
  history.replaceState(null, "", `#look?${new URLSearchParams(Object.entries(told).filter(([, each]) => each !== "" && each !== null))}`);
};

// ---------------------------------------------------------------- drawing

const mapCalled = (name, answer = state.found) => answer?.maps.find((map) => map.name === name);
const headName = (map, head) => (head === MEAN ? say("meanHead", map.heads.length) : map.heads.length > 1 || map.heads[0] ? headSaid(map.heads[head], head) : "");
const headSaid = (name, head) => (!name || /^head \d+$/.test(name) ? say("headN", head) : name);
const nameOf = (map, head) => [map.name, headName(map, head)].filter(Boolean).join(" · ");
const isOut = (name, head) => (head === MEAN ? false : Boolean(state.out.get(name)?.has(head)));

const redraw = nextFrame(() => {
  fill(modelPick, served.models.map((model) => [model.name, model.name]), state.model ?? "");
  const others = served.models.filter((model) => model.name !== state.model);
  fill(comparePick, [["", say("nothing")], [OTHER, say("anotherSentence")], ...others.map((model) => [model.name, say("theRun", model.name)])], state.with);
  otherInput.parentElement.hidden = state.with !== OTHER;
  problem.textContent = state.problem;
  const { found } = state;
  inside.hidden = !found;
  empty.hidden = Boolean(found) || Boolean(state.problem);
  if (!found) return;
  targetInput.placeholder = found.target;
  const map = mapCalled(state.name);
  const measures = Object.keys(map.measures[0] ?? {}).filter((name) => name !== "name");
  fill(orderPick, [["byLayer", say("byLayer")], ...measures.map((name) => [name, say(name)])], state.order);
  fill(layerPick, found.maps.map((each) => [each.name, each.name]), state.name);
  fill(headPick, [...map.heads.map((_, head) => [head, headName(map, head)]), ...(map.heads.length > 1 ? [[MEAN, headName(map, MEAN)]] : [])], state.head);
  viewPick.show(state.view);
  unitPick.show(state.words ? "words" : "pieces");
  shareSlide.label.hidden = state.view === "table";
  shareSlide.set(Math.round(100 * state.share[state.view]));
  title.textContent = nameOf(map, state.head);
  notes.textContent = [say(map.kind), ...map.notes.map((note) => say(note)), ...(isOut(state.name, state.head) ? [say("isOut")] : [])].join(" · ");
  knock.textContent = say(isOut(state.name, state.head) ? "putBack" : "knockOut");
  knock.setAttribute("aria-pressed", String(isOut(state.name, state.head)));
  putBack.hidden = ![...state.out.values()].some((heads) => heads.size);
  drawThumbs();
  drawStages(map);
  drawEffect();
  link();
});

const axesOf = (map) => map.axes.map((axis) => say(axis));
const drawStages = (map) => {
  // Another kind of model names its attentions otherwise: then the last that does the same stands for it.
  const beside = state.beside && (mapCalled(map.name, state.beside) ?? state.beside.maps.findLast((each) => each.kind === map.kind));
  notes.append(state.beside && !beside ? ` · ${say("noneBeside", state.beside.model)}` : "");
  const head = beside && state.head !== MEAN ? Math.min(state.head, beside.heads.length - 1) : state.head;
  const alike = beside && String(beside.queries) === String(map.queries) && String(beside.keys) === String(map.keys);
  signedTick.label.hidden = !alike;
  const about = { view: state.view, share: state.share[state.view], cut: state.view === "heatmap" };
  const scene = { ...map.scene(state.head, nameOf(map, state.head)), axes: axesOf(map) };
  const show = beside && !(alike && state.signed);
  let drawn = scene;
  if (alike && state.signed) {
    const other = beside.of(head);
    const values = scene.values.map((each, at) => each - other[at]);
    const most = values.reduce((high, each) => Math.max(high, Math.abs(each)), 0.01);
    const high = [0.02, 0.05, 0.1, 0.2, 0.5, 1].find((step) => step >= most) ?? 1;
    drawn = { ...scene, values, signed: true, low: -high, high };
  }
  stage.show(drawn, about);
  second.node.parentElement.hidden = !show;
  firstTitle.hidden = !show;
  if (show) {
    const under = (answer, each) => `${answer.model}: ${answer.text}${beside.name === map.name ? "" : ` (${each.name})`}`;
    firstTitle.textContent = under(state.found, map);
    secondTitle.textContent = under(state.beside, beside);
    second.show({ ...beside.scene(head, nameOf(beside, head)), axes: axesOf(beside) }, about);
  }
  const [low, high] = [drawn.low ?? 0, drawn.high ?? 1];
  const context = scaleBar.getContext("2d");
  ramp(drawn.signed).forEach((each, at) => {
    context.fillStyle = each;
    context.fillRect(at, 0, 1, 1);
  });
  scaleLow.textContent = written(low, low ? 2 : 0);
  scaleHigh.textContent = written(high, high < 1 ? 2 : 0);
};

const thumb = (map, head, by) => {
  const measures = map.measures[head] ?? {};
  const number = measures[by] === null || measures[by] === undefined ? "" : written(measures[by], 2);
  const small = paint(el("canvas", { "aria-hidden": "true" }), { values: map.of(head), width: map.shape[2], masked: map.masked });
  const spoken = `${nameOf(map, head)}, ${say(measures.name ?? "")}, ${say(by)} ${number}`;
  const ranked = state.order !== "byLayer";
  return el("button", {
    type: "button", class: isOut(map.name, head) ? "thumb out" : "thumb", title: spoken, "aria-label": spoken, tabindex: "-1",
    "aria-pressed": String(map.name === state.name && (head === state.head || state.head === MEAN)), onclick: () => choose(map.name, head),
  }, small, el("span", { text: ranked ? `${map.name}·${head}` : `${head} ${say(measures.name ?? "")}` }), ranked ? el("div", { class: "small", text: number }) : "");
};
const drawThumbs = () => {
  const { maps } = state.found;
  const had = thumbs.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
  const by = state.order === "byLayer" ? "sharpness" : state.order;
  if (state.order === "byLayer")
    thumbs.replaceChildren(...maps.map((map) => el("div", { class: "strip" }, el("h3", { text: map.name }), el("div", { class: "thumbs" }, ...map.heads.map((_, head) => thumb(map, head, by))))));
  else {
    const all = maps.flatMap((map) => map.heads.map((_, head) => ({ map, head, value: map.measures[head]?.[by] ?? null }))).filter((each) => each.value !== null);
    all.sort((a, b) => b.value - a.value);
    thumbs.replaceChildren(el("div", { class: "thumbs" }, ...all.map(({ map, head }) => thumb(map, head, by))));
  }
  const first = thumbs.querySelector("[aria-pressed=true]") ?? thumbs.querySelector("button");
  if (first) first.tabIndex = 0;
  if (had) thumbs.querySelector(`[aria-label="${CSS.escape(had)}"]`)?.focus();
};

const drawEffect = () => {
  const { knocked_out: knocked, translation } = state.found;
  effect.hidden = !knocked;
  if (!knocked) return;
  const names = Object.entries(knocked.heads).map(([name, heads]) => `${name} ${heads.join(", ")}`).join("; ");
  const units = [translation.text, knocked.text].map(unitsOf);
  const joint = units[0].join("") === translation.text ? "" : " ";
  const told = difference(...units).flatMap(([word, how]) => [how === "same" ? word : el(how === "gone" ? "del" : "ins", { text: word }), joint]);
  const drop = state.found.target_log_probability - knocked.target_log_probability;
  const factor = (value) => (value > 1e6 ? value.toExponential(1) : written(value, value < 10 ? 2 : 0));
  const line = drop < 0 ? say("likelier", factor(Math.exp(-drop))) : say(knocked.text === translation.text ? "noChange" : "changed", factor(Math.exp(drop)));
  effect.replaceChildren(
    el("div", { class: "row" }, el("span", { class: "small", text: say("wholeModel") }), el("span", { text: translation.text }), el("span", { class: "small", text: written(translation.log_probability, 2) })),
    el("div", { class: "row" }, el("span", { class: "small", text: say("withoutThem", names) }), el("span", {}, ...told), el("span", { class: "small", text: written(knocked.log_probability, 2) })),
    el("p", { class: "small", text: line }),
  );
};

const drawNumber = ({ q, k }) => {
  const { scene } = stage;
  const width = scene.columns.length;
  const row = Array.from(scene.values.subarray(q * width, (q + 1) * width));
  queryTitle.textContent = say("looksAt", scene.rows[q]);
  const order = row.map((_, at) => at).filter((at) => !scene.masked?.[q * width + at]).sort((a, b) => Math.abs(row[b]) - Math.abs(row[a]));
  bars.replaceChildren(...order.slice(0, 7).filter((at) => Math.abs(row[at]) >= 0.0005).map((at) => {
    const bar = el("i");
    bar.style.width = `${(100 * Math.abs(row[at])) / scene.high}%`;
    if (row[at] < 0) bar.style.background = colour("key");
    return el("li", {}, el("bdi", { text: scene.columns[at] }), el("span", { class: "track" }, bar), el("b", { text: written(row[at]) }));
  }));
  pair.replaceChildren(el("bdi", { class: "q", text: scene.rows[q] }), " → ", el("bdi", { class: "k", text: scene.columns[k] }));
  big.textContent = stage.text(q, k);
  rank.textContent = scene.masked?.[q * width + k] ? say("masked") : say("rankOf", 1 + order.indexOf(k), order.length);
};

// ---------------------------------------------------------------- taking along

const fileName = () => nameOf(mapCalled(state.name), state.head).replace(/[^\p{L}\p{N}]+/gu, "-");
const saveHtml = async () => {
  try {
    const dark = document.documentElement.dataset.theme === "dark" && themeChosen() === "dark";
    const answer = await latest()("attention", { ...body(state.model, state.text, state.target || state.found.target), draw: { as: "html", language: language(), theme: dark ? "dark" : "light" } });
    download(new Blob([answer.drawn], { type: "text/html" }), "attention.html");
  } catch (error) {
    state.problem = error.message;
    redraw();
  }
};
/** The same query, step by step; words that were merged begin at the first query. */
const toArithmetic = () => {
  const merged = mapCalled(state.name).notes.length > 0;
  const { q } = stage.looked();
  go("arithmetic", { model: state.model, text: state.found.text, target: state.found.target, name: state.name, head: state.head === MEAN ? 0 : state.head, query: merged ? 0 : q });
};
let go = () => {};
const figure = () => stage.figure(`${state.found.text} → ${state.found.target}`);

const empty = el("p", { class: "lead", say: "typeToLook" });
const inside = el("div", { hidden: true },
  effect,
  el("div", { class: "panes" },
    el("section", { class: "overview", "aria-labelledby": "overview-title" }, el("div", { class: "controls" }, el("h3", { id: "overview-title", say: "overview" }), field("order", orderPick)), thumbs),
    el("section", { label: "head" }, title, notes,
      el("div", { class: "controls" }, field("layer", layerPick), field("head", headPick), viewPick.group, unitPick.group),
      stages,
      el("div", { class: "under" }, el("span", { class: "scale" }, scaleLow, scaleBar, scaleHigh), shareSlide.label, signedTick.label),
      el("div", { class: "actions" }, knock, putBack, button("toArithmetic", () => toArithmetic()), button("asSvg", () => saveSvg(figure(), fileName())), button("asPng", () => savePng(figure(), fileName())), button("asHtml", saveHtml), button("permalink", () => (link(), copy(location.href))), el("span", { class: "small", say: "keysHelp" }))),
    el("section", { class: "grouped", "aria-live": "off" }, queryTitle, bars, el("h3", { say: "weight" }), pair, big, rank)));

export const tab = {
  name: "look",
  build: (studio) => {
    go = studio.go;
    state.model = served.models.length ? modelCalled(served.default).name : null;
    return el("div", {},
      el("div", { class: "sentences" }, field("run", modelPick), field("sentence", textInput), field("targetText", targetInput), field("compare", comparePick), field("otherSentence", otherInput)),
      problem, empty, inside);
  },
  show: (told) => {
    const { model, text, target } = told;
    const changed = (model && model !== state.model) || (text !== undefined && text !== state.text) || (target !== undefined && target !== state.target) || told.out !== undefined || told.with !== undefined;
    if (model && model !== state.model) Object.assign(state, { model: modelCalled(model)?.name, name: null }), state.out.clear();
    if (text !== undefined) Object.assign(state, { text, target: target ?? "" });
    if (told.name) Object.assign(state, { name: told.name, head: told.head === MEAN ? MEAN : Number(told.head) || 0 });
    if (told.view in state.share) state.view = told.view;
    if (told.unit) state.words = told.unit !== "pieces";
    if (told.with !== undefined) Object.assign(state, { with: told.with === OTHER || served.models.some((each) => each.name === told.with) ? told.with : "", otherText: told.other ?? "", signed: told.signed === "yes" });
    if (told.out) state.out = new Map(told.out.split(";").map((each) => each.split(":")).map(([name, heads]) => [name, new Set((heads ?? "").split(",").map(Number).filter(Number.isInteger))]));
    otherInput.value = state.otherText;
    signedTick.box.checked = state.signed;
    if (!state.text && state.model) state.text = examplesOf(modelCalled(state.model))[0] ?? "";
    textInput.value = state.text;
    targetInput.value = state.target;
    if (state.model && (changed || !state.found)) look();
  },
  redraw,
};
