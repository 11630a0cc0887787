"""Other crawlers, each a program of its own that runs where it is installed: `benchmarks.speed` starts them."""
