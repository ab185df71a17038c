"""Environments for card games in which the lowest score wins and what matters is hidden."""

from lowhand.agents.names import make_agent
from lowhand.agents.table_view import Agent, TableView
from lowhand.apis.batch import Batch, make_batch
from lowhand.engine.rng import game_key
from lowhand.games import GAMES, register_environments, register_game

__version__ = "0.1.0"

register_environments()  # with Gymnasium and PettingZoo

__all__ = [
    "GAMES",
    "Agent",
    "Batch",
    "TableView",
    "game_key",
    "make_agent",
    "make_batch",
    "register_game",
]
