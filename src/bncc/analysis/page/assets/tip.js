// The box of words beside the pointer or the focus.

const tip = document.getElementById("tip");
let isOfFocus = false; // it stays when the page is scrolled, as browsers do to show what has the focus

export function showTip(content, at, { ofFocus = false } = {}) {
  isOfFocus = ofFocus;
  tip.replaceChildren(...content);
  tip.hidden = false;
  const edge = document.documentElement.clientWidth;
  const left = Math.min(at.x + 14, edge - tip.offsetWidth - 8);
  const below = at.y + 18 + tip.offsetHeight < window.innerHeight;
  const top = below ? at.y + 18 : Math.max(8, at.y - tip.offsetHeight - 10);
  tip.style.left = `${Math.max(8, left) + window.scrollX}px`;
  tip.style.top = `${top + window.scrollY}px`;
}

export function hideTip() {
  tip.hidden = true;
}

export function hints(node, content) {
  node.addEventListener("pointermove", (event) => showTip(content(), { x: event.clientX, y: event.clientY }));
  node.addEventListener("pointerleave", hideTip);
  return node;
}

export function startTips() {
  window.addEventListener(
    "scroll",
    () => {
      if (!isOfFocus) hideTip();
    },
    { passive: true },
  );
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideTip();
  });
}
