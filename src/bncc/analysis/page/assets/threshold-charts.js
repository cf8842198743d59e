// The curves of a label: precision against recall, and all three figures against the threshold, with a mark to drag.

import { svg } from "./dom.js";
import { cut, names } from "./names.js";
import { fixed } from "./numbers.js";
import { pathOf, plotArea } from "./plot-area.js";
import { curveOf, figuresAt, moveTo, positionOf } from "./thresholds-data.js";

const HEIGHT = 290;
const REACH = 24; // half the width of what can be dragged

const all = (label) => curveOf(label).thresholds.map((_, position) => figuresAt(label, position));

export function precisionRecallChart(width, label) {
  const figures = all(label);
  const words = `Precision against recall of ${cut(names[label], 80)}; drag or use the slider to move the threshold`;
  const titles = { xTitle: "recall", yTitle: "precision", label: words };
  const area = plotArea(width, HEIGHT, titles);
  const points = figures.map(({ recall, precision }) => at(area, recall, precision));
  area.root.append(svg("path", { class: "line", d: pathOf(points) }));
  const share = curveOf(label).support / (curveOf(label).support + curveOf(label).fp.at(-1));
  area.root.append(svg("path", { class: "chance", d: pathOf([at(area, 0, share), at(area, 1, share)]) }));
  const now = figures[positionOf(label)];
  const [cx, cy] = at(area, now.recall ?? 0, now.precision ?? 1);
  area.root.append(svg("circle", { class: "handle", cx, cy, r: 8 }));
  drag(area.root, (px, py) => nearest(points, px, py), label);
  return area.root;
}

export function thresholdChart(width, label) {
  const { thresholds } = curveOf(label);
  const figures = all(label);
  const words = `Precision, recall and F1 of ${cut(names[label], 80)} by threshold; drag or use the slider to move it`;
  const across = [thresholds.at(-1), thresholds[0]];
  const area = plotArea(width, HEIGHT, { across, xTitle: "threshold", yTitle: "", label: words });
  for (const [key, style] of [
    ["precision", "line-precision"],
    ["recall", "line-recall"],
    ["f1", "line"],
  ]) {
    const points = figures.map((each, i) => at(area, thresholds[i], each[key]));
    area.root.append(svg("path", { class: style, d: pathOf(points) }));
  }
  const position = positionOf(label);
  const x = area.x(thresholds[position]);
  const f1 = figures[position].f1;
  area.root.append(
    svg("line", { class: "handle-line", x1: x, x2: x, y1: area.top, y2: area.bottom }),
    svg("circle", { class: "handle", cx: x, cy: area.y(f1 ?? 0), r: 8 }),
    svg("rect", { class: "hit", x: x - REACH, width: 2 * REACH, y: area.top, height: area.bottom - area.top }),
  );
  const centres = thresholds.map((value) => area.x(value));
  drag(
    area.root,
    (px) =>
      nearest(
        centres.map((centre) => [centre, 0]),
        px,
        0,
      ),
    label,
  );
  return area.root;
}

const at = (area, x, y) => [x === null ? null : area.x(x), y === null ? null : area.y(y)];

// The position whose point is nearest to the pointer; the first of ties.
function nearest(points, px, py) {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  points.forEach(([x, y], i) => {
    if (x === null || y === null) return;
    const distance = (x - px) ** 2 + (y - py) ** 2;
    if (distance < least) [best, least] = [i, distance];
  });
  return best;
}

// While the button is held the chart is drawn again and again, so the page is watched instead of it.
function drag(root, positionAt, label) {
  root.classList.add("draggable");
  root.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const box = root.getBoundingClientRect();
    const scale = Number(root.getAttribute("width")) / box.width;
    const follow = (moved) =>
      moveTo(label, positionAt((moved.clientX - box.x) * scale, (moved.clientY - box.y) * scale));
    const stop = () => {
      document.removeEventListener("pointermove", follow);
      document.removeEventListener("pointerup", stop);
      document.removeEventListener("pointercancel", stop);
    };
    document.addEventListener("pointermove", follow);
    document.addEventListener("pointerup", stop);
    document.addEventListener("pointercancel", stop);
    follow(event);
  });
}

export const thresholdText = (label) => fixed(curveOf(label).thresholds[positionOf(label)], 3);
