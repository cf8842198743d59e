// What is said of a label or an edge: aloud, and beside the pointer.

import { summary } from "./data.js";
import { el, figureCell } from "./dom.js";
import { bdi, cut, names } from "./names.js";
import { signOf, strongestFirst } from "./network-graph.js";
import { arrowed, fixed, plural, signed } from "./numbers.js";
import { before, isAsked, now, setValue } from "./what-if-data.js";

const MOST = 8; // parents beside the pointer

function percentOf(label) {
  return summary.labels.length ? fixed((100 * summary.labels[label].positives) / summary.data.n_rows, 1) : null;
}

export function spoken(graph, label) {
  const percent = percentOf(label);
  return [
    cut(names[label], 120),
    `place ${graph.positionOf.get(label)} of ${names.length}`,
    percent === null ? null : `${percent} percent of rows`,
    plural(graph.into[label].length, "parent"),
    plural(graph.outOf[label].length, "child", "children"),
    chanceOf(label),
  ]
    .filter(Boolean)
    .join(", ");
}

// What the labels that are set make of this one; null where none is.
function chanceOf(label) {
  if (!isAsked() || !now().chances) return null;
  if (setValue(label) !== null) return setValue(label) ? "set to be there" : "set not to be there";
  return `given what is set ${arrowed(before().chances[label], now().chances[label], 2)}`;
}

export function labelCard(graph, label) {
  const percent = percentOf(label);
  const edges = strongestFirst(graph.into[label]);
  return [
    el("b", {}, bdi(names[label], 60)),
    percent === null ? "" : ` · in ${percent} % of rows`,
    isAsked() ? el("div", { text: chanceOf(label) ?? "" }) : "",
    edges.length ? parentTable(edges.slice(0, MOST)) : el("div", { text: "No parents." }),
    edges.length > MOST ? `and ${edges.length - MOST} more parents` : "",
  ];
}

function parentTable(edges) {
  const signs = { "-1": "− ", 0: "", 1: "+ " };
  const heads = [el("th", { text: "Parent" }), ...["without", "with"].map((text) => el("th", { class: "n", text }))];
  const rows = edges.map((edge) =>
    el(
      "tr",
      {},
      el("td", {}, signs[signOf(edge)], bdi(names[edge.parent], 28)),
      figureCell(fixed(edge.without_parent, 2)),
      figureCell(fixed(edge.with_parent, 2)),
    ),
  );
  return el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...rows));
}

function evidenceOf(edge) {
  const verdict = edge.sure ? "more than chance" : "chance would explain it";
  const p = edge.corrected_p_value < 0.0001 ? "p < 0.0001" : `p = ${fixed(edge.corrected_p_value, 4)}`;
  const share = edge.share === null ? "" : `, in ${fixed(100 * edge.share, 0)} % of resamples`;
  return `${verdict}: ${p}, corrected for all pairs${share}`;
}

export function edgeCard(edge) {
  const word = { "-1": "less likely", 0: "as likely as before", 1: "more likely" }[signOf(edge)];
  const lines = [`makes it ${word}: ${arrowed(edge.without_parent, edge.with_parent, 2)}`];
  if (edge.dependence !== null) lines.push(`dependence degree ${fixed(edge.dependence, 3)}`);
  if (edge.gain !== null) lines.push(`score ${fixed(edge.score, 2)}, gain ${signed(edge.gain, 2)}`);
  if (edge.sure !== null) lines.push(evidenceOf(edge));
  if (!edge.kept) lines.push(edge.missed ? "in the true network, not learned" : "dropped to break a cycle");
  const title = el("b", {}, bdi(names[edge.parent], 40), " → ", bdi(names[edge.child], 40));
  return [title, ...lines.map((text) => el("div", { text }))];
}
