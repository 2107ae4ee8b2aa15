# Every target sets up what it needs in .venv; nothing else on the machine is touched.
PYTHON ?= python3
BIN := .venv/bin
CONSTRAINTS := deploy/constraints.txt

.PHONY: install demo run kafka test lint format bench judge-bench kafka-bench captures clean

install: .venv/.installed

.venv/.installed: pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "groundwatch needs Python 3.11 or newer (make PYTHON=python3.12 ...)"; exit 1; }
	@test -x $(BIN)/python || { echo "creating .venv"; $(PYTHON) -m venv .venv || { echo "on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }; }
	@echo "installing groundwatch and its pinned dependencies"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e .
	@touch $@

.venv/.installed-dev: .venv/.installed
	@echo "installing the tools that tests need"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[dev]'
	@touch $@

demo: install
	@$(BIN)/groundwatch demo

run: install
	@$(BIN)/groundwatch run

kafka: .venv/.installed-dev
	@$(BIN)/python -m tests.kafka.broker

lint: .venv/.installed-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: .venv/.installed-dev
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

test: lint
	@$(BIN)/python -m pytest

bench: .venv/.installed-dev
	@$(BIN)/python -m tests.bench

judge-bench: .venv/.installed-dev
	@$(BIN)/python -m tests.bench.judges

captures: .venv/.installed-dev
	@$(BIN)/python -m tests.captures.apps.rebuild

kafka-bench: .venv/.installed-dev
	@$(BIN)/python -m tests.bench.kafka kills
	@$(BIN)/python -m tests.bench.kafka scale
	@$(BIN)/python -m tests.bench.kafka roles

clean:
	rm -rf .venv build dist *.egg-info
