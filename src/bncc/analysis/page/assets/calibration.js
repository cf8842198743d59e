// Calibration of the selected label beside that of all labels together.

import { el, svg } from "./dom.js";
import { cut, names } from "./names.js";
import { fixed, plural } from "./numbers.js";
import { pathOf, plotArea } from "./plot-area.js";
import { method } from "./quality-data.js";
import { hints } from "./tip.js";

const HEIGHT = 290;

export const hasCalibration = () => method().calibration !== null;

export function calibrationChart(width, label) {
  const { calibration, label_calibration } = method();
  const own = label_calibration[label] ?? null;
  const words = `Calibration of ${own ? cut(names[label], 80) : "all labels"}: share true against probability`;
  const area = plotArea(width, HEIGHT, { xTitle: "probability", yTitle: "share", label: words });
  area.root.append(
    svg("path", {
      class: "chance",
      d: pathOf([
        [area.x(0), area.y(0)],
        [area.x(1), area.y(1)],
      ]),
    }),
  );
  if (!calibration) return area.root;
  if (own) area.root.append(svg("path", { class: "line-all", d: lineOf(area, calibration) }));
  const shown = own ?? calibration;
  area.root.append(svg("path", { class: "line", d: lineOf(area, shown) }));
  shown.cells.forEach((_, i) => {
    area.root.append(binMark(area, shown, i));
  });
  return area.root;
}

const lineOf = (area, curve) => pathOf(curve.probability.map((value, i) => [area.x(value), area.y(curve.share[i])]));

function binMark(area, curve, i) {
  const x = area.x(curve.probability[i]);
  const mark = svg(
    "g",
    {},
    svg("line", { class: "whisker", x1: x, x2: x, y1: area.y(curve.low[i]), y2: area.y(curve.high[i]) }),
    svg("circle", { class: "dot", cx: x, cy: area.y(curve.share[i]), r: 4 }),
    svg("rect", { class: "hit", x: x - 8, width: 16, y: area.top, height: area.bottom - area.top }),
  );
  return hints(mark, () => [
    el("b", { text: `${plural(curve.cells[i], "cell")} with probability near ${fixed(curve.probability[i], 2)}` }),
    el("div", { text: `true: ${fixed(curve.share[i], 2)} (${fixed(curve.low[i], 2)} to ${fixed(curve.high[i], 2)})` }),
  ]);
}
