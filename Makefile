# Everything a newcomer needs: `make demo` and `make test`. The rest is for those who change the code.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1
export PIP_CONSTRAINT = $(CURDIR)/constraints.txt

.PHONY: demo test image-test check fix soak bench images clean

demo: $(VENV)/.installed
	@$(BIN)/tapwright demo

test: $(VENV)/.installed-dev
	@$(BIN)/python -m pytest -n 2 --dist loadfile $(PYTEST_ARGS)

# The server image, really built and run: needs root, buildah and mmdebstrap, takes two and a half minutes.
image-test: $(VENV)/.installed-dev
	@TAPWRIGHT_REQUIRE=docker $(BIN)/python -m pytest -s --durations=5 tests/docker

# Lint, types, import contracts: what a change must pass besides the tests.
check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# All figures at full count, written into docs/, and the mass proofs of the driver: 500 acts under faults, 200 texts.
soak: $(VENV)/.installed-dev
	TAPWRIGHT_SOAK=1 TAPWRIGHT_SOAK_ACTS=500 $(BIN)/python -m pytest tests/device/adb/test_acts.py tests/device/adb/test_texts.py
	$(BIN)/python -m benchmarks --write docs/figures.md

bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks

images: $(VENV)/.installed-dev
	$(BIN)/python docs/images/make.py
	$(BIN)/python docs/images/overlay.py
	$(BIN)/python docs/images/dashboard.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/pip:
	@echo "Setting up $(VENV) with $$($(PYTHON) --version) ..."
	@$(PYTHON) -c 'import sys; sys.exit("Tapwright needs Python 3.11 or newer; set PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV) || { echo "Mend it with: apt install python3-venv"; rm -rf $(VENV); exit 1; }

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/pip
	@echo "Installing Tapwright and what it stands on (about 250 MB, once) ..."
	@$(BIN)/python -m pip install --progress-bar on --editable .
	@$(BIN)/python -c 'import agent_server.cli'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(VENV)/bin/pip
	@echo "Installing Tapwright and what its tests need ..."
	@$(BIN)/python -m pip install --progress-bar on --editable '.[dev]'
	@$(BIN)/python -c 'import agent_server.cli, pytest'
	@touch $@ $(VENV)/.installed
