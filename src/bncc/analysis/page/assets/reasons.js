// Reasons of a row: what spoke for and against a label, in words and as bars.

import { el, svg } from "./dom.js";
import { bdi, cut, names, shown } from "./names.js";
import { fixed, signed, whole } from "./numbers.js";

const TOLD = 3;

const nameOf = (reason) => `${shown(reason.name)}${reason.shown ? ` (${shown(reason.shown)})` : ""}`;

const inWords = (reasons) =>
  reasons.map((reason) => `${cut(nameOf(reason), 60)} ${signed(reason.value, 2)}`).join(", ");

// The answer to "why did this row get this label?": what spoke for it first, if it got it.
export function reasonSentence(row, found) {
  const got = found.predicted;
  const told = found.reasons.slice(0, TOLD);
  const why = told.filter((reason) => reason.value > 0 === got);
  const against = told.filter((reason) => reason.value > 0 !== got);
  const other = against.length
    ? `${why.length ? "; " : " "}${got ? "against" : "for"} it spoke ${inWords(against)}`
    : "";
  const text = told.length ? `${why.length ? ` because of ${inWords(why)}` : ","}${other}.` : "; no reason stands out.";
  return [el("b", {}, `Row ${whole(row)} ${got ? "got" : "did not get"} `, bdi(names[found.label], 60)), text];
}

export function reasonBlock(found) {
  const got = found.predicted ? "predicted" : "not predicted";
  const labels = found.from_labels ? `, labels ${signed(found.from_labels, 2)}` : "";
  const parts = `before ${signed(found.base, 2)}, features ${signed(found.from_features, 2)}${labels}`;
  const score = `${got}, score ${signed(found.score, 2)}: ${parts}`;
  const others = { name: "all others", kind: "other", value: found.rest, shown: "", standard_error: 0 };
  const reasons = found.rest ? [...found.reasons, others] : found.reasons;
  const most = Math.max(1e-12, ...reasons.map((reason) => Math.abs(reason.value)));
  const rows = reasons.map((reason) => reasonRow(reason, most));
  return el(
    "div",
    { class: "reasons" },
    el("h4", {}, bdi(names[found.label], 80), el("span", { class: "hint num", text: ` ${score}` })),
    el(
      "table",
      {},
      el("caption", { class: "sr", text: `Reasons for ${cut(names[found.label], 80)}` }),
      el("tbody", {}, ...rows),
    ),
  );
}

function reasonRow(reason, most) {
  const kind = reason.kind === "label" ? el("span", { class: "kind", text: "label" }) : null;
  const error = reason.standard_error ? ` ± ${fixed(reason.standard_error, 2)}` : "";
  const value = el("td", { class: "n", text: signed(reason.value, 2) + error });
  return el(
    "tr",
    {},
    el("td", {}, bdi(nameOf(reason), 60), kind),
    el("td", { class: "reason-bar" }, bar(reason.value / most)),
    value,
  );
}

// From the middle to the right for, to the left against.
function bar(share) {
  const width = 50 * Math.abs(share);
  const style = share < 0 ? "fill-less" : "fill-more";
  return svg(
    "svg",
    { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: style, x: share < 0 ? 50 - width : 50, width, y: 1, height: 8 }),
    svg("line", { class: "axis", x1: 50, x2: 50, y1: 0, y2: 10 }),
  );
}
