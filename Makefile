# Everything a person runs. Each target sets up what it needs in .venv; nothing is installed twice.
PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3; do command -v $$name && break; done)
BIN := .venv/bin
SUDO := $(shell [ "$$(id -u)" = 0 ] || command -v sudo)
INSTALL = $(SUDO) apt-get update -qq && $(SUDO) apt-get install --yes --no-install-recommends

.PHONY: help demo test test-slow test-shapes test-browser bench-attention check format clean
help: ## say what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.venv/ready: pyproject.toml constraints.txt
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "regard needs Python 3.11 or newer; $(PYTHON) is older. Name another with: make PYTHON=…"; exit 1; }
	"$(PYTHON)" -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev,figures]"
	@touch $@

demo: .venv/ready ## train a small translator and look inside: some four minutes
	$(BIN)/regard demo

test: .venv/ready ## all tests but the slow ones
	$(BIN)/python -m pytest -q -n 2

test-slow: .venv/ready ## thousands of generated cases for every mechanism
	REGARD_EXAMPLES=thorough $(BIN)/python -m pytest -q -n 2 -m slow

test-shapes: .venv/ready ## the laws again, with every shape in a signature checked
	REGARD_SHAPES=1 $(BIN)/python -m pytest -q -n 2 tests/attention -k laws

bench-attention: .venv/ready ## every mechanism against torch's fused kernel: some forty minutes, best on a quiet machine
	$(BIN)/python benchmarks/attention.py
	$(BIN)/python benchmarks/draw.py

test-browser: .venv/browser/ready ## the pages in a real Chromium
	REGARD_BROWSER=required $(BIN)/python -m pytest -q tests/browser

.venv/browser/ready: .venv/ready
	@command -v chromium || command -v chromium-browser || command -v google-chrome || { $(INSTALL) chromium; }
	@fc-list :lang=zh family | grep -q . || { $(INSTALL) fontconfig fonts-noto-cjk; }
	@command -v npm || { $(INSTALL) npm; }
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev,figures,browser]"
	npm install --silent --no-save --prefix .venv/browser axe-core@4.14.0
	@touch $@

check: .venv/ready ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: .venv/ready ## put the code into the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## remove what was made here
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
