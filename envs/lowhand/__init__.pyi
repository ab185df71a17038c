"""The public names: what type checkers see, and what `__init__` imports lazily."""

from .agents.names import make_agent as make_agent
from .agents.table_view import Agent as Agent, TableView as TableView
from .apis.batch import Batch as Batch, make_batch as make_batch
from .engine.rng import game_key as game_key
from .games import GAMES as GAMES, register_game as register_game

__version__: str
