// Colours as three channels, so that they can be mixed.

import { css } from "./dom.js";

function rgb(colour) {
  const digits = colour.replace("#", "");
  return [0, 2, 4].map((i) => Number.parseInt(digits.slice(i, i + 2), 16));
}

export const themeColours = () => ({
  base: rgb(css("--paper")),
  more: rgb(css("--more")),
  less: rgb(css("--less")),
  line: rgb(css("--line")),
  ink: css("--ink"),
});

// The share of ink grows with a root of the value, so that weak relations can be seen; a higher one for small cells.
export function blend({ base, more, less }, value, root) {
  const ink = Math.min(1, Math.abs(value)) ** (1 / root);
  return base.map((channel, i) => Math.round(channel + ((value < 0 ? less : more)[i] - channel) * ink));
}

// Text upon a colour; `darkest` is the lightness below which it is white.
export function inkUpon(colour, darkest) {
  return colour[0] * 0.3 + colour[1] * 0.59 + colour[2] * 0.11 < darkest ? "#ffffff" : "#14181d";
}

// Dark to light is worse to better, whichever way the metric runs (the colours keep their order in grey).
const SCALE = [
  [0, 34, 78],
  [60, 77, 110],
  [124, 123, 120],
  [187, 175, 113],
  [254, 232, 56],
];

export function scaleColour(share) {
  const at = Math.max(0, Math.min(0.9999, share)) * (SCALE.length - 1);
  const i = Math.floor(at);
  return SCALE[i].map((channel, c) => Math.round(channel + (SCALE[i + 1][c] - channel) * (at - i)));
}
