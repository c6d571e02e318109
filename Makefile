# `make grade` and `make test` need Python 3.11 or newer and nothing else; `make help` lists the rest.
PYTHON ?= python3
VENV   ?= .venv
TORCH  ?= torch==2.13.0
S      ?= submissions_example/average_with_code
OUT    ?= build
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install -q --disable-pip-version-check
# a submission with code needs torch and triton; answers alone need neither
NEEDS  := $(VENV)/$(if $(wildcard $(S)/*.py),kernels,core).stamp

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

grade: $(NEEDS) ## grade one submission: make grade S=path
	@$(BIN)/grader grade "$(S)" --out "$(OUT)" --exit-zero

batch: $(VENV)/kernels.stamp ## grade a class: make batch S=folder-or-zip
	@$(BIN)/grader batch "$(S)" --out "$(OUT)/class"

test: $(VENV)/dev.stamp ## run the tests
	@$(BIN)/pytest

test-all: $(VENV)/dev.stamp ## run the slow tests as well
	@$(BIN)/pytest -m "" --timeout 3600

gpu-check: $(VENV)/dev.stamp ## on a machine with a GPU: run its tests and time the reference
	@$(BIN)/python benchmarks/gpu_check.py

gradescope: $(VENV)/core.stamp ## build/gradescope.zip, an autograder to upload: make gradescope [RUBRIC=file]
	@$(BIN)/python integrations/gradescope/build.py --out build/gradescope.zip $(if $(RUBRIC),--rubric "$(RUBRIC)")

lint: $(VENV)/dev.stamp ## check style and types
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

clean: ## remove the environment and everything built
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/core.stamp: pyproject.toml
	@echo "Setting up $(VENV), once ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) -e .
	@touch $@

$(VENV)/kernels.stamp: $(VENV)/core.stamp
	@echo "Installing torch and triton for submissions with code, once (some minutes) ..."
	@$(PIP) -e '.[kernels]' '$(TORCH)'
	@touch $@

$(VENV)/dev.stamp: $(VENV)/kernels.stamp
	@echo "Installing the test tools, once ..."
	@$(PIP) -e '.[kernels,dev]' '$(TORCH)'
	@touch $@

.PHONY: help grade batch test test-all gpu-check gradescope lint clean
