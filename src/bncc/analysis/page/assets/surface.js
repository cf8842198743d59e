// Score over the width of the kernel and the cost: a map where both were varied, a line where one was.

const isPower = (value) => Math.abs(Math.log2(value) - Math.round(Math.log2(value))) < 1e-9;
// Values of one axis as powers of two where all of them are.
function axisText(values, i, attributes) {
  if (!values.every(isPower)) return svg("text", { class: "soft", ...attributes, text: String(Number(values[i].toPrecision(3))) });
  return svg("text", { class: "soft", ...attributes }, svg("tspan", { text: "2" }), svg("tspan", { dy: -4, "font-size": 9, text: String(Math.round(Math.log2(values[i]))).replace("-", "−") }));
}

function drawSurface() {
  const all = summary.results.surfaces, box = body("sensitivity");
  const unique = (key, fit) => [...new Set(all.filter(fit || (() => true)).map((s) => s[key]))];
  let now = all[0], raised = false;
  const both = () => now.Cs.length > 1 && now.sigmas.length > 1;
  const plot = chart((width) => (!both() ? surfaceLine(width, now) : raised ? surfaceHill(width, now) : surfaceMap(width, now)));
  const flat = el("button", { type: "button", text: "Map", onclick: () => { raised = false; draw(); } }), hill = el("button", { type: "button", text: "Surface", onclick: () => { raised = true; draw(); } });
  const views = el("span", { class: "group", role: "group", "aria-label": "View" }, flat, hill);
  const controls = el("div", { class: "controls" }), note = el("p", { class: "hint" });
  function pick(change) {
    const wanted = { dataset: now.dataset, method: now.method, metric: now.metric, ...change }, key = Object.keys(change)[0];
    const score = (s) => ["dataset", "method", "metric"].reduce((sum, k) => sum + (s[k] === wanted[k] ? (k === key ? 4 : 1) : 0), 0);
    now = [...all].sort((a, b) => score(b) - score(a))[0];
    draw();
  }
  function draw() {
    const lists = { dataset: unique("dataset"), method: unique("method", (s) => s.dataset === now.dataset), metric: unique("metric", (s) => s.dataset === now.dataset && s.method === now.method) };
    const titles = { dataset: "Data set", method: "Method", metric: "Metric" };
    controls.replaceChildren(...Object.entries(lists).filter(([, list]) => list.length > 1).map(([key, list]) => choice(titles[key], list.map((value) => [value, shown(value)]), (value) => pick({ [key]: value }), now[key])));
    if (both()) controls.append(views);
    flat.setAttribute("aria-pressed", String(!raised));
    hill.setAttribute("aria-pressed", String(raised));
    const best = bestCell(now), info = metricOf(now.metric);
    note.textContent = `Mean cross-validated ${now.metric} of ${methodName(now.method)} on ${methodName(now.dataset)} for each candidate that selection tried. Best: ${fixed(best.value, 4)} at σ = ${Number(best.sigma.toPrecision(4))}, C = ${Number(best.C.toPrecision(4))}${info && better(info) ? ` (${better(info)})` : ""}.`;
    plot.redraw();
  }
  box.append(controls, note, plot);
  draw();
}

function bestCell(surface) {
  const info = metricOf(surface.metric), up = !info || info.greater_is_better !== false;
  let best = null;
  surface.values.forEach((row, i) => row.forEach((value, j) => {
    if (value !== null && (best === null || (up ? value > best.value : value < best.value))) best = { i, j, value, C: surface.Cs[i], sigma: surface.sigmas[j] };
  }));
  return best;
}

// Dark to light is worse to better, whichever way the metric runs (the colours keep their order in grey).
const SCALE = [[0, 34, 78], [60, 77, 110], [124, 123, 120], [187, 175, 113], [254, 232, 56]];
function scaleColour(share) {
  const at = Math.max(0, Math.min(0.9999, share)) * (SCALE.length - 1), i = Math.floor(at);
  return SCALE[i].map((channel, c) => Math.round(channel + (SCALE[i + 1][c] - channel) * (at - i)));
}

function surfaceMap(width, surface) {
  const left = 56, bottom = 44, rows = surface.Cs.length, columns = surface.sigmas.length;
  const cellWidth = Math.min(84, (width - left - 8) / columns), cellHeight = Math.max(20, Math.min(28, cellWidth * 0.7)), height = rows * cellHeight + bottom + 4;
  const known = surface.values.flat().filter((value) => value !== null), low = Math.min(...known), high = Math.max(...known);
  const info = metricOf(surface.metric), up = !info || info.greater_is_better !== false, best = bestCell(surface);
  const root = svg("svg", { width, height, role: "img", "aria-label": `Sensitivity of ${surface.metric} over sigma and C, from ${fixed(low, 3)} to ${fixed(high, 3)}` });
  surface.values.forEach((row, i) => row.forEach((value, j) => {
    const x = left + j * cellWidth, y = 2 + (rows - 1 - i) * cellHeight;
    if (value === null) { root.append(svg("rect", { class: "grid", x, y, width: cellWidth, height: cellHeight })); return; }
    const share = high > low ? (value - low) / (high - low) : 1, colour = scaleColour(up ? share : 1 - share);
    const dark = colour[0] * 0.3 + colour[1] * 0.59 + colour[2] * 0.11 < 130;
    const group = svg("g", {}, svg("rect", { x, y, width: cellWidth + 0.4, height: cellHeight + 0.4, fill: `rgb(${colour})` }));
    if (cellWidth >= 40) {
      const text = svg("text", { x: x + cellWidth / 2, y: y + cellHeight / 2 + 4, "text-anchor": "middle", text: fixed(value, 3).replace(/^0/, "") });
      text.style.fill = dark ? "#ffffff" : "#14181d";
      group.append(text);
    }
    root.append(hints(group, () => [el("b", { text: fixed(value, 4) }), el("div", { text: `σ = ${Number(surface.sigmas[j].toPrecision(4))}, C = ${Number(surface.Cs[i].toPrecision(4))}` })]));
  }));
  root.append(svg("rect", { class: "best-cell", x: left + best.j * cellWidth + 1, y: 3 + (rows - 1 - best.i) * cellHeight, width: cellWidth - 2, height: cellHeight - 2 }));
  const every = Math.ceil(26 / cellWidth);
  surface.sigmas.forEach((_, j) => { if (j % every === 0) root.append(axisText(surface.sigmas, j, { x: left + (j + 0.5) * cellWidth, y: rows * cellHeight + 20, "text-anchor": "middle" })); });
  surface.Cs.forEach((_, i) => root.append(axisText(surface.Cs, i, { x: left - 8, y: 2 + (rows - 0.5 - i) * cellHeight + 4, "text-anchor": "end" })));
  root.append(svg("text", { x: left + (columns * cellWidth) / 2, y: height - 4, "text-anchor": "middle", text: "σ" }), svg("text", { x: 10, y: 2 + (rows * cellHeight) / 2 + 4, text: "C" }));
  return root;
}

function surfaceLine(width, surface) {
  const alongC = surface.sigmas.length === 1, at = alongC ? surface.Cs : surface.sigmas;
  const values = alongC ? surface.values.map((row) => row[0]) : surface.values[0];
  const points = at.map((place, i) => [place, values[i]]).filter(([, value]) => value !== null);
  const height = 260, left = 60, bottom = 42, top = 12, right = width - 16;
  let low = Math.min(...points.map((p) => p[1])), high = Math.max(...points.map((p) => p[1]));
  const pad = (high - low) * 0.08 || 0.01;
  low -= pad; high += pad;
  const first = Math.log2(points[0][0]), span = Math.log2(points[points.length - 1][0]) - first || 1;
  const x = (place) => left + 12 + ((Math.log2(place) - first) / span) * (right - left - 24), y = (value) => height - bottom - ((value - low) / (high - low)) * (height - bottom - top);
  const root = svg("svg", { width, height, role: "img", "aria-label": `Sensitivity of ${surface.metric} to ${alongC ? "C" : "sigma"}` });
  const marks = ticks(low, high, 8), digits = marks.length > 1 ? Math.max(0, Math.min(6, Math.ceil(-Math.log10(marks[1] - marks[0]) - 1e-9))) : 3;
  for (const tick of marks) root.append(svg("line", { class: "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }), svg("text", { class: "soft", x: left - 8, y: y(tick) + 4, "text-anchor": "end", text: fixed(tick, digits) }));
  root.append(svg("path", { class: "line", d: "M" + points.map(([place, value]) => `${x(place)} ${y(value)}`).join(" L") }));
  const best = bestCell(surface).value, every = Math.ceil((points.length * 30) / (right - left));
  points.forEach(([place, value], i) => {
    if (i % every === 0) root.append(axisText(points.map((p) => p[0]), i, { x: x(place), y: height - bottom + 20, "text-anchor": "middle" }));
    root.append(hints(svg("circle", { class: value === best ? "dot" : "mean", cx: x(place), cy: y(value), r: value === best ? 6 : 4 }), () => [el("b", { text: fixed(value, 4) }), el("div", { text: `${alongC ? "C" : "σ"} = ${Number(place.toPrecision(4))}` })]));
  });
  root.append(svg("line", { class: "axis", x1: left, x2: right, y1: height - bottom, y2: height - bottom }), svg("text", { x: (left + right) / 2, y: height - 4, "text-anchor": "middle", text: alongC ? "C" : "σ" }));
  return root;
}

// The same grid as a surface seen from above its corner: sigma runs to the right, C to the left, the score upwards.
function surfaceHill(width, surface) {
  const rows = surface.Cs.length, columns = surface.sigmas.length, height = Math.round(Math.min(380, width * 0.6));
  const known = surface.values.flat().filter((value) => value !== null), low = Math.min(...known), high = Math.max(...known);
  const info = metricOf(surface.metric), up = !info || info.greater_is_better !== false, best = bestCell(surface);
  const share = (value) => (high > low ? (value - low) / (high - low) : 1);
  const wide = Math.min(width * 0.42, 360), deep = height * 0.25, tall = height * 0.38, cx = width / 2, floor = height - 34;
  const spot = (i, j, value) => {
    const u = j / (columns - 1), v = i / (rows - 1);
    return [cx + (u - v) * wide, floor - (2 - u - v) * deep - share(value) * tall];
  };
  const root = svg("svg", { width, height, role: "img", "aria-label": `Surface of ${surface.metric} over sigma and C, from ${fixed(low, 3)} to ${fixed(high, 3)}` });
  const edge = (i, j) => spot(i, j, low).map((v) => v.toFixed(1)).join(" ");
  root.append(svg("path", { class: "grid", d: `M${edge(0, 0)} L${edge(0, columns - 1)} L${edge(rows - 1, columns - 1)} L${edge(rows - 1, 0)} Z` }));
  const quads = [];
  for (let i = 0; i + 1 < rows; i++) for (let j = 0; j + 1 < columns; j++) quads.push([i, j]);
  quads.sort((a, b) => a[0] + a[1] - b[0] - b[1]); // what is behind first
  for (const [i, j] of quads) {
    const corners = [[i, j], [i, j + 1], [i + 1, j + 1], [i + 1, j]], values = corners.map(([a, b]) => surface.values[a][b]);
    if (values.includes(null)) continue;
    const mean = share(values.reduce((sum, value) => sum + value, 0) / 4), colour = scaleColour(up ? mean : 1 - mean);
    const line = corners.map(([a, b], k) => spot(a, b, values[k]).map((v) => v.toFixed(1)).join(" ")).join(" L");
    const face = svg("path", { class: "face", d: `M${line} Z`, fill: `rgb(${colour})` });
    root.append(hints(face, () => [el("b", { text: `${fixed(Math.min(...values), 4)} to ${fixed(Math.max(...values), 4)}` }), el("div", { text: `σ from ${Number(surface.sigmas[j].toPrecision(4))} to ${Number(surface.sigmas[j + 1].toPrecision(4))}, C from ${Number(surface.Cs[i].toPrecision(4))} to ${Number(surface.Cs[i + 1].toPrecision(4))}` })]));
  }
  const [x, y] = spot(best.i, best.j, best.value);
  root.append(svg("circle", { class: "mean", cx: x, cy: y, r: 5 }), svg("text", { class: "halo", x: x + 9, y: y - 6, text: `best ${fixed(best.value, 3)}` }));
  const along = (values, at, anchor, dx) => values.forEach((_, k) => {
    if (k % Math.ceil(values.length / 7) !== 0) return;
    const [tx, ty] = at(k);
    root.append(axisText(values, k, { x: tx + dx, y: ty + 16, "text-anchor": anchor }));
  });
  along(surface.sigmas, (j) => spot(rows - 1, j, low), "end", -4);
  along(surface.Cs, (i) => spot(i, columns - 1, low), "start", 4);
  const [sx, sy] = spot(rows - 1, (columns - 1) / 2, low), [tx, ty] = spot((rows - 1) / 2, columns - 1, low);
  root.append(svg("text", { x: sx - 34, y: sy + 26, "text-anchor": "end", text: "σ" }), svg("text", { x: tx + 34, y: ty + 26, text: "C" }));
  return root;
}
