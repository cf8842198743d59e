// Labels of the network: drawn, focused one at a time, and marked when one is selected.

import { constants, layout } from "./data.js";
import { svg } from "./dom.js";
import { cut, names } from "./names.js";
import { neighboursOf } from "./network-graph.js";
import { widthOf } from "./network-scene.js";
import { bringIntoView, nameFromAfar } from "./network-view.js";
import { labelCard, spoken } from "./network-words.js";
import { select, selection } from "./selection.js";
import { hideTip, showTip } from "./tip.js";
import { isAsked, now, setValue } from "./what-if-data.js";

const MARKS = { 1: "✓", 0: "✗" };

export function drawNode(drawing, label) {
  const { graph } = drawing;
  const attributes = {
    class: graph.hubs.has(label) ? "node hub" : "node",
    role: "button",
    tabindex: "-1",
    "data-label": label,
    "aria-label": spoken(graph, label),
    "aria-pressed": "false",
  };
  const group = svg("g", attributes, ...shapes(graph, label, drawing.centres.get(label)));
  watchNode(drawing, label, group);
  return group;
}

function shapes(graph, label, { x, y }) {
  const width = widthOf(label);
  const half = constants.half_height;
  const left = x - width / 2;
  const baseline = y + 4;
  const name = { x: x + layout.number_width / 2 + 3, y: baseline, text: cut(names[label], constants.longest_name) };
  return [
    svg("circle", { cx: x, cy: y, r: 5 }),
    svg("rect", { x: left, y: y - half, width, height: 2 * half, rx: half }),
    svg("text", { class: "place", x: left + 10, y: baseline, text: graph.positionOf.get(label) }),
    svg("text", { class: "label", "text-anchor": "middle", ...name }),
    svg("rect", { class: "chance-track", x: left + half, y: y + half - 4, width: width - 2 * half, height: 3 }),
    svg("rect", { class: "chance", x: left + half, y: y + half - 4, width: 0, height: 3 }),
  ];
}

function watchNode(drawing, label, group) {
  group.addEventListener("click", () => {
    if (!drawing.moved) choose(label);
  });
  group.addEventListener("pointermove", (event) => {
    if (!drawing.drag) showTip(labelCard(drawing.graph, label), { x: event.clientX, y: event.clientY });
  });
  group.addEventListener("pointerleave", hideTip);
  group.addEventListener("focus", () => {
    rove(drawing, label);
    if (!group.matches(":focus-visible")) return;
    bringIntoView(drawing, label);
    const box = group.getBoundingClientRect();
    showTip(labelCard(drawing.graph, label), { x: box.left, y: box.bottom - 10 }, { ofFocus: true });
  });
  group.addEventListener("blur", hideTip);
}

// How likely each label is, as a bar at its foot, once one is set; set labels are marked.
export function showChances(drawing) {
  const chances = isAsked() ? now().chances : null;
  drawing.root.classList.toggle("asked", chances !== null);
  for (const [label, group] of drawing.nodes) {
    const value = setValue(label);
    const room = widthOf(label) - 2 * constants.half_height;
    group.classList.toggle("set", value !== null);
    group.querySelector(".place").textContent = MARKS[value] ?? drawing.graph.positionOf.get(label);
    group.querySelector(".chance").setAttribute("width", chances ? room * chances[label] : 0);
    group.setAttribute("aria-label", spoken(drawing.graph, label));
  }
}

export function choose(label) {
  hideTip();
  select(label);
}

// One label takes part in the order of the Tab key.
export function rove(drawing, label) {
  for (const group of drawing.root.querySelectorAll('.node[tabindex="0"]')) group.setAttribute("tabindex", "-1");
  if (drawing.nodes.has(label)) drawing.nodes.get(label).setAttribute("tabindex", "0");
}

export function highlight(drawing) {
  const { graph, mode, nodes, root } = drawing;
  const current = selection.label;
  const near = current === null ? new Set() : neighboursOf(graph, current);
  const fades = mode === "whole" && current !== null;
  for (const [label, group] of nodes) {
    group.classList.toggle("chosen", label === current);
    group.classList.toggle("near", near.has(label));
    group.classList.toggle("faint", fades && label !== current && !near.has(label));
    group.setAttribute("aria-pressed", String(label === current));
  }
  for (const group of root.querySelectorAll(".edge")) {
    const touches = group.dataset.edge.split(" ").map(Number).includes(current);
    group.classList.toggle("faint", fades && !touches);
    group.classList.toggle("strong", touches);
  }
  nameFromAfar(drawing);
}
