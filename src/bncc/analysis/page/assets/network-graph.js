// The label network as the drawing needs it: edges by their ends, places in the chain, hubs, and what is true.

import { layout, summary } from "./data.js";
import { names } from "./names.js";
import { isPaired, relation } from "./relations.js";

const HUBS = 14;

function changeOf(edge) {
  if (edge.with_parent === null || edge.without_parent === null) return null;
  return edge.with_parent - edge.without_parent;
}
export const signOf = (edge) => Math.sign(changeOf(edge) || 0);
export const strength = (edge) => Math.abs(changeOf(edge) || 0);
export const strongestFirst = (edges) => [...edges].sort((a, b) => strength(b) - strength(a));

export function readGraph() {
  const net = summary.network;
  const kept = net.edges.filter((edge) => edge.kept);
  kept.forEach((edge, i) => {
    edge.bends = layout.bends[i];
  });
  const into = edgesBy(kept, "child");
  const outOf = edgesBy(kept, "parent");
  return {
    ...net,
    kept,
    into,
    outOf,
    large: layout.wrapped,
    dropped: net.edges.filter((edge) => !edge.kept),
    missed: missedEdges(net, kept),
    known: net.true_edges ? new Set(net.true_edges.map(([parent, child]) => edgeKey(parent, child))) : null,
    positionOf: new Map(net.order.map((label, i) => [label, i + 1])),
    hubs: hubsOf(into, outOf),
  };
}

const edgeKey = (parent, child) => parent * names.length + child;

function edgesBy(edges, end) {
  const out = names.map(() => []);
  for (const edge of edges) out[edge[end]].push(edge);
  return out;
}

function hubsOf(into, outOf) {
  const degree = (label) => into[label].length + outOf[label].length;
  return new Set([...names.keys()].sort((a, b) => degree(b) - degree(a) || a - b).slice(0, HUBS));
}

// Edges of the true network whose labels were not linked either way.
function missedEdges(net, kept) {
  const linked = new Set(kept.flatMap((edge) => [edgeKey(edge.parent, edge.child), edgeKey(edge.child, edge.parent)]));
  const unlinked = (net.true_edges || []).filter(([parent, child]) => !linked.has(edgeKey(parent, child)));
  return unlinked.map(([parent, child]) => {
    const nothing = { present: null, without: null, dependence: null };
    const r = isPaired(parent) && isPaired(child) ? relation(child, parent) : nothing;
    const shares = { with_parent: r.present, without_parent: r.without, dependence: r.dependence };
    return { parent, child, kept: false, missed: true, gain: null, sure: null, ...shares };
  });
}

export const parentsOf = (graph, label) => graph.into[label].map((edge) => edge.parent);
export const childrenOf = (graph, label) => graph.outOf[label].map((edge) => edge.child);
export const neighboursOf = (graph, label) => new Set([...parentsOf(graph, label), ...childrenOf(graph, label)]);

export function truthOf(graph, edge) {
  if (graph.known.has(edgeKey(edge.parent, edge.child))) return "true";
  return graph.known.has(edgeKey(edge.child, edge.parent)) ? "reversed" : "not true";
}
