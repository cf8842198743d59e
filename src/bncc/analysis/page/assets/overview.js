// The figures of the data, how labels are spread over rows, and the strongest relations.

import { ticks } from "./axes.js";
import { chart } from "./chart.js";
import { constants, summary } from "./data.js";
import { body, el, hint, middle, signMark, soft, svg } from "./dom.js";
import { arrowed, fixed, plural, whole } from "./numbers.js";
import { CHANCE_IN_WORDS } from "./relations.js";
import { labelButton } from "./selection.js";
import { hints } from "./tip.js";

const BARS = { height: 170, left: 52, right: 8, bottom: 34, top: 8 };

export function drawOverview() {
  const box = body("overview");
  const entries = facts().map(([name, value]) => el("div", {}, el("dt", { text: name }), el("dd", { text: value })));
  box.append(el("dl", { class: "figures" }, ...entries));
  box.append(el("div", { class: "two" }, labelsPerRow(), rowsPerLabel()));
  if (summary.strongest.length) drawStrongest(box);
}

function facts() {
  const data = summary.data;
  const absent = summary.labels.filter((row) => row.positives === 0).length;
  return [
    ["Rows", whole(data.n_rows)],
    data.n_features === null ? null : ["Features", whole(data.n_features)],
    ["Labels", whole(data.n_labels)],
    ["Labels per row", fixed(data.cardinality, 3)],
    ["Density", fixed(data.density, 4)],
    ["Mean imbalance", fixed(data.mean_imbalance, 2)],
    ["Distinct label sets", whole(data.n_label_sets)],
    absent ? ["Labels that never occur", whole(absent)] : null,
  ].filter(Boolean);
}

function labelsPerRow() {
  const bars = summary.data.labels_per_row.map((rows, k) => {
    return { name: String(k), value: rows, words: `${plural(rows, "row")} with ${plural(k, "label")}` };
  });
  return barChart("Labels per row", "labels", bars);
}

function rowsPerLabel() {
  const counts = summary.labels.map((row) => row.positives).sort((a, b) => b - a);
  const bars = counts.map((rows, k) => {
    return { name: String(k + 1), value: rows, words: `The ${k + 1}. most frequent label: ${plural(rows, "row")}` };
  });
  return barChart("Rows per label, most frequent first", "place", bars);
}

function barChart(title, across, bars) {
  const draw = (width) => drawBars(width, bars, across, title);
  return el("div", {}, el("h3", { text: title }), chart(draw));
}

function drawBars(width, bars, across, title) {
  const { height, left, right, bottom, top } = BARS;
  const inner = width - left - right;
  const most = Math.max(1, ...bars.map((bar) => bar.value));
  const words = `${title}: bars for ${plural(bars.length, "value")}, the highest ${whole(most)} rows`;
  const root = svg("svg", { width, height, role: "img", "aria-label": words });
  const y = (value) => height - bottom - (value / most) * (height - bottom - top);
  const across1 = { x1: left, x2: width - right };
  for (const tick of ticks(0, most, 4)) {
    root.append(svg("line", { class: "grid", ...across1, y1: y(tick), y2: y(tick) }));
    root.append(soft({ x: left - 6, y: y(tick) + 4, "text-anchor": "end", text: whole(tick) }));
  }
  const step = inner / bars.length;
  const every = Math.ceil(bars.length / Math.max(1, Math.floor(inner / 44)));
  bars.forEach((bar, k) => {
    const x = left + k * step;
    root.append(drawBar(bar, x, step, y));
    if (k % every === 0) {
      root.append(soft({ x: x + step / 2, y: height - bottom + 15, "text-anchor": "middle", text: bar.name }));
    }
    const hit = svg("rect", { class: "hit", x, width: step, y: top, height: height - bottom - top });
    root.append(hints(hit, () => [bar.words]));
  });
  root.append(svg("line", { class: "axis", ...across1, y1: y(0), y2: y(0) }));
  root.append(middle({ class: "soft", x: left + inner / 2, y: height - 3, text: across }));
  return root;
}

function drawBar(bar, x, step, y) {
  const pad = step > 6 ? Math.min(4, step * 0.15) : 0;
  const width = Math.max(step - 2 * pad, 0.6);
  return svg("rect", { class: "fill-more", x: x + pad, width, y: y(bar.value), height: y(0) - y(bar.value) });
}

const isPositive = (relation) => relation.with_parent > relation.without_parent;

function sentence(relation) {
  return el(
    "li",
    {},
    signMark(isPositive(relation) ? 1 : -1),
    labelButton(relation.parent, "network", 40),
    " makes ",
    labelButton(relation.child, "network", 40),
    ` ${isPositive(relation) ? "more" : "less"} likely: `,
    el("span", { class: "num", text: arrowed(relation.without_parent, relation.with_parent, 2) }),
  );
}

function relationList(title, relations) {
  const list = relations.length ? el("ul", { class: "plain" }, ...relations.map(sentence)) : hint("None.");
  return el("div", {}, el("h3", { text: title }), list);
}

function drawStrongest(box) {
  const positive = relationList("Strongest positive relations", summary.strongest.filter(isPositive));
  const others = summary.strongest.filter((relation) => !isPositive(relation));
  box.append(el("div", { class: "two" }, positive, relationList("Strongest negative relations", others)));
  box.append(
    hint(
      "Shares of rows with the second label: among rows without the first label → among rows with it. Strongest by",
      `mutual information, without those that may be chance (${CHANCE_IN_WORDS}, or positive and seen in fewer than`,
      `${constants.fewest_rows} rows). A relation in the data, not a cause.`,
    ),
  );
}
