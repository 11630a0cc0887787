"""The synthetic web: pages as a pure function of (pages, seed, settings), for demo, tests and scale.

`web.Web` answers URLs, `corpus.write` stores a web as a corpus folder, `fetcher.SynthFetcher` crawls it unstored and
`serve.serve` puts it (or any other source of answers) on a port.
"""
