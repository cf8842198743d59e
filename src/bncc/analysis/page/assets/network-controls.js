// What stands around the network: explanation, buttons, search, legend, and how it compares with the truth.

import { el, hint, svg } from "./dom.js";
import { names } from "./names.js";
import { truthOf } from "./network-graph.js";
import { fitView, zoomView } from "./network-view.js";
import { plural, whole } from "./numbers.js";
import { select } from "./selection.js";

export function explanation(graph) {
  const lost = graph.dropped.length;
  const dropped = lost ? `; ${whole(lost)} more ${lost === 1 ? "was" : "were"} dropped to break cycles` : "";
  const gone = graph.left_out.length;
  const verb = gone === 1 ? "is" : "are";
  const chance = gone ? ` ${plural(gone, "edge")} that chance would explain ${verb} left out.` : "";
  return hint(
    `${plural(graph.kept.length, "edge")} from parents (above, or on the left) to children (below, or on the`,
    `right)${dropped}.${chance} The number in a label is its place in the chain. Select a label to see its`,
    "neighbourhood; drag to move, Ctrl and wheel or the buttons to zoom.",
  );
}

export const modeButtons = () => ({
  whole: el("button", { type: "button", text: "Whole network" }),
  near: el("button", { type: "button", text: "Neighbourhood" }),
});

// `redraw` is called when edges that were not learned or not kept come or go.
export function networkControls(drawing, modes, redraw) {
  const { graph } = drawing;
  return el(
    "div",
    { class: "controls" },
    el("span", { class: "group", role: "group", "aria-label": "View" }, modes.whole, modes.near),
    zoomButtons(drawing),
    finder(),
    el("datalist", { id: "label-names" }, ...names.map((name) => el("option", { value: name }))),
    graph.dropped.length ? extraEdges(drawing, "dropped", "dropped edges", redraw) : null,
    graph.missed.length ? extraEdges(drawing, "missed", "true edges missed", redraw) : null,
  );
}

function zoomButtons(drawing) {
  const button = (text, name, onclick) => el("button", { type: "button", text, "aria-label": name, onclick });
  return el(
    "span",
    { class: "group", role: "group", "aria-label": "Zoom" },
    button("+", "Zoom in", () => zoomView(drawing, 0.75)),
    button("−", "Zoom out", () => zoomView(drawing, 1 / 0.75)),
    button("Fit", null, () => fitView(drawing)),
  );
}

function finder() {
  const input = el("input", {
    type: "search",
    list: "label-names",
    placeholder: "Go to a label",
    "aria-label": "Go to a label",
  });
  input.addEventListener("change", () => {
    const label = labelNamed(input.value.trim().toLowerCase());
    if (label !== null) select(label);
  });
  return input;
}

// The label of that name, or else the first whose name holds it.
function labelNamed(text) {
  if (!text) return null;
  const lower = names.map((name) => name.toLowerCase());
  const label = lower.includes(text) ? lower.indexOf(text) : lower.findIndex((name) => name.includes(text));
  return label < 0 ? null : label;
}

function extraEdges(drawing, kind, caption, redraw) {
  const box = el("input", { type: "checkbox" });
  box.addEventListener("change", () => {
    drawing.shown[kind] = box.checked;
    redraw();
  });
  return el("label", {}, box, caption);
}

function sample(kind, tip, dash) {
  const line = svg("path", { d: "M2 7 H35", "stroke-dasharray": dash });
  const group = svg("g", { class: `edge ${kind}`, "stroke-width": 2.4 }, line, svg("path", { d: tip }));
  return svg("svg", { width: 40, height: 14, "aria-hidden": "true" }, group);
}

export function edgeLegend() {
  return el(
    "div",
    { class: "legend" },
    el("span", {}, sample("more", "M30 2 L36 7 L30 12"), "more likely with the parent"),
    el("span", {}, sample("less", "M36 1 V13", "7 4"), "less likely"),
    el("span", { text: "wider: a larger change" }),
  );
}

export function truthInWords(graph) {
  const verdicts = graph.kept.map((edge) => truthOf(graph, edge));
  const count = (word) => verdicts.filter((verdict) => verdict === word).length;
  const [right, reversed, wrong] = ["true", "reversed", "not true"].map(count);
  const text = [
    `Of ${plural(graph.true_edges.length, "edge")} of the true network`,
    `${right} ${right === 1 ? "was" : "were"} learned, ${reversed} the other way round, ${graph.missed.length} missed;`,
    `${wrong} learned ${wrong === 1 ? "edge is" : "edges are"} not in it.`,
  ];
  return el("p", { text: text.join(" ") });
}
