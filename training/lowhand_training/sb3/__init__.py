"""Stable-Baselines3: its `VecEnv` over the batch engine, and MaskablePPO trained by a config.

    from sb3_contrib import MaskablePPO

    from lowhand_training.sb3 import LowhandVecEnv

    games = LowhandVecEnv(256, "no_thanks", opponents="connector", num_players=3)
    MaskablePPO("MlpPolicy", games, n_steps=64, batch_size=4096, n_epochs=2).learn(2_000_000)

Any algorithm of SB3 works.

Needs the extra `lowhand[sb3]`.
"""

try:
    import sb3_contrib  # noqa: F401
    import stable_baselines3  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"Stable-Baselines3 needs {error.name}, which the plain install leaves out: install the"
        " extra with `pip install 'lowhand[sb3]'`.",
        name=error.name,
    ) from error

from lowhand_training.sb3.vec_env import LowhandVecEnv
from lowhand_training.sb3.weights import acting_weights, as_agent, load_acting_weights

__all__ = ["LowhandVecEnv", "acting_weights", "as_agent", "load_acting_weights"]
