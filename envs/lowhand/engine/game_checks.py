"""What `register_game` refuses: a declaration that compiled code could not trust."""

from typing import Any

import numpy as np

from lowhand.engine.game import MAX_SEATS, RULES_FUNCTIONS, Game
from lowhand.engine.observation import ObservationSpec
from lowhand.engine.records import OPTIONAL_FIELDS, SHARED_FIELDS
from lowhand.engine.scripted import parse_bot

ARGUMENTS = frozenset(
    ("game", "num_envs", "agents", "num_threads", "seed", "observe", "perfect_recall")
    + ("observation_seats", "reward", "illegal_action", "render_mode", "opponents", "seat")
)
"""Arguments of the environments and of batches: an option of such a name could not be given."""


def check_declaration(game: Game) -> None:
    """Refuse a game that does not fulfil the contract; nothing is played.

    Raises:
        ValueError: what is wrong, in a sentence.
    """
    if not isinstance(game, Game):
        raise ValueError(f"a game must be a lowhand.engine.Game, not {game!r}.")
    for check in (_check_players, _check_state, _check_options, _check_rules, _check_observation):
        try:
            wrong = check(game)
        except ValueError as error:  # of the game's own declarations
            wrong = str(error).rstrip(".")
        if wrong is not None:
            raise ValueError(f"game {game.name!r}: {wrong}.")


def _check_players(game: Game) -> str | None:
    if not (isinstance(game.name, str) and game.name.isidentifier()):
        return "its name must be an identifier, such as 'draw_once'"
    if not all(isinstance(number, int) for number in (game.min_players, game.max_players)):
        return "its numbers of players must be integers"
    if not 2 <= game.min_players <= game.max_players:
        return f"it is for {game.min_players} to {game.max_players} players; 2 is the fewest"
    if game.max_players > MAX_SEATS:
        return f"it is for up to {game.max_players} players, and tables have {MAX_SEATS} seats"
    return None


def _check_state(game: Game) -> str | None:
    state = game.state
    if not (isinstance(state, np.dtype) and state.names and state.type is np.record):
        return "its state must be a record dtype, np.dtype((np.record, …))"
    missing = sorted(set(SHARED_FIELDS) - set(state.names))
    if missing:
        return f"its State has no field {', '.join(missing)}"
    for name, kind in (SHARED_FIELDS | OPTIONAL_FIELDS).items():
        if name in state.names:
            seats = name == "out"
            shape = state[name].shape
            fits = len(shape) == 1 and shape[0] >= game.max_players if seats else shape == ()
            if state[name].base != kind or not fits:
                per_seat = f" with an entry for each of {game.max_players} seats" if seats else ""
                return f"the field {name!r} of its State must be {np.dtype(kind)}{per_seat}"
    return None


def _check_options(game: Game) -> str | None:
    options: Any = game.options
    parameters = getattr(options, "__dataclass_params__", None)
    if parameters is None or not parameters.frozen:
        return "its options must be a frozen dataclass"
    names = set(options.__dataclass_fields__)
    if "num_players" not in names:
        return "its options have no field 'num_players'"
    clashing = sorted(names & ARGUMENTS)
    if clashing:
        return f"its option {clashing[0]!r} has the name of an argument of every environment"
    return None


def _check_rules(game: Game) -> str | None:
    try:
        rules = game.options(num_players=game.min_players).rules()
    except (TypeError, ValueError) as error:
        return f"its options can't be made of num_players={game.min_players} alone ({error})"
    if not (isinstance(rules, np.ndarray) and rules.shape == (1,) and rules.dtype.names):
        return "its options' rules() must return a record array of shape (1,)"
    missing = [
        name
        for name, function in RULES_FUNCTIONS.items()
        if not (function.default or function.is_registered(rules.dtype))
    ]
    if missing:
        return f"no rule function {', '.join(map(repr, missing))} is registered for its Rules"
    return None


def _check_observation(game: Game) -> str | None:
    options = game.options(num_players=game.min_players)
    for recall in (False, True):
        spec: Any = game.observation(options, recall, game.max_players)  # refuses clashing names
        if not isinstance(spec, ObservationSpec):
            return "its observation must return an ObservationSpec"
    unknown = [name for name in game.baselines if parse_bot(name, game.bots) is None]
    if unknown:
        return f"its baseline {unknown[0]!r} is none of its bots"
    if game.num_actions(options) < 1:
        return "it has no actions"
    return None
