// The quality of predictions: the method that is looked at, and its figures label by label.

import { summary } from "./data.js";

export const quality = summary.quality;
export const judged = { at: 0 };
const followers = [];

export const method = () => quality.methods[judged.at];
export const figure = (key, label, end = "value") => method().figures[key][end][label];
export const isScored = () => method().curves.length > 0;
export const percent = () => `${Number((100 * quality.confidence).toFixed(3))} %`;

export function followMethod(react) {
  followers.push(react);
}

export function judgeMethod(at) {
  judged.at = at;
  for (const react of followers) react();
}
