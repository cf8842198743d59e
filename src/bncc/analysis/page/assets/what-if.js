// "What if": a label of the network is set, and the others move.

import { el, figureCell, hint, press, svg } from "./dom.js";
import { bdi, cut, names } from "./names.js";
import { arrowed, fixed, signed, whole } from "./numbers.js";
import { follow, labelButton, selection } from "./selection.js";
import {
  before,
  canAsk,
  clearLabels,
  followWhatIf,
  isAsked,
  now,
  setLabel,
  setLabels,
  setValue,
} from "./what-if-data.js";

const FIRST = 8; // labels that moved most
const STEP = 100;
const LEAST = 0.0005; // a move that three digits show
const STATES = { there: 1, absent: 0, unknown: null };
const WORDS = { 1: "there", 0: "not there" };

const stateOf = (label) => Object.keys(STATES).find((state) => STATES[state] === setValue(label));

export function whatIf(first) {
  const box = el("div", { id: "what-if" }, el("h3", { text: "What if" }));
  if (!canAsk()) {
    box.append(hint("A label of this network has too many parents for the page to answer; the command line can."));
    return box;
  }
  const asked = { label: selection.label ?? first, limit: FIRST };
  const setter = labelSetter(asked);
  const list = el("div", { class: "row-list", role: "group", "aria-label": "Labels that are set" });
  const answer = el("p", { id: "what-if-answer", role: "status" });
  const table = el("div", { class: "scroll" });
  const redraw = () => {
    setter.redraw();
    list.replaceChildren(...(isAsked() ? [...setLabels().map(setMark), clearButton()] : []));
    answer.replaceChildren(...answerInWords());
    table.replaceChildren(...movedTable(asked, redraw));
  };
  follow((label) => {
    asked.label = label;
    setter.redraw();
  });
  followWhatIf(() => {
    asked.limit = FIRST;
    redraw();
  });
  box.append(setter, list, answer, table);
  redraw();
  return box;
}

function labelSetter(asked) {
  const name = el("b", {});
  const texts = { there: "there", absent: "not there", unknown: "unknown" };
  const buttons = Object.fromEntries(
    Object.entries(texts).map(([state, text]) => [
      state,
      el("button", { type: "button", text, onclick: () => setLabel(asked.label, STATES[state]) }),
    ]),
  );
  const group = el("span", { class: "group", role: "group", "aria-label": "The label is" }, ...Object.values(buttons));
  const line = el("p", { class: "set-line" }, "What if ", name, " is ", group);
  line.redraw = () => {
    name.replaceChildren(bdi(names[asked.label], 60));
    press(buttons, stateOf(asked.label));
  };
  return line;
}

// A label that is set; a click makes it unknown again.
function setMark([label, value]) {
  const text = `${cut(names[label], 40)}: ${WORDS[value]} `;
  const title = `Make ${cut(names[label], 80)} unknown again`;
  return el("button", { type: "button", title, onclick: () => setLabel(label, null) }, el("bdi", { text }), "×");
}

const clearButton = () => el("button", { type: "button", text: "Clear", onclick: clearLabels });

function answerInWords() {
  if (!isAsked()) {
    return ["Set a label, here or with y, n and u in the network, and see how likely the others become."];
  }
  const { chances, errors } = now();
  if (!chances) return ["The network rules this out: no row that it knows is like this."];
  const [most] = movedLabels();
  if (!most) return ["No other label moves."];
  const word = most.is > most.was ? "more likely" : "less likely";
  const shift = `${word}: ${arrowed(most.was, most.is, 3)}. `;
  return ["Then ", el("b", {}, bdi(names[most.label], 40)), ` is ${shift}${wayInWords(errors)}`];
}

function wayInWords(errors) {
  if (!errors) return "By the network alone, exactly.";
  const worst = fixed(Math.max(...errors), 3);
  return `By the network alone, which is too wide for exact answers: sampled, standard errors up to ${worst}.`;
}

// Those that moved most first, ties by label; those that did not move are left out.
function movedLabels() {
  const was = before().chances;
  const is = now().chances;
  if (!isAsked() || !is) return [];
  return [...names.keys()]
    .filter((label) => setValue(label) === null && Math.abs(is[label] - was[label]) >= LEAST)
    .map((label) => ({ label, was: was[label], is: is[label] }))
    .sort((a, b) => Math.abs(b.is - b.was) - Math.abs(a.is - a.was) || a.label - b.label);
}

function movedTable(asked, redraw) {
  const moved = movedLabels();
  if (!moved.length) return [];
  const heads = [
    ["Label", ""],
    ["before", "n"],
    ["now", "n"],
    ["moved", "n"],
    ["", "hide-small"],
  ];
  const cells = heads.map(([text, style]) => el("th", { scope: "col", class: style, text }));
  const rows = moved.slice(0, asked.limit).map(movedRow);
  const table = el("table", {}, el("thead", {}, el("tr", {}, ...cells)), el("tbody", {}, ...rows));
  const left = moved.length - asked.limit;
  if (left <= 0) return [table];
  const onclick = () => {
    asked.limit += STEP;
    redraw();
  };
  return [table, el("button", { type: "button", text: `Show more (${whole(left)} moved less)`, onclick })];
}

function movedRow({ label, was, is }) {
  return el(
    "tr",
    { "data-label": label },
    el("td", {}, labelButton(label, null, 40)),
    figureCell(fixed(was, 3)),
    figureCell(fixed(is, 3)),
    figureCell(signed(is - was, 3)),
    el("td", { class: "hide-small" }, chanceBar(was, is)),
  );
}

// How likely a label was before, and what was added or taken away.
function chanceBar(was, is) {
  const part = (from, to, style) => {
    return svg("rect", { class: style, x: 100 * from, width: 100 * Math.max(0, to - from), height: 10 });
  };
  return svg(
    "svg",
    { class: "bar-cell", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "bg", width: 100, height: 10 }),
    part(0, Math.min(was, is), "stays"),
    part(was, is, "gained"),
    part(is, was, "lost"),
  );
}
