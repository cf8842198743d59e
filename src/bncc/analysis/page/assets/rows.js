// Rows with the worst errors and rows that are explained; one is picked, and its labels and reasons are told.

import { summary } from "./data.js";
import { body, el, hint } from "./dom.js";
import { bdi, cut, names, shown } from "./names.js";
import { fixed, plural, whole } from "./numbers.js";
import { followMethod, method, quality } from "./quality-data.js";
import { reasonBlock, reasonSentence } from "./reasons.js";
import { labelButton } from "./selection.js";

const MANY = 14; // labels of a kind that are told

export function drawRows() {
  const answer = el("p", { class: "answer", id: "answer-row", "aria-live": "polite" });
  const list = el("div", { class: "row-list", role: "group", "aria-label": "Rows" });
  const panel = el("div", { class: "panel", id: "row-panel", "aria-live": "polite" });
  const pick = (entry) => {
    for (const button of list.children)
      button.setAttribute("aria-pressed", String(Number(button.dataset.row) === entry.row));
    answer.replaceChildren(...answerOf(entry));
    panel.replaceChildren(...describe(entry));
  };
  const fill = () => {
    const entries = entriesNow();
    list.replaceChildren(...entries.map((entry) => rowButton(entry, () => pick(entry))));
    if (entries.length) pick(entries.find((entry) => entry.reasons) ?? entries[0]);
    else answer.textContent = "No row has a wrong label.";
  };
  if (quality) followMethod(fill);
  body("rows").append(answer, el("div", { class: "net rows" }, panel, el("div", {}, listTitle(), list)));
  if (!summary.reasons.length) {
    body("rows").append(hint("Reasons of rows are shown here where the page was made with them."));
  }
  fill();
}

const listTitle = () => el("h3", { text: summary.reasons.length ? "Rows to pick" : "Rows with the worst errors" });

// Rows by number: what went wrong in them, and their reasons, as far as each is known.
function entriesNow() {
  const entries = new Map(summary.reasons.map((reasons) => [reasons.row, { row: reasons.row, reasons }]));
  for (const errors of quality ? method().rows : []) {
    entries.set(errors.row, { ...entries.get(errors.row), row: errors.row, errors });
  }
  return [...entries.values()];
}

function rowButton(entry, onclick) {
  const wrong = entry.errors ? plural(entry.errors.missed.length + entry.errors.wrong.length, "error") : "explained";
  const text = `Row ${whole(entry.row)}`;
  const button = el("button", { type: "button", "aria-pressed": "false", "data-row": entry.row, onclick }, text);
  button.append(el("span", { class: "hint", text: wrong }));
  return button;
}

function answerOf(entry) {
  const told = entry.reasons?.labels.find((found) => found.predicted) ?? entry.reasons?.labels[0];
  if (told) return reasonSentence(entry.row, told);
  const { missed, wrong } = entry.errors;
  const count = plural(missed.length + wrong.length, "wrong label");
  return [
    el("b", { text: `Row ${whole(entry.row)}: ` }),
    `${count}; ${listed("missed", missed)}${listed(", said wrongly", wrong)}.`,
  ];
}

function listed(word, labels) {
  if (!labels.length) return "";
  const more = labels.length > 3 ? ` and ${labels.length - 3} more` : "";
  return `${word}: ${labels
    .slice(0, 3)
    .map((label) => cut(names[label], 30))
    .join(", ")}${more}`;
}

function describe(entry) {
  const parts = [el("h3", { id: "picked-row", text: `Row ${whole(entry.row)}` })];
  if (entry.reasons?.content) parts.push(el("p", { class: "content" }, bdi(shown(entry.reasons.content), 400)));
  if (entry.errors) parts.push(...errorParts(entry.errors));
  for (const found of entry.reasons?.labels ?? []) parts.push(reasonBlock(found));
  return parts;
}

function errorParts({ missed, wrong, right, missed_by, wrong_by }) {
  return [
    labelLine("Missed", "less-mark", "−", missed, missed_by),
    labelLine("Said wrongly", "more-mark", "+", wrong, wrong_by),
    labelLine("Right", "right-mark", "✓", right, null),
  ];
}

function labelLine(title, style, sign, labels, far) {
  if (!labels.length) return null;
  const items = labels.slice(0, MANY).map((label, i) => {
    const distance = far ? el("span", { class: "hint num", text: ` ${fixed(far[i], 2)}` }) : null;
    return el("li", {}, el("span", { class: style, text: sign }), labelButton(label, null, 40), distance);
  });
  const more = labels.length > MANY ? hint(`and ${labels.length - MANY} more`) : null;
  const meaning = far ? "how far the score lies beyond the threshold" : null;
  return el("div", { title: meaning }, el("h4", { text: title }), el("ul", { class: "tags" }, ...items), more);
}
