"""The compiled engine of Least Score against the slow referee, turn by turn, over random deals.

    python -m tests.crosscheck_least_score --deals 100000

Batches with random options are stepped with random legal actions, and a referee is led through
every match beside them. It is handed the engine's deals and reshuffles; all that follows from
them it works out itself, and after each step everything that the rules speak of is compared.
Whatever differs raises an AssertionError that names the deal.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from lowhand import Batch
from lowhand.engine.game import is_legal
from lowhand.engine.jit import njit
from lowhand.engine.kernels_rows import apply_rows, pay_rows
from lowhand.engine.rewards import OBJECTIVES, reward_weights
from lowhand.engine.validation import make_options
from lowhand.games.least_score import GAME
from lowhand.games.least_score.options import MAX_PLAYERS, NO_LIMIT
from tests.crosscheck.core import REWARDS, BaseTwins, Counts, Progress, command_line, mixed, run
from tests.crosscheck.least_score_table import Twin
from tests.referee.least_score_options import Options
from tests.referee.least_score_sets import DECK, DECLARE, KINDS, decode

TABLES = 12  # matches of one batch; also the matches that share their options
DEALS_EACH = 2  # that every table plays at least
NO_TURN_LIMIT = 1_000_000


def random_options(rng: random.Random) -> dict[str, Any]:
    """Options of a batch: the usual deck or a reduced one, and each other option now and then."""
    options = random_deck(rng)
    choices: list[tuple[float, str, list[Any]]] = [
        (0.8, "points_limit", [None, None, 1, 5, 12.5, 20, 20, 25, 50]),
        (0.3, "knockout", ["reach"]),
        (0.3, "match_end", ["first_out"]),
        (0.3, "tie", ["wrong"]),
        (0.3, "penalty", [0, 1, 5, 40]),
        (0.3, "face_values", ["pip"]),
        (0.3, "two_pairs", [True]),
        (0.3, "open_card", [False]),
        (0.3, "first_player", list(range(min(options["num_players"])))),
        (0.4, "max_turns", [1, 2, 3, 5, 8, 20, 40]),
        (0.4, "at_limit", ["showdown"]),
        (0.4, "max_deals", [1, 2, 3, 5]),
        (0.3, "deal_mode", ["stable"]),
        (0.3, "sets", [tuple(kind for kind in KINDS if rng.random() < 0.5)]),
        (0.1, "single_deals", [0.5]),
    ]
    for chance, name, values in choices:
        if rng.random() < chance:
            options[name] = rng.choice(values)
    if rng.random() < 0.2:  # a low limit alone would make each deal last for hundreds of turns
        options |= {"declare_limit": rng.randint(1, 30), "max_turns": rng.randint(5, 40)}
    return options


def random_deck(rng: random.Random) -> dict[str, Any]:
    """Numbers of players, and of cards: half of the decks are reduced, as LS-17 allows it."""
    while True:
        options: dict[str, Any] = {
            "num_players": [rng.randint(2, 8) for _ in range(rng.randint(1, 4))]
        }
        if rng.random() < 0.5:
            return options
        ranks, suits, hand = rng.randint(1, 13), rng.randint(1, 4), rng.randint(1, 5)
        if max(options["num_players"]) * hand + 1 <= ranks * suits:
            return options | {"ranks": ranks, "suits": suits, "hand_size": hand}


class Twins(BaseTwins):
    """A batch of the engine and a referee's table beside each of its matches.

    Args:
        rng: of options and actions.
        tables: size of the batch.
        options: those of `make_batch`; random by default.
    """

    unit = "deal"

    def __init__(
        self, rng: random.Random, tables: int = TABLES, options: dict[str, Any] | None = None
    ) -> None:
        self.rng = rng
        self.options = random_options(rng) if options is None else options
        self.seed, self.reward = rng.getrandbits(64), rng.choice(REWARDS)
        self._players = self.options["num_players"]
        self.batch = Batch(
            GAME,
            make_options(GAME, **self.options | {"num_players": max(self._players)}),
            tables,
            num_players=self._players,
            seed=self.seed,
            reward=self.reward,
            perfect_recall=rng.random() < 0.5,
            keep_final=True,
        )
        self.games_of = [0] * tables
        # The same rules without a turn limit show a reshuffle even where the deal then ends.
        self._rules = self.batch.options.rules()
        self._endless = self._rules.copy()
        self._endless["max_turns"] = NO_TURN_LIMIT
        self._hand_size = self.batch.options.hand_size
        self._stable = self.batch.options.deal_mode == "stable"
        # How readily the players of each table declare, and how often they insist on the closed
        # deck: that makes long deals and empty decks.
        limited = self.options.get("max_turns") is not None
        often = [0.02, 0.1, 0.3, 0.6, *([0.0] if limited else [])]
        self.readiness = [rng.choice(often) for _ in range(tables)]
        self.closed = [rng.choice([0.0, 0.5, 0.9]) for _ in range(tables)]
        self.tables = [self._referee(i) for i in range(tables)]
        for i, state in enumerate(unpack(self.batch.states)):
            self._start_deal(i, state)
        self.compare()

    def step(self) -> None:
        """One random legal action at every table, on both sides, and everything compared."""
        batch = self.batch
        actions = [self._choose(i) for i in range(len(self.tables))]
        self._foresee_reshuffles(actions)
        batch.step(np.array(actions))
        self.decisions += len(actions)
        for i, action in enumerate(actions):
            with self._naming_the_deal(i):
                self.tables[i].step(action)
        ended = [i for i, table in enumerate(self.tables) if not table.in_deal]
        over = [i for i in ended if self.tables[i].over]
        self._equal(np.flatnonzero(batch.done).tolist(), over, "tables whose match has ended")
        paid = np.flatnonzero(batch.rewards.any(axis=1)).tolist()
        assert set(paid) <= set(ended), self._where("rewards within a deal")
        if ended:
            self._compare_ends(np.array(ended))
        self.compare()

    def compare(self) -> None:
        """Every table as it stands, field by field.

        What the mover knows and whether each action is accepted is compared at one of them.
        """
        shown = self.decisions // len(self.tables) % len(self.tables)
        legal, mask = legal_actions(self.batch.action_mask), self.batch.mover.tolist()
        for i, (table, state) in enumerate(
            zip(self.tables, unpack(self.batch.states), strict=True)
        ):
            self._compare_match(i, table, state)
            self._compare_cards(i, table, state)
            self._equal(legal[i], table.legal_actions(), "legal actions", i)
            self._equal(mask[i], table.mover, "mover", i)
            if i == shown:
                self._compare_knowledge(i, table, state)
                accepted = np.zeros(self.batch.action_mask.shape[1], np.bool_)
                accept_actions(self._rules, self.batch.states, i, accepted)
                self._equal(np.flatnonzero(accepted).tolist(), legal[i], "accepted actions", i)

    def _choose(self, i: int) -> int:
        """A random legal action of the mover at table i."""
        legal, chance = self.tables[i].legal_actions(), self.rng.random
        if legal[0] == DECLARE and (len(legal) == 1 or chance() < self.readiness[i]):
            return DECLARE
        action = legal[int(chance() * len(legal))] or legal[-1]
        if chance() < self.closed[i] and self.tables[i].may_draw_deck(self.tables[i].mover):
            action -= decode(action, self._hand_size)[1]  # the same discard, from the deck
        return action

    def _foresee_reshuffles(self, actions: list[int]) -> None:
        """Show the referee's tables the order in which the engine is about to shuffle."""
        rows = [
            i
            for i, (table, action) in enumerate(zip(self.tables, actions, strict=True))
            if action != DECLARE
            and decode(action, self._hand_size)[1] == DECK
            and not table.pile_of(table.mover)
        ]
        if not rows:
            return
        after = self.batch.states[rows]
        apply_rows(self._endless, after, np.arange(len(rows)), np.array([actions[i] for i in rows]))
        for i, state in zip(rows, unpack(after), strict=True):
            table = self.tables[i]
            old, new = table.piles, self._piles(table.num_players, state)
            drawn = table.mover if self._stable else 0  # the pile that the mover has drawn from
            new[drawn].insert(0, state["deck"][state["pile_start"][drawn] + len(new[drawn])])
            table.foresee([pile[len(was) :] for pile, was in zip(new, old, strict=True)])

    def _referee(self, i: int) -> Twin:
        """The referee's table for the match that begins at table i."""
        mover = int(self.batch.mover[i])
        self._equal(mover, self.options.get("first_player", mover), "first player", i)
        options = {**self.options, "num_players": self._players[i % len(self._players)]}
        if options.pop("single_deals", 0) and self.batch.states["limit"][i] == NO_LIMIT:
            options["points_limit"] = None
        return Twin(Options(**options), mover)

    def _start_deal(self, i: int, state: dict[str, Any]) -> None:
        """Give the referee what the engine has just dealt; it checks the cards itself."""
        table = self.tables[i]
        self._equal(state["starter"], table.starter, "starter", i)
        hands = hands_of(table, state)
        floor = state["floor"][: state["floor_size"]]
        piles = self._piles(table.num_players, state)
        self._equal(len(floor), int(self.batch.options.open_card), "open cards", i)
        open_card, deck = floor[0] if floor else None, piles if self._stable else piles[0]
        with self._naming_the_deal(i):
            table.start_deal(hands, open_card, deck)

    @contextmanager
    def _naming_the_deal(self, i: int) -> Iterator[None]:
        """What the referee refuses of all that the engine does is a difference as well."""
        try:
            yield
        except ValueError as error:
            raise AssertionError(f"{self._where('the referee refuses', i)}: {error}") from error

    def _piles(self, num_players: int, state: dict[str, Any]) -> list[list[int]]:
        """The piles of the closed deck, top card first."""
        places = zip(state["pile_start"], state["pile_size"], strict=True)
        piles = [state["deck"][start : start + size][::-1] for start, size in places]
        return piles[: num_players if self._stable else 1]

    def _compare_match(self, i: int, table: Twin, state: dict[str, Any]) -> None:
        """Points, who is out, and where in the match and the deal the table is (LS-9 to LS-16)."""
        n = table.num_players
        out = [0 if deal is None else deal for deal in table.out_in]
        left = sum(deal is None for deal in table.out_in)
        limit = NO_LIMIT if table.options.points_limit is None else table.options.points_limit
        numbers = [state[name] for name in ("num_players", "deals", "limit", "left", "moves")]
        self._equal(numbers, [n, table.deals, limit, left, table.moves], "match", i)
        self._equal(state["points"][:n], table.points, "points", i)
        self._equal(state["out_deal"][:n], out, "who is out since which deal", i)
        self._equal(state["out"][:n], [int(deal > 0) for deal in out], "who is out", i)
        for name, counted in table.statistics.items():
            self._equal(state[name][:n], counted, name, i)
        if table.in_deal:
            found = [state[name] for name in ("turn", "starter", "mover", "over", "truncated")]
            wanted = [sum(table.turns), table.starter, table.mover, 0, 0]
            self._equal(found, wanted, "turn, starter, mover, over, truncated", i)

    def _compare_cards(self, i: int, table: Twin, state: dict[str, Any]) -> None:
        """Where every card lies, and what everybody could know of it (LS-8, LS-15, LS-18)."""
        hands, floor = hands_of(table, state), state["floor"][: state["floor_size"]]
        piles, buried = self._piles(table.num_players, state), cards_of(state["buried"])
        self._equal(hands, table.hands, "hands", i)
        self._equal(floor, table.floor, "floor", i)
        self._equal(piles, table.piles, "closed deck", i)
        self._equal(buried, table.buried, "buried", i)
        self._equal(sorted(sum([*hands, *piles, floor], buried)), table.deck_cards, "all cards", i)
        known = [cards_of(word) for word in state["known"][: table.num_players]]
        memory = table.memory
        self._equal(known, [sorted(cards) for cards in memory.picked], "cards picked up", i)
        self._equal(cards_of(state["held"]), sorted(memory.in_hands), "cards held for sure", i)
        self._equal(state["drawn"][: table.num_players], table.drawn, "cards drawn unseen", i)

    def _compare_knowledge(self, i: int, table: Twin, state: dict[str, Any]) -> None:
        """What the mover, who remembers, knows of each card (LS-18)."""
        places: dict[int, Any] = dict.fromkeys(table.deck_cards, table.unplaced)
        places |= dict.fromkeys(cards_of(state["held"]), "some hand")
        for player in range(table.num_players):
            places |= dict.fromkeys(cards_of(state["known"][player]), ("hand", player))
        places |= dict.fromkeys(cards_of(state["buried"]), "buried")
        places |= dict.fromkeys(state["floor"][: state["floor_size"]], "floor")
        places |= dict.fromkeys(hands_of(table, state)[table.mover], "own hand")
        self._equal(places, table.known_places(table.mover), "what the mover knows", i)

    def _compare_ends(self, rows: np.ndarray) -> None:
        """Tables whose deal or match has ended: the result and the rewards; then the next deal."""
        batch = self.batch
        # Where the match goes on the state holds the result of the deal and the next deal as well.
        states = batch.states[rows]
        over = batch.done[rows]
        states[over] = batch.final_states[rows[over]]
        paid = rewards_of(self._rules, states)
        for k, (i, state) in enumerate(zip(rows.tolist(), unpack(states), strict=True)):
            table, n = self.tables[i], self.tables[i].num_players
            self.games_of[i] += 1
            self._compare_match(i, table, state)
            self._compare_result(i, table, state)
            kinds = {kind: table.rewards(kind) for kind in OBJECTIVES}
            for kind, wanted in kinds.items():
                self._close(paid[kind][k], wanted, f"reward {kind!r}", i)
            self._close(batch.rewards[i], mixed(kinds, self.reward), "rewards", i)
            if table.over:
                self._compare_cards(i, table, state)
                scores = [float(points) for points in table.points]
                self._equal(batch.final_scores[i, :n].tolist(), scores, "final scores", i)
                ranks = batch.final_ranking_scores[i, :n].tolist()
                ranking = [sorted(set(ranks)).index(rank) for rank in ranks]
                self._equal(ranking, table.ranking(), "ranking", i)
                self.tables[i] = self._referee(i)
                state = unpack(batch.states[i : i + 1])[0]
            self._start_deal(i, state)

    def _compare_result(self, i: int, table: Twin, state: dict[str, Any]) -> None:
        """How the deal ended, and whether the match did (LS-9 to LS-13, LS-16)."""
        n = table.num_players
        declarer = -1 if table.declarer is None else table.declarer
        played = [int(seat in table.participants) for seat in range(n)]
        names = ("deal_ended", "declarer", "over", "truncated")
        wanted = [1, declarer, int(table.over), int(table.truncated)]
        self._equal([state[name] for name in names], wanted, ", ".join(names), i)
        self._equal(state["deal_points"][:n], table.deal_points, "points of the deal", i)
        self._equal(state["played"][:n], played, "who took part", i)


@njit
def accept_actions(rules, states, row, accepted):
    """Write whether each action would be accepted in `states[row]`."""
    for action in range(accepted.size):
        accepted[action] = is_legal(rules[0], states[row], action)


def unpack(states: np.ndarray) -> list[dict[str, Any]]:
    """The fields of each state as plain numbers and lists."""
    names = states.dtype.names or ()
    columns = zip(*(states[name].tolist() for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in columns]


def legal_actions(mask: np.ndarray) -> list[list[int]]:
    """The legal actions of each row of a mask."""
    rows, actions = np.nonzero(mask)
    ends = np.searchsorted(rows, np.arange(1, len(mask))).tolist()
    return [part.tolist() for part in np.split(actions, ends)]


def hands_of(table: Twin, state: dict[str, Any]) -> list[list[int]]:
    """The hand of each seat."""
    hands = zip(state["hands"], state["sizes"], strict=True)
    return [cards[:size] for cards, size in hands][: table.num_players]


def cards_of(word: int) -> list[int]:
    """The cards of a word of the engine, sorted."""
    cards = []
    while word:
        cards.append((word & -word).bit_length() - 1)
        word &= word - 1
    return cards


def rewards_of(rules: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
    """What the last move in each state earned each seat, by objective."""
    paid = {kind: np.zeros((len(states), MAX_PLAYERS), np.float32) for kind in OBJECTIVES}
    for kind, rewards in paid.items():
        pay_rows(rules, states, reward_weights(kind), rewards)
    return paid


def all_twins(seed: int) -> Iterator[Twins]:
    """Endlessly many batches, each with options of its own."""
    rng = random.Random(seed)
    while True:
        yield Twins(rng)


def crosscheck(deals: int, seed: int = 0, progress: Progress | None = None) -> Counts:
    """Compare at least `deals` deals, and every match that ends among them.

    Raises:
        AssertionError: engine and referee differ.
    """
    return run(all_twins(seed), deals, DEALS_EACH, progress)


if __name__ == "__main__":
    command_line(__doc__, crosscheck, "deal")
