// Seconds per fold, fastest method first.

import { gutter, letters } from "./axes.js";
import { chart, choice } from "./chart.js";
import { summary } from "./data.js";
import { body, el, hint, soft, svg } from "./dom.js";
import { bdi, methodName, shown } from "./names.js";
import { seconds } from "./numbers.js";
import { hints } from "./tip.js";

const ROW = 28;
const ROOM = 64; // for the seconds behind a bar
const PARTS = [
  ["select", "selecting", "fill-third"],
  ["train", "training", "fill-more"],
  ["test", "testing", "fill-less"],
];

const totalOf = (time) => time.select + time.train + time.test;
const partsWithTime = () => PARTS.filter(([key]) => summary.results.times.some((time) => time[key] > 0));

export function drawTimes() {
  const { datasets, times } = summary.results;
  const box = body("timings");
  const timed = datasets.filter((name) => times.some((time) => time.dataset === name));
  let dataset = timed[0];
  const plot = chart((width) => timeBars(width, dataset));
  box.append(
    hint(
      "Mean seconds per fold. Folds are solved together where the engine allows, so each is given its equal",
      "share.",
    ),
  );
  if (timed.length > 1) {
    const change = (value) => {
      dataset = value;
      plot.redraw();
    };
    const options = timed.map((name) => [name, shown(name)]);
    box.append(el("div", { class: "controls" }, choice("Data set", options, change, dataset)));
  }
  box.append(timeLegend(), plot);
}

function timeLegend() {
  const entries = partsWithTime().map(([, word, style]) => {
    const patch = svg("rect", { class: style, width: 14, height: 12, rx: 2 });
    return el("span", {}, svg("svg", { width: 14, height: 12, "aria-hidden": "true" }, patch), word);
  });
  return el("div", { class: "legend" }, ...entries);
}

function timeBars(width, dataset) {
  const times = summary.results.times.filter((time) => time.dataset === dataset);
  times.sort((a, b) => totalOf(a) - totalOf(b));
  const left = gutter(
    width,
    times.map((time) => shown(time.method)),
  );
  const most = Math.max(...times.map(totalOf)) || 1;
  const scale = (width - left - ROOM) / most;
  const words = times.map((time) => `${methodName(time.method)} ${seconds(totalOf(time))}`);
  const label = `Seconds per fold: ${words.join(", ")}`;
  const root = svg("svg", { width, height: ROW * times.length + 6, role: "img", "aria-label": label });
  times.forEach((time, i) => {
    const group = timeBar(time, { y: 4 + i * ROW, left, scale, width });
    root.append(hints(group, () => timeInWords(time)));
  });
  return root;
}

function timeBar(time, { y, left, scale, width }) {
  const group = svg(
    "g",
    {},
    svg("rect", { class: "hit", x: 0, y, width, height: ROW }),
    svg("text", { x: left - 8, y: y + 16, "text-anchor": "end", text: methodName(time.method, letters(left)) }),
  );
  let x = left;
  for (const [key, , style] of partsWithTime()) {
    const length = time[key] * scale;
    if (length > 0) group.append(svg("rect", { class: style, x, y: y + 4, width: Math.max(length, 0.5), height: 16 }));
    x += length;
  }
  group.append(soft({ x: x + 6, y: y + 16, text: seconds(totalOf(time)) }));
  return group;
}

function timeInWords(time) {
  const lines = partsWithTime().map(([key, word]) => el("div", { text: `${word} ${seconds(time[key])}` }));
  return [el("b", {}, bdi(shown(time.method), 60)), ...lines];
}
