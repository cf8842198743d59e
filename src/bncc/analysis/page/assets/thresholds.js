// Curves of the selected label with a threshold that can be moved, and what that does to it and to all labels.

import { calibrationChart, hasCalibration } from "./calibration.js";
import { chart } from "./chart.js";
import { body, el, figureCell, hint } from "./dom.js";
import { bdi, names } from "./names.js";
import { fixed, signed } from "./numbers.js";
import { methodChoice } from "./quality.js";
import { followMethod, isScored, method } from "./quality-data.js";
import { follow, select, selection } from "./selection.js";
import { precisionRecallChart, thresholdChart, thresholdText } from "./threshold-charts.js";
import {
  curveOf,
  figuresAt,
  followThresholds,
  isMoved,
  moveAll,
  moveTo,
  positionOf,
  totals,
} from "./thresholds-data.js";

const KEYS = ["precision", "recall", "f1"];

export function drawThresholds() {
  const state = { label: method().worst?.label ?? 0 };
  const title = el("h3", { id: "curves-of" });
  const slider = el("input", { type: "range", min: "0", id: "threshold", "aria-label": "Threshold of the label" });
  const readout = el("div", { class: "readout", id: "threshold-readout", "aria-live": "polite" });
  const recall = chart((width) => precisionRecallChart(width, state.label));
  const cuts = chart((width) => thresholdChart(width, state.label));
  const sure = chart((width) => calibrationChart(width, state.label));
  slider.addEventListener("input", () => moveTo(state.label, Number(slider.max) - Number(slider.value)));
  const redraw = () => {
    const last = curveOf(state.label).thresholds.length - 1;
    title.replaceChildren(bdi(names[state.label], 80));
    slider.max = String(last);
    slider.value = String(last - positionOf(state.label)); // to the right is a higher threshold
    slider.setAttribute("aria-valuetext", `threshold ${thresholdText(state.label)}`);
    readout.replaceChildren(figureTable(state.label));
    for (const each of [recall, cuts, sure]) each.redraw();
  };
  follow((label) => {
    state.label = label;
    redraw();
  });
  followMethod(() => isScored() && redraw());
  followThresholds(redraw);
  body("thresholds").append(
    controls(state),
    el("div", { class: "threshold-line" }, title, slider, buttons(state)),
    readout,
    el("div", { class: "three" }, captioned("By threshold", cuts, legend()), captioned("Precision and recall", recall)),
  );
  if (hasCalibration()) addCalibration(sure);
  body("thresholds").append(explanation());
  redraw();
}

function addCalibration(sure) {
  const text = "share of cells that are true, against the probability given; bars: intervals";
  body("thresholds")
    .querySelector(".three")
    .append(captioned("Calibration", sure, hint(text)));
}

function controls(state) {
  const row = methodChoice();
  row.append(...labelChoice(state));
  return row;
}

function labelChoice(state) {
  const list = el("input", {
    type: "search",
    list: "judged-names",
    placeholder: "Another label",
    "aria-label": "Label of the curves",
  });
  list.addEventListener("change", () => {
    const wanted = list.value.trim().toLowerCase();
    const label = names.findIndex((name) => name.toLowerCase() === wanted);
    if (label >= 0) select(label);
    else select(selection.label ?? state.label);
    list.value = "";
  });
  const options = el("datalist", { id: "judged-names" }, ...names.map((name) => el("option", { value: name })));
  return [list, options];
}

function buttons(state) {
  const button = (text, onclick) => el("button", { type: "button", text, onclick });
  return el(
    "span",
    { class: "group" },
    button("Best F1", () => moveTo(state.label, curveOf(state.label).best)),
    button("All: best F1", () => moveAll("best")),
    button("Reset", () => moveAll("current")),
  );
}

// The label and all labels, now and (where anything was moved) beside what it was.
function figureTable(label) {
  const now = totals("now");
  const before = totals("current");
  const rows = [
    ["This label", figuresAt(label), figuresAt(label, curveOf(label).current), "threshold-label"],
    ["All, micro", now.micro, before.micro, "threshold-micro"],
    ["All, macro", now.macro, before.macro, "threshold-macro"],
  ].map(([name, values, were, id]) => {
    const cells = KEYS.map((key) => changedCell(values[key], were[key]));
    return el("tr", { id }, el("th", { scope: "row", text: name }), ...cells);
  });
  const heads = ["precision", "recall", "F1"].map((text) => el("th", { scope: "col", class: "n", text }));
  const first = el("th", { scope: "col", text: `Threshold ${thresholdText(label)}${isMoved() ? " (moved)" : ""}` });
  return el("table", {}, el("thead", {}, el("tr", {}, first, ...heads)), el("tbody", {}, ...rows));
}

function changedCell(value, was) {
  const cell = figureCell(fixed(value, 3));
  if (value === null || was === null || Math.abs(value - was) < 0.0005) return cell;
  cell.append(el("span", { class: "delta", text: signed(value - was, 3) }));
  return cell;
}

const captioned = (title, drawn, ...more) => el("div", {}, el("h4", { text: title }), drawn, ...more);

function legend() {
  const entry = (style, text) => el("span", {}, el("span", { class: `swatch ${style}` }), text);
  const entries = [entry("swatch-f1", "F1"), entry("swatch-precision", "precision"), entry("swatch-recall", "recall")];
  return el("div", { class: "legend" }, ...entries);
}

function explanation() {
  return hint(
    "Drag the mark in a curve, or move the slider with the arrow keys. The highest F1 is that on these very rows, so",
    "that it flatters: choose thresholds on training rows (TunedThresholds does).",
  );
}
