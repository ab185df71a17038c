"""OpenSpiel's games, states and observers, an interface over `Position`."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, ClassVar

import numpy as np
import pyspiel  # type: ignore[import-not-found,import-untyped,unused-ignore]

from lowhand.apis.openspiel.least_score import LeastScorePosition
from lowhand.apis.openspiel.no_thanks import NoThanksPosition
from lowhand.apis.openspiel.parameters import options_from, specification
from lowhand.apis.openspiel.position import Position
from lowhand.apis.openspiel.terms import REWARDS, Terms, terms
from lowhand.engine.game import Game
from lowhand.engine.kernels_rows import observe_one
from lowhand.games import get_game


class CardGame(pyspiel.Game):  # type: ignore[misc]  # a compiled class without types
    """A game of lowhand in OpenSpiel.

    Args:
        params: `reward` and the game's options, with defaults for those not given.

    Attributes:
        game: the game of the subclass.
        terms: rules, options and reward.

    Raises:
        ValueError: an option or the reward is unknown or outside its bounds.
    """

    game: ClassVar[Game]
    position: ClassVar[type[Position]]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {"reward": REWARDS[0], **(params or {})}
        options = options_from(self.game, {n: v for n, v in given.items() if n != "reward"})
        self.terms = terms(self.game.name, options, given["reward"])
        self._start = self.position(self.terms)
        super().__init__(self.game_type(self.terms), self.game_info(self.terms), params or {})

    @classmethod
    def short_name(cls) -> str:
        """The game's name in `pyspiel.load_game`."""
        return f"lowhand_{cls.game.name}"

    @classmethod
    def game_type(cls, chosen: Terms) -> Any:
        """OpenSpiel's game type under these terms."""
        game, kinds = cls.game, pyspiel.GameType
        early = cls.position.bounds(chosen.options).pays_early
        return kinds(
            short_name=cls.short_name(),
            long_name=f"{game.name.replace('_', ' ').title()} (lowhand)",
            dynamics=kinds.Dynamics.SEQUENTIAL,
            chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
            information=kinds.Information.IMPERFECT_INFORMATION,
            utility=kinds.Utility.ZERO_SUM if chosen.zero_sum else kinds.Utility.GENERAL_SUM,
            reward_model=kinds.RewardModel.REWARDS if early else kinds.RewardModel.TERMINAL,
            max_num_players=game.max_players,
            min_num_players=game.min_players,
            provides_information_state_string=True,
            provides_information_state_tensor=True,
            provides_observation_string=True,
            provides_observation_tensor=True,
            parameter_specification={"reward": REWARDS[0], **specification(game)},
        )

    @classmethod
    def game_info(cls, chosen: Terms) -> Any:
        """OpenSpiel's sizes and bounds under these terms."""
        bounds = cls.position.bounds(chosen.options)
        low, high = chosen.utility_range(bounds.scores, rounds=bounds.pays_early)
        return pyspiel.GameInfo(
            num_distinct_actions=cls.game.num_actions(chosen.options),
            max_chance_outcomes=bounds.outcomes,
            num_players=chosen.players,
            min_utility=low,
            max_utility=high,
            utility_sum=0.0 if chosen.zero_sum else None,
            max_game_length=bounds.decisions,
        )

    def new_initial_state(self) -> "CardState":
        """The initial state, before anything is dealt."""
        return CardState(self, deepcopy(self._start))  # OpenSpiel makes one for each clone

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Observer | None":
        """An observer of a player's observation; None for kinds that OpenSpiel does not require.

        Raises:
            ValueError: parameters are given, of which observers have none.
        """
        if params:
            raise ValueError(f"observers have no parameters, but {dict(params)} were given.")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return Observer(self.terms, kind.perfect_recall)

    def max_chance_nodes_in_history(self) -> int:
        """Upper bound of the chance nodes of a game."""
        return self.position.bounds(self.terms.options).events


class CardState(pyspiel.State):  # type: ignore[misc]
    """A state of a `CardGame`.

    Attributes:
        position: the engine's record, and the chance event that it waits for.
    """

    def __init__(self, game: CardGame, position: Position) -> None:
        super().__init__(game)
        self.position = position

    def current_player(self) -> int:
        """The seat to move, or OpenSpiel's id for chance or the end."""
        position = self.position
        if position.event is not None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if position.is_over else position.mover

    def is_terminal(self) -> bool:
        """Whether the game has ended."""
        return self.position.is_over

    def is_chance_node(self) -> bool:
        """Whether chance is to move."""
        return self.position.event is not None

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of the chance event, with their probabilities."""
        return self.position.probabilities()

    def _apply_action(self, action: int) -> None:
        if self.position.event is None:
            self.position.play(action)
        else:
            self.position.resolve_chance(action)

    def _action_to_string(self, player: int, action: int) -> str:
        position = self.position
        if player == pyspiel.PlayerId.CHANCE:
            return position.describe_outcome(action)
        if player != self.current_player():  # what an action means depends on the hand
            return f"action {action}"
        return position.terms.game.describe_action(position.terms.rules, position.state, action)

    def returns(self) -> list[float]:
        """The sum of each seat's rewards so far."""
        return list(self.position.returns)

    def rewards(self) -> list[float]:
        """Each seat's reward for the last action, also after the chance events that followed."""
        return list(self.position.rewards)

    def resample_from_infostate(self, player: int, sampler: Any) -> "CardState":
        """A sample of the hidden state from the information set of `player`.

        Args:
            player: the player whose information set it is.
            sampler: returns floats in [0, 1).

        Raises:
            ValueError: this is a chance node.
        """
        twin: CardState = self.clone()
        twin.position.resample(player, int(sampler() * 2**32) << 32 | int(sampler() * 2**32))
        return twin

    def __str__(self) -> str:
        return self.position.observation(None)


class Observer:
    """OpenSpiel's observer interface, as its `observation.py` defines it.

    Args:
        terms: rules, options and reward of the game.
        perfect_recall: whether it sees what a player who remembers every public move knows.

    Attributes:
        tensor: (size,) float32, the observation vector of lowhand's other interfaces.
        dict: its fields by name, as views.
    """

    def __init__(self, terms: Terms, perfect_recall: bool) -> None:
        spec = terms.game.observation(terms.options, perfect_recall, terms.players)
        self._terms, self._layout, self._perfect_recall = terms, spec.layout, perfect_recall
        self._rows = np.zeros((1, spec.size), np.float32)
        self._mask = np.zeros((1, terms.game.num_actions(terms.options)), np.int8)
        self.tensor = self._rows[0]
        self.dict: Mapping[str, np.ndarray] = spec.views(self.tensor)

    def set_from(self, state: CardState, player: int) -> None:
        """Write what `player` sees at `state` into `tensor`."""
        states = state.position.states
        observe_one(self._terms.rules, self._layout, states, player, self._rows, self._mask)

    def string_from(self, state: CardState, player: int) -> str:
        """All that `player` has seen, with perfect recall; else the table as it sees it now."""
        position = state.position
        seen = position.information_state if self._perfect_recall else position.observation
        return seen(player)


class NoThanks(CardGame):
    """No Thanks! in OpenSpiel, `lowhand_no_thanks`."""

    game, position = get_game("no_thanks"), NoThanksPosition


class LeastScore(CardGame):
    """Least Score in OpenSpiel, `lowhand_least_score`."""

    game, position = get_game("least_score"), LeastScorePosition


# OpenSpiel calls the classes themselves: any other factory would be freed after Python has ended.
GAME_CLASSES: tuple[type[CardGame], ...] = (NoThanks, LeastScore)


def register() -> None:
    """Register the games with OpenSpiel."""
    for made in GAME_CLASSES:
        defaults = terms(made.game.name, made.game.options(), REWARDS[0])
        pyspiel.register_game(made.game_type(defaults), made)
