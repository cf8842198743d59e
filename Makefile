# `make demo` and `make test` are all a newcomer needs: both create the environment first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
NATIVE := $(wildcard src/bncc/*/*.cpp src/bncc/*/*.hpp)
INSTALLED := $(VENV)/.installed

.PHONY: demo test test-slow check format benchmarks clean

demo: $(INSTALLED)
	$(BIN)/bncc demo

test: check
	$(BIN)/pytest -n 2

test-slow: $(INSTALLED)
	$(BIN)/pytest -n 2 -m slow

check: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(INSTALLED)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

benchmarks: $(INSTALLED)
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "bncc needs Python 3.11 or newer; got $$($(PYTHON) --version). Try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): $(BIN)/python pyproject.toml CMakeLists.txt $(NATIVE)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	@touch $@

clean:
	rm -rf $(VENV) build dist out .pytest_cache .mypy_cache .ruff_cache .hypothesis
