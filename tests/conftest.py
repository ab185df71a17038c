"""What all tests share."""

import os

from hypothesis import settings

import lowhand

# Render mode "human" prints, also where a window could open: no driver has this name. Tests of the
# window choose a driver of their own.
os.environ["SDL_VIDEODRIVER"] = "none"

# The same examples in every run, and no time limit: the first call of a kernel compiles it.
settings.register_profile("lowhand", deadline=None, derandomize=True, database=None)
settings.load_profile("lowhand")

# `tests/mutants.py` runs tests against edited copies of the package: make sure that they do.
if wanted := os.environ.get("LOWHAND_UNDER_TEST"):
    assert lowhand.__file__.startswith(wanted), f"{lowhand.__file__} is not the copy in {wanted}."

# Whether the processor counts as one that multiplies bfloat16 natively, where training uses it:
# `LOWHAND_TEST_BFLOAT16=0` or `1` before the test command tries what other machines do.
if wanted := os.environ.get("LOWHAND_TEST_BFLOAT16"):
    try:
        from lowhand_training.trainer.ppo import network
    except ModuleNotFoundError:  # a machine without torch
        pass
    else:
        network.has_fast_bfloat16 = lambda: wanted == "1"
