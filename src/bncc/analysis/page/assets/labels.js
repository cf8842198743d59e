// Overview, label table and chain order.

function drawOverview() {
  const data = summary.data, box = body("overview");
  const figure = (name, value) => el("div", {}, el("dt", { text: name }), el("dd", { text: value }));
  const absent = summary.labels.filter((row) => row.positives === 0).length;
  const facts = [
    ["Rows", whole(data.n_rows)], data.n_features === null ? null : ["Features", whole(data.n_features)],
    ["Labels", whole(data.n_labels)], ["Labels per row", fixed(data.cardinality, 3)], ["Density", fixed(data.density, 4)],
    ["Mean imbalance", fixed(data.mean_imbalance, 2)], ["Distinct label sets", whole(data.n_label_sets)],
    absent ? ["Labels that never occur", whole(absent)] : null,
  ];
  box.append(el("dl", { class: "figures" }, ...facts.filter(Boolean).map(([name, value]) => figure(name, value))));
  const counts = summary.labels.map((row) => row.positives).sort((a, b) => b - a);
  box.append(el("div", { class: "two" },
    barChart("Labels per row", "labels", "rows", data.labels_per_row.map((value, k) => [String(k), value, `${plural(value, "row")} with ${plural(k, "label")}`])),
    barChart("Rows per label, most frequent first", "place", "rows", counts.map((value, k) => [String(k + 1), value, `The ${k + 1}. most frequent label: ${plural(value, "row")}`]))));
  if (summary.strongest.length) drawStrongest(box);
}

function barChart(title, across, up, bars) {
  const draw = (width) => {
    const height = 170, left = 52, bottom = 34, top = 8, inner = width - left - 8;
    const most = Math.max(1, ...bars.map((bar) => bar[1]));
    const root = svg("svg", { width, height, role: "img", "aria-label": `${title}: bars for ${plural(bars.length, "value")}, the highest ${whole(most)} ${up}` });
    const y = (value) => height - bottom - (value / most) * (height - bottom - top);
    for (const tick of ticks(0, most, 4)) {
      root.append(svg("line", { class: "grid", x1: left, x2: width - 8, y1: y(tick), y2: y(tick) }));
      root.append(svg("text", { class: "soft", x: left - 6, y: y(tick) + 4, "text-anchor": "end", text: whole(tick) }));
    }
    const step = inner / bars.length, pad = step > 6 ? Math.min(4, step * 0.15) : 0;
    const every = Math.ceil(bars.length / Math.max(1, Math.floor(inner / 44)));
    bars.forEach(([name, value, hint], k) => {
      root.append(svg("rect", { class: "fill-more", x: left + k * step + pad, width: Math.max(step - 2 * pad, 0.6), y: y(value), height: y(0) - y(value) }));
      if (k % every === 0) root.append(svg("text", { class: "soft", x: left + (k + 0.5) * step, y: height - bottom + 15, "text-anchor": "middle", text: name }));
      root.append(hints(svg("rect", { class: "hit", x: left + k * step, width: step, y: top, height: height - bottom - top }), () => [hint]));
    });
    root.append(svg("line", { class: "axis", x1: left, x2: width - 8, y1: y(0), y2: y(0) }));
    root.append(svg("text", { class: "soft", x: left + inner / 2, y: height - 3, "text-anchor": "middle", text: across }));
    return root;
  };
  return el("div", {}, el("h3", { text: title }), chart(draw));
}

function labelButton(label, goTo, length) {
  return el("button", { type: "button", class: "link name", onclick: () => select(label, goTo) }, bdi(names[label], length));
}

function sentence(relation) {
  const more = relation.with_parent > relation.without_parent;
  return el("li", {},
    el("span", { class: more ? "more-mark" : "less-mark", text: more ? "+" : "−" }),
    labelButton(relation.parent, "network", 40), ` makes `, labelButton(relation.child, "network", 40),
    ` ${more ? "more" : "less"} likely: `,
    el("span", { class: "num", text: `${fixed(relation.without_parent, 2)} → ${fixed(relation.with_parent, 2)}` }));
}

function drawStrongest(box) {
  const list = (title, relations) => el("div", {}, el("h3", { text: title }),
    relations.length ? el("ul", { class: "plain" }, ...relations.map(sentence)) : el("p", { class: "hint", text: "None." }));
  box.append(el("div", { class: "two" },
    list("Strongest positive relations", summary.strongest.filter((r) => r.with_parent > r.without_parent)),
    list("Strongest negative relations", summary.strongest.filter((r) => r.with_parent <= r.without_parent))));
  box.append(el("p", { class: "hint", text: "Shares of rows with the second label: among rows without the first label → among rows with it. Strongest by mutual information, without those that may be chance (chi-square below 3.84, or positive and seen in fewer than three rows). A relation in the data, not a cause." }));
}

function drawTable() {
  const box = body("labels"), n = summary.data.n_rows, net = summary.network;
  const place = new Map(net ? net.order.map((label, i) => [label, i + 1]) : []);
  const kept = net ? net.edges.filter((edge) => edge.kept) : [];
  const count = (key) => kept.reduce((total, edge) => (total[edge[key]]++, total), new Array(names.length).fill(0));
  const parents = count("child"), children = count("parent");
  const rows = summary.labels.map((row, label) => ({
    label, name: names[label], rows: row.positives, share: row.positives / n, entropy: row.entropy,
    imbalance: row.imbalance, place: place.get(label), parents: parents[label], children: children[label],
  }));
  const columns = [
    ["label", "#", (r) => whole(r.label + 1), "n hide-small"], ["name", "Label", null, ""], ["rows", "Rows", (r) => whole(r.rows), "n"],
    ["share", "Share", null, "n"], ["entropy", "Entropy", (r) => fixed(r.entropy, 3), "n hide-small"],
    ["imbalance", "Imbalance", (r) => fixed(r.imbalance, 1), "n hide-small"],
    ...(net ? [["place", "Place", (r) => whole(r.place), "n"], ["parents", "Parents", (r) => whole(r.parents), "n hide-small"], ["children", "Children", (r) => whole(r.children), "n hide-small"]] : []),
  ];
  const first = rows.length > 60 ? 25 : 60;
  let key = "label", up = true, limit = first, wanted = "";
  const found = el("span", { class: "hint", role: "status" });
  const search = el("input", { type: "search", placeholder: "Find a label", "aria-label": "Find a label by name", oninput: () => { wanted = search.value.toLowerCase(); limit = first; draw(); } });
  const head = el("tr", {}), tbody = el("tbody", {});
  const more = el("button", { type: "button", onclick: () => { limit += 250; draw(); } });
  for (const [field, title, , style] of columns) {
    const arrow = el("span", { "aria-hidden": "true" });
    const button = el("button", { type: "button", onclick: () => { up = key === field ? !up : field === "label" || field === "name" || field === "place"; key = field; draw(); } }, title + " ", arrow);
    const cell = el("th", { scope: "col", class: style }, button);
    cell.mark = () => {
      if (key === field) cell.setAttribute("aria-sort", up ? "ascending" : "descending"); else cell.removeAttribute("aria-sort");
      arrow.textContent = key === field ? (up ? "▲" : "▼") : "";
    };
    head.append(cell);
  }
  const compare = (a, b) => {
    const x = a[key], y = b[key];
    if (x === null || y === null) return (x === null) - (y === null);
    const sign = typeof x === "string" ? x.localeCompare(y) : x - y;
    return (up ? sign : -sign) || a.label - b.label;
  };
  function share(row) {
    const bar = svg("svg", { class: "bar-cell", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: "bg", width: 100, height: 10 }), svg("rect", { width: 100 * row.share, height: 10 }));
    return el("td", { class: "n" }, el("span", { class: "hide-small" }, bar), el("span", { class: "share", text: fixed(100 * row.share, row.share < 0.01 ? 2 : 1) + " %" }));
  }
  function line(row) {
    const cells = columns.map(([field, , text, style]) => field === "name" ? el("td", {}, labelButton(row.label, null)) : field === "share" ? share(row) : el("td", { class: style, text: text(row) }));
    return el("tr", { class: row.label === selected ? "selected" : null, "data-label": row.label }, ...cells);
  }
  function draw() {
    const fitting = rows.filter((row) => row.name.toLowerCase().includes(wanted)).sort(compare);
    tbody.replaceChildren(...fitting.slice(0, limit).map(line));
    for (const cell of head.children) cell.mark();
    found.textContent = wanted ? `${whole(fitting.length)} of ${plural(rows.length, "label")}` : plural(rows.length, "label");
    more.hidden = fitting.length <= limit;
    more.textContent = `Show more (${whole(fitting.length - limit)} left)`;
  }
  followers.push((label) => { for (const row of tbody.children) row.classList.toggle("selected", Number(row.dataset.label) === label); });
  box.append(el("div", { class: "controls" }, search, found), el("div", { class: "scroll" }, el("table", {}, el("caption", { class: "sr", text: "Labels and their figures" }), el("thead", {}, head), tbody)), el("p", {}, more));
  draw();
}

function drawOrder() {
  const net = summary.network, box = body("order"), long = net.order.length > 30;
  const initial = new Map(net.initial_order.map((label, i) => [label, i + 1]));
  box.append(el("p", { class: "hint", text: "Each label is predicted after those before it, so that parents come before their children. The search took the labels by decreasing entropy unless an order was given; hold the pointer over a label for its place there." }));
  const buttons = new Map();
  const list = el("ol", { class: long ? "chain long" : "chain", "aria-label": "Chain order" });
  if (long) list.tabIndex = 0;
  net.order.forEach((label, i) => {
    const button = el("button", { type: "button", "aria-pressed": "false", title: `${cut(names[label], 200)}: place ${i + 1}, at first ${initial.get(label)}`, onclick: () => select(label) },
      el("span", { class: "place", text: i + 1 }), el("bdi", { class: "clip", text: cut(names[label], long ? 22 : 36) }));
    buttons.set(label, button);
    list.append(el("li", {}, button));
  });
  let last = null;
  followers.push((label) => {
    if (last) last.setAttribute("aria-pressed", "false");
    last = buttons.get(label) || null;
    if (last) last.setAttribute("aria-pressed", "true");
  });
  box.append(list);
}
