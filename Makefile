# hardsoft: `make help` lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TEST_ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help install verify formal formal-if-there test lint typecheck paper-test gappa bench lock clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

verify: $(STAMP)  ## prove and check every statement (the main job)
	$(BIN)/hardsoft verify

test: lint typecheck formal-if-there  ## lint, type check, Coq if it is there, and the tests
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal $(TEST_ARGS)

lint: $(STAMP)  ## ruff: style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

typecheck: $(STAMP)  ## mypy, strict on checker/ and proofs/
	$(BIN)/mypy

install: $(STAMP)  ## create .venv and install the pinned versions

$(STAMP): constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "hardsoft needs Python 3.11 or later; set PYTHON=python3.11" >&2; exit 3; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

paper-test: $(STAMP)  ## write the whole LaTeX appendix and compile it (needs pdflatex)
	@command -v pdflatex >/dev/null || { echo "paper-test needs pdflatex (Debian: texlive-latex-base, texlive-latex-recommended)" >&2; exit 3; }
	$(BIN)/hardsoft paper --out build/appendix --force
	cd build/appendix && pdflatex -interaction=nonstopmode -halt-on-error appendix.tex >/dev/null && pdflatex -interaction=nonstopmode -halt-on-error appendix.tex | tail -n 2

formal: $(STAMP)  ## have Coq check the statements marked [K] (as root it installs Debian's coq first)
	@command -v coqc >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq --no-install-recommends coq; } || { echo "make formal needs Coq 8.16 or later, coqc on the path (Debian: apt-get install coq)" >&2; exit 3; }
	$(BIN)/python -m checker.formalise

formal-if-there: $(STAMP)
	@if command -v coqc >/dev/null; then $(BIN)/python -m checker.formalise; else echo "formal: skipped: coqc not found"; fi

gappa:  ## have Gappa check the rounding errors of the exponential (Debian: apt-get install gappa)
	@command -v gappa >/dev/null || { echo "make gappa needs Gappa (Debian: apt-get install gappa)" >&2; exit 3; }
	gappa proofs/gappa/exponential.g

bench: $(STAMP)  ## measure speed, as ratios against peers (some ten minutes; tables, and JSON in build/bench)
	@mkdir -p build/bench
	for part in rows audit certification scale verify; do $(BIN)/python -m benchmarks.$$part --json build/bench/$$part.json && echo || exit; done

lock:  ## write constraints.txt from the installed versions
	$(BIN)/python -m pip freeze --exclude-editable --exclude hardsoft > constraints.txt

clean:  ## remove .venv and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build ./*.egg-info
