"""Who sits at the tables. Shares are tested at the level of `chances.LEVEL`, with fixed seeds."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from lowhand.engine.kernels_batch import YOURS
from lowhand_training.trainer.config import LeagueConfig
from lowhand_training.trainer.league import League, draw_pool
from lowhand_training.trainer.ppo.network import PolicyValue
from tests.engine.chances import chi_square, chi_square_limit
from tests.trainer.small import GAME, small_config

GAMES = 6000
CONFIG = LeagueConfig(
    self_play=0.3, scripted=0.5, snapshots=0.2, alone=0.4, uniform=0.3, pool=40, active=3, keep=4
)


def league(config: LeagueConfig = CONFIG, seed: int = 0) -> League:
    torch.manual_seed(0)
    spec = GAME.observation(small_config().options(), True, 4)
    return League(config, GAME, spec, PolicyValue(spec.size, [8], 2), np.random.default_rng(seed))


def seated(config: LeagueConfig, players: int, seats: int = 7) -> np.ndarray:
    return league(config).seating(np.full(GAMES, players), seats)[:, :players]


def has_shares(counts: list[int] | np.ndarray, shares: list[float] | np.ndarray) -> bool:
    expected = np.asarray(shares) * np.sum(counts)
    return chi_square(counts, expected) < chi_square_limit(len(counts) - 1)


def set_weights(network: PolicyValue, value: float) -> None:
    with torch.no_grad():
        for tensor in network.parameters():
            tensor.fill_(value)


def marks(weights: list[dict[str, torch.Tensor]]) -> list[float]:
    """What `set_weights` gave the kept networks; −1 for the untrained one."""
    values = [part["policy.weight"] for part in weights]
    return [float(v[0, 0]) if (v == v[0, 0]).all() else -1.0 for v in values]


def test_games_are_shared_among_self_play_scripted_players_and_snapshots():
    seating = seated(CONFIG, 4)
    others = seating.max(axis=1)
    scripted = (others >= 0) & (others < 40)
    counts = [(others == YOURS).sum(), scripted.sum(), (others >= 40).sum()]
    assert has_shares(counts, [0.3, 0.5, 0.2])


def test_scripted_players_and_snapshots_do_not_sit_at_one_table():
    seating = seated(CONFIG, 5)
    assert not ((seating >= 40).any(axis=1) & ((seating >= 0) & (seating < 40)).any(axis=1)).any()
    assert seating.max() < 43


@pytest.mark.parametrize("players", [2, 3, 5, 7])
def test_learner_sits_alone_or_at_a_random_number_of_seats(players):
    seating = seated(replace(CONFIG, self_play=0.0, scripted=1.0, snapshots=0.0), players)
    mine = (seating == YOURS).sum(axis=1)
    assert mine.min() >= 1
    counts = np.bincount(mine, minlength=players)[1:players]
    shares = np.full(players - 1, 0.6 / (players - 1))
    shares[0] += 0.4
    assert counts.sum() == GAMES
    if players > 2:
        assert has_shares(counts, shares)


@pytest.mark.parametrize("players", [3, 6])
def test_every_seat_is_the_learners_equally_often(players):
    seating = seated(replace(CONFIG, self_play=0.0, scripted=0.8, alone=1.0), players)
    assert has_shares((seating == YOURS).sum(axis=0), np.full(players, 1 / players))


def test_uniform_games_have_one_opponent_and_others_draw_each_seat():
    config = replace(CONFIG, self_play=0.0, scripted=1.0, snapshots=0.0, alone=1.0)
    seating = np.sort(seated(config, 3), axis=1)  # the learner, then two others
    same = (seating[:, 1] == seating[:, 2]).sum()
    share = 0.3 + 0.7 / 40
    assert has_shares([same, GAMES - same], [share, 1 - share])


def test_every_scripted_player_and_every_active_snapshot_is_drawn_equally_often():
    seating = seated(replace(CONFIG, uniform=0.0), 4)
    scripted = seating[(seating >= 0) & (seating < 40)]
    assert has_shares(np.bincount(scripted, minlength=40), np.full(40, 1 / 40))
    past = seating[seating >= 40] - 40
    assert has_shares(np.bincount(past, minlength=3), np.full(3, 1 / 3))


def test_at_every_table_the_learner_sits_and_empty_seats_stay_empty():
    players = np.random.default_rng(1).integers(2, 8, size=GAMES)
    seating = league().seating(players, 7)
    there = np.arange(7) < players[:, np.newaxis]
    assert ((seating == YOURS) & there).any(axis=1).all()
    assert (seating[~there] == YOURS).all()


@pytest.mark.parametrize(
    ("shares", "low", "high"),
    [((1.0, 0.0, 0.0), -1, -1), ((0.0, 1.0, 0.0), 0, 39), ((0.0, 0.0, 1.0), 40, 42)],
)
def test_league_of_one_kind(shares, low, high):
    self_play, scripted, snapshots = shares
    config = replace(CONFIG, self_play=self_play, scripted=scripted, snapshots=snapshots)
    others = seated(config, 4).max(axis=1)
    assert (others.min(), others.max()) == (low, high)


def test_league_without_snapshots_has_scripted_agents_only():
    made = league(replace(CONFIG, self_play=0.5, snapshots=0.0))
    assert len(made.agents) == made.num_scripted == 40
    assert made.active == []


def test_same_seed_gives_the_same_league_and_seating():
    one, two, other = league(seed=1), league(seed=1), league(seed=2)
    assert [a.bot.tobytes() for a in one.agents[:40]] == [a.bot.tobytes() for a in two.agents[:40]]
    assert [a.bot.tobytes() for a in one.agents[:40]] != [
        a.bot.tobytes() for a in other.agents[:40]
    ]
    players = np.full(100, 4)
    np.testing.assert_array_equal(one.seating(players, 4), two.seating(players, 4))


def test_first_snapshot_is_the_untrained_learner_and_sits_at_once():
    made = league()
    for snapshot in made.active:
        for name, tensor in snapshot.network.state_dict().items():
            assert torch.equal(tensor, made.learner.state_dict()[name])


def test_snapshot_is_the_learner_at_the_time():
    made = league()
    set_weights(made.learner, 1.0)
    made.take_snapshot()
    set_weights(made.learner, 2.0)
    assert marks(made.past) == [-1.0, 1.0]


def test_first_and_latest_snapshots_are_kept():
    made = league()
    for number in range(1, 8):
        set_weights(made.learner, float(number))
        made.take_snapshot()
    assert marks(made.past) == [-1.0, 5.0, 6.0, 7.0]


def test_swap_makes_any_of_the_past_active():
    made = league()
    for number in range(1, 4):
        set_weights(made.learner, float(number))
        made.take_snapshot()
    drawn = []
    for _ in range(300):
        made.swap()
        drawn += marks([snapshot.network.state_dict() for snapshot in made.active])
    counts = [drawn.count(mark) for mark in (-1.0, 1.0, 2.0, 3.0)]
    assert has_shares(counts, [0.25] * 4)


def test_margins_are_running_means_by_number_of_players():
    members = league()
    seats = np.array([[YOURS, 3, 3, YOURS], [2, YOURS, 5, 3], [YOURS, YOURS, YOURS, YOURS]])
    scores = np.array([[10.0, 10.0, 30.0, 20.0], [5.0, 9.0, 9.0, -50.0], [1.0, 2.0, 3.0, 4.0]])
    members.record(seats, np.array([4, 3, 4]), scores)  # the second game has no fourth seat
    expected = np.zeros_like(members.margins)
    expected[4, 3] = 0.05 * (0.5 / 2 * 4 - 1)  # half a win over two seats of four
    expected[3, [2, 5]] = 0.05 * (0.0 - 1)
    assert members.margins == pytest.approx(expected)


FIXED = replace(
    CONFIG, self_play=0.1, scripted=0.2, snapshots=0.3, fixed=0.4, opponents=["greedy", "sally"]
)


def test_named_opponents_have_a_share_of_the_games_for_themselves():
    seating = seated(FIXED, 4)  # 40 of the pool, two named opponents, three snapshots
    others = seating.max(axis=1)
    named = ((seating == 40) | (seating == 41)).any(axis=1)
    scripted = (seating >= 0) & (seating < 40)
    assert not (named & (scripted | (seating > 41)).any(axis=1)).any()
    counts = [(others == YOURS).sum(), scripted.any(axis=1).sum(), (others > 41).sum(), named.sum()]
    assert has_shares(counts, [0.1, 0.2, 0.3, 0.4])
    met = np.bincount(seating[named & (others < 42)].ravel() + 1, minlength=43)
    assert has_shares(met[[41, 42]], [0.5, 0.5])


def test_learner_can_sit_alone_among_named_opponents_in_every_game():
    alone = LeagueConfig(
        self_play=0.0,
        scripted=0.0,
        snapshots=0.0,
        fixed=1.0,
        alone=1.0,
        opponents=["sally"],
        pool=1,
    )
    seating = seated(alone, 3)
    assert ((seating == YOURS).sum(axis=1) == 1).all()
    assert set(seating[seating != YOURS].tolist()) == {1}
    assert league(alone).agents[1].name == "sally"


def test_margins_against_named_scripted_opponents_are_not_those_of_the_pool():
    members = league(FIXED)
    members.record(np.array([[YOURS, 40, 41]]), np.array([3]), np.array([[1.0, 2.0, 3.0]]))
    assert not members.margins.any()


def test_who_beats_the_learner_is_met_more_often_at_tables_of_that_size():
    members = league(replace(CONFIG, scripted=1.0, self_play=0.0, snapshots=0.0, priority=2.0))
    members.margins[:] = 0.6
    members.margins[4, 7] = -0.4
    members.set_priorities()

    def share_met(players: int) -> float:
        seating = members.seating(np.full(GAMES, players), 5)
        return float((seating[seating >= 0] == 7).mean())

    weight = np.exp(2.0)  # a margin smaller by 1
    assert share_met(4) == pytest.approx(weight / (weight + 39), rel=0.15)
    assert share_met(5) == pytest.approx(1 / 40, rel=0.3)


def test_without_priority_all_are_met_equally_often_whatever_their_margins():
    members = league(replace(CONFIG, priority=0.0, uniform=0.0))
    members.margins[:, 7] = -0.9
    members.set_priorities()
    seating = members.seating(np.full(GAMES, 4), 4)
    met = np.bincount(seating[(seating >= 0) & (seating < 40)], minlength=40)
    assert has_shares(met, np.full(40, 1 / 40))


def test_state_brings_margins_back():
    one, other = league(), league(seed=1)
    one.margins[:] = np.linspace(-0.3, 0.6, 40)
    one.set_priorities()
    other.set_training_state(one.training_state())
    other.rng.bit_generator.state = one.rng.bit_generator.state
    players = np.full(200, 4)
    assert (other.margins == one.margins).all()
    assert (other.seating(players, 4) == one.seating(players, 4)).all()


def test_state_brings_the_same_snapshots_back():
    made, again = league(), league()
    for number in range(1, 6):
        set_weights(made.learner, float(number))
        made.take_snapshot()
    made.swap()
    again.set_training_state(made.training_state())
    assert marks(again.past) == marks(made.past) == [-1.0, 3.0, 4.0, 5.0]
    for one, two in zip(made.active, again.active, strict=True):
        assert marks([one.network.state_dict()]) == marks([two.network.state_dict()])


def test_pool_is_drawn_by_the_weights_of_the_families():
    config = LeagueConfig(pool=4000, families={"threshold": 3, "ratio": 1, "sally": 0})
    pool = draw_pool(config, GAME, np.random.default_rng(6))
    names = [name for name, _ in pool]
    assert has_shares([names.count("threshold"), names.count("ratio")], [0.75, 0.25])
    assert "sally" not in names
    assert len({bot.tobytes() for _, bot in pool}) > 3900, "parameters are drawn anew for each"
    for name, bot in pool[:50]:
        assert bot["kind"] == GAME.bots[name].kind


def test_pool_without_weights_has_every_family_equally_often():
    pool = draw_pool(LeagueConfig(pool=3600), GAME, np.random.default_rng(7))
    names = [name for name, _ in pool]
    families = list(GAME.bot_distributions)
    assert has_shares([names.count(f) for f in families], np.full(len(families), 1 / len(families)))
