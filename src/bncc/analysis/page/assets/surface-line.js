// Scores over sigma or C alone as a line.

import { digitsOf, padded, ticks } from "./axes.js";
import { el, middle, soft, svg } from "./dom.js";
import { compact, fixed } from "./numbers.js";
import { axisText, bestCell } from "./surface-grid.js";
import { hints } from "./tip.js";

const HEIGHT = 260;
const LEFT = 60;
const BOTTOM = HEIGHT - 42;
const TOP = 12;

export function surfaceLine(width, surface) {
  const alongC = surface.sigmas.length === 1;
  const points = pointsOf(surface, alongC);
  const right = width - 16;
  const [low, high] = padded(
    points.map((point) => point.score),
    0.08,
  );
  const first = Math.log2(points[0].at);
  const span = Math.log2(points[points.length - 1].at) - first || 1;
  const x = (at) => LEFT + 12 + ((Math.log2(at) - first) / span) * (right - LEFT - 24);
  const y = (score) => BOTTOM - ((score - low) / (high - low)) * (BOTTOM - TOP);
  const label = `Sensitivity of ${surface.metric} to ${alongC ? "C" : "sigma"}`;
  const root = svg("svg", { width, height: HEIGHT, role: "img", "aria-label": label });
  drawGrid(root, ticks(low, high, 8), y, right);
  const line = points.map((point) => `${x(point.at)} ${y(point.score)}`).join(" L");
  root.append(svg("path", { class: "line", d: `M${line}` }));
  const best = bestCell(surface).value;
  const every = Math.ceil((points.length * 30) / (right - LEFT));
  const axis = points.map((point) => point.at);
  points.forEach((point, i) => {
    const below = { x: x(point.at), y: BOTTOM + 20, "text-anchor": "middle" };
    if (i % every === 0) root.append(axisText(axis, i, below));
    root.append(drawPoint(point, x(point.at), y(point.score), { best, name: alongC ? "C" : "σ" }));
  });
  root.append(svg("line", { class: "axis", x1: LEFT, x2: right, y1: BOTTOM, y2: BOTTOM }));
  root.append(middle({ x: (LEFT + right) / 2, y: HEIGHT - 4, text: alongC ? "C" : "σ" }));
  return root;
}

function pointsOf(surface, alongC) {
  const axis = alongC ? surface.Cs : surface.sigmas;
  const scores = alongC ? surface.values.map((row) => row[0]) : surface.values[0];
  return axis.map((at, i) => ({ at, score: scores[i] })).filter((point) => point.score !== null);
}

function drawGrid(root, marks, y, right) {
  for (const tick of marks) {
    root.append(svg("line", { class: "grid", x1: LEFT, x2: right, y1: y(tick), y2: y(tick) }));
    const text = fixed(tick, digitsOf(marks));
    root.append(soft({ x: LEFT - 8, y: y(tick) + 4, "text-anchor": "end", text }));
  }
}

function drawPoint({ at, score }, cx, cy, { best, name }) {
  const isBest = score === best;
  const circle = svg("circle", { class: isBest ? "dot" : "mean", cx, cy, r: isBest ? 6 : 4 });
  return hints(circle, () => [el("b", { text: fixed(score, 4) }), el("div", { text: `${name} = ${compact(at)}` })]);
}
