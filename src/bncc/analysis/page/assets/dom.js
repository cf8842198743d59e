// Building blocks: elements made from text alone (never from markup), numbers, tooltips, the selected label.

const summary = JSON.parse(document.getElementById("summary").textContent).summary;
const layout = JSON.parse(document.getElementById("layout").textContent);
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
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Characters that would turn the direction of a line or hide within it are shown as a mark.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
function shown(name) {
  const text = name.replace(/[\n\r\t]+/g, " ⏎ ").replace(UNSEEN, "\ufffd").trim();
  return text || "(empty name)";
}
// Cut in the middle: names that begin alike often differ at their ends.
function cut(text, length) {
  const points = Array.from(text), tail = Math.floor((length - 1) * 0.4);
  return points.length <= length ? text : points.slice(0, length - 1 - tail).join("") + "…" + points.slice(points.length - tail).join("");
}
const names = (summary.network ? summary.network.label_names : summary.labels.map((row) => row.name)).map(shown);
const bdi = (text, length) => el("bdi", { text: cut(text, length || 80), title: text.length > (length || 80) ? cut(text, 2000) : null });

function fixed(value, digits) {
  if (value === null || value === undefined) return "–";
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}
const whole = (value) => value.toLocaleString("en-US");
const signed = (value, digits) => (value > 0 && Number(value.toFixed(digits)) !== 0 ? "+" : "") + fixed(value, digits);
function seconds(value) {
  if (value === 0) return "0";
  if (value < 1) return (value * 1000).toPrecision(2) * 1 + " ms";
  return (value < 100 ? value.toPrecision(3) * 1 : Math.round(value)) + " s";
}
function plural(count, word) {
  return `${whole(count)} ${word}${count === 1 ? "" : "s"}`;
}

function body(id) {
  const section = document.getElementById(id);
  section.hidden = false;
  return section.querySelector(".body");
}

function choice(caption, options, onchange, chosen) {
  const select = el("select", { onchange: () => onchange(select.value) });
  for (const [value, text] of options) select.append(el("option", { value, text: cut(text, 60), selected: value === chosen }));
  const label = el("label", {}, el("span", { text: caption }), select);
  label.select = select;
  return label;
}

// A drawing that knows the width it has: draw(width) returns an svg element.
function chart(draw) {
  const box = el("div", { class: "chart" });
  let last = 0;
  box.redraw = (width) => {
    last = width || Math.max(280, Math.floor(box.clientWidth || 640));
    const drawn = draw(last);
    drawn.setAttribute("viewBox", `0 0 ${last} ${drawn.getAttribute("height")}`); // shrinks with paper
    box.replaceChildren(drawn);
  };
  new ResizeObserver(() => { if (Math.floor(box.clientWidth) && Math.abs(box.clientWidth - last) > 1 && box.clientWidth >= 280) box.redraw(); }).observe(box);
  charts.push(box);
  return box;
}
const charts = [], PAPER = 680; // the width of a sheet in the units of a drawing
window.addEventListener("beforeprint", () => { for (const box of charts) if (box.firstChild) box.redraw(PAPER); });
window.addEventListener("afterprint", () => { for (const box of charts) if (box.firstChild) box.redraw(); });

// Round values from low to high, about `count` of them and never fewer than two.
function ticks(low, high, count) {
  const raw = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999);
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) out.push(Number((i * step).toPrecision(12)));
  return out.length < 2 && count < 20 ? ticks(low, high, count + 1) : out;
}

const tip = document.getElementById("tip");
function showTip(content, at) {
  tip.replaceChildren(...content);
  tip.hidden = false;
  const edge = document.documentElement.clientWidth;
  const left = Math.min(at.x + 14, edge - tip.offsetWidth - 8);
  const below = at.y + 18 + tip.offsetHeight < window.innerHeight;
  tip.style.left = Math.max(8, left) + window.scrollX + "px";
  tip.style.top = (below ? at.y + 18 : Math.max(8, at.y - tip.offsetHeight - 10)) + window.scrollY + "px";
}
function hideTip() { tip.hidden = true; }
function hints(node, content) {
  node.addEventListener("pointermove", (event) => showTip(content(), { x: event.clientX, y: event.clientY }));
  node.addEventListener("pointerleave", hideTip);
  return node;
}
window.addEventListener("scroll", hideTip, { passive: true });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });

// One label is selected in all parts of the page at once.
const followers = [];
let selected = null;
function select(label, goTo) {
  selected = label;
  for (const follow of followers) follow(label);
  if (goTo) document.getElementById(goTo).scrollIntoView({ block: "start" });
}
const redrawn = []; // what has colours of its own and must be drawn again when the theme changes
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Figures of two labels, all from counts.
const slot = new Map((summary.pairs ? summary.pairs.labels : []).map((label, place) => [label, place]));
function together(a, b) {
  if (a === b) return summary.labels[a].positives;
  const [low, high] = slot.get(a) < slot.get(b) ? [slot.get(a), slot.get(b)] : [slot.get(b), slot.get(a)];
  return summary.pairs.together[low][high - low - 1];
}
const bits = (part, total) => (part > 0 && total > 0 ? -part * Math.log2(part / total) : 0);
function relation(child, parent) {
  const n = summary.data.n_rows, cj = summary.labels[child].positives, ck = summary.labels[parent].positives;
  const both = together(child, parent), absent = n - ck;
  const present = ck ? both / ck : null, without = absent ? (cj - both) / absent : null;
  const surplus = both * n - cj * ck;
  const uncertain = (bits(both, ck) + bits(ck - both, ck) + bits(cj - both, absent) + bits(absent - cj + both, absent)) / n;
  const spread = Math.sqrt(cj * (n - cj) * ck * (n - ck));
  return {
    both, present, without, sign: Math.sign(surplus),
    change: present === null || without === null ? 0 : present - without,
    dependence: 1 - uncertain,
    correlation: spread ? surplus / spread : 0,
  };
}
// Independent labels exceed this chi-square in one pair of twenty; among rare labels a row or two is enough for that.
const byChance = (r) => summary.data.n_rows * r.correlation ** 2 < 3.841 || (r.sign > 0 && r.both < 3);
