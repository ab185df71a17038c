"""The contract of a game and the compiled loops. Here is what the author of a game needs."""

from lowhand.engine import game
from lowhand.engine.game import EvaluationSetting, Game
from lowhand.engine.jit import njit
from lowhand.engine.observation import Field, ObservationSpec
from lowhand.engine.records import record, state_record
from lowhand.engine.scripted import BotKind, make_bot
from lowhand.engine.validation import check_integer

__all__ = [
    "BotKind",
    "EvaluationSetting",
    "Field",
    "Game",
    "ObservationSpec",
    "check_integer",
    "game",
    "make_bot",
    "njit",
    "record",
    "state_record",
]
