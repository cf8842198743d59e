// What is drawn where: the whole network in layers, or one label with its neighbours.

import { layout } from "./data.js";
import { strongestFirst } from "./network-graph.js";

const MOST = 16; // neighbours on either side
const ROW = 36;
const RIM = 20;

export const widthOf = (label) => layout.widths[label];

export function wholeScene(graph) {
  const centres = layout.x.map((x, label) => [label, { x, y: layout.y[label] }]);
  return { centres: new Map(centres), edges: graph.kept, width: layout.width, height: layout.height, hidden: 0 };
}

// Parents on the left, children on the right: lists that stay readable however long they are.
export function nearScene(graph, label, space) {
  const gap = space < 520 ? 44 : 110;
  const up = strongestFirst(graph.into[label]).slice(0, MOST);
  const down = strongestFirst(graph.outOf[label]).slice(0, MOST);
  const parents = up.map((edge) => edge.parent);
  const children = down.map((edge) => edge.child);
  const height = Math.max(up.length, down.length, 3) * ROW + 24;
  const middle = RIM + (parents.length ? widest(parents) + gap : 0);
  const right = middle + widthOf(label) + gap;
  const centres = new Map([
    ...column(parents, height, (one) => middle - gap - widthOf(one) / 2),
    [label, { x: middle + widthOf(label) / 2, y: height / 2 }],
    ...column(children, height, (one) => right + widthOf(one) / 2),
  ]);
  const width = (children.length ? right + widest(children) : right - gap) + RIM;
  const edges = [...up, ...down];
  const hidden = graph.into[label].length + graph.outOf[label].length - edges.length;
  return { centres, edges, width, height, hidden };
}

const widest = (labels) => Math.max(0, ...labels.map(widthOf));

function column(labels, height, x) {
  const top = (height - labels.length * ROW) / 2 + ROW / 2;
  return labels.map((label, i) => [label, { x: x(label), y: top + i * ROW }]);
}
