// Looks again in two seconds: there is nothing to read yet.
"use strict";
setTimeout(() => location.reload(), 2000);
