// Scores by fold as box plots, best method first.

import { digitsOf, gutter, letters, padded, ticks } from "./axes.js";
import { summary } from "./data.js";
import { el, soft, svg } from "./dom.js";
import { isUpward } from "./metrics.js";
import { bdi, methodName, shown } from "./names.js";
import { fixed, plural } from "./numbers.js";
import { hints } from "./tip.js";

const ROW = 30;
const TOP = 6;
const HALF = 9;

export function boxPlot(width, dataset, metric) {
  const sign = isUpward(metric) ? -1 : 1;
  const boxes = summary.results.boxes
    .filter((box) => box.dataset === dataset && box.metric === metric)
    .sort((a, b) => sign * (a.mean - b.mean));
  const height = TOP + ROW * boxes.length + 30;
  const left = gutter(
    width,
    boxes.map((box) => shown(box.method)),
  );
  const right = width - 14;
  const [low, high] = padded(
    boxes.flatMap((box) => [box.low, box.high, ...box.outliers]),
    0.04,
  );
  const x = (value) => left + ((value - low) / (high - low)) * (right - left);
  const medians = boxes.map((box) => `${methodName(box.method)} median ${fixed(box.median, 3)}`);
  const label = `Box plots of ${metric}: ${medians.join(", ")}`;
  const root = svg("svg", { width, height, role: "img", "aria-label": label });
  const marks = ticks(low, high, Math.max(2, Math.floor((right - left) / 90)));
  for (const tick of marks) {
    root.append(svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: TOP, y2: height - 26 }));
    root.append(soft({ x: x(tick), y: height - 9, "text-anchor": "middle", text: fixed(tick, digitsOf(marks)) }));
  }
  boxes.forEach((box, i) => {
    const group = drawBox(box, { x, y: TOP + (i + 0.5) * ROW, left, width });
    root.append(hints(group, () => boxInWords(box)));
  });
  return root;
}

function drawBox(box, { x, y, left, width }) {
  const whiskers = `M${x(box.low)} ${y} H${x(box.lower)} M${x(box.upper)} ${y} H${x(box.high)}`;
  const ends = `M${x(box.low)} ${y - 5} v10 M${x(box.high)} ${y - 5} v10`;
  const body = { y: y - HALF, width: Math.max(1, x(box.upper) - x(box.lower)), height: 2 * HALF, rx: 2 };
  const name = methodName(box.method, letters(left));
  return svg(
    "g",
    {},
    svg("rect", { class: "hit", x: 0, y: y - ROW / 2, width, height: ROW }),
    svg("text", { x: left - 8, y: y + 4, "text-anchor": "end", text: name }),
    svg("path", { class: "whisker", d: `${whiskers} ${ends}` }),
    svg("rect", { class: "box", x: x(box.lower), ...body }),
    svg("line", { class: "median", x1: x(box.median), x2: x(box.median), y1: y - HALF, y2: y + HALF }),
    ...box.outliers.map((value) => svg("circle", { class: "outlier", cx: x(value), cy: y, r: 3 })),
    svg("path", { class: "mean", d: `M${x(box.mean)} ${y - 5} l5 5 l-5 5 l-5 -5 z` }),
  );
}

function boxInWords(box) {
  const quartiles = `quartiles ${fixed(box.lower, 4)} and ${fixed(box.upper, 4)}`;
  const lines = [
    `mean ${fixed(box.mean, 4)} ± ${fixed(box.std, 4)} over ${plural(box.n, "fold")}`,
    `median ${fixed(box.median, 4)}, ${quartiles}`,
  ];
  return [el("b", {}, bdi(shown(box.method), 60)), ...lines.map((text) => el("div", { text }))];
}
