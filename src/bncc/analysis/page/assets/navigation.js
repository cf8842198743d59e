// Links to the sections that are there, with the present one marked.

import { el } from "./dom.js";

export function startNavigation() {
  const links = new Map();
  for (const section of document.querySelectorAll("main > section:not([hidden])")) {
    links.set(section, el("a", { href: `#${section.id}`, text: section.querySelector("h2").textContent }));
  }
  document.getElementById("nav").append(...links.values());
  const mark = () => {
    const current = currentSection([...links.keys()]);
    for (const [section, link] of links) {
      if (section === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  window.addEventListener("scroll", mark, { passive: true });
  mark();
}

// The last section that has reached the header; at the end of the page the last of all.
function currentSection(sections) {
  const bottom = document.documentElement.scrollHeight - 4;
  if (window.innerHeight + window.scrollY >= bottom && window.scrollY > 0) return sections[sections.length - 1];
  const line = document.querySelector("header").offsetHeight + 40;
  const reached = sections.filter((section, i) => i === 0 || section.getBoundingClientRect().top <= line);
  return reached[reached.length - 1];
}
