// Writes what the server says of a run into the page: as text alone, so nothing that was crawled can become a part of it.
"use strict";
const live = document.getElementById("live");
const one = (name) => document.querySelector(`[data-${name}]`);
const percent = (value) => `${(100 * value).toFixed(1)} %`;
const count = (value) => value.toLocaleString("en");
const shown = { pages: count, pace: (value) => value.toFixed(1), relevant: count, harvest: percent, harvest_now: percent,
  sites: count, waiting: count, internal_errors: count };
const REDRAW = 3000; // milliseconds
let drawn = 0, pages = -1, best = "";

function element(name, text, style) {
  const made = document.createElement(name);
  made.textContent = text;
  if (style) made.className = style;
  return made;
}

function story(page, style) {
  const link = element("a", page.title || "(no title)", style);
  link.href = live.dataset.story + encodeURIComponent(page.url);
  return link;
}

function meter(page) {
  if (page.relevance === null) return element("span", page.error || String(page.status), "meter");
  return element("span", page.relevance.toFixed(2), page.relevance >= 0.5 ? "meter yes" : "meter");
}

function short(url, most) {
  return url.length > most ? url.slice(0, most - 1) + "…" : url;
}

function lastPage(page) {
  const item = document.createElement("li");
  item.append(meter(page), " ", story(page), " ", element("span", short(page.url, 100), "where"));
  return item;
}

function bestPage(page) {
  const item = document.createElement("li");
  const where = element("a", short(page.url, 120), "where");
  if (/^https?:/.test(page.url)) where.href = page.url;
  where.rel = "noreferrer noopener nofollow";
  const snippet = element("p", "", "snippet");
  snippet.append(...page.snippet.map(([text, match]) => (match ? element("mark", text) : text)));
  item.append(story(page, "title"), " ", meter(page), where, snippet);
  return item;
}

async function redraw(now) {
  if (!now.pages || now.pages === pages || Date.now() - drawn < REDRAW) return;
  drawn = Date.now();
  pages = now.pages;
  for (const figure of document.querySelectorAll("[data-drawing]")) {
    if (figure.contains(document.activeElement) || figure.matches(":hover")) continue;
    const answer = await fetch(figure.dataset.drawing);
    if (!answer.ok) continue;
    const parsed = new DOMParser().parseFromString(await answer.text(), "image/svg+xml");
    figure.replaceChildren(document.importNode(parsed.documentElement, true));
    figure.hidden = !figure.querySelector("polyline");
    charts(figure);
  }
}

function facts(place, pairs) {
  place.replaceChildren(...pairs.flatMap(([name, value]) => [element("dt", name), element("dd", count(value))]));
}

function bar(kind, times, most, target, style) {
  const row = document.createElement("tr");
  const name = element("th", "", "name");
  name.scope = "row";
  const link = name.appendChild(element("a", kind));
  link.href = target + encodeURIComponent(kind);
  const cell = element("td", "", "bar");
  const svg = made("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, cell);
  made("rect", { class: style, width: Math.max(0.5, (100 * times) / most), height: 10 }, svg);
  row.append(name, cell, element("td", count(times), "count"));
  return row;
}

function bars(place, kinds, style) {
  const pairs = Object.entries(kinds);
  if (!pairs.length) return place.replaceChildren(element("p", "None.", "soft"));
  const most = Math.max(...pairs.map(([, times]) => times));
  const table = element("table", "", "bars");
  table.appendChild(document.createElement("tbody")).append(
    ...pairs.map(([kind, times]) => bar(kind, times, most, place.dataset.target, style)));
  place.replaceChildren(table);
}

function show(now) {
  for (const [name, form] of Object.entries(shown)) {
    for (const place of document.querySelectorAll(`[data-figure="${name}"]`)) place.textContent = form(now[name]);
  }
  const state = one("state");
  state.textContent = now.state;
  state.className = `state ${now.state.replace(" ", "-")}`;
  if (!one("last")) return;
  const idle = now.state !== "running" && now.state !== "learning";
  for (const part of document.querySelectorAll("[data-when]")) {
    part.hidden = part.dataset.when === "idle" ? !idle : now.state !== "running";
  }
  one("headline").textContent = now.headline;
  one("ended").textContent = now.why || "";
  one("done").value = now.pages;
  one("trouble").textContent = now.trouble;
  one("trouble-box").hidden = !now.trouble;
  one("last").replaceChildren(...now.last.map(lastPage));
  if (JSON.stringify(now.best) !== best) {
    best = JSON.stringify(now.best);
    one("best").replaceChildren(...now.best.map(bestPage));
    one("none-best").hidden = now.best.length > 0;
  }
  bars(one("errors"), now.errors, "bad");
  bars(one("refused"), now.refused_because, "whole");
  facts(one("hosts"), Object.entries(now.hosts));
  redraw(now);
}

const source = new EventSource(live.dataset.events);
source.onmessage = (event) => show(JSON.parse(event.data));
source.onopen = () => { if (one("link")) one("link").hidden = true; };
source.onerror = () => { if (one("link")) one("link").hidden = false; };
