// Settings and versions, and what is said about making the page again.

import { summary } from "./data.js";
import { body, el, hint } from "./dom.js";
import { cut, shown, shownLines } from "./names.js";

// A key may break after its dots and underscores.
const keyParts = (key) =>
  shown(key)
    .split(/(?<=[._])/)
    .flatMap((part) => [part, el("wbr")]);

function entryList(title, entries) {
  const lines = Object.entries(entries).flatMap(([key, value]) => [
    el("dt", {}, ...keyParts(key)),
    el("dd", { text: cut(shownLines(value), 4000) }),
  ]);
  return lines.length ? el("div", {}, el("h3", { text: title }), el("dl", { class: "kv" }, ...lines)) : null;
}

export function drawSettings() {
  const { data, settings, versions } = summary;
  const origin = data && (data.name || data.source) ? { name: data.name, source: data.source } : {};
  const lists = [entryList("Settings", settings), entryList("Data", origin), entryList("Versions", versions)];
  body("settings").append(
    el("div", { class: "three" }, ...lists),
    hint(
      "Everything that this page shows is inside it as JSON: save it with the button above, or read it with",
      "bncc.analysis.page.read_page and draw it again.",
    ),
  );
}
