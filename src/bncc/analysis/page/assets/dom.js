// Building blocks: elements made from text alone, never from markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "text") node.textContent = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// The place of a section's content; the section is shown from now on.
export function body(id) {
  const section = document.getElementById(id);
  section.hidden = false;
  return section.querySelector(".body");
}

// A paragraph of soft text, given in pieces.
export const hint = (...pieces) => el("p", { class: "hint", text: pieces.join(" ") });
export const figureCell = (text) => el("td", { class: "n", text });
export const soft = (attributes) => svg("text", { class: "soft", ...attributes });
export const middle = (attributes) => svg("text", { "text-anchor": "middle", ...attributes });

// More or less likely, told apart without colour.
export function signMark(sign) {
  return el("span", { class: sign < 0 ? "less-mark" : "more-mark", text: sign > 0 ? "+" : sign < 0 ? "−" : "" });
}

export function press(buttons, current) {
  for (const [key, button] of Object.entries(buttons)) button.setAttribute("aria-pressed", String(key === current));
}

// Calls back when the width of an element has changed by more than a rounding.
export function onWidth(node, react) {
  let width = 0;
  const observer = new ResizeObserver(() => {
    if (Math.abs(node.clientWidth - width) <= 2) return;
    width = node.clientWidth;
    react();
  });
  observer.observe(node);
}
