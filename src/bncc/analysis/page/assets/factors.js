// Tables of numbers over labels: bit i of an index is the value of labels[i].

// For every index over `labels`, the index over `onto`, which are some of them.
export function projection(labels, onto) {
  const bits = labels.map((label) => (onto.includes(label) ? 1 << onto.indexOf(label) : 0));
  const out = new Int32Array(1 << labels.length);
  for (let at = 1; at < out.length; at++) {
    const lowest = 31 - Math.clz32(at & -at);
    out[at] = out[at & (at - 1)] | bits[lowest];
  }
  return out;
}

// The table of a label given its parents, over those of them that are not known.
export function reducedTable(label, parents, rates, known) {
  const labels = [label, ...parents].filter((one) => !known.has(one));
  const values = new Float64Array(1 << labels.length);
  const place = new Map(labels.map((one, i) => [one, i]));
  const valueAt = (one, at) => (known.has(one) ? known.get(one) : (at >> place.get(one)) & 1);
  for (let at = 0; at < values.length; at++) {
    let configuration = 0;
    parents.forEach((parent, i) => {
      configuration |= valueAt(parent, at) << i;
    });
    const rate = rates[configuration];
    values[at] = valueAt(label, at) ? rate : 1 - rate;
  }
  return { labels, values };
}

// All factors multiplied, scaled to a largest value of 1; `first` is the label of the lowest bit.
export function product(factors, first) {
  const others = new Set(factors.flatMap((factor) => factor.labels));
  others.delete(first);
  const labels = [first, ...[...others].sort((a, b) => a - b)];
  const values = new Float64Array(1 << labels.length).fill(1);
  for (const factor of factors) {
    const from = projection(labels, factor.labels);
    for (let at = 0; at < values.length; at++) values[at] *= factor.values[from[at]];
  }
  return { labels, values: scaled(values, Math.max) };
}

function scaled(values, join) {
  const whole = values.reduce((a, b) => join(a, b), 0);
  return whole ? values.map((value) => value / whole) : values;
}

export const normalised = ({ labels, values }) => ({ labels, values: scaled(values, (a, b) => a + b) });

// The factor without its first label, summed over its two values.
export function withoutFirst({ labels, values }) {
  const summed = new Float64Array(values.length / 2);
  for (let at = 0; at < summed.length; at++) summed[at] = values[2 * at] + values[2 * at + 1];
  return { labels: labels.slice(1), values: summed };
}

// Summed over all labels but some.
export function marginal({ labels, values }, onto) {
  const to = projection(labels, onto);
  const summed = new Float64Array(1 << onto.length);
  for (let at = 0; at < values.length; at++) summed[to[at]] += values[at];
  return summed;
}
