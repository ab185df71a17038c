"""The public Python API: what type checkers see, and what `__init__` imports lazily."""

from .evaluation.compare import Comparison as Comparison, compare as compare
from .evaluation.evaluation import evaluate as evaluate
from .evaluation.ratings import Ratings as Ratings, rate as rate
from .evaluation.results import Evaluation as Evaluation
from .evaluation.tournament.driver import run_tournament as run_tournament
from .evaluation.tournament.plan import Plan as Plan, make_plan as make_plan
from .evaluation.tournament.table import Games as Games, load_games as load_games
from .exploit.attack import bound_exploitability as bound_exploitability
from .exploit.learned import LearnedSettings as LearnedSettings
from .exploit.results import Exploitation as Exploitation
from .exploit.rollout import RolloutSettings as RolloutSettings
from .solve.registry import Request as Request, Solved as Solved, solve_game as solve_game
from .trainer.algorithms import train as train
from .trainer.config import (
    EvaluationConfig as EvaluationConfig,
    GameConfig as GameConfig,
    LeagueConfig as LeagueConfig,
    NetworkConfig as NetworkConfig,
    PPOConfig as PPOConfig,
    RewardConfig as RewardConfig,
    SelfPlayConfig as SelfPlayConfig,
    TrainConfig as TrainConfig,
)
from .trainer.config_files import load_config as load_config
