// Puts the page together: theme, sections, navigation.

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  document.getElementById("theme").textContent = name === "dark" ? "Light" : "Dark";
  document.getElementById("theme").title = `Switch to ${name === "dark" ? "light" : "dark"} colours`;
  for (const draw of redrawn) draw();
}

function startTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const now = () => chosen || (system.matches ? "dark" : "light");
  setTheme(now());
  system.addEventListener("change", () => { if (!chosen) setTheme(now()); });
  document.getElementById("theme").addEventListener("click", () => { chosen = now() === "dark" ? "light" : "dark"; setTheme(chosen); });
  window.addEventListener("beforeprint", () => setTheme("light")); // paper is white
  window.addEventListener("afterprint", () => setTheme(now()));
}

// A key may break after its dots and underscores.
const keyParts = (key) => shown(key).split(/(?<=[._])/).flatMap((part) => [part, el("wbr")]);

function drawSettings() {
  const box = body("settings");
  const list = (title, entries) => Object.keys(entries).length ? el("div", {}, el("h3", { text: title }), el("dl", { class: "kv" }, ...Object.entries(entries).flatMap(([key, value]) => [el("dt", {}, ...keyParts(key)), el("dd", { text: cut(value.replace(UNSEEN, (c) => (c === "\n" ? c : "\ufffd")), 4000) })]))) : null;
  const data = summary.data && (summary.data.name || summary.data.source) ? { name: summary.data.name, source: summary.data.source } : {};
  box.append(el("div", { class: "three" }, list("Settings", summary.settings), list("Data", data), list("Versions", summary.versions)));
  box.append(el("p", { class: "hint", text: "Everything that this page shows is inside it as JSON: save it with the button above, or read it with bncc.analysis.page.read_page and draw it again." }));
}

function startNavigation() {
  const nav = document.getElementById("nav"), links = new Map();
  for (const section of document.querySelectorAll("main > section:not([hidden])")) {
    const link = el("a", { href: "#" + section.id, text: section.querySelector("h2").textContent });
    links.set(section, link);
    nav.append(link);
  }
  const mark = () => {
    const line = document.querySelector("header").offsetHeight + 40;
    let current = null;
    for (const section of links.keys()) if (current === null || section.getBoundingClientRect().top <= line) current = section;
    if (window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 4 && window.scrollY > 0) current = [...links.keys()].pop();
    for (const [section, link] of links) {
      if (section === current) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    }
  };
  window.addEventListener("scroll", mark, { passive: true });
  mark();
}

function startSaving() {
  document.getElementById("save").addEventListener("click", () => {
    const file = new Blob([document.getElementById("summary").textContent], { type: "application/json" });
    const link = el("a", { href: URL.createObjectURL(file), download: "summary.json" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
}

document.getElementById("title").textContent = cut(shown(summary.title), 200);
if (summary.note) { const note = document.getElementById("note"); note.textContent = shown(summary.note); note.hidden = false; }
startTheme();
if (summary.data) drawOverview();
if (summary.data && summary.labels.length) drawTable();
if (summary.data && summary.pairs && summary.pairs.labels.length > 1) drawHeatmap();
if (summary.network) { drawNetwork(); drawOrder(); }
if (summary.results) {
  drawResults();
  if (summary.results.surfaces.length) drawSurface();
  if (summary.results.times.length) drawTimes();
}
drawSettings();
startNavigation();
startSaving();
if (selected !== null) select(selected); // parts drawn later follow as well
document.documentElement.dataset.ready = "true";
