import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lowhand_training.evaluation.evaluation import evaluate
from lowhand_training.evaluation.ratings import ALONE, COPIES, cross_table, rate, roles
from lowhand_training.evaluation.tournament.driver import run_tournament
from lowhand_training.evaluation.tournament.plan import MIXED, ONE_V_REST, make_plan
from lowhand_training.evaluation.tournament.table import Games, load_games

AGENTS = ["greedy", "connector", "sally", "random"]


@pytest.fixture(scope="module")
def games(tmp_path_factory) -> Games:
    folder: Path = tmp_path_factory.mktemp("standings") / "cup"
    run_tournament(make_plan(AGENTS, players=3, games=3000), folder, processes=1)
    return load_games(folder)


def test_cross_table_agrees_with_an_evaluation(games):
    table, known = cross_table(games), evaluate(AGENTS, players=(3,), games=2000).one_v_rest
    assert np.isnan(np.diag(table.win_share)).all()
    for row in known:
        cell = AGENTS.index(row.agent), AGENTS.index(row.opponent)
        # Different deals: twelve cells, so 2.5 times the 95 % of the difference.
        half = np.hypot(row.ci95[1] - row.ci95[0], table.high[cell] - table.low[cell]) / 2
        assert abs(table.win_share[cell] - row.win_share) < 2.5 * half + 1e-9
        assert abs(table.lead[cell] - row.lead) < 2.5 * np.ptp(row.lead_ci95)
        assert table.games[cell] == 2 * 1002, "of one_v_rest and of rest_v_one"


def test_cross_table_counts_the_lone_players_games(games):
    table = cross_table(games)
    lone = (games.lone == 1) & (games.rest == 3) & ~games.is_mixed
    rows = np.arange(len(games))
    shares = games.win_share[rows, games.special_seat][lone]
    assert table.win_share[1, 3] == pytest.approx(shares.mean())
    assert table.low[1, 3] < shares.mean() < table.high[1, 3]


def test_roles_share_out_all_wins(games):
    found = {(row.agent, row.role): row for row in roles(games)}
    for role in (ALONE, COPIES, MIXED):
        assert sum(role == key[1] for key in found) == len(AGENTS)
    # Each lone agent meets each other's copies: alone and copies share out one win a game.
    alone = sum(found[agent, ALONE].win_share.mean for agent in AGENTS)
    copies = sum(2 * found[agent, COPIES].win_share.mean for agent in AGENTS)
    assert alone + copies == pytest.approx(len(AGENTS))
    leads = [found[agent, ALONE].lead.mean + found[agent, COPIES].lead.mean for agent in AGENTS]
    assert sum(leads) == pytest.approx(0.0, abs=1e-9)
    mixed = games.select(games.is_mixed)
    row = found["sally", MIXED]
    assert row.games == (mixed.agent == 2).any(axis=1).sum()
    assert row.score.mean == pytest.approx(mixed.score[mixed.agent == 2].mean(), rel=0.01)
    assert row.win_share.low < row.win_share.mean < row.win_share.high


def test_ratings_put_the_agents_in_order_with_the_anchor_at_1000(games):
    found = rate(games, resamples=40)
    assert found.anchor == "random", "the first of the game's baselines that takes part"
    assert [found.agents[i] for i in found.order][2:] == ["greedy", "random"]
    anchor = AGENTS.index("random")
    assert found.rating[anchor] == found.low[anchor] == found.high[anchor] == 1000.0
    others = found.rating != 1000.0
    assert (found.low < found.rating)[others].all()
    assert (found.rating < found.high)[others].all()
    moved = rate(games, anchor="greedy", resamples=5).rating
    np.testing.assert_allclose(moved - found.rating, moved[anchor] - 1000.0, atol=1e-6)


def test_a_rating_is_the_odds_to_rank_above(games):
    found = rate(games, resamples=2)
    # In games of three, the chance to rank above is that of a pair under the model.
    greedy, sally = found.rating[0], found.rating[2]
    share = (1.0 + found.margins[2, 0]) / 2.0
    assert 1.0 / (1.0 + 10 ** ((greedy - sally) / 400)) == pytest.approx(share, abs=0.03)


def test_intervals_of_ratings_cover_what_more_games_find(games):
    # Halves of the games, rated apart, differ by about what their intervals say.
    half = np.arange(len(games)) // 3 % 2 == 0
    first, second = (rate(games.select(rows), resamples=60) for rows in (half, ~half))
    widths = np.hypot(first.high - first.low, second.high - second.low)
    assert (np.abs(first.rating - second.rating) <= widths).all()
    whole = rate(games, resamples=60)
    ratio = (first.high - first.low)[:3] / (whole.high - whole.low)[:3]
    assert (np.abs(ratio - np.sqrt(2)) < 0.5).all()


def test_shapes_of_copies_can_be_rated_too(games):
    found = rate(games, shapes=[ONE_V_REST], resamples=5)
    assert found.games == (games.shape == ONE_V_REST).sum()
    assert found.agents[found.order[-1]] == "random"


def test_who_leads_every_pair_has_the_whole_lottery(games):
    found = rate(games, resamples=2)
    best = [k for k in range(4) if (np.delete(found.margins[k], k) > 0).all()]
    assert found.lottery.chances[best] == pytest.approx([1.0] * len(best))
    assert len(best) == 1


def test_everything_goes_into_json_and_is_the_same_twice(games):
    told = [
        json.dumps([cross_table(games).to_dict(), rate(games, resamples=5).to_dict()])
        for _ in range(2)
    ]
    assert told[0] == told[1]


def test_what_was_not_played_is_refused(games):
    with pytest.raises(ValueError, match="anchor 'nobody'"):
        rate(games, anchor="nobody")
    only = games.select(games.is_mixed)
    with pytest.raises(ValueError, match="only mixed"):
        cross_table(only)
    plan = replace(games.plan, shapes=(MIXED,))
    with pytest.raises(ValueError, match="no games of shape 'one_v_rest'"):
        rate(replace(only, plan=plan), shapes=[ONE_V_REST])
