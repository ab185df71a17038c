"""No Thanks! and Least Score as reinforcement-learning environments."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lowhand.games import VERSIONS, register_environments, register_game

if TYPE_CHECKING:
    from lowhand.agents.names import make_agent
    from lowhand.agents.table_view import Agent, TableView
    from lowhand.apis.batch import Batch, make_batch
    from lowhand.engine.rng import game_key
    from lowhand.games import GAMES

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

__version__ = "0.1.0"

# Imported when first used, so that `import lowhand` waits neither for Numba nor for the games.
_MODULES = {
    "GAMES": "lowhand.games",
    "Agent": "lowhand.agents.table_view",
    "Batch": "lowhand.apis.batch",
    "TableView": "lowhand.agents.table_view",
    "game_key": "lowhand.engine.rng",
    "make_agent": "lowhand.agents.names",
    "make_batch": "lowhand.apis.batch",
}

for _name, _version in VERSIONS.items():
    register_environments(_name, _version)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
