// What matters over many rows: features and labels by what the quality loses without them.

import { choice } from "./chart.js";
import { summary } from "./data.js";
import { body, el, hint, svg } from "./dom.js";
import { bdi, names, shown } from "./names.js";
import { fixed } from "./numbers.js";

const SHOWN = 15;
const ALL = "all";

export function drawImportance() {
  const table = el("tbody", {});
  const keys = [...new Set(summary.importance.map((entry) => entry.label))];
  const options = keys.map((label) => [
    label === null ? ALL : String(label),
    label === null ? "all labels" : names[label],
  ]);
  const draw = (key) => {
    const label = key === ALL ? null : Number(key);
    const entries = summary.importance.filter((entry) => entry.label === label).sort((a, b) => b.value - a.value);
    const most = Math.max(1e-12, ...entries.map((entry) => Math.max(entry.value, entry.high ?? 0)));
    table.replaceChildren(...entries.slice(0, SHOWN).map((entry) => importanceRow(entry, most)));
  };
  const controls = el(
    "div",
    { class: "controls" },
    options.length > 1 ? choice("For", options, draw, options[0][0]) : null,
  );
  const caption = el("caption", { class: "sr", text: "Features and labels by importance" });
  body("importance").append(
    controls,
    el("div", { class: "scroll" }, el("table", {}, caption, table)),
    hint("What the quality loses when the values of a feature are shuffled; on rows that the model has not seen."),
  );
  draw(options[0][0]);
}

function importanceRow(entry, most) {
  const ends = entry.low === null ? "" : ` (${fixed(entry.low, 3)} to ${fixed(entry.high, 3)})`;
  const share = (100 * Math.max(0, entry.value)) / most;
  const bar = svg(
    "svg",
    { class: "bar-cell", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "bg", width: 100, height: 10 }),
    svg("rect", { width: share, height: 10 }),
  );
  const kind = entry.kind === "label" ? el("span", { class: "kind", text: "label" }) : null;
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, bdi(shown(entry.name), 60), kind),
    el("td", {}, bar),
    el("td", { class: "n", text: `${fixed(entry.value, 3)}${ends}` }),
  );
}
