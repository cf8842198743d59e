// The table of labels: how often each occurs, and its place in the network.

import { summary } from "./data.js";
import { body, el, figureCell, svg } from "./dom.js";
import { names } from "./names.js";
import { fixed, whole } from "./numbers.js";
import { labelButton } from "./selection.js";
import { sortedTable } from "./sorted-table.js";

const UPWARDS = new Set(["label", "name", "place"]); // fields that are sorted upwards at first

const countBy = (edges, key) => {
  const counts = new Array(names.length).fill(0);
  for (const edge of edges) counts[edge[key]] += 1;
  return counts;
};

function tableRows() {
  const net = summary.network;
  const positionOf = new Map(net ? net.order.map((label, i) => [label, i + 1]) : []);
  const kept = net ? net.edges.filter((edge) => edge.kept) : [];
  const parents = countBy(kept, "child");
  const children = countBy(kept, "parent");
  return summary.labels.map((row, label) => ({
    label,
    name: names[label],
    rows: row.positives,
    share: row.positives / summary.data.n_rows,
    entropy: row.entropy,
    imbalance: row.imbalance,
    place: positionOf.get(label),
    parents: parents[label],
    children: children[label],
  }));
}

function tableColumns() {
  const column = (field, title, style, cell) => ({ field, title, style, cell, upwards: UPWARDS.has(field) });
  const plain = (field, title, style, text) => column(field, title, style, (row) => cellOf(text(row), style));
  const columns = [
    plain("label", "#", "n hide-small", (row) => whole(row.label + 1)),
    column("name", "Label", "", (row) => el("td", {}, labelButton(row.label, null))),
    plain("rows", "Rows", "n", (row) => whole(row.rows)),
    column("share", "Share", "n", shareCell),
    plain("entropy", "Entropy", "n hide-small", (row) => fixed(row.entropy, 3)),
    plain("imbalance", "Imbalance", "n hide-small", (row) => fixed(row.imbalance, 1)),
  ];
  if (!summary.network) return columns;
  return [
    ...columns,
    plain("place", "Place", "n", (row) => whole(row.place)),
    plain("parents", "Parents", "n hide-small", (row) => whole(row.parents)),
    plain("children", "Children", "n hide-small", (row) => whole(row.children)),
  ];
}

const cellOf = (text, style) => (style === "n" ? figureCell(text) : el("td", { class: style, text }));

function shareCell(row) {
  const bar = svg(
    "svg",
    { class: "bar-cell", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "bg", width: 100, height: 10 }),
    svg("rect", { width: 100 * row.share, height: 10 }),
  );
  const text = `${fixed(100 * row.share, row.share < 0.01 ? 2 : 1)} %`;
  return el("td", { class: "n" }, el("span", { class: "hide-small" }, bar), el("span", { class: "share", text }));
}

export function drawTable() {
  const { parts } = sortedTable({
    rowsNow: tableRows,
    columns: tableColumns(),
    sorting: { field: "label", up: true },
    caption: "Labels and their figures",
    finder: "Find a label by name",
  });
  body("labels").append(...parts);
}
