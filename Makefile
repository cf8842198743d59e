# `make demo` and `make test` are all a newcomer needs: both create the environment first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Two workers, so one BLAS thread each: more would only get in each other's way.
ONE_BLAS_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
PYTEST := $(ONE_BLAS_THREAD) $(BIN)/pytest -n 2
# Formatted by clang-format.
CPLUSPLUS := $(shell git ls-files -co --exclude-standard "*.cpp" "*.hpp" "*.cu" 2> /dev/null)
NATIVE := $(wildcard src/bncc/*/*.cpp src/bncc/*/*.hpp src/bncc/*/CMakeLists.txt)
# An editable install knows the files it was made with, so a new or removed one asks for another.
FILES := $(shell find src -name '*.py' | sort | cksum | cut -d ' ' -f 1)
INSTALLED := $(VENV)/.installed-$(FILES)


.PHONY: install demo test test-slow test-lowest wheel check docs format benchmarks soak fuzz test-sanitizers clean

demo: $(INSTALLED)
	$(BIN)/bncc demo

test: check
	$(PYTEST)

test-slow: $(INSTALLED)
	$(PYTEST) -m slow

# A hundred thousand mutations of model files: some 10 minutes on two quiet cores.
fuzz: $(INSTALLED)
	$(ONE_BLAS_THREAD) $(BIN)/python tests/model_fuzz.py --record

# The quick suite on the lowest versions that pyproject.toml declares, in an environment of its own.
test-lowest:
	PYTHON=$(PYTHON) .ci/test-lowest

# The suites of the rooms with compiled code on extensions built with sanitizers, every index asserted.
test-sanitizers: $(INSTALLED)
	$(BIN)/python tests/native/sanitized.py

# What is shipped: both archives, and the quick suite on the wheel where there is no compiler and no source.
wheel: $(INSTALLED)
	rm -rf dist
	$(BIN)/python -m build --quiet --outdir dist
	PYTHON=$(BIN)/python .ci/test-wheel dist

check: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(if $(CPLUSPLUS),$(BIN)/clang-format --dry-run --Werror $(CPLUSPLUS))
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	tools/page-script/check
	tools/workflows/check

docs: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/sphinx-build -W --keep-going -n -q docs build/docs
	@echo "The site is in build/docs: open build/docs/index.html"

format: $(INSTALLED)
	$(BIN)/ruff format .
	$(if $(CPLUSPLUS),$(BIN)/clang-format -i $(CPLUSPLUS))
	$(BIN)/ruff check --fix .
	tools/page-script/check --write

benchmarks: $(INSTALLED)
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

# An hour; make soak MINUTES=3 to see that it works.
soak: $(INSTALLED)
	$(BIN)/python benchmarks/soak.py --minutes $(or $(MINUTES),60) --record

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "bncc needs Python 3.11 or newer; got $$($(PYTHON) --version). Try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

install: $(INSTALLED)

$(INSTALLED): $(BIN)/python pyproject.toml CMakeLists.txt $(NATIVE)
	@echo "Installing bncc and what it needs into $(VENV): a minute or two."
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	@rm -f $(VENV)/.installed* && touch $@

clean:
	rm -rf $(VENV) .venv-lowest build dist out .pytest_cache .mypy_cache .ruff_cache .hypothesis
