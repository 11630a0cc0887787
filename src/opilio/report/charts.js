// Values under the pointer, and lines that can be hidden, on drawings that are complete without it.
"use strict";
const SVG = "http://www.w3.org/2000/svg";
const written = { percent: (v) => `${(100 * v).toFixed(1)} %`, count: (v) => Math.round(v).toLocaleString("en"),
  number: (v) => Number(v.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3 }) };

function points(line) {
  return line.getAttribute("points").split(" ").map((pair) => pair.split(",").map(Number));
}

function nearest(pairs, x) {
  let low = 0, high = pairs.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (pairs[middle][0] < x) low = middle; else high = middle;
  }
  return x - pairs[low][0] < pairs[high][0] - x ? low : high;
}

function made(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
}

function chart(svg) {
  const [left, bottom, perX, perY, top] = svg.dataset.frame.split(" ").map(Number);
  const lines = [...svg.querySelectorAll("polyline")].map((element) => ({ element, pairs: points(element) }));
  const longest = lines.reduce((a, b) => (b.pairs.length > a.pairs.length ? b : a));
  const box = svg.parentElement;
  const tooltip = box.appendChild(document.createElement("div"));
  tooltip.className = "tooltip";
  tooltip.setAttribute("role", "status");
  tooltip.hidden = true;
  const cursor = made("g", { visibility: "hidden" }, svg);
  const rule = made("path", { class: "rule" }, cursor);
  for (const line of lines) line.dot = made("circle", { class: `dot ${line.element.getAttribute("class")}`, r: 4 }, cursor);
  let at = -1;

  function show(index) {
    at = Math.max(0, Math.min(longest.pairs.length - 1, index));
    const x = longest.pairs[at][0];
    const rows = [`${written.count((x - left) / perX)} ${svg.dataset.x}`];
    for (const line of lines) {
      const shown = !line.element.classList.contains("off");
      const [px, py] = line.pairs[nearest(line.pairs, x)];
      line.dot.setAttribute("cx", px);
      line.dot.setAttribute("cy", py);
      line.dot.setAttribute("visibility", shown ? "inherit" : "hidden");
      if (shown) rows.push(`${line.element.dataset.name}: ${written[svg.dataset.form]((bottom - py) / perY)}`);
    }
    rule.setAttribute("d", `M${x} ${top}V${bottom}`);
    cursor.setAttribute("visibility", "visible");
    tooltip.textContent = rows.join("\n");
    tooltip.hidden = false;
    const scale = svg.clientWidth / svg.viewBox.baseVal.width;
    tooltip.style.top = `${top * scale}px`;
    tooltip.style.left = `${Math.max(0, Math.min(x * scale + 10, svg.clientWidth - tooltip.offsetWidth - 4))}px`;
  }
  function hide() {
    cursor.setAttribute("visibility", "hidden");
    tooltip.hidden = true;
  }
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("pointermove", (event) => {
    const area = svg.getBoundingClientRect();
    show(nearest(longest.pairs, ((event.clientX - area.left) * svg.viewBox.baseVal.width) / area.width));
  });
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("blur", hide);
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 }[event.key];
    if (!step) return;
    event.preventDefault();
    show(at < 0 ? longest.pairs.length - 1 : at + step);
  });
  if (lines.length > 1) toggles(box, svg, lines);
}

function toggles(box, svg, lines) {
  const row = box.appendChild(document.createElement("div"));
  row.className = "toggles";
  for (const line of lines) {
    const button = row.appendChild(document.createElement("button"));
    button.type = "button";
    button.textContent = line.element.dataset.name;
    button.setAttribute("aria-pressed", "true");
    const style = line.element.getAttribute("class");
    button.addEventListener("click", () => {
      const off = line.element.classList.toggle("off");
      for (const part of svg.querySelectorAll(`.band.${style}, .key.${style}, .name.${style}`)) part.classList.toggle("off", off);
      button.setAttribute("aria-pressed", String(!off));
    });
  }
}

function charts(root) {
  for (const svg of root.querySelectorAll("svg.chart:not([tabindex])")) chart(svg);
}
charts(document);
