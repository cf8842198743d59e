// The label network: the whole of it in layers, or the neighbourhood of the selected label.

const LONGEST = 24, PILL = 13, NEAR_MOST = 16, NEAR_ROW = 36;
const placeWidth = 6.5 * String(names.length).length; // room for a label's place in the chain
const pillWidth = (label) => Math.min(Array.from(names[label]).length, LONGEST) * 7.4 + 28 + placeWidth;
const changeOf = (edge) => (edge.with_parent === null || edge.without_parent === null ? null : edge.with_parent - edge.without_parent);
const signOf = (edge) => Math.sign(changeOf(edge) || 0);
const strength = (edge) => Math.abs(changeOf(edge) || 0);

function drawNetwork() {
  const net = summary.network, box = body("network"), total = names.length, large = total > 60;
  const place = new Map(net.order.map((label, i) => [label, i + 1]));
  const kept = net.edges.filter((edge) => edge.kept), dropped = net.edges.filter((edge) => !edge.kept);
  const into = names.map(() => []), outOf = names.map(() => []);
  kept.forEach((edge, i) => { into[edge.child].push(edge); outOf[edge.parent].push(edge); edge.bends = layout.bends[i]; });
  const known = net.true_edges ? new Set(net.true_edges.map(([parent, child]) => parent * total + child)) : null;
  const linkedPairs = new Set(kept.flatMap((edge) => [edge.parent * total + edge.child, edge.child * total + edge.parent]));
  const missed = (net.true_edges || []).filter(([parent, child]) => !linkedPairs.has(parent * total + child)).map(([parent, child]) => {
    const r = slot.has(parent) && slot.has(child) ? relation(child, parent) : { present: null, without: null, dependence: null };
    return { parent, child, kept: false, missed: true, with_parent: r.present, without_parent: r.without, dependence: r.dependence, gain: null };
  });
  const degree = (label) => into[label].length + outOf[label].length;
  const hubs = new Set([...names.keys()].sort((a, b) => degree(b) - degree(a) || a - b).slice(0, 14));
  let mode = large ? "near" : "whole", showDropped = false, showMissed = false, view = null, full = null, scale = 1, nodes = new Map(), spots = new Map();
  const root = svg("svg", { role: "group", "aria-label": "Label network. Tab enters it; arrow keys go from label to label, Enter selects, plus and minus zoom, 0 shows all." });
  const frame = el("div", { class: "frame" }, root);
  const panel = el("div", { class: "panel", id: "network-panel", "aria-live": "polite" });

  // ---- what is drawn where
  function wholeScene() {
    return {
      at: new Map([...names.keys()].map((label) => [label, { x: layout.x[label], y: layout.y[label] }])),
      edges: kept, width: layout.width, height: layout.height,
    };
  }
  // Parents on the left, children on the right: lists that stay readable however long they are.
  function nearScene(label) {
    const byStrength = (a, b) => strength(b) - strength(a), gap = frame.clientWidth < 520 ? 44 : 110;
    const up = [...into[label]].sort(byStrength).slice(0, NEAR_MOST), down = [...outOf[label]].sort(byStrength).slice(0, NEAR_MOST);
    const height = Math.max(up.length, down.length, 3) * NEAR_ROW + 24, at = new Map();
    const widest = (labels) => Math.max(0, ...labels.map(pillWidth));
    const parents = up.map((edge) => edge.parent), children = down.map((edge) => edge.child);
    const middle = 20 + (parents.length ? widest(parents) + gap : 0), right = middle + pillWidth(label) + gap;
    const top = (labels) => (height - labels.length * NEAR_ROW) / 2 + NEAR_ROW / 2;
    parents.forEach((one, i) => at.set(one, { x: middle - gap - pillWidth(one) / 2, y: top(parents) + i * NEAR_ROW }));
    at.set(label, { x: middle + pillWidth(label) / 2, y: height / 2 });
    children.forEach((one, i) => at.set(one, { x: right + pillWidth(one) / 2, y: top(children) + i * NEAR_ROW }));
    const width = (children.length ? right + widest(children) : right - gap) + 20, edges = [...up, ...down];
    return { at, edges, width, height, hidden: into[label].length + outOf[label].length - edges.length };
  }

  // ---- drawing
  function draw() {
    const scene = mode === "whole" ? wholeScene() : nearScene(selected === null ? net.order[0] : selected);
    nodes = new Map();
    spots = scene.at;
    const lines = svg("g", { "aria-hidden": "true" }), pills = svg("g", {});
    for (const edge of [...(showDropped ? dropped : []), ...(showMissed ? missed : [])]) if (spots.has(edge.parent) && spots.has(edge.child)) lines.append(edgePath(edge));
    for (const edge of scene.edges) lines.append(edgePath(edge));
    const inOrder = [...spots.keys()].sort((a, b) => place.get(a) - place.get(b));
    for (const label of inOrder) pills.append(node(label));
    root.replaceChildren(lines, pills);
    root.classList.toggle("large", large && mode === "whole");
    const rim = large && mode === "whole" ? 40 : 0; // for names above the topmost dots
    full = { x: -rim, y: -rim, w: scene.width + 2 * rim, h: scene.height + 2 * rim };
    fit();
    highlight();
    rove(nodes.has(selected) ? selected : inOrder[0]);
    more.textContent = scene.hidden ? `${plural(scene.hidden, "weaker neighbour")} not drawn; all are in the list.` : "";
  }
  function node(label) {
    const { x, y } = spots.get(label), width = pillWidth(label), isHub = hubs.has(label);
    const group = svg("g", { class: isHub ? "node hub" : "node", role: "button", tabindex: "-1", "data-label": label, "aria-label": spoken(label), "aria-pressed": "false" },
      svg("circle", { cx: x, cy: y, r: 5 }),
      svg("rect", { x: x - width / 2, y: y - PILL, width, height: 2 * PILL, rx: PILL }),
      svg("text", { class: "place", x: x - width / 2 + 10, y: y + 4, text: place.get(label) }),
      svg("text", { class: "label", x: x + placeWidth / 2 + 3, y: y + 4, "text-anchor": "middle", text: cut(names[label], LONGEST) }));
    group.addEventListener("click", () => { if (!moved) choose(label); });
    group.addEventListener("pointermove", (event) => { if (!drag) showTip(card(label), { x: event.clientX, y: event.clientY }); });
    group.addEventListener("pointerleave", hideTip);
    group.addEventListener("focus", () => { rove(label); if (group.matches(":focus-visible")) { intoView(label); tipAt(label); } });
    group.addEventListener("blur", hideTip);
    nodes.set(label, group);
    return group;
  }
  function edgePath(edge) {
    const sign = signOf(edge), { line, tip } = edge.kept ? (mode === "near" ? acrossPath(edge, sign) : downPath(edge, sign)) : plainPath(edge);
    const kind = edge.kept ? (sign > 0 ? "more" : sign < 0 ? "less" : "") : edge.missed ? "missed" : "dropped";
    const group = svg("g", { class: `edge ${kind}`, "data-edge": `${edge.parent} ${edge.child}`, "stroke-width": 1.3 + 3 * strength(edge) },
      svg("path", { d: line, "stroke-dasharray": edge.kept && sign < 0 ? "7 4" : null }), tip ? svg("path", { d: tip }) : null,
      svg("path", { d: line, stroke: "transparent", "stroke-width": 12 }));
    return hints(group, () => edgeCard(edge));
  }
  // An arrow for more likely, a bar for less: told apart without colour.
  function downPath(edge, sign) {
    const a = spots.get(edge.parent), b = spots.get(edge.child);
    const points = [{ x: a.x, y: a.y + PILL }, ...edge.bends.map(([x, y]) => ({ x, y })), { x: b.x, y: b.y - PILL - 4 }];
    // Upright at both ends; between them a bend leans from the point before it to the point after.
    const lean = points.map((_, i) => (i === 0 || i === points.length - 1 ? 0 : (points[i + 1].x - points[i - 1].x) / (points[i + 1].y - points[i - 1].y)));
    const round = (value) => Math.round(value * 10) / 10;
    let line = `M${points[0].x} ${points[0].y}`;
    for (let i = 1; i < points.length; i++) {
      const p = points[i - 1], q = points[i], bend = (q.y - p.y) / 2;
      line += ` C${round(p.x + lean[i - 1] * bend)} ${p.y + bend} ${round(q.x - lean[i] * bend)} ${q.y - bend} ${q.x} ${q.y}`;
    }
    const { x, y } = points[points.length - 1];
    return { line, tip: sign < 0 ? `M${x - 7} ${y + 1} h14` : `M${x - 5} ${y - 6} L${x} ${y + 2} L${x + 5} ${y - 6}` };
  }
  function acrossPath(edge, sign) {
    const a = spots.get(edge.parent), b = spots.get(edge.child), from = a.x + pillWidth(edge.parent) / 2, x = b.x - pillWidth(edge.child) / 2 - 4, bend = (x - from) / 2;
    return { line: `M${from} ${a.y} C${from + bend} ${a.y} ${x - bend} ${b.y} ${x} ${b.y}`, tip: sign < 0 ? `M${x + 1} ${b.y - 7} v14` : `M${x - 6} ${b.y - 5} L${x + 2} ${b.y} L${x - 6} ${b.y + 5}` };
  }
  function plainPath(edge) {
    const a = spots.get(edge.parent), b = spots.get(edge.child), lift = 0.14;
    const x = (a.x + b.x) / 2 + (b.y - a.y) * lift, y = (a.y + b.y) / 2 - (b.x - a.x) * lift;
    return { line: `M${a.x} ${a.y} Q${x} ${y} ${b.x} ${b.y}`, tip: null };
  }

  // ---- words
  function spoken(label) {
    const share = summary.labels.length ? `, ${fixed((100 * summary.labels[label].positives) / summary.data.n_rows, 1)} percent of rows` : "";
    return `${cut(names[label], 120)}, place ${place.get(label)} of ${total}${share}, ${plural(into[label].length, "parent")}, ${outOf[label].length} ${outOf[label].length === 1 ? "child" : "children"}`;
  }
  function card(label) {
    const most = 8, rows = [...into[label]].sort((a, b) => strength(b) - strength(a));
    const share = summary.labels.length ? summary.labels[label].positives / summary.data.n_rows : null;
    const lines = rows.slice(0, most).map((edge) => el("tr", {}, el("td", {}, signMark(edge), bdi(names[edge.parent], 28)), el("td", { class: "n", text: fixed(edge.without_parent, 2) }), el("td", { class: "n", text: fixed(edge.with_parent, 2) })));
    return [
      el("b", {}, bdi(names[label], 60)), share === null ? "" : ` · in ${fixed(100 * share, 1)} % of rows`,
      rows.length ? el("table", {}, el("thead", {}, el("tr", {}, el("th", { text: "Parent" }), el("th", { class: "n", text: "without" }), el("th", { class: "n", text: "with" }))), el("tbody", {}, ...lines)) : el("div", { text: "No parents." }),
      rows.length > most ? `and ${rows.length - most} more parents` : "",
    ];
  }
  function signMark(edge) { const sign = signOf(edge); return sign > 0 ? "+ " : sign < 0 ? "− " : ""; }
  function edgeCard(edge) {
    const word = signOf(edge) > 0 ? "more likely" : signOf(edge) < 0 ? "less likely" : "as likely as before";
    return [el("b", {}, bdi(names[edge.parent], 40), " → ", bdi(names[edge.child], 40)),
      el("div", { text: `makes it ${word}: ${fixed(edge.without_parent, 2)} → ${fixed(edge.with_parent, 2)}` }),
      edge.dependence === null ? "" : el("div", { text: `dependence degree ${fixed(edge.dependence, 3)}` }),
      edge.gain === null ? "" : el("div", { text: `score ${fixed(edge.score, 2)}, gain ${signed(edge.gain, 2)}` }),
      edge.kept ? "" : el("div", { text: edge.missed ? "in the true network, not learned" : "dropped to break a cycle" })];
  }

  // ---- the panel
  function truth(edge) {
    if (known.has(edge.parent * total + edge.child)) return "true";
    return known.has(edge.child * total + edge.parent) ? "reversed" : "not true";
  }
  function edgeTable(title, edges, key) {
    if (!edges.length) return el("div", {}, el("h3", { text: title }), el("p", { class: "hint", text: "None." }));
    const scored = edges.some((edge) => edge.gain !== null);
    const head = [["Label", ""], ["without", "n", "share of rows with the child among rows without the parent"], ["with", "n", "share of rows with the child among rows with the parent"], ["I", "n", "dependence degree"], ...(scored ? [["gain", "n", "what the parent adds to the child's score"]] : []), ...(known ? [["", ""]] : [])];
    const line = (edge) => el("tr", {},
      el("td", {}, el("span", { class: signOf(edge) < 0 ? "less-mark" : "more-mark", text: signMark(edge).trim() }), labelButton(edge[key], null, 40), edge.kept ? null : el("span", { class: "hint", text: " (dropped)" })),
      el("td", { class: "n", text: fixed(edge.without_parent, 2) }), el("td", { class: "n", text: fixed(edge.with_parent, 2) }), el("td", { class: "n", text: fixed(edge.dependence, 2) }),
      scored ? el("td", { class: "n", text: edge.gain === null ? "–" : signed(edge.gain, 1) }) : null, known ? el("td", { class: "hint num", text: edge.kept ? truth(edge) : "" }) : null);
    return el("div", {}, el("h3", { text: title }), el("div", { class: "scroll", tabindex: edges.length > 8 ? "0" : null }, el("table", {}, el("thead", {}, el("tr", {}, ...head.map(([text, style, title]) => el("th", { scope: "col", class: style, text, title })))), el("tbody", {}, ...edges.map(line)))));
  }
  function strongestOthers(label) {
    if (!slot.has(label) || !summary.pairs) return null;
    const linked = new Set([...into[label].map((edge) => edge.parent), ...outOf[label].map((edge) => edge.child), label]);
    const others = summary.pairs.labels.filter((other) => !linked.has(other)).map((other) => [other, relation(label, other)]);
    const top = (sign) => others.filter(([, r]) => r.sign === sign && !byChance(r)).sort((a, b) => Math.abs(b[1].correlation) - Math.abs(a[1].correlation) || a[0] - b[0]).slice(0, 4);
    const line = ([other, r]) => el("li", {}, el("span", { class: r.sign > 0 ? "more-mark" : "less-mark", text: r.sign > 0 ? "+" : "−" }), labelButton(other, null, 40), el("span", { class: "num hint", text: `  ${fixed(r.without, 2)} → ${fixed(r.present, 2)}` }));
    const lines = [...top(1), ...top(-1)].map(line);
    return lines.length ? el("div", {}, el("h3", { text: "Related without an edge" }), el("ul", { class: "plain" }, ...lines)) : null;
  }
  function describe(label) {
    const row = summary.labels[label];
    const share = row ? `${plural(row.positives, "row")}, ${fixed((100 * row.positives) / summary.data.n_rows, 1)} %. ` : "";
    const lost = dropped.filter((edge) => edge.child === label);
    panel.replaceChildren(
      el("h3", { id: "chosen" }, bdi(names[label], 160)),
      el("p", { text: `${share}Place ${place.get(label)} of ${total} in the chain.` }),
      edgeTable("Parents", [...into[label], ...lost], "parent"),
      el("p", { class: "hint", text: `Score ${fixed(net.start_scores[label], 2)} to begin with, ${fixed(net.scores[label], 2)} with its parents; ${net.stops[label]}.` }),
      edgeTable("Children", [...outOf[label]].sort((a, b) => strength(b) - strength(a)), "child"));
    const others = strongestOthers(label);
    if (others) panel.append(others);
  }

  // ---- selecting
  function choose(label) { hideTip(); select(label); }
  function highlight() {
    const near = new Set();
    if (selected !== null) { for (const edge of into[selected]) near.add(edge.parent); for (const edge of outOf[selected]) near.add(edge.child); }
    for (const [label, group] of nodes) {
      group.classList.toggle("chosen", label === selected);
      group.classList.toggle("near", near.has(label));
      group.classList.toggle("faint", mode === "whole" && selected !== null && label !== selected && !near.has(label));
      group.setAttribute("aria-pressed", String(label === selected));
    }
    for (const group of root.querySelectorAll(".edge")) {
      const touches = group.dataset.edge.split(" ").map(Number).includes(selected);
      group.classList.toggle("faint", mode === "whole" && selected !== null && !touches);
      group.classList.toggle("strong", touches);
    }
    if (view && root.classList.contains("far")) nameSome();
  }
  followers.push((label) => {
    if (label === null) { highlight(); return; }
    describe(label);
    const had = root.contains(document.activeElement);
    if (mode === "near") draw(); else highlight();
    rove(label);
    if (mode === "whole") intoView(label);
    if (had) nodes.get(label).focus({ preventScroll: true });
  });

  // ---- zoom, pan, keys
  function fit() {
    const width = frame.clientWidth || 640, most = large && mode === "whole" ? 620 : 560;
    const shape = full.h / full.w, height = Math.round(Math.min(most, Math.max(240, width * shape)));
    root.setAttribute("height", height);
    const grow = Math.max(full.w / width, full.h / height, 0.72);
    view = { w: width * grow, h: height * grow };
    view.x = full.x + (full.w - view.w) / 2;
    view.y = full.y + (full.h - view.h) / 2;
    apply();
  }
  function apply() {
    root.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
    scale = (frame.clientWidth || 640) / view.w;
    root.classList.toggle("far", large && mode === "whole" && scale < 0.62);
    root.style.setProperty("--unit", String(1 / scale));
    if (root.classList.contains("far")) nameSome();
  }
  // From afar only labels that matter now are named, and only where names do not cover each other.
  function nameSome() {
    const near = new Set(selected === null ? hubs : [selected, ...into[selected].map((edge) => edge.parent), ...outOf[selected].map((edge) => edge.child), ...hubs]);
    const taken = [];
    for (const group of root.querySelectorAll(".node.named")) group.classList.remove("named");
    for (const label of near) {
      const spot = spots.get(label), half = Array.from(cut(names[label], LONGEST)).length * 3.5 / scale, high = 8 / scale;
      if (!spot || taken.some((other) => Math.abs(other.x - spot.x) < other.half + half && Math.abs(other.y - spot.y) < 2 * high)) continue;
      taken.push({ ...spot, half });
      nodes.get(label).classList.add("named");
    }
  }
  function zoom(factor, at) {
    const width = Math.min(Math.max(view.w * factor, 160), 4 * full.w + 400), real = width / view.w;
    const centre = at || { x: view.x + view.w / 2, y: view.y + view.h / 2 };
    view = { x: centre.x - (centre.x - view.x) * real, y: centre.y - (centre.y - view.y) * real, w: width, h: view.h * real };
    apply();
  }
  function within(event) {
    const at = root.getBoundingClientRect();
    return { x: view.x + ((event.clientX - at.left) / at.width) * view.w, y: view.y + ((event.clientY - at.top) / at.height) * view.h };
  }
  function intoView(label) {
    const spot = spots.get(label);
    if (!spot) return;
    const aside = pillWidth(label) / 2 + 6, above = PILL + 6;
    const shift = (from, size, low, high) => (low < from ? low - from : high > from + size ? high - from - size : 0);
    const dx = shift(view.x, view.w, spot.x - aside, spot.x + aside), dy = shift(view.y, view.h, spot.y - above, spot.y + above);
    if (dx || dy) { view.x += dx; view.y += dy; apply(); }
  }
  let drag = null, moved = false;
  root.addEventListener("pointerdown", (event) => { drag = { x: event.clientX, y: event.clientY, view: { ...view }, id: event.pointerId }; moved = false; });
  root.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!moved && Math.hypot(dx, dy) < 5) return;
    if (!moved) { moved = true; root.setPointerCapture(drag.id); root.classList.add("dragging"); hideTip(); }
    view.x = drag.view.x - dx / scale;
    view.y = drag.view.y - dy / scale;
    apply();
  });
  for (const end of ["pointerup", "pointercancel"]) root.addEventListener(end, () => { drag = null; root.classList.remove("dragging"); });
  root.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, within(event));
  }, { passive: false });
  function rove(label) {
    for (const group of root.querySelectorAll('.node[tabindex="0"]')) group.setAttribute("tabindex", "-1");
    if (nodes.has(label)) nodes.get(label).setAttribute("tabindex", "0");
  }
  function tipAt(label) {
    const at = nodes.get(label).getBoundingClientRect();
    showTip(card(label), { x: at.left, y: at.bottom - 10 });
  }
  const toward = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
  function nextOf(label, [dx, dy]) {
    const here = spots.get(label);
    const along = mode === "near" ? dx : dy; // the way that edges run
    const linked = along < 0 ? into[label].map((edge) => edge.parent) : along > 0 ? outOf[label].map((edge) => edge.child) : [];
    const pool = linked.filter((other) => spots.has(other));
    let best = null, least = Infinity;
    for (const other of pool.length ? pool : spots.keys()) {
      const x = spots.get(other).x - here.x, y = spots.get(other).y - here.y, ahead = x * dx + y * dy, aside = Math.abs(x * dy) + Math.abs(y * dx);
      const cost = ahead + 3 * aside;
      if (other !== label && (pool.length ? true : ahead > 0.5) && cost < least) { best = other; least = cost; }
    }
    return best;
  }
  root.addEventListener("keydown", (event) => {
    const group = event.target.closest(".node");
    if (event.key === "+" || event.key === "=") zoom(0.8);
    else if (event.key === "-") zoom(1.25);
    else if (event.key === "0") fit();
    else if (!group) return;
    else if (toward[event.key]) {
      const next = nextOf(Number(group.dataset.label), toward[event.key]);
      if (next !== null) nodes.get(next).focus({ preventScroll: true });
    } else if (event.key === "Enter" || event.key === " ") choose(Number(group.dataset.label));
    else return;
    event.preventDefault();
  });
  let lastWidth = 0;
  new ResizeObserver(() => { if (Math.abs(frame.clientWidth - lastWidth) > 2) { lastWidth = frame.clientWidth; fit(); } }).observe(frame);

  // ---- controls
  const modes = { whole: el("button", { type: "button", text: "Whole network" }), near: el("button", { type: "button", text: "Neighbourhood" }) };
  function setMode(next) {
    mode = next;
    for (const [key, button] of Object.entries(modes)) button.setAttribute("aria-pressed", String(key === mode));
    if (mode === "near" && selected === null) select(net.order[0]); else draw();
  }
  for (const [key, button] of Object.entries(modes)) button.addEventListener("click", () => setMode(key));
  const list = el("datalist", { id: "label-names" }, ...names.map((name) => el("option", { value: name })));
  const finder = el("input", { type: "search", list: "label-names", placeholder: "Go to a label", "aria-label": "Go to a label", onchange: () => {
    const text = finder.value.trim().toLowerCase();
    const at = text ? [names.findIndex((name) => name.toLowerCase() === text), names.findIndex((name) => name.toLowerCase().includes(text))].find((i) => i >= 0) : undefined;
    if (at !== undefined) select(at);
  } });
  const check = el("input", { type: "checkbox", onchange: () => { showDropped = check.checked; draw(); } });
  const checkMissed = el("input", { type: "checkbox", onchange: () => { showMissed = checkMissed.checked; draw(); } });
  const more = el("p", { class: "hint", role: "status" });
  function compared() {
    const verdicts = kept.map(truth), count = (word) => verdicts.filter((verdict) => verdict === word).length;
    return `Of ${plural(net.true_edges.length, "edge")} of the true network ${count("true")} ${count("true") === 1 ? "was" : "were"} learned, ${count("reversed")} the other way round, ${missed.length} missed; ${count("not true")} learned ${count("not true") === 1 ? "edge is" : "edges are"} not in it.`;
  }
  const sample = (kind, path, dash) => svg("svg", { width: 40, height: 14, "aria-hidden": "true" }, svg("g", { class: `edge ${kind}`, "stroke-width": 2.4 }, svg("path", { d: "M2 7 H35", "stroke-dasharray": dash }), svg("path", { d: path })));
  box.append(...[
    el("p", { class: "hint", text: `${plural(kept.length, "edge")} from parents (above, or on the left) to children (below, or on the right)${dropped.length ? `; ${whole(dropped.length)} more ${dropped.length === 1 ? "was" : "were"} dropped to break cycles` : ""}. The number in a label is its place in the chain. Select a label to see its neighbourhood; drag to move, Ctrl and wheel or the buttons to zoom.` }),
    el("div", { class: "controls" }, el("span", { class: "group", role: "group", "aria-label": "View" }, modes.whole, modes.near),
      el("span", { class: "group", role: "group", "aria-label": "Zoom" }, el("button", { type: "button", text: "+", "aria-label": "Zoom in", onclick: () => zoom(0.75) }), el("button", { type: "button", text: "−", "aria-label": "Zoom out", onclick: () => zoom(1 / 0.75) }), el("button", { type: "button", text: "Fit", onclick: fit })),
      finder, list, dropped.length ? el("label", {}, check, "dropped edges") : null, missed.length ? el("label", {}, checkMissed, "true edges missed") : null),
    el("div", { class: "legend" }, el("span", {}, sample("more", "M30 2 L36 7 L30 12"), "more likely with the parent"), el("span", {}, sample("less", "M36 1 V13", "7 4"), "less likely"), el("span", { text: "wider: a larger change" })),
    known ? el("p", { text: compared() }) : null,
    el("div", { class: "net" }, el("div", {}, frame, more), panel)].filter(Boolean));
  const first = large ? [...hubs][0] : null;
  panel.append(el("p", { class: "hint", text: "Select a label: its parents, children and scores come here." }));
  if (first !== null) select(first);
  setMode(mode);
}
