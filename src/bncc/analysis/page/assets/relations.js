// Figures of two labels, all from counts.

import { constants, summary } from "./data.js";
import { fixed } from "./numbers.js";

const pairRow = new Map((summary.pairs ? summary.pairs.labels : []).map((label, row) => [label, row]));

export const isPaired = (label) => pairRow.has(label);

function together(a, b) {
  if (a === b) return summary.labels[a].positives;
  const [low, high] = [pairRow.get(a), pairRow.get(b)].sort((x, y) => x - y);
  return summary.pairs.together[low][high - low - 1];
}

const bits = (part, total) => (part > 0 && total > 0 ? -part * Math.log2(part / total) : 0);

// The entropy of the child given the parent, in bits.
function uncertainty(n, child, parent, both) {
  const absent = n - parent;
  const present = bits(both, parent) + bits(parent - both, parent);
  return (present + bits(child - both, absent) + bits(absent - child + both, absent)) / n;
}

export function relation(childLabel, parentLabel) {
  const n = summary.data.n_rows;
  const child = summary.labels[childLabel].positives;
  const parent = summary.labels[parentLabel].positives;
  const both = together(childLabel, parentLabel);
  const present = parent ? both / parent : null;
  const without = parent < n ? (child - both) / (n - parent) : null;
  const surplus = both * n - child * parent;
  const spread = Math.sqrt(child * (n - child) * parent * (n - parent));
  return {
    both,
    present,
    without,
    sign: Math.sign(surplus),
    change: present === null || without === null ? 0 : present - without,
    dependence: 1 - uncertainty(n, child, parent, both),
    correlation: spread ? surplus / spread : 0,
  };
}

// What independent labels would often show; among rare labels a row or two is enough for that chi-square.
export function byChance(r) {
  const chiSquare = summary.data.n_rows * r.correlation ** 2;
  return chiSquare < constants.least_chi_square || (r.sign > 0 && r.both < constants.fewest_rows);
}

export const CHANCE_IN_WORDS = `chi-square below ${fixed(constants.least_chi_square, 2)}`;
