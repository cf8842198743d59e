// The label network: the whole of it in layers, or the neighbourhood of the selected label.

import { body, el, hint, onWidth, press, svg } from "./dom.js";
import { sureEdges } from "./network-answer.js";
import { edgeLegend, explanation, modeButtons, networkControls, truthInWords } from "./network-controls.js";
import { drawEdge } from "./network-edges.js";
import { readGraph } from "./network-graph.js";
import { watchKeys } from "./network-keys.js";
import { drawNode, highlight, rove, showChances } from "./network-nodes.js";
import { describeLabel } from "./network-panel.js";
import { nearScene, wholeScene } from "./network-scene.js";
import { bringIntoView, fitView, isReadable, setExtent, watchPointer } from "./network-view.js";
import { plural } from "./numbers.js";
import { follow, select, selection } from "./selection.js";
import { whatIf } from "./what-if.js";
import { followWhatIf } from "./what-if-data.js";

const KEYS = [
  "Label network. Tab enters it; arrow keys go from label to label, Enter selects, plus and minus zoom,",
  "0 shows all; y, n and u say that a label is there, is not there, or is unknown.",
].join(" ");

export function drawNetwork() {
  const graph = readGraph();
  const drawing = makeDrawing(graph);
  const modes = modeButtons();
  const panel = el("div", { class: "panel", id: "network-panel", "aria-live": "polite" });
  panel.append(hint("Select a label: its parents, children and scores come here."));
  const setMode = (mode) => {
    drawing.mode = mode;
    press(modes, mode);
    if (mode === "near" && selection.label === null) select(graph.order[0]);
    else redraw(drawing);
  };
  for (const [mode, button] of Object.entries(modes)) button.addEventListener("click", () => setMode(mode));
  watchPointer(drawing);
  watchKeys(drawing);
  onWidth(drawing.frame, () => (drawing.mode === "near" ? redraw(drawing) : fitView(drawing)));
  follow((label) => followLabel(drawing, panel, label));
  followWhatIf(() => showChances(drawing));
  body("network").append(
    sureEdges(graph),
    explanation(graph),
    networkControls(drawing, modes, () => redraw(drawing)),
    edgeLegend(),
    ...(graph.known ? [truthInWords(graph)] : []),
    el("div", { class: "net" }, el("div", {}, drawing.frame, drawing.remark, whatIf([...graph.hubs][0])), panel),
  );
  const mode = graph.large || !isReadable(drawing) ? "near" : "whole";
  if (mode === "near") select([...graph.hubs][0]);
  setMode(mode);
}

// What the parts of the drawing share; `centres` and `nodes` are those of the labels drawn now.
function makeDrawing(graph) {
  const root = svg("svg", { role: "group", "aria-label": KEYS });
  return {
    graph,
    root,
    frame: el("div", { class: "frame" }, root),
    remark: el("p", { class: "hint", role: "status" }),
    mode: "whole",
    shown: { dropped: false, missed: false },
    downward: true, // whether edges run from above to below
    centres: new Map(),
    nodes: new Map(),
    extent: null,
    view: null,
    scale: 1,
    drag: null,
    moved: false,
  };
}

function redraw(drawing) {
  const { graph, mode, root, shown } = drawing;
  const label = selection.label === null ? graph.order[0] : selection.label;
  const scene = mode === "whole" ? wholeScene(graph) : nearScene(graph, label, drawing.frame.clientWidth);
  drawing.centres = scene.centres;
  drawing.downward = Boolean(scene.downward);
  const inOrder = graph.order.filter((one) => scene.centres.has(one));
  drawing.nodes = new Map(inOrder.map((one) => [one, drawNode(drawing, one)]));
  const extra = [...(shown.dropped ? graph.dropped : []), ...(shown.missed ? graph.missed : [])];
  const within = extra.filter((edge) => scene.centres.has(edge.parent) && scene.centres.has(edge.child));
  const lines = [...within, ...scene.edges].map((edge) => drawEdge(drawing, edge));
  root.replaceChildren(svg("g", { "aria-hidden": "true" }, ...lines), svg("g", {}, ...drawing.nodes.values()));
  setExtent(drawing, scene);
  fitView(drawing);
  showChances(drawing);
  highlight(drawing);
  rove(drawing, drawing.nodes.has(selection.label) ? selection.label : inOrder[0]);
  const hidden = plural(scene.hidden, "weaker neighbour");
  drawing.remark.textContent = scene.hidden ? `${hidden} not drawn; all are in the list.` : "";
}

function followLabel(drawing, panel, label) {
  describeLabel(drawing.graph, panel, label);
  const focused = drawing.root.contains(document.activeElement);
  if (drawing.mode === "near") redraw(drawing);
  else highlight(drawing);
  rove(drawing, label);
  if (drawing.mode === "whole") bringIntoView(drawing, label);
  if (focused) drawing.nodes.get(label).focus({ preventScroll: true });
}
