# The project's tasks; `make` alone lists them. All of them run in .venv, which is made on first use.
# PYTHON=... picks the interpreter, PYTEST=... adds arguments for pytest.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

# Images of containers often forbid bytecode. Here that would compile every package again in each process a test starts.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
# uv resolves in seconds what takes pip minutes; where it cannot reach an index that pip is set up for, pip does it.
PIP := $(PY) -m pip install --quiet --disable-pip-version-check
# Every package at the version of constraints.txt, so that a release of somebody else changes nothing here by itself.
define install
$(PY) -m uv pip install --quiet --python $(PY) --constraint constraints.txt --editable $(1) || \
	$(PIP) --constraint constraints.txt --editable $(1)
endef

# The tests run against every SDK there is.
EXTRAS ?= dev,sdk
comma := ,

# Stamps: what is installed is newer than what says what to install.
CREATED := $(VENV)/.created
RUNTIME := $(VENV)/.installed
DEVELOP := $(VENV)/.installed-dev
BENCH := $(VENV)/.installed-bench
NATIVE := $(VENV)/.installed-native

.PHONY: help
help: ## list the tasks
	@echo "make <task>:"
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 14

.PHONY: demo
demo: $(RUNTIME) ## the default table's verdicts, and one message as each surface shows it
	@$(BIN)/reticent demo

.PHONY: test
test: $(DEVELOP) ## run every test
	@$(PY) -m pytest -n auto --dist loadscope $(PYTEST)

.PHONY: hunt
hunt: $(DEVELOP) ## the properties with new and more examples, in another order; a finding becomes a test
	@$(PY) -m pytest -n auto --dist loadscope --hypothesis-profile reticent-hunt tests/properties tests/library $(PYTEST)

.PHONY: setup
setup: $(DEVELOP) ## make .venv with everything a contributor needs

.PHONY: native
native: $(NATIVE) ## build the native settle pass and install it into .venv; needs cargo

.PHONY: native-lint
native-lint: ## style and lints of the native settle pass; needs cargo with rustfmt and clippy
	@sh scripts/lint_native.sh

.PHONY: lint
lint: $(DEVELOP) ## style, layers, docstrings, changelog fragments
	@failed=; \
	$(BIN)/ruff check --quiet --output-format concise || failed=1; \
	$(BIN)/ruff format --check || failed=1; \
	$(BIN)/lint-imports --no-logo || failed=1; \
	$(BIN)/interrogate --quiet policy service scripts || failed=1; \
	$(BIN)/towncrier build --draft >/dev/null 2>&1 || { echo "changelog.d: see changelog.d/README.md"; failed=1; }; \
	test -z "$$failed"

.PHONY: fix
fix: $(DEVELOP) ## what lint can repair by itself
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format
	@"$$(sh scripts/install_opa.sh)/opa" fmt --write rego

.PHONY: types mypy pyright
types: mypy pyright ## mypy --strict and pyright
mypy: $(DEVELOP)
	@$(BIN)/mypy
pyright: $(DEVELOP)
	@$(BIN)/pyright --pythonpath $(PY)

.PHONY: rego
rego: ## format, strict check and full rule coverage of the policy; needs the OPA of .opa-version
	@sh scripts/check_rego.sh

.PHONY: generated
generated: $(DEVELOP) ## say which generated files are no longer what their sources make
	@RETICENT_OPA="$$(sh scripts/install_opa.sh)/opa"; export RETICENT_OPA; \
	for script in scripts/build_*.py; do $(PY) "$$script" --check || stale=1; done; test -z "$$stale"

.PHONY: regenerate
regenerate: $(DEVELOP) ## make the generated files again
	@RETICENT_OPA="$$(sh scripts/install_opa.sh)/opa"; export RETICENT_OPA; \
	for script in scripts/build_*.py; do $(PY) "$$script" || exit 1; done

.PHONY: lock
lock: $(CREATED) ## the versions of constraints.txt, where pyproject.toml asks for others; LOCK=--upgrade for the newest
	@$(PY) -m uv pip compile --quiet --universal --python-version 3.11 --no-annotate --no-header \
		--extra bench $(foreach extra,$(subst $(comma), ,$(EXTRAS)),--extra $(extra)) \
		$(LOCK) --output-file constraints.txt pyproject.toml >/dev/null

.PHONY: docs
docs: $(DEVELOP) ## run the examples in README.md and docs/
	@$(PY) -m pytest README.md docs $(PYTEST)

.PHONY: bench
bench: $(BENCH) ## the benchmarks, one table each
	@for bench in tests/benchmarks/bench_*.py; do echo "== $$bench"; $(PY) $$bench || exit 1; done

.PHONY: compare
compare: $(BENCH) ## public redactors on the conformance vectors; writes the table in docs/conformance.md
	@$(PY) scripts/compare_redactors.py --print

.PHONY: fuzz
fuzz: $(DEVELOP) ## coverage-guided fuzzing, FUZZ_SECONDS (60) for each target; FUZZ=name for one of them
	@$(PIP) 'atheris>=3.0'
	@$(PY) tests/fuzz/run.py $(FUZZ)

.PHONY: soak
soak: $(DEVELOP) ## a gibibyte of one stream through a filter, and the memory it takes
	@$(PY) tests/fuzz/soak.py

.PHONY: check
check: lint types rego generated test ## all that CI runs

.PHONY: clean
clean: ## remove .venv, caches and builds
	@rm -rf $(VENV) build dist .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(CREATED):
	@python=$$(RETICENT_PYTHON="$(PYTHON)" sh scripts/find_python.sh) && "$$python" -m venv --clear $(VENV)
	@$(PIP) uv
	@touch $@

$(RUNTIME): $(CREATED) pyproject.toml constraints.txt
	@echo "installing reticent into $(VENV)"
	@$(call install,.)
	@touch $@

$(DEVELOP): $(CREATED) pyproject.toml constraints.txt
	@echo "installing reticent and what its tests need into $(VENV)"
	@$(call install,'.[$(EXTRAS)]')
	@touch $(RUNTIME) $@

$(BENCH): $(CREATED) pyproject.toml constraints.txt
	@echo "installing reticent and what it is measured against into $(VENV)"
	@$(PIP) --constraint constraints.txt --editable '.[bench]'
	@touch $(RUNTIME) $@

$(NATIVE): $(CREATED) native/pyproject.toml native/Cargo.toml native/Cargo.lock $(wildcard native/src/*.rs)
	@sh scripts/install_native.sh $(PY)
	@touch $@
