# Each command makes .venv if it is missing and installs what it needs; only python3 and make are assumed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-lowest acceptance lint format bench docs dist clean

help: ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1|/' | awk -F'|' '{printf "make %-11s %s\n", $$1, $$2}'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "ldslearn needs Python 3.11 or newer; got $$($(PYTHON) --version). Try: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev,docs]'
	@touch $@ $(VENV)/.installed $(VENV)/.installed-dev

demo: $(VENV)/.installed ## fit the embedded data, print, draw and report what was found
	$(BIN)/python -m ldslearn.demo

test: $(VENV)/.installed-dev ## run the tests
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto -q

test-all: $(VENV)/.installed ## run the smoke tests on every Python found, with newest and lowest dependencies
	$(BIN)/python tests/smoke/run.py

test-lowest: $(VENV)/.installed ## run the smoke tests on this Python with the lowest dependencies
	$(BIN)/python tests/smoke/run.py --dependencies lowest this

acceptance: $(VENV)/.installed-dev ## run every command of README and docs from the installed wheel
	$(BIN)/python -m pytest -n 2 -q tests/acceptance

lint: $(VENV)/.installed-dev ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.installed-dev ## format and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.installed ## measure speed as ratios against the plain way and the floor
	$(BIN)/python -m benchmarks

docs: $(VENV)/.installed-docs ## build the documentation site, docs/_build/html, and test it
	rm -rf docs/_build docs/api docs/gallery
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	$(BIN)/python -m pytest -q tests/site

dist: $(VENV)/.installed-dev ## build the sdist and the wheel in dist and check them
	PYTHONPATH=tests $(BIN)/python -m smoke.check_dist

clean: ## remove what the commands above made
	rm -rf $(VENV) demo-output dist docs/_build docs/api docs/gallery .mypy_cache .pytest_cache .ruff_cache .hypothesis
