"""Serves the faults until Ctrl-C; prints the table and where each listener is."""

from __future__ import annotations

import json
import sys
import time
from contextlib import suppress

from .server import Site
from .table import markdown

if "--table" in sys.argv:
    print("\n".join(markdown()))
else:
    with Site() as site, suppress(KeyboardInterrupt):
        print(json.dumps({"ports": site.ports, "ca_file": site.ca_file}), flush=True)
        while True:
            time.sleep(3600)
