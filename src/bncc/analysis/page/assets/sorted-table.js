// A table of labels: sorted by any column, searched by name, a part at a time.

import { el } from "./dom.js";
import { plural, whole } from "./numbers.js";
import { follow, selection } from "./selection.js";

const SHORT = 60; // rows of a table that is shown whole
const FIRST = 25;
const STEP = 250;

// By the field that is sorted by; what has no value comes last, ties by label.
function compareBy(field, up) {
  return (a, b) => {
    const x = a[field] ?? null;
    const y = b[field] ?? null;
    if (x === null || y === null) return (x === null) - (y === null) || a.label - b.label;
    const sign = typeof x === "string" ? x.localeCompare(y) : x - y;
    return (up ? sign : -sign) || a.label - b.label;
  };
}

function heading({ field, title, style, upwards, meaning }, sorting, redraw) {
  const arrow = el("span", { "aria-hidden": "true" });
  const onclick = () => {
    sorting.up = sorting.field === field ? !sorting.up : Boolean(upwards);
    sorting.field = field;
    redraw();
  };
  const button = el("button", { type: "button", title: meaning, onclick }, `${title} `, arrow);
  const cell = el("th", { scope: "col", class: style }, button);
  cell.mark = () => {
    const sorted = sorting.field === field;
    if (sorted) cell.setAttribute("aria-sort", sorting.up ? "ascending" : "descending");
    else cell.removeAttribute("aria-sort");
    arrow.textContent = sorted ? (sorting.up ? "▲" : "▼") : "";
  };
  return cell;
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

// `rowsNow()` gives the rows, each with `label` and `name`; columns have field, title, style, cell and upwards (sorted
// upwards at first). `parts` are to be put on the page, `redraw` to be called when rows have changed.
export function sortedTable({ rowsNow, columns, sorting, caption, finder }) {
  let rows = rowsNow();
  const first = rows.length > SHORT ? FIRST : SHORT;
  let limit = first;
  const status = el("span", { class: "hint", role: "status" });
  const search = el("input", { type: "search", placeholder: "Find a label", "aria-label": finder });
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
  const table = el("table", {}, el("caption", { class: "sr", text: caption }), el("thead", {}, head), tbody);
  draw();
  return {
    parts: [el("div", { class: "controls" }, search, status), el("div", { class: "scroll" }, table), el("p", {}, more)],
    redraw: () => {
      rows = rowsNow();
      draw();
    },
  };
}
