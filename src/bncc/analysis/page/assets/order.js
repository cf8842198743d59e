// The chain order.

import { summary } from "./data.js";
import { body, el, hint } from "./dom.js";
import { cut, names } from "./names.js";
import { follow, select } from "./selection.js";

const LONG = 30;

export function drawOrder() {
  const { order, initial_order } = summary.network;
  const box = body("order");
  const long = order.length > LONG;
  const initial = new Map(initial_order.map((label, i) => [label, i + 1]));
  const buttons = new Map(order.map((label, i) => [label, orderButton(label, i + 1, initial.get(label), long)]));
  const list = el("ol", { class: long ? "chain long" : "chain", "aria-label": "Chain order" });
  if (long) list.tabIndex = 0;
  list.append(...[...buttons.values()].map((button) => el("li", {}, button)));
  let last = null;
  follow((label) => {
    if (last) last.setAttribute("aria-pressed", "false");
    last = buttons.get(label) || null;
    if (last) last.setAttribute("aria-pressed", "true");
  });
  box.append(
    hint(
      "Each label is predicted after those before it, so that parents come before their children. The search took the",
      "labels by decreasing entropy unless an order was given; hold the pointer over a label for its place there.",
    ),
    list,
  );
}

function orderButton(label, position, initial, long) {
  const title = `${cut(names[label], 200)}: place ${position}, at first ${initial}`;
  return el(
    "button",
    { type: "button", "aria-pressed": "false", title, onclick: () => select(label) },
    el("span", { class: "place", text: position }),
    el("bdi", { class: "clip", text: cut(names[label], long ? 22 : 36) }),
  );
}
