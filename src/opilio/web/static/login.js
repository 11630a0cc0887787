// The token is in the part of the address that is never sent; it becomes a cookie, and the address forgets it.
"use strict";
function enter() {
  const token = decodeURIComponent(location.hash.slice(1));
  if (!token) return;
  history.replaceState(null, "", location.pathname);
  const form = document.getElementById("login");
  form.elements.token.value = token;
  form.submit();
}
addEventListener("hashchange", enter); // the whole address pasted into a window that shows this page already
enter();
