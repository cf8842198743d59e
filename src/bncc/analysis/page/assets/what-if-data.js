// Labels that the reader has set, and how likely they make the others.

import { summary } from "./data.js";
import { eliminationOrder, exactChances } from "./elimination.js";
import { sampledChances } from "./sampled-chances.js";

const network = summary.network;
const known = new Map(); // label -> 1 (there) or 0 (not there)
const followers = [];
const answers = { before: null, now: null };

export const canAsk = () => Boolean(network?.rates);
export const isAsked = () => known.size > 0;
export const setValue = (label) => known.get(label) ?? null;
export const setLabels = () => [...known];
export const followWhatIf = (react) => followers.push(react);

// `chances` is null where the network rules out what is set; `errors` is null where the chances are exact.
function ask(values) {
  const order = eliminationOrder(network.parents, values);
  if (order) return { chances: exactChances(network, values, order), errors: null };
  return sampledChances(network, values) ?? { chances: null, errors: null };
}

export function before() {
  answers.before ??= ask(new Map());
  return answers.before;
}

export function now() {
  if (!isAsked()) return before();
  answers.now ??= ask(known);
  return answers.now;
}

// A value of 1 or 0, or null for unknown.
export function setLabel(label, value) {
  if (value === null) known.delete(label);
  else known.set(label, value);
  tell();
}

export function clearLabels() {
  known.clear();
  tell();
}

function tell() {
  answers.now = null;
  for (const react of followers) react();
}
