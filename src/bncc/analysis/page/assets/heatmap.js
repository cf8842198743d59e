// Dependence of all pairs on a canvas: row = child, column = parent. Blue and + for more likely, orange and − for less.

const MEASURES = {
  change: ["Change of probability", (r) => r.change],
  correlation: ["Correlation", (r) => r.correlation],
  dependence: ["Dependence degree", (r) => (r.sign < 0 ? -1 : 1) * r.dependence],
};

const FONT = "12px system-ui, sans-serif";

function rgb(colour) {
  const digits = colour.replace("#", "");
  return [0, 2, 4].map((i) => parseInt(digits.slice(i, i + 2), 16));
}
// The share of ink grows with a root of the value, so that weak relations can be seen; a higher one for small cells.
function blend(base, more, less, value, root) {
  const ink = Math.min(1, Math.abs(value)) ** (1 / root);
  return base.map((channel, i) => Math.round(channel + ((value < 0 ? less : more)[i] - channel) * ink));
}

function drawHeatmap() {
  const box = body("dependence"), all = summary.pairs.labels, net = summary.network;
  const edges = new Set(net ? net.edges.filter((edge) => edge.kept).map((edge) => edge.child * names.length + edge.parent) : []);
  const frequent = [...all].sort((a, b) => summary.labels[b].positives - summary.labels[a].positives || a - b);
  const inChain = net ? net.order.filter((label) => slot.has(label)) : [];
  const sizes = [20, 40, 100].filter((size) => size < all.length);
  let measure = "change", sorting = net ? "chain" : "data", size = all.length <= 40 ? all.length : 40;
  let labels = [], cell = 1, margin = 0, cursor = null, values = null, sure = null;
  const canvas = el("canvas", { tabindex: "0", role: "application", "aria-label": "Dependence heat map. Arrow keys move from cell to cell, Enter selects the child.", "aria-describedby": "heat-readout" });
  const picture = el("canvas"); // the map without the cursor
  const frame = el("div", { class: "map" }, canvas);
  const readout = el("div", { class: "readout", id: "heat-readout", "aria-live": "polite" });
  const ramp = el("canvas", { class: "ramp", width: "150", height: "12", "aria-hidden": "true" });

  function choose() {
    const chosen = new Set(frequent.slice(0, size));
    labels = { chain: inChain, frequency: frequent, data: all }[sorting].filter((label) => chosen.has(label));
    compute();
    draw();
  }
  function compute() {
    const m = labels.length, value = MEASURES[measure][1];
    values = new Float32Array(m * m);
    sure = new Uint8Array(m * m);
    for (let j = 0; j < m; j++) {
      for (let k = 0; k < m; k++) {
        if (j === k) continue;
        const r = relation(labels[j], labels[k]);
        values[j * m + k] = value(r);
        sure[j * m + k] = byChance(r) ? 0 : 1;
      }
    }
  }
  function draw() {
    const m = labels.length, space = Math.max(240, frame.clientWidth || 600);
    const pen = canvas.getContext("2d");
    pen.font = FONT;
    const room = Math.ceil(Math.max(...labels.map((label) => pen.measureText(cut(names[label], 18)).width))) + 10;
    const named = Math.floor((space - room) / m);
    margin = named >= 11 ? room : 0;
    cell = Math.max(1, Math.min(56, margin ? named : Math.floor(space / m)));
    const whole = margin + cell * m, scale = Math.max(1, Math.min(3, window.devicePixelRatio || 1));
    canvas.width = whole * scale; canvas.height = whole * scale;
    // Cells of a pixel or so are stretched to the space there is.
    canvas.style.width = (cell < 5 ? space : whole) + "px"; canvas.style.height = "auto";
    canvas.style.imageRendering = cell < 5 && whole < space ? "pixelated" : "auto";
    pen.scale(scale, scale);
    paint(pen, m);
    picture.width = canvas.width; picture.height = canvas.height;
    picture.getContext("2d").drawImage(canvas, 0, 0);
    if (cursor) outline();
    paintRamp();
  }
  function paint(pen, m) {
    const base = rgb(css("--paper")), more = rgb(css("--more")), less = rgb(css("--less")), ink = css("--ink"), line = rgb(css("--line"));
    pen.font = FONT;
    pen.textBaseline = "middle";
    if (margin) {
      labels.forEach((label, i) => {
        const text = cut(names[label], 18);
        pen.fillStyle = ink;
        pen.textAlign = "right";
        pen.fillText(text, margin - 6, margin + (i + 0.5) * cell);
        pen.save();
        pen.translate(margin + (i + 0.5) * cell, margin - 6);
        pen.rotate(-Math.PI / 2);
        pen.textAlign = "left";
        pen.fillText(text, 0, 0);
        pen.restore();
      });
    }
    for (let j = 0; j < m; j++) {
      for (let k = 0; k < m; k++) {
        const x = margin + k * cell, y = margin + j * cell, value = values[j * m + k];
        const colour = j === k ? line : sure[j * m + k] ? blend(base, more, less, value, cell < 6 ? 3 : 2) : base;
        pen.fillStyle = `rgb(${colour})`;
        pen.fillRect(x, y, cell, cell);
        if (j !== k && (cell >= 34 || (cell >= 9 && sure[j * m + k]))) mark(pen, x, y, value, colour);
        if (cell >= 5 && edges.has(labels[j] * names.length + labels[k])) {
          pen.strokeStyle = ink;
          pen.lineWidth = cell > 14 ? 2 : 1;
          pen.strokeRect(x + 1, y + 1, cell - 2, cell - 2);
        }
      }
    }
    if (cell >= 9) {
      pen.strokeStyle = css("--line");
      pen.lineWidth = 1;
      for (let i = 0; i <= m; i++) {
        pen.beginPath();
        pen.moveTo(margin + i * cell, margin); pen.lineTo(margin + i * cell, margin + m * cell);
        pen.moveTo(margin, margin + i * cell); pen.lineTo(margin + m * cell, margin + i * cell);
        pen.globalAlpha = 0.5; pen.stroke(); pen.globalAlpha = 1;
      }
    }
  }
  function mark(pen, x, y, value, colour) {
    if (cell < 34 && Math.abs(value) < 0.005) return;
    const dark = colour[0] * 0.3 + colour[1] * 0.59 + colour[2] * 0.11 < 140;
    pen.fillStyle = dark ? "#ffffff" : "#14181d";
    if (cell >= 34) {
      pen.textAlign = "center";
      pen.fillText(signed(value, 2).replace("0.", "."), x + cell / 2, y + cell / 2 + 1);
      return;
    }
    const half = Math.max(2, Math.round(cell * 0.22)), thick = cell > 18 ? 2 : 1;
    const cx = Math.round(x + cell / 2), cy = Math.round(y + cell / 2);
    pen.fillRect(cx - half, cy - thick / 2, 2 * half, thick);
    if (value > 0) pen.fillRect(cx - thick / 2, cy - half, thick, 2 * half);
  }
  function paintRamp() {
    const pen = ramp.getContext("2d"), base = rgb(css("--paper")), more = rgb(css("--more")), less = rgb(css("--less"));
    for (let x = 0; x < 150; x++) {
      pen.fillStyle = `rgb(${blend(base, more, less, (x - 75) / 75, cell < 6 ? 3 : 2)})`;
      pen.fillRect(x, 0, 1, 12);
    }
  }
  function outline() {
    const pen = canvas.getContext("2d");
    pen.save();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(picture, 0, 0);
    pen.restore();
    pen.strokeStyle = css("--focus");
    pen.lineWidth = cell > 8 ? 3 : 1.5;
    const grow = cell > 8 ? 0 : 2;
    pen.strokeRect(margin + cursor[1] * cell - grow, margin + cursor[0] * cell - grow, cell + 2 * grow, cell + 2 * grow);
  }
  function point(next) {
    cursor = next;
    outline();
    const child = labels[cursor[0]], parent = labels[cursor[1]];
    if (child === parent) {
      const row = summary.labels[child];
      readout.replaceChildren(el("p", {}, el("b", {}, bdi(names[child]))), el("p", { text: `${plural(row.positives, "row")} of ${whole(summary.data.n_rows)}` }));
      return;
    }
    const r = relation(child, parent);
    const word = r.sign > 0 ? "more likely" : r.sign < 0 ? "less likely" : "neither more nor less likely";
    readout.replaceChildren(
      el("p", {}, el("span", { class: r.sign < 0 ? "less-mark" : "more-mark", text: r.sign > 0 ? "+" : r.sign < 0 ? "−" : "" }), el("b", {}, bdi(names[parent], 60)), ` makes `, el("b", {}, bdi(names[child], 60)), ` ${word}`),
      el("p", { class: "num", text: `Without ${fixed(r.without, 3)} → with ${fixed(r.present, 3)} (change ${signed(r.change, 3)})` }),
      el("p", { class: "num", text: `Correlation ${signed(r.correlation, 3)}, dependence degree ${fixed(r.dependence, 3)}` }),
      el("p", { class: "num", text: `${plural(r.both, "row")} with both` + (edges.has(child * names.length + parent) ? "; an edge of the network" : "") + (byChance(r) ? "; may be chance" : "") }));
  }
  function cellAt(event) {
    const at = canvas.getBoundingClientRect(), scale = (margin + cell * labels.length) / at.width;
    const k = Math.floor(((event.clientX - at.left) * scale - margin) / cell), j = Math.floor(((event.clientY - at.top) * scale - margin) / cell);
    return j >= 0 && k >= 0 && j < labels.length && k < labels.length ? [j, k] : null;
  }
  canvas.addEventListener("pointermove", (event) => { const next = cellAt(event); if (next) point(next); });
  canvas.addEventListener("click", (event) => { const next = cellAt(event); if (next) { point(next); select(labels[next[0]]); } });
  canvas.addEventListener("focus", () => { if (!cursor) point([0, Math.min(1, labels.length - 1)]); });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (event.key === "Enter" && cursor) select(labels[cursor[0]], "network");
    if (!step || !cursor) return;
    event.preventDefault();
    const last = labels.length - 1, jump = event.shiftKey ? 10 : 1;
    point(cursor.map((place, i) => Math.max(0, Math.min(last, place + jump * step[i]))));
  });
  let space = 0;
  new ResizeObserver(() => { if (Math.abs(frame.clientWidth - space) > 2) { space = frame.clientWidth; draw(); } }).observe(frame);
  redrawn.push(draw);

  const controls = el("div", { class: "controls" }, choice("Shown", Object.entries(MEASURES).map(([key, [title]]) => [key, title]), (value) => { measure = value; choose(); }, measure),
    choice("Sorted by", [...(net ? [["chain", "chain order"]] : []), ["frequency", "frequency"], ["data", "data order"]], (value) => { sorting = value; cursor = null; choose(); }, sorting));
  if (sizes.length) controls.append(choice("Labels", [...sizes.map((s) => [String(s), `the ${s} most frequent`]), [String(all.length), `all ${whole(all.length)}`]], (value) => { size = Number(value); cursor = null; choose(); }, String(size)));
  box.append(el("p", { class: "hint", text: "Row: the child. Column: the parent. Change of probability is the share of rows with the child among rows with the parent, less that among rows without it. The dependence degree is 1 − H(child | parent) with the sign of the relation; it is high for rare labels whatever the parent. Cells without colour may be chance: chi-square below 3.84, or a positive relation seen in fewer than three rows." }),
    controls,
    el("div", { class: "legend" }, el("span", { text: "− less likely" }), ramp, el("span", { text: "+ more likely" }), net ? el("span", { text: "▢ framed: an edge of the network" }) : null),
    el("div", { class: "heat" }, frame, el("div", { class: "side" }, readout)));
  if (all.length < names.length) box.append(el("p", { class: "hint", text: `Pairs are kept for the ${whole(all.length)} most frequent of ${whole(names.length)} labels.` }));
  readout.append(el("p", { class: "hint", text: "Hold the pointer over a cell, or move with the arrow keys (with Shift by ten), to read it. A click or Enter selects the child." }));
  choose();
}
