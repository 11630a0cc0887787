"""The leaderboard: `python -m benchmarks.quality`, or `make bench-quality`."""
