// The heat map on its canvas: names, cells, signs or figures in them, the cursor, and the ramp of its colours.

import { blend, inkUpon, themeColours } from "./colours.js";
import { css } from "./dom.js";
import { isEdge } from "./heatmap-cells.js";
import { cut, names } from "./names.js";
import { signed } from "./numbers.js";

const FONT = "12px system-ui, sans-serif";
const LONGEST = 18; // letters of a name
// Sides of cells, from which on they have names beside them, figures, signs, a grid, frames of edges.
const NAMED = 11;
const FIGURED = 34;
const SIGNED = 9;
const FRAMED = 5;
const WIDEST = 56;

const rootFor = (cell) => (cell < 6 ? 3 : 2);

// How large cells are, and the margin for names, which is left out where cells are small.
export function measureMap(pen, labels, space) {
  pen.font = FONT;
  const widths = labels.map((label) => pen.measureText(cut(names[label], LONGEST)).width);
  const room = Math.ceil(Math.max(...widths)) + 10;
  const side = Math.floor((space - room) / labels.length);
  const margin = side >= NAMED ? room : 0;
  const cell = Math.max(1, Math.min(WIDEST, margin ? side : Math.floor(space / labels.length)));
  return { margin, cell, side: margin + cell * labels.length };
}

export function sizeCanvas(canvas, { cell, side }, space) {
  const scale = Math.max(1, Math.min(3, window.devicePixelRatio || 1));
  canvas.width = side * scale;
  canvas.height = side * scale;
  // Cells of a pixel or so are stretched to the space there is.
  canvas.style.width = `${cell < FRAMED ? space : side}px`;
  canvas.style.height = "auto";
  canvas.style.imageRendering = cell < FRAMED && side < space ? "pixelated" : "auto";
  return scale;
}

export function paintMap(pen, map) {
  const colours = themeColours();
  pen.font = FONT;
  pen.textBaseline = "middle";
  if (map.margin) paintNames(pen, map, colours.ink);
  for (let j = 0; j < map.labels.length; j++) {
    for (let k = 0; k < map.labels.length; k++) paintCell(pen, map, j, k, colours);
  }
  if (map.cell >= SIGNED) paintGrid(pen, map);
}

function paintNames(pen, { labels, margin, cell }, ink) {
  labels.forEach((label, i) => {
    const text = cut(names[label], LONGEST);
    const middle = margin + (i + 0.5) * cell;
    pen.fillStyle = ink;
    pen.textAlign = "right";
    pen.fillText(text, margin - 6, middle);
    pen.save();
    pen.translate(middle, margin - 6);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "left";
    pen.fillText(text, 0, 0);
    pen.restore();
  });
}

function paintCell(pen, map, j, k, colours) {
  const { labels, margin, cell } = map;
  const at = j * labels.length + k;
  const x = margin + k * cell;
  const y = margin + j * cell;
  const ground = map.sure[at] ? blend(colours, map.values[at], rootFor(cell)) : colours.base;
  const colour = j === k ? colours.line : ground;
  pen.fillStyle = `rgb(${colour})`;
  pen.fillRect(x, y, cell, cell);
  if (j !== k && (cell >= FIGURED || (cell >= SIGNED && map.sure[at]))) {
    pen.fillStyle = inkUpon(colour, 140);
    if (cell >= FIGURED) paintFigure(pen, x + cell / 2, y + cell / 2, map.values[at]);
    else if (Math.abs(map.values[at]) >= 0.005) paintSign(pen, x + cell / 2, y + cell / 2, map.values[at], cell);
  }
  if (cell >= FRAMED && isEdge(labels[j], labels[k])) {
    pen.strokeStyle = colours.ink;
    pen.lineWidth = cell > 14 ? 2 : 1;
    pen.strokeRect(x + 1, y + 1, cell - 2, cell - 2);
  }
}

function paintFigure(pen, x, y, value) {
  pen.textAlign = "center";
  pen.fillText(signed(value, 2).replace("0.", "."), x, y + 1);
}

function paintSign(pen, x, y, value, cell) {
  const half = Math.max(2, Math.round(cell * 0.22));
  const thick = cell > 18 ? 2 : 1;
  const cx = Math.round(x);
  const cy = Math.round(y);
  pen.fillRect(cx - half, cy - thick / 2, 2 * half, thick);
  if (value > 0) pen.fillRect(cx - thick / 2, cy - half, thick, 2 * half);
}

function paintGrid(pen, { labels, margin, cell }) {
  const end = margin + labels.length * cell;
  pen.strokeStyle = css("--line");
  pen.lineWidth = 1;
  pen.globalAlpha = 0.5;
  for (let at = margin; at <= end; at += cell) {
    pen.beginPath();
    pen.moveTo(at, margin);
    pen.lineTo(at, end);
    pen.moveTo(margin, at);
    pen.lineTo(end, at);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

// The picture without the cursor, and a frame around the cell [row, column].
export function paintCursor(pen, picture, { margin, cell }, [row, column]) {
  const grow = cell > 8 ? 0 : 2;
  const side = cell + 2 * grow;
  pen.save();
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.drawImage(picture, 0, 0);
  pen.restore();
  pen.strokeStyle = css("--focus");
  pen.lineWidth = cell > 8 ? 3 : 1.5;
  pen.strokeRect(margin + column * cell - grow, margin + row * cell - grow, side, side);
}

export function paintRamp(ramp, cell) {
  const pen = ramp.getContext("2d");
  const colours = themeColours();
  const half = ramp.width / 2;
  for (let x = 0; x < ramp.width; x++) {
    pen.fillStyle = `rgb(${blend(colours, (x - half) / half, rootFor(cell))})`;
    pen.fillRect(x, 0, 1, ramp.height);
  }
}
