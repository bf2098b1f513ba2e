# Everything here works on a machine with nothing but Python 3 and pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-all lint bench docs clean

$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	$(BIN)/python -c "import linkwright.integrate.loop"  # compile the steppers, once per installation
	touch $(READY)

demo: $(READY)  ## simulate the built-in demonstration and write its animation
	$(BIN)/linkwright demo

lint: $(READY)
	$(BIN)/ruff check src tests bench examples

test: lint  ## lint and the default tests, under eight minutes on two cores
	$(BIN)/python -m pytest -n auto

test-all: lint  ## adds the slow set: every law over every joint and stepper
	$(BIN)/python -m pytest -n auto -m ''

bench: $(READY)  ## side by side with the peers that are installed
	$(BIN)/python -m bench

docs: $(READY)  ## the documentation site, in out/site
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	$(BIN)/python docs/build_reference.py
	$(BIN)/python docs/build_gallery.py --pages
	$(BIN)/mkdocs build --quiet

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache
