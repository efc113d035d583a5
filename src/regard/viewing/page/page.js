// Explore attention: overview → head → query → number. One module, no dependency, no network.
// Every word of the reader's is set as text and never parsed as markup. A heatmap is one canvas; only the
// links of a flow that are kept, the words of a sentence and the rows of a table are nodes.

// ---------------------------------------------------------------- languages

const LANGUAGES = { en: "English", zh: "中文" };
const SPOKEN = { en: "en", zh: "zh-Hans" };
const PHRASES = {
  // interface: [English, Chinese]
  overview: ["Overview", "总览"],
  overviewHint: ["Every head, small. Point to preview, click to choose.", "所有注意力头的缩略图。指向可预览，点击可选定。"],
  counts: ["{0} attentions · {1} heads · {2} × {3} tokens", "{0} 个注意力 · {1} 个头 · {2} × {3} 个词元"],
  oneHead: ["1 attention · 1 head · {2} × {3} tokens", "1 个注意力 · 1 个头 · {2} × {3} 个词元"],
  oneCount: ["1 attention · {1} heads · {2} × {3} tokens", "1 个注意力 · {1} 个头 · {2} × {3} 个词元"],
  kind: ["Kind", "类型"],
  allKinds: ["all kinds", "全部类型"],
  layer: ["Layer", "层"],
  head: ["Head", "头"],
  order: ["Order", "排序"],
  byNumber: ["number", "编号"],
  meanHead: ["mean of all {0} heads", "全部 {0} 个头的均值"],
  headN: ["head {0}", "头 {0}"],
  view: ["View", "视图"],
  heatmap: ["Heatmap", "热图"],
  flow: ["Flow", "连线"],
  table: ["Table", "表格"],
  unit: ["Labels", "标签"],
  words: ["Words", "词"],
  pieces: ["Subwords", "子词"],
  hide: ["Hide special tokens", "隐藏特殊词元"],
  renormalise: ["so that rows sum to one again", "并重新归一化各行"],
  share: ["Keep the strongest, up to {0} % of each row", "保留每行最强的 {0} %"],
  shareName: ["Share of each row that is kept", "每行保留的份额"],
  zoom: ["Zoom", "缩放"],
  stretch: ["Stretch colours to the largest weight", "按最大权重拉伸颜色"],
  compare: ["Compare with", "对比"],
  compareHead: ["Its head", "对比的头"],
  nothing: ["nothing", "无"],
  minus: ["difference from {0}", "与 {0} 的差"],
  saveSvg: ["Save SVG", "保存 SVG"],
  savePng: ["Save PNG", "保存 PNG"],
  saved: ["Saved {0}.", "已保存 {0}。"],
  edit: ["Edit and recompute", "编辑并重新计算"],
  editThis: ["Edit this head", "编辑这个头"],
  editStop: ["Stop editing", "停止编辑"],
  editHint: [
    "Change a score, hide a key, warm or cool the softmax: weights and output follow.",
    "修改分数、隐藏键、调节温度：权重和输出随之改变。",
  ],
  editElsewhere: ["{0} heads of this page can be edited; they carry a dot in the overview.", "本页有 {0} 个头可以编辑，在总览中以圆点标记。"],
  temperature: ["Temperature", "温度"],
  divide: ["Divide by √{0} = {1}", "除以 √{0} = {1}"],
  noScale: ["These scores are not a dot product times a number, so there is no scale to switch off.", "这些分数不是点积乘以常数，因此没有可以关闭的缩放。"],
  reset: ["Undo all changes", "撤销全部修改"],
  showChange: ["Show the change", "显示变化"],
  score: ["score", "分数"],
  maskKey: ["hide", "隐藏"],
  hideKey: ["hide {0}", "隐藏 {0}"],
  scoreOf: ["score of {0}", "{0} 的分数"],
  before: ["before", "之前"],
  after: ["after", "之后"],
  change: ["change", "变化"],
  someKeys: ["The {0} strongest of {1} keys.", "共 {1} 个键，显示最强的 {0} 个。"],
  output: ["Output of “{0}”", "“{0}”的输出"],
  moved: ["The output moved by {0}, which is {1} % of its length.", "输出移动了 {0}，为其长度的 {1} %。"],
  unmoved: ["The output is as the model computed it.", "输出与模型计算的一致。"],
  outputTable: ["The output in numbers", "输出的数值"],
  part: ["part", "分量"],
  query: ["Query", "查询"],
  looksAt: ["“{0}” looks at", "“{0}”关注"],
  lockHint: ["Point to preview, click to lock.", "指向可预览，点击可锁定。"],
  locked: ["Locked. Escape frees it.", "已锁定，按 Esc 解除。"],
  queriesHere: ["Queries", "查询"],
  keysHere: ["Keys", "键"],
  rest: ["{0} on {1} other keys", "其余 {1} 个键共 {0}"],
  allHidden: ["All its weight is on tokens that are hidden.", "它的全部权重都在被隐藏的词元上。"],
  silent: ["This query may attend to nothing: it hears silence.", "该查询不能关注任何键：没有输入。"],
  number: ["Number", "数值"],
  weight: ["weight", "权重"],
  difference: ["difference", "差"],
  rank: ["Rank {0} of {1} in its row, which sums to {2}.", "在该行 {1} 个键中排第 {0}；该行之和为 {2}。"],
  rankName: ["rank", "名次"],
  isMasked: ["Masked: this query may not attend to this key.", "已掩码：该查询不能关注该键。"],
  thisOne: ["this", "当前"],
  otherOne: ["other", "对比"],
  reads: ["{0} → {1}: {2}", "{0} → {1}：{2}"],
  readsMasked: ["{0} → {1}: masked", "{0} → {1}：已掩码"],
  nowLocked: ["Locked: {0}", "已锁定：{0}"],
  freed: ["Freed.", "已解除锁定。"],
  stage: [
    "Attention of {0}. Arrow keys move from cell to cell, Home and End to the ends of the row, Enter locks, Escape frees, square brackets change the head.",
    "{0} 的注意力。方向键移动单元格，Home 与 End 到行首行尾，回车锁定，Esc 解除，方括号切换头。",
  ],
  keysHelp: ["Arrow keys move · Enter locks · Esc frees · [ ] other head", "方向键移动 · 回车锁定 · Esc 解除 · [ ] 换头"],
  caption: ["{0}: “{1}” looks at", "{0}：“{1}”关注"],
  linksCut: ["the {0} strongest of {1} links", "{1} 条连线中最强的 {0} 条"],
  linksAll: ["all links", "全部连线"],
  linksKept: ["links that hold {0} % of each row", "保留每行 {0} % 的连线"],
  cellsKept: ["cells that hold {0} % of each row", "保留每行 {0} % 的单元格"],
  hidden: ["special tokens hidden", "特殊词元已隐藏"],
  hiddenRenormalised: ["special tokens hidden, rows renormalised", "特殊词元已隐藏，各行已重新归一化"],
  merged: ["subwords merged", "子词已合并"],
  edited: ["edited", "已编辑"],
  windowed: [
    "This page holds tokens {0}–{1} of {2}; window=(start, stop) chooses others.",
    "本页包含第 {0}–{1} 个词元，共 {2} 个；用 window=(start, stop) 选择其他范围。",
  ],
  notExplanation: [
    "Attention is not explanation: a weight says where a head looked, not why the model answered as it did.",
    "注意力不是解释：权重说明头看向哪里，而不是模型为何如此作答。",
  ],
  error: ["Weights are right to ±{0}. This page is whole: it loads nothing.", "权重误差不超过 ±{0}。本页自成一体，不加载任何内容。"],
  colours: ["Colours", "配色"],
  blue: ["blue", "蓝"],
  sand: ["sand to navy", "沙黄至藏蓝"],
  grey: ["grey", "灰"],
  theme: ["Theme", "主题"],
  auto: ["as the system", "跟随系统"],
  light: ["light", "浅色"],
  dark: ["dark", "深色"],
  language: ["Language", "语言"],
  dots: ["q·k", "q·k"],
  tooOld: ["This browser is too old for this page: it cannot inflate its data.", "浏览器版本过旧，无法解压本页的数据。"],
  // words of Python's
  queries: ["queries", "查询"],
  keys: ["keys", "键"],
  ...TERMS,
};

const say = (phrase, ...given) => {
  const both = PHRASES[phrase];
  const text = both ? both[state.language === "zh" ? 1 : 0] : phrase;
  return text.replace(/\{(\d)\}/g, (_, at) => given[at]);
};

const headName = (name, map) => {
  const numbered = /^head (\d+)$/.exec(name);
  return numbered ? say("headN", numbered[1]) : name || map.name;
};

// ---------------------------------------------------------------- facts and what is chosen

const facts = JSON.parse(document.getElementById("facts").textContent);
const MEAN = "mean";
const KEPT_AT_FIRST = { heatmap: 1, flow: 0.9, table: 1 };
const MOST_LINKS = 1200;
const MOST_ROWS_EDITED = 24;
const LONG = 64; // tokens from which on a weight is small wherever attention spreads

const state = {
  map: facts.first[0],
  head: facts.first[1],
  preview: null,
  view: facts.view,
  words: !facts.subwords,
  hide: false,
  renormalise: false,
  share: { ...KEPT_AT_FIRST },
  other: null,
  stretch: false,
  zoom: 0,
  cursor: null,
  lock: null,
  kind: "all",
  order: "byNumber",
  editing: false,
  change: false,
  language: facts.language,
  theme: facts.theme,
  palette: "blue",
};

// ---------------------------------------------------------------- reading the weights

const unpack = async (number) => {
  const text = document.getElementById(`blob-${number}`).textContent;
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let at = 0; at < packed.length; at++) packed[at] = letters.charCodeAt(at);
  const inflated = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(inflated).arrayBuffer();
};

const unpacked = new Map();
const blob = (number) => {
  if (!unpacked.has(number)) unpacked.set(number, unpack(number));
  return unpacked.get(number);
};

class Attention {
  constructor(about, number) {
    Object.assign(this, about);
    this.number = number;
    this.rows = facts.sides[about.queries].labels.length;
    this.columns = facts.sides[about.keys].labels.length;
    this.ready = false;
  }

  async read() {
    const content = await blob(this.weights);
    const count = this.heads.length * this.rows;
    this.tops = new Float32Array(content.slice(0, 4 * count));
    this.floors = new Float32Array(content.slice(4 * count, 8 * count));
    this.levels = new (facts.steps > 255 ? Uint16Array : Uint8Array)(content, 8 * count);
    this.bits = await Promise.all(this.masks.map(async (number) => new Uint8Array(await blob(number))));
    this.editors = new Map();
    for (const about of this.editable) this.editors.set(about.head, await Editor.read(this, about));
    this.ready = true;
  }

  /** The weights of one head, or of the mean of all, row by row. */
  of(head) {
    const { rows, columns } = this;
    const heads = head === MEAN ? this.heads.map((_, each) => each) : [head];
    const weights = new Float32Array(rows * columns);
    for (const each of heads)
      for (let row = 0; row < rows; row++) {
        const scale = this.tops[each * rows + row] / facts.steps / heads.length;
        const floor = this.floors[each * rows + row] / heads.length;
        const from = (each * rows + row) * columns;
        for (let column = 0; column < columns; column++) {
          const level = this.levels[from + column];
          if (level) weights[row * columns + column] += level * scale;
          else if (floor && this.keeps(each, row, column)) weights[row * columns + column] += floor;
        }
      }
    return weights;
  }

  /** Whether a query may attend to a key, in one head or in any. */
  keeps(head, row, column) {
    if (!this.bits.length) return true;
    const at = row * this.columns + column;
    const bit = (bits) => (bits[at >> 3] >> (7 - (at & 7))) & 1;
    if (this.bits.length === 1) return bit(this.bits[0]) === 1;
    return head === MEAN ? this.bits.some(bit) : bit(this.bits[head]) === 1;
  }
}

/** One head that can be computed anew: its scores, and what the reader changed. */
class Editor {
  static async read(map, about) {
    const editor = new Editor();
    Object.assign(editor, { map, about, rows: map.rows, columns: map.columns });
    for (const part of ["scores", "values", "queries", "keys"])
      editor[part] = about[part] === null ? null : new Float32Array(await blob(about[part]));
    editor.reset();
    editor.original = editor.weights();
    return editor;
  }

  reset() {
    this.temperature = 1;
    this.scaled = true;
    this.hidden = new Set();
    this.changed = new Map();
  }

  get touched() {
    return this.temperature !== 1 || !this.scaled || this.hidden.size > 0 || this.changed.size > 0;
  }

  /** A score as it enters the softmax but for the temperature. */
  score(row, column) {
    if (this.hidden.has(column)) return -Infinity;
    const at = row * this.columns + column;
    return this.changed.has(at) ? this.changed.get(at) : this.given(row, column);
  }

  given(row, column) {
    const score = this.scores[row * this.columns + column];
    return this.scaled || !this.about.scale ? score : score / this.about.scale;
  }

  /** exp(score / temperature), less the largest, and their sum. */
  row(row) {
    const cooled = Array.from({ length: this.columns }, (_, column) => this.score(row, column) / this.temperature);
    const largest = Math.max(...cooled);
    const raised = cooled.map((score) => (largest === -Infinity ? 0 : Math.exp(score - largest)));
    return { cooled, largest, raised, sum: raised.reduce((sum, each) => sum + each, 0) };
  }

  weights() {
    const weights = new Float32Array(this.rows * this.columns);
    for (let row = 0; row < this.rows; row++) {
      const { raised, sum } = this.row(row);
      raised.forEach((each, column) => (weights[row * this.columns + column] = sum > 0 ? each / sum : 0));
    }
    return weights;
  }

  /** Σ weights · values of one query; a key without weight is not heard, whatever its value. */
  output(weights, row) {
    const wide = this.about.value_width;
    const output = new Float64Array(wide);
    for (let column = 0; column < this.columns; column++) {
      const weight = weights[row * this.columns + column];
      if (weight > 0) for (let part = 0; part < wide; part++) output[part] += weight * this.values[column * wide + part];
    }
    return output;
  }
}

const maps = facts.maps.map((about, number) => new Attention(about, number));
const headCount = maps.reduce((sum, map) => sum + map.heads.length, 0);
const editableCount = maps.reduce((sum, map) => sum + map.editable.length, 0);

// ---------------------------------------------------------------- what is shown of a head

/** One side of a head as it stands: labels, and which tokens each is made of. */
const sideOf = (number, words, hide) => {
  const side = facts.sides[number];
  const merged = words && side.words;
  const labels = merged ? side.words.labels : side.labels;
  const groups = merged ? side.words.groups : side.labels.map((_, at) => [at]);
  const special = new Set(side.special);
  const kept = groups.map((_, at) => at).filter((at) => !(hide && groups[at].every((token) => special.has(token))));
  const shown = kept.length ? kept : groups.map((_, at) => at);
  return { labels: shown.map((at) => labels[at]), groups: shown.map((at) => groups[at]) };
};

/** Rows of words are averaged, columns summed, so that rows still sum to one. */
const merge = (weights, width, rows, columns) => {
  const merged = new Float32Array(rows.groups.length * columns.groups.length);
  rows.groups.forEach((tokens, row) =>
    columns.groups.forEach((keys, column) => {
      let sum = 0;
      for (const token of tokens) for (const key of keys) sum += weights[token * width + key];
      merged[row * columns.groups.length + column] = sum / tokens.length;
    }),
  );
  return merged;
};

const renormalised = (weights, width) => {
  for (let from = 0; from < weights.length; from += width) {
    const row = weights.subarray(from, from + width);
    const sum = row.reduce((total, each) => total + each, 0);
    if (sum > 0) row.forEach((each, at) => (row[at] = each / sum));
  }
  return weights;
};

const chosen = () => state.preview ?? { map: state.map, head: state.head };
const editorOf = ({ map, head }) => (state.editing && !state.preview ? maps[map].editors?.get(head) : undefined);

/** All that the stage, the query and the number are drawn from. */
const decide = () => {
  const { map: number, head } = chosen();
  const map = maps[number];
  const editor = editorOf({ map: number, head });
  const words = state.words && !editor;
  const hide = state.hide && !editor;
  const rows = sideOf(map.queries, words, hide);
  const columns = sideOf(map.keys, words, hide);
  const width = columns.labels.length;
  const seen = (of, which) => {
    const merged = merge(of.of(which), of.columns, rows, columns);
    return hide && state.renormalise ? renormalised(merged, width) : merged;
  };
  const weights = editor ? editor.weights() : seen(map, head);
  const beside = !editor && state.other && alike(number, state.other.map) ? state.other : null;
  const other = beside ? seen(maps[beside.map], beside.head) : editor && state.change ? editor.original : null;
  const values = other ? weights.map((each, at) => each - other[at]) : weights;
  const masked = new Uint8Array(values.length);
  if (map.bits.length || editor)
    rows.groups.forEach((tokens, row) =>
      columns.groups.forEach((keys, column) => {
        const kept = editor
          ? editor.score(row, column) > -Infinity
          : tokens.some((token) => keys.some((key) => map.keeps(head, token, key)));
        if (!kept && !other) masked[row * width + column] = 1;
      }),
    );
  let most = 0;
  for (const each of values) most = Math.max(most, Math.abs(each));
  const high = other ? niceAbove(most) : state.stretch ? most || 1 : 1;
  const notes = [...map.notes];
  if (words && (facts.sides[map.queries].words || facts.sides[map.keys].words)) notes.push(say("merged"));
  if (hide) notes.push(say(state.renormalise ? "hiddenRenormalised" : "hidden"));
  if (editor?.touched) notes.push(say("edited"));
  if (other) notes.push(editor ? say("change") : say("minus", nameOf(beside)));
  const hides = columns.labels.length < sideOf(map.keys, words, false).labels.length;
  return { map, head, editor, rows, columns, width, hides, weights, other, values, masked, signed: Boolean(other), low: other ? -high : 0, high, notes };
};

const niceAbove = (value) => [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1].find((step) => step >= value) ?? Math.ceil(value);
const nameOf = ({ map, head }) => {
  const of = maps[map];
  const named = head === MEAN ? say("meanHead", of.heads.length) : of.heads[head] ? headName(of.heads[head], of) : "";
  return [titled(of), named].filter(Boolean).join(" · ");
};
const titled = (map) => (map.set ? `${map.name} (${map.set})` : map.name);

/** The strongest cells of each row that together hold a share of its mass. */
const keep = (scene, share) => {
  const { values, width } = scene;
  const kept = new Uint8Array(values.length);
  for (let from = 0; from < values.length; from += width) {
    const row = Array.from({ length: width }, (_, at) => at).sort(
      (a, b) => Math.abs(values[from + b]) - Math.abs(values[from + a]) || a - b,
    );
    let wanted = row.reduce((sum, at) => sum + Math.abs(values[from + at]), 0) * share - 1e-6;
    for (const at of row) {
      if (wanted <= 0 || values[from + at] === 0) break;
      kept[from + at] = 1;
      wanted -= Math.abs(values[from + at]);
    }
  }
  return kept;
};

let scene = null;

/** The cell looked at: the locked one, else the one pointed to, else the first. Without a key, the strongest. */
const looked = () => {
  const place = state.lock ?? state.cursor ?? { q: 0, k: null };
  const q = Math.min(place.q, scene.rows.labels.length - 1);
  const k = place.k === null || place.k >= scene.width ? strongest(q) : place.k;
  return { q, k };
};
const strongest = (q) => {
  let best = 0;
  const from = q * scene.width;
  for (let at = 1; at < scene.width; at++)
    if (Math.abs(scene.values[from + at]) > Math.abs(scene.values[from + best])) best = at;
  return best;
};

// ---------------------------------------------------------------- colours and letters

const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const themeName = () => (state.theme === "auto" ? (darkSystem.matches ? "dark" : "light") : state.theme);
const theme = () => facts.colours[themeName()];
const ramps = new Map();
const rampOf = (signed) => {
  const letters = theme().ramps[signed ? "signed" : state.palette];
  if (!ramps.has(letters)) ramps.set(letters, letters.match(/.{6}/g).map((colour) => `#${colour}`));
  return ramps.get(letters);
};
const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
const stepOf = (value, { low, high }) => Math.round(255 * Math.min(Math.max((value - low) / (high - low), 0), 1));
const inkOn = (colour) => {
  const [r, g, b] = channels(colour).map((each) => (each / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.3 ? "#1a1d23" : "#ffffff";
};
const signedText = (text) => text.replace("-", "−");
const written = (value, digits = 3) => signedText(value.toFixed(digits));
const weightText = (value) => (scene.signed && value > 0 ? "+" : "") + written(value, scene.editor ? 4 : 3);

const ruler = document.createElement("canvas").getContext("2d");
const FAMILY = getComputedStyle(document.documentElement).getPropertyValue("--letters").trim();
const fontOf = (size, weight = 400) => `${weight} ${size}px ${FAMILY}`;
const widthOf = (text, size) => {
  ruler.font = fontOf(size);
  return ruler.measureText(text).width;
};
const shorten = (text, size, limit) => {
  if (widthOf(text, size) <= limit) return text;
  const letters = Array.from(text);
  while (letters.length > 1 && widthOf(`${letters.join("")}…`, size) > limit) letters.pop();
  return `${letters.join("")}…`;
};

// ---------------------------------------------------------------- making nodes

const SVG = "http://www.w3.org/2000/svg";

/** An element; `say` and `label` are phrases that follow the language, `on…` are listeners. */
const el = (tag, about = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(about)) {
    if (name === "say") node.dataset.say = value;
    else if (name === "label") node.dataset.label = value;
    else if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) node.setAttribute(name, value);
  }
  node.append(...children);
  translate(node);
  return node;
};
const translate = (node) => {
  if (node.dataset.say) node.textContent = say(node.dataset.say);
  if (node.dataset.label) node.setAttribute("aria-label", say(node.dataset.label));
};
const draw = (tag, about = {}, text = null) => {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(about)) node.setAttribute(name, value);
  if (text !== null) node.textContent = text;
  return node;
};
const field = (phrase, control) => el("label", { class: "field" }, el("span", { say: phrase }), control);
const tick = (phrase, change) => {
  const box = el("input", { type: "checkbox", onchange: () => change(box.checked) });
  return { box, label: el("label", { class: "tick" }, box, el("span", { say: phrase })) };
};
const segments = (phrase, choices, choose) => {
  const buttons = choices.map((choice) => el("button", { type: "button", say: choice, onclick: () => choose(choice) }));
  const group = el("div", { class: "segments", role: "group", label: phrase }, ...buttons);
  const show = (current) => buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(choices[at] === current)));
  return { group, show };
};
const fill = (select, options, current) => {
  select.replaceChildren(...options.map(([value, text]) => el("option", { value, text })));
  select.value = String(current);
};

// ---------------------------------------------------------------- the page

const kindPick = el("select", { onchange: () => pickKind(kindPick.value) });
const orderPick = el("select", { onchange: () => change({ order: orderPick.value }, "thumbs") });
const mapPick = el("select", { onchange: () => pick(Number(mapPick.value), state.head) });
const headPick = el("select", { onchange: () => pick(state.map, headPick.value === MEAN ? MEAN : Number(headPick.value)) });
const otherPick = el("select", { onchange: () => compareWith(otherPick.value) });
const otherHeadPick = el("select", {
  onchange: () => change({ other: { map: state.other.map, head: otherHeadPick.value === MEAN ? MEAN : Number(otherHeadPick.value) } }),
});
const palettePick = el("select", { onchange: () => change({ palette: palettePick.value }, "thumbs") });
const themePick = el("select", { onchange: () => change({ theme: themePick.value }, "thumbs") });
const languagePick = el("select", { onchange: () => speak(languagePick.value) });

const viewPick = segments("view", ["heatmap", "flow", "table"], (view) => change({ view }));
const unitPick = segments("unit", ["words", "pieces"], (unit) => change({ words: unit === "words", lock: null, cursor: null }));
const hideTick = tick("hide", (hide) => change({ hide, lock: null, cursor: null }));
const renormaliseTick = tick("renormalise", (renormalise) => change({ renormalise }));
const stretchTick = tick("stretch", (stretch) => change({ stretch }, "thumbs"));
const shareText = el("span");
const shareSlide = el("input", {
  type: "range", min: 5, max: 100, step: 1, label: "shareName",
  oninput: () => change({ share: { ...state.share, [state.view]: Number(shareSlide.value) / 100 } }),
});
const zoomSlide = el("input", { type: "range", min: 0, max: 100, step: 1, oninput: () => change({ zoom: Number(zoomSlide.value) / 100 }) });

const title = el("h1", { text: facts.title });
const counts = el("p", { class: "counts" });
const thumbs = el("div", { class: "strips" });
const headTitle = el("h2");
const notesLine = el("p", { class: "notes" });
const canvas = el("canvas");
const spread = el("div", { class: "spread" });
const picture = draw("svg", { xmlns: SVG, "aria-hidden": "true" });
const tableHost = el("div", { class: "tablehost", tabindex: "0", role: "region" });
const stage = el("div", { class: "stage", tabindex: "0", role: "application" }, spread);
const barCanvas = el("canvas", { width: 256, height: 1, "aria-hidden": "true" });
const barLow = el("span");
const barHigh = el("span");
const barMasked = el("span", { class: "barmasked" }, el("i"), el("span", { say: "masked" }));
const live = el("p", { class: "unseen", role: "status", "aria-live": "polite" });
const editButton = el("button", { type: "button", class: "primary", onclick: () => toggleEditing() });
const editWhere = el("p", { class: "small" });

const queryTitle = el("h2");
const lockLine = el("p", { class: "small" });
const queryTokens = el("div", { class: "tokens", role: "group", label: "queriesHere" });
const keyTokens = el("div", { class: "tokens", role: "group", label: "keysHere" });
const looksLine = el("h3");
const bars = el("ol", { class: "bars" });
const restLine = el("p", { class: "small" });
const big = el("p", { class: "big" });
const numberLine = el("p", { class: "pair" });
const rankLine = el("p", { class: "small" });
const chain = el("ol", { class: "chain" });
const strips = el("div", { class: "vectors" });

const editHost = el("section", { class: "edit pane", hidden: true, "aria-labelledby": "edit-title" });
const windowLine = el("p", { class: "warning" });
const errorLine = el("p");

const build = () => {
  document.body.append(
    el(
      "div",
      { class: "page" },
      el(
        "header",
        { class: "top" },
        el("div", {}, title, counts),
        el("div", { class: "prefs" }, field("colours", palettePick), field("theme", themePick), field("language", languagePick)),
      ),
      windowLine,
      el(
        "main",
        { class: "panes" },
        el(
          "section",
          { class: "overview pane", "aria-labelledby": "overview-title" },
          el("h2", { id: "overview-title", say: "overview" }),
          el("p", { class: "small", say: "overviewHint" }),
          el("div", { class: "fields" }, field("kind", kindPick), field("order", orderPick)),
          thumbs,
        ),
        el(
          "section",
          { class: "head pane", "aria-labelledby": "head-title" },
          headTitle,
          notesLine,
          el("div", { class: "fields" }, field("layer", mapPick), field("head", headPick), field("compare", otherPick), field("compareHead", otherHeadPick)),
          el("div", { class: "switches" }, viewPick.group, unitPick.group, hideTick.label, renormaliseTick.label),
          stage,
          tableHost,
          el(
            "div",
            { class: "under" },
            el("div", { class: "bar" }, barLow, barCanvas, barHigh, barMasked),
            el("label", { class: "slide" }, shareText, shareSlide),
            el("label", { class: "slide zoom" }, el("span", { say: "zoom" }), zoomSlide),
            stretchTick.label,
          ),
          el(
            "div",
            { class: "actions" },
            el("button", { type: "button", say: "saveSvg", onclick: saveSvg }),
            el("button", { type: "button", say: "savePng", onclick: savePng }),
            editButton,
            el("span", { class: "small", say: "keysHelp" }),
          ),
          editWhere,
          editHost,
        ),
        el(
          "section",
          { class: "query pane", "aria-labelledby": "query-title" },
          queryTitle,
          lockLine,
          queryTokens,
          looksLine,
          keyTokens,
          bars,
          restLine,
          el("h2", { say: "number" }),
          numberLine,
          big,
          rankLine,
          chain,
          strips,
        ),
      ),
      el("footer", {}, el("p", { say: "notExplanation" }), errorLine),
      live,
    ),
  );
  headTitle.id = "head-title";
  queryTitle.id = "query-title";
  document.documentElement.classList.toggle("embedded", facts.embedded);
};

// ---------------------------------------------------------------- choosing

let waiting = null;
const WORK = ["cursor", "scene", "thumbs"];

/** Change what is chosen; draw once, in the next frame, as much as changed. */
const change = (changes, work = "scene") => {
  Object.assign(state, changes);
  if (waiting === null) requestAnimationFrame(redraw);
  if (waiting === null || WORK.indexOf(work) > WORK.indexOf(waiting)) waiting = work;
};
const redraw = () => {
  const work = waiting;
  waiting = null;
  if (!maps[chosen().map].ready) return;
  if (work === "thumbs") drawOverview();
  if (work !== "cursor") drawScene();
  drawLooked();
};

const alike = (a, b) => maps[a].queries === maps[b].queries && maps[a].keys === maps[b].keys;

const pick = (map, head) => {
  const to = head === MEAN ? MEAN : Math.min(head === MEAN ? 0 : head, maps[map].heads.length - 1);
  const same = alike(map, state.map);
  change({
    map, head: to, preview: null,
    lock: same ? state.lock : null,
    cursor: same ? state.cursor : null,
    other: state.other && alike(map, state.other.map) ? state.other : null,
    editing: state.editing && Boolean(maps[map].editors?.has(to)),
  });
};
const pickKind = (kind) => {
  const first = maps.findIndex((map) => kind === "all" || map.kind === kind);
  if (kind !== "all" && maps[state.map].kind !== kind) pick(first, state.head === MEAN ? 0 : state.head);
  change({ kind }, "thumbs");
};
const compareWith = (value) => {
  if (value === "") return change({ other: null });
  const map = Number(value);
  const heads = maps[map].heads.length;
  const head = state.head === MEAN ? MEAN : map === state.map ? (state.head + 1) % heads : Math.min(state.head, heads - 1);
  change({ other: { map, head }, editing: false });
};
const toggleEditing = () => {
  change({ editing: !state.editing, other: null, change: false, lock: null, cursor: null });
};
const speak = (language) => {
  state.language = language;
  document.documentElement.lang = SPOKEN[language];
  document.querySelectorAll("[data-say], [data-label]").forEach(translate);
  edited = null;
  change({}, "thumbs");
};
const lockAt = (q, k) => {
  const freed = state.lock && state.lock.q === q && state.lock.k === k;
  change({ lock: freed ? null : { q, k }, cursor: { q, k } }, "cursor");
  announce(freed ? say("freed") : say("nowLocked", reading(q, k ?? strongest(q))));
};
const announce = (text) => {
  live.textContent = text;
};
const reading = (q, k) => {
  const at = q * scene.width + k;
  const [query, key] = [scene.rows.labels[q], scene.columns.labels[k]];
  return scene.masked[at] ? say("readsMasked", query, key) : say("reads", query, key, weightText(scene.values[at]));
};

// ---------------------------------------------------------------- overview

const SMALLEST = 18;
const LARGEST = 84;

const drawOverview = () => {
  document.documentElement.dataset.theme = themeName();
  const shown = maps.filter((map) => state.kind === "all" || map.kind === state.kind);
  const across = Math.min(Math.max(...shown.map((map) => map.heads.length)), 16);
  document.documentElement.style.setProperty("--overview", across > 8 ? "27rem" : "20rem");
  document.documentElement.style.setProperty("--overview-share", across > 8 ? "30vw" : "22vw");
  const room = Math.max(thumbs.clientWidth - 4, 200);
  const gap = across > 8 ? 4 : 6;
  const side = Math.max(Math.min(Math.floor((room - gap * (across - 1)) / across), LARGEST), SMALLEST);
  thumbs.style.setProperty("--strip", `${across * (side + gap)}px`);
  thumbs.style.setProperty("--gap", `${gap}px`);
  thumbs.replaceChildren(
    ...shown.map((map) => {
      const group = el("div", { class: side >= 56 ? "thumbs roomy" : "thumbs" });
      group.style.setProperty("--side", `${side}px`);
      group.append(...inOrder(map).map((head) => thumbnail(map, head, side)));
      return el("div", { class: "strip" }, el("h3", { text: titled(map) }), group);
    }),
  );
  markChosen();
};

const inOrder = (map) => {
  const heads = map.heads.map((_, head) => head);
  if (state.order === "byNumber") return heads;
  const value = (head) => map.measures[head][state.order] ?? -Infinity;
  return heads.sort((a, b) => value(b) - value(a) || a - b);
};

const thumbnail = (map, head, side, theirs) => {
  const measures = map.measures[head];
  const by = state.order === "byNumber" ? "sharpness" : state.order;
  const number = measures[by] === null || measures[by] === undefined ? "" : measures[by].toFixed(2);
  const name = headName(map.heads[head], map);
  const spoken = `${titled(map)}, ${name} ${say(measures.name)}, ${say(by)} ${number}`;
  const small = el("canvas", { "aria-hidden": "true" });
  const button = el(
    "button",
    {
      type: "button", class: "thumb", title: spoken, "aria-label": spoken,
      "data-map": map.number, "data-head": head,
      onclick: () => pick(map.number, head),
      onpointerenter: (event) => event.pointerType === "mouse" && map.ready && change({ preview: { map: map.number, head } }),
      onpointerleave: (event) => event.pointerType === "mouse" && change({ preview: null }),
    },
    small,
  );
  if (editableCount < headCount && map.editable.some((each) => each.head === head)) button.append(el("i", { class: "dot", "aria-hidden": "true" }));
  if (side >= 56) button.append(el("span", { text: name }), " ", el("span", { class: "small", text: say(measures.name) }));
  if (map.ready) drawThumbnail(small, map, head, side);
  return button;
};

/** A block of cells shows its largest: what is sharp stays seen however small. */
const drawThumbnail = (small, map, head, side) => {
  const step = Math.ceil(Math.max(map.rows, map.columns) / (side * (devicePixelRatio || 1)));
  const [high, wide] = [Math.ceil(map.rows / step), Math.ceil(map.columns / step)];
  const pooled = new Float32Array(high * wide);
  const open = new Uint8Array(high * wide);
  let most = 0;
  for (let row = 0; row < map.rows; row++) {
    const scale = map.tops[head * map.rows + row] / facts.steps;
    const from = (head * map.rows + row) * map.columns;
    const to = Math.floor(row / step) * wide;
    for (let column = 0; column < map.columns; column++) {
      const at = to + Math.floor(column / step);
      const weight = map.levels[from + column] * scale;
      if (weight > pooled[at]) pooled[at] = weight;
      if (!open[at] && map.keeps(head, row, column)) open[at] = 1;
      if (weight > most) most = weight;
    }
  }
  paintCells(small, { values: pooled, width: wide, masked: open.map((each) => 1 - each), low: 0, high: state.stretch ? most || 1 : 1, signed: false }, null);
};

const markChosen = () => {
  for (const button of thumbs.querySelectorAll(".thumb")) {
    const current = Number(button.dataset.map) === state.map && (state.head === MEAN || Number(button.dataset.head) === state.head);
    button.setAttribute("aria-pressed", String(current));
  }
};

// ---------------------------------------------------------------- the stage

/** One pixel for each cell; whoever shows it stretches it. */
const paintCells = (onto, cells, kept) => {
  const high = cells.values.length / cells.width;
  onto.width = cells.width;
  onto.height = high;
  const context = onto.getContext("2d");
  const image = context.createImageData(cells.width, high);
  const pixels = new Uint32Array(image.data.buffer);
  const pixel = (colour) => {
    const [r, g, b] = channels(colour);
    return (255 << 24) | (b << 16) | (g << 8) | r;
  };
  const ramp = rampOf(cells.signed).map(pixel);
  const masked = pixel(theme().masked);
  const paper = pixel(theme().paper);
  cells.values.forEach((value, at) => {
    pixels[at] = cells.masked[at] ? masked : kept && !kept[at] ? paper : ramp[stepOf(value, cells)];
  });
  context.putImageData(image, 0, 0);
};

const cells = document.createElement("canvas");
let plan = null;
let kept = null;

const AIR = 9; // cells this large stand apart
const NUMBERED = 34; // and this large hold their number
const MOST_CELL = 46;
const AXIS = 11;

const labelSizeOf = (cell) => (cell >= 22 ? 13 : cell >= 16 ? 12 : cell >= 12 ? 11 : 10);
const everyOf = (cell, size) => (cell >= size * 1.05 ? 1 : [2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => step * cell >= size * 1.3));

/** How labels stand beside cells of a size: their letters, which are left out, how they lie, the room they need. */
const lay = (cell) => {
  const size = labelSizeOf(cell);
  const every = everyOf(cell, size);
  const texts = (labels) => labels.map((label) => shorten(label, size, 150));
  const widest = (all) => all.reduce((most, text, at) => (at % every ? most : Math.max(most, widthOf(text, size))), 0);
  const [rowTexts, columnTexts] = [texts(scene.rows.labels), texts(scene.columns.labels)];
  const across = widest(columnTexts);
  const slant = across <= cell - 3 && every === 1 ? 0 : cell >= size * 1.4 && across <= 90 ? 45 : 90;
  const rise = slant === 0 ? size : slant === 45 ? across * 0.71 + size * 0.6 : across;
  const axes = [`${say(scene.map.axes[1])} →`, `${say(scene.map.axes[0])} ↓`];
  return {
    cell, size, every, slant, rowTexts, columnTexts, axes,
    left: Math.ceil(Math.max(widest(rowTexts), ...axes.map((axis) => widthOf(axis, AXIS))) + 12),
    top: Math.ceil(Math.max(rise, 2.6 * AXIS) + 12),
    right: slant === 45 ? Math.ceil(across * 0.71 + size * 0.6) : 4,
  };
};

/** The largest cells that fit the room, or larger ones when zoomed in. */
const fit = (room, zoom) => {
  const fits = ({ left, top, right }) => Math.min((room.width - left - right) / scene.width, (room.height - top - 6) / scene.rows.labels.length);
  let cell = Math.min(fits(lay(MOST_CELL)), MOST_CELL);
  cell = Math.max(Math.min(fits(lay(cell)), MOST_CELL), 1.2);
  cell += (MOST_CELL - cell) * zoom ** 2;
  return lay(cell >= AIR ? Math.floor(cell) : cell);
};

const roomOf = () => ({
  width: stage.clientWidth || 600,
  height: Math.max(Math.min(innerHeight * (facts.embedded ? 0.75 : 0.66), 680), 320),
});

const drawScene = () => {
  scene = decide();
  const { map, head, editor } = scene;
  const share = state.share[state.view];
  kept = state.view === "flow" || share < 1 ? keep(scene, share) : null;
  drawControls();
  headTitle.textContent = nameOf({ map: map.number, head });
  const cut = state.view === "heatmap" && share < 1 ? [say("cellsKept", Math.round(share * 100))] : [];
  notesLine.replaceChildren(...[say(map.kind), ...scene.notes, ...cut].map((note) => el("span", { text: note })));
  stage.setAttribute("aria-label", say("stage", nameOf({ map: map.number, head })));
  stage.hidden = state.view === "table";
  tableHost.hidden = state.view !== "table";
  spread.replaceChildren(...(state.view === "heatmap" ? [canvas] : state.view === "flow" ? [picture] : []));
  if (state.view === "heatmap") {
    paintCells(cells, scene, kept);
    plan = fit(roomOf(), state.zoom);
    const wide = plan.left + plan.cell * scene.width + plan.right;
    const high = plan.top + plan.cell * scene.rows.labels.length + 6;
    spread.style.width = `${Math.max(wide, 1)}px`;
    spread.style.height = `${high}px`;
    stage.style.height = `${Math.min(high, roomOf().height) + 2}px`;
    Object.assign(canvas.dataset, { left: plan.left, top: plan.top, cell: plan.cell });
  } else if (state.view === "flow") {
    stage.style.height = "";
    spread.style.width = spread.style.height = "";
  }
  drawBar();
  drawTokens();
  markChosen();
  if (!state.preview && editor !== edited) showEditing(editor);
};

const drawBar = () => {
  const ramp = rampOf(scene.signed);
  const context = barCanvas.getContext("2d");
  ramp.forEach((colour, at) => {
    context.fillStyle = colour;
    context.fillRect(at, 0, 1, 1);
  });
  const digits = scene.high < 0.1 ? 3 : scene.high < 1 ? 2 : 0;
  barLow.textContent = scene.signed ? written(scene.low, digits) : "0";
  barHigh.textContent = (scene.signed ? "+" : "") + written(scene.high, digits);
  barMasked.hidden = !scene.masked.includes(1);
  barMasked.firstChild.style.background = theme().masked;
};

const drawHeatmap = () => {
  const [wide, high] = [stage.clientWidth, stage.clientHeight];
  const dense = devicePixelRatio || 1;
  if (canvas.width !== Math.round(wide * dense) || canvas.height !== Math.round(high * dense)) {
    canvas.width = Math.round(wide * dense);
    canvas.height = Math.round(high * dense);
    canvas.style.width = `${wide}px`;
    canvas.style.height = `${high}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(dense, 0, 0, dense, 0, 0);
  context.clearRect(0, 0, wide, high);
  const { cell, left, top } = plan;
  const [x0, y0] = [left - stage.scrollLeft, top - stage.scrollTop];
  const { q, k } = looked();
  const [rows, columns] = [scene.rows.labels.length, scene.width];

  context.save();
  context.beginPath();
  context.rect(left, top, wide - left, high - top);
  context.clip();
  context.imageSmoothingEnabled = false;
  context.drawImage(cells, x0, y0, columns * cell, rows * cell);
  if (cell >= AIR) {
    context.fillStyle = theme().paper;
    for (let column = 1; column <= columns; column++) context.fillRect(x0 + column * cell - 1, y0, 1, rows * cell);
    for (let row = 1; row <= rows; row++) context.fillRect(x0, y0 + row * cell - 1, columns * cell, 1);
  }
  if (cell >= NUMBERED) drawNumbers(context, x0, y0, wide, high);
  outline(context, x0, y0 + q * cell, columns * cell, cell, theme().query, state.lock ? 2 : 1);
  outline(context, x0 + k * cell, y0, cell, rows * cell, theme().key, 1);
  outline(context, x0 + k * cell, y0 + q * cell, cell, cell, theme().ink, 2);
  context.restore();
  drawLabels(context, x0, y0, wide, high, q, k);
};

const outline = (context, x, y, wide, high, colour, thick) => {
  context.strokeStyle = colour;
  context.lineWidth = thick;
  context.strokeRect(x - 0.5, y - 0.5, wide, high);
};

const drawNumbers = (context, x0, y0, wide, high) => {
  const { cell, left, top } = plan;
  const ramp = rampOf(scene.signed);
  context.font = fontOf(11);
  context.textAlign = "center";
  context.textBaseline = "middle";
  scene.values.forEach((value, at) => {
    const [x, y] = [x0 + ((at % scene.width) + 0.5) * cell, y0 + (Math.floor(at / scene.width) + 0.5) * cell];
    if (scene.masked[at] || (kept && !kept[at]) || Math.abs(value) < 0.005 || x < left || y < top || x > wide + cell || y > high + cell) return;
    context.fillStyle = inkOn(ramp[stepOf(value, scene)]);
    context.fillText(written(value, 2).replace(/^(−?)0\./, "$1."), x - 0.5, y);
  });
};

const drawLabels = (context, x0, y0, wide, high, q, k) => {
  const { cell, left, top, size, every, slant, rowTexts, columnTexts, axes } = plan;
  const { ink } = theme();
  context.direction = "ltr";
  context.textBaseline = "middle";
  context.textAlign = "end";
  context.font = fontOf(AXIS);
  context.globalAlpha = 0.7;
  context.fillStyle = ink;
  axes.forEach((axis, at) => context.fillText(axis, left - 8, top - 12 - (1 - at) * 1.4 * AXIS));
  context.globalAlpha = 1;
  rowTexts.forEach((text, row) => {
    const y = y0 + (row + 0.5) * cell;
    if ((row % every && row !== q) || y < top || y > high) return;
    const current = row === q;
    if (!current && every > 1 && Math.abs(row - q) * cell < size * 1.2) return;
    context.font = fontOf(size, current ? 700 : 400);
    context.fillStyle = current ? theme().query : ink;
    context.fillText(text, left - 8, y);
  });
  columnTexts.forEach((text, column) => {
    const x = x0 + (column + 0.5) * cell;
    if ((column % every && column !== k) || x < left || x > wide) return;
    const current = column === k;
    if (!current && every > 1 && Math.abs(column - k) * cell < size * 1.2) return;
    context.font = fontOf(size, current ? 700 : 400);
    context.fillStyle = current ? theme().key : ink;
    context.save();
    context.translate(x, top - 8);
    if (slant) context.rotate((-slant * Math.PI) / 180);
    context.textAlign = slant ? "start" : "center";
    context.fillText(text, slant === 45 ? 2 : 0, slant ? 0 : -size / 2);
    context.restore();
  });
};

// ---------------------------------------------------------------- flow

const FLOW = 14;
const linkStyle = (value) => ({
  "stroke-width": (0.6 + 6.4 * Math.min(Math.abs(value) / (scene.signed ? scene.high : 1), 1)).toFixed(2),
  opacity: 0.16 + 0.7 * Math.min(Math.abs(value) / (scene.signed ? scene.high : 1), 1),
});
const linkColour = (value) => {
  const ramp = rampOf(true);
  return scene.signed ? (value < 0 ? ramp[16] : ramp[239]) : theme().link;
};

const linksOf = () => {
  const links = [];
  kept.forEach((each, at) => each && links.push({ q: Math.floor(at / scene.width), k: at % scene.width, value: scene.values[at] }));
  links.sort((a, b) => Math.abs(a.value) - Math.abs(b.value));
  return links;
};

/** Both sides in lines if they fit, else in columns; a link for each cell that is kept. */
const flowPicture = (room, lit, listening) => {
  const { ink } = theme();
  const links = linksOf();
  const drawn = links.filter((link, at) => at >= links.length - MOST_LINKS || link.q === lit?.q);
  const texts = { k: scene.columns.labels, q: scene.rows.labels };
  const lineOf = (labels) => {
    let at = 0;
    const places = labels.map((label) => {
      const wide = Math.max(widthOf(shorten(label, FLOW, 220), FLOW), 10);
      const middle = at + wide / 2;
      at += wide + 18;
      return middle;
    });
    return { places, extent: Math.max(at - 18, 10) };
  };
  const lines = { k: lineOf(texts.k), q: lineOf(texts.q) };
  const widest = Math.max(lines.k.extent, lines.q.extent);
  const across = widest <= room.width - 24;
  const nodes = [];
  const word = (side, at, x, y, anchor) => {
    const current = lit && lit[side] === at;
    const node = draw("text", {
      x: x.toFixed(1), y: y.toFixed(1), "font-size": FLOW, "text-anchor": anchor,
      "font-weight": current ? 700 : 400, fill: current ? theme()[side === "q" ? "query" : "key"] : ink,
    }, shorten(texts[side][at], FLOW, 220));
    if (listening) listening(node, side, at);
    nodes.push(node);
  };
  const curve = (link, from, to) => {
    const { "stroke-width": thick, opacity } = linkStyle(link.value);
    const faded = lit && lit.q !== link.q;
    nodes.push(
      draw("path", {
        d: `M${from.map((n) => n.toFixed(1)).join(" ")}C${to.map((n) => n.toFixed(1)).join(" ")}`,
        fill: "none", stroke: linkColour(link.value), "stroke-width": thick,
        "stroke-opacity": (faded ? opacity * 0.16 : lit ? Math.min(opacity + 0.1, 1) : opacity).toFixed(3),
      }),
    );
  };
  let size;
  if (across) {
    const [high, low] = [24, 214];
    const place = (side, at) => 12 + lines[side].places[at] + (widest - lines[side].extent) / 2;
    for (const link of drawn) {
      const [x, to] = [place("k", link.k), place("q", link.q)];
      curve(link, [x, high + 6], [x, high + 100, to, low - 100 - 15, to, low - 15]);
    }
    texts.k.forEach((_, at) => word("k", at, place("k", at), high, "middle"));
    texts.q.forEach((_, at) => word("q", at, place("q", at), low, "middle"));
    size = { width: widest + 24, height: low + 14 };
  } else {
    const line = 22;
    const wideOf = (side) => Math.max(...texts[side].map((label) => widthOf(shorten(label, FLOW, 220), FLOW)));
    const [left, right] = [wideOf("k") + 16, wideOf("q") + 16];
    const gap = Math.max(Math.min(room.width - left - right, 320), 90);
    const tall = Math.max(texts.k.length, texts.q.length) * line;
    const place = (side, at) => 8 + (at + 0.5) * line + (tall - texts[side].length * line) / 2;
    for (const link of drawn) {
      const [y, to] = [place("k", link.k), place("q", link.q)];
      curve(link, [left, y], [left + gap / 2, y, left + gap / 2, to, left + gap, to]);
    }
    texts.k.forEach((_, at) => word("k", at, left - 7, place("k", at) + 5, "end"));
    texts.q.forEach((_, at) => word("q", at, left + gap + 7, place("q", at) + 5, "start"));
    size = { width: left + gap + right, height: tall + 16 };
  }
  const share = Math.round(state.share.flow * 100);
  const note = links.length > drawn.length ? say("linksCut", drawn.length, links.length) : share === 100 ? say("linksAll") : say("linksKept", share);
  return { nodes, ...size, note };
};

const drawFlow = () => {
  const lit = state.lock || state.cursor ? looked() : null;
  const listening = (node, side, at) => {
    node.setAttribute("class", "word");
    const place = side === "q" ? { q: at, k: null } : { q: looked().q, k: at };
    node.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && !state.lock && point(place));
    node.addEventListener("click", () => lockAt(place.q, place.k));
  };
  const { nodes, width, height, note } = flowPicture(roomOf(), lit, listening);
  picture.setAttribute("width", Math.ceil(width));
  picture.setAttribute("height", Math.ceil(height));
  picture.setAttribute("font-family", FAMILY);
  picture.replaceChildren(...nodes);
  stage.style.height = `${Math.min(Math.ceil(height) + 4, roomOf().height + 60)}px`;
  flowNote.textContent = note;
  notesLine.append(flowNote);
};
const flowNote = el("span");

// ---------------------------------------------------------------- the query, the number

const drawLooked = () => {
  if (state.view === "heatmap") drawHeatmap();
  else if (state.view === "flow") drawFlow();
  else drawTable();
  drawQuery();
  drawNumber();
  if (scene.editor) drawEditing(scene.editor);
};

let tokensDrawn = "";
let tints = [];
const drawTokens = () => {
  const now = JSON.stringify([scene.rows.labels, scene.columns.labels]);
  if (now === tokensDrawn) return;
  tokensDrawn = now;
  tints = [];
  const button = (label, act) => el("button", { type: "button", tabindex: "-1", "aria-pressed": "false", onclick: act }, el("bdi", { text: label }));
  queryTokens.replaceChildren(...scene.rows.labels.map((label, q) => button(label, () => lockAt(q, null))));
  keyTokens.replaceChildren(...scene.columns.labels.map((label, k) => button(label, () => lockAt(looked().q, k))));
};

/** One stop of the tab key for a whole group; arrow keys walk inside it. */
const walk = (event) => {
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  if (!(event.key in steps)) return;
  event.preventDefault();
  const buttons = [...event.currentTarget.children];
  const to = buttons[Math.min(Math.max(buttons.indexOf(event.target) + steps[event.key], 0), buttons.length - 1)];
  to.focus();
};
queryTokens.addEventListener("keydown", walk);
keyTokens.addEventListener("keydown", walk);

const press = (tokens, at) => {
  const to = tokens.children[at];
  const from = tokens.querySelector("[tabindex='0']");
  if (from === to) return;
  from?.setAttribute("tabindex", "-1");
  from?.setAttribute("aria-pressed", "false");
  to.setAttribute("tabindex", "0");
  to.setAttribute("aria-pressed", "true");
};

const drawQuery = () => {
  const { q, k } = looked();
  const from = q * scene.width;
  const query = scene.rows.labels[q];
  queryTitle.replaceChildren(el("span", { text: `${say("query")} ` }), el("bdi", { class: "q", text: query }));
  lockLine.textContent = say(state.lock ? "locked" : "lockHint");
  looksLine.textContent = say("looksAt", query);
  const ramp = rampOf(scene.signed);
  press(queryTokens, q);
  press(keyTokens, k);
  [...keyTokens.children].forEach((button, at) => {
    const colour = scene.masked[from + at] ? theme().masked : ramp[stepOf(scene.values[from + at], scene)];
    if (tints[at] === colour) return;
    tints[at] = colour;
    button.style.background = colour;
    button.style.color = inkOn(colour);
  });
  const order = Array.from({ length: scene.width }, (_, at) => at)
    .filter((at) => !scene.masked[from + at])
    .sort((a, b) => Math.abs(scene.values[from + b]) - Math.abs(scene.values[from + a]) || a - b);
  const shown = order.slice(0, 7).filter((at) => Math.abs(scene.values[from + at]) >= 0.0005);
  bars.replaceChildren(
    ...shown.map((at) => {
      const value = scene.values[from + at];
      const bar = el("i");
      bar.style.width = `${Math.min(Math.abs(value) / (scene.signed || state.stretch ? scene.high : 1), 1) * 100}%`;
      bar.style.background = linkColour(value);
      return el("li", {}, el("bdi", { text: scene.columns.labels[at] }), el("span", { class: "track" }, bar), el("b", { text: weightText(value) }));
    }),
  );
  const others = order.slice(shown.length);
  const rest = others.reduce((sum, at) => sum + scene.values[from + at], 0);
  restLine.textContent = !shown.length && !scene.signed ? say(scene.hides ? "allHidden" : "silent") : rest >= 0.0005 && !scene.signed ? say("rest", written(rest), others.length) : "";
};

const drawNumber = () => {
  const { q, k } = looked();
  const at = q * scene.width + k;
  numberLine.replaceChildren(
    el("bdi", { class: "q", text: scene.rows.labels[q] }), " → ", el("bdi", { class: "k", text: scene.columns.labels[k] }),
  );
  big.textContent = scene.masked[at] ? "—" : weightText(scene.values[at]);
  const row = scene.values.subarray(q * scene.width, (q + 1) * scene.width);
  const open = scene.masked.subarray(q * scene.width, (q + 1) * scene.width).reduce((count, each) => count + 1 - each, 0);
  const rank = 1 + row.reduce((count, each) => count + (Math.abs(each) > Math.abs(row[k]) ? 1 : 0), 0);
  const sum = scene.weights.subarray(q * scene.width, (q + 1) * scene.width).reduce((total, each) => total + each, 0);
  if (scene.masked[at]) rankLine.textContent = say("isMasked");
  else if (scene.other)
    rankLine.textContent = `${say(scene.editor ? "after" : "thisOne")} ${written(scene.weights[at])} · ${say(scene.editor ? "before" : "otherOne")} ${written(scene.other[at])}`;
  else rankLine.textContent = say("rank", rank, open, written(sum, 2));
  drawChain(q, k);
};

/** The arithmetic of one number, where the head can be computed anew. */
const drawChain = (q, k) => {
  const editor = scene.editor;
  chain.hidden = strips.hidden = !editor;
  if (!editor) return;
  const { about } = editor;
  const { cooled, largest, raised, sum } = editor.row(q);
  const score = editor.score(q, k);
  const steps = [];
  const step = (left, right) => steps.push(el("li", {}, el("span", { text: left }), el("b", { text: right })));
  const number = (value) => (value === -Infinity ? "−∞" : written(value, 4));
  const touched = editor.changed.has(q * editor.columns + k) || editor.hidden.has(k);
  if (about.scale && !touched) {
    step("q·k", number(editor.scores[q * editor.columns + k] / about.scale));
    if (editor.scaled && about.scale !== 1) step(`÷ √${about.width}`, number(score));
  } else step(say("score"), number(score));
  if (editor.temperature !== 1) step(`÷ ${written(editor.temperature, 2)}`, number(cooled[k]));
  step(`exp(… − ${number(largest)})`, written(raised[k], 4));
  step(`÷ ${written(sum, 4)}`, sum > 0 ? written(raised[k] / sum, 4) : "0");
  chain.replaceChildren(...steps);
  strips.replaceChildren();
  if (!editor.queries || !editor.keys) return;
  const wide = about.width;
  const query = editor.queries.subarray(q * wide, (q + 1) * wide);
  const key = editor.keys.subarray(k * wide, (k + 1) * wide);
  strips.append(vector("q", query, "q"), vector("k", key, "k"), vector("q × k", query.map((each, part) => each * key[part]), ""));
};

/** A vector as a strip of colours around zero. */
const vector = (name, numbers, role, most = null) => {
  const high = most ?? Math.max(...numbers.map(Math.abs), 1e-9);
  const strip = el("canvas", { role: "img", "aria-label": `${name}: ${numbers.length}` });
  paintCells(strip, { values: Float32Array.from(numbers), width: numbers.length, masked: new Uint8Array(numbers.length), low: -high, high, signed: true }, null);
  return el("div", { class: "vector" }, el("span", { class: role, text: name }), strip, el("span", { class: "small", text: `±${written(high, 2)}` }));
};

const drawTable = () => {
  const { q, k } = looked();
  const from = q * scene.width;
  const order = Array.from({ length: scene.width }, (_, at) => at).sort((a, b) => Math.abs(scene.values[from + b]) - Math.abs(scene.values[from + a]) || a - b);
  const ranks = new Map(order.map((at, rank) => [at, rank + 1]));
  const caption = say("caption", nameOf({ map: scene.map.number, head: scene.head }), scene.rows.labels[q]);
  const heads = ["keys", scene.signed ? "difference" : "weight", ...(scene.other ? ["thisOne", "otherOne"] : []), "rankName"];
  const row = (label, at) => {
    const cellsOf = scene.masked[from + at]
      ? [say("masked"), ...(scene.other ? ["", ""] : []), ""]
      : [weightText(scene.values[from + at]), ...(scene.other ? [written(scene.weights[from + at]), written(scene.other[from + at])] : []), String(ranks.get(at))];
    const made = el("tr", at === k ? { class: "current" } : {}, el("th", { scope: "row" }, el("bdi", { text: label })), ...cellsOf.map((text) => el("td", { text })));
    made.addEventListener("click", () => lockAt(looked().q, at));
    return made;
  };
  tableHost.setAttribute("aria-label", caption);
  tableHost.replaceChildren(
    el(
      "table", {},
      el("caption", { text: caption }),
      el("thead", {}, el("tr", {}, ...heads.map((phrase) => el("th", { scope: "col", text: say(phrase) })))),
      el("tbody", {}, ...scene.columns.labels.map(row)),
    ),
  );
};

// ---------------------------------------------------------------- editing

let edited = null; // the head whose editing is shown
let editRows = [];
let editQuery = -1;
const heat = el("input", { type: "range", min: -30, max: 30, step: 1, oninput: () => edit((editor) => (editor.temperature = 2 ** (Number(heat.value) / 10))) });
const heatText = el("output");
const edit = (act) => {
  act(scene.editor);
  change({});
};

const showEditing = (editor) => {
  edited = editor;
  editHost.hidden = !editor;
  editRows = [];
  editQuery = -1;
  if (!editor) return;
  const { scale, width } = editor.about;
  const scaled = el("input", { type: "checkbox", onchange: () => edit((each) => (each.scaled = scaled.checked)) });
  scaled.checked = editor.scaled;
  const shows = el("input", { type: "checkbox", onchange: () => change({ change: shows.checked }) });
  shows.checked = state.change;
  heat.value = String(Math.round(10 * Math.log2(editor.temperature)));
  const root = width ? say("divide", width, written(Math.sqrt(width), 2)) : "";
  editHost.replaceChildren(
    el("h2", { id: "edit-title", text: say("edit") }),
    el("p", { class: "small", text: say("editHint") }),
    el(
      "div", { class: "editors" },
      el("label", { class: "slide" }, el("span", { text: say("temperature") }), heat, heatText),
      scale && scale !== 1
        ? el("label", { class: "tick scale" }, scaled, el("span", { text: root }))
        : el("span", { class: "small", text: say("noScale") }),
      el("label", { class: "tick" }, shows, el("span", { text: say("showChange") })),
      el("button", { type: "button", class: "reset", text: say("reset"), onclick: () => {
        editor.reset();
        edited = null;
        change({ change: false });
      } }),
    ),
    el("div", { class: "edithost" }),
    el("div", { class: "outputs" }),
  );
};

/** The row of one query, to be edited; inputs stay while the reader types in them. */
const drawEditing = (editor) => {
  const { q } = looked();
  heatText.textContent = written(editor.temperature, 2);
  const from = q * editor.columns;
  if (q !== editQuery) {
    editQuery = q;
    const order = Array.from({ length: editor.columns }, (_, at) => at)
      .sort((a, b) => editor.original[from + b] - editor.original[from + a])
      .slice(0, MOST_ROWS_EDITED)
      .sort((a, b) => a - b);
    editRows = order.map((k) => editRow(editor, q, k));
    const heads = ["keys", "score", "maskKey", "before", "after"];
    const said = editor.columns > order.length ? [el("p", { class: "small", text: say("someKeys", order.length, editor.columns) })] : [];
    editHost.querySelector(".edithost").replaceChildren(
      el(
        "table", {},
        el("caption", { text: say("looksAt", scene.rows.labels[q]) }),
        el("thead", {}, el("tr", {}, ...heads.map((phrase) => el("th", { scope: "col", text: say(phrase) })))),
        el("tbody", {}, ...editRows.map((each) => each.row)),
      ),
      ...said,
    );
  }
  for (const { k, input, box, before, after } of editRows) {
    const score = editor.changed.get(from + k) ?? editor.given(q, k);
    if (document.activeElement !== input) input.value = score === -Infinity ? "" : score.toFixed(3);
    input.disabled = editor.hidden.has(k) || (score === -Infinity && !editor.changed.has(from + k));
    box.checked = editor.hidden.has(k);
    box.disabled = editor.given(q, k) === -Infinity;
    before.textContent = written(editor.original[from + k], 4);
    after.textContent = written(scene.weights[from + k], 4);
    after.className = Math.abs(scene.weights[from + k] - editor.original[from + k]) > 5e-5 ? "moved" : "";
  }
  drawOutput(editor, q);
};

const editRow = (editor, q, k) => {
  const key = scene.columns.labels[k];
  const at = q * editor.columns + k;
  const input = el("input", { type: "number", step: "0.1", "aria-label": say("scoreOf", key), oninput: () => {
    const value = Number(input.value);
    edit((each) => (input.value === "" || !Number.isFinite(value) ? each.changed.delete(at) : each.changed.set(at, value)));
  } });
  const box = el("input", { type: "checkbox", "aria-label": say("hideKey", key), onchange: () => edit((each) => each.hidden[box.checked ? "add" : "delete"](k)) });
  const [before, after] = [el("td"), el("td")];
  const row = el("tr", {}, el("th", { scope: "row" }, el("bdi", { text: key })), el("td", {}, input), el("td", { class: "middle" }, box), before, after);
  return { k, row, input, box, before, after };
};

const drawOutput = (editor, q) => {
  const before = editor.output(editor.original, q);
  const after = editor.output(scene.weights, q);
  const difference = after.map((each, part) => each - before[part]);
  const length = (numbers) => Math.sqrt(numbers.reduce((sum, each) => sum + each * each, 0));
  const most = Math.max(...before.map(Math.abs), ...after.map(Math.abs), 1e-9);
  const distance = length(difference);
  const telling = distance < 5e-5 ? say("unmoved") : say("moved", written(distance, 4), written((100 * distance) / Math.max(length(before), 1e-9), 1));
  const open = editHost.querySelector(".outputs details")?.open ?? false;
  const rows = [...before].map((each, part) => el("tr", {}, el("th", { scope: "row", text: String(part) }), el("td", { text: written(each, 4) }), el("td", { text: written(after[part], 4) })));
  editHost.querySelector(".outputs").replaceChildren(
    el("h3", { text: say("output", scene.rows.labels[q]) }),
    vector(say("before"), before, "o", most),
    vector(say("after"), after, "o", most),
    vector(say("change"), difference, "", most),
    el("p", { class: "telling", text: telling }),
    el(
      "details", { open },
      el("summary", { text: say("outputTable") }),
      el("table", {}, el("thead", {}, el("tr", {}, ...["part", "before", "after"].map((phrase) => el("th", { scope: "col", text: say(phrase) })))), el("tbody", {}, ...rows)),
    ),
  );
};

// ---------------------------------------------------------------- controls

const drawControls = () => {
  const kinds = [...new Set(maps.map((map) => map.kind))];
  fill(kindPick, [["all", say("allKinds")], ...kinds.map((kind) => [kind, say(kind)])], state.kind);
  kindPick.parentElement.hidden = kinds.length < 2;
  const measures = Object.keys(maps[0].measures[0]).filter((name) => name !== "name");
  fill(orderPick, [["byNumber", say("byNumber")], ...measures.map((name) => [name, say(name)])], state.order);
  orderPick.parentElement.hidden = maps.every((map) => map.heads.length === 1);
  const among = maps.filter((map) => state.kind === "all" || map.kind === state.kind || map.number === state.map);
  fill(mapPick, among.map((map) => [map.number, titled(map)]), state.map);
  const { map } = { map: maps[state.map] };
  const headsOf = (of) => [
    ...of.heads.map((name, head) => [head, headName(name, of)]),
    ...(of.heads.length > 1 ? [[MEAN, say("meanHead", of.heads.length)]] : []),
  ];
  fill(headPick, headsOf(map), state.head);
  const fitting = maps.filter((each) => alike(each.number, state.map) && (each.number !== state.map || each.heads.length > 1));
  fill(otherPick, [["", say("nothing")], ...fitting.map((each) => [each.number, titled(each)])], state.other?.map ?? "");
  otherPick.parentElement.hidden = !fitting.length || state.editing;
  otherHeadPick.parentElement.hidden = !state.other;
  if (state.other) fill(otherHeadPick, headsOf(maps[state.other.map]), state.other.head);
  fill(palettePick, ["blue", "sand", "grey"].map((name) => [name, say(name)]), state.palette);
  fill(themePick, ["auto", "light", "dark"].map((name) => [name, say(name)]), state.theme);
  fill(languagePick, Object.entries(LANGUAGES), state.language);

  viewPick.show(state.view);
  unitPick.show(state.words && !state.editing ? "words" : "pieces");
  const sides = [map.queries, map.keys].map((number) => facts.sides[number]);
  unitPick.group.hidden = !sides.some((side) => side.words) || state.editing;
  const special = sides.some((side) => side.special.length);
  hideTick.label.hidden = !special || state.editing;
  hideTick.box.checked = state.hide;
  renormaliseTick.label.hidden = hideTick.label.hidden || !state.hide;
  renormaliseTick.box.checked = state.renormalise;
  stretchTick.box.checked = state.stretch;
  stretchTick.label.hidden = scene.signed || state.view !== "heatmap";
  barCanvas.parentElement.hidden = state.view === "table" || (state.view === "flow" && !scene.signed);
  shareSlide.value = String(Math.round(state.share[state.view] * 100));
  shareText.textContent = say("share", Math.round(state.share[state.view] * 100));
  shareSlide.parentElement.hidden = state.view === "table";
  zoomSlide.parentElement.hidden = state.view !== "heatmap";
  zoomSlide.value = String(Math.round(state.zoom * 100));
  editButton.textContent = say(state.editing ? "editStop" : "editThis");
  editButton.hidden = !map.editors?.has(state.head);
  editButton.setAttribute("aria-expanded", String(state.editing));
  editWhere.hidden = !editableCount || !editButton.hidden;
  editWhere.textContent = say("editElsewhere", editableCount);

  const own = maps.filter((each) => each.set === "");
  const sizes = ["rows", "columns"].map((side) => Math.max(...own.map((each) => each[side])));
  const heads = own.reduce((sum, each) => sum + each.heads.length, 0);
  const counted = heads === 1 ? "oneHead" : own.length === 1 ? "oneCount" : "counts";
  counts.textContent = say(counted, own.length, heads, ...sizes);
  windowLine.hidden = !facts.window;
  if (facts.window) windowLine.textContent = say("windowed", facts.window[0] + 1, facts.window[1], facts.window[2]);
  errorLine.textContent = say("error", facts.error);
};

// ---------------------------------------------------------------- pointing and keys

const point = (place) => change({ cursor: place }, "cursor");

const placeUnder = (event) => {
  const frame = stage.getBoundingClientRect();
  const [x, y] = [event.clientX - frame.left - stage.clientLeft, event.clientY - frame.top - stage.clientTop];
  const k = Math.floor((x - plan.left + stage.scrollLeft) / plan.cell);
  const q = Math.floor((y - plan.top + stage.scrollTop) / plan.cell);
  const inRows = q >= 0 && q < scene.rows.labels.length && y >= plan.top;
  const inColumns = k >= 0 && k < scene.width && x >= plan.left;
  if (inRows && inColumns) return { q, k };
  if (inRows && x < plan.left) return { q, k: null };
  return null;
};

canvas.addEventListener("pointermove", (event) => {
  if (event.pointerType !== "mouse" || state.lock) return;
  const place = placeUnder(event);
  if (place) point(place);
});
canvas.addEventListener("click", (event) => {
  const place = placeUnder(event);
  if (place) lockAt(place.q, place.k);
});
stage.addEventListener("scroll", () => state.view === "heatmap" && change({}, "cursor"));

const LEAPS = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  PageUp: [-10, 0], PageDown: [10, 0], Home: [0, -Infinity], End: [0, Infinity],
};
stage.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { q, k } = looked();
  const between = (value, count) => Math.min(Math.max(value, 0), count - 1);
  if (event.key in LEAPS) {
    const [down, across] = LEAPS[event.key];
    const place = { q: between(q + down, scene.rows.labels.length), k: between(k + across, scene.width) };
    change({ cursor: place, lock: state.lock ? place : null }, "cursor");
    scrollTo(place);
    announce(reading(place.q, place.k));
  } else if (event.key === "Enter" || event.key === " ") {
    lockAt(q, k);
  } else if (event.key === "Escape") {
    change({ lock: null }, "cursor");
    announce(say("freed"));
  } else if ((event.key === "[" || event.key === "]") && state.head !== MEAN) {
    const heads = maps[state.map].heads.length;
    const head = (state.head + (event.key === "]" ? 1 : heads - 1)) % heads;
    pick(state.map, head);
    announce(nameOf({ map: state.map, head }));
  } else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && state.lock) change({ lock: null }, "cursor");
});

const scrollTo = ({ q, k }) => {
  if (state.view !== "heatmap") return;
  const { cell, left, top } = plan;
  const [x, y] = [k * cell, q * cell];
  const [wide, high] = [stage.clientWidth - left, stage.clientHeight - top];
  stage.scrollLeft = Math.min(Math.max(stage.scrollLeft, x + cell + 4 - wide), x);
  stage.scrollTop = Math.min(Math.max(stage.scrollTop, y + cell + 4 - high), y);
};

// ---------------------------------------------------------------- pictures to take away

/** The view as one SVG, as large as it needs to be, in the colours of the page. */
const figure = () => {
  const { ink, paper } = theme();
  const name = nameOf({ map: scene.map.number, head: scene.head });
  const notes = [say(scene.map.kind), ...scene.notes];
  const inside = state.view === "flow" ? flowPicture({ width: 900, height: 0 }, null, null) : heatmapFigure();
  if (inside.note) notes.push(inside.note);
  const wide = Math.ceil(Math.max(inside.width, widthOf(name, 15) * 1.1, widthOf(notes.join(" · "), 11)) + 40);
  const high = Math.ceil(inside.height + 84);
  const svg = draw("svg", { xmlns: SVG, width: wide, height: high, viewBox: `0 0 ${wide} ${high}`, "font-family": FAMILY, role: "img" });
  const body = draw("g", { transform: "translate(20 62)" });
  body.append(...inside.nodes);
  svg.append(
    draw("title", {}, name),
    draw("rect", { width: wide, height: high, fill: paper }),
    draw("text", { x: 20, y: 30, "font-size": 15, "font-weight": 600, fill: ink }, name),
    draw("text", { x: 20, y: 49, "font-size": 11, fill: ink, "fill-opacity": 0.7 }, notes.join(" · ")),
    body,
  );
  return { text: new XMLSerializer().serializeToString(svg), width: wide, height: high };
};

const heatmapFigure = () => {
  const { ink, masked, paper } = theme();
  const rows = scene.rows.labels.length;
  const cell = Math.max(Math.min(30, Math.floor(900 / Math.max(rows, scene.width))), 3);
  const laid = lay(cell);
  const ramp = rampOf(scene.signed);
  const nodes = [];
  const paths = new Map();
  scene.values.forEach((value, at) => {
    const colour = scene.masked[at] ? masked : kept && !kept[at] ? paper : ramp[stepOf(value, scene)];
    const [x, y] = [laid.left + (at % scene.width) * cell, laid.top + Math.floor(at / scene.width) * cell];
    const side = cell >= AIR ? cell - 1 : cell + 0.3;
    paths.set(colour, `${paths.get(colour) ?? ""}M${x} ${y}h${side}v${side}h-${side}z`);
  });
  for (const [fillColour, d] of paths) nodes.push(draw("path", { d, fill: fillColour, "shape-rendering": "crispEdges" }));
  laid.axes.forEach((axis, at) =>
    nodes.push(draw("text", { x: laid.left - 7, y: laid.top - 9 - (1 - at) * 1.4 * AXIS, "font-size": AXIS, "text-anchor": "end", fill: ink, "fill-opacity": 0.7 }, axis)),
  );
  laid.rowTexts.forEach((text, row) => {
    if (row % laid.every) return;
    nodes.push(draw("text", { x: laid.left - 7, y: laid.top + (row + 0.5) * cell + laid.size * 0.35, "font-size": laid.size, "text-anchor": "end", fill: ink }, text));
  });
  laid.columnTexts.forEach((text, column) => {
    if (column % laid.every) return;
    const x = laid.left + (column + 0.5) * cell + (laid.slant ? laid.size * 0.3 : 0);
    const about = { "font-size": laid.size, fill: ink, transform: `translate(${x.toFixed(1)} ${laid.top - 7}) rotate(${-laid.slant})` };
    nodes.push(draw("text", { ...about, ...(laid.slant ? {} : { "text-anchor": "middle" }) }, text));
  });
  const [x, tall] = [laid.left + scene.width * cell + laid.right + 14, Math.max(Math.min(rows * cell, 150), 60)];
  for (let step = 0; step < 64; step++)
    nodes.push(draw("rect", { x, y: (laid.top + (tall * step) / 64).toFixed(2), width: 9, height: (tall / 64 + 0.5).toFixed(2), fill: ramp[255 - step * 4], "shape-rendering": "crispEdges" }));
  const digits = scene.high < 0.1 ? 3 : scene.high < 1 ? 2 : 0;
  for (const [value, y] of [[scene.high, 8], [scene.low, tall]])
    nodes.push(draw("text", { x: x + 14, y: laid.top + y, "font-size": 10, fill: ink }, written(value, digits)));
  return { nodes, width: x + 60, height: laid.top + Math.max(rows * cell, tall) };
};

const fileName = (ending) => {
  const plain = nameOf({ map: scene.map.number, head: scene.head }).replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  return `${plain || "attention"}-${state.view === "flow" ? "flow" : "heatmap"}.${ending}`;
};
const download = (content, name) => {
  const address = URL.createObjectURL(content);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  announce(say("saved", name));
};
function saveSvg() {
  download(new Blob([figure().text], { type: "image/svg+xml" }), fileName("svg"));
}
async function savePng() {
  const { text, width, height } = figure();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const scale = Math.min(2, 8000 / Math.max(width, height));
  const onto = document.createElement("canvas");
  onto.width = Math.round(width * scale);
  onto.height = Math.round(height * scale);
  onto.getContext("2d").drawImage(image, 0, 0, onto.width, onto.height);
  onto.toBlob((content) => download(content, fileName("png")), "image/png");
}

// ---------------------------------------------------------------- begin

const begin = async () => {
  build();
  if (!("DecompressionStream" in window)) {
    document.body.prepend(el("p", { class: "warning", say: "tooOld" }));
    return;
  }
  state.stretch = Math.max(...maps.map((map) => map.columns)) > LONG;
  speak(state.language);
  const first = maps[state.map];
  await first.read();
  change({}, "thumbs");
  for (const map of maps.filter((each) => each !== first)) {
    await map.read();
    for (const small of thumbs.querySelectorAll(`.thumb[data-map="${map.number}"]`))
      drawThumbnail(small.querySelector("canvas"), map, Number(small.dataset.head), small.clientWidth);
  }
  change({});
  requestAnimationFrame(() => { // after what was last asked for is drawn
    const shown = thumbs.querySelector(".thumb[aria-pressed=true]");
    if (shown) thumbs.scrollTop += shown.getBoundingClientRect().top - thumbs.getBoundingClientRect().top - 24; // its name stays above it
    document.documentElement.dataset.ready = "true";
  });
};

darkSystem.addEventListener("change", () => change({}, "thumbs"));
let lastWidth = 0;
new ResizeObserver(() => {
  if (document.body.clientWidth === lastWidth) return;
  lastWidth = document.body.clientWidth;
  change({}, "thumbs");
}).observe(document.body);
begin();
