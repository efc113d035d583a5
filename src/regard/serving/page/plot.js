// A small chart: axes, lines, and points that can be dragged by pointer or by arrow keys.

import { draw } from "./nodes.js";

const neat = (low, high) => {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const marks = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-6; at += step) marks.push(Math.abs(at) < step * 1e-6 ? 0 : at);
  return marks;
};
const short = (value) => String(Number(value.toPrecision(4))).replace("-", "−");

/** So wide, or as wide as a narrow screen has room for: letters and grips keep their size there. */
export const room = (wide) => Math.min(wide, Math.max(innerWidth - 76, 260));

/** A chart of a size in its own units; it scales with the room. `x` and `y` are [low, high]. */
export const plot = ({ wide: most = 640, tall = 320, x, y, label, xName = "", yName = "", edge = 44 }) => {
  const wide = room(most);
  const [left, top, right, bottom] = [edge, 14, wide - 14, tall - 34];
  const sx = (value) => left + ((value - x[0]) / (x[1] - x[0])) * (right - left);
  const sy = (value) => bottom - ((value - y[0]) / (y[1] - y[0])) * (bottom - top);
  const svg = draw("svg", { viewBox: `0 0 ${wide} ${tall}`, class: "plot", role: "group", "aria-label": label });
  const grid = draw("g", { class: "grid", "aria-hidden": "true" });
  for (const mark of neat(...y))
    grid.append(draw("line", { x1: left, x2: right, y1: sy(mark), y2: sy(mark) }), draw("text", { x: left - 8, y: sy(mark) + 4, "text-anchor": "end" }, short(mark)));
  for (const mark of neat(...x)) grid.append(draw("text", { x: sx(mark), y: bottom + 17, "text-anchor": "middle" }, short(mark)));
  grid.append(
    draw("text", { x: right, y: bottom + 31, "text-anchor": "end", class: "axis" }, xName),
    draw("text", { x: left, y: top - 3, "text-anchor": "start", class: "axis" }, yName),
  );
  const body = draw("g");
  svg.append(grid, body);
  const path = (points) => points.filter(([, b]) => Number.isFinite(b)).map(([a, b], at) => `${at ? "L" : "M"}${sx(a).toFixed(2)} ${sy(b).toFixed(2)}`).join("");
  const backX = (client) => {
    const frame = svg.getBoundingClientRect();
    return x[0] + ((((client - frame.left) / frame.width) * wide - left) / (right - left)) * (x[1] - x[0]);
  };
  const backY = (client) => {
    const frame = svg.getBoundingClientRect();
    return y[0] + ((bottom - ((client - frame.top) / frame.height) * tall) / (bottom - top)) * (y[1] - y[0]);
  };
  return { svg, body, sx, sy, path, backX, backY, x, y };
};

/** Make a node of a chart movable: `move(x, y)` is told where to; arrow keys go a step at a time. */
export const movable = (node, chart, { at, move, steps = [0.05, 0.05], name, tell }) => {
  const within = (value, [low, high]) => Math.min(Math.max(value, low), high);
  const go = (a, b) => {
    move(within(a, chart.x), within(b, chart.y));
    show();
  };
  const show = () => {
    const [a, b] = at();
    node.setAttribute("aria-valuenow", String(Number((steps[1] ? b : a).toFixed(3))));
    node.setAttribute("aria-valuetext", tell());
  };
  for (const [key, value] of Object.entries({ tabindex: 0, role: "slider", "aria-label": name })) node.setAttribute(key, value);
  const range = steps[1] ? chart.y : chart.x;
  node.setAttribute("aria-valuemin", range[0]);
  node.setAttribute("aria-valuemax", range[1]);
  node.classList.add("movable");
  node.addEventListener("pointerdown", (event) => {
    node.setPointerCapture(event.pointerId);
    node.focus();
    event.preventDefault();
  });
  node.addEventListener("pointermove", (event) => {
    if (!node.hasPointerCapture(event.pointerId)) return;
    go(steps[0] ? chart.backX(event.clientX) : at()[0], steps[1] ? chart.backY(event.clientY) : at()[1]);
  });
  node.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const [a, b] = at();
    const turned = steps[0] ? way : [0, way[0] + way[1]];
    go(a + turned[0] * steps[0] + (steps[1] ? 0 : turned[1] * steps[0]), b + turned[1] * steps[1]);
  });
  show();
  return show;
};
