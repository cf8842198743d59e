// Labels said instead of others, and labels missed together: a map, and lists in words.

import { chart } from "./chart.js";
import { confusionMap } from "./confusion-map.js";
import { body, el, hint } from "./dom.js";
import { fixed, plural } from "./numbers.js";
import { methodChoice } from "./quality.js";
import { followMethod, method } from "./quality-data.js";
import { labelButton } from "./selection.js";

const LISTED = 8;
const SURE = 0.05;

export function drawConfusion() {
  const answer = el("p", { class: "answer", id: "answer-confused" });
  const lists = el("div", {});
  const map = chart((width) => confusionMap(width, method().confused));
  const redraw = () => {
    answer.replaceChildren(...firstInWords());
    lists.replaceChildren(
      pairList("Said instead", method().confused, " → "),
      pairList("Missed together", method().missed_together, " and "),
    );
    map.hidden = !method().confused.length;
    map.redraw();
  };
  followMethod(redraw);
  body("confusion").append(
    answer,
    methodChoice(),
    el("div", { class: "two" }, el("div", {}, el("h3", { text: "Missed (row), said instead (column)" }), map), lists),
    explanation(),
  );
  redraw();
}

function firstInWords() {
  const first = method().confused.find((pair) => pair.p_value < SURE);
  if (!first) return ["No label is said instead of another more often than chance would show."];
  return [
    el("b", { text: "Most confused: " }),
    labelButton(first.first, null, 50),
    " missed and ",
    labelButton(first.second, null, 50),
    ` said instead in ${plural(first.rows, "row")}, where chance would show ${fixed(first.expected, 1)}.`,
  ];
}

function pairList(title, pairs, between) {
  const lines = pairs.slice(0, LISTED).map((pair) => {
    const sure = pair.p_value < SURE ? "" : ", may be chance";
    const text = ` ${plural(pair.rows, "row")}, by chance ${fixed(pair.expected, 1)}${sure}`;
    return el(
      "li",
      {},
      labelButton(pair.first, null, 36),
      between,
      labelButton(pair.second, null, 36),
      el("span", { class: "hint num", text }),
    );
  });
  const list = lines.length ? el("ul", { class: "plain" }, ...lines) : hint("None.");
  return el("div", {}, el("h3", { text: title }), list);
}

function explanation() {
  return hint(
    "Rows in which one label was missed and the other said, or both were missed; by chance: were the two errors",
    "independent. What may be chance has a p-value above 0.05 after correction for all pairs.",
  );
}
