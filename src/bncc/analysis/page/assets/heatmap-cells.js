// What the cells of the heat map hold: one value for each pair, and whether it may be chance.

import { summary } from "./data.js";
import { names } from "./names.js";
import { byChance, isPaired, relation } from "./relations.js";

export const MEASURES = {
  change: ["Change of probability", (r) => r.change],
  correlation: ["Correlation", (r) => r.correlation],
  dependence: ["Dependence degree", (r) => (r.sign < 0 ? -1 : 1) * r.dependence],
};

const edgeKey = (child, parent) => child * names.length + parent;
const kept = summary.network ? summary.network.edges.filter((edge) => edge.kept) : [];
const edgeKeys = new Set(kept.map((edge) => edgeKey(edge.child, edge.parent)));

export const isEdge = (child, parent) => edgeKeys.has(edgeKey(child, parent));

// The most frequent labels, as many as are shown, in one of the orders.
export function shownLabels(sorting, size) {
  const all = summary.pairs.labels;
  const frequent = [...all].sort((a, b) => summary.labels[b].positives - summary.labels[a].positives || a - b);
  const inChain = summary.network ? summary.network.order.filter(isPaired) : [];
  const wanted = new Set(frequent.slice(0, size));
  return { chain: inChain, frequency: frequent, data: all }[sorting].filter((label) => wanted.has(label));
}

// Row by row: child after child, and for each all parents.
export function cellValues(labels, measure) {
  const m = labels.length;
  const measured = MEASURES[measure][1];
  const values = new Float32Array(m * m);
  const sure = new Uint8Array(m * m);
  for (let j = 0; j < m; j++) {
    for (let k = 0; k < m; k++) {
      if (j === k) continue;
      const r = relation(labels[j], labels[k]);
      values[j * m + k] = measured(r);
      sure[j * m + k] = byChance(r) ? 0 : 1;
    }
  }
  return { values, sure };
}
