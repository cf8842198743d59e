// Puts the page together.

import { startPrinting } from "./chart.js";
import { drawConfusion } from "./confusion.js";
import { summary } from "./data.js";
import { el } from "./dom.js";
import { drawHeatmap } from "./heatmap.js";
import { drawImportance } from "./importance.js";
import { cut, shown } from "./names.js";
import { startNavigation } from "./navigation.js";
import { drawNetwork } from "./network.js";
import { drawOrder } from "./order.js";
import { drawOverview } from "./overview.js";
import { drawQuality } from "./quality.js";
import { method } from "./quality-data.js";
import { drawResults } from "./results.js";
import { drawRows } from "./rows.js";
import { select, selection } from "./selection.js";
import { drawSettings } from "./settings.js";
import { drawSurface } from "./surface.js";
import { drawTable } from "./table.js";
import { startTheme } from "./theme.js";
import { drawThresholds } from "./thresholds.js";
import { drawTimes } from "./times.js";
import { startTips } from "./tip.js";

const RELEASED = 10_000; // milliseconds after which a saved file is no longer kept

function drawHead() {
  document.getElementById("title").textContent = cut(shown(summary.title), 200);
  if (!summary.note) return;
  const note = document.getElementById("note");
  note.textContent = shown(summary.note);
  note.hidden = false;
}

function startSaving() {
  document.getElementById("save").addEventListener("click", () => {
    const file = new Blob([document.getElementById("summary").textContent], { type: "application/json" });
    const link = el("a", { href: URL.createObjectURL(file), download: "summary.json" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), RELEASED);
  });
}

function drawSections() {
  const { data, importance, labels, network, pairs, quality, reasons, results } = summary;
  if (results) drawResults();
  if (quality) drawQuality();
  if (quality?.methods.some((each) => each.curves.length)) drawThresholds();
  if (quality) drawConfusion();
  if (quality || reasons.length) drawRows();
  if (importance.length) drawImportance();
  if (data) drawOverview();
  if (data && labels.length) drawTable();
  if (data && pairs && pairs.labels.length > 1) drawHeatmap();
  if (network) {
    drawNetwork();
    drawOrder();
  }
  if (results?.surfaces.length) drawSurface();
  if (results?.times.length) drawTimes();
  drawSettings();
}

drawHead();
startTheme();
startTips();
startPrinting();
drawSections();
startNavigation();
startSaving();
if (summary.quality && method().worst) select(method().worst.label);
else if (selection.label !== null) select(selection.label); // parts drawn later follow as well
document.documentElement.dataset.ready = "true";
