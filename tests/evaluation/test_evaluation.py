import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from rich.console import Console
from safetensors.numpy import save_file

import lowhand_training.evaluation.evaluation as module
from lowhand.agents.network import FORMAT
from lowhand.engine.rng import game_key
from lowhand.games import get_game
from lowhand_training.common.tables import print_report
from lowhand_training.evaluation.evaluation import evaluate
from lowhand_training.evaluation.intervals import normal_interval, share_interval
from lowhand_training.evaluation.results import Row, evaluation_report

GAME = get_game("no_thanks")
ROW_KEYS = {
    "agent", "opponent", "players", "games", "win_share", "ci95", "mean_score",
    "mean_score_ci95", "rest_mean_score", "decisions", "seed", "lead", "lead_ci95", "statistics",
    "rest_statistics",
}  # fmt: skip


def write_checkpoint(folder: Path, seed: int = 0) -> str:
    """A checkpoint with random weights, for 3 to 7 players."""
    options, rng = GAME.options(num_players=7), np.random.default_rng(seed)
    spec = GAME.observation(options, True, 7)
    shapes = {"body.0": (8, spec.size), "policy": (GAME.num_actions(options), 8)}
    weights = {}
    for name, shape in shapes.items():
        weights[f"{name}.weight"] = rng.normal(size=shape).astype(np.float32)
        weights[f"{name}.bias"] = rng.normal(size=shape[0]).astype(np.float32)
    config = {
        "format": FORMAT,
        "game": {"name": GAME.name, "version": GAME.version, "options": {"num_players": 7}},
        "observation": {"perfect_recall": True, "seats": 7, "fields": spec.signature()},
    }
    folder.mkdir()
    save_file(weights, folder / "model.safetensors")
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    return str(folder)


class Passer:
    """A user's agent: passes as long as it may."""

    def act(self, table, rng):
        return 1 - table.action_mask[:, 0].astype(np.int64)


def test_interval_is_the_stratified_formula():
    values = np.random.default_rng(1).normal([0.0, 5.0, 9.0], [1.0, 2.0, 3.0], (400, 3))
    variance = sum(np.var(values[:, s], ddof=1) / 400 for s in range(3)) / 9
    mean = np.mean([values[:, s].mean() for s in range(3)])
    expected = mean - 1.959964 * variance**0.5, mean + 1.959964 * variance**0.5
    np.testing.assert_allclose(normal_interval(values), expected, rtol=1e-6)


def test_interval_covers_the_truth_in_95_of_100_cases():
    rng, chance = np.random.default_rng(2), np.array([0.05, 0.5, 0.95])
    intervals = np.array(
        [share_interval((rng.random((200, 3)) < chance).astype(float)) for _ in range(4000)]
    )
    covered = np.mean((intervals[:, 0] <= 0.5) & (intervals[:, 1] >= 0.5))
    # 4000 repetitions: standard deviation 0.0034. Without strata it would cover 0.998.
    assert 0.937 < covered < 0.963


def test_interval_of_nothing_but_losses_is_no_point():
    low, high = share_interval(np.zeros((100, 3)))
    assert low == 0.0
    assert (1 - high) ** 300 == pytest.approx(0.025)
    assert share_interval(np.ones((100, 3))) == (pytest.approx(1 - high), 1.0)


def test_interval_of_a_share_stays_a_share():
    values = np.zeros((100, 3))
    values[0, 0] = 1.0
    low, high = share_interval(values)
    assert low == 0.0 < high < 1.0


def test_equal_players_get_the_fair_share():
    evaluation = evaluate("random", ["random:0.5"], players=(2, 3, 5), games=3000)
    for row in evaluation.one_v_rest + evaluation.rest_v_one:
        # Twelve checks: intervals of twice the width, so that they hold together.
        assert abs(row.margin) < row.ci95[1] - row.ci95[0]
        low, high = row.mean_score_ci95
        assert abs(row.mean_score - row.rest_mean_score) < high - low


def test_lead_is_what_the_copies_score_more():
    (row,) = evaluate("greedy", ["random"], games=600).one_v_rest
    assert row.lead == pytest.approx(row.rest_mean_score - row.mean_score)
    assert row.lead_ci95[0] < row.lead < row.lead_ci95[1]
    assert row.statistics == row.rest_statistics == {}  # No Thanks! counts nothing of its own


def test_greedy_beats_random_in_both_fields():
    evaluation = evaluate("greedy", ["random"], games=600)
    (alone,), (beaten,) = evaluation.one_v_rest, evaluation.rest_v_one
    assert alone.ci95[0] > 0.9
    assert alone.mean_score < alone.rest_mean_score
    # In rest-v-one the results are the lone opponent's, so that small is good for the agent.
    assert (beaten.agent, beaten.opponent) == ("greedy", "random")
    assert beaten.ci95[1] < 0.1
    assert beaten.mean_score > beaten.rest_mean_score


def test_lone_player_sits_at_all_seats_equally_often_on_the_public_keys(monkeypatch):
    seatings, keys = [], []

    def spy(game, options, agents, seating, given, **rest):
        seatings.append(seating)
        keys.append(given)
        return play_games(game, options, agents, seating, given, **rest)

    play_games = module.play_games
    monkeypatch.setattr(module, "play_games", spy)
    row = evaluate("greedy", ["random"], players=(4,), games=101, chunk=27).one_v_rest[0]
    assert row.games == 104
    seating = np.concatenate(seatings)[:104]
    assert ((seating == 0).sum(axis=0) == 26).all()
    assert ((seating == 0).sum(axis=1) == 1).all()
    expected = [game_key(np.uint64(row.seed), np.uint64(i), np.uint64(0)) for i in range(104)]
    assert np.concatenate(keys)[:104].tolist() == [int(key) for key in expected]


@pytest.mark.parametrize("games", [1, 5, 6])
def test_games_round_up_to_two_for_each_seat(games):
    assert evaluate("greedy", ["random"], games=games).one_v_rest[0].games == 6


def test_win_shares_of_all_seats_and_all_players_add_up():
    # At two players the opponent alone against one copy is the agent alone, seen from there.
    evaluation = evaluate("greedy", ["connector"], players=(2,), games=2000, seed=3)
    (alone,), (beaten,) = evaluation.one_v_rest, evaluation.rest_v_one
    assert alone.win_share + beaten.win_share == pytest.approx(1.0, abs=0.05)


def test_chunks_do_not_change_results(tmp_path):
    agents = [write_checkpoint(tmp_path / "network"), Passer()]
    whole = evaluate(agents, ["greedy", "random"], games=120)
    parts = evaluate(agents, ["greedy", "random"], games=120, chunk=7)
    assert whole == parts


def test_same_evaluation_twice_is_the_same():
    assert evaluate("random", ["greedy"], games=60) == evaluate("random", ["greedy"], games=60)


def test_default_seed_is_a_hash_of_who_plays_what(tmp_path):
    first, second = write_checkpoint(tmp_path / "a", 1), write_checkpoint(tmp_path / "b", 2)
    copy = write_checkpoint(tmp_path / "c", 1)

    def seed(agent, opponent="greedy", **rest):
        return evaluate(agent, [opponent], games=6, **rest).one_v_rest[0].seed

    seeds = [seed(first), seed(second), seed(first, "random"), seed(first, players=(4,)),
             seed(first, options={"removed": 8})]  # fmt: skip
    seeds.append(evaluate(first, ["greedy"], games=6).rest_v_one[0].seed)
    assert len(set(seeds)) == len(seeds)
    assert seed(first) == seed(copy), "the weights count, not what the folder is called"


def test_given_seed_is_that_of_all_rows():
    evaluation = evaluate("greedy", ["random", "linear"], games=6, seed=17)
    assert {row.seed for row in evaluation.one_v_rest + evaluation.rest_v_one} == {17}


def test_one_agent_meets_all_baselines():
    evaluation = evaluate("threshold:2", games=6, players=(3, 4))
    for rows in (evaluation.one_v_rest, evaluation.rest_v_one):
        assert [row.opponent for row in rows] == 2 * list(GAME.baselines)
        assert [row.players for row in rows] == [3] * 12 + [4] * 12


def test_several_agents_meet_each_other_and_matchups_are_played_once():
    told = []
    names = ["greedy", "sally", "linear"]
    evaluation = evaluate(names, games=30, progress=lambda *both: told.append(both))
    pairs = [(row.agent, row.opponent) for row in evaluation.one_v_rest]
    assert pairs == [(a, b) for a in names for b in names if a != b]
    alone = {(row.agent, row.opponent): row.win_share for row in evaluation.one_v_rest}
    for row in evaluation.rest_v_one:
        assert row.win_share == alone[row.opponent, row.agent]
    assert told[-1] == (180, 180)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_users_own_agent_object_plays():
    row = evaluate(Passer(), ["random"], games=30).one_v_rest[0]
    assert row.agent == "Passer"


def test_reduced_game_by_options():
    small = {"low": 3, "high": 8, "removed": 1, "chips": 3}
    evaluation = evaluate("greedy", ["random"], games=30, options=small)
    assert evaluation.options[3]["high"] == 8
    assert abs(evaluation.one_v_rest[0].mean_score) < 40


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"agents": "nobody"}, "there is no agent 'nobody'"),
        ({"agents": []}, "at least one agent"),
        ({"agents": ["greedy", "greedy"]}, "'greedy' is named twice"),
        ({"opponents": ["sally", "sally"]}, "'sally' is named twice"),
        ({"opponents": []}, "empty list"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"players": ()}, "empty list"),
        ({"players": (8,)}, "num_players must be from 2 to 7, not 8"),
        ({"games": 0}, "games must be from 1 to 100000000, not 0"),
        ({"seed": -1}, "a seed must be"),
        ({"options": {"num_players": 3}}, "as `players`"),
        ({"options": {"decks": 3}}, "has no option 'decks'"),
    ],
)
def test_wrong_arguments_are_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        evaluate(**{"agents": "greedy", "opponents": ["random"], "games": 6, **arguments})


def row(agent: str, opponent: str, players: int, win_share: float) -> Row:
    none = (0.0, 0.0)
    return Row(
        agent, opponent, players, 6, win_share, (0, 1), 0.0, none, 0.0, 1, 1, 0.0, none, {}, {}
    )


def test_worst_field_is_measured_from_the_fair_share():
    evaluation = evaluate("greedy", ["random"], games=6)
    evaluation.one_v_rest[:] = [row("a", "x", 3, 0.40), row("a", "y", 5, 0.25), row("a", "a", 3, 0)]
    evaluation.rest_v_one[:] = [row("a", "x", 3, 0.20), row("a", "y", 5, 0.15), row("a", "a", 3, 1)]
    (worst,) = evaluation.summary
    assert (worst.alone.opponent, worst.beaten.opponent) == ("y", "y")
    assert worst.alone.margin == pytest.approx(0.05)


def test_json_holds_the_rows_and_what_they_rest_on():
    evaluation = evaluate("greedy", ["random", "sally"], games=30)
    data = json.loads(evaluation.to_json())
    for name in ("one_v_rest", "rest_v_one"):
        assert [set(found) for found in data[name]] == [ROW_KEYS, ROW_KEYS]
        low, high = data[name][0]["ci95"]
        assert low <= data[name][0]["win_share"] <= high
    assert data["one_v_rest"][0]["seed"] == evaluation.one_v_rest[0].seed
    assert data["game"] == "no_thanks"
    assert data["options"]["3"]["removed"] == 9
    assert data["versions"]["lowhand"]
    assert data["summary"][0]["agent"] == "greedy"


def test_table_fits_80_columns_and_shows_the_rows(tmp_path):
    evaluation = evaluate("greedy", games=30)
    console = Console(width=80, record=True, file=open(tmp_path / "out", "w"))  # noqa: SIM115
    with console.file:
        print_report(evaluation_report(evaluation), console)
        text = console.export_text()
    assert max(map(len, text.splitlines())) <= 80
    lines = text.splitlines()
    for baseline, found in zip(GAME.baselines, evaluation.one_v_rest, strict=True):
        line = next(line for line in lines if line.startswith(baseline + " "))
        low, high = found.ci95
        shares = f"{found.win_share:.3f} ±{(high - low) / 2:.3f}".replace("0.", ".")
        assert shares in line
    whole = " ".join(text.split())
    assert "where 0.333 is fair" in whole
    assert "Worst field of greedy: alone it wins" in whole


def test_table_prints_names_with_brackets_as_they_are(capsys):
    evaluation = evaluate("greedy", ["random"], games=6)
    evaluation.one_v_rest[:] = [row("[bold]a", "x[/]", 3, 0.4)]
    evaluation.rest_v_one[:] = [row("[bold]a", "x[/]", 3, 0.4)]
    print_report(evaluation_report(evaluation), Console(width=100))
    assert "x[/]" in capsys.readouterr().out
