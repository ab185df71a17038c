"""Self-play training, evaluation and the command line of lowhand.

The names below are the public Python API. They are imported when they are first used, so that
`import lowhand_training` is quick and needs no torch. Nothing prints unless `progress=True`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lowhand_training.evaluation.compare import Comparison, compare
    from lowhand_training.evaluation.evaluation import evaluate
    from lowhand_training.evaluation.ratings import Ratings, rate
    from lowhand_training.evaluation.results import Evaluation
    from lowhand_training.evaluation.tournament.driver import run_tournament
    from lowhand_training.evaluation.tournament.plan import Plan, make_plan
    from lowhand_training.evaluation.tournament.table import Games, load_games
    from lowhand_training.exploit.attack import bound_exploitability
    from lowhand_training.exploit.learned import LearnedSettings
    from lowhand_training.exploit.results import Exploitation
    from lowhand_training.exploit.rollout import RolloutSettings
    from lowhand_training.solve.registry import Request, Solved, solve_game
    from lowhand_training.trainer.algorithms import train
    from lowhand_training.trainer.config import (
        EvaluationConfig,
        GameConfig,
        LeagueConfig,
        NetworkConfig,
        PPOConfig,
        RewardConfig,
        SelfPlayConfig,
        TrainConfig,
    )
    from lowhand_training.trainer.config_files import load_config

_MODULES = {
    "Comparison": "evaluation.compare",
    "Evaluation": "evaluation.results",
    "EvaluationConfig": "trainer.config",
    "Exploitation": "exploit.results",
    "GameConfig": "trainer.config",
    "Games": "evaluation.tournament.table",
    "LeagueConfig": "trainer.config",
    "LearnedSettings": "exploit.learned",
    "NetworkConfig": "trainer.config",
    "PPOConfig": "trainer.config",
    "Plan": "evaluation.tournament.plan",
    "Ratings": "evaluation.ratings",
    "Request": "solve.registry",
    "RewardConfig": "trainer.config",
    "RolloutSettings": "exploit.rollout",
    "SelfPlayConfig": "trainer.config",
    "Solved": "solve.registry",
    "TrainConfig": "trainer.config",
    "bound_exploitability": "exploit.attack",
    "compare": "evaluation.compare",
    "evaluate": "evaluation.evaluation",
    "load_config": "trainer.config_files",
    "load_games": "evaluation.tournament.table",
    "make_plan": "evaluation.tournament.plan",
    "rate": "evaluation.ratings",
    "run_tournament": "evaluation.tournament.driver",
    "solve_game": "solve.registry",
    "train": "trainer.algorithms",
}

__all__ = [
    "Comparison",
    "Evaluation",
    "EvaluationConfig",
    "Exploitation",
    "GameConfig",
    "Games",
    "LeagueConfig",
    "LearnedSettings",
    "NetworkConfig",
    "PPOConfig",
    "Plan",
    "Ratings",
    "Request",
    "RewardConfig",
    "RolloutSettings",
    "SelfPlayConfig",
    "Solved",
    "TrainConfig",
    "bound_exploitability",
    "compare",
    "evaluate",
    "load_config",
    "load_games",
    "make_plan",
    "rate",
    "run_tournament",
    "solve_game",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
