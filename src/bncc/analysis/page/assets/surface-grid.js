// One grid of scores over sigma and C, and how its axes are written.

import { soft, svg } from "./dom.js";
import { isUpward } from "./metrics.js";
import { fixed } from "./numbers.js";

export function bestCell(surface) {
  const up = isUpward(surface.metric);
  let best = null;
  surface.values.forEach((row, i) => {
    row.forEach((value, j) => {
      if (value === null || (best !== null && (up ? value <= best.value : value >= best.value))) return;
      best = { i, j, value, C: surface.Cs[i], sigma: surface.sigmas[j] };
    });
  });
  return best;
}

// The ends of the scores, and for a score its share of the way from the lowest, or from the worst, to the other end.
export function scoreRange(surface) {
  const known = surface.values.flat().filter((value) => value !== null);
  const low = Math.min(...known);
  const high = Math.max(...known);
  const heightOf = (value) => (high > low ? (value - low) / (high - low) : 1);
  const goodness = (value) => (isUpward(surface.metric) ? heightOf(value) : 1 - heightOf(value));
  const words = `of ${surface.metric} over sigma and C, from ${fixed(low, 3)} to ${fixed(high, 3)}`;
  return { low, high, heightOf, goodness, words };
}

const isPower = (value) => Math.abs(Math.log2(value) - Math.round(Math.log2(value))) < 1e-9;

// Values of one axis as powers of two where all of them are.
export function axisText(values, i, attributes) {
  if (!values.every(isPower)) return soft({ ...attributes, text: String(Number(values[i].toPrecision(3))) });
  const exponent = String(Math.round(Math.log2(values[i]))).replace("-", "−");
  const text = soft(attributes);
  text.append(svg("tspan", { text: "2" }), svg("tspan", { dy: -4, "font-size": 9, text: exponent }));
  return text;
}
