// Arithmetic: one query of the real model with its real numbers, a bench for your own, and the worked examples.

import { ask, examplesOf, latest, modelCalled, served } from "./asking.js";
import { bench, benchWith } from "./bench.js";
import { tint } from "./colours.js";
import { language, say, teach } from "./language.js";
import { button, el, field, fill, hears, nextFrame, paused, segments, walks, written } from "./nodes.js";
import { paint } from "./stage.js";

teach({
  modes: ["What to compute", "算什么"],
  model: ["A real head", "真实的头"],
  bench: ["Your own numbers", "自己的数字"],
  worked: ["Worked examples", "例题"],
  modelLead: ["One query of one head, from its vectors to its output: every number is the model's own.", "一个头里的一个查询，从向量一直算到输出：每个数字都是模型自己的。"],
  benchLead: ["Type vectors, change the score, hide cells: everything follows at once.", "输入向量、更换打分、遮住单元格：一切随之而变。"],
  workedLead: ["Small enough to be followed by hand, number by number.", "小到可以逐个数字手算。"],
  queryWord: ["Query", "查询"],
  stepVectors: ["The vectors", "向量"],
  stepVectorsWhy: ["The head has turned “{0}” into a query, and every word into a key and a value, {1} numbers each.", "这个头把“{0}”变成查询，把每个词变成键和值，各有 {1} 个数。"],
  stepVectorsHow: ["Blue is above zero, brown below; the number at the end of a strip is its strongest colour.", "蓝色大于零，棕色小于零；条末的数字是最深颜色的值。"],
  stepDot: ["How alike are they?", "它们有多像？"],
  stepDotWhy: ["Query and key are multiplied number by number and summed. Choose a key.", "查询与键逐个相乘再求和。选一个键。"],
  stepWeights: ["From likeness to weight", "从相似到权重"],
  stepWeightsWhy: ["Divide by √d so that wide vectors do not shout; raise; divide by the sum.", "除以 √d，免得宽向量声音太大；取指数；再除以总和。"],
  stepOutput: ["What it brings back", "带回什么"],
  stepOutputWhy: ["Each value, as much of it as its weight says, summed.", "每个值按权重取份，再相加。"],
  stepCheck: ["And the model?", "模型怎么说？"],
  agrees: ["✓ The model's own fast path gives the same to {0}.", "✓ 模型自己的快速路径给出相同结果，相差不超过 {0}。"],
  keyCol: ["key", "键"],
  scoreCol: ["score", "分数"],
  positionCol: ["position", "位置"],
  others_: ["… and {0} more", "……还有 {0} 项"],
  total: ["sum", "总和"],
  computed: ["by hand", "手算"],
  ofModel: ["the model", "模型"],
  asNumbers: ["In numbers", "数值"],
  takeToBench: ["Take these numbers to the bench", "拿这些数字去演算"],
  back: ["← All examples", "← 全部例题"],
});

const state = { mode: "model", model: null, text: "", target: null, name: null, head: 0, query: 0, key: null, found: null, problem: "", examples: null, exampleLanguage: null, example: null };
const asking = latest();

// ---------------------------------------------------------------- a real head

const modelPick = el("select", { onchange: () => (Object.assign(state, { model: modelPick.value, target: null, name: null, query: 0 }), explain()) });
const textInput = hears(el("input", { type: "text", autocomplete: "off", spellcheck: "false" }), () => (Object.assign(state, { text: textInput.value, target: null, query: 0, key: null }), soon()));
const namePick = el("select", { onchange: () => (Object.assign(state, { name: namePick.value, head: 0, query: 0, key: null }), explain()) });
const headPick = el("select", { onchange: () => ((state.head = Number(headPick.value)), explain()) });
const queries = walks(el("div", { class: "tokens", role: "group", label: "queryWord" }));
const problem = el("p", { class: "problem", role: "alert" });
const steps = el("div", { class: "steps" });

const explain = async () => {
  if (!state.text.trim() || !state.model) return redraw();
  const model = modelCalled(state.model);
  if (!model.attentions.some((each) => each.name === state.name)) {
    const first = model.aligning ?? { name: model.attentions.at(-1)?.name, head: 0 };
    Object.assign(state, { name: first.name, head: first.head });
  }
  try {
    const found = await asking("explain", { model: state.model, text: state.text, target: state.target, name: state.name, head: state.head, query: state.query });
    if (!found) return;
    Object.assign(state, { found, problem: "" });
  } catch (error) {
    Object.assign(state, { problem: error.message });
  }
  redraw();
};
const soon = paused(350, explain);

const step = (title, formula, why, ...children) =>
  el("section", { class: "step" }, el("header", {}, el("h3", { text: title }), el("span", { class: "formula", text: formula })), why ? el("p", { class: "small", text: why }) : null, ...children);

/** A vector as a strip of colours around zero. */
const strip = (name, numbers, role, most) => {
  const high = most ?? Math.max(...numbers.map(Math.abs), 1e-9);
  const canvas = paint(el("canvas", { role: "img", "aria-label": `${name}: ${numbers.map((each) => written(each, 2)).join(" ")}` }), { values: Float32Array.from(numbers), width: numbers.length, low: -high, high, signed: true });
  return el("div", { class: "vector" }, el("bdi", { class: role, text: name }), canvas, el("span", { class: "small", text: `±${written(high, 2)}` }));
};
const table = (heads, rows, about = {}) =>
  el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": heads.join(", ") }, el("table", about, el("thead", {}, el("tr", {}, ...heads.map((text) => el("th", { scope: "col", text })))), el("tbody", {}, ...rows)));

const drawModel = () => {
  fill(modelPick, served.models.map((model) => [model.name, model.name]), state.model ?? "");
  const model = modelCalled(state.model);
  fill(namePick, (model?.attentions ?? []).map((each) => [each.name, each.name]), state.name ?? "");
  const heads = model?.attentions.find((each) => each.name === state.name)?.heads ?? 1;
  fill(headPick, Array.from({ length: heads }, (_, head) => [head, say("headN", head)]), state.head);
  problem.textContent = state.problem;
  const { found } = state;
  if (!found) return;
  const had = queries.contains(document.activeElement);
  queries.replaceChildren(...found.query_labels.map((label, at) => el("button", { type: "button", text: label, "aria-pressed": String(at === found.query), tabindex: at === found.query ? 0 : -1, onclick: () => ((state.query = at), (state.key = null), explain()) })));
  if (had) queries.children[found.query].focus();
  const keep = found.keep ?? found.keys.map(() => true);
  const open = keep.map((kept, at) => (kept ? at : -1)).filter((at) => at >= 0);
  const most = open.reduce((best, at) => (found.weights[at] > found.weights[best] ? at : best), open[0] ?? 0);
  const key = state.key !== null && state.key < found.keys.length ? state.key : most;
  const highest = Math.max(...found.vector.map(Math.abs), ...found.keys.flat().map(Math.abs));
  const valued = Math.max(...found.values.flat().map(Math.abs));
  const products = found.vector.map((each, at) => each * found.keys[key][at]);
  const biggest = products.map((_, at) => at).sort((a, b) => Math.abs(products[b]) - Math.abs(products[a]));
  const number = (value, digits = 3) => (value === null || value === undefined ? "−∞" : written(value, digits));
  const bend = found.scale ? `÷ √${found.vector.length}` : "";
  const dotted = found.formula.includes("q·k");
  const positioned = Array.isArray(found.position);
  const choices = walks(el("div", { class: "tokens", role: "group", "aria-label": say("keyCol") }, ...open.map((at) => tint(el("button", { type: "button", text: found.key_labels[at], "data-key": at, "aria-pressed": String(at === key), tabindex: at === key ? 0 : -1, onclick: () => ((state.key = at), redraw()) }), found.weights[at]))));
  const focused = steps.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const sum = biggest.slice(0, 3).map((at) => `${number(found.vector[at])} · ${number(found.keys[key][at])}`).join(" + ");
  steps.replaceChildren(
    step(say("stepVectors"), "q, k₁ … kₙ, v₁ … vₙ", say("stepVectorsWhy", found.query_label.trim() || found.query_label, found.vector.length),
      el("p", { class: "small", text: say("stepVectorsHow") }),
      el("div", { class: "beside" },
        el("div", {}, strip(`q ${found.query_label}`, found.vector, "q", highest), ...found.keys.map((each, at) => strip(`k ${found.key_labels[at]}`, each, "k", highest))),
        el("div", {}, ...found.values.map((each, at) => strip(`v ${found.key_labels[at]}`, each, "", valued))))),
    step(say("stepDot"), found.formula, say("stepDotWhy"), choices,
      el("div", { class: "pairing" }, strip("q", found.vector, "q", highest), strip(`k ${found.key_labels[key]}`, found.keys[key], "k", highest), dotted ? strip("q × k", products, "") : null),
      dotted ? el("p", { class: "telling", text: `${sum} ${say("others_", Math.max(products.length - 3, 0))} = ${number(found.similarities[key], 4)}` }) : el("p", { class: "telling", text: number(found.similarities[key], 4) })),
    step(say("stepWeights"), "exp(sⱼ) / Σ exp(s)", say("stepWeightsWhy"),
      table([say("keyCol"), dotted ? "q·k" : found.formula, ...(bend ? [bend] : []), ...(positioned ? [say("positionCol")] : []), say("scoreCol"), "exp(s − max)", `÷ ${number(found.total)}`],
        found.keys.map((_, at) => keep[at]
          ? el("tr", {}, el("th", { scope: "row" }, el("bdi", { text: found.key_labels[at] })), el("td", { text: number(found.similarities[at]) }), bend ? el("td", { text: number(found.scaled[at]) }) : null, positioned ? el("td", { text: number(found.position[at]) }) : null, el("td", { text: number(found.scores[at]) }), el("td", { text: number(found.exponentials[at]) }), tint(el("td", { text: number(found.weights[at], 4) }), found.weights[at]))
          : el("tr", {}, el("th", { scope: "row" }, el("bdi", { text: found.key_labels[at] })), el("td", { class: "hid", colspan: String(4 + Number(Boolean(bend)) + Number(positioned)), text: say("masked") }))))),
    step(say("stepOutput"), "Σⱼ wⱼ vⱼ", say("stepOutputWhy"),
      el("div", {}, ...open.slice().sort((a, b) => found.weights[b] - found.weights[a]).slice(0, 5).map((at) => strip(`${number(found.weights[at])} × ${found.key_labels[at]}`, found.values[at].map((each) => each * found.weights[at]), "", valued)), strip(say("output"), found.output, "o", valued))),
    step(say("stepCheck"), "", "",
      strip(say("computed"), found.output, "o", valued), strip(say("ofModel"), found.model_output, "o", valued),
      el("p", { class: "check", text: say("agrees", found.error === 0 ? "0" : found.error.toExponential(0).replace("-", "−")) }),
      el("details", {}, el("summary", { text: say("asNumbers") }), table(["", say("computed"), say("ofModel")], found.output.map((each, at) => el("tr", {}, el("th", { scope: "row", text: String(at) }), el("td", { text: written(each, 6) }), el("td", { text: written(found.model_output[at], 6) })))))),
  );
  if (focused !== undefined) choices.querySelector(`[data-key="${focused}"]`)?.focus();
};

// ---------------------------------------------------------------- worked examples

const gallery = el("div", { class: "gallery" });
const example = el("div", { class: "example" });
const askExample = latest();

const listExamples = async () => {
  if (state.exampleLanguage === language()) return;
  state.exampleLanguage = language();
  try {
    state.examples = (await ask(`explain?language=${language()}`)).examples;
    if (state.example) return await openExample(state.example.name);
  } catch (error) {
    state.problem = error.message;
  }
  redraw();
};
const openExample = async (name) => {
  try {
    state.example = await askExample("explain", { worked: name, language: language() });
  } catch (error) {
    state.problem = error.message;
  }
  redraw();
  requestAnimationFrame(() => requestAnimationFrame(() => example.querySelector("button")?.focus()));
};
/** A drawing of the server's, which is never parsed into the page. */
const drawing = (svg, alt) => el("img", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, alt });

const numbersTable = ({ name, rows, columns, numbers, keep, sums, shaded, digits }) => {
  const shown = (value) => (value === null ? "−∞" : String(Number(value.toFixed(Math.min(digits ?? 4, 4)))).replace("-", "−"));
  const cells = (row, at) => numbers[at].map((value, column) => (keep && !keep[at][column] ? el("td", { class: "hid", text: "·" }) : shaded ? tint(el("td", { text: shown(value) }), value ?? 0) : el("td", { text: shown(value) })));
  return el("table", {}, el("caption", { text: name }), columns?.length ? el("thead", {}, el("tr", {}, el("td"), ...columns.map((text) => el("th", { scope: "col", text })), sums ? el("th", { scope: "col", text: say("total") }) : null)) : null,
    el("tbody", {}, ...numbers.map((_, at) => el("tr", {}, el("th", { scope: "row", text: rows?.[at] ?? "" }), ...cells(rows, at), sums ? el("td", { text: shown(sums[at]) }) : null))));
};
const drawWorked = () => {
  problem.textContent = state.problem;
  const told = state.example;
  gallery.hidden = Boolean(told);
  example.hidden = !told;
  gallery.replaceChildren(...(state.examples ?? []).map(({ name, title, shows }) => el("button", { type: "button", onclick: () => openExample(name) }, el("b", { text: title }), el("span", { class: "small", text: shows }))));
  if (!told) return;
  const given = told.steps[0]?.tables ?? [];
  const plain = given.length && given[0].numbers.every((row) => row.every((value) => value !== null));
  example.replaceChildren(
    el("div", { class: "controls" }, button("back", () => ((state.example = null), redraw())), plain ? button("takeToBench", () => toBench(given)) : null),
    el("h2", { text: told.title }), el("p", { class: "lead", text: told.lead }),
    el("div", { class: "steps" }, ...told.steps.map((each) => step(each.title, each.formula ?? "", each.why ?? "",
      el("div", { class: "grids" }, ...each.tables.map(numbersTable)),
      each.lines.length ? table(["", ""], each.lines.map(([left, right]) => el("tr", {}, el("th", { scope: "row", text: left }), el("td", { text: right })))) : null,
      ...each.notes.map((text) => el("p", { class: "small", text })),
      ...each.drawings.map((svg) => drawing(svg, each.title))))));
};
const toBench = (given) => {
  const alike = given[1]?.numbers[0].length === given[0].numbers[0].length ? given[1] : null;
  benchWith({ queries: given[0].numbers, labels: given[0].rows, keys: alike?.numbers ?? null, keyLabels: alike?.rows ?? null });
  mode("bench");
};

// ---------------------------------------------------------------- the tab

const modePick = segments("modes", ["model", "bench", "worked"], (chosen) => mode(chosen));
const lead = el("p", { class: "lead" });
const panes = {
  model: el("div", {}, el("div", { class: "controls" }, field("run", modelPick), el("label", { class: "field wide" }, el("span", { say: "sentence" }), textInput), field("layer", namePick), field("head", headPick)), el("div", { class: "controls" }, el("div", { class: "field" }, el("span", { say: "queryWord" }), queries)), steps),
  bench: bench.node,
  worked: el("div", {}, gallery, example),
};
/** A link brings back the query of the head, or the example. */
const link = () => {
  if (!location.hash.startsWith("#arithmetic")) return;
  const { model, text, target, name, head, query } = state;
  const told = state.mode === "model" && state.found ? { model, text, target, name, head, query } : { mode: state.mode, example: state.mode === "worked" ? (state.example?.name ?? null) : null };
  history.replaceState(null, "", `#arithmetic?${new URLSearchParams(Object.entries(told).filter(([, each]) => each !== null))}`);
};
const mode = (chosen) => {
  state.mode = chosen;
  state.problem = "";
  if (chosen === "model" && !state.found) explain();
  redraw();
};
const redraw = nextFrame(() => {
  modePick.show(state.mode);
  lead.textContent = say(`${state.mode}Lead`);
  for (const [name, pane] of Object.entries(panes)) pane.hidden = name !== state.mode;
  if (state.mode === "model") drawModel();
  else if (state.mode === "bench") bench.redraw();
  else {
    listExamples();
    drawWorked();
  }
  link();
});

export const tab = {
  name: "arithmetic",
  build: () => {
    const model = served.models.length ? modelCalled(served.default) : null;
    Object.assign(state, { model: model?.name ?? null, text: model ? (examplesOf(model)[0] ?? "") : "", mode: model ? "model" : "bench" });
    textInput.value = state.text;
    return el("div", {}, el("div", { class: "modes" }, modePick.group), lead, problem, ...Object.values(panes));
  },
  show: ({ mode: wanted, example: named, model, text, target, name, head, query }) => {
    if (wanted in panes) state.mode = wanted;
    if (named && named !== state.example?.name) openExample(named);
    if (text !== undefined) {
      Object.assign(state, { text, target: target ?? null, mode: "model", model: model === undefined ? state.model : (modelCalled(model)?.name ?? null), name: name ?? state.name, head: Number(head ?? state.head), query: Number(query ?? 0), found: null });
      textInput.value = text;
    }
    if (state.mode === "model" && !state.found) explain();
  },
  redraw,
};
