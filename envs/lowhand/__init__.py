"""Environments for card games in which the lowest score wins and what matters is hidden."""

from lowhand.aec import register_environments
from lowhand.agents import Agent, TableView, make_agent
from lowhand.batch import Batch, make_batch
from lowhand.games import GAMES, register_game
from lowhand.gym import register
from lowhand.rng import game_key

__version__ = "0.1.0"

register()  # with Gymnasium
register_environments(GAMES.values())

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
