// The part of the network that is in view: all of it, zoomed, moved; and which labels are named from afar.

import { constants, layout } from "./data.js";
import { cut, names } from "./names.js";
import { neighboursOf } from "./network-graph.js";
import { widthOf } from "./network-scene.js";
import { selection } from "./selection.js";
import { hideTip } from "./tip.js";

const NARROWEST = 160;
const FAR = 0.72; // scale below which labels are points
const PHONE = 520; // pixels below which points with few names say too little
const DRAGGED = 5; // pixels from which on a press is no click

const isLargeWhole = (drawing) => drawing.graph.large && drawing.mode === "whole";
const frameWidth = (drawing) => drawing.frame.clientWidth || 640;
const isFar = (drawing, scale) => drawing.mode === "whole" && scale < FAR;

// Whether the whole network says something at this width.
export function isReadable(drawing) {
  return frameWidth(drawing) >= PHONE || frameWidth(drawing) / layout.width >= FAR;
}

export function setExtent(drawing, scene) {
  const far = isFar(drawing, frameWidth(drawing) / scene.width);
  const rim = isLargeWhole(drawing) || far ? 40 : 0; // for names above the topmost dots
  drawing.extent = { x: -rim, y: -rim, w: scene.width + 2 * rim, h: scene.height + 2 * rim };
  drawing.root.classList.toggle("large", isLargeWhole(drawing));
}

export function fitView(drawing) {
  const { extent, root } = drawing;
  const width = frameWidth(drawing);
  const most = isLargeWhole(drawing) ? 620 : drawing.mode === "whole" ? 560 : 1000;
  const height = Math.round(Math.min(most, Math.max(240, (width * extent.h) / extent.w)));
  const grow = Math.max(extent.w / width, extent.h / height, 0.72);
  const [w, h] = [width * grow, height * grow];
  root.setAttribute("height", height);
  drawing.view = { x: extent.x + (extent.w - w) / 2, y: extent.y + (extent.h - h) / 2, w, h };
  applyView(drawing);
}

function applyView(drawing) {
  const { view, root } = drawing;
  root.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  drawing.scale = frameWidth(drawing) / view.w;
  root.classList.toggle("far", isFar(drawing, drawing.scale));
  root.style.setProperty("--unit", String(1 / drawing.scale));
  nameFromAfar(drawing);
}

// Moved as little as needed to lie between two ends; where that has moved out of sight, as it is.
function within(value, low, high) {
  const nearest = Math.min(Math.max(value, low), high);
  return Math.abs(nearest - value) > (high - low) / 4 ? value : nearest;
}

// From afar only labels that matter now are named, and only where names do not cover each other.
export function nameFromAfar(drawing) {
  const { graph, root, scale, centres, nodes, view } = drawing;
  if (!root.classList.contains("far")) return;
  const label = selection.label;
  const others = graph.large ? graph.hubs : [...graph.hubs, ...graph.order];
  const wanted = label === null ? new Set(others) : new Set([label, ...neighboursOf(graph, label), ...others]);
  const taken = [];
  for (const group of root.querySelectorAll(".node.named")) group.classList.remove("named");
  for (const one of wanted) {
    const half = (Array.from(cut(names[one], constants.longest_name)).length * 3.5) / scale;
    const { x: centre, y } = centres.get(one);
    const x = within(centre, view.x + half, view.x + view.w - half);
    const covers = (other) => Math.abs(other.x - x) < other.half + half && Math.abs(other.y - y) < 16 / scale;
    if (taken.some(covers)) continue;
    taken.push({ x, y, half });
    nodes.get(one).classList.add("named");
    nodes.get(one).style.setProperty("--aside", `${x - centre}px`);
  }
}

export function zoomView(drawing, factor, around) {
  const { view, extent } = drawing;
  const w = Math.min(Math.max(view.w * factor, NARROWEST), 4 * extent.w + 400);
  const real = w / view.w;
  const centre = around || { x: view.x + view.w / 2, y: view.y + view.h / 2 };
  const start = (middle, from) => middle - (middle - from) * real;
  drawing.view = { x: start(centre.x, view.x), y: start(centre.y, view.y), w, h: view.h * real };
  applyView(drawing);
}

// How far a window must move to hold both ends.
function shiftTo(from, size, low, high) {
  if (low < from) return low - from;
  return high > from + size ? high - from - size : 0;
}

export function bringIntoView(drawing, label) {
  const { view, centres } = drawing;
  const centre = centres.get(label);
  if (!centre) return;
  const aside = widthOf(label) / 2 + 6;
  const above = constants.half_height + 6;
  const dx = shiftTo(view.x, view.w, centre.x - aside, centre.x + aside);
  const dy = shiftTo(view.y, view.h, centre.y - above, centre.y + above);
  if (dx || dy) {
    view.x += dx;
    view.y += dy;
    applyView(drawing);
  }
}

function pointWithin({ root, view }, event) {
  const box = root.getBoundingClientRect();
  const share = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  return { x: view.x + share[0] * view.w, y: view.y + share[1] * view.h };
}

export function watchPointer(drawing) {
  const { root } = drawing;
  root.addEventListener("pointerdown", (event) => {
    drawing.drag = { x: event.clientX, y: event.clientY, view: { ...drawing.view }, id: event.pointerId };
    drawing.moved = false;
  });
  root.addEventListener("pointermove", (event) => drag(drawing, event));
  for (const end of ["pointerup", "pointercancel"]) {
    root.addEventListener(end, () => {
      drawing.drag = null;
      root.classList.remove("dragging");
    });
  }
  const wheel = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomView(drawing, event.deltaY > 0 ? 1.15 : 1 / 1.15, pointWithin(drawing, event));
  };
  root.addEventListener("wheel", wheel, { passive: false });
}

function drag(drawing, event) {
  const { drag: start, root, view, scale } = drawing;
  if (!start) return;
  const dx = event.clientX - start.x;
  const dy = event.clientY - start.y;
  if (!drawing.moved && Math.hypot(dx, dy) < DRAGGED) return;
  if (!drawing.moved) {
    drawing.moved = true;
    root.setPointerCapture(start.id);
    root.classList.add("dragging");
    hideTip();
  }
  view.x = start.view.x - dx / scale;
  view.y = start.view.y - dy / scale;
  applyView(drawing);
}
