// Labels by how well they are predicted: the worst one in words, averages, and a table of all.

import { choice } from "./chart.js";
import { body, el, hint } from "./dom.js";
import { intervalBar } from "./interval-bar.js";
import { names, shown } from "./names.js";
import { fixed, whole } from "./numbers.js";
import { figure, followMethod, isScored, judged, judgeMethod, method, percent, quality } from "./quality-data.js";
import { intervalText, strengthLine, worstInWords } from "./quality-words.js";
import { labelButton } from "./selection.js";
import { sortedTable } from "./sorted-table.js";

const TITLES = {
  f1: ["F1", "harmonic mean of precision and recall"],
  precision: ["Precision", "share of the predicted rows that have the label"],
  recall: ["Recall", "share of the rows with the label that are predicted"],
  auc: ["AUC", "how often a row with the label scores above one without"],
  average_precision: ["AP", "average precision: area under the precision-recall curve"],
  brier: ["Brier", "mean squared error of the probability; lower is better"],
};

export function drawQuality() {
  const answer = el("p", { class: "answer", id: "answer-worst", "aria-live": "polite" });
  const averages = el("dl", { class: "figures" });
  const sorting = { field: "f1", up: true };
  const { parts, redraw } = sortedTable({
    rowsNow: tableRows,
    columns: tableColumns(),
    sorting,
    caption: "Labels and how well they are predicted",
    finder: "Find a judged label by name",
  });
  const fill = () => {
    answer.replaceChildren(...worstInWords());
    averages.replaceChildren(...averageCells());
  };
  followMethod(() => {
    fill();
    redraw();
  });
  fill();
  body("quality").append(answer, methodChoice(), averages, ...parts, explanation(), ...strengths());
}

// The same choice stands in every section that shows one method.
export function methodChoice() {
  const controls = el("div", { class: "controls" });
  if (quality.methods.length < 2) return controls;
  const options = quality.methods.map((each, at) => [String(at), shown(each.method)]);
  const label = choice("Method", options, (at) => judgeMethod(Number(at)), String(judged.at));
  followMethod(() => {
    label.querySelector("select").value = String(judged.at);
  });
  controls.append(label);
  return controls;
}

function averageCells() {
  const { averages } = method();
  const shownNow = [
    ["Macro F1", averages.macro_f1],
    ["Micro F1", averages.micro_f1],
    ["Micro precision", averages.micro_precision],
    ["Micro recall", averages.micro_recall],
  ];
  return shownNow.map(([name, interval]) => {
    const ends = el("span", { class: "ends", text: intervalText(interval.low, interval.high) });
    return el("div", {}, el("dt", { text: name }), el("dd", {}, fixed(interval.value, 2), ends));
  });
}

const estimateOf = (key, label) =>
  Object.fromEntries(["value", "low", "high", "lowest", "highest"].map((end) => [end, figure(key, label, end)]));

function tableRows() {
  return names.map((name, label) => {
    const values = Object.keys(TITLES).map((key) => [key, figure(key, label)]);
    return { label, name, support: method().support[label], ...Object.fromEntries(values) };
  });
}

function tableColumns() {
  const figured = Object.entries(TITLES)
    .filter(([key]) => isScored() || !["auc", "average_precision", "brier"].includes(key))
    .map(([key, [title, meaning]]) => ({ field: key, title, meaning, style: styleOf(key), upwards: key !== "brier" }))
    .map((column) => ({ ...column, cell: (row) => figureCellOf(column.field, row.label) }));
  return [
    { field: "name", title: "Label", style: "", upwards: true, cell: (row) => el("td", {}, labelButton(row.label)) },
    { field: "support", title: "Rows", style: "n", cell: (row) => el("td", { class: "n", text: whole(row.support) }) },
    ...figured,
  ];
}

const styleOf = (key) => (key === "f1" ? "n" : "n hide-small");

function figureCellOf(key, label) {
  const estimate = estimateOf(key, label);
  const text = fixed(estimate.value, 2);
  if (estimate.value === null) return el("td", { class: styleOf(key), text });
  const alone = intervalText(estimate.low, estimate.high);
  const together = `${intervalText(estimate.lowest, estimate.highest)} for all labels at once`;
  const value = el("span", { class: "share", text });
  return el("td", { class: styleOf(key), title: `${alone}; ${together}` }, intervalBar(estimate), value);
}

function explanation() {
  return hint(
    `Bars: the value, its ${percent()} interval alone (dark) and the one that holds for all labels at once (light),`,
    "with which labels can be compared. Rows are taken as drawn at random, fitted models as given; shares have exact",
    "binomial intervals. Click a label to see its curves.",
  );
}

function strengths() {
  if (!quality.strengths.length) return [];
  return [
    el("h3", { text: "What each method gets right that others do not" }),
    el("ul", { class: "plain", id: "strengths" }, ...quality.strengths.map(strengthLine)),
    hint("Exact tests on the rows in which two methods differ (McNemar), corrected by Holm for all labels and pairs."),
  ];
}
