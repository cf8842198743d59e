// What the page was given: the summary that it shows, where its labels are drawn, and what its makers agreed upon.

const parsed = (id) => JSON.parse(document.getElementById(id).textContent);

export const summary = parsed("summary").summary;
export const layout = parsed("drawing").layout;
export const constants = parsed("drawing").constants;
