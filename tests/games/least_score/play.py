"""One match of the compiled engine of Least Score, for tests that set up a position and read it.

Cards are written as names: `"KC KD 10H"`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lowhand.engine.kernels_rows import (
    ILLEGAL,
    deal_one,
    first_illegal,
    mask_rows,
    pay_rows,
    ranking_score_rows,
    score_rows,
    step_one,
)
from lowhand.engine.rewards import OBJECTIVES, reward_weights
from lowhand.games.least_score.actions import (
    DECLARE,
    MAX_HAND,
    join_action,
    num_actions,
    split_action,
)
from lowhand.games.least_score.cards import NO_CARD, SUITS, parse_card
from lowhand.games.least_score.deck import State
from lowhand.games.least_score.options import MAX_PLAYERS, Options
from lowhand.games.least_score.rules import hand_total

U = np.uint64

UNPAID = np.zeros(len(OBJECTIVES))  # weights of a reward that pays nothing


def parse(names: str) -> list[int]:
    """Cards from their names, in the order of the text."""
    return [parse_card(name) for name in names.split()]


def word(names: str) -> int:
    """A set of cards as the engine holds it."""
    return sum(1 << card for card in parse(names))


def cards_of(bits: int) -> list[int]:
    """The cards of a word of the engine, sorted."""
    return [card for card in range(64) if int(bits) >> card & 1]


class Play:
    """A match of Least Score, dealt from `seed`; seat 0 starts unless the options say otherwise."""

    def __init__(self, num_players: int = 3, seed: int = 0, **options: Any) -> None:
        chosen = {"num_players": num_players, "first_player": 0} | options
        self.options = Options(**chosen)
        self.rules = self.options.rules()
        self.states = np.zeros(1, State)
        deal_one(self.rules, self.states, U(seed), U(0), U(0), num_players)

    def __getattr__(self, field: str) -> int:
        """A number of the state record by its name, such as `turn`."""
        return int(self.states[field][0])

    def of_seats(self, field: str) -> list[int]:
        """A field that has a number for each seat, such as "points"."""
        numbers: list[int] = self.states[field][0, : self.num_players].tolist()
        return numbers

    # --- where the cards are ---

    @property
    def all_cards(self) -> list[int]:
        """The whole deck of cards, sorted."""
        return [SUITS * r + s for r in range(self.options.ranks) for s in range(self.options.suits)]

    @property
    def hands(self) -> list[list[int]]:
        hands = zip(self.states["hands"][0].tolist(), self.of_seats("sizes"), strict=False)
        return [hand[:size] for hand, size in hands]

    @property
    def floor(self) -> list[int]:
        return self.states["floor"][0, : self.floor_size].tolist()

    @property
    def buried(self) -> list[int]:
        return cards_of(self.states["buried"][0])

    @property
    def held(self) -> list[int]:
        return cards_of(self.states["held"][0])

    @property
    def known(self) -> list[list[int]]:
        return [cards_of(bits) for bits in self.of_seats("known")]

    @property
    def deck(self) -> list[int]:
        """The closed deck, top card first."""
        return self.pile(0)

    def pile(self, number: int) -> list[int]:
        """The pile of a seat with `deal_mode="stable"`, top card first."""
        start, size = (int(self.states[f"pile_{name}"][0, number]) for name in ("start", "size"))
        return self.states["deck"][0, start : start + size][::-1].tolist()

    def everywhere(self) -> list[int]:
        """Every card wherever it lies, sorted."""
        piles = [self.pile(number) for number in range(MAX_PLAYERS)]
        return sorted(card for cards in (*self.hands, *piles, self.floor, self.buried)
                      for card in cards)  # fmt: skip

    def totals(self) -> list[int]:
        return [int(hand_total(self.rules[0], self.states[0], s)) for s in range(self.num_players)]

    # --- what may be done ---

    def mask(self) -> list[int]:
        """Legal actions of the mover as a mask."""
        mask = np.full((1, num_actions(self.options.hand_size)), -1, np.int8)
        mask_rows(self.rules, self.states, np.zeros(1, np.int64), mask)
        return mask[0].tolist()

    def legal(self) -> list[int]:
        """Legal actions of the mover."""
        return [action for action, bit in enumerate(self.mask()) if bit]

    def may_declare(self) -> bool:
        return DECLARE in self.legal()

    def discards(self) -> list[list[int]]:
        """Sets of cards that some legal action discards."""
        hand = self.hands[self.mover]
        subsets = {split_action(a, self.options.hand_size)[0] for a in self.legal() if a != DECLARE}
        return sorted([c for k, c in enumerate(hand) if s >> k & 1] for s in subsets)

    def sources(self) -> list[int]:
        """Sources from which some legal action draws: 0 the closed deck, 1 … the floor's slots."""
        hand_size = self.options.hand_size
        return sorted({int(split_action(a, hand_size)[1]) for a in self.legal() if a != DECLARE})

    def action(self, discard: str, draw: str = "") -> int:
        """The action that discards these cards and draws that floor card, or from the deck."""
        hand = self.hands[self.mover]
        subset = sum(1 << hand.index(card) for card in parse(discard))
        source = self.floor.index(parse(draw)[0]) + 1 if draw else 0
        return int(join_action(subset, source, self.options.hand_size))

    def accepts(self, action: int) -> bool:
        """Whether the engine would play this action, whatever number it is."""
        rows = np.zeros(1, np.int64)
        return bool(first_illegal(self.rules, self.states, rows, np.array([action])) < 0)

    # --- doing it ---

    def try_step(self, action: int) -> bool:
        rewards = np.zeros((1, MAX_PLAYERS), np.float32)
        said = step_one(self.rules, self.states, action, UNPAID, rewards)
        return bool(said != ILLEGAL)

    def step(self, *actions: int) -> Play:
        """Play legal actions one after another."""
        for action in actions:
            assert self.try_step(action), f"{action} is illegal"
        return self

    def play(self, discard: str, draw: str = "") -> Play:
        """Discard these cards and draw that floor card, or from the deck."""
        return self.step(self.action(discard, draw))

    def declare(self) -> Play:
        return self.step(DECLARE)

    def any_turn(self, count: int = 1) -> Play:
        """Turns in which everybody discards the lowest card and draws the first legal card."""
        for _ in range(count):
            self.step(next(action for action in self.legal() if action != DECLARE))
        return self

    # --- how it stands ---

    def scores(self) -> list[float]:
        scores = np.full((1, MAX_PLAYERS), np.nan)
        score_rows(self.rules, self.states, scores)
        return scores[0, : self.num_players].tolist()

    def places(self) -> list[int]:
        """Each seat's place by its ranking score, 0 for the best; equal ones are shared."""
        ranking_scores = np.full((1, MAX_PLAYERS), np.nan)
        ranking_score_rows(self.rules, self.states, ranking_scores)
        ordered = ranking_scores[0, : self.num_players].tolist()
        return [sorted(ordered).index(ranking_score) for ranking_score in ordered]

    def paid(self, reward: Any) -> list[float]:
        """What the last move earns each seat."""
        rewards = np.zeros((1, self.num_players), np.float32)
        pay_rows(self.rules, self.states, reward_weights(reward), rewards)
        return rewards[0].tolist()

    # --- setting it up ---

    def set_hands(self, *hands: str) -> Play:
        """Give the seats these hands, whatever lies elsewhere: for totals and declarations."""
        self.states["hands"] = NO_CARD
        for seat, names in enumerate(hands):
            hand = sorted(parse(names))
            self.states["hands"][0, seat, : len(hand)] = hand
            self.states["sizes"][0, seat] = len(hand)
        return self

    def set_piles(self, *piles: str) -> Play:
        """Lay these piles, top card first; the deck is pile 0."""
        self.states["pile_size"] = 0
        start = 0
        for number, names in enumerate(piles):
            cards = parse(names)[::-1]
            self.states["deck"][0, start : start + len(cards)] = cards
            self.states["pile_start"][0, number] = start
            self.states["pile_size"][0, number] = len(cards)
            start += len(cards)
        return self

    def set_floor(self, names: str) -> Play:
        cards = sorted(parse(names))
        self.states["floor"][0] = [*cards, *[NO_CARD] * (MAX_HAND - len(cards))]
        self.states["floor_size"] = len(cards)
        return self

    def set(self, **fields: Any) -> Play:
        """Overwrite numbers of the state, for the first seats where it has one for each."""
        for name, value in fields.items():
            if self.states[name].ndim == 1:
                self.states[name] = value
            else:
                self.states[name][0, : len(value)] = value
        return self


def position(
    hands: Sequence[str],
    floor: str = "",
    deck: str = "",
    buried: str = "",
    rest: str = "deck",
    rounds: int = 1,
    **options: Any,
) -> Play:
    """A position within a deal, seat 0 to move after everybody has had `rounds` turns.

    Args:
        hands: the cards of each seat, however many.
        floor: the open cards.
        deck: the top of the closed deck.
        buried: cards that are buried.
        rest: where all other cards are: below the "deck", "buried", or "away" where a test lays
            piles of its own.
        rounds: turns of each seat so far.
        options: of the match.
    """
    play = Play(len(hands), **options)
    used = {*parse(" ".join(hands)), *parse(floor), *parse(deck), *parse(buried)}
    others = [card for card in play.all_cards if card not in used]
    play.set_hands(*hands).set_floor(floor).set_piles(deck)
    if rest == "deck":
        pile = (parse(deck) + others)[::-1]
        play.states["deck"][0, : len(pile)] = pile
        play.states["pile_size"][0, 0] = len(pile)
    under = sum(1 << card for card in others) if rest == "buried" else 0
    play.states["buried"] = under | word(buried)
    play.states["turn"] = rounds * len(hands)
    if rest != "away":
        assert play.everywhere() == play.all_cards
    return play


def showdown(hands: Sequence[str], declarer: int = 0, **options: Any) -> Play:
    """A deal that ends as `declarer` declares with these hands; nothing else counts for it."""
    play = Play(len(hands), **options)
    play.set_hands(*hands).set(turn=len(hands), mover=declarer)
    return play.declare()
