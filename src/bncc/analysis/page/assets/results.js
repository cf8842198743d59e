// Scores, box plots and ranks of one data set and metric.

import { boxPlot } from "./boxplot.js";
import { chart, choice } from "./chart.js";
import { constants, summary } from "./data.js";
import { body, el, hint } from "./dom.js";
import { directionOf, isUpward, metricOf } from "./metrics.js";
import { methodName, shown } from "./names.js";
import { fixed, plural, signed } from "./numbers.js";
import { rankDiagram, ranksInWords } from "./ranks.js";
import { scoreTable } from "./scores.js";

export function drawResults() {
  const { boxes, datasets, metrics } = summary.results;
  if (!boxes.length) {
    body("results").append(hint("No fold has been tested yet."));
    return;
  }
  const tested = datasets.filter((name) => boxes.some((box) => box.dataset === name));
  const shownNow = { dataset: tested[0], metric: metrics[0].name };
  const { parts, redraw } = resultParts(shownNow);
  const change = (changed) => {
    Object.assign(shownNow, changed);
    redraw();
  };
  const controls = el("div", { class: "controls" });
  if (tested.length > 1) {
    const options = tested.map((name) => [name, shown(name)]);
    controls.append(choice("Data set", options, (dataset) => change({ dataset }), shownNow.dataset));
  }
  const options = metrics.map((metric) => [metric.name, metric.name]);
  controls.append(choice("Metric", options, (metric) => change({ metric }), shownNow.metric));
  const best = bestInWords();
  body("results").append(...(best ? [best] : []), controls, ...parts);
  redraw();
}

// Which method is best on the first data set, by the metric chosen for, or the first that says which way it runs.
function bestInWords() {
  const { boxes, datasets, metrics } = summary.results;
  const chosenFor = metrics.find((each) => each.name === summary.settings.metric);
  const metric = chosenFor ?? metrics.find((each) => each.greater_is_better !== null) ?? metrics[0];
  const sign = isUpward(metric.name) ? -1 : 1;
  const ranked = boxes
    .filter((box) => box.dataset === datasets[0] && box.metric === metric.name)
    .sort((a, b) => sign * (a.mean - b.mean));
  if (!ranked.length) return null;
  const [first, second] = ranked;
  const figures = (box) => `${fixed(box.mean, 3)}${box.std === null ? "" : ` ± ${fixed(box.std, 3)}`}`;
  const next = second ? `; next ${methodName(second.method)}, ${figures(second)}` : "";
  const text = `, ${metric.name} ${figures(first)} on ${methodName(datasets[0])}${next}.${leadInWords(metric.name)}`;
  return el("p", { class: "answer", id: "answer-best" }, el("b", { text: `Best: ${methodName(first.method)}` }), text);
}

// By how much it leads, and whether that is sure.
function leadInWords(metric) {
  const { datasets, leads } = summary.results;
  const lead = (leads ?? []).find((each) => each.dataset === datasets[0] && each.metric === metric);
  if (!lead) return "";
  const over = lead.n_folds ? `over ${lead.n_folds} folds` : "rows drawn anew";
  const sure = `${fixed(100 * lead.confidence, 0)} %, ${over}, ${plural(lead.n_rivals, "rival")}`;
  const verdict = lead.low > 0 ? "it is better" : "they may be alike";
  const ends = `between ${signed(lead.low, 3)} and ${signed(lead.high, 3)}`;
  return ` It leads by ${fixed(lead.difference, 3)}, ${ends} (${sure}): ${verdict}.`;
}

function resultParts(shownNow) {
  const scores = el("div", { class: "scroll" });
  const title = el("h3");
  const described = hint();
  const boxes = chart((width) => boxPlot(width, shownNow.dataset, shownNow.metric));
  const ranksTitle = el("h3");
  const ranksNote = hint();
  const ranks = chart((width) => rankDiagram(width, rankEntry(shownNow.metric)));
  const redraw = () => {
    scores.replaceChildren(scoreTable(shownNow.dataset));
    title.textContent = `${shownNow.metric} by fold on ${methodName(shownNow.dataset)}`;
    described.textContent = boxesInWords(metricOf(shownNow.metric));
    boxes.redraw();
    const entry = rankEntry(shownNow.metric);
    ranks.hidden = !entry;
    ranksTitle.textContent = `Average ranks by ${shownNow.metric}`;
    ranksNote.textContent = ranksInWords(entry);
    ranks.redraw();
  };
  return { parts: [scores, title, described, boxes, ranksTitle, ranksNote, ranks], redraw };
}

const rankEntry = (metric) => summary.results.ranks.find((entry) => entry.metric === metric);

function boxesInWords(metric) {
  const far = `folds further than ${constants.whisker} interquartile ranges from the box`;
  const words = `box: quartiles; line: median; diamond: mean; circles: ${far}`;
  return [metric.description, directionOf(metric), words].filter(Boolean).join(" · ");
}
