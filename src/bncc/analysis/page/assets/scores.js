// The table of mean scores.

import { summary } from "./data.js";
import { el, figureCell } from "./dom.js";
import { byDirection } from "./metrics.js";
import { bdi, methodName, shown } from "./names.js";
import { fixed, plural } from "./numbers.js";

const DIGITS = 4;
const rounded = (value) => Number(value.toFixed(DIGITS));

export function scoreTable(dataset) {
  const { boxes, methods, metrics } = summary.results;
  const ofDataset = boxes.filter((box) => box.dataset === dataset);
  const boxOf = (method, metric) => ofDataset.find((box) => box.method === method && box.metric === metric.name);
  const tested = methods.filter((method) => metrics.some((metric) => boxOf(method, metric)));
  const best = metrics.map((metric) => {
    const means = tested
      .map((method) => boxOf(method, metric))
      .filter(Boolean)
      .map((box) => rounded(box.mean));
    return tested.length < 2 ? null : bestOf(metric, means);
  });
  const rows = tested.map((method) => {
    const cells = metrics.map((metric, i) => scoreCell(boxOf(method, metric), best[i]));
    return el("tr", {}, el("th", { scope: "row" }, bdi(shown(method), 40)), ...cells);
  });
  const caption = el("caption", { class: "sr", text: `Mean and standard deviation on ${methodName(dataset)}` });
  return el("table", {}, caption, el("thead", {}, headings(metrics)), el("tbody", {}, ...rows));
}

function headings(metrics) {
  const heads = metrics.map((metric) => {
    const text = metric.name + byDirection(metric, " ↑", " ↓");
    return el("th", { scope: "col", class: "n", title: metric.description, text });
  });
  return el("tr", {}, el("th", { scope: "col", text: "Method" }), ...heads);
}

function bestOf(metric, means) {
  if (metric.greater_is_better === null) return null;
  return metric.greater_is_better ? Math.max(...means) : Math.min(...means);
}

function scoreCell(box, best) {
  if (!box) return figureCell("–");
  const wins = best !== null && rounded(box.mean) === best;
  const title = `${plural(box.n, "fold")}, standard deviation ${fixed(box.std, DIGITS)}`;
  const spread = el("span", { class: "hint", text: ` ± ${fixed(box.std, 3)}` });
  const spoken = wins ? el("span", { class: "sr", text: " (best)" }) : null;
  return el("td", { class: wins ? "n best" : "n", title }, fixed(box.mean, DIGITS), spread, spoken);
}
