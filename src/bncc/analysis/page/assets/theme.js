// Light and dark: by the system until the button is used; paper is white.

const redrawn = []; // what has colours of its own and must be drawn again when the theme changes

export function followTheme(draw) {
  redrawn.push(draw);
}

function setTheme(name) {
  const other = name === "dark" ? "light" : "dark";
  const button = document.getElementById("theme");
  document.documentElement.dataset.theme = name;
  button.textContent = other === "light" ? "Light" : "Dark";
  button.title = `Switch to ${other} colours`;
  for (const draw of redrawn) draw();
}

export function startTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let asked = null;
  const now = () => asked || (system.matches ? "dark" : "light");
  setTheme(now());
  system.addEventListener("change", () => {
    if (!asked) setTheme(now());
  });
  document.getElementById("theme").addEventListener("click", () => {
    asked = now() === "dark" ? "light" : "dark";
    setTheme(asked);
  });
  window.addEventListener("beforeprint", () => setTheme("light"));
  window.addEventListener("afterprint", () => setTheme(now()));
}
