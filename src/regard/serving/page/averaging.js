// The first two rungs: an average that asks nothing, and an average that asks how near.

import { attend, dice, KERNEL_NAMES, SCORES } from "./attending.js";
import { tint } from "./colours.js";
import { either, say, teach } from "./language.js";
import { button, draw, el, field, fill, nextFrame, refill, slide, written } from "./nodes.js";
import { movable, plot } from "./plot.js";

teach({
  bandwidth: ["Bandwidth", "带宽"],
  kernel: ["Kernel", "核"],
  gaussian: ["Gaussian", "高斯"],
  boxcar: ["boxcar", "矩形"],
  triangular: ["triangular", "三角"],
  epanechnikov: ["Epanechnikov", "Epanechnikov"],
  uniform: ["uniform (average pooling)", "均匀（平均汇聚）"],
  theQuestion: ["The question x", "提问 x"],
  pointN: ["point {0}", "点 {0}"],
  otherPoints: ["Other points", "换一组点"],
  valueN: ["value {0}", "值 {0}"],
  askFor: ["Ask about", "提问"],
  fitLine: ["the answer at every x", "每个 x 处的回答"],
  truthLine: ["what the points were drawn from", "生成这些点的曲线"],
  reachHill: ["how much a point there would count", "那里的点有多大分量"],
  weightsOf: ["The weight of each point", "每个点的权重"],
});

// ---------------------------------------------------------------- 1 average pooling

export const pooling = () => {
  const words = () => either(["the", "cat", "sleeps", "on", "the", "mat"], ["猫", "在", "垫子", "上", "睡觉", "。"]);
  const values = [0.2, 1.6, 1.1, 0.4, 0.2, 1.3];
  let asked = 1;
  const chart = plot({ wide: 640, tall: 300, x: [0.4, values.length + 0.6], y: [0, 2], label: "" });
  chart.svg.querySelectorAll(".grid text").forEach((node) => Number(node.getAttribute("y")) > 270 && node.remove());
  const half = Math.min(26, 0.4 * (chart.sx(2) - chart.sx(1)));
  const bars = values.map((_, at) => draw("rect", { class: "bar", x: chart.sx(at + 1) - half, width: 2 * half, rx: 3 }));
  const grips = values.map(() => draw("circle", { class: "point lit", r: 9 }));
  const names = values.map((_, at) => draw("text", { class: "name", x: chart.sx(at + 1), y: chart.sy(0) + 18, "text-anchor": "middle" }));
  const mean = draw("line", { class: "answer", x1: chart.sx(0.4), x2: chart.sx(values.length + 0.6) });
  const meanText = draw("text", { class: "answer-text", x: chart.sx(0.4) + 6 });
  chart.body.append(...bars, mean, meanText, ...grips, ...names);
  const ask = el("div", { class: "tokens", role: "group", label: "askFor" });
  const line = el("p", { class: "telling", role: "status" });
  const redraw = nextFrame(() => {
    const output = values.reduce((sum, each) => sum + each, 0) / values.length;
    values.forEach((value, at) => {
      bars[at].setAttribute("y", chart.sy(value));
      bars[at].setAttribute("height", chart.sy(0) - chart.sy(value));
      bars[at].classList.toggle("lit", at === asked);
      grips[at].setAttribute("cx", chart.sx(at + 1));
      grips[at].setAttribute("cy", chart.sy(value));
      names[at].textContent = words()[at];
    });
    for (const end of ["y1", "y2"]) mean.setAttribute(end, chart.sy(output));
    meanText.setAttribute("y", chart.sy(output) - 7);
    meanText.textContent = `${written(output, 3)}`;
    refill(ask, words().map((word, at) => el("button", { type: "button", "aria-pressed": String(at === asked), text: word, onclick: () => ((asked = at), redraw()) })));
    line.textContent = either(
      `You ask about “${words()[asked]}”: the answer is ${written(output, 3)}. Ask about another word: it is ${written(output, 3)} again. Each weighs 1/${values.length}.`,
      `你问“${words()[asked]}”：回答是 ${written(output, 3)}。换一个词来问：仍是 ${written(output, 3)}。每个词的权重都是 1/${values.length}。`,
    );
  });
  values.forEach((_, at) => movable(grips[at], chart, { at: () => [at + 1, values[at]], move: (_, to) => ((values[at] = to), redraw()), steps: [0, 0.1], name: say("valueN", at + 1), tell: () => written(values[at], 2) }));
  redraw();
  return { node: el("div", { class: "figure" }, el("div", { class: "field" }, el("span", { say: "askFor" }), ask), chart.svg, line), redraw };
};

// ---------------------------------------------------------------- 2 Nadaraya–Watson

const COUNT = 14;
const truth = (x) => 2 * Math.sin(x) + x ** 0.8;

export const kernelRegression = () => {
  const state = { x: 2.5, bandwidth: 0.5, kernel: "gaussian", seed: 7, points: [] };
  const sample = () => {
    const roll = dice(state.seed);
    state.points = Array.from({ length: COUNT }, (_, at) => {
      const x = ((at + 0.15 + 0.7 * roll()) * 5) / COUNT;
      return [x, Math.min(Math.max(truth(x) + 0.9 * (roll() + roll() - 1), -0.9), 5.4)];
    });
  };
  sample();
  const chart = plot({ wide: 680, tall: 360, x: [0, 5], y: [-1, 5.5], label: "", xName: "x", yName: "y" });
  const [fit, real] = [draw("path", { class: "answer" }), draw("path", { class: "truth" })];
  const reach = draw("path", { class: "reach" });
  const line = draw("line", { class: "query", y1: chart.sy(-1), y2: chart.sy(5.5) });
  const answer = draw("circle", { class: "answer-point", r: 7 });
  const grip = draw("circle", { class: "query-point", r: 9, cy: chart.sy(-1) });
  const dots = Array.from({ length: COUNT }, () => draw("circle", { class: "point" }));
  chart.body.append(reach, real, fit, line, ...dots, answer, grip);
  const weights = el("div", { class: "weights", "aria-hidden": "true" });
  const telling = el("p", { class: "telling", role: "status" });
  const score = (query, key) => SCORES[state.kernel]([query], [key], { bandwidth: state.bandwidth });
  const at = (x) => attend([[x]], state.points.map(([key]) => [key]), state.points.map(([, y]) => [y]), { score: state.kernel, bandwidth: state.bandwidth })[0];
  const shows = [];
  const redraw = nextFrame(() => {
    const { weights: found, output, sum } = at(state.x);
    const curve = Array.from({ length: 201 }, (_, step) => step / 40).map((x) => {
      const step = at(x);
      return [x, step.sum > 0 ? step.output[0] : NaN];
    });
    fit.setAttribute("d", curveOf(curve));
    real.setAttribute("d", chart.path(Array.from({ length: 101 }, (_, step) => [step / 20, truth(step / 20)])));
    const bell = Array.from({ length: 161 }, (_, step) => (step / 160) * 5).map((x) => [x, -1 + 1.6 * Math.exp(score(state.x, x))]);
    reach.setAttribute("d", `${chart.path(bell)}L${chart.sx(5)} ${chart.sy(-1)}L${chart.sx(0)} ${chart.sy(-1)}Z`);
    for (const end of ["x1", "x2"]) line.setAttribute(end, chart.sx(state.x));
    grip.setAttribute("cx", chart.sx(state.x));
    answer.setAttribute("cx", chart.sx(state.x));
    answer.setAttribute("cy", chart.sy(output[0]));
    answer.setAttribute("visibility", sum > 0 ? "visible" : "hidden");
    state.points.forEach(([x, y], number) => {
      dots[number].setAttribute("cx", chart.sx(x));
      dots[number].setAttribute("cy", chart.sy(y));
      dots[number].setAttribute("r", (5 + 9 * Math.sqrt(found[number])).toFixed(1));
      dots[number].classList.toggle("lit", found[number] > 0.02);
    });
    weights.replaceChildren(...found.map((weight) => tint(el("span", { text: weight >= 0.005 ? written(weight, 2).replace("0.", ".") : "" }), weight)));
    telling.textContent = sum > 0
      ? either(`At x = ${written(state.x, 2)} the answer is ${written(output[0], 2)}: ${found.filter((w) => w > 0.01).length} of ${COUNT} points have a say.`, `在 x = ${written(state.x, 2)} 处回答是 ${written(output[0], 2)}：${COUNT} 个点中有 ${found.filter((w) => w > 0.01).length} 个说得上话。`)
      : either("No point lies within reach: silence. Widen the bandwidth.", "够得着的范围里没有点：一片寂静。把带宽调大些。");
    for (const show of shows) show();
  });
  const curveOf = (curve) => {
    let path = "";
    let pen = false;
    for (const [x, y] of curve) {
      if (Number.isFinite(y)) path += `${pen ? "L" : "M"}${chart.sx(x).toFixed(1)} ${chart.sy(y).toFixed(1)}`;
      pen = Number.isFinite(y);
    }
    return path;
  };
  shows.push(movable(grip, chart, { at: () => [state.x, 0], move: (x) => ((state.x = x), redraw()), steps: [0.05, 0], name: say("theQuestion"), tell: () => `x = ${written(state.x, 2)}` }));
  dots.forEach((dot, number) =>
    shows.push(movable(dot, chart, { at: () => state.points[number], move: (x, y) => ((state.points[number] = [x, y]), redraw()), steps: [0.05, 0.1], name: say("pointN", number + 1), tell: () => state.points[number].map((each) => written(each, 2)).join(", ") })));
  const wide = slide("bandwidth", { min: 0.05, max: 2.5, step: 0.05, value: state.bandwidth, write: (value) => written(value, 2), change: (value) => ((state.bandwidth = value), redraw()) });
  const pick = el("select", { onchange: () => ((state.kernel = pick.value), redraw()) });
  const again = button("otherPoints", () => ((state.seed += 1), sample(), redraw()));
  redraw();
  return {
    node: el("div", { class: "figure" }, el("div", { class: "controls" }, wide.label, field("kernel", pick), again), chart.svg,
      el("p", { class: "lines" }, ...[["fitLine", "fit"], ["truthLine", "dashed"], ["reachHill", "hill"]].map(([phrase, role]) => el("span", { class: role, say: phrase }))),
      el("p", { class: "small", say: "weightsOf" }), weights, telling),
    redraw: () => (fill(pick, [...KERNEL_NAMES, "uniform"].map((name) => [name, say(name)]), state.kernel), redraw()),
  };
};
