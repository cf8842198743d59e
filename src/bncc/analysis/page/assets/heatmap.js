// Dependence of all pairs: row = child, column = parent. Blue and + for more likely, orange and − for less.

import { choice } from "./chart.js";
import { constants, summary } from "./data.js";
import { body, el, hint, onWidth, signMark } from "./dom.js";
import { cellValues, isEdge, MEASURES, shownLabels } from "./heatmap-cells.js";
import { measureMap, paintCursor, paintMap, paintRamp, sizeCanvas } from "./heatmap-paint.js";
import { bdi, names } from "./names.js";
import { fixed, plural, signed, whole } from "./numbers.js";
import { byChance, CHANCE_IN_WORDS, relation } from "./relations.js";
import { select } from "./selection.js";
import { followTheme } from "./theme.js";

const SIZES = [20, 40, 100];
const FIRST_SIZE = 40;
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export function drawHeatmap() {
  const count = summary.pairs.labels.length;
  const map = {
    measure: "change",
    sorting: summary.network ? "chain" : "data",
    size: Math.min(count, FIRST_SIZE),
    cursor: null, // [row, column]
    ...mapParts(),
  };
  watchCanvas(map);
  onWidth(map.frame, () => draw(map));
  followTheme(() => draw(map));
  body("dependence").append(
    explanation(),
    mapControls(map),
    legend(map.ramp),
    el("div", { class: "heat" }, map.frame, el("div", { class: "side" }, map.readout)),
  );
  if (count < names.length) {
    const part = `${whole(count)} most frequent of ${whole(names.length)} labels`;
    body("dependence").append(hint(`Pairs are kept for the ${part}.`));
  }
  refresh(map);
}

function mapParts() {
  const label = "Dependence heat map. Arrow keys move from cell to cell, Enter selects the child.";
  const described = { "aria-label": label, "aria-describedby": "heat-readout" };
  const canvas = el("canvas", { tabindex: "0", role: "application", ...described });
  const readout = el("div", { class: "readout", id: "heat-readout", "aria-live": "polite" });
  readout.append(
    hint(
      "Hold the pointer over a cell, or move with the arrow keys (with Shift by ten), to read it. A click or Enter",
      "selects the child.",
    ),
  );
  return {
    canvas,
    readout,
    picture: el("canvas"), // the map without the cursor
    frame: el("div", { class: "map" }, canvas),
    ramp: el("canvas", { class: "ramp", width: "150", height: "12", "aria-hidden": "true" }),
  };
}

function refresh(map) {
  map.labels = shownLabels(map.sorting, map.size);
  Object.assign(map, cellValues(map.labels, map.measure));
  draw(map);
}

function draw(map) {
  const space = Math.max(240, map.frame.clientWidth || 600);
  const pen = map.canvas.getContext("2d");
  Object.assign(map, measureMap(pen, map.labels, space));
  const scale = sizeCanvas(map.canvas, map, space);
  pen.scale(scale, scale);
  paintMap(pen, map);
  map.picture.width = map.canvas.width;
  map.picture.height = map.canvas.height;
  map.picture.getContext("2d").drawImage(map.canvas, 0, 0);
  if (map.cursor) paintCursor(pen, map.picture, map, map.cursor);
  paintRamp(map.ramp, map.cell);
}

function pointAt(map, cursor) {
  map.cursor = cursor;
  paintCursor(map.canvas.getContext("2d"), map.picture, map, cursor);
  const [child, parent] = cursor.map((at) => map.labels[at]);
  map.readout.replaceChildren(...(child === parent ? aloneInWords(child) : pairInWords(child, parent)));
}

function aloneInWords(label) {
  const words = `${plural(summary.labels[label].positives, "row")} of ${whole(summary.data.n_rows)}`;
  return [el("p", {}, el("b", {}, bdi(names[label]))), el("p", { text: words })];
}

function pairInWords(child, parent) {
  const r = relation(child, parent);
  const word = r.sign > 0 ? "more likely" : r.sign < 0 ? "less likely" : "neither more nor less likely";
  const figures = (text) => el("p", { class: "num", text });
  const remarks = `${isEdge(child, parent) ? "; an edge of the network" : ""}${byChance(r) ? "; may be chance" : ""}`;
  const bold = (label) => el("b", {}, bdi(names[label], 60));
  return [
    el("p", {}, signMark(r.sign), bold(parent), " makes ", bold(child), ` ${word}`),
    figures(`Without ${fixed(r.without, 3)} → with ${fixed(r.present, 3)} (change ${signed(r.change, 3)})`),
    figures(`Correlation ${signed(r.correlation, 3)}, dependence degree ${fixed(r.dependence, 3)}`),
    figures(`${plural(r.both, "row")} with both${remarks}`),
  ];
}

function cellAt(map, event) {
  const box = map.canvas.getBoundingClientRect();
  const scale = map.side / box.width;
  const index = (offset) => Math.floor((offset * scale - map.margin) / map.cell);
  const cell = [index(event.clientY - box.top), index(event.clientX - box.left)];
  return cell.every((at) => at >= 0 && at < map.labels.length) ? cell : null;
}

function watchCanvas(map) {
  const { canvas } = map;
  canvas.addEventListener("pointermove", (event) => {
    const cell = cellAt(map, event);
    if (cell) pointAt(map, cell);
  });
  canvas.addEventListener("click", (event) => {
    const cell = cellAt(map, event);
    if (!cell) return;
    pointAt(map, cell);
    select(map.labels[cell[0]]);
  });
  canvas.addEventListener("focus", () => {
    if (!map.cursor) pointAt(map, [0, Math.min(1, map.labels.length - 1)]);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (event.key === "Enter" && map.cursor) select(map.labels[map.cursor[0]], "network");
    if (!step || !map.cursor) return;
    event.preventDefault();
    const last = map.labels.length - 1;
    const jump = event.shiftKey ? 10 : 1;
    const moved = map.cursor.map((at, i) => Math.max(0, Math.min(last, at + jump * step[i])));
    pointAt(map, moved);
  });
}

function mapControls(map) {
  const count = summary.pairs.labels.length;
  const change = (changed) => {
    Object.assign(map, changed);
    refresh(map);
  };
  const measures = Object.entries(MEASURES).map(([key, [title]]) => [key, title]);
  const orders = [
    ["chain", "chain order"],
    ["frequency", "frequency"],
    ["data", "data order"],
  ];
  const sizes = SIZES.filter((size) => size < count).map((size) => [String(size), `the ${size} most frequent`]);
  const controls = el(
    "div",
    { class: "controls" },
    choice("Shown", measures, (measure) => change({ measure }), map.measure),
    choice(
      "Sorted by",
      summary.network ? orders : orders.slice(1),
      (sorting) => change({ sorting, cursor: null }),
      map.sorting,
    ),
  );
  if (sizes.length) {
    const options = [...sizes, [String(count), `all ${whole(count)}`]];
    const resize = (size) => change({ size: Number(size), cursor: null });
    controls.append(choice("Labels", options, resize, String(map.size)));
  }
  return controls;
}

function legend(ramp) {
  const framed = summary.network ? el("span", { text: "▢ framed: an edge of the network" }) : null;
  const ends = ["− less likely", "+ more likely"].map((text) => el("span", { text }));
  return el("div", { class: "legend" }, ends[0], ramp, ends[1], framed);
}

function explanation() {
  return hint(
    "Row: the child. Column: the parent. Change of probability is the share of rows with the child among rows with",
    "the parent, less that among rows without it. The dependence degree is 1 − H(child | parent) with the sign of",
    "the relation; it is high for rare labels whatever the parent. Cells without colour may be chance:",
    `${CHANCE_IN_WORDS}, or a positive relation seen in fewer than ${constants.fewest_rows} rows.`,
  );
}
