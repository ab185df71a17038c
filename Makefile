# Thin targets: tasks.py does the work and runs without make (on Windows, say).
# ARGS goes on to the task: make test ARGS="-k rules -x"

PYTHON ?= python3

.PHONY: help demo test lint crosscheck mutants bench docs clean

help:
	@$(PYTHON) tasks.py --help

demo test lint crosscheck mutants bench docs:
	$(PYTHON) tasks.py $@ $(ARGS)

# What tools leave behind. The virtual environment and runs/ stay: one is slow to make, the other is yours.
clean:
	rm -rf build dist site .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	find envs training tests benchmarks -name __pycache__ -prune -exec rm -rf {} +
