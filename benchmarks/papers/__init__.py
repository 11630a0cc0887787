"""Every table and figure of the five papers, with their procedure on our corpora: `python -m benchmarks.papers`."""
