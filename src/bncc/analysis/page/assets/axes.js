// Axes of charts: round values, the digits they need, and room for names beside them.

// Round values from low to high, about `count` of them and never fewer than two.
export function ticks(low, high, count) {
  const raw = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999);
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) {
    out.push(Number((i * step).toPrecision(12)));
  }
  return out.length < 2 && count < 20 ? ticks(low, high, count + 1) : out;
}

export function digitsOf(marks) {
  if (marks.length < 2) return 3;
  return Math.max(0, Math.min(6, Math.ceil(-Math.log10(marks[1] - marks[0]) - 1e-9)));
}

// The ends of values with some air around them.
export function padded(values, share) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const pad = (high - low) * share || 0.01;
  return [low - pad, high + pad];
}

export function gutter(width, texts, most = 0.36) {
  const longest = Math.max(...texts.map((text) => Math.min(26, Array.from(text).length)));
  return Math.min(width * most, 16 + 7.6 * longest);
}

export const letters = (space) => Math.max(4, Math.floor((space - 12) / 7.2));
