// How likely every label is once some are known, exactly: by eliminating one label after the other.

import { marginal, normalised, product, projection, reducedTable, withoutFirst } from "./factors.js";

const MOST_WIDTH = 16;
const MOST_CELLS = 1 << 21; // of all tables together

// The label with the fewest neighbours goes first, ties by index; its neighbours become neighbours of each other.
// Null where the tables would be too large.
export function eliminationOrder(parents, known) {
  const joined = neighbourSets(parents, known);
  const order = [];
  let cells = 0;
  while (joined.size) {
    const label = leastJoined(joined);
    const around = joined.get(label);
    cells += 2 << around.size;
    if (around.size > MOST_WIDTH || cells > MOST_CELLS) return null;
    joined.delete(label);
    order.push(label);
    for (const other of around) {
      for (const one of around) if (one !== other) joined.get(other).add(one);
      joined.get(other).delete(label);
    }
  }
  return order;
}

function neighbourSets(parents, known) {
  const joined = new Map();
  parents.forEach((_, label) => {
    if (!known.has(label)) joined.set(label, new Set());
  });
  parents.forEach((group, child) => {
    const clique = [child, ...group].filter((label) => !known.has(label));
    for (const label of clique) for (const other of clique) if (other !== label) joined.get(label).add(other);
  });
  return joined;
}

function leastJoined(joined) {
  let best = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const [label, around] of joined) {
    if (around.size < fewest || (around.size === fewest && label < best)) {
      best = label;
      fewest = around.size;
    }
  }
  return best;
}

// P(label = 1 | known) of all labels; null where the network rules out what is known.
export function exactChances({ parents, rates }, known, order) {
  const place = new Map(order.map((label, at) => [label, at]));
  const firstOf = (labels) => Math.min(...labels.map((label) => place.get(label)));
  const buckets = order.map(() => []);
  let possible = true;
  const hand = (factor) => {
    if (factor.labels.length) buckets[firstOf(factor.labels)].push(factor);
    else if (!(factor.values[0] > 0)) possible = false;
  };
  parents.forEach((group, label) => {
    hand(reducedTable(label, group, rates[label], known));
  });
  const cliques = [];
  const messages = [];
  order.forEach((label, at) => {
    cliques.push(product(buckets[at], label));
    messages.push(withoutFirst(cliques[at]));
    hand(messages[at]);
  });
  if (!possible) return null;
  const out = parents.map((_, label) => known.get(label) ?? 0);
  passDown(cliques, messages, firstOf).forEach((belief, at) => {
    out[order[at]] = marginal(belief, [order[at]])[1];
  });
  return out;
}

// From the last label to the first: each table hears what the rest of the network knows.
function passDown(cliques, messages, firstOf) {
  const beliefs = new Array(cliques.length);
  for (let at = cliques.length - 1; at >= 0; at--) {
    const { labels: separator, values: sent } = messages[at];
    const { labels, values } = cliques[at];
    const heard = values.slice();
    if (separator.length) {
      const above = marginal(beliefs[firstOf(separator)], separator);
      const from = projection(labels, separator);
      for (let i = 0; i < heard.length; i++) heard[i] *= sent[from[i]] ? above[from[i]] / sent[from[i]] : 0;
    }
    beliefs[at] = normalised({ labels, values: heard });
  }
  return beliefs;
}
