"""Matches of Least Score as their seats see them, one set up or many in random play."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from lowhand import Batch
from lowhand.engine.kernels_rows import observe_one
from lowhand.engine.observation import ObservationSpec
from lowhand.games.least_score import GAME
from lowhand.games.least_score.options import Options
from lowhand.games.least_score.text import hand_of
from tests.games.least_score.play import Play, cards_of

# Options under which all that can be hidden occurs: reshuffles (many with 8 players and in small
# decks), knock-outs, piles of their own, short hands.
TABLES: tuple[dict[str, Any], ...] = (
    {"num_players": 3, "points_limit": 40},
    {"num_players": 8},
    {"num_players": 5, "open_card": False, "face_values": "pip", "points_limit": 25},
    {"num_players": 4, "ranks": 6, "suits": 3, "hand_size": 3, "points_limit": 20},
    {"num_players": 2, "ranks": 5, "suits": 2, "hand_size": 2, "points_limit": None},
    {"num_players": 3, "ranks": 7, "hand_size": 4, "deal_mode": "stable", "single_deals": 0.5},
)

# A position of three in the middle of a match, as reset options give it.
HANDS = ["AS 2S 3S 9H", "7C 8D 9S KC KH", "10D"]
POSITION = {
    "hands": HANDS,
    "floor": "QH 7S",
    "deck": "4C 4D",
    "buried": "JD 2H",
    "points": [100, 31, 4],
    "turn": 4,
    "first_player": 1,
}


rules_of = cache(Options.rules)
"""The rules record: making it takes as long as thousands of moves."""


@cache
def spec_of(options: Options, perfect_recall: bool, seats: int) -> ObservationSpec:
    return GAME.observation(options, perfect_recall, seats)


def pile_cards(state: np.record, number: int = 0) -> list[int]:
    """A pile of the closed deck in the order of drawing."""
    start, size = int(state.pile_start[number]), int(state.pile_size[number])
    return state.deck[start : start + size][::-1].tolist()


def all_cards(state: np.record) -> list[int]:
    """Every card, wherever it lies, sorted."""
    players = range(int(state.num_players))
    hands = [card for seat in players for card in hand_of(state, seat)]
    piles = [card for number in players for card in pile_cards(state, number)]
    floor = state.floor[: state.floor_size].tolist()
    return sorted(hands + piles + floor + cards_of(state.buried))


class Seats(Play):
    """A match set to `position` as reset options do, and seen from its seats."""

    def __init__(
        self,
        num_players: int = 3,
        seed: int = 0,
        position: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(num_players, seed, **options)
        if position is not None:
            self.put(position)

    @property
    def state(self) -> np.record:
        return self.states[0]

    def put(self, position: Mapping[str, Any]) -> Seats:
        GAME.set_position(self.options, self.rules, self.states, position)
        return self

    def see(
        self, seat: int, perfect_recall: bool = False, seats: int | None = None
    ) -> dict[str, np.ndarray]:
        """The observation of `seat` by field."""
        spec = spec_of(self.options, perfect_recall, seats or self.options.num_players)
        return spec.views(observed(self.options, spec, self.states, seat)[0])

    def render(self, viewer: int | None) -> list[str]:
        return GAME.render(self.rules, self.state, viewer).splitlines()


def observed(
    options: Options, spec: ObservationSpec, states: np.ndarray, seat: int
) -> tuple[np.ndarray, np.ndarray]:
    """What `seat` sees of `states[0]`, and its mask; what is not written is NaN and −1."""
    out = np.full((1, spec.size), np.nan, np.float32)
    mask = np.full((1, GAME.num_actions(options)), -1, np.int8)
    observe_one(rules_of(options), spec.layout, states, seat, out, mask)
    return out[0], mask[0]


def random_actions(mask: np.ndarray, rng: np.random.Generator, declare: float) -> np.ndarray:
    """Random legal actions; who could play something else declares with this chance."""
    wish = mask * (1.0 - rng.random(mask.shape))
    must = ~mask[:, 1:].any(axis=1)
    wish[:, 0] = 2 * mask[:, 0] * (must | (rng.random(len(mask)) < declare))
    return wish.argmax(axis=1)


def random_positions(seed: int, tables: int = 6) -> Iterator[tuple[Options, np.ndarray]]:
    """Options and copies of states in random play, from the deal to late in a match."""
    rng = np.random.default_rng(seed)
    for chosen in TABLES:
        options = Options(**chosen)
        batch = Batch(GAME, options, tables, num_players=[options.num_players], seed=seed)
        yield options, batch.states.copy()
        for turns in (3, 12, 25, 60):
            for _ in range(turns):
                batch.step(random_actions(batch.action_mask, rng, declare=0.02))
            yield options, batch.states.copy()
