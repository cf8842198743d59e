// How likely every label is once some are known, from rows drawn parents before children: known labels are held fixed,
// and each row weighs as much as they are likely in it.

const ROWS = 10_000;
const SEED = 2463534242;

// Numbers from 0 to 1 that are the same at every visit (Marsaglia's xorshift of 32 bits).
function seeded(seed) {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

// Chances and their standard errors; null where the network rules out what is known.
export function sampledChances({ parents, rates, order }, known) {
  const { rows, weights } = weightedRows(parents, rates, order, known);
  const total = weights.reduce((a, b) => a + b, 0);
  if (!(total > 0)) return null;
  const chances = parents.map((_, label) => known.get(label) ?? weightedMean(rows[label], weights, total));
  const errors = parents.map((_, label) =>
    known.has(label) ? 0 : errorOf(rows[label], weights, total, chances[label]),
  );
  return { chances, errors };
}

function weightedMean(values, weights, total) {
  let sum = 0;
  for (let row = 0; row < values.length; row++) sum += values[row] * weights[row];
  return Math.min(1, sum / total);
}

function errorOf(values, weights, total, mean) {
  let sum = 0;
  for (let row = 0; row < values.length; row++) sum += (weights[row] * (values[row] - mean)) ** 2;
  return Math.sqrt(sum) / total;
}

function weightedRows(parents, rates, order, known) {
  const random = seeded(SEED);
  const rows = parents.map(() => new Uint8Array(ROWS));
  const logs = new Float64Array(ROWS);
  for (const label of order) {
    const likely = ratesOfRows(
      parents[label].map((parent) => rows[parent]),
      rates[label],
    );
    if (known.has(label)) {
      rows[label].fill(known.get(label));
      likely.forEach((rate, row) => {
        logs[row] += Math.log(known.get(label) ? rate : 1 - rate);
      });
    } else rows[label].set(likely.map((rate) => (random() < rate ? 1 : 0)));
  }
  const highest = logs.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const weights = logs.map((log) => (Number.isFinite(highest) ? Math.exp(log - highest) : 0));
  return { rows, weights };
}

// How likely a label is in each row, given the rows of its parents.
function ratesOfRows(group, rates) {
  const out = new Float64Array(ROWS);
  for (let row = 0; row < ROWS; row++) {
    let configuration = 0;
    for (let i = 0; i < group.length; i++) configuration |= group[i][row] << i;
    out[row] = rates[configuration];
  }
  return out;
}
