"""One game of the compiled engine, for tests that set up a position and read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lowhand.engine.kernels_rows import ILLEGAL, deal_one, observe_one, score_rows, step_one
from lowhand.engine.rewards import OBJECTIVES
from lowhand.games.no_thanks import GAME
from lowhand.games.no_thanks.options import MAX_PLAYERS, Options
from lowhand.games.no_thanks.positions import held_cards
from lowhand.games.no_thanks.rules import State

PASS, TAKE = 0, 1
U = np.uint64

UNPAID = np.zeros(len(OBJECTIVES))  # weights of a reward that pays nothing


class Play:
    """A table of No Thanks!: dealt from `seed`, then set to `position` (as reset options do)."""

    def __init__(
        self,
        num_players: int = 3,
        seed: int = 0,
        position: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.options = Options(num_players=num_players, **options)
        self.rules = self.options.rules()
        self.states = np.zeros(1, State)
        deal_one(self.rules, self.states, U(seed), U(0), U(0), num_players)
        if position is not None:
            GAME.set_position(self.options, self.rules, self.states, position)

    def __getattr__(self, field: str) -> int:
        """A number of the state record by its name, such as `pot`."""
        return int(self.states[field][0])

    @property
    def chips(self) -> list[int]:
        return self.states["chips"][0, : self.num_players].tolist()

    @property
    def points(self) -> list[int]:
        return self.states["points"][0, : self.num_players].tolist()

    @property
    def cards(self) -> list[set[int]]:
        return [set(held_cards(self.states[0], seat)) for seat in range(self.num_players)]

    @property
    def deck(self) -> list[int]:
        """Cards in the order of turning, then the removed ones."""
        return self.states["deck"][0, : self.options.num_cards].tolist()

    def give(self, *hands: Sequence[int]) -> Play:
        """Lay these cards before the players, whatever the deck holds."""
        for seat, hand in enumerate(hands):
            self.states["cards"][0, seat] = sum(1 << card for card in hand)
        return self

    def step(self, *actions: int) -> Play:
        """Play legal actions one after another."""
        for action in actions:
            assert self.try_step(action), f"{action} is illegal"
        return self

    def try_step(self, action: int) -> bool:
        rewards = np.zeros((1, MAX_PLAYERS), np.float32)
        return step_one(self.rules, self.states, action, UNPAID, rewards) != ILLEGAL

    def take_all(self) -> Play:
        """The player to move takes every card, until the end."""
        while not self.over:
            self.step(TAKE)
        return self

    def see(
        self, seat: int, perfect_recall: bool = False, seats: int | None = None
    ) -> tuple[dict[str, np.ndarray], list[int]]:
        """The observation of `seat` by field, and its action mask."""
        spec = GAME.observation(self.options, perfect_recall, seats or self.num_players)
        observation = np.full((1, spec.size), np.nan, np.float32)
        mask = np.full((1, 2), -1, np.int8)
        observe_one(self.rules, spec.layout, self.states, seat, observation, mask)
        return spec.views(observation[0]), mask[0].tolist()

    def mask(self) -> list[int]:
        """Legal actions of the mover as a mask."""
        return self.see(self.mover)[1]

    def scores(self) -> list[float]:
        scores = np.full((1, MAX_PLAYERS), np.nan)
        score_rows(self.rules, self.states, scores)
        return scores[0, : self.num_players].tolist()


def taking(card: int, held: Sequence[int] = (), chips: int = 0, pot: int = 0) -> Play:
    """A game in which seat 0, with `held` and `chips`, is offered the last card `card`."""
    play = Play(2, low=1, high=35, removed=35 - len(held) - 1, chips=chips, first_player=0)
    position = {"cards": [list(held), []], "deck": [card]}
    GAME.set_position(play.options, play.rules, play.states, position)
    play.states["pot"][0] = pot
    return play
