# The front door. Every target sets up what it needs in .venv first.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test lint bench docs clean

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@

demo: $(READY)
	rm -rf demo
	$(BIN)/opilio demo --out demo

test: lint
	$(BIN)/pytest -n 2

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(READY)
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/pictures/way.py
	$(BIN)/python docs/pictures/harvest.py

bench: $(READY)
	$(BIN)/python -m benchmarks.short

clean:
	rm -rf .venv demo
