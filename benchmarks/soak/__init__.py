"""A long crawl with faults and kills, and whether what it takes stays flat: `make soak`."""
