# Two commands: `make audit` looks at this machine, `make test` proves the code.
# Both make what they need in .venv; nothing else on the machine is changed by `make audit`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= .

.PHONY: audit test lint clean

audit: $(BIN)/assay
	@$(BIN)/assay audit --html $(OUT)/assay-report.html; code=$$?; \
	  if [ $$code -ge 2 ] && [ $$code -ne 3 ]; then exit $$code; fi

test: $(VENV)/.dev
	@tools/test

lint: $(VENV)/.dev
	@tools/lint

$(BIN)/assay: pyproject.toml
	@tools/venv $(PYTHON) $(VENV) "."
	@touch $@

$(VENV)/.dev: pyproject.toml tools/system-packages
	@tools/system-packages
	@tools/venv $(PYTHON) $(VENV) ".[dev]"
	@touch $@

clean:
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
