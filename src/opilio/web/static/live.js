// Writes what the server says of a run into the page: as text alone, so nothing that was crawled can become a part of it.
"use strict";
const live = document.getElementById("live");
const one = (name) => document.querySelector(`[data-${name}]`);
const percent = (value) => `${(100 * value).toFixed(1)} %`;
const count = (value) => value.toLocaleString("en");
const shown = { pages: count, pace: (value) => value.toFixed(1), relevant: count, harvest: percent, harvest_now: percent,
  sites: count, waiting: count, waiting_hosts: count, internal_errors: count };
const REDRAW = 3000; // milliseconds
let drawn = 0;

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function page(seen) {
  const row = document.createElement("tr");
  if ((seen.relevance || 0) >= 0.5) row.className = "good";
  const link = element("a", seen.title || "(no title)");
  link.href = live.dataset.story + encodeURIComponent(seen.url);
  const judged = seen.relevance === null ? seen.error || String(seen.status) : seen.relevance.toFixed(2);
  const cell = document.createElement("td");
  cell.append(link, " ", element("small", seen.url.length > 100 ? seen.url.slice(0, 99) + "…" : seen.url));
  row.append(element("td", judged), cell);
  return row;
}

function error([kind, times]) {
  const row = document.createElement("tr");
  row.append(element("td", kind), element("td", count(times)));
  return row;
}

function redraw(now) {
  if (!now.relevant || Date.now() - drawn < REDRAW) return;
  drawn = Date.now();
  for (const image of document.querySelectorAll("[data-drawing]")) {
    image.src = `${image.dataset.drawing}?${now.pages}.${now.relevant}`;
    image.parentElement.hidden = false;
  }
}

function show(now) {
  for (const [name, form] of Object.entries(shown)) {
    const place = document.querySelector(`[data-figure="${name}"]`);
    if (place) place.textContent = form(now[name]);
  }
  const state = one("state");
  state.textContent = now.state;
  if (!one("last")) return;
  state.className = `state ${now.state.replace(" ", "-")}`;
  const idle = now.state !== "running" && now.state !== "learning";
  for (const part of document.querySelectorAll("[data-when]")) {
    part.hidden = part.dataset.when === "idle" ? !idle : now.state !== "running";
  }
  one("done").value = now.pages;
  one("trouble").textContent = now.trouble;
  one("trouble").hidden = !now.trouble;
  one("last").tBodies[0].replaceChildren(...now.last.map(page));
  const errors = Object.entries(now.errors);
  for (const [kind, times] of Object.entries(now.refused_because)) errors.push([`not fetched: ${kind}`, times]);
  one("errors").tBodies[0].replaceChildren(...errors.map(error));
  one("none").hidden = errors.length > 0;
  redraw(now);
}

const source = new EventSource(live.dataset.events);
source.onmessage = (event) => show(JSON.parse(event.data));
source.onopen = () => { if (one("link")) one("link").hidden = true; };
source.onerror = () => { if (one("link")) one("link").hidden = false; };
