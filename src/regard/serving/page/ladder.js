// Ladder: seven rungs from the average to the Transformer, each with a figure that answers.

import { kernelRegression, pooling } from "./averaging.js";
import { multiHead, positionsRung } from "./heads.js";
import { either, language, rephraseAll, teach } from "./language.js";
import { announce, button, el } from "./nodes.js";
import { alignment, scoresAndMasks } from "./scoring.js";
import { transformer } from "./transformer.js";

teach({
  rungs: ["The rungs", "各级"],
  before: ["← Back", "← 上一级"],
  after: ["Next →", "下一级 →"],
  toTranslate: ["Now try your own sentence →", "现在试试你自己的句子 →"],
});

const RUNGS = [
  { make: pooling, title: () => either("Average pooling", "平均汇聚"), formula: "f(x) = 1/n · Σ yᵢ",
    tell: () => either("The simplest way to sum up many things is to take their average. It is kind, and it is deaf: whatever you ask, the answer is the same. Pull at the bars.", "概括许多东西，最简单的办法是取平均。它很公道，却也听不见：无论你问什么，回答都一样。拉一拉这些柱子。") },
  { make: kernelRegression, title: () => either("Nadaraya–Watson", "Nadaraya–Watson 核回归"), formula: "f(x) = Σ K(x − xᵢ) yᵢ / Σ K(x − xᵢ)",
    tell: () => either("In 1964 came a better idea: listen more to what is near. The question x is a query, the points are keys, their heights are values. This is attention already. Drag the points and the question, and move the bandwidth.", "1964 年有了更好的主意：多听近处的。提问 x 是查询，各点是键，高度是值。这已经是注意力了。拖动点和提问，再调调带宽。") },
  { make: scoresAndMasks, title: () => either("Scores and masks", "打分与掩码"), formula: "w = softmax(score(q, k))",
    tell: () => either("Nearness is only one way to compare. A score may be a dot product, a distance, a small network; a softmax turns scores into weights. A mask says what may not be seen. Turn the query and hide a key.", "“近”只是一种比较方式。打分可以是点积、距离，或一个小网络；softmax 把分数变成权重。掩码规定什么不能看。转动查询，藏起一个键试试。") },
  { make: alignment, title: () => either("Bahdanau's alignment", "Bahdanau 的对齐"), formula: "vᵀ tanh(W q + U k)",
    tell: () => either("Translators used to squeeze a sentence into one vector. In 2014 Bahdanau let the decoder look back at the source for every word it writes. See how “maison” finds “house” past the adjective.", "过去的翻译模型把整句话压进一个向量。2014 年，Bahdanau 让解码器每写一个词都回头看一遍源句。看“maison”如何越过形容词找到“house”。") },
  { make: multiHead, title: () => either("Many heads", "多头"), formula: "Concat(head₁, …, headₕ) W",
    tell: () => either("One look has one purpose. Several heads, each with its own projections, look for several things at once. Point at a word and compare.", "一次看只有一个目的。多个头各有自己的投影，同时寻找不同的东西。指向一个词，比较一下。") },
  { make: positionsRung, title: () => either("Positions", "位置"), formula: "P(t, 2j) = sin(t / 10000^(2j/d))",
    tell: () => either("Attention is a set of looks, and a set has no order. So we give each word its place: as waves added to it, or as a distance between two words. Shuffle, with and without.", "注意力是一组“看”，而集合没有次序。于是我们给每个词一个位置：加上波，或记下两词的距离。分别在有和没有位置时打乱试试。") },
  { make: transformer, title: () => either("The Transformer", "Transformer"), formula: "LayerNorm(x + Attention(x))",
    tell: () => either("Stack what you have climbed: attention, then a little thinking, again and again. Nothing waits for its neighbour, and any word hears any other in one step.", "把走过的各级叠起来：注意力，再想一想，一层又一层。谁也不用等邻居，任何词一步就能听到任何别的词。") },
];

const state = { at: 0, been: new Set(), language: null };
const built = new Map();
const list = el("ol", { class: "rungs" });
const host = el("article", { class: "rung" });
let go = () => {};

const open = (at) => {
  state.at = Math.min(Math.max(at, 0), RUNGS.length - 1);
  history.replaceState(null, "", `#ladder?step=${state.at + 1}`);
  draw();
  announce(`${state.at + 1}. ${RUNGS[state.at].title()}`);
};
const draw = () => {
  state.been.add(state.at);
  const had = list.contains(document.activeElement);
  list.setAttribute("aria-label", either("The rungs", "各级"));
  list.replaceChildren(...RUNGS.map((rung, at) => el("li", { class: state.been.has(at) ? "been" : "" }, el("button", { type: "button", "aria-current": at === state.at ? "step" : null, onclick: () => open(at) }, el("span", { text: String(at + 1) }), el("span", { text: rung.title() })))));
  if (had) list.querySelector("[aria-current]").focus();
  const rung = RUNGS[state.at];
  if (state.language !== language()) built.clear(); // figures name their handles when they are made
  state.language = language();
  if (!built.has(rung)) built.set(rung, rung.make());
  const figure = built.get(rung);
  const last = state.at === RUNGS.length - 1;
  const next = last ? button("toTranslate", () => go("translate"), { class: "primary" }) : button("after", () => open(state.at + 1), { class: "primary" });
  const kept = host.contains(document.activeElement) && document.activeElement.closest(".pager");
  host.replaceChildren(el("h2", { text: rung.title() }), el("p", { text: rung.tell() }), el("p", { class: "formula", text: rung.formula }), figure.node, el("div", { class: "pager" }, button("before", () => open(state.at - 1), { disabled: state.at === 0 }), next));
  if (kept) next.focus();
  rephraseAll(host);
  figure.redraw();
};

export const tab = {
  name: "ladder",
  build: (studio) => {
    go = studio.go;
    return el("div", { class: "ladder" }, list, host);
  },
  show: ({ step }) => {
    if (step !== undefined) state.at = Math.min(Math.max(Number(step) - 1 || 0, 0), RUNGS.length - 1);
  },
  redraw: draw,
};
