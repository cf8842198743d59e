// A square plot with both axes from 0 to 1, or any range across.

import { digitsOf, ticks } from "./axes.js";
import { middle, soft, svg } from "./dom.js";
import { fixed } from "./numbers.js";

const LEFT = 44;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 40;

// `across` is the range of x; returns the root and both scales.
export function plotArea(width, height, { across = [0, 1], xTitle, yTitle, label }) {
  const right = width - RIGHT;
  const bottom = height - BOTTOM;
  const [low, high] = across;
  const x = (value) => LEFT + ((value - low) / (high - low || 1)) * (right - LEFT);
  const y = (value) => bottom - value * (bottom - TOP);
  const root = svg("svg", { width, height, role: "img", "aria-label": label });
  for (const tick of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
    root.append(svg("line", { class: "grid", x1: LEFT, x2: right, y1: y(tick), y2: y(tick) }));
    root.append(soft({ x: LEFT - 7, y: y(tick) + 4, "text-anchor": "end", text: fixed(tick, 1) }));
  }
  const marks = ticks(low, high, Math.max(2, Math.floor((right - LEFT) / 70)));
  for (const tick of marks) {
    root.append(svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: TOP, y2: bottom }));
    root.append(middle({ class: "soft", x: x(tick), y: bottom + 16, text: fixed(tick, digitsOf(marks)) }));
  }
  root.append(middle({ class: "soft", x: (LEFT + right) / 2, y: height - 4, text: xTitle }));
  root.append(soft({ x: LEFT + 4, y: TOP + 12, text: yTitle, class: "soft halo" }));
  const value = (px) => low + ((px - LEFT) / (right - LEFT)) * (high - low);
  return { root, x, y, value, top: TOP, bottom };
}

// A path through points; gaps where there is no value.
export function pathOf(points) {
  let pen = "M";
  return points
    .map(([x, y]) => {
      if (x === null || y === null) {
        pen = "M";
        return "";
      }
      const step = `${pen}${x.toFixed(1)} ${y.toFixed(1)}`;
      pen = "L";
      return step;
    })
    .join(" ");
}
