// Names as they are shown: without characters that hide or turn a line, and cut to a length.

import { constants, summary } from "./data.js";
import { el } from "./dom.js";

const UNSEEN = new RegExp(constants.unseen, "gu");
const REPLACED = "\ufffd";

export function shown(name) {
  const text = name
    .replace(/[\n\r\t]+/g, constants.line_break)
    .replace(UNSEEN, REPLACED)
    .trim();
  return text || constants.empty_name;
}

// Text that may have several lines.
export const shownLines = (text) => text.replace(UNSEEN, (letter) => (letter === "\n" ? letter : REPLACED));

// Cut in the middle: names that begin alike often differ at their ends.
export function cut(text, length) {
  const points = Array.from(text);
  const tail = Math.floor((length - 1) * 0.4);
  if (points.length <= length) return text;
  return `${points.slice(0, length - 1 - tail).join("")}…${points.slice(points.length - tail).join("")}`;
}

function labelNames() {
  if (summary.network) return summary.network.label_names;
  return summary.labels.length ? summary.labels.map((row) => row.name) : (summary.quality?.label_names ?? []);
}

export const names = labelNames().map(shown);

export function bdi(text, length = 80) {
  return el("bdi", { text: cut(text, length), title: text.length > length ? cut(text, 2000) : null });
}

export const methodName = (method, length = 60) => cut(shown(method), length);
