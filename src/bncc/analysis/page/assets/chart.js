// A drawing that knows the width it has, on the screen and on paper.

import { el } from "./dom.js";
import { cut } from "./names.js";

const PAPER = 680; // the width of a sheet in the units of a drawing
const NARROWEST = 280;
const charts = [];

// draw(width) returns an svg element.
export function chart(draw) {
  const box = el("div", { class: "chart" });
  let last = 0;
  box.redraw = (width) => {
    if (box.hidden) return;
    last = width || Math.max(NARROWEST, Math.floor(box.clientWidth || 640));
    const drawn = draw(last);
    drawn.setAttribute("viewBox", `0 0 ${last} ${drawn.getAttribute("height")}`); // shrinks with paper
    box.replaceChildren(drawn);
  };
  const observer = new ResizeObserver(() => {
    if (Math.abs(box.clientWidth - last) > 1 && box.clientWidth >= NARROWEST) box.redraw();
  });
  observer.observe(box);
  charts.push(box);
  return box;
}

function redrawAll(width) {
  for (const box of charts) if (box.firstChild) box.redraw(width);
}

export function choice(caption, options, onchange, current) {
  const list = el("select", { onchange: () => onchange(list.value) });
  for (const [value, text] of options) {
    list.append(el("option", { value, text: cut(text, 60), selected: value === current }));
  }
  return el("label", {}, el("span", { text: caption }), list);
}

export function startPrinting() {
  window.addEventListener("beforeprint", () => redrawAll(PAPER));
  window.addEventListener("afterprint", () => redrawAll());
}
