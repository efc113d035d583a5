# Everything a person runs. Each target sets up what it needs in .venv; nothing is installed twice.
PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3; do command -v $$name && break; done)
BIN := .venv/bin
# Benchmarks beside others run where the others are, if `make bench-peers` has made that place.
BESIDE = $(if $(wildcard .venv/peers/ready),.venv/peers/bin/python,$(BIN)/python)
SUDO := $(shell [ "$$(id -u)" = 0 ] || command -v sudo)
INSTALL = $(SUDO) apt-get update -qq && $(SUDO) apt-get install --yes --no-install-recommends

.PHONY: help demo test test-slow test-shapes test-browser test-serving bench bench-quick bench-minutes bench-peers results check format docs docs-serve clean test-faults test-faults-quick audit
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
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n 2

test-slow: .venv/ready ## thousands of generated cases for every mechanism, and models learning by heart: an hour
	OMP_NUM_THREADS=1 REGARD_EXAMPLES=thorough $(BIN)/python -m pytest -q -n 2 -m slow --ignore=tests/faults --ignore=tests/serving

test-shapes: .venv/ready ## the laws again, with every shape in a signature checked
	OMP_NUM_THREADS=1 REGARD_SHAPES=1 $(BIN)/python -m pytest -q -n 2 tests/attention -k laws

test-serving: .venv/ready ## the studio under 2,000 requests per operation, 20,000 raw bodies, overload, slow sockets, 20 ends
	$(BIN)/python -m pytest -q -m "slow or not slow" tests/serving

bench: .venv/ready ## measure everything again and draw docs/benchmarks.md: two hours on a quiet machine, after make bench-peers
	$(BIN)/python -m benchmarks.attention
	$(BESIDE) -m benchmarks.training
	$(BESIDE) -m benchmarks.decoding
	$(BESIDE) -m benchmarks.starting
	$(BIN)/python -m benchmarks.growth
	$(BIN)/python -m benchmarks.serving
	$(BIN)/python -m benchmarks.draw

bench-minutes: .venv/peers/ready ## minutes of training until BLEU 35 and 39 on recipes/multi30k, beside peers: up to six hours
	rm -rf runs/minutes
	$(BIN)/python -m benchmarks.minutes regard
	for system in joeynmt joeynmt-small huggingface; do .venv/peers/bin/python -m benchmarks.minutes $$system || exit 1; done
	$(BIN)/python -m benchmarks.draw

results: .venv/ready ## say which translators are scored on real text, and how to train and score the others
	$(BIN)/python -m benchmarks.results

bench-quick: .venv/ready ## a line for every bar, and failure below one: some ten minutes
	@failed=0; \
	$(BIN)/python -m benchmarks.attention --check || failed=1; \
	$(BESIDE) -m benchmarks.training --check || failed=1; \
	$(BESIDE) -m benchmarks.decoding --check || failed=1; \
	$(BESIDE) -m benchmarks.starting --check || failed=1; \
	exit $$failed

bench-peers: .venv/peers/ready ## install what regard is measured beside, in an environment of its own

# JoeyNMT asks for an old protobuf and much that its models never import: it comes alone, with what they do.
.venv/peers/ready: .venv/ready
	"$(PYTHON)" -m venv .venv/peers
	.venv/peers/bin/python -m pip install --quiet --constraint constraints.txt --editable ".[fast,hub]" torch==2.13.0 accelerate x-transformers importlib_metadata matplotlib pyyaml subword-nmt tensorboard
	.venv/peers/bin/python -m pip install --quiet --constraint constraints.txt --no-deps joeynmt
	@touch $@

test-browser: .venv/browser/ready ## the pages in a real Chromium
	REGARD_BROWSER=required $(BIN)/python -m pytest -q tests/browser

.venv/browser/ready: .venv/ready
	@command -v chromium || command -v chromium-browser || command -v google-chrome || { $(INSTALL) chromium; }
	@fc-list :lang=zh family | grep -q . || { $(INSTALL) fontconfig fonts-noto-cjk; }
	@command -v npm || { $(INSTALL) npm; }
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev,figures,browser]"
	npm install --silent --no-save --prefix .venv/browser axe-core@4.14.0
	@touch $@

docs: .venv/docs/ready ## build the documentation, computing every number and figure anew
	$(BIN)/python -m sphinx -W --keep-going -n -E -q -b html -d docs/_build/doctrees docs docs/_build/html
	@echo "Open docs/_build/html/index.html, or run: make docs-serve"

docs-serve: docs ## build the documentation and show it at http://127.0.0.1:8000
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory docs/_build/html 8000

.venv/docs/ready: .venv/ready
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[docs,figures]"
	@mkdir -p $(@D) && touch $@

test-faults: .venv/ready ## kill, damage, cut and flood, as often as is promised: an hour; some of it needs root
	REGARD_FAULTS=often OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -m slow tests/faults
	$(BIN)/python tests/faults/draw.py

test-faults-quick: .venv/ready ## the same but for the cables, each a few times: minutes
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -m slow tests/faults
	$(BIN)/python tests/faults/draw.py

audit: .venv/ready ## known faults of the dependencies, risky calls in the code
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[audit]"
	$(BIN)/bandit --quiet --recursive -ll src/regard
	$(BIN)/pip-audit --skip-editable

check: .venv/ready ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: .venv/ready ## put the code into the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## remove what was made here
	rm -rf .venv docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis
