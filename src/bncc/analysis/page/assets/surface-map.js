// Scores over sigma and C as a map of coloured cells.

import { inkUpon, scaleColour } from "./colours.js";
import { el, middle, svg } from "./dom.js";
import { compact, fixed } from "./numbers.js";
import { axisText, bestCell, scoreRange } from "./surface-grid.js";
import { hints } from "./tip.js";

const LEFT = 56;
const BOTTOM = 44;
const FIGURED = 40; // width of a cell that has room for its score

export function surfaceMap(width, surface) {
  const rows = surface.Cs.length;
  const cellWidth = Math.min(84, (width - LEFT - 8) / surface.sigmas.length);
  const cellHeight = Math.max(20, Math.min(28, cellWidth * 0.7));
  const height = rows * cellHeight + BOTTOM + 4;
  const range = scoreRange(surface);
  const root = svg("svg", { width, height, role: "img", "aria-label": `Sensitivity ${range.words}` });
  const boxAt = (i, j) => {
    return { x: LEFT + j * cellWidth, y: 2 + (rows - 1 - i) * cellHeight, width: cellWidth, height: cellHeight };
  };
  const cells = surface.values.flatMap((row, i) => row.map((value, j) => [i, j, range.goodness(value)]));
  root.append(...cells.map(([i, j, goodness]) => drawCell(surface, i, j, boxAt(i, j), goodness)));
  const best = bestCell(surface);
  const { x, y } = boxAt(best.i, best.j);
  const frame = { x: x + 1, y: y + 1, width: cellWidth - 2, height: cellHeight - 2 };
  root.append(svg("rect", { class: "best-cell", ...frame }));
  root.append(...axisTexts(surface, boxAt, rows * cellHeight + 20));
  root.append(middle({ x: LEFT + (surface.sigmas.length * cellWidth) / 2, y: height - 4, text: "σ" }));
  root.append(svg("text", { x: 10, y: 2 + (rows * cellHeight) / 2 + 4, text: "C" }));
  return root;
}

function drawCell(surface, i, j, box, goodness) {
  const value = surface.values[i][j];
  if (value === null) return svg("rect", { class: "grid", ...box });
  const colour = scaleColour(goodness);
  const side = { width: box.width + 0.4, height: box.height + 0.4 };
  const group = svg("g", {}, svg("rect", { ...box, ...side, fill: `rgb(${colour})` }));
  if (box.width >= FIGURED) {
    const centre = { x: box.x + box.width / 2, y: box.y + box.height / 2 + 4 };
    const text = middle({ ...centre, text: fixed(value, 3).replace(/^0/, "") });
    text.style.fill = inkUpon(colour, 130);
    group.append(text);
  }
  const words = `σ = ${compact(surface.sigmas[j])}, C = ${compact(surface.Cs[i])}`;
  return hints(group, () => [el("b", { text: fixed(value, 4) }), el("div", { text: words })]);
}

function axisTexts(surface, boxAt, below) {
  const every = Math.ceil(26 / boxAt(0, 0).width);
  const across = surface.sigmas.flatMap((_, j) => {
    const { x, width } = boxAt(0, j);
    if (j % every !== 0) return [];
    return [axisText(surface.sigmas, j, { x: x + width / 2, y: below, "text-anchor": "middle" })];
  });
  const upwards = surface.Cs.map((_, i) => {
    const { y, height } = boxAt(i, 0);
    return axisText(surface.Cs, i, { x: LEFT - 8, y: y + height / 2 + 4, "text-anchor": "end" });
  });
  return [...across, ...upwards];
}
