// The bench: vectors typed in a table, computed here at once, and checked with regard.attend on the server.

import { latest, served } from "./asking.js";
import { attend, KERNEL_NAMES, rotated, SCORES, sinusoid } from "./attending.js";
import { tint } from "./colours.js";
import { say, teach } from "./language.js";
import { announce, button, el, field, fill, nextFrame, paused, refill, slide, tick, written } from "./nodes.js";

teach({
  scoreName: ["Score", "打分"],
  dot: ["dot product", "点积"],
  additive: ["additive (tanh)", "加性（tanh）"],
  divideRoot: ["÷ √d", "÷ √d"],
  temperature: ["Temperature", "温度"],
  mask: ["Mask", "掩码"],
  noMask: ["none", "无"],
  causal: ["causal", "因果"],
  nearby: ["neighbours only", "仅邻近"],
  position: ["Position", "位置"],
  noPosition: ["none", "无"],
  sinusoidal: ["sinusoidal", "正弦"],
  rotary: ["rotary", "旋转"],
  alibi: ["ALiBi", "ALiBi"],
  heads: ["Heads", "头数"],
  queries: ["Queries", "查询"],
  keys: ["Keys", "键"],
  values: ["Values", "值"],
  keysOwn: ["Keys of their own", "键另设"],
  valuesOwn: ["Values of their own", "值另设"],
  sameVectors: ["Keys and values are the queries themselves: self-attention.", "键和值就是查询本身：自注意力。"],
  sameKeys: ["Values are the keys.", "值就是键。"],
  sameQueries: ["Keys are the queries themselves.", "键就是查询本身。"],
  addRow: ["+ row", "+ 行"],
  dropRow: ["− row", "− 行"],
  addColumn: ["+ column", "+ 列"],
  dropColumn: ["− column", "− 列"],
  scores: ["Scores", "分数"],
  weights: ["Weights", "权重"],
  output: ["Output", "输出"],
  clickToHide: ["Click a score to hide or show that cell.", "点击一个分数可遮住或恢复该单元格。"],
  cellHidden: ["{0} may not look at {1}.", "{0} 不能看 {1}。"],
  cellShown: ["{0} may look at {1}.", "{0} 可以看 {1}。"],
  benchChecked: ["✓ regard.attend agrees to {0}, on its {1} path.", "✓ regard.attend 的结果一致，相差 {0}（路径：{1}）。"],
  benchDiffers: ["The server's numbers differ by {0}.", "与服务器的结果相差 {0}。"],
  theHead: ["Head shown", "显示的头"],
  entryOf: ["{0}, row {1}, column {2}", "{0} 第 {1} 行第 {2} 列"],
  labelOf: ["name of row {0}", "第 {0} 行的名字"],
});

const state = {
  labels: ["the", "cat", "sleeps"], keyLabels: ["le", "chat", "dort"],
  queries: [[1, 0, 0.5, 0], [0, 2, 1, 0], [0, 1, 0, 2]], keys: [[1, 0, 0, 0], [0, 2, 0, 1], [0, 0.5, 0, 2]], values: [[1, 0], [0, 1], [0.5, 0.5]],
  ownKeys: false, ownValues: false, score: "dot", scaled: true, bandwidth: 1, temperature: 1, mask: "noMask", hidden: new Set(), position: "noPosition", heads: 1, head: 0,
};

/** Put other vectors on the bench. */
export const benchWith = ({ queries, labels, keys, keyLabels }) => {
  const copy = (rows) => rows.map((row) => [...row]);
  Object.assign(state, { queries: copy(queries), labels: labels?.length ? [...labels] : queries.map((_, at) => `x${at + 1}`), ownKeys: Boolean(keys), ownValues: false, heads: 1, head: 0, mask: "noMask", position: "noPosition", score: "dot", scaled: false, temperature: 1 });
  state.keys = copy(keys ?? queries);
  state.keyLabels = keyLabels?.length ? [...keyLabels] : state.labels.slice(0, state.keys.length);
  state.values = copy(state.keys);
  state.hidden.clear();
  scaledTick.box.checked = false;
  change();
};

const keysNow = () => (state.ownKeys ? state.keys : state.queries);
const keyNames = () => (state.ownKeys ? state.keyLabels : state.labels);
const valuesNow = () => (state.ownValues ? state.values : keysNow());
const keepNow = () => {
  const open = { noMask: () => true, causal: (row, column) => column <= row, nearby: (row, column) => Math.abs(row - column) <= 1 }[state.mask];
  return (row, column) => open(row, column) && !state.hidden.has(`${row},${column}`);
};
const masked = () => state.mask !== "noMask" || state.hidden.size > 0;
const divides = (count) => [state.queries[0].length, valuesNow()[0].length].every((width) => width % count === 0);

/** Every head: its part of the vectors, its scores, its weights, its output. */
const compute = () => {
  const placed = (rows) => (state.position === "sinusoidal" ? rows.map((row, at) => row.map((each, part) => each + sinusoid(at, row.length)[part])) : rows);
  const [queries, keys] = [placed(state.queries), placed(keysNow())];
  const values = state.ownValues ? state.values : keys;
  return Array.from({ length: state.heads }, (_, head) => {
    const part = (rows) => rows.map((row) => row.slice((head * row.length) / state.heads, ((head + 1) * row.length) / state.heads));
    const turned = (rows) => (state.position === "rotary" ? rows.map(rotated) : rows);
    const slope = 2 ** ((-8 * (head + 1)) / state.heads);
    const bias = state.position === "alibi" ? (row, column) => -slope * Math.abs(row - column) : null;
    return attend(turned(part(queries)), turned(part(keys)), part(values), { ...state, keep: masked() ? keepNow() : null, bias });
  });
};

// ---------------------------------------------------------------- checked with the server

const checking = latest();
const check = el("p", { class: "check", hidden: true, role: "status" });
const verify = paused(500, async () => {
  if (!served.asked) return;
  const mine = compute();
  const rows = state.queries.map((_, row) => mine.flatMap((head) => head[row].output));
  try {
    const found = await checking("explain", {
      queries: state.queries, keys: state.ownKeys ? state.keys : null, values: state.ownValues ? state.values : null,
      score: state.score === "dot" ? (state.scaled ? "scaled-dot" : "dot") : state.score, bandwidth: state.bandwidth, temperature: state.temperature, heads: state.heads,
      mask: masked() ? { kind: "keep", keep: state.queries.map((_, row) => keysNow().map((_, column) => keepNow()(row, column))) } : null,
      position: state.position === "noPosition" ? null : { kind: state.position },
    });
    if (!found) return;
    const off = Math.max(...rows.flatMap((row, at) => row.map((each, part) => Math.abs(each - found.output[at][part]))));
    const told = (value) => (value === 0 ? "0" : value.toExponential(0).replace("-", "−"));
    check.textContent = off < 1e-4 ? say("benchChecked", told(Math.max(off, found.error)), found.path) : say("benchDiffers", told(off));
    check.dataset.off = String(off);
    check.hidden = false;
  } catch (error) {
    check.textContent = error.message;
    check.hidden = false;
  }
});

// ---------------------------------------------------------------- tables to type in

/** Tables are made anew only when their shape changes, so that the cursor stays where one types. */
const editable = (phrase, role, rows, names) => {
  const table = el("table", { class: role }, el("caption", { text: say(phrase) }));
  rows.forEach((row, at) => {
    const name = el("input", { type: "text", value: names[at] ?? "", "aria-label": `${say(phrase)}: ${say("labelOf", at + 1)}`, oninput: () => ((names[at] = name.value), soft()) });
    table.append(el("tr", {}, el("th", { scope: "row" }, name), ...row.map((value, column) => {
      const input = el("input", { type: "number", step: "0.5", value: String(value), "aria-label": say("entryOf", say(phrase), at + 1, column + 1), oninput: () => {
        const typed = Number(input.value);
        if (input.value === "" || !Number.isFinite(typed)) return;
        row[column] = typed;
        soft();
      } });
      return el("td", { class: "cell" }, input);
    })));
  });
  return table;
};
const grid = (caption, rows, columns, numbers, { role = "", scale = null, hide = null, act = null } = {}) =>
  el("table", { class: role }, el("caption", { text: caption }),
    columns ? el("thead", {}, el("tr", {}, el("td"), ...columns.map((text) => el("th", { scope: "col", text })))) : null,
    el("tbody", {}, ...numbers.map((row, at) => el("tr", {}, el("th", { scope: "row", text: rows[at] }), ...row.map((value, column) => {
      const gone = hide && !hide(at, column);
      const cell = el("td", { class: gone ? "hid" : "" }, act ? el("button", { type: "button", text: gone ? "×" : written(value, 3), "aria-pressed": String(Boolean(gone)), "data-cell": `${at},${column}`, "aria-label": `${rows[at]} → ${columns[column]}: ${gone ? say("masked") : written(value, 3)}`, onclick: () => act(at, column) }) : written(value, 3));
      return !gone && scale ? tint(cell, value, scale) : cell;
    })))));

const inputs = el("div", { class: "grids" });
const sameNote = el("p", { class: "small" });
const results = el("div", { class: "grids" });
const headChoice = el("div", { class: "segments", role: "group", label: "theHead" });
const scorePick = el("select", { onchange: () => ((state.score = scorePick.value), change()) });
const maskPick = el("select", { onchange: () => ((state.mask = maskPick.value), change()) });
const positionPick = el("select", { onchange: () => ((state.position = positionPick.value), change()) });
const headsPick = el("select", { onchange: () => (Object.assign(state, { heads: Number(headsPick.value), head: 0 }), change()) });
const scaledTick = tick("divideRoot", (scaled) => ((state.scaled = scaled), change()), true);
const ownKeys = tick("keysOwn", (own) => ((state.ownKeys = own), own && shapeKeys(), change()));
const ownValues = tick("valuesOwn", (own) => ((state.ownValues = own), own && shapeKeys(), change()));
const bandwidthSlide = slide("bandwidth", { min: 0.1, max: 5, step: 0.1, value: 1, write: (value) => written(value, 1), change: (value) => ((state.bandwidth = value), soft()) });
const temperatureSlide = slide("temperature", { min: 0.1, max: 5, step: 0.1, value: 1, write: (value) => written(value, 1), change: (value) => ((state.temperature = value), soft()) });

const shapeKeys = () => {
  const width = state.queries[0].length;
  state.keys = state.keys.map((row) => Array.from({ length: width }, (_, at) => row[at] ?? 0));
  if (state.values.length !== keysNow().length) state.values = keysNow().map((row) => [...row]);
};
const resize = (rows, columns) => {
  const tall = Math.min(Math.max(state.queries.length + rows, 1), 8);
  const wide = Math.min(Math.max(state.queries[0].length + columns, 1), 8);
  const shaped = (matrix) => Array.from({ length: matrix === state.queries || state.ownKeys ? tall : matrix.length }, (_, row) => Array.from({ length: wide }, (_, at) => matrix[row]?.[at] ?? (row + at) % 2));
  const keys = state.ownKeys ? shaped(state.keys) : state.keys;
  state.queries = shaped(state.queries);
  state.keys = keys;
  while (state.labels.length < tall) state.labels.push(`x${state.labels.length + 1}`);
  while (state.keyLabels.length < tall) state.keyLabels.push(`y${state.keyLabels.length + 1}`);
  const width = state.values[0].length;
  state.values = keysNow().map((_, row) => state.values[row] ?? Array.from({ length: width }, () => 0));
  if (!divides(state.heads)) Object.assign(state, { heads: 1, head: 0 });
  state.hidden.clear();
  shapeKeys();
  change();
};

const toggle = (row, column) => {
  const place = `${row},${column}`;
  if (state.hidden.has(place)) state.hidden.delete(place);
  else state.hidden.add(place);
  announce(say(keepNow()(row, column) ? "cellShown" : "cellHidden", state.labels[row], keyNames()[column]));
  soft();
};

const drawResults = () => {
  const found = compute();
  const head = found[Math.min(state.head, found.length - 1)];
  const scores = head.map((row) => row.scores);
  const finite = scores.flat().filter(Number.isFinite);
  const most = Math.max(...finite.map(Math.abs), 1e-9);
  const outputs = state.queries.map((_, row) => found.flatMap((each) => each[row].output));
  const formula = { dot: state.scaled ? "q·k / √d" : "q·k", additive: "Σ tanh(q + k)", uniform: "0", gaussian: "−‖q−k‖² / 2b²" }[state.score] ?? say(state.score);
  const focused = results.contains(document.activeElement) ? document.activeElement.dataset.cell : undefined;
  results.replaceChildren(
    grid(`${say("scores")}  ${formula}`, state.labels, keyNames(), scores, { scale: { low: -most, high: most, signed: true }, hide: keepNow(), act: toggle }),
    grid(`${say("weights")}  softmax`, state.labels, keyNames(), head.map((row) => row.weights), { scale: {}, hide: keepNow() }),
    grid(`${say("output")}  Σ w v`, state.labels, null, outputs, { role: "o" }),
  );
  if (focused) results.querySelector(`[data-cell="${focused}"]`)?.focus();
  headChoice.hidden = state.heads < 2;
  refill(headChoice, found.map((_, at) => el("button", { type: "button", text: say("headN", at), "aria-pressed": String(at === state.head), onclick: () => ((state.head = at), soft()) })));
};
const drawInputs = () => {
  fill(scorePick, Object.keys(SCORES).map((name) => [name, say(name)]), state.score);
  fill(maskPick, ["noMask", "causal", "nearby"].map((name) => [name, say(name)]), state.mask);
  const dotted = state.score === "dot";
  if (!dotted && state.position === "rotary") state.position = "noPosition";
  fill(positionPick, ["noPosition", "sinusoidal", ...(dotted && (state.queries[0].length / state.heads) % 2 === 0 ? ["rotary"] : []), "alibi"].map((name) => [name, say(name)]), state.position);
  if (positionPick.value === "") positionPick.value = state.position = "noPosition";
  fill(headsPick, [1, 2, 4].filter(divides).map((count) => [count, String(count)]), state.heads);
  scaledTick.label.hidden = !dotted;
  bandwidthSlide.label.hidden = !KERNEL_NAMES.includes(state.score);
  ownKeys.box.checked = state.ownKeys;
  ownValues.box.checked = state.ownValues;
  bandwidthSlide.set(state.bandwidth);
  temperatureSlide.set(state.temperature);
  inputs.replaceChildren(...[
    editable("queries", "q", state.queries, state.labels),
    state.ownKeys ? editable("keys", "k", state.keys, state.keyLabels) : null,
    state.ownValues ? editable("values", "o", state.values, keyNames()) : null,
  ].filter(Boolean));
  const same = state.ownKeys ? (state.ownValues ? "" : "sameKeys") : state.ownValues ? "sameQueries" : "sameVectors";
  sameNote.textContent = same && say(same);
};

const drawAll = nextFrame(() => (drawInputs(), drawResults(), verify()));
const soft = nextFrame(() => (drawResults(), verify()));
const change = () => drawAll();

export const bench = {
  node: el("div", { class: "bench" },
    el("div", { class: "card" },
      el("div", { class: "controls" }, field("scoreName", scorePick), scaledTick.label, bandwidthSlide.label, temperatureSlide.label, field("mask", maskPick), field("position", positionPick), field("heads", headsPick), ownKeys.label, ownValues.label),
      inputs, sameNote,
      el("div", { class: "actions" }, button("addRow", () => resize(1, 0)), button("dropRow", () => resize(-1, 0)), button("addColumn", () => resize(0, 1)), button("dropColumn", () => resize(0, -1)))),
    el("div", { class: "card" }, headChoice, results, el("p", { class: "small", say: "clickToHide" })),
    check),
  redraw: drawAll,
};
