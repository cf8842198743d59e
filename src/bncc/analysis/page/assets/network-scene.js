// What is drawn where: the whole network in layers, or one label with its neighbours.

import { layout } from "./data.js";
import { strongestFirst } from "./network-graph.js";

const MOST = 16; // neighbours on either side
const ROW = 36;
const RIM = 20;
const GAP = 110; // between the columns
const NARROW = 520; // pixels below which labels are stacked
const BESIDE = 8; // between labels of a line

export const widthOf = (label) => layout.widths[label];

export function wholeScene(graph) {
  const centres = layout.x.map((x, label) => [label, { x, y: layout.y[label] }]);
  return {
    centres: new Map(centres),
    edges: graph.kept,
    width: layout.width,
    height: layout.height,
    hidden: 0,
    downward: true,
  };
}

// Where there is room, parents on the left and children on the right: lists that stay readable however long they are.
export function nearScene(graph, label, space) {
  const up = strongestFirst(graph.into[label]).slice(0, MOST);
  const down = strongestFirst(graph.outOf[label]).slice(0, MOST);
  const edges = [...up, ...down];
  const hidden = graph.into[label].length + graph.outOf[label].length - edges.length;
  const parents = up.map((edge) => edge.parent);
  const children = down.map((edge) => edge.child);
  const place = space < NARROW ? stacked : sideBySide;
  return { ...place(parents, label, children, space), edges, hidden };
}

function sideBySide(parents, label, children) {
  const height = Math.max(parents.length, children.length, 3) * ROW + 24;
  const middle = RIM + (parents.length ? widest(parents) + GAP : 0);
  const right = middle + widthOf(label) + GAP;
  const centres = new Map([
    ...column(parents, height, (one) => middle - GAP - widthOf(one) / 2),
    [label, { x: middle + widthOf(label) / 2, y: height / 2 }],
    ...column(children, height, (one) => right + widthOf(one) / 2),
  ]);
  const width = (children.length ? right + widest(children) : right - GAP) + RIM;
  return { centres, width, height };
}

// On a phone: parents above, children below, in as many lines as they need.
function stacked(parents, label, children, space) {
  const centres = new Map();
  let y = ROW / 2;
  for (const part of [parents, [label], children]) {
    for (const line of linesOf(part, space)) {
      let x = (space - lengthOf(line)) / 2;
      for (const one of line) {
        centres.set(one, { x: x + widthOf(one) / 2, y });
        x += widthOf(one) + BESIDE;
      }
      y += 1.25 * ROW;
    }
    if (part.length) y += ROW / 2;
  }
  return { centres, width: space, height: y - ROW, downward: true };
}

const lengthOf = (line) => line.reduce((sum, one) => sum + widthOf(one) + BESIDE, -BESIDE);

function linesOf(labels, space) {
  const lines = [];
  for (const label of labels) {
    const last = lines.at(-1);
    if (last && lengthOf([...last, label]) <= space - 2 * BESIDE) last.push(label);
    else lines.push([label]);
  }
  return lines;
}

const widest = (labels) => Math.max(0, ...labels.map(widthOf));

function column(labels, height, x) {
  const top = (height - labels.length * ROW) / 2 + ROW / 2;
  return labels.map((label, i) => [label, { x: x(label), y: top + i * ROW }]);
}
