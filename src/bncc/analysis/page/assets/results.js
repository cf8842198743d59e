// Scores, box plots, ranks and seconds.

const metricOf = (name) => summary.results.metrics.find((metric) => metric.name === name);
const better = (metric) => (metric.greater_is_better === null ? "" : metric.greater_is_better ? "higher is better" : "lower is better");
const methodName = (method, length) => cut(shown(method), length || 60);

function drawResults() {
  const results = summary.results, box = body("results");
  if (!results.boxes.length) { box.append(el("p", { class: "hint", text: "No fold has been tested yet." })); return; }
  const tested = results.datasets.filter((name) => results.boxes.some((b) => b.dataset === name));
  let dataset = tested[0], metric = results.metrics[0].name;
  const scores = el("div", { class: "scroll" }), boxes = chart((width) => boxPlot(width, dataset, metric)), title = el("h3"), described = el("p", { class: "hint" });
  const ranksTitle = el("h3"), ranks = chart((width) => rankDiagram(width, metric)), ranksNote = el("p", { class: "hint" });
  function draw() {
    const info = metricOf(metric);
    scores.replaceChildren(scoreTable(dataset));
    title.textContent = `${metric} by fold on ${methodName(dataset)}`;
    described.textContent = [info.description, better(info), "box: quartiles; line: median; diamond: mean; circles: folds further than 1.5 interquartile ranges from the box"].filter(Boolean).join(" · ");
    boxes.redraw();
    drawRanks();
  }
  function drawRanks() {
    const entry = results.ranks.find((rank) => rank.metric === metric);
    ranks.hidden = !entry;
    ranksTitle.textContent = `Average ranks by ${metric}`;
    if (!entry) { ranksNote.textContent = "Ranks need two methods tested on the same data, and a metric whose direction is known."; return; }
    ranksNote.textContent = entry.critical_difference === null
      ? `Over ${plural(entry.n, "fold")} of one data set; 1 is best. Folds share their training rows, so no critical difference is given: test across data sets.`
      : `Over ${plural(entry.n, "data set")}; 1 is best. Methods joined by a bar do not differ significantly (Nemenyi, α = ${entry.alpha}, critical difference ${fixed(entry.critical_difference, 3)}).`;
    ranks.redraw();
  }
  const controls = el("div", { class: "controls" });
  if (tested.length > 1) controls.append(choice("Data set", tested.map((name) => [name, shown(name)]), (value) => { dataset = value; draw(); }, dataset));
  controls.append(choice("Metric", results.metrics.map((m) => [m.name, m.name]), (value) => { metric = value; draw(); }, metric));
  box.append(controls, scores, title, described, boxes, ranksTitle, ranksNote, ranks);
  draw();
}

function scoreTable(dataset) {
  const results = summary.results;
  const cells = new Map(results.boxes.filter((b) => b.dataset === dataset).map((b) => [b.method + "\n" + b.metric, b]));
  const methods = results.methods.filter((method) => results.metrics.some((metric) => cells.has(method + "\n" + metric.name)));
  const best = new Map(results.metrics.map((metric) => {
    const means = methods.map((method) => cells.get(method + "\n" + metric.name)).filter(Boolean).map((b) => Number(b.mean.toFixed(4)));
    return [metric.name, metric.greater_is_better === null || methods.length < 2 ? null : metric.greater_is_better ? Math.max(...means) : Math.min(...means)];
  }));
  const cell = (method, metric) => {
    const b = cells.get(method + "\n" + metric.name);
    if (!b) return el("td", { class: "n", text: "–" });
    const wins = best.get(metric.name) !== null && Number(b.mean.toFixed(4)) === best.get(metric.name);
    return el("td", { class: wins ? "n best" : "n", title: `${plural(b.n, "fold")}, standard deviation ${fixed(b.std, 4)}` }, fixed(b.mean, 4), el("span", { class: "hint", text: ` ± ${fixed(b.std, 3)}` }), wins ? el("span", { class: "sr", text: " (best)" }) : null);
  };
  const head = el("tr", {}, el("th", { scope: "col", text: "Method" }), ...results.metrics.map((metric) => el("th", { scope: "col", class: "n", title: metric.description, text: metric.name + (metric.greater_is_better === null ? "" : metric.greater_is_better ? " ↑" : " ↓") })));
  return el("table", {}, el("caption", { class: "sr", text: `Mean and standard deviation on ${methodName(dataset)}` }), el("thead", {}, head),
    el("tbody", {}, ...methods.map((method) => el("tr", {}, el("th", { scope: "row" }, bdi(shown(method), 40)), ...results.metrics.map((metric) => cell(method, metric))))));
}

const gutter = (width, texts, most) => Math.min(width * (most || 0.36), 16 + 7.6 * Math.max(...texts.map((text) => Math.min(26, Array.from(text).length))));
const fits = (space) => Math.max(4, Math.floor((space - 12) / 7.2));

function boxPlot(width, dataset, metricName) {
  const info = metricOf(metricName), up = info.greater_is_better !== false;
  const boxes = summary.results.boxes.filter((b) => b.dataset === dataset && b.metric === metricName).sort((a, b) => (up ? b.mean - a.mean : a.mean - b.mean));
  const row = 30, top = 6, height = top + row * boxes.length + 30, left = gutter(width, boxes.map((b) => shown(b.method))), right = width - 14;
  const ends = boxes.flatMap((b) => [b.low, b.high, ...b.outliers]);
  let low = Math.min(...ends), high = Math.max(...ends);
  const pad = (high - low) * 0.04 || 0.01;
  low -= pad; high += pad;
  const x = (value) => left + ((value - low) / (high - low)) * (right - left);
  const root = svg("svg", { width, height, role: "img", "aria-label": `Box plots of ${metricName}: ` + boxes.map((b) => `${methodName(b.method)} median ${fixed(b.median, 3)}`).join(", ") });
  const marks = ticks(low, high, Math.max(2, Math.floor((right - left) / 90)));
  const digits = marks.length > 1 ? Math.max(0, Math.min(6, Math.ceil(-Math.log10(marks[1] - marks[0]) - 1e-9))) : 3;
  for (const tick of marks) {
    root.append(svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: height - 26 }), svg("text", { class: "soft", x: x(tick), y: height - 9, "text-anchor": "middle", text: fixed(tick, digits) }));
  }
  boxes.forEach((b, i) => {
    const y = top + (i + 0.5) * row, half = 9;
    const group = svg("g", {},
      svg("rect", { class: "hit", x: 0, y: y - row / 2, width, height: row }),
      svg("text", { x: left - 8, y: y + 4, "text-anchor": "end", text: methodName(b.method, fits(left)) }),
      svg("path", { class: "whisker", d: `M${x(b.low)} ${y} H${x(b.lower)} M${x(b.upper)} ${y} H${x(b.high)} M${x(b.low)} ${y - 5} v10 M${x(b.high)} ${y - 5} v10` }),
      svg("rect", { class: "box", x: x(b.lower), y: y - half, width: Math.max(1, x(b.upper) - x(b.lower)), height: 2 * half, rx: 2 }),
      svg("line", { class: "median", x1: x(b.median), x2: x(b.median), y1: y - half, y2: y + half }),
      ...b.outliers.map((value) => svg("circle", { class: "outlier", cx: x(value), cy: y, r: 3 })),
      svg("path", { class: "mean", d: `M${x(b.mean)} ${y - 5} l5 5 l-5 5 l-5 -5 z` }));
    root.append(hints(group, () => [el("b", {}, bdi(shown(b.method), 60)), el("div", { text: `mean ${fixed(b.mean, 4)} ± ${fixed(b.std, 4)} over ${plural(b.n, "fold")}` }), el("div", { text: `median ${fixed(b.median, 4)}, quartiles ${fixed(b.lower, 4)} and ${fixed(b.upper, 4)}` })]));
  });
  return root;
}

// Methods on an axis of ranks; bars join what does not differ. The better half is named on the left and the others on the
// right; where there is no room for names on both sides, all are named on the left.
function rankDiagram(width, metricName) {
  const entry = summary.results.ranks.find((rank) => rank.metric === metricName), k = entry.methods.length;
  const narrow = width < 520, named = entry.methods.map((method) => shown(method) + " 0.00");
  const side = gutter(width, named, narrow ? 0.48 : 0.36) + 6, left = side, right = width - (narrow ? 14 : side);
  const x = (rank) => left + ((rank - 1) / Math.max(1, k - 1)) * (right - left);
  const top = entry.critical_difference === null ? 24 : 54, firstBar = top + 14, bars = entry.groups.length * 9;
  const half = narrow ? k : Math.ceil(k / 2), rowHeight = 22, names0 = firstBar + bars + 14, height = names0 + half * rowHeight + 6;
  const root = svg("svg", { width, height, role: "img", "aria-label": `Average ranks: ` + entry.methods.map((method, i) => `${methodName(method)} ${fixed(entry.ranks[i], 2)}`).join(", ") });
  root.append(svg("line", { class: "axis", x1: left, x2: right, y1: top, y2: top }));
  const every = Math.ceil(k / Math.max(2, (right - left) / 26));
  for (let rank = 1; rank <= k; rank++) {
    const marked = ((rank - 1) % every === 0 && k - rank >= every) || rank === k;
    root.append(svg("line", { class: "axis", x1: x(rank), x2: x(rank), y1: top - (marked ? 7 : 4), y2: top }));
    if (marked) root.append(svg("text", { class: "soft", x: x(rank), y: top - 11, "text-anchor": "middle", text: rank }));
  }
  if (entry.critical_difference !== null) {
    const end = Math.min(1 + entry.critical_difference, k), over = entry.critical_difference > k - 1;
    root.append(svg("path", { class: "whisker", d: `M${x(1)} ${top - 34} v8 M${x(1)} ${top - 30} H${x(end)}` + (over ? "" : ` M${x(end)} ${top - 34} v8`) }));
    root.append(svg("text", { x: (x(1) + x(end)) / 2, y: top - 38, "text-anchor": "middle", text: `CD ${fixed(entry.critical_difference, 2)}` }));
  }
  entry.groups.forEach(([first, last], i) => {
    const y = firstBar + i * 9;
    root.append(svg("line", { class: "clique", x1: x(entry.ranks[first]) - 4, x2: x(entry.ranks[last]) + 4, y1: y, y2: y }));
  });
  entry.methods.forEach((method, i) => {
    const onLeft = i < half, y = names0 + (onLeft ? i : k - 1 - i) * rowHeight + 10, at = x(entry.ranks[i]);
    const group = svg("g", {},
      svg("path", { class: "leader", d: `M${at} ${top} V${y} H${onLeft ? left - 4 : right + 4}` }), svg("circle", { class: "dot", cx: at, cy: top, r: 3.5 }),
      svg("text", { x: onLeft ? left - 8 : right + 8, y: y + 4, "text-anchor": onLeft ? "end" : "start" }, svg("tspan", { text: methodName(method, fits(side - 36)) }), svg("tspan", { class: "soft", dx: 6, text: fixed(entry.ranks[i], 2) })));
    root.append(hints(group, () => [el("b", {}, bdi(shown(method), 60)), el("div", { text: `average rank ${fixed(entry.ranks[i], 3)}` })]));
  });
  return root;
}

function drawTimes() {
  const results = summary.results, box = body("timings");
  const timed = results.datasets.filter((name) => results.times.some((time) => time.dataset === name));
  let dataset = timed[0];
  const plot = chart((width) => timeBars(width, dataset));
  const parts = [["select", "selecting", "fill-third"], ["train", "training", "fill-more"], ["test", "testing", "fill-less"]].filter(([key]) => results.times.some((time) => time[key] > 0));
  box.append(el("p", { class: "hint", text: "Mean seconds per fold. Folds are solved together where the engine allows, so each is given its equal share." }));
  if (timed.length > 1) box.append(el("div", { class: "controls" }, choice("Data set", timed.map((name) => [name, shown(name)]), (value) => { dataset = value; plot.redraw(); }, dataset)));
  box.append(el("div", { class: "legend" }, ...parts.map(([, word, style]) => el("span", {}, svg("svg", { width: 14, height: 12, "aria-hidden": "true" }, svg("rect", { class: style, width: 14, height: 12, rx: 2 })), word))), plot);

  function timeBars(width, name) {
    const times = results.times.filter((time) => time.dataset === name).sort((a, b) => a.select + a.train + a.test - (b.select + b.train + b.test));
    const row = 28, left = gutter(width, times.map((time) => shown(time.method))), room = 64, height = row * times.length + 6;
    const most = Math.max(...times.map((time) => time.select + time.train + time.test)) || 1, scale = (width - left - room) / most;
    const root = svg("svg", { width, height, role: "img", "aria-label": "Seconds per fold: " + times.map((time) => `${methodName(time.method)} ${seconds(time.select + time.train + time.test)}`).join(", ") });
    times.forEach((time, i) => {
      const y = 4 + i * row, group = svg("g", {}, svg("rect", { class: "hit", x: 0, y, width, height: row }), svg("text", { x: left - 8, y: y + 16, "text-anchor": "end", text: methodName(time.method, fits(left)) }));
      let x = left;
      for (const [key, , style] of parts) {
        const length = time[key] * scale;
        if (length > 0) group.append(svg("rect", { class: style, x, y: y + 4, width: Math.max(length, 0.5), height: 16 }));
        x += length;
      }
      group.append(svg("text", { class: "soft", x: x + 6, y: y + 16, text: seconds(time.select + time.train + time.test) }));
      root.append(hints(group, () => [el("b", {}, bdi(shown(time.method), 60)), ...parts.map(([key, word]) => el("div", { text: `${word} ${seconds(time[key])}` }))]));
    });
    return root;
  }
}
