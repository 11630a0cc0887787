"""What a crawl on a cluster has to stand: `make cluster`, which is `python -m benchmarks.cluster`."""
