// The token is in the part of the address that is never sent; it becomes a cookie, and the address forgets it.
"use strict";
const token = location.hash.slice(1);
if (token) {
  history.replaceState(null, "", location.pathname);
  const form = document.getElementById("login");
  form.elements.token.value = token;
  form.submit();
}
