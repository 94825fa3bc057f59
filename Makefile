# make demo   one robot on two feet, one on a slope: verdicts, pictures and pages in out/
# make test   the whole test suite
# make docs   the documentation, into site/
# make bench  every comparison with other libraries; renews the tables of the docs
# All set up .venv first; that takes a minute the first time and a second afterwards.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PEERS ?= $(VENV)/peers
# with bytecode on disk a program that a test starts imports footwork in 0.6 s, else in 1.5 s
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/pytest

.PHONY: demo test lint bench docs clean check-python

demo: $(STAMP)
	$(BIN)/footwork demo --out out

# Assertions are plain, as each process would take 16 s to rewrite them; those that fail are made
# again, with their values.
test: $(STAMP)
	$(BIN)/footwork compile --quiet  # once: else each of pytest's processes compiles for itself
	$(PYTEST) -n auto --dist loadfile --no-loadscope-reorder --assert=plain || \
	  { $(PYTEST) --last-failed --last-failed-no-failures none; exit 1; }

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(STAMP)
	$(BIN)/footwork bench --peers $(PEERS) --write

clean:
	rm -rf $(VENV) out build site .pytest_cache .mypy_cache .ruff_cache .hypothesis

check-python:
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	  echo "make: no $(PYTHON) on the path; install Python 3.11 or newer, or name one: make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: $(PYTHON) is $$($(PYTHON) --version); footwork needs 3.11 or newer: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "make: $(PYTHON) has no venv or ensurepip; on Debian: apt install python3-venv"; exit 1; }

$(STAMP): pyproject.toml constraints.txt | check-python
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[all,docs,test]'
	@touch $@
