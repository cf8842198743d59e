// The table of labels: sorted by any column, searched by name, a part at a time.

import { summary } from "./data.js";
import { body, el, figureCell, svg } from "./dom.js";
import { names } from "./names.js";
import { fixed, plural, whole } from "./numbers.js";
import { follow, labelButton, selection } from "./selection.js";

const SHORT = 60; // rows of a table that is shown whole
const FIRST = 25;
const STEP = 250;
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
  const column = (field, title, style, cell) => ({ field, title, style, cell });
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

// By the field that is sorted by; what has no value comes last, ties by label.
function compareBy(field, up) {
  return (a, b) => {
    const x = a[field];
    const y = b[field];
    if (x === null || y === null) return (x === null) - (y === null);
    const sign = typeof x === "string" ? x.localeCompare(y) : x - y;
    return (up ? sign : -sign) || a.label - b.label;
  };
}

function heading({ field, title, style }, sorting, redraw) {
  const arrow = el("span", { "aria-hidden": "true" });
  const onclick = () => {
    sorting.up = sorting.field === field ? !sorting.up : UPWARDS.has(field);
    sorting.field = field;
    redraw();
  };
  const cell = el("th", { scope: "col", class: style }, el("button", { type: "button", onclick }, `${title} `, arrow));
  cell.mark = () => {
    const sorted = sorting.field === field;
    if (sorted) cell.setAttribute("aria-sort", sorting.up ? "ascending" : "descending");
    else cell.removeAttribute("aria-sort");
    arrow.textContent = sorted ? (sorting.up ? "▲" : "▼") : "";
  };
  return cell;
}

export function drawTable() {
  const rows = tableRows();
  const columns = tableColumns();
  const first = rows.length > SHORT ? FIRST : SHORT;
  const sorting = { field: "label", up: true };
  let limit = first;
  const status = el("span", { class: "hint", role: "status" });
  const search = el("input", { type: "search", placeholder: "Find a label", "aria-label": "Find a label by name" });
  const more = el("button", { type: "button" });
  const head = el("tr", {}, ...columns.map((column) => heading(column, sorting, () => draw())));
  const tbody = el("tbody", {});
  function draw() {
    const wanted = search.value.toLowerCase();
    const fitting = rows.filter((row) => row.name.toLowerCase().includes(wanted));
    fitting.sort(compareBy(sorting.field, sorting.up));
    tbody.replaceChildren(...fitting.slice(0, limit).map((row) => tableRow(row, columns)));
    for (const cell of head.children) cell.mark();
    const all = plural(rows.length, "label");
    status.textContent = wanted ? `${whole(fitting.length)} of ${all}` : all;
    more.hidden = fitting.length <= limit;
    more.textContent = `Show more (${whole(fitting.length - limit)} left)`;
  }
  search.addEventListener("input", () => {
    limit = first;
    draw();
  });
  more.addEventListener("click", () => {
    limit += STEP;
    draw();
  });
  followRows(tbody);
  const caption = el("caption", { class: "sr", text: "Labels and their figures" });
  const table = el("table", {}, caption, el("thead", {}, head), tbody);
  const controls = el("div", { class: "controls" }, search, status);
  body("labels").append(controls, el("div", { class: "scroll" }, table), el("p", {}, more));
  draw();
}

function tableRow(row, columns) {
  const marked = row.label === selection.label ? "selected" : null;
  return el("tr", { class: marked, "data-label": row.label }, ...columns.map((column) => column.cell(row)));
}

function followRows(tbody) {
  follow((label) => {
    for (const row of tbody.children) row.classList.toggle("selected", Number(row.dataset.label) === label);
  });
}
