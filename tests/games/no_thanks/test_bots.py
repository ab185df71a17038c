"""The compiled scripted players against their twins in `tests/referee/bots.py`."""

import random
from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from lowhand import make_batch
from lowhand.agents.names import make_agent
from lowhand.engine.kernels_rows import act_rows
from lowhand.engine.scripted import parse_bot
from lowhand.games.no_thanks import GAME
from lowhand.games.no_thanks.options import Rules
from lowhand.games.no_thanks.rules import State
from tests.crosscheck.no_thanks import Twins
from tests.games.no_thanks.play import Play
from tests.games.no_thanks.positions import random_twins
from tests.referee import bots
from tests.referee.no_thanks import PASS, TAKE, Table


def valuer(
    table: Table,
    seat: int,
    chip: float = 1,
    late: float = 0.5,
    poor: float = 2,
    near: float = 1,
    bias: float = 0,
    extort: bool = False,
) -> int:
    """The family `valuer` without noise, from its sentence in `BOTS`."""
    card = bots.offer(table)
    gone = set().union(*table.cards)
    low, high = min(table.deck + table.removed), max(table.deck + table.removed)
    unseen = [c for c in (card - 1, card + 1) if low <= c <= high and c not in gone]

    def wants(player: int, pot: int) -> bool:
        worth = chip + late * (table.cards_left / 23) + poor / (1 + table.chips[player])
        return table.score_change(player, card) - near * len(unseen) <= pot * worth + bias

    if table.chips[seat] == 0:
        return TAKE
    if not wants(seat, table.pot):
        return PASS
    others = list(enumerate(bots.opponents(table, seat), start=1))
    nobody = all(table.chips[o] > 0 and not wants(o, table.pot + k) for k, o in others)
    return PASS if extort and nobody else TAKE


TWINS: dict[str, Callable[[Table, int], int]] = {
    "greedy": bots.greedy,
    "sequence": bots.sequence,
    "threshold:4": partial(bots.threshold, limit=4),
    "threshold:-2.5": partial(bots.threshold, limit=-2.5),
    "chip_value": partial(bots.chip_value, a=0.5, b=2),
    "chip_value:0.5,2,extort": partial(bots.chip_value, a=0.5, b=2, extort=True),
    "chip_value:1,0": partial(bots.chip_value, a=1, b=0),
    "chip_value:0.3,5.5,extort": partial(bots.chip_value, a=0.3, b=5.5, extort=True),
    "blocker": bots.blocker,
    "blocker:2": bots.blocker,
    "blocker:9": partial(bots.blocker, milk_limit=9),
    "connector": bots.connector,
    "ratio": bots.ratio,
    "ratio:0.4": bots.ratio,
    "ratio:0.15": partial(bots.ratio, q=0.15),
    "sally": bots.sally,
    "linear": bots.linear,
    "threshold:4,extort": partial(valuer, chip=1, late=0, poor=0, near=0, bias=4, extort=True),
    "valuer": valuer,
    "valuer:0.8,0.3,1,2,1.5": partial(valuer, chip=0.8, late=0.3, poor=1, near=2, bias=1.5),
    "valuer:0.8,0.3,1,2,1.5,0,extort": partial(
        valuer, chip=0.8, late=0.3, poor=1, near=2, bias=1.5, extort=True
    ),
}


def actions(twins: Twins, name: str) -> list[int]:
    batch, out = twins.batch, np.full(twins.batch.num_envs, -1, np.int64)
    rows = np.arange(batch.num_envs)
    act_rows(batch.options.rules(), batch.states, rows, parse_bot(name, GAME.bots), out)
    return out.tolist()


def test_scripted_players_decide_as_their_twins_do() -> None:
    """All kinds, all numbers of players, all sizes, on positions of random play."""
    decided: dict[str, Counter[tuple[int, int]]] = {name: Counter() for name in TWINS}
    for twins in random_twins(seed=9, batches=80):
        for name, twin in TWINS.items():
            for i, (table, action) in enumerate(
                zip(twins.tables, actions(twins, name), strict=True)
            ):
                wanted = twin(table, table.mover)
                assert action == wanted, f"{name} at table {i} of seed {twins.seed}, {vars(table)}"
                decided[name][table.num_players, action] += 1
    for name, counts in decided.items():  # every player took and passed at every size
        assert min(counts[n, a] for n in range(2, 8) for a in (PASS, TAKE)) >= 10, (name, counts)


def test_scripted_players_agree_with_their_twins_at_usual_games() -> None:
    """Skilled positions, which random play seldom reaches: `greedy` and `sally` at all seats."""
    rng = random.Random(2)
    twins = Twins(rng, 48, {"num_players": [3, 4, 5, 6, 7]})
    for _ in range(60):
        for name, twin in TWINS.items():
            wanted = [twin(table, table.mover) for table in twins.tables]
            assert actions(twins, name) == wanted, name
        skilled = np.array(actions(twins, rng.choice(["greedy", "sally", "connector"])))
        for table, action in zip(twins.tables, skilled.tolist(), strict=True):
            table.step(action)
        twins.batch.step(skilled)
        for i in np.flatnonzero(twins.batch.done):
            twins.tables[i] = twins._referee(int(i))


def test_every_kind_is_compared_or_rolls_dice() -> None:
    compared = {name.partition(":")[0] for name in TWINS}
    assert set(GAME.bots) - compared == {"random"}


@pytest.mark.parametrize("name", [*GAME.bots, "random:0"])
def test_nt7_everybody_takes_without_chips(name: str) -> None:
    """NT-7: every scripted player takes when it has no chips."""
    play = Play(3, chips=0, position={"deck": [35]})
    out = np.full(1, -1, np.int64)
    act_rows(play.rules, play.states, np.zeros(1, np.int64), parse_bot(name, GAME.bots), out)
    assert out[0] == TAKE


@pytest.mark.parametrize(
    ("name", "p"), [("random", 0.5), ("random:0.1", 0.1), ("random:1", 1), ("random:0", 0)]
)
def test_random_takes_with_its_probability(name: str, p: float) -> None:
    batch = make_batch("no_thanks", 20_000, seed=1, observe=False)
    out = np.full(batch.num_envs, -1, np.int64)
    rows = np.arange(batch.num_envs)
    act_rows(batch.options.rules(), batch.states, rows, parse_bot(name, GAME.bots), out)
    assert out.mean() == pytest.approx(p, abs=4 * (p * (1 - p) / batch.num_envs) ** 0.5)


def test_random_rolls_new_dice_for_each_game_and_move() -> None:
    states = np.zeros(64, State)
    states["num_players"], states["chips"], states["offered"] = 3, 11, 20
    rules, rows = np.zeros(1, Rules), np.arange(64)
    bot, out = parse_bot("random", GAME.bots), np.zeros(64, np.int64)
    seen = set()
    for key in range(4):
        states["key"], states["moves"] = key, rows
        act_rows(rules, states, rows, bot, out)
        assert 15 < out.sum() < 49
        seen.add(tuple(out))
    assert len(seen) == 4


def test_noise_moves_the_limit_of_valuer_by_up_to_half_its_width() -> None:
    """Noise 10: the limit moves by −5 … 5 points, so offers 4 below it are sometimes taken."""
    plays = Play(3, position={"deck": [20]})
    states = plays.states.repeat(4000)
    states["key"] = np.arange(4000)
    out = np.zeros(4000, np.int64)
    shares = []
    for bias in (14.9, 16, 20, 24, 25.1):  # the offered card costs 20, and no chip lies on it
        bot = parse_bot(f"valuer:1,0,0,0,{bias},10", GAME.bots)
        act_rows(plays.rules, states, np.arange(4000), bot, out)
        shares.append(out.mean())
    np.testing.assert_allclose(shares, [0, 0.1, 0.5, 0.9, 1], atol=0.04)
    assert shares[0] == 0
    assert shares[-1] == 1


@pytest.mark.parametrize("name", [*TWINS, *GAME.baselines])
def test_names_make_agents_that_keep_their_name(name: str) -> None:
    agent = make_agent(name, GAME)
    assert getattr(agent, "name", None) == name
