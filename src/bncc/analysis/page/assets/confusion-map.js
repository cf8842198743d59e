// The map of confused labels: a square for every pair, darker for more rows.

import { letters } from "./axes.js";
import { el, svg } from "./dom.js";
import { bdi, cut, names } from "./names.js";
import { fixed, plural } from "./numbers.js";
import { select } from "./selection.js";
import { hints } from "./tip.js";

const MOST = 24;
const WIDEST = 52;

// The labels of the pairs with most rows beyond chance, in the order in which they come.
function labelsOf(pairs, most) {
  const seen = new Set();
  for (const pair of pairs) {
    const fresh = [pair.first, pair.second].filter((label) => !seen.has(label));
    if (seen.size + fresh.length > most) break;
    for (const label of fresh) seen.add(label);
  }
  return [...seen].sort((a, b) => a - b);
}

export function confusionMap(width, pairs) {
  const margin = Math.min(150, width * 0.34);
  const labels = labelsOf(pairs, Math.min(MOST, Math.floor((width - margin) / 13)));
  const side = Math.min(WIDEST, (width - margin) / Math.max(1, labels.length));
  const size = margin + side * labels.length;
  const place = new Map(labels.map((label, i) => [label, margin + i * side]));
  const shown = pairs.filter((pair) => place.has(pair.first) && place.has(pair.second));
  const most = Math.max(1, ...shown.map((pair) => pair.rows));
  const count = plural(shown.length, "confused pair");
  const words = `Map of ${count} of ${plural(labels.length, "label")}; listed beside it`;
  const root = svg("svg", { width, height: size + 2, role: "img", "aria-label": words });
  root.append(...labels.flatMap((label) => nameMarks(label, place.get(label) + side / 2, margin)));
  root.append(...gridLines(labels, margin, side));
  for (const pair of shown) root.append(cell(pair, place, side, most));
  return root;
}

function nameMarks(label, middle, margin) {
  const text = cut(names[label], letters(margin));
  const turned = `translate(${middle + 4} ${margin - 6}) rotate(-90)`;
  return [
    svg("text", { x: margin - 6, y: middle + 4, "text-anchor": "end", text }),
    svg("text", { transform: turned, text }),
  ];
}

function gridLines(labels, margin, side) {
  const end = margin + side * labels.length;
  return [...labels, null].flatMap((_, i) => {
    const at = margin + i * side;
    return [
      svg("line", { class: "grid", x1: at, x2: at, y1: margin, y2: end }),
      svg("line", { class: "grid", x1: margin, x2: end, y1: at, y2: at }),
    ];
  });
}

function cell(pair, place, side, most) {
  const x = place.get(pair.second);
  const y = place.get(pair.first);
  const opacity = 0.15 + 0.85 * Math.sqrt(pair.rows / most);
  const square = { x: x + 1, y: y + 1, width: Math.max(1, side - 2), height: Math.max(1, side - 2), opacity };
  const group = svg(
    "g",
    { class: "pair", onclick: () => select(pair.first) },
    svg("rect", { class: "fill-less", ...square }),
  );
  if (side >= 22) {
    const ink = opacity > 0.6 ? "on-dark" : "";
    group.append(
      svg("text", { class: ink, x: x + side / 2, y: y + side / 2 + 4, "text-anchor": "middle", text: pair.rows }),
    );
  }
  return hints(group, () => [
    el("b", {}, bdi(names[pair.first], 40), " missed, ", bdi(names[pair.second], 40), " said"),
    el("div", { text: `${plural(pair.rows, "row")}, by chance ${fixed(pair.expected, 1)}` }),
  ]);
}
