// Score over the width of the kernel and the cost: a map where both were varied, a line where one was.

import { chart, choice } from "./chart.js";
import { summary } from "./data.js";
import { body, el, hint, press } from "./dom.js";
import { directionOf, metricOf } from "./metrics.js";
import { methodName, shown } from "./names.js";
import { compact, fixed } from "./numbers.js";
import { bestCell } from "./surface-grid.js";
import { surfaceHill } from "./surface-hill.js";
import { surfaceLine } from "./surface-line.js";
import { surfaceMap } from "./surface-map.js";

const TITLES = { dataset: "Data set", method: "Method", metric: "Metric" };

const isGrid = (surface) => surface.Cs.length > 1 && surface.sigmas.length > 1;

export function drawSurface() {
  const state = { surface: summary.results.surfaces[0], view: "flat" };
  const plot = chart((width) => drawView(width, state));
  const controls = el("div", { class: "controls" });
  const note = hint();
  const buttons = {
    flat: el("button", { type: "button", text: "Map" }),
    raised: el("button", { type: "button", text: "Surface" }),
  };
  const views = el("span", { class: "group", role: "group", "aria-label": "View" }, ...Object.values(buttons));
  const change = (changed) => {
    Object.assign(state, changed);
    controls.replaceChildren(...surfaceChoices(state.surface, (surface) => change({ surface })));
    if (isGrid(state.surface)) controls.append(views);
    press(buttons, state.view);
    note.textContent = surfaceInWords(state.surface);
    plot.redraw();
  };
  for (const [view, button] of Object.entries(buttons)) button.addEventListener("click", () => change({ view }));
  body("sensitivity").append(controls, note, plot);
  change({});
}

function drawView(width, { surface, view }) {
  if (!isGrid(surface)) return surfaceLine(width, surface);
  return view === "raised" ? surfaceHill(width, surface) : surfaceMap(width, surface);
}

function surfaceChoices(surface, onchange) {
  const all = summary.results.surfaces;
  const sameDataset = all.filter((other) => other.dataset === surface.dataset);
  const sameMethod = sameDataset.filter((other) => other.method === surface.method);
  const lists = { dataset: all, method: sameDataset, metric: sameMethod };
  return Object.entries(lists).flatMap(([key, surfaces]) => {
    const values = [...new Set(surfaces.map((other) => other[key]))];
    if (values.length < 2) return [];
    const options = values.map((value) => [value, shown(value)]);
    return [choice(TITLES[key], options, (value) => onchange(nearest(surface, key, value)), surface[key])];
  });
}

// The surface with that value which has most in common with the present one otherwise.
function nearest(surface, key, value) {
  const likeness = (other) => {
    const shared = Object.keys(TITLES).filter((one) => one !== key && other[one] === surface[one]);
    return (other[key] === value ? 4 : 0) + shared.length;
  };
  return [...summary.results.surfaces].sort((a, b) => likeness(b) - likeness(a))[0];
}

function surfaceInWords(surface) {
  const best = bestCell(surface);
  const direction = directionOf(metricOf(surface.metric));
  const where = `${methodName(surface.method)} on ${methodName(surface.dataset)}`;
  const at = `σ = ${compact(best.sigma)}, C = ${compact(best.C)}`;
  return [
    `Mean cross-validated ${surface.metric} of ${where} for each candidate that selection tried.`,
    `Best: ${fixed(best.value, 4)} at ${at}${direction ? ` (${direction})` : ""}.`,
  ].join(" ");
}
