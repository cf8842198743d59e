// A figure as a small bar: its interval alone, the wider one for all labels at once, and a mark at the value.

import { svg } from "./dom.js";

export function intervalBar({ value, low, high, lowest, highest }) {
  const part = (from, to, style) => {
    return svg("rect", { class: style, x: 100 * from, width: Math.max(0.5, 100 * (to - from)), height: 10 });
  };
  return svg(
    "svg",
    { class: "interval-cell", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "bg", width: 100, height: 10 }),
    part(lowest, highest, "together"),
    part(low, high, "alone"),
    svg("rect", { class: "value", x: Math.min(98, Math.max(0, 100 * value - 1)), width: 2, height: 10 }),
  );
}
