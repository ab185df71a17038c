"""The compiled scripted players against their twins in `tests/referee/least_score_bots.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lowhand.engine.kernels_rows import act_rows, apply_rows, first_illegal, resample_rows
from lowhand.engine.rng import POLICY_STREAM, random_below, random_bits, substream
from lowhand.games.least_score import GAME
from lowhand.games.least_score.bots.distributions import DISTRIBUTIONS
from lowhand.games.least_score.bots.lookahead import SAMPLES
from lowhand.games.least_score.bots.measures import sample_cards
from lowhand.games.least_score.bots.policies import CALLER
from lowhand.games.least_score.cards import NUM_CARDS
from lowhand.games.least_score.options import Options
from tests.games.least_score.bot_positions import (
    FAR,
    actions,
    dealt,
    position,
    positions,
    rules_of,
)
from tests.games.least_score.convert import to_table
from tests.referee import least_score_bots as bots
from tests.referee.least_score import Table
from tests.referee.least_score_sets import DECK, DECLARE, KINDS, decode

U = np.uint64


def dice_of(state: np.record) -> np.uint64:
    """The dice of the mover, as `kernels.scripted_action` makes them."""
    # each result is boxed as a Python integer, of which Numba might make a signed one
    return U(random_bits(U(substream(U(state["key"]), POLICY_STREAM)), U(state["moves"])))


class Choice:
    """A generator that chooses as a number of the dice says."""

    def __init__(self, dice: np.uint64) -> None:
        self.dice = dice

    def choice(self, actions: list[int]) -> int:
        return actions[int(random_below(self.dice, U(0), U(len(actions)))[0])]


def sampled(unseen: list[int], dice: np.uint64) -> list[int]:
    """The cards that the compiled `lookahead` samples."""
    out = np.empty(NUM_CARDS, np.int8)
    number = sample_cards(U(sum(1 << card for card in unseen)), SAMPLES, dice, out)
    return [int(card) for card in out[:number]]


Twin = Callable[[Table, int, np.uint64], int]


def without_dice(bot: Callable[..., int], **numbers: int) -> Twin:
    return lambda table, seat, dice: bot(table, seat, **numbers)


TWINS: dict[str, Twin] = {
    "random": lambda table, seat, dice: bots.random(table, seat, Choice(dice)),  # type: ignore[arg-type]
    "greedy": without_dice(bots.greedy),
    "greedy:4": without_dice(bots.greedy, limit=4),
    "greedy:7": without_dice(bots.greedy),
    "greedy:11": without_dice(bots.greedy, limit=11),
    "lookahead": lambda table, seat, dice: bots.lookahead(
        table, seat, sampled(table.unseen(seat), dice)
    ),
    "aggressive": without_dice(bots.aggressive),
    "aggressive:13,6": without_dice(bots.caller, declare_at=13, take_at=6),
    "conservative": without_dice(bots.conservative),
    "tuned": without_dice(bots.tuned),
}


def test_scripted_players_decide_as_their_twins_do() -> None:
    """All of them, under all kinds of options, at any time of a deal."""
    looked = 0
    for options, states in positions(seed=1):
        tables = [to_table(options, state) for state in states]
        looked += len(tables)
        for name, twin in TWINS.items():
            made = actions(options, states, name)
            for state, table, action in zip(states, tables, made, strict=True):
                wanted = twin(table, table.mover, dice_of(state))
                assert action == wanted, f"{name} at {vars(table)}, {vars(table.memory)}"
    assert looked > 300


def test_the_compared_positions_are_of_all_kinds() -> None:
    kinds: Counter[str] = Counter()
    for options, states in positions(seed=1):
        for state in states:
            table = to_table(options, state)
            kinds["few"] += min(map(len, table.hands)) in (1, 2, 3)
            kinds["may declare"] += table.may_declare(table.mover)
            kinds["empty deck"] += not table.pile_of(table.mover)
            kinds["no deck"] += not table.may_draw_deck(table.mover)
            kinds["reshuffled"] += bool(table.memory.in_hands)
            kinds["picked up"] += any(table.memory.picked)
            kinds["several on the floor"] += len(table.floor) > 1
            kinds["out"] += len(table.participants) < table.num_players
            kinds["few unseen"] += len(table.unseen(table.mover)) < SAMPLES
        made = {name: actions(options, states, name) for name in TWINS}
        kinds["declared"] += sum(action == DECLARE for action in made["tuned"])
        drawn = [decode(a, options.hand_size)[1] for name in made for a in made[name] if a]
        kinds["from the floor"] += sum(source != DECK for source in drawn)
    assert min(kinds.values()) >= 5, kinds


RARE: dict[str, Callable[[], tuple[Options, np.ndarray]]] = {
    "no deck": partial(
        position, "AC 2C 4C 8C", "3C 5C 6C 7C 9C", floor="10C JC", rest="buried", ranks=11, suits=1
    ),
    "no deck, the second floor card of more use": partial(
        position,
        "3S 5C 5S",
        "AC AD AH",
        "AS 2C 2D",
        "2H 3C 4D",
        "4S 5D 5H",
        "3D 3H 4C",
        floor="2S 4H",
        known={1: "AC AD AH", 2: "AS 2C 2D", 3: "2H 3C 4D", 4: "4S 5D 5H"},
        ranks=5,
        hand_size=3,
    ),
    "nothing unseen": partial(
        position, "AC KD", "2C 3C", known={1: "2C 3C"}, floor="AD", rest="buried"
    ),
    "nothing unseen, and several kept": partial(
        position, "2C 5D KD", "2D 3C", known={1: "2D 3C"}, floor="AS", rest="buried"
    ),
    "nothing unseen, and one card": partial(
        position, "KC", "2C 3C", known={1: "2C 3C"}, floor="QD", rest="buried"
    ),
    "two unseen": partial(position, "8C 9D KH", "QC QD", floor="AS", rest="buried"),
    "two unseen, several on the floor": partial(
        position, "9C 9D KH", "AC 2C", floor="7D 7H", rest="buried"
    ),
    "an ace for a run behind the king": partial(position, "10C QC KD", FAR, floor="AS QS"),
    "an ace that goes before the two": partial(position, "10C 2C 3D", FAR, floor="AS 2S"),
    "somebody out": partial(position, "5C 5D 8D 9H", FAR.replace("H", "S"), "", out=2),
    "flush": partial(position, "2H 4H 6H 8H KC", "3H 5H AC AD AS", floor="10H JH"),
}


@pytest.mark.parametrize("rare", RARE)
@pytest.mark.parametrize("name", TWINS)
def test_scripted_players_decide_as_their_twins_do_in_rare_positions(rare: str, name: str) -> None:
    options, states = RARE[rare]()
    table = to_table(options, states[0])
    wanted = TWINS[name](table, 0, dice_of(states[0]))
    assert wanted in table.legal_actions()
    assert actions(options, states, name) == [wanted]


def test_the_rare_positions_are_what_they_are_called() -> None:
    for rare, made in RARE.items():
        options, states = made()
        table = to_table(options, states[0])
        assert table.may_draw_deck(0) == (not rare.startswith("no deck"))
        unseen = len(table.unseen(0))
        assert (unseen == 0) == rare.startswith("nothing unseen")
        assert (unseen == 2) == rare.startswith("two unseen")


def test_every_kind_is_compared_or_tested_by_hand() -> None:
    kinds = {GAME.bots[name.partition(":")[0]].kind for name in TWINS}
    assert {kind.kind for kind in GAME.bots.values()} - kinds == {CALLER}
    assert set(GAME.baselines) <= set(TWINS)


# --- dice ------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 4, 5, 6, 12, 52])
def test_samples_are_distinct_unseen_cards_each_as_likely(size: int) -> None:
    cards = np.random.default_rng(size).permutation(NUM_CARDS)[:size].tolist()
    counts: Counter[int] = Counter()
    for n in range(500):
        drawn = sampled(cards, U(random_bits(U(1), U(n))))
        assert len(drawn) == len(set(drawn)) == min(SAMPLES, size)
        counts.update(drawn)
    assert set(counts) == set(cards)
    for count in counts.values():
        share = min(1.0, SAMPLES / size)
        assert count / 500 == pytest.approx(share, abs=4.5 * (share * (1 - share) / 500) ** 0.5)


def test_random_is_uniform_over_the_legal_actions() -> None:
    options, states = position("KC KD", FAR)
    many = states.repeat(3500)
    many["moves"] = np.arange(3500)
    counts = Counter(actions(options, many, "random"))
    assert sorted(counts) == to_table(options, states[0]).legal_actions()
    assert len(counts) == 7
    assert all(count == pytest.approx(500, abs=90) for count in counts.values())


# --- all players -----------------------------------------------------------------------------

EVERY_BOT = [
    *TWINS,
    "tuned:4,9,0.4,3",
    "caller:9,0.5,1,4,1,2,1.5,5",
    "caller:3,-0.2,0,2,-1,0,3",
]


def test_nobody_decides_by_what_it_cannot_know() -> None:
    """Dealing anew what a rememberer can't know leaves every decision as it was (LS-18)."""
    rng, changed = np.random.default_rng(3), 0
    for options, states in positions(seed=3):
        for seat in range(options.num_players):
            before = states[states["mover"] == seat]
            after, keys = before.copy(), rng.integers(0, 2**64, len(before), np.uint64)
            resample_rows(rules_of(options), after, seat, True, keys)
            changed += int((before["hands"] != after["hands"]).any((1, 2)).sum())
            after["key"] = before["key"]  # the dice are no secret, but they must be the same
            for name in EVERY_BOT:
                assert actions(options, before, name) == actions(options, after, name), name
    assert changed > 200


@st.composite
def any_options(draw: st.DrawFn) -> Options:
    ranks, suits = draw(st.integers(1, 13)), draw(st.integers(1, 4))
    players, hand_size = draw(st.integers(2, 8)), draw(st.integers(1, 5))
    assume(players * hand_size + players <= ranks * suits)
    return Options(
        num_players=players,
        points_limit=draw(st.sampled_from([None, 5, 100])),
        declare_limit=draw(st.sampled_from([None, 1, 6])),
        face_values=draw(st.sampled_from(["ten", "pip"])),
        two_pairs=draw(st.booleans()),
        open_card=draw(st.booleans()),
        max_turns=draw(st.sampled_from([None, 7])),
        deal_mode=draw(st.sampled_from(["normal", "stable"])),
        ranks=ranks,
        suits=suits,
        hand_size=hand_size,
        sets=draw(st.sets(st.sampled_from(KINDS)).map(tuple)),
    )


@settings(max_examples=60)
@given(any_options(), st.integers(0, 2**32 - 1))
def test_families_choose_legal_actions_under_all_options(options: Options, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rules, states = rules_of(options), dealt(options, rng.integers(0, 2**64, 4, np.uint64))
    for _ in range(60):
        rows = np.flatnonzero(states["over"] == 0)
        if rows.size == 0:
            return
        bot = DISTRIBUTIONS[list(DISTRIBUTIONS)[rng.integers(len(DISTRIBUTIONS))]](rng)
        made = np.full(len(rows), -1, np.int64)
        act_rows(rules, states, rows, bot, made)
        assert first_illegal(rules, states, rows, made) == -1, bot
        apply_rows(rules, states, rows, made)


@pytest.mark.parametrize("family", DISTRIBUTIONS)
def test_families_differ_and_stay_within_their_kind(family: str) -> None:
    rng = np.random.default_rng(4)
    drawn = [DISTRIBUTIONS[family](rng) for _ in range(50)]
    assert {int(bot["kind"][0]) for bot in drawn} == {GAME.bots[family].kind}
    assert all(np.isfinite(bot["params"]).all() for bot in drawn)
    used = len(GAME.bots[family].parameters)
    spread = np.ptp([bot["params"][0] for bot in drawn], axis=0)
    assert (spread[:used] > 0).all()
    assert not spread[used:].any()
