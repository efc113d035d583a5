// One head enlarged: a heatmap on one canvas, a flow of the links that are kept, or a table.
// Pointing previews, a click or Enter locks, Escape frees; the arrow keys walk from cell to cell.

import { channels, colour, inkOn, letters, ramp, shade } from "./colours.js";
import { say, teach } from "./language.js";
import { announce, draw, el, nextFrame, SVG, written } from "./nodes.js";
import { TERMS } from "./terms.js";

teach({
  stageHelp: [
    "{0}. Arrow keys move from cell to cell, Home and End to the ends of the row, Enter locks, Escape frees.",
    "{0}。方向键移动单元格，Home 与 End 到行首行尾，回车锁定，Esc 解除。",
  ],
  reads: ["{0} → {1}: {2}", "{0} → {1}：{2}"],
  ...TERMS,
  nowLocked: ["Locked: {0}", "已锁定：{0}"],
  freed: ["Freed.", "已解除锁定。"],
  weight: ["weight", "权重"],
});

const ruler = document.createElement("canvas").getContext("2d");
export const widthOf = (text, size) => {
  ruler.font = `${size}px ${letters()}`;
  return ruler.measureText(text).width;
};
export const shorten = (text, size, limit) => {
  if (widthOf(text, size) <= limit) return text;
  const kept = Array.from(text);
  while (kept.length > 1 && widthOf(`${kept.join("")}…`, size) > limit) kept.pop();
  return `${kept.join("")}…`;
};

/** One pixel for each cell; whoever shows it stretches it. */
export const paint = (onto, { values, width, masked = null, kept = null, low = 0, high = 1, signed = false }) => {
  const tall = Math.max(values.length / width, 1);
  Object.assign(onto, { width, height: tall });
  const context = onto.getContext("2d");
  const image = context.createImageData(width, tall);
  const pixels = new Uint32Array(image.data.buffer);
  const pixel = (text) => {
    const [r, g, b] = channels(text);
    return (255 << 24) | (b << 16) | (g << 8) | r;
  };
  const colours = ramp(signed).map(pixel);
  const [grey, paper] = [pixel(colour("masked")), pixel(colour("paper"))];
  for (let at = 0; at < values.length; at++) {
    const share = Math.min(Math.max((values[at] - low) / (high - low), 0), 1) || 0;
    pixels[at] = masked?.[at] ? grey : kept && !kept[at] ? paper : colours[Math.round(255 * share)];
  }
  context.putImageData(image, 0, 0);
  return onto;
};

/** The strongest cells of each row that together hold a share of its mass. */
export const keep = (values, width, share) => {
  const kept = new Uint8Array(values.length);
  for (let from = 0; from < values.length; from += width) {
    const row = Array.from({ length: width }, (_, at) => at).sort((a, b) => Math.abs(values[from + b]) - Math.abs(values[from + a]) || a - b);
    let wanted = row.reduce((sum, at) => sum + Math.abs(values[from + at]), 0) * share - 1e-6;
    for (const at of row) {
      if (wanted <= 0 || values[from + at] === 0) break;
      kept[from + at] = 1;
      wanted -= Math.abs(values[from + at]);
    }
  }
  return kept;
};

const AIR = 9; // cells this large stand apart
const NUMBERED = 36; // and this large hold their number
const [LEAST_CELL, MOST_CELL] = [8, 48];
const FLOW = 15;
const MOST_LINKS = 1200;

/** How labels stand beside cells of a size, and the room they need. */
const lay = (scene, cell) => {
  const size = cell >= 22 ? 13 : cell >= 14 ? 12 : 10;
  const every = cell >= size * 1.05 ? 1 : Math.ceil((size * 1.3) / cell);
  const rowTexts = scene.rows.map((label) => shorten(label, size, 140));
  const columnTexts = scene.columns.map((label) => shorten(label, size, 140));
  const widest = (texts) => Math.max(...texts.map((text) => widthOf(text, size)), 8);
  const across = widest(columnTexts);
  const slant = across <= cell - 3 && every === 1 ? 0 : 45;
  const rise = slant ? across * 0.71 + size * 0.6 : size;
  const axes = scene.axes ? [`${scene.axes[1]} →`, `${scene.axes[0]} ↓`] : [];
  return {
    cell, size, every, slant, rowTexts, columnTexts, axes,
    left: Math.ceil(Math.max(widest(rowTexts), ...axes.map((axis) => widthOf(axis, 11))) + 14),
    top: Math.ceil(Math.max(rise, axes.length ? 30 : 0) + 12),
    right: slant ? Math.ceil(across * 0.71 + size * 0.6) : 4,
  };
};
const fit = (scene, wide, tall) => {
  const fits = ({ left, top, right }) => Math.min((wide - left - right) / scene.columns.length, (tall - top - 6) / scene.rows.length);
  let cell = Math.min(fits(lay(scene, MOST_CELL)), MOST_CELL);
  cell = Math.max(Math.min(fits(lay(scene, cell)), MOST_CELL), LEAST_CELL);
  return lay(scene, Math.floor(cell));
};

/** The heatmap as nodes of an SVG: to be saved. */
const heatmapNodes = (scene, kept) => {
  const width = scene.columns.length;
  const cell = Math.max(Math.min(34, Math.floor(900 / Math.max(scene.rows.length, width))), 4);
  const laid = lay(scene, cell);
  const [ink, nodes, paths] = [colour("ink"), [], new Map()];
  scene.values.forEach((value, at) => {
    const fill = scene.masked?.[at] ? colour("masked") : kept && !kept[at] ? colour("paper") : shade(value, scene);
    const [x, y] = [laid.left + (at % width) * cell, laid.top + Math.floor(at / width) * cell];
    const side = cell >= AIR ? cell - 1 : cell;
    paths.set(fill, `${paths.get(fill) ?? ""}M${x} ${y}h${side}v${side}h-${side}z`);
  });
  for (const [fill, d] of paths) nodes.push(draw("path", { d, fill }));
  const text = (content, about) => nodes.push(draw("text", { "font-size": laid.size, fill: ink, ...about }, content));
  laid.rowTexts.forEach((label, row) => row % laid.every || text(label, { x: laid.left - 7, y: laid.top + (row + 0.5) * cell + laid.size * 0.35, "text-anchor": "end" }));
  laid.columnTexts.forEach((label, column) => {
    if (column % laid.every) return;
    const x = laid.left + (column + 0.5) * cell + (laid.slant ? laid.size * 0.3 : 0);
    text(label, { transform: `translate(${x.toFixed(1)} ${laid.top - 7}) rotate(${-laid.slant})`, ...(laid.slant ? {} : { "text-anchor": "middle" }) });
  });
  return { nodes, width: laid.left + width * cell + laid.right, height: laid.top + scene.rows.length * cell };
};

/** Both sides in lines if they fit, else in columns; a link for each cell that is kept. */
export const flowNodes = (scene, { wide, share = 0.9, lit = null, listening = null, gap = 150 }) => {
  const width = scene.columns.length;
  const kept = keep(scene.values, width, share);
  const links = [];
  kept.forEach((each, at) => each && links.push({ q: Math.floor(at / width), k: at % width, value: scene.values[at] }));
  links.sort((a, b) => Math.abs(a.value) - Math.abs(b.value));
  const drawn = links.slice(-MOST_LINKS);
  const texts = { k: scene.columns.map((label) => shorten(label, FLOW, 200)), q: scene.rows.map((label) => shorten(label, FLOW, 200)) };
  const lineOf = (labels) => {
    let at = 0;
    const places = labels.map((label) => {
      const room = Math.max(widthOf(label, FLOW), 12);
      at += room + 20;
      return at - 20 - room / 2;
    });
    return { places, extent: Math.max(at - 20, 10) };
  };
  const lines = { k: lineOf(texts.k), q: lineOf(texts.q) };
  const widest = Math.max(lines.k.extent, lines.q.extent);
  const nodes = [];
  const most = Math.max(Math.abs(scene.high ?? 1), Math.abs(scene.low ?? 0));
  const curve = (link, d) => {
    const strength = Math.min(Math.abs(link.value) / most, 1);
    const faded = lit && (lit.q !== link.q || (lit.only && lit.k !== link.k));
    const signed = ramp(true);
    nodes.push(draw("path", {
      d, fill: "none", "stroke-linecap": "round",
      stroke: scene.signed ? (link.value < 0 ? signed[16] : signed[239]) : colour("link"),
      "stroke-width": (0.6 + 6.4 * strength).toFixed(2),
      "stroke-opacity": ((0.16 + 0.7 * strength) * (faded ? 0.14 : 1)).toFixed(3),
    }));
  };
  const word = (side, at, x, y, anchor) => {
    const current = lit && lit[side] === at;
    const node = draw("text", {
      x: x.toFixed(1), y: y.toFixed(1), "font-size": FLOW, "text-anchor": anchor, "font-weight": current ? 700 : 400,
      fill: current ? colour(side === "q" ? "query" : "key") : colour("ink"),
    }, texts[side][at]);
    listening?.(node, side, at);
    nodes.push(node);
  };
  const p = (...numbers) => numbers.map((number) => number.toFixed(1)).join(" ");
  if (widest <= wide - 28) {
    const [high, low] = [22, 22 + gap + 22];
    const place = (side, at) => 14 + lines[side].places[at] + (widest - lines[side].extent) / 2;
    for (const link of drawn) {
      const [x, to, bend] = [place("k", link.k), place("q", link.q), gap * 0.52];
      curve(link, `M${p(x, high + 8)}C${p(x, high + bend, to, low - 17 - bend, to, low - 17)}`);
    }
    texts.k.forEach((_, at) => word("k", at, place("k", at), high, "middle"));
    texts.q.forEach((_, at) => word("q", at, place("q", at), low, "middle"));
    return { nodes, width: widest + 28, height: low + 14 };
  }
  const line = 24;
  const room = (side) => Math.max(...texts[side].map((label) => widthOf(label, FLOW)));
  const [left, right] = [room("k") + 16, room("q") + 16];
  const between = Math.max(Math.min(wide - left - right, 320), 90);
  const tall = Math.max(texts.k.length, texts.q.length) * line;
  const place = (side, at) => 8 + (at + 0.5) * line + (tall - texts[side].length * line) / 2;
  for (const link of drawn) {
    const [y, to, half] = [place("k", link.k), place("q", link.q), left + between / 2];
    curve(link, `M${p(left, y)}C${p(half, y, half, to, left + between, to)}`);
  }
  texts.k.forEach((_, at) => word("k", at, left - 8, place("k", at) + 5, "end"));
  texts.q.forEach((_, at) => word("q", at, left + between + 8, place("q", at) + 5, "start"));
  return { nodes, width: left + between + right, height: tall + 16 };
};

const LEAPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -Infinity], End: [0, Infinity], PageUp: [-10, 0], PageDown: [10, 0] };

/** A scene is { name, rows, columns, values, masked?, signed?, low?, high?, axes?, digits? }; values lie row by row. */
export class Stage {
  constructor({ onlook = () => {}, tallest = 640 } = {}) {
    Object.assign(this, { onlook, tallest, scene: null, view: "heatmap", share: 0.9, cursor: null, lock: null });
    this.canvas = el("canvas");
    this.cells = el("canvas");
    this.picture = draw("svg", { "aria-hidden": "true" });
    this.table = el("table");
    this.node = el("div", { class: "stage", tabindex: "0", role: "application" });
    this.redraw = nextFrame(() => this.draw());
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("pointermove", (event) => event.pointerType === "mouse" && !this.lock && this.point(this.under(event)));
    this.canvas.addEventListener("click", (event) => this.lockAt(this.under(event)));
    new ResizeObserver(() => this.redraw()).observe(this.node);
  }

  show(scene, about = {}) {
    const same = this.scene && String(this.scene.rows) === String(scene.rows) && String(this.scene.columns) === String(scene.columns);
    if (!same) this.cursor = this.lock = null;
    Object.assign(this, { scene: { low: 0, high: 1, signed: false, digits: 3, ...scene }, ...about });
    this.node.setAttribute("aria-label", say("stageHelp", scene.name));
    this.redraw();
  }

  /** The cell looked at: the locked one, else the one pointed to, else the first; without a key, the strongest. */
  looked() {
    const { rows, columns, values } = this.scene;
    const place = this.lock ?? this.cursor ?? { q: 0, k: null };
    const q = Math.min(place.q, rows.length - 1);
    if (place.k !== null && place.k < columns.length) return { q, k: place.k };
    const row = Array.from(values.subarray(q * columns.length, (q + 1) * columns.length), Math.abs);
    return { q, k: row.indexOf(Math.max(...row)) };
  }

  text(q, k) {
    const at = q * this.scene.columns.length + k;
    return this.scene.masked?.[at] ? say("masked") : written(this.scene.values[at], this.scene.digits);
  }
  reading({ q, k }) {
    return say("reads", this.scene.rows[q], this.scene.columns[k], this.text(q, k));
  }

  point(place) {
    if (!place) return;
    this.cursor = place;
    this.redraw();
  }
  lockAt(place) {
    if (!place) return;
    const freed = this.lock?.q === place.q && this.lock?.k === place.k;
    this.lock = freed ? null : place;
    this.cursor = place;
    announce(freed ? say("freed") : say("nowLocked", this.reading(this.looked())));
    this.redraw();
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.scene) return;
    const { q, k } = this.looked();
    const between = (value, count) => Math.min(Math.max(value, 0), count - 1);
    if (event.key in LEAPS) {
      const [down, across] = LEAPS[event.key];
      const place = { q: between(q + down, this.scene.rows.length), k: between(k + across, this.scene.columns.length) };
      this.cursor = place;
      if (this.lock) this.lock = place;
      announce(this.reading(place));
      this.redraw();
    } else if (event.key === "Enter" || event.key === " ") this.lockAt({ q, k });
    else if (event.key === "Escape" && this.lock) {
      this.lock = null;
      announce(say("freed"));
      this.redraw();
    } else return;
    event.preventDefault();
  }
  under(event) {
    const frame = this.canvas.getBoundingClientRect();
    const k = Math.floor((event.clientX - frame.left - this.plan.left) / this.plan.cell);
    const q = Math.floor((event.clientY - frame.top - this.plan.top) / this.plan.cell);
    const { rows, columns } = this.scene;
    if (q < 0 || q >= rows.length || k >= columns.length) return null;
    return { q, k: k < 0 ? null : k };
  }

  draw() {
    if (!this.scene || !this.node.clientWidth || !this.scene.rows.length) return;
    const host = { heatmap: this.canvas, flow: this.picture, table: this.table }[this.view];
    if (this.node.firstChild !== host) this.node.replaceChildren(host);
    if (this.view === "heatmap") this.drawHeatmap();
    else if (this.view === "flow") this.drawFlow();
    else this.drawTable();
    this.onlook(this.looked(), this);
  }

  drawFlow() {
    const listening = (node, side, at) => {
      const place = () => (side === "q" ? { q: at, k: null } : { q: this.looked().q, k: at });
      node.setAttribute("class", "word");
      node.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && !this.lock && this.point(place()));
      node.addEventListener("click", () => this.lockAt(place()));
    };
    const lit = this.lock || this.cursor ? this.looked() : null;
    const { nodes, width, height } = flowNodes(this.scene, { wide: this.node.clientWidth, share: this.share, lit, listening, gap: 190 });
    for (const [name, value] of [["width", Math.ceil(width)], ["height", Math.ceil(height)], ["font-family", letters()]]) this.picture.setAttribute(name, value);
    this.picture.replaceChildren(...nodes);
  }

  drawTable() {
    const { q } = this.looked();
    const { rows, columns, values } = this.scene;
    const order = columns.map((_, at) => at).sort((a, b) => Math.abs(values[q * columns.length + b]) - Math.abs(values[q * columns.length + a]) || a - b);
    this.table.replaceChildren(
      el("caption", { text: `${rows[q]} →` }),
      el("tbody", {}, ...order.map((k) => el("tr", {}, el("th", { scope: "row" }, el("bdi", { text: columns[k] })), el("td", { text: this.text(q, k) })))),
    );
  }

  drawHeatmap() {
    const { scene } = this;
    const [rows, columns] = [scene.rows.length, scene.columns.length];
    this.plan = fit(scene, this.node.clientWidth, Math.max(Math.min(innerHeight * 0.66, this.tallest), 260));
    const { cell, left, top, right, size, every, slant, rowTexts, columnTexts, axes } = this.plan;
    const kept = this.share < 1 && this.cut ? keep(scene.values, columns, this.share) : null;
    paint(this.cells, { ...scene, width: columns, kept });
    const [wide, tall, dense] = [left + columns * cell + right, top + rows * cell + 4, devicePixelRatio || 1];
    Object.assign(this.canvas, { width: Math.round(wide * dense), height: Math.round(tall * dense) });
    Object.assign(this.canvas.style, { width: `${wide}px`, height: `${tall}px` });
    Object.assign(this.canvas.dataset, { left, top, cell });
    const context = this.canvas.getContext("2d");
    context.setTransform(dense, 0, 0, dense, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.cells, left, top, columns * cell, rows * cell);
    context.fillStyle = colour("paper");
    if (cell >= AIR) {
      for (let column = 1; column <= columns; column++) context.fillRect(left + column * cell - 1, top, 1, rows * cell);
      for (let row = 1; row <= rows; row++) context.fillRect(left, top + row * cell - 1, columns * cell, 1);
    }
    const font = (points, weight = 400) => (context.font = `${weight} ${points}px ${letters()}`);
    context.textBaseline = "middle";
    if (cell >= NUMBERED) {
      font(11);
      context.textAlign = "center";
      scene.values.forEach((value, at) => {
        if (scene.masked?.[at] || (kept && !kept[at]) || Math.abs(value) < 0.005) return;
        context.fillStyle = inkOn(shade(value, scene));
        context.fillText(written(value, 2).replace(/^(−?)0\./, "$1."), left + ((at % columns) + 0.5) * cell - 0.5, top + (Math.floor(at / columns) + 0.5) * cell);
      });
    }
    const { q, k } = this.looked();
    const outline = (x, y, w, h, name, thick) => {
      context.strokeStyle = colour(name);
      context.lineWidth = thick;
      context.strokeRect(x - 0.5, y - 0.5, w, h);
    };
    const locked = this.lock ? 2 : 1;
    outline(left, top + q * cell, columns * cell, cell, "query", locked);
    outline(left + k * cell, top, cell, rows * cell, "key", 1);
    outline(left + k * cell, top + q * cell, cell, cell, "ink", 2);
    font(11);
    context.textAlign = "end";
    context.globalAlpha = 0.75;
    context.fillStyle = colour("ink");
    axes.forEach((axis, at) => context.fillText(axis, left - 8, top - 12 - (1 - at) * 15));
    context.globalAlpha = 1;
    rowTexts.forEach((text, row) => {
      if (row % every && row !== q) return;
      font(size, row === q ? 700 : 400);
      context.fillStyle = colour(row === q ? "query" : "ink");
      context.fillText(text, left - 8, top + (row + 0.5) * cell);
    });
    columnTexts.forEach((text, column) => {
      if (column % every && column !== k) return;
      font(size, column === k ? 700 : 400);
      context.fillStyle = colour(column === k ? "key" : "ink");
      context.save();
      context.translate(left + (column + 0.5) * cell, top - 8);
      if (slant) context.rotate((-slant * Math.PI) / 180);
      context.textAlign = slant ? "start" : "center";
      context.fillText(text, slant ? 2 : 0, slant ? 0 : -size / 2);
      context.restore();
    });
  }

  /** The view as an SVG of its own, with its name above. */
  figure(notes = "") {
    const inside = this.view === "flow" ? flowNodes(this.scene, { wide: 900, share: this.share, gap: 190 }) : heatmapNodes(this.scene, this.share < 1 && this.cut ? keep(this.scene.values, this.scene.columns.length, this.share) : null);
    const wide = Math.ceil(Math.max(inside.width, widthOf(this.scene.name, 16), widthOf(notes, 11)) + 40);
    const tall = Math.ceil(inside.height + 84);
    return draw("svg", { xmlns: SVG, width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}`, "font-family": letters() },
      draw("title", {}, this.scene.name),
      draw("rect", { width: wide, height: tall, fill: colour("paper") }),
      draw("text", { x: 20, y: 30, "font-size": 15, "font-weight": 600, fill: colour("ink") }, this.scene.name),
      draw("text", { x: 20, y: 49, "font-size": 11, fill: colour("faint") }, notes),
      draw("g", { transform: "translate(20 62)" }, ...inside.nodes));
  }
}
