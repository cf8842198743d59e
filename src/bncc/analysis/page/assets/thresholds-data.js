// Where the threshold of each label stands, and what precision, recall and F1 come to there.

import { judged, method, quality } from "./quality-data.js";

const positions = quality ? quality.methods.map((each) => each.curves.map((curve) => curve.current)) : [];
const followers = [];

export const curveOf = (label) => method().curves[label];
export const positionOf = (label) => positions[judged.at][label];

export function followThresholds(react) {
  followers.push(react);
}

export function moveTo(label, position) {
  const last = curveOf(label).thresholds.length - 1;
  positions[judged.at][label] = Math.max(0, Math.min(last, position));
  for (const react of followers) react();
}

// All labels at once: to the threshold in use ("current") or to that of the highest F1 ("best").
export function moveAll(which) {
  positions[judged.at] = method().curves.map((curve) => curve[which]);
  for (const react of followers) react();
}

export const isMoved = () => positions[judged.at].some((at, label) => at !== curveOf(label).current);

const ratio = (part, all) => (all > 0 ? part / all : null);

function figuresOf(tp, fp, support) {
  return { precision: ratio(tp, tp + fp), recall: ratio(tp, support), f1: ratio(2 * tp, tp + fp + support) };
}

export function figuresAt(label, position = positionOf(label)) {
  const curve = curveOf(label);
  return figuresOf(curve.tp[position], curve.fp[position], curve.support);
}

// Over all labels: micro from the sums of counts, macro as means where 0/0 counts 0.
export function totals(which) {
  const curves = method().curves;
  const at = curves.map((curve, label) => (which === "current" ? curve.current : positionOf(label)));
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const tp = sum(curves.map((curve, label) => curve.tp[at[label]]));
  const fp = sum(curves.map((curve, label) => curve.fp[at[label]]));
  const each = curves.map((_, label) => figuresAt(label, at[label]));
  const mean = (key) => sum(each.map((figures) => figures[key] ?? 0)) / each.length;
  return {
    micro: figuresOf(tp, fp, sum(curves.map((curve) => curve.support))),
    macro: { precision: mean("precision"), recall: mean("recall"), f1: mean("f1") },
  };
}
