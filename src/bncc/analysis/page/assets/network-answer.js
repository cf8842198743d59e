// Which edges are sure: those that beat chance, surest first.

import { el } from "./dom.js";
import { strength } from "./network-graph.js";
import { fixed, plural } from "./numbers.js";
import { labelButton } from "./selection.js";

const TOLD = 4;

const isTested = (edge) => (edge.sure ?? null) !== null;
const shareOf = (edge) => edge.share ?? null;

// By corrected p-value, then by how often the edge comes back, then by how much it changes.
function surestFirst(a, b) {
  return (
    a.corrected_p_value - b.corrected_p_value || (shareOf(b) ?? 0) - (shareOf(a) ?? 0) || strength(b) - strength(a)
  );
}

export function sureEdges(graph) {
  const answer = el("p", { class: "answer", id: "answer-edges" });
  if (!graph.kept.length) {
    answer.append(el("b", { text: "No edge beats chance." }));
    return answer;
  }
  const tested = graph.kept.filter(isTested);
  if (!tested.length) {
    const strongest = [...graph.kept].sort((a, b) => strength(b) - strength(a));
    const untested = " They were not tested against chance.";
    answer.append(el("b", { text: "Strongest edges: " }), ...listed(strongest), untested);
    return answer;
  }
  const sure = tested.filter((edge) => edge.sure).sort(surestFirst);
  const count = `${sure.length} of ${plural(tested.length, "edge")} ${sure.length === 1 ? "is" : "are"} sure`;
  const others = tested.length - sure.length;
  const faint = others ? ` ${plural(others, "other")} may be chance, drawn faint.` : "";
  answer.append(el("b", { text: `${count}${sure.length ? ": " : "."}` }), ...listed(sure), faint);
  return answer;
}

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
