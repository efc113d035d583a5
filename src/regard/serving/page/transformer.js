// The last rung: the Transformer part by part, and how far a word can be heard in three encoders.

import { either, say, teach } from "./language.js";
import { announce, draw, el, nextFrame, slide, written } from "./nodes.js";

teach({
  width: ["Width", "宽度"],
  layers: ["Layers", "层数"],
  wordsCount: ["Words n", "词数 n"],
  kernelWidth: ["Kernel k", "卷积核 k"],
  recurrent: ["recurrent", "循环"],
  convolutional: ["convolutional", "卷积"],
  selfAttention: ["self-attention", "自注意力"],
  parameters: ["parameters", "参数"],
  operations: ["operations", "运算量"],
  inSequence: ["one after another", "先后步数"],
  longestPath: ["longest path", "最长路径"],
  stepsUnit: ["after {0} steps", "{0} 步之后"],
  layersUnit: ["after layer {0}", "第 {0} 层之后"],
  reachLead: ["From the bottom up, a step or a layer at a time; filled is what has heard word 1.", "自下而上，每行一步或一层；实心的已经听到第 1 个词。"],
});

const VOCABULARY = 4000; // one vocabulary for both languages; the hidden layer is four times as wide

/** Every part: where it stands in the drawing, what it is called, what it does, how many numbers it learns. */
const PARTS = [
  { id: "embed", kind: "embeds", x: 10, y: 430, name: () => either("embedding + position", "嵌入 + 位置"), count: ({ width }) => VOCABULARY * width,
    tell: () => either("Each word becomes a vector; its place is added, for attention alone has no order.", "每个词变成一个向量，再加上它的位置，因为注意力本身没有次序。") },
  { id: "encoderSelf", kind: "attends", x: 10, y: 340, name: () => either("self-attention", "自注意力"), count: ({ width, layers }) => layers * (4 * width * width + 6 * width),
    tell: () => either("Every word of the source looks at every other: multi-head attention, as on rung five.", "源句的每个词都看其他每个词：就是第五级的多头注意力。") },
  { id: "encoderFeed", kind: "feeds", x: 10, y: 250, name: () => either("feed-forward", "前馈"), count: ({ width, layers }) => layers * (8 * width * width + 7 * width),
    tell: () => either("Each word thinks for itself: the same two layers at every place.", "每个词独自思考：每个位置用同样的两层。") },
  { id: "decoderEmbed", kind: "embeds", x: 200, y: 430, name: () => either("embedding + position", "嵌入 + 位置"), count: () => 0,
    tell: () => either("What has been written so far, shifted by one: the next word is to be guessed. The table is the encoder's.", "到目前为止写下的内容，错开一位：要猜的是下一个词。与编码器共用一张表。") },
  { id: "decoderSelf", kind: "attends", x: 200, y: 340, name: () => either("masked self-attention", "掩码自注意力"), count: ({ width, layers }) => layers * (4 * width * width + 6 * width),
    tell: () => either("A written word looks at those before it only: the causal mask of rung three.", "已写的词只看前面的词：第三级的因果掩码。") },
  { id: "cross", kind: "attends", x: 200, y: 250, name: () => either("cross-attention", "交叉注意力"), count: ({ width, layers }) => layers * (4 * width * width + 6 * width),
    tell: () => either("The decoder looks at the source: Bahdanau's alignment, now with many heads.", "解码器看源句：Bahdanau 的对齐，如今有了多个头。") },
  { id: "decoderFeed", kind: "feeds", x: 200, y: 160, name: () => either("feed-forward", "前馈"), count: ({ width, layers }) => layers * (8 * width * width + 7 * width),
    tell: () => either("And thinks again before it speaks.", "开口之前再想一想。") },
  { id: "output", kind: "embeds", x: 200, y: 70, name: () => either("softmax over words", "词表 softmax"), count: () => 0,
    tell: () => either("A probability for each word of the vocabulary; its table is the embedding's.", "词表中每个词的概率；它与嵌入共用一张表。") },
];

export const transformer = () => {
  const state = { width: 128, layers: 2, part: "cross", n: 9, kernel: 3 };
  const svg = draw("svg", { class: "machine", viewBox: "0 0 372 500", role: "group" });
  const way = (d) => draw("path", { class: "way", d, "marker-end": "url(#head)" });
  svg.append(
    draw("defs", {}, draw("marker", { id: "head", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, draw("path", { d: "M0 0L8 4L0 8z", fill: "#888" }))),
    draw("rect", { class: "frame", x: 0, y: 230, width: 182, height: 172, rx: 10 }), draw("rect", { class: "frame", x: 190, y: 140, width: 182, height: 262, rx: 10 }),
    way("M91 430V388"), way("M91 340V298"), way("M91 250V222C91 206 130 206 150 222C176 244 172 270 200 271"), way("M281 430V388"), way("M281 340V298"), way("M281 250V208"), way("M281 160V118"), way("M281 70V44"));
  const times = [draw("text", { x: 24, y: 222 }), draw("text", { x: 346, y: 132 })];
  const ends = [draw("text", { x: 91, y: 494 }), draw("text", { x: 281, y: 494 }), draw("text", { x: 281, y: 34 })];
  const boxes = PARTS.map((part) => {
    const label = draw("text", { x: part.x + 81, y: part.y + 26 });
    const node = draw("g", { class: `part ${part.kind}`, tabindex: 0, role: "button" }, draw("rect", { x: part.x, y: part.y, width: 162, height: 42, rx: 8 }), label);
    const press = () => ((state.part = part.id), announce(part.tell()), redraw());
    node.addEventListener("click", press);
    node.addEventListener("keydown", (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), press()));
    return { node, label };
  });
  svg.append(...times, ...ends, ...boxes.map(({ node }) => node));
  const title = el("h3");
  const about = el("p");
  const share = el("ol", { class: "bars named" });
  const total = el("p", { class: "big" });
  const reach = el("div", { class: "reach3" });
  const cost = el("div", { class: "scroll", tabindex: "0", role: "group", label: "operations" });
  const reachTitle = el("h3");

  const thousands = (count) => count.toLocaleString("en").replaceAll(",", " ");
  const redraw = nextFrame(() => {
    PARTS.forEach((part, at) => {
      boxes[at].label.textContent = part.name();
      boxes[at].node.setAttribute("aria-label", part.name());
      boxes[at].node.setAttribute("aria-pressed", String(part.id === state.part));
    });
    for (const text of times) text.textContent = `× ${state.layers}`;
    ends[0].textContent = either("the cat sleeps", "源句");
    ends[1].textContent = either("<begin> le chat", "已写的译文");
    ends[2].textContent = either("le chat dort", "下一个词");
    const part = PARTS.find((each) => each.id === state.part);
    title.textContent = part.name();
    about.textContent = part.tell();
    const counts = PARTS.map((each) => each.count(state));
    const sum = counts.reduce((all, each) => all + each, 0);
    total.textContent = thousands(sum);
    share.replaceChildren(...PARTS.map((each, at) => {
      const bar = el("i");
      bar.style.width = `${(100 * counts[at]) / sum}%`;
      return el("li", {}, el("bdi", { class: each.id === state.part ? "q" : "", text: each.name(), title: each.name() }), el("span", { class: "track" }, bar), el("b", { text: `${written((100 * counts[at]) / sum, 0)} %` }));
    }));
    drawReach();
  });

  /** Which positions have heard position 1 after each round: a step of recurrence, or a layer. */
  const drawReach = () => {
    const { n, kernel } = state;
    reachTitle.textContent = either(`When does word ${n} hear word 1?`, `第 ${n} 个词何时听到第 1 个词？`);
    const half = (kernel - 1) / 2;
    const kinds = [
      { name: say("recurrent"), rounds: n, unit: "stepsUnit", links: (from, round) => (round === 0 ? [from] : from < n - 1 ? [from + 1] : []), order: `n·d²`, operations: n * state.width ** 2, sequence: n, longest: "O(n)" },
      { name: say("convolutional"), rounds: Math.ceil((n - 1) / half), unit: "layersUnit", links: (from) => Array.from({ length: kernel }, (_, at) => from - half + at).filter((to) => to >= 0 && to < n), order: "k·n·d²", operations: kernel * n * state.width ** 2, sequence: 1, longest: "O(n/k)" },
      { name: say("selfAttention"), rounds: 1, unit: "layersUnit", links: () => Array.from({ length: n }, (_, at) => at), order: "n²·d", operations: n * n * state.width, sequence: 1, longest: "O(1)" },
    ];
    reach.replaceChildren(...kinds.map((kind) => {
      const [gap, line] = [300 / n, 34];
      const tall = 30 + kind.rounds * line + 22;
      const nodes = [];
      const dots = [];
      let heard = new Set([0]);
      const x = (at) => gap * (at + 0.5);
      const y = (round) => tall - 20 - round * line;
      for (let round = 0; round <= kind.rounds; round++) {
        const next = new Set();
        for (let at = 0; at < n; at++) {
          const lit = heard.has(at);
          dots.push(draw("circle", { cx: x(at), cy: y(round), r: Math.min(6, gap / 3.2), class: lit ? "lit" : "" }));
          if (round === kind.rounds) continue;
          for (const to of kind.links(at, round)) {
            nodes[lit ? "push" : "unshift"](draw("line", { x1: x(at), y1: y(round), x2: x(to), y2: y(round + 1), class: lit ? "lit" : "" }));
            if (lit) next.add(to);
          }
        }
        heard = next;
      }
      return el("div", {}, el("h3", { text: `${kind.name}: ${say(kind.unit, kind.rounds)}` }), draw("svg", { viewBox: `0 0 300 ${tall}`, "aria-hidden": "true" }, ...nodes, ...dots));
    }));
    cost.replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, ...["", say("operations"), say("inSequence"), say("longestPath")].map((text) => el("th", { scope: "col", text })))),
      el("tbody", {}, ...kinds.map((kind) => el("tr", {}, el("th", { scope: "row", text: kind.name }), el("td", { text: `${kind.order} = ${thousands(kind.operations)}` }), el("td", { text: String(kind.sequence) }), el("td", { text: `${kind.longest}: ${kind.rounds}` }))))));
  };

  const controls = [
    slide("width", { min: 32, max: 1024, step: 32, value: 128, change: (value) => ((state.width = value), redraw()) }),
    slide("layers", { min: 1, max: 12, step: 1, value: 2, change: (value) => ((state.layers = value), redraw()) }),
  ];
  const reaching = [
    slide("wordsCount", { min: 3, max: 15, step: 1, value: 9, change: (value) => ((state.n = value), redraw()) }),
    slide("kernelWidth", { min: 3, max: 7, step: 2, value: 3, change: (value) => ((state.kernel = value), redraw()) }),
  ];
  return {
    node: el("div", {},
      el("div", { class: "figure" }, el("div", { class: "controls" }, ...controls.map(({ label }) => label)), el("div", { class: "parts" }, svg, el("div", { class: "grouped" }, title, about, el("h3", { say: "parameters" }), total, share))),
      el("div", { class: "figure" }, reachTitle, el("div", { class: "controls" }, ...reaching.map(({ label }) => label)), el("p", { class: "small", say: "reachLead" }), reach, cost)),
    redraw,
  };
};
