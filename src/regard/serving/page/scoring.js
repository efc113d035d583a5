// Rungs three and four: scores and masks in a plane, and Bahdanau's alignment computed by a small network.

import { attend, dot, softmax } from "./attending.js";
import { letters } from "./colours.js";
import { either, say, teach } from "./language.js";
import { draw, el, field, fill, nextFrame, slide, tick, walks, written } from "./nodes.js";
import { movable, plot, room } from "./plot.js";
import { flowNodes } from "./stage.js";

teach({
  mayBeSeen: ["May be looked at", "可以被看"],
  queryArrow: ["the query", "查询"],
  keyArrow: ["the key {0}", "键 {0}"],
  sharpnessOf: ["Sharpness of the network", "网络的锐度"],
  writing: ["The word being written", "正在写的词"],
  oneSummary: ["One summary for every word, as before 2014", "所有词共用一个概括（2014 年之前）"],
});

const weightBars = (names, weights, role = "k") =>
  el("ol", { class: "bars" }, ...names.map((name, at) => {
    const bar = el("i");
    bar.style.width = `${100 * weights[at]}%`;
    return el("li", {}, el("bdi", { class: role, text: name }), el("span", { class: "track" }, bar), el("b", { text: written(weights[at], 3) }));
  }));

// ---------------------------------------------------------------- 3 scores and masks

export const scoresAndMasks = () => {
  const names = () => either(["cat", "dog", "house", "river"], ["猫", "狗", "房子", "河"]);
  const state = { query: [2.1, 1.9], keys: [[1.9, 0.6], [1.2, 1.7], [-1.5, 0.9], [-0.4, -1.7]], open: [true, true, true, true], score: "dot", scaled: true, temperature: 1 };
  const wide = room(460);
  const chart = plot({ wide, tall: (400 * wide) / 460, x: [-2.6, 2.6], y: [-2.2, 2.2], label: "", edge: 36 });
  const arrow = (role) => {
    const node = draw("line", { "stroke-width": role === "key" ? 2.5 : 3.5, x1: chart.sx(0), y1: chart.sy(0) });
    node.style.stroke = `var(--${role})`;
    return node;
  };
  const [query, output] = [arrow("query"), arrow("output")];
  const keys = state.keys.map(() => arrow("key"));
  const grips = state.keys.map(() => draw("circle", { class: "point lit", r: 8 }));
  const labels = state.keys.map(() => draw("text", { class: "name" }));
  const queryGrip = draw("circle", { class: "query-point", r: 10 });
  const outputDot = draw("circle", { class: "answer-point", r: 6 });
  const outputText = draw("text", { class: "answer-text" });
  const queryText = draw("text", { class: "query-text" });
  chart.body.append(...keys, output, query, ...grips, ...labels, outputDot, outputText, queryGrip, queryText);
  const bars = el("div");
  const telling = el("p", { class: "telling", role: "status" });
  const pick = el("select", { onchange: () => ((state.score = pick.value), redraw()) });
  const boxes = el("div", { class: "controls", role: "group", label: "mayBeSeen" });
  const shows = [];
  const redraw = nextFrame(() => {
    fill(pick, ["dot", "gaussian", "additive", "uniform"].map((name) => [name, say(name)]), state.score);
    const [found] = attend([state.query], state.keys, state.keys, { ...state, bandwidth: 1, keep: (_, column) => state.open[column] });
    const place = (line, [x, y]) => (line.setAttribute("x2", chart.sx(x)), line.setAttribute("y2", chart.sy(y)));
    state.keys.forEach(([x, y], at) => {
      place(keys[at], [x, y]);
      keys[at].setAttribute("stroke-opacity", state.open[at] ? (0.2 + 0.8 * found.weights[at]).toFixed(2) : 0.08);
      grips[at].setAttribute("cx", chart.sx(x));
      grips[at].setAttribute("cy", chart.sy(y));
      grips[at].setAttribute("r", (6 + 9 * Math.sqrt(found.weights[at])).toFixed(1));
      grips[at].classList.toggle("lit", state.open[at]);
      labels[at].textContent = names()[at];
      labels[at].setAttribute("x", chart.sx(x) + 14);
      labels[at].setAttribute("y", chart.sy(y) - 12);
    });
    place(query, state.query);
    place(output, found.output);
    queryGrip.setAttribute("cx", chart.sx(state.query[0]));
    queryGrip.setAttribute("cy", chart.sy(state.query[1]));
    queryText.textContent = say("query").toLowerCase();
    queryText.setAttribute("x", chart.sx(state.query[0]));
    queryText.setAttribute("y", chart.sy(state.query[1]) - 16);
    outputDot.setAttribute("cx", chart.sx(found.output[0]));
    outputDot.setAttribute("cy", chart.sy(found.output[1]));
    outputText.setAttribute("x", chart.sx(found.output[0]) - 8);
    outputText.setAttribute("y", chart.sy(found.output[1]) + 20);
    outputText.textContent = say("output").toLowerCase();
    bars.replaceChildren(weightBars(names(), found.weights));
    const had = document.activeElement?.dataset?.open;
    boxes.replaceChildren(...names().map((name, at) => {
      const box = el("input", { type: "checkbox", checked: state.open[at], "data-open": String(at), onchange: () => ((state.open[at] = box.checked), redraw()) });
      return el("label", { class: "tick" }, box, el("span", { text: name }));
    }));
    if (had !== undefined && !document.activeElement?.dataset?.open) boxes.querySelector(`[data-open="${had}"]`)?.focus();
    const best = found.weights.indexOf(Math.max(...found.weights));
    telling.textContent = found.sum > 0
      ? either(`The query hears “${names()[best]}” most: ${written(found.weights[best], 2)}. Weights always sum to one.`, `查询听“${names()[best]}”最多：${written(found.weights[best], 2)}。权重之和总是一。`)
      : either("Nothing may be looked at: the answer is zero, silence rather than noise.", "什么都不能看：回答是零，是寂静而不是噪声。");
    for (const show of shows) show();
  });
  shows.push(movable(queryGrip, chart, { at: () => state.query, move: (x, y) => ((state.query = [x, y]), redraw()), steps: [0.1, 0.1], name: say("queryArrow"), tell: () => state.query.map((each) => written(each, 1)).join(", ") }));
  grips.forEach((grip, at) => shows.push(movable(grip, chart, { at: () => state.keys[at], move: (x, y) => ((state.keys[at] = [x, y]), redraw()), steps: [0.1, 0.1], name: say("keyArrow", names()[at]), tell: () => state.keys[at].map((each) => written(each, 1)).join(", ") })));
  const warm = slide("temperature", { min: 0.1, max: 4, step: 0.1, value: 1, write: (value) => written(value, 1), change: (value) => ((state.temperature = value), redraw()) });
  const scaled = tick("divideRoot", (on) => ((state.scaled = on), redraw()), true);
  return { node: el("div", { class: "figure" }, el("div", { class: "controls" }, field("scoreName", pick), warm.label, scaled.label), el("div", { class: "beside" }, chart.svg, el("div", {}, el("p", { class: "small", say: "mayBeSeen" }), boxes, bars, telling))), redraw };
};

// ---------------------------------------------------------------- 4 Bahdanau's alignment

/** What each word means, one number for each idea; a hand-made encoder. */
const IDEAS = { the: 0, red: 1, house: 2, is: 3, mine: 4, stop: 5 };
const SOURCE = ["the", "red", "house", "is", "mine", "stop"];
const TARGET = [["la", "the"], ["maison", "house"], ["rouge", "red"], ["est", "is"], ["à", "mine"], ["moi", "mine"], [".", "stop"]];
const WRITTEN = { the: "the", red: "red", house: "house", is: "is", mine: "mine", stop: "." };

/** v · tanh(W q + U k): two hidden units for each idea make a bump where query and key agree. */
const additiveScore = (query, key, sharpness) => {
  const hidden = query.flatMap((each, at) => [Math.tanh(1 + sharpness * (each - key[at])), Math.tanh(1 - sharpness * (each - key[at]))]);
  return dot(hidden, hidden.map(() => sharpness));
};

export const alignment = () => {
  const state = { order: [...SOURCE], at: 1, sharpness: 2.2, summary: false };
  const vector = (idea) => Array.from({ length: 6 }, (_, at) => (at === IDEAS[idea] ? 1 : 0.08 * ((at * 7 + IDEAS[idea] * 3) % 5)));
  const host = el("div", { class: "scroll", tabindex: "0", role: "group", label: "writing" });
  const words = walks(el("div", { class: "tokens", role: "group", label: "writing" }));
  const bars = el("div");
  const telling = el("p", { class: "telling", role: "status" });
  const weightsOf = (idea) => {
    const scores = state.order.map((each) => (state.summary ? 0 : additiveScore(vector(idea), vector(each), state.sharpness)));
    return softmax(scores).weights;
  };
  const redraw = nextFrame(() => {
    const rows = TARGET.map(([word]) => word);
    const columns = state.order.map((idea) => WRITTEN[idea]);
    const weights = TARGET.map(([, idea]) => weightsOf(idea));
    const listening = (node, side, at) => side === "q" && (node.setAttribute("class", "word"), node.addEventListener("click", () => ((state.at = at), redraw())));
    const { nodes, width, height } = flowNodes({ rows, columns, values: Float32Array.from(weights.flat()) }, { wide: Math.max(host.clientWidth, 280), share: 0.93, lit: { q: state.at, k: null }, listening, gap: 120 });
    host.replaceChildren(draw("svg", { class: "flow", width: Math.ceil(width), height: Math.ceil(height), "font-family": letters(), "aria-hidden": "true" }, ...nodes));
    const had = words.contains(document.activeElement);
    words.replaceChildren(...rows.map((word, at) => el("button", { type: "button", text: word, "aria-pressed": String(at === state.at), tabindex: at === state.at ? 0 : -1, onclick: () => ((state.at = at), redraw()) })));
    if (had) words.children[state.at].focus();
    bars.replaceChildren(weightBars(columns, weights[state.at]));
    const best = weights[state.at].indexOf(Math.max(...weights[state.at]));
    telling.textContent = state.summary
      ? either("Every word is written from the same blur: a long sentence does not fit into one vector.", "每个词都从同一团模糊中写出：长句子装不进一个向量。")
      : either(`To write “${rows[state.at]}” the decoder looks back at “${columns[best]}”: ${written(weights[state.at][best], 2)}.`, `写“${rows[state.at]}”时，解码器回头看“${columns[best]}”：${written(weights[state.at][best], 2)}。`);
  });
  const sharp = slide("sharpnessOf", { min: 0.3, max: 4, step: 0.1, value: state.sharpness, write: (value) => written(value, 1), change: (value) => ((state.sharpness = value), redraw()) });
  const summary = tick("oneSummary", (on) => ((state.summary = on), redraw()));
  new ResizeObserver(redraw).observe(host);
  return { node: el("div", { class: "figure" }, el("div", { class: "controls" }, sharp.label, summary.label), el("div", { class: "field" }, el("span", { say: "writing" }), words), host, bars, telling), redraw };
};
