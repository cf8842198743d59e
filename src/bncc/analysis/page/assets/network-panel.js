// The panel beside the network: parents, children and scores of the selected label.

import { summary } from "./data.js";
import { el, figureCell, hint, signMark } from "./dom.js";
import { bdi, names } from "./names.js";
import { neighboursOf, signOf, strongestFirst, truthOf } from "./network-graph.js";
import { arrowed, fixed, plural, signed } from "./numbers.js";
import { byChance, isPaired, relation } from "./relations.js";
import { labelButton } from "./selection.js";

const MOST_OTHERS = 4; // of either sign
const LONG = 8; // rows of a table that is scrolled by keyboard

export function describeLabel(graph, panel, label) {
  const row = summary.labels[label];
  const percent = row ? fixed((100 * row.positives) / summary.data.n_rows, 1) : null;
  const share = row ? `${plural(row.positives, "row")}, ${percent} %. ` : "";
  const lost = graph.dropped.filter((edge) => edge.child === label);
  const scores = [graph.start_scores[label], graph.scores[label]].map((score) => fixed(score, 2));
  const others = strongestOthers(graph, label);
  panel.replaceChildren(
    el("h3", { id: "chosen" }, bdi(names[label], 160)),
    el("p", { text: `${share}Place ${graph.positionOf.get(label)} of ${names.length} in the chain.` }),
    edgeTable(graph, "Parents", [...graph.into[label], ...lost], "parent"),
    hint(`Score ${scores[0]} to begin with, ${scores[1]} with its parents; ${graph.stops[label]}.`),
    edgeTable(graph, "Children", strongestFirst(graph.outOf[label]), "child"),
    ...(others ? [others] : []),
  );
}

function edgeTable(graph, title, edges, end) {
  const heading = el("h3", { text: title });
  if (!edges.length) return el("div", {}, heading, hint("None."));
  const scored = edges.some((edge) => edge.gain !== null);
  const heads = [
    ["Label", ""],
    ["without", "n", "share of rows with the child among rows without the parent"],
    ["with", "n", "share of rows with the child among rows with the parent"],
    ["I", "n hide-small", "dependence degree"],
    scored ? ["gain", "n", "what the parent adds to the child's score"] : null,
    graph.known ? ["", ""] : null,
  ].filter(Boolean);
  const cells = heads.map(([text, style, meaning]) => el("th", { scope: "col", class: style, text, title: meaning }));
  const rows = edges.map((edge) => edgeRow(graph, edge, end, scored));
  const table = el("table", {}, el("thead", {}, el("tr", {}, ...cells)), el("tbody", {}, ...rows));
  return el("div", {}, heading, el("div", { class: "scroll", tabindex: edges.length > LONG ? "0" : null }, table));
}

function edgeRow(graph, edge, end, scored) {
  const lost = edge.kept ? null : el("span", { class: "hint", text: " (dropped)" });
  const verdict = graph.known && edge.kept ? truthOf(graph, edge) : "";
  return el(
    "tr",
    {},
    el("td", {}, signMark(signOf(edge)), labelButton(edge[end], null, 40), lost),
    figureCell(fixed(edge.without_parent, 2)),
    figureCell(fixed(edge.with_parent, 2)),
    el("td", { class: "n hide-small", text: fixed(edge.dependence, 2) }),
    scored ? figureCell(edge.gain === null ? "–" : signed(edge.gain, 1)) : null,
    graph.known ? el("td", { class: "hint num", text: verdict }) : null,
  );
}

function strongestOthers(graph, label) {
  if (!isPaired(label)) return null;
  const linked = neighboursOf(graph, label).add(label);
  const others = summary.pairs.labels
    .filter((other) => !linked.has(other))
    .map((other) => ({ other, ...relation(label, other) }))
    .filter((r) => !byChance(r))
    .sort((a, b) => Math.abs(b.correlation) - Math.abs(a.correlation) || a.other - b.other);
  const top = (sign) => others.filter((r) => r.sign === sign).slice(0, MOST_OTHERS);
  const lines = [...top(1), ...top(-1)].map(otherLine);
  if (!lines.length) return null;
  return el("div", {}, el("h3", { text: "Related without an edge" }), el("ul", { class: "plain" }, ...lines));
}

function otherLine(r) {
  const shares = el("span", { class: "num hint", text: `  ${arrowed(r.without, r.present, 2)}` });
  return el("li", {}, signMark(r.sign), labelButton(r.other, null, 40), shares);
}
