// The list of pages: a threshold that tells what it lets through, snippets, and keys.
"use strict";
const percentOf = (part, whole) => `${Math.round((100 * part) / whole)} %`;

function threshold(box) {
  const bins = box.dataset.bins.split(" ").map(Number);
  const input = box.querySelector("input[type=range]");
  const status = box.querySelector("[data-status]");
  let labelled = [];
  function show() {
    const least = Number(input.value);
    const first = Math.round(least * bins.length);
    const above = bins.slice(first).reduce((sum, count) => sum + count, 0);
    box.querySelectorAll("rect").forEach((bar, place) => bar.classList.toggle("in", place >= first));
    box.querySelector("path").setAttribute("d", `M${250 * least} 0V60`);
    box.querySelector("output").textContent = least.toFixed(2);
    const inside = labelled.filter((page) => page.relevance >= least);
    const good = inside.filter((page) => page.is_relevant).length;
    const all = labelled.filter((page) => page.is_relevant).length;
    let text = `${above.toLocaleString("en")} of ${bins.reduce((sum, count) => sum + count, 0).toLocaleString("en")} judged pages.`;
    if (inside.length) text += ` Precision by labels: ${percentOf(good, inside.length)} (${good} of ${inside.length}, each judged without its label).`;
    if (all) text += ` Found: ${good} of ${all}.`;
    if (!labelled.length) text += " Label some pages to see its precision.";
    status.textContent = text;
  }
  input.addEventListener("input", show);
  fetch(box.dataset.heldOut).then((answer) => (answer.ok ? answer.json() : [])).then((pages) => { labelled = pages; show(); });
}

async function snippets(table) {
  const places = [...table.querySelectorAll("[data-number]")];
  if (!places.length) return;
  const answer = await fetch(table.dataset.snippets + places.map((place) => place.dataset.number).join(","));
  if (!answer.ok) return;
  const found = await answer.json();
  for (const place of places) {
    const pieces = found[place.dataset.number];
    if (!pieces || !pieces.length) continue;
    place.replaceChildren(...pieces.map(([text, match]) => {
      if (!match) return text;
      const mark = document.createElement("mark");
      mark.textContent = text;
      return mark;
    }));
    place.hidden = false;
  }
}

function keys(list) {
  const links = [...list.querySelectorAll("td:first-child > a, a.title")];
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    const at = links.indexOf(document.activeElement);
    const step = { j: 1, k: -1 }[event.key];
    if (step) links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
    if (event.key === "/") {
      event.preventDefault();
      document.querySelector("input[name=q]").focus();
    }
  });
}
document.querySelectorAll("[data-threshold]").forEach(threshold);
document.querySelectorAll("[data-snippets]").forEach(snippets);
document.querySelectorAll("[data-keys]").forEach(keys);
