// Scores over sigma and C as a surface seen from above its corner: sigma runs to the right, C to the left, the score
// upwards.

import { scaleColour } from "./colours.js";
import { el, svg } from "./dom.js";
import { compact, fixed } from "./numbers.js";
import { axisText, bestCell, scoreRange } from "./surface-grid.js";
import { hints } from "./tip.js";

const MOST_TEXTS = 7; // along an axis

export function surfaceHill(width, surface) {
  const height = Math.round(Math.min(380, width * 0.6));
  const range = scoreRange(surface);
  const hill = { surface, range, project: projection(width, height, surface, range) };
  const root = svg("svg", { width, height, role: "img", "aria-label": `Surface ${range.words}` });
  root.append(drawFloor(hill));
  for (const [i, j] of backToFront(surface)) {
    const face = drawFace(hill, i, j);
    if (face) root.append(face);
  }
  const best = bestCell(surface);
  const [x, y] = hill.project(best.i, best.j, best.value);
  root.append(svg("circle", { class: "mean", cx: x, cy: y, r: 5 }));
  root.append(svg("text", { class: "halo", x: x + 9, y: y - 6, text: `best ${fixed(best.value, 3)}` }));
  root.append(...axisTexts(hill));
  return root;
}

// From a place in the grid and a score to a point of the drawing.
function projection(width, height, surface, range) {
  const wide = Math.min(width * 0.42, 360);
  return (i, j, value) => {
    const right = j / (surface.sigmas.length - 1);
    const left = i / (surface.Cs.length - 1);
    const up = (2 - right - left) * height * 0.25 + range.heightOf(value) * height * 0.38;
    return [width / 2 + (right - left) * wide, height - 34 - up];
  };
}

const pathOf = (points) => `M${points.map((point) => point.map((v) => v.toFixed(1)).join(" ")).join(" L")} Z`;

function drawFloor({ surface, range, project }) {
  const [i, j] = [surface.Cs.length - 1, surface.sigmas.length - 1];
  const corners = [
    [0, 0],
    [0, j],
    [i, j],
    [i, 0],
  ];
  return svg("path", { class: "grid", d: pathOf(corners.map(([a, b]) => project(a, b, range.low))) });
}

function backToFront(surface) {
  const cells = [];
  for (let i = 0; i + 1 < surface.Cs.length; i++) {
    for (let j = 0; j + 1 < surface.sigmas.length; j++) cells.push([i, j]);
  }
  return cells.sort((a, b) => a[0] + a[1] - b[0] - b[1]);
}

function drawFace({ surface, range, project }, i, j) {
  const corners = [
    [i, j],
    [i, j + 1],
    [i + 1, j + 1],
    [i + 1, j],
  ];
  const values = corners.map(([a, b]) => surface.values[a][b]);
  if (values.includes(null)) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / 4;
  const d = pathOf(corners.map(([a, b], k) => project(a, b, values[k])));
  const face = svg("path", { class: "face", d, fill: `rgb(${scaleColour(range.goodness(mean))})` });
  return hints(face, () => faceInWords(surface, i, j, values));
}

function faceInWords(surface, i, j, values) {
  const from = (axis, at) => `from ${compact(axis[at])} to ${compact(axis[at + 1])}`;
  return [
    el("b", { text: `${fixed(Math.min(...values), 4)} to ${fixed(Math.max(...values), 4)}` }),
    el("div", { text: `σ ${from(surface.sigmas, j)}, C ${from(surface.Cs, i)}` }),
  ];
}

function axisTexts({ surface, range, project }) {
  const [i, j] = [surface.Cs.length - 1, surface.sigmas.length - 1];
  const along = (values, pointAt, anchor, dx) =>
    values.flatMap((_, k) => {
      if (k % Math.ceil(values.length / MOST_TEXTS) !== 0) return [];
      const [x, y] = pointAt(k);
      return [axisText(values, k, { x: x + dx, y: y + 16, "text-anchor": anchor })];
    });
  const sigma = project(i, j / 2, range.low);
  const C = project(i / 2, j, range.low);
  return [
    ...along(surface.sigmas, (k) => project(i, k, range.low), "end", -4),
    ...along(surface.Cs, (k) => project(k, j, range.low), "start", 4),
    svg("text", { x: sigma[0] - 34, y: sigma[1] + 26, "text-anchor": "end", text: "σ" }),
    svg("text", { x: C[0] + 34, y: C[1] + 26, text: "C" }),
  ];
}
