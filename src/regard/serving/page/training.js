// Training: a run in progress, watched: loss, BLEU, a sample translation, one attention map as it sharpens.

import { ask } from "./asking.js";
import { rephrase, say, teach } from "./language.js";
import { AttentionMap, MEAN } from "./maps.js";
import { button, draw, el, field, fill, nextFrame, slide, written } from "./nodes.js";
import { plot } from "./plot.js";
import { Stage } from "./stage.js";

teach({
  running: ["running", "进行中"],
  finished: ["finished", "已完成"],
  stopped: ["stopped", "已停止"],
  runName: ["Run", "训练"],
  stepName: ["step", "步"],
  lossName: ["loss", "损失"],
  bestBleu: ["best BLEU", "最佳 BLEU"],
  perSecond: ["tokens per second", "每秒词元"],
  stateName: ["state", "状态"],
  lossChart: ["Loss", "损失"],
  bleuChart: ["BLEU on validation", "验证集 BLEU"],
  sample: ["One sentence, again and again", "同一句话，一遍又一遍"],
  given: ["given", "原文"],
  wanted: ["wanted", "期望"],
  came: ["it wrote", "它写道"],
  mapTitle: ["One attention map as it sharpens", "一幅渐渐清晰的注意力图"],
  atStep: ["Checkpoint", "检查点"],
  play: ["Play", "播放"],
  halt: ["Stop", "停止"],
  onTraining: ["training", "训练"],
  onValidation: ["validation", "验证"],
  mapName: ["Attention", "注意力"],
  noRuns: ["No run is watched. Start one with regard train, and name its folder to regard serve.", "没有正在观看的训练。用 regard train 开始一个，并把它的文件夹交给 regard serve。"],
  noLooks: ["No map has been kept yet: the first comes with the first validation.", "还没有保存注意力图：第一次验证时会有。"],
});

const EVERY = 2000;
const state = { runs: new Map(), name: null, look: null, looks: new Map(), mapName: null, head: null, follow: true, problem: "", timer: null, shown: false, playing: null };

const current = () => state.runs.get(state.name);

const runPick = el("select", { onchange: () => (Object.assign(state, { name: runPick.value, look: null, mapName: null, follow: true }), redraw()) });
const problem = el("p", { class: "problem", role: "alert" });
const facts = el("dl", { class: "facts" });
const bar = el("i");
const charts = el("div", { class: "watching" });
const samples = el("dl", { class: "samples" });
const past = el("ol", { class: "nbest" });
const stage = new Stage({ tallest: 420 });
const mapPick = el("select", { onchange: () => ((state.mapName = mapPick.value), redraw()) });
const lookSlide = slide("atStep", { min: 0, max: 0, step: 1, value: 0, write: (at) => String(current()?.looks[at] ?? "–"), change: (at) => (Object.assign(state, { look: current().looks[at], follow: at === current().looks.length - 1 }), redraw()) });
const playButton = button("play", () => play());
const lookNote = el("p", { class: "small" });
const inside = el("div");

// ---------------------------------------------------------------- asking

/** Ask for what is new since the last step seen, and add it. */
const poll = async () => {
  const after = Math.min(...[...state.runs.values()].map((run) => run.history.at(-1)?.step ?? 0), Infinity);
  try {
    const { runs } = await ask(`training?after=${Number.isFinite(after) ? after : 0}`);
    for (const told of runs) {
      const run = state.runs.get(told.name) ?? { history: [], validations: [] };
      const grown = (old, more) => [...old, ...more.filter((each) => each.step > (old.at(-1)?.step ?? -1))];
      state.runs.set(told.name, { ...told, history: grown(run.history, told.history), validations: grown(run.validations, told.validations) });
    }
    state.problem = "";
  } catch (error) {
    state.problem = error.message;
  }
  if (!state.runs.has(state.name)) state.name = ([...state.runs.values()].find((run) => run.state === "running") ?? [...state.runs.values()][0])?.name ?? null;
  redraw();
  clearTimeout(state.timer);
  if (state.shown) state.timer = setTimeout(poll, EVERY);
};
const lookAt = async (name, step) => {
  const key = `${name}/${step}`;
  if (state.looks.has(key)) return;
  state.looks.set(key, null);
  try {
    const { maps } = await ask(`training/${encodeURIComponent(name)}/looks/${step}`);
    state.looks.set(key, maps.map((told) => new AttentionMap(told)));
  } catch (error) {
    state.problem = error.message;
  }
  redraw();
};
const halt = () => {
  clearInterval(state.playing);
  state.playing = null;
  redraw();
};
/** From the first map to the last. */
const play = () => {
  if (state.playing) return halt();
  const run = current();
  let at = 0;
  for (const step of run.looks) lookAt(run.name, step);
  const turn = () => {
    if (at >= run.looks.length) return halt();
    Object.assign(state, { look: run.looks[at], follow: at === run.looks.length - 1 });
    at += 1;
    redraw();
  };
  state.playing = setInterval(turn, 600);
  turn();
};

// ---------------------------------------------------------------- drawing

const redraw = nextFrame(() => {
  problem.textContent = state.problem;
  fill(runPick, [...state.runs.keys()].map((name) => [name, name]), state.name ?? "");
  const run = current();
  inside.hidden = !run;
  none.hidden = Boolean(run) || Boolean(state.problem);
  if (!run) return;
  const last = run.history.at(-1);
  const best = run.validations.reduce((most, each) => (each.bleu !== null && each.bleu > (most ?? -1) ? each.bleu : most), null);
  const fact = (phrase, text, about = {}) => el("div", {}, el("dt", { text: say(phrase) }), el("dd", { text, ...about }));
  facts.replaceChildren(
    fact("stateName", say(run.state), { class: `state ${run.state}` }),
    fact("stepName", `${run.step} / ${run.steps}`),
    fact("lossName", last ? written(last.loss, 3) : "–"),
    fact("bestBleu", best === null ? "–" : written(best, 1)),
    fact("perSecond", last?.seconds ? Math.round(last.tokens / last.seconds).toLocaleString("en").replaceAll(",", " ") : "–"),
  );
  bar.style.width = `${Math.min((100 * run.step) / Math.max(run.steps, 1), 100)}%`;
  charts.replaceChildren(lossChart(run), bleuChart(run));
  const sample = run.validations.findLast((each) => each.translation && (state.look === null || each.step <= state.look)) ?? run.validations.findLast((each) => each.translation);
  const pair = (phrase, text) => el("div", {}, el("dt", { text: say(phrase) }), el("dd", { text }));
  samples.replaceChildren(...(sample ? [pair("given", sample.source), pair("wanted", sample.target), pair("came", sample.translation)] : []));
  const said = run.validations.filter((each) => each.translation).slice(-8);
  past.hidden = said.length < 2;
  past.replaceChildren(...said.map((each) => el("li", { class: each === sample ? "current" : "" }, el("b", { text: String(each.step) }), el("span", { text: each.translation }))));
  drawLook(run);
});

const chartCard = (title, chart, ...lines) =>
  el("figure", { class: "card" }, el("h3", { text: title }), lines.length ? el("p", { class: "lines" }, ...lines.map(([phrase, role]) => el("span", { class: role, text: say(phrase) }))) : null, chart.svg);
const lossChart = (run) => {
  const steps = Math.max(run.step, run.history.at(-1)?.step ?? 0, 1);
  const most = Math.max(...run.history.map((each) => each.loss), ...run.validations.map((each) => each.loss ?? 0), 1);
  const chart = plot({ x: [0, steps], y: [0, most * 1.05], label: say("lossChart"), xName: say("stepName") });
  chart.body.append(draw("path", { class: "line", d: chart.path(run.history.map((each) => [each.step, each.loss])) }), draw("path", { class: "line second", d: chart.path(run.validations.map((each) => [each.step, each.loss ?? NaN])) }), ...run.validations.filter((each) => each.loss !== null).map((each) => draw("circle", { class: "mark", cx: chart.sx(each.step), cy: chart.sy(each.loss), r: 4 })));
  return chartCard(say("lossChart"), chart, ["onTraining", "first"], ["onValidation", "second"]);
};
const bleuChart = (run) => {
  const chart = plot({ x: [0, Math.max(run.step, 1)], y: [0, 100], label: say("bleuChart"), xName: say("stepName") });
  const known = run.validations.filter((each) => each.bleu !== null);
  chart.body.append(draw("path", { class: "line", d: chart.path(known.map((each) => [each.step, each.bleu])) }), ...known.map((each) => draw("circle", { class: "mark", cx: chart.sx(each.step), cy: chart.sy(each.bleu), r: each.is_best ? 5 : 3 })));
  return chartCard(say("bleuChart"), chart);
};

const drawLook = (run) => {
  const has = run.looks.length > 0;
  lookNote.textContent = has ? "" : say("noLooks");
  for (const node of [lookSlide.label, playButton, mapPick.parentElement, stage.node]) node.hidden = !has;
  if (!has) return;
  if (state.follow || !run.looks.includes(state.look)) state.look = run.looks.at(-1);
  lookSlide.input.max = String(run.looks.length - 1);
  lookSlide.set(run.looks.indexOf(state.look));
  playButton.dataset.say = state.playing ? "halt" : "play";
  rephrase(playButton);
  const maps = state.looks.get(`${run.name}/${state.look}`);
  if (!maps) return void lookAt(run.name, state.look);
  const map = maps.find((each) => each.name === state.mapName) ?? maps.findLast((each) => each.kind === "cross") ?? maps[0];
  state.mapName = map.name;
  fill(mapPick, maps.map((each) => [each.name, each.name]), map.name);
  const sharpest = map.measures.reduce((best, each, at) => ((each.sharpness ?? 0) > (map.measures[best].sharpness ?? 0) ? at : best), 0);
  const head = map.heads.length > 1 ? MEAN : sharpest;
  stage.show({ ...map.scene(head, `${map.name}, ${say("stepName")} ${state.look}`), axes: map.axes.map((axis) => say(axis)) });
};

const none = el("p", { class: "lead", say: "noRuns", hidden: true });
inside.append(facts, el("div", { class: "progress", "aria-hidden": "true" }, bar), charts,
  el("div", { class: "watching" },
    el("section", { class: "card" }, el("h3", { say: "sample" }), samples, past),
    el("section", { class: "card" }, el("h3", { say: "mapTitle" }), el("div", { class: "controls" }, field("mapName", mapPick), lookSlide.label, playButton), lookNote, stage.node)));

export const tab = {
  name: "training",
  build: () => el("div", {}, el("div", { class: "controls" }, field("runName", runPick)), problem, none, inside),
  show: () => {
    state.shown = true;
    poll();
  },
  hide: () => {
    state.shown = false;
    clearTimeout(state.timer);
    if (state.playing) halt();
  },
  redraw,
};
