// Metrics of the results, and which way they run.

import { summary } from "./data.js";

export const metricOf = (name) => summary.results.metrics.find((metric) => metric.name === name);

// Whether higher is better; so it is taken to be where that is not known.
export function isUpward(name) {
  const metric = metricOf(name);
  return metric?.greater_is_better !== false;
}

// A word for a metric that runs upwards, one for downwards, and nothing where that is not known.
export function byDirection(metric, upwards, downwards) {
  if (!metric || metric.greater_is_better === null) return "";
  return metric.greater_is_better ? upwards : downwards;
}

export const directionOf = (metric) => byDirection(metric, "higher is better", "lower is better");
