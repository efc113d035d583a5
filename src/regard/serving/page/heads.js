// Rungs five and six: several heads, and positions.

import { attend, dice, dot, sinusoid, softmax } from "./attending.js";
import { either, say, teach } from "./language.js";
import { button, el, field, fill, nextFrame, segments, slide, written } from "./nodes.js";
import { paint, Stage } from "./stage.js";

teach({
  howMany: ["Heads", "头数"],
  one: ["one", "一个"],
  three: ["three", "三个"],
  shuffle: ["Shuffle the words", "打乱词序"],
  inOrder: ["Back in order", "恢复原序"],
  positionsName: ["Positions", "位置"],
  relative: ["relative", "相对"],
  patience: ["Sharpness", "锐度"],
});

// ---------------------------------------------------------------- 5 multi-head

/** Words, and what kind each is: the features that the heads project to. */
const SENTENCE = [["the", "article"], ["old", "adjective"], ["cat", "noun"], ["sees", "verb"], ["a", "article"], ["small", "adjective"], ["dog", "noun"]];
const CHINESE = { the: "那只", old: "老", cat: "猫", sees: "看见", a: "一只", small: "小", dog: "狗" };
/** What each head asks for: how well the word at `key` answers the word at `query`. */
const HEADS = [
  { name: () => either("the word before", "前一个词"), ask: (query, key) => -Math.abs(query - 1 - key) },
  { name: () => either("what describes what", "谁修饰谁"), ask: (query, key) => {
    const wanted = { adjective: 1, article: SENTENCE[query + 1]?.[1] === "adjective" ? 2 : 1 }[SENTENCE[query][1]];
    return wanted ? -2 * Math.abs(query + wanted - key) : SENTENCE[query][1] === "noun" && SENTENCE[key][1] === "adjective" ? 1 - Math.abs(query - key) : query === key ? 0.6 : -1;
  } },
  { name: () => either("words of the same kind", "同类的词"), ask: (query, key) => (SENTENCE[query][1] === SENTENCE[key][1] ? 1 : -1) },
];

export const multiHead = () => {
  const state = { count: "three", sharpness: 3 };
  const words = () => SENTENCE.map(([word]) => either(word, CHINESE[word]));
  const pick = segments("howMany", ["one", "three"], (count) => ((state.count = count), redraw()));
  const stages = HEADS.map(() => new Stage({ tallest: 300, onlook: (place, stage) => follow(place, stage) }));
  const titles = HEADS.map(() => el("h3"));
  const hosts = HEADS.map((_, at) => el("div", {}, titles[at], stages[at].node));
  const telling = el("p", { class: "telling", role: "status" });
  const follow = ({ q }, from) => {
    if (!from.cursor && !from.lock) return;
    for (const stage of stages) if (stage !== from && stage.looked().q !== q) ((stage.cursor = { q, k: null }), stage.redraw());
  };
  const redraw = nextFrame(() => {
    pick.show(state.count);
    const scores = HEADS.map(({ ask }) => SENTENCE.map((_, query) => SENTENCE.map((_, key) => state.sharpness * ask(query, key))));
    const one = SENTENCE.map((_, query) => softmax(SENTENCE.map((_, key) => scores.reduce((sum, head) => sum + head[query][key], 0) / HEADS.length)).weights);
    const shown = state.count === "one" ? [one] : scores.map((head) => head.map((row) => softmax(row).weights));
    hosts.forEach((host, at) => (host.hidden = at >= shown.length));
    shown.forEach((weights, at) => {
      titles[at].textContent = state.count === "one" ? either("one head, three wishes at once", "一个头，三个愿望") : `${say("headN", at + 1)}: ${HEADS[at].name()}`;
      stages[at].show({ name: titles[at].textContent, rows: words(), columns: words(), values: Float32Array.from(weights.flat()) });
    });
    const spread = (weights) => weights.reduce((sum, row) => sum - row.reduce((part, each) => part + (each > 0 ? each * Math.log2(each) : 0), 0), 0) / weights.length;
    telling.textContent = either(
      `Each word spreads its look over ${shown.map((weights) => written(2 ** spread(weights), 1)).join(", ")} words on average${state.count === "one" ? ": one softmax must compromise." : ", each head for its own reason; their outputs stand side by side."}`,
      `每个词平均看 ${shown.map((weights) => written(2 ** spread(weights), 1)).join("、")} 个词${state.count === "one" ? "：一个 softmax 只能折中。" : "，各有各的理由；它们的输出并排放在一起。"}`,
    );
  });
  const sharp = slide("patience", { min: 0.3, max: 6, step: 0.1, value: 3, write: (value) => written(value, 1), change: (value) => ((state.sharpness = value), redraw()) });
  return { node: el("div", { class: "figure" }, el("div", { class: "controls" }, el("div", { class: "field" }, el("span", { say: "howMany" }), pick.group), sharp.label), el("div", { class: "beside three" }, ...hosts), telling), redraw };
};

// ---------------------------------------------------------------- 6 positions

const WIDTH = 8;
const WORDS = [["dog", "狗"], ["bites", "咬"], ["man", "人"], ["today", "今天"]];
const vectorOf = (word) => {
  const roll = dice(11 + word);
  return Array.from({ length: WIDTH }, () => 2 * roll() - 1);
};
const PLACES = 24;
const WAVES = 16;

export const positionsRung = () => {
  const state = { order: [0, 1, 2, 3], kind: "noPosition", seed: 1 };
  const words = () => WORDS.map(([english, chinese]) => either(english, chinese));
  const [first, stage] = [new Stage({ tallest: 260 }), new Stage({ tallest: 260 })];
  const waves = el("canvas", { class: "waves", role: "img" });
  const likeness = el("canvas", { class: "waves", role: "img" });
  const captions = [el("h3"), el("h3"), el("h3"), el("h3")];
  const telling = el("p", { class: "telling", role: "status" });
  const pick = el("select", { onchange: () => ((state.kind = pick.value), redraw()) });
  const pictures = el("div", { class: "beside" }, el("div", {}, captions[1], waves), el("div", {}, captions[2], likeness));
  /** Attention over the words in an order; what each word then holds, by word. */
  const held = (order) => {
    const vectors = order.map((word, at) => {
      const place = sinusoid(at, WIDTH);
      return vectorOf(word).map((each, part) => each + (state.kind === "sinusoidal" ? place[part] : 0));
    });
    // Relative: a number for each distance, clipped at two, as a model would have learned it.
    const learned = [1.2, 0.8, 0, -0.6, -1];
    const bias = state.kind === "relative" ? (row, column) => learned[Math.min(Math.max(column - row, -2), 2) + 2] : null;
    const rows = attend(vectors, vectors, vectors, { bias });
    return { rows, byWord: Object.fromEntries(order.map((word, at) => [word, rows[at].output])) };
  };
  const redraw = nextFrame(() => {
    fill(pick, ["noPosition", "sinusoidal", "relative"].map((name) => [name, say(name)]), state.kind);
    const [straight, now] = [held([0, 1, 2, 3]), held(state.order)];
    const moved = Math.max(...[0, 1, 2, 3].flatMap((word) => straight.byWord[word].map((each, part) => Math.abs(each - now.byWord[word][part]))));
    const names = state.order.map((word) => words()[word]);
    captions[0].textContent = either(`Now: ${names.join(" ")}`, `现在：${names.join(" ")}`);
    captions[3].textContent = either(`In order: ${words().join(" ")}`, `原序：${words().join(" ")}`);
    first.show({ name: words().join(" "), rows: words(), columns: words(), values: Float32Array.from(straight.rows.flatMap((row) => row.weights)) });
    stage.show({ name: names.join(" "), rows: names, columns: names, values: Float32Array.from(now.rows.flatMap((row) => row.weights)) });
    const shuffled = state.order.some((word, at) => word !== at);
    telling.textContent = !shuffled
      ? either("In order. Shuffle the words and see what each of them then knows.", "原序。打乱词序，看看每个词随后知道些什么。")
      : moved < 1e-9
        ? either("Shuffled, and no word noticed: every output changed by 0.000. “dog bites man” is “man bites dog”.", "打乱了，却没有词察觉：每个输出都只变了 0.000。“狗咬人”就是“人咬狗”。")
        : either(`Shuffled, and the words noticed: outputs changed by up to ${written(moved, 3)}.`, `打乱了，词们察觉到了：输出最多变了 ${written(moved, 3)}。`);
    telling.dataset.moved = String(moved);
    pictures.hidden = state.kind !== "sinusoidal";
    captions[1].textContent = either("Each place is a row of waves", "每个位置是一行波");
    captions[2].textContent = either("Near places are alike", "近处的位置彼此相像");
    const places = Array.from({ length: PLACES }, (_, at) => sinusoid(at, WAVES));
    paint(waves, { values: Float32Array.from(places.flat()), width: WAVES, low: -1, high: 1, signed: true });
    paint(likeness, { values: Float32Array.from(places.flatMap((a) => places.map((b) => dot(a, b) / (WAVES / 2)))), width: PLACES });
    waves.setAttribute("aria-label", captions[1].textContent);
    likeness.setAttribute("aria-label", captions[2].textContent);
  });
  const shuffle = () => {
    const roll = dice(state.seed++);
    const before = String(state.order);
    do state.order = state.order.map((word) => [roll(), word]).sort((a, b) => a[0] - b[0]).map(([, word]) => word);
    while (String(state.order) === before || String(state.order) === "0,1,2,3");
    redraw();
  };
  return { node: el("div", { class: "figure" }, el("div", { class: "controls" }, field("positionsName", pick), button("shuffle", shuffle, { class: "primary" }), button("inOrder", () => ((state.order = [0, 1, 2, 3]), redraw()))), el("div", { class: "beside" }, el("div", {}, captions[3], first.node), el("div", {}, captions[0], stage.node)), telling, pictures), redraw };
};
