// What is said of labels and methods: the worst label, intervals, and what each method gets right alone.

import { el } from "./dom.js";
import { methodName } from "./names.js";
import { fixed, plural, whole } from "./numbers.js";
import { method, percent } from "./quality-data.js";
import { labelButton } from "./selection.js";

const RIVALS = 3;
const DUELS = 3;
const SURE = 0.05;

export const intervalText = (low, high) => `${fixed(low, 2)} to ${fixed(high, 2)}`;

// The answer to "which label is worst?".
export function worstInWords() {
  const { worst } = method();
  if (!worst) return [el("span", { text: "No label holds in any tested row, so that none can be judged." })];
  const ends = `between ${fixed(worst.f1.lowest, 2)} and ${fixed(worst.f1.highest, 2)}`;
  const compared = `${percent()}, ${plural(worst.n_compared, "label")} compared`;
  return [
    el("b", { text: "Worst label: " }),
    labelButton(worst.label, null, 60),
    el("span", { class: "num", text: `, F1 ${fixed(worst.f1.value, 2)}` }),
    `, ${ends} (${compared}). `,
    ...rivalsInWords(worst.rivals),
  ];
}

function rivalsInWords(rivals) {
  if (!rivals.length) return ["It is surely the worst."];
  const links = rivals.slice(0, RIVALS).flatMap((label, i) => [i ? ", " : "", labelButton(label, null, 40)]);
  const more = rivals.length - RIVALS;
  return ["It may as well be ", ...links, more > 0 ? ` or one of ${whole(more)} more.` : "."];
}

// One line per method: what it alone gets right, and the labels on which it is ahead.
export function strengthLine(strength) {
  const share = plural(strength.right_alone, "cell");
  const sure = strength.duels.filter((duel) => duel.p_value < SURE).slice(0, DUELS);
  const duels = sure.flatMap((duel, i) => [
    i ? "; " : " Surely ahead on ",
    labelButton(duel.label, null, 40),
    inRows(duel),
  ]);
  const none = sure.length ? "." : " No label on which it is surely ahead of another.";
  return el("li", {}, el("b", { text: methodName(strength.method) }), `: right alone in ${share}.`, ...duels, none);
}

function inRows(duel) {
  const differing = `${duel.right + duel.wrong} rows where it differs from ${methodName(duel.other)}`;
  const share = `${fixed(100 * duel.low, 0)} to ${fixed(100 * duel.high, 0)} %`;
  return ` (right in ${duel.right} of the ${differing}: ${share})`;
}
