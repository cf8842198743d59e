// One label is selected in all parts of the page at once.

import { el } from "./dom.js";
import { bdi, names } from "./names.js";

export const selection = { label: null };
const followers = [];

export function follow(react) {
  followers.push(react);
}

export function select(label, goTo) {
  selection.label = label;
  for (const react of followers) react(label);
  if (goTo) document.getElementById(goTo).scrollIntoView({ block: "start" });
}

export function labelButton(label, goTo, length) {
  const onclick = () => select(label, goTo);
  return el("button", { type: "button", class: "link name", onclick }, bdi(names[label], length));
}
