"""Reduced deals of Least Score in tests."""

import pytest

from lowhand_training.solve.least_score.solver import reduced_options
from lowhand_training.solve.least_score.tree import deal_tree

PAIRS = "2x3-2-3"  # hands of two with pairs, one card in the deck, so that there are reshuffles


def tree(size, keep_suits=False, players=2):
    return deal_tree(reduced_options(size, players), keep_suits)


def near(value):
    return pytest.approx(value, abs=1e-9)
