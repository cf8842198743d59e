// Methods on an axis of ranks; bars join what does not differ.

import { gutter, letters } from "./axes.js";
import { el, middle, svg } from "./dom.js";
import { bdi, methodName, shown } from "./names.js";
import { fixed, plural } from "./numbers.js";
import { hints } from "./tip.js";

const ROW = 22;
const BAR = 9;

export function ranksInWords(entry) {
  if (!entry) return "Ranks need two methods tested on the same data, and a metric whose direction is known.";
  if (entry.critical_difference === null) {
    return [
      `Over ${plural(entry.n, "fold")} of one data set; 1 is best. Folds share their training rows, so no critical`,
      "difference is given: test across data sets.",
    ].join(" ");
  }
  const test = `Nemenyi, α = ${entry.alpha}, critical difference ${fixed(entry.critical_difference, 3)}`;
  const bars = "Methods joined by a bar do not differ significantly";
  return `Over ${plural(entry.n, "data set")}; 1 is best. ${bars} (${test}).`;
}

// The better half is named on the left and the others on the right; where there is no room for names on both sides, all
// are named on the left.
function measure(width, entry) {
  const count = entry.methods.length;
  const narrow = width < 520;
  const named = entry.methods.map((method) => `${shown(method)} 0.00`);
  const side = gutter(width, named, narrow ? 0.48 : 0.36) + 6;
  const right = width - (narrow ? 14 : side);
  const top = entry.critical_difference === null ? 24 : 54;
  const onLeft = narrow ? count : Math.ceil(count / 2);
  const namesTop = top + 14 + entry.groups.length * BAR + 14;
  const x = (rank) => side + ((rank - 1) / Math.max(1, count - 1)) * (right - side);
  return { count, side, left: side, right, top, onLeft, namesTop, height: namesTop + onLeft * ROW + 6, x };
}

export function rankDiagram(width, entry) {
  const space = measure(width, entry);
  const words = entry.methods.map((method, i) => `${methodName(method)} ${fixed(entry.ranks[i], 2)}`);
  const label = `Average ranks: ${words.join(", ")}`;
  const root = svg("svg", { width, height: space.height, role: "img", "aria-label": label });
  drawAxis(root, space);
  if (entry.critical_difference !== null) drawDifference(root, entry.critical_difference, space);
  entry.groups.forEach(([first, last], i) => {
    const y = space.top + 14 + i * BAR;
    const ends = { x1: space.x(entry.ranks[first]) - 4, x2: space.x(entry.ranks[last]) + 4 };
    root.append(svg("line", { class: "clique", ...ends, y1: y, y2: y }));
  });
  entry.methods.forEach((method, i) => {
    const card = () => [
      el("b", {}, bdi(shown(method), 60)),
      el("div", { text: `average rank ${fixed(entry.ranks[i], 3)}` }),
    ];
    root.append(hints(drawMethod(method, entry.ranks[i], i, space), card));
  });
  return root;
}

function drawAxis(root, { x, left, right, top, count }) {
  root.append(svg("line", { class: "axis", x1: left, x2: right, y1: top, y2: top }));
  const every = Math.ceil(count / Math.max(2, (right - left) / 26));
  for (let rank = 1; rank <= count; rank++) {
    const marked = ((rank - 1) % every === 0 && count - rank >= every) || rank === count;
    root.append(svg("line", { class: "axis", x1: x(rank), x2: x(rank), y1: top - (marked ? 7 : 4), y2: top }));
    if (marked) root.append(middle({ class: "soft", x: x(rank), y: top - 11, text: rank }));
  }
}

function drawDifference(root, difference, { x, top, count }) {
  const end = Math.min(1 + difference, count);
  const beyond = difference > count - 1;
  const line = `M${x(1)} ${top - 34} v8 M${x(1)} ${top - 30} H${x(end)}`;
  root.append(svg("path", { class: "whisker", d: beyond ? line : `${line} M${x(end)} ${top - 34} v8` }));
  root.append(middle({ x: (x(1) + x(end)) / 2, y: top - 38, text: `CD ${fixed(difference, 2)}` }));
}

function drawMethod(method, rank, i, space) {
  const isLeft = i < space.onLeft;
  const at = space.x(rank);
  const y = space.namesTop + (isLeft ? i : space.count - 1 - i) * ROW + 10;
  const end = isLeft ? space.left - 4 : space.right + 4;
  return svg(
    "g",
    {},
    svg("path", { class: "leader", d: `M${at} ${space.top} V${y} H${end}` }),
    svg("circle", { class: "dot", cx: at, cy: space.top, r: 3.5 }),
    svg(
      "text",
      { x: isLeft ? end - 4 : end + 4, y: y + 4, "text-anchor": isLeft ? "end" : "start" },
      svg("tspan", { text: methodName(method, letters(space.side - 36)) }),
      svg("tspan", { class: "soft", dx: 6, text: fixed(rank, 2) }),
    ),
  );
}
