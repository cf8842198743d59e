// Edges as lines: an arrow for more likely, a bar for less, told apart without colour.

import { constants } from "./data.js";
import { svg } from "./dom.js";
import { signOf, strength } from "./network-graph.js";
import { widthOf } from "./network-scene.js";
import { edgeCard } from "./network-words.js";
import { hints } from "./tip.js";

const TIP_GAP = 4; // between the tip of an edge and its child
const PALE = 0.4; // an edge that chance would explain
const LIFT = 0.14; // how far an edge that was not kept bows from the straight line

export function drawEdge(drawing, edge) {
  const sign = signOf(edge);
  const { line, tip } = route(drawing, edge, sign);
  const group = svg(
    "g",
    {
      class: `edge ${kindOf(edge, sign)}`,
      "data-edge": `${edge.parent} ${edge.child}`,
      "stroke-width": 1.3 + 3 * strength(edge),
      "stroke-opacity": edge.sure === false ? PALE : null,
    },
    svg("path", { d: line, "stroke-dasharray": edge.kept && sign < 0 ? "7 4" : null }),
    tip ? svg("path", { d: tip }) : null,
    svg("path", { d: line, stroke: "transparent", "stroke-width": 12 }),
  );
  return hints(group, () => edgeCard(edge));
}

function kindOf(edge, sign) {
  if (!edge.kept) return edge.missed ? "missed" : "dropped";
  return sign > 0 ? "more" : sign < 0 ? "less" : "";
}

function route(drawing, edge, sign) {
  const from = drawing.centres.get(edge.parent);
  const to = drawing.centres.get(edge.child);
  if (!edge.kept) return bowed(from, to);
  if (drawing.downward) return downwards(from, drawing.mode === "whole" ? edge.bends : [], to, sign);
  return across(
    { x: from.x + widthOf(edge.parent) / 2, y: from.y },
    { x: to.x - widthOf(edge.child) / 2, y: to.y },
    sign,
  );
}

const rounded = (value) => Math.round(value * 10) / 10;

function downwards(from, bends, to, sign) {
  const start = { x: from.x, y: from.y + constants.half_height };
  const end = { x: to.x, y: to.y - constants.half_height - TIP_GAP };
  const points = [start, ...bends.map(([x, y]) => ({ x, y })), end];
  const lean = points.map((_, i) => leanAt(points, i));
  let line = `M${start.x} ${start.y}`;
  for (let i = 1; i < points.length; i++) {
    const p = points[i - 1];
    const q = points[i];
    const bend = (q.y - p.y) / 2;
    const leaving = `${rounded(p.x + lean[i - 1] * bend)} ${p.y + bend}`;
    const arriving = `${rounded(q.x - lean[i] * bend)} ${q.y - bend}`;
    line += ` C${leaving} ${arriving} ${q.x} ${q.y}`;
  }
  const arrow = `M${end.x - 5} ${end.y - 6} L${end.x} ${end.y + 2} L${end.x + 5} ${end.y - 6}`;
  return { line, tip: sign < 0 ? `M${end.x - 7} ${end.y + 1} h14` : arrow };
}

// Upright at both ends; between them a bend leans from the point before it to the point after.
function leanAt(points, i) {
  if (i === 0 || i === points.length - 1) return 0;
  return (points[i + 1].x - points[i - 1].x) / (points[i + 1].y - points[i - 1].y);
}

function across(from, to, sign) {
  const x = to.x - TIP_GAP;
  const bend = (x - from.x) / 2;
  const line = `M${from.x} ${from.y} C${from.x + bend} ${from.y} ${x - bend} ${to.y} ${x} ${to.y}`;
  const arrow = `M${x - 6} ${to.y - 5} L${x + 2} ${to.y} L${x - 6} ${to.y + 5}`;
  return { line, tip: sign < 0 ? `M${x + 1} ${to.y - 7} v14` : arrow };
}

function bowed(from, to) {
  const x = (from.x + to.x) / 2 + (to.y - from.y) * LIFT;
  const y = (from.y + to.y) / 2 - (to.x - from.x) * LIFT;
  return { line: `M${from.x} ${from.y} Q${x} ${y} ${to.x} ${to.y}`, tip: null };
}
