// The network by keyboard: arrows go from label to label, Enter selects, plus and minus zoom, 0 shows all; y, n and u
// say that a label is there, is not, or is unknown.

import { childrenOf, parentsOf } from "./network-graph.js";
import { choose } from "./network-nodes.js";
import { fitView, zoomView } from "./network-view.js";
import { canAsk, setLabel } from "./what-if-data.js";

const TOWARD = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
const ZOOMS = { "+": 0.8, "=": 0.8, "-": 1.25 };
const VALUES = { y: 1, n: 0, u: null };

export function watchKeys(drawing) {
  drawing.root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (answered(drawing, event.key, event.target.closest(".node"))) event.preventDefault();
  });
}

function answered(drawing, key, group) {
  if (ZOOMS[key]) zoomView(drawing, ZOOMS[key]);
  else if (key === "0") fitView(drawing);
  else if (!group) return false;
  else if (TOWARD[key]) {
    const next = nextLabel(drawing, Number(group.dataset.label), TOWARD[key]);
    if (next !== null) drawing.nodes.get(next).focus({ preventScroll: true });
  } else if (key === "Enter" || key === " ") choose(Number(group.dataset.label));
  else if (key in VALUES && canAsk()) setLabel(Number(group.dataset.label), VALUES[key]);
  else return false;
  return true;
}

// Along the way that edges run: a parent or a child; otherwise the nearest label on that side.
function nextLabel(drawing, label, [dx, dy]) {
  const { graph, centres } = drawing;
  const along = drawing.downward ? dy : dx;
  const linked = along < 0 ? parentsOf(graph, label) : along > 0 ? childrenOf(graph, label) : [];
  const reachable = linked.filter((other) => centres.has(other));
  const origin = centres.get(label);
  let best = null;
  let least = Number.POSITIVE_INFINITY;
  for (const other of reachable.length ? reachable : centres.keys()) {
    const x = centres.get(other).x - origin.x;
    const y = centres.get(other).y - origin.y;
    const ahead = x * dx + y * dy;
    const cost = ahead + 3 * (Math.abs(x * dy) + Math.abs(y * dx));
    if (other === label || (!reachable.length && ahead <= 0.5) || cost >= least) continue;
    best = other;
    least = cost;
  }
  return best;
}
