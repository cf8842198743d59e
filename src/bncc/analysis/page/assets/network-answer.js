// Which edges are sure: those that beat chance, surest first.

import { el } from "./dom.js";
import { strength } from "./network-graph.js";
import { fixed, plural } from "./numbers.js";
import { labelButton } from "./selection.js";

const SURE = 0.05;
const TOLD = 4;

const isTested = (edge) => (edge.p_value ?? null) !== null;
const shareOf = (edge) => edge.bootstrap_share ?? null;

// By p-value, then by how often the edge comes back, then by how much it changes.
function surestFirst(a, b) {
  return a.p_value - b.p_value || (shareOf(b) ?? 0) - (shareOf(a) ?? 0) || strength(b) - strength(a);
}

export function sureEdges(graph) {
  const answer = el("p", { class: "answer", id: "answer-edges" });
  const tested = graph.kept.filter(isTested);
  if (!tested.length) {
    const strongest = [...graph.kept].sort((a, b) => strength(b) - strength(a));
    answer.append(el("b", { text: "Strongest edges: " }), ...listed(strongest), untested(graph));
    return answer;
  }
  const sure = tested.filter((edge) => edge.p_value < SURE).sort(surestFirst);
  const count = `${sure.length} of ${plural(tested.length, "edge")} ${sure.length === 1 ? "is" : "are"} sure`;
  answer.append(el("b", { text: `${count}${sure.length ? ": " : "."}` }), ...listed(sure));
  return answer;
}

const untested = (graph) => (graph.kept.length ? " They were not tested against chance." : "none.");

function listed(edges) {
  const items = edges.slice(0, TOLD).flatMap((edge, i) => [i ? "; " : "", ...edgeInWords(edge)]);
  const more = edges.length - TOLD;
  return [...items, edges.length ? (more > 0 ? `; and ${more} more.` : ".") : ""];
}

function edgeInWords(edge) {
  const share = shareOf(edge);
  const again = share === null ? "" : ` (in ${fixed(100 * share, 0)} % of resamples)`;
  return [labelButton(edge.parent, null, 30), " → ", labelButton(edge.child, null, 30), again];
}
