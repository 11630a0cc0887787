// Answers by key: y, n, s, u.
"use strict";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  const button = /^[ynsu]$/.test(event.key) && document.querySelector(`[data-key=${event.key}]`);
  if (button) button.click();
});
