# Everything here works on a machine with nothing but Python 3 and pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready

.PHONY: demo test test-all lint pieces fuzz bench docs wheel clean

$(INSTALLED): pyproject.toml  # what a user has: the package and its dependencies; bytecode is made of what is imported only
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile --editable .
	touch $(INSTALLED)

$(READY): $(INSTALLED)  # what tests and benchmarks need beside it: peers, a browser's driver
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	# compile the steppers before tests ask for them side by side
	$(BIN)/python -c "from linkwright.integrate import prepare; prepare()"
	touch $(READY)

demo: $(INSTALLED)  ## simulate the built-in demonstration and write its animation
	$(BIN)/linkwright demo

lint: $(READY)
	$(BIN)/ruff check src tests bench examples
	$(BIN)/mypy --no-error-summary

test: lint  ## lint and the default tests, under ten minutes on two cores
	$(BIN)/python -m pytest -n auto --dist worksteal

test-all: lint  ## adds the slow set and the comparisons with large oracles
	$(BIN)/python -m pip install --quiet --editable '.[oracles,docs]'
	$(BIN)/python -m pytest -n auto --dist worksteal -m ''

pieces: $(INSTALLED)  ## the steppers' compiled code that travels with the package; after a change of src/linkwright/integrate
	$(BIN)/python -m linkwright.integrate.write_pieces

fuzz: $(READY)  ## 5000 random mechanisms and 1000 malformed models; prints the seeds that break a law
	$(BIN)/python tests/fuzz

bench: $(READY)  ## side by side with the peers that are installed
	$(BIN)/python -m bench

docs: $(READY)  ## the documentation site, in out/site
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	$(BIN)/python docs/build_reference.py
	$(BIN)/python docs/build_gallery.py --pages
	$(BIN)/mkdocs build --quiet

wheel: $(INSTALLED)  ## build the wheel, install it into an empty environment, and try it from outside the checkout
	$(BIN)/python -m pip install --quiet build
	rm -rf dist out/wheel && $(BIN)/python -m build --outdir dist .
	$(PYTHON) -m venv out/wheel
	out/wheel/bin/python -m pip install --quiet dist/*.whl
	cd out/wheel && bin/linkwright --version && bin/linkwright demo --html demo.html

clean:
	rm -rf $(VENV) build dist out .pytest_cache .ruff_cache .mypy_cache
