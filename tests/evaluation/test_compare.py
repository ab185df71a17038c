import json
import sys

import numpy as np
import pytest

import lowhand_training.evaluation.compare as module
from lowhand_training.cli.main import main
from lowhand_training.evaluation.compare import UNDECIDED, compare, design_effect
from lowhand_training.evaluation.gsprt import Gsprt
from tests.evaluation.test_evaluation import write_checkpoint

LOOSE = Gsprt(h0=0.0, h1=0.2)


@pytest.fixture
def calls(monkeypatch):
    """What `play_games` is asked, call by call: (seating, keys) of A's games and of B's."""
    seen, play_games = [], module.play_games

    def spy(game, options, agents, seating, keys, **rest):
        half = len(keys) // 2
        seen.append((seating[:half], keys[:half], seating[half:], keys[half:]))
        return play_games(game, options, agents, seating, keys, **rest)

    monkeypatch.setattr(module, "play_games", spy)
    return seen


def test_a_better_agent_is_found_better_and_the_worse_one_not():
    better = compare("connector", "greedy", players=3, test=LOOSE, pilot=100)
    assert (better.decision, better.difference.low > 0.2) == ("H1", True)
    assert better.llr >= 2.944
    worse = compare("greedy", "connector", players=3, test=LOOSE, pilot=100)
    assert (worse.decision, worse.difference.high < 0.0) == ("H0", True)
    assert worse.llr <= -2.944


def test_agents_that_play_alike_need_few_games():
    # Costs and chips are whole numbers, so a limit of 2.5 takes what a limit of 2 takes.
    found = compare("threshold:2", "threshold:2.5", players=4, pilot=100)
    assert found.decision == "H0"
    assert found.difference.mean == found.design_effect == 0.0
    assert found.paired
    assert found.games < 3000


@pytest.mark.parametrize("players", [2, 3])
def test_a_block_is_one_deal_with_the_two_exchanged(calls, players):
    compare("threshold:2", "threshold:2.5", players=players, test=LOOSE, pilot=60)
    for a_seating, a_keys, b_seating, b_keys in calls:
        np.testing.assert_array_equal(a_keys, b_keys)
        np.testing.assert_array_equal(a_seating, 1 - b_seating)
        assert ((a_seating == 0).sum(axis=1) == 1).all()
        assert len(set((a_seating == 0).sum(axis=0).tolist())) == 1, "each seat as often"
    pilot, *rest = (set(keys.tolist()) for _, keys, _, _ in calls)
    assert all(pilot.isdisjoint(keys) for keys in rest), "the pilot's deals are its own"


def test_deals_are_fresh_where_sharing_them_does_not_help(calls, monkeypatch):
    monkeypatch.setattr(module, "design_effect", lambda shares: 0.95)
    found = compare("connector", "greedy", players=3, test=LOOSE, pilot=60)
    assert not found.paired
    for _, a_keys, _, b_keys in calls[1:]:
        assert set(a_keys.tolist()).isdisjoint(b_keys.tolist())
    assert "fresh deals" in found.sentences()[-1]


def test_among_seats_both_with_a_third(calls):
    compare("connector", "greedy", players=4, among="sally", test=LOOSE, pilot=60)
    for a_seating, _, b_seating, _ in calls:
        assert (np.sort(a_seating, axis=1) == [0, 2, 2, 2]).all()
        assert (np.sort(b_seating, axis=1) == [1, 2, 2, 2]).all()


def test_design_effect_is_the_ratio_of_variances():
    rng = np.random.default_rng(0)
    shared, own = rng.normal(size=20_000), rng.normal(size=(2, 20_000))
    together = (shared + own).T  # correlation 1/2
    assert design_effect(together) == pytest.approx(0.5, rel=0.05)
    assert design_effect(own.T) == pytest.approx(1.0, rel=0.05)
    assert design_effect(np.zeros((10, 2))) == 1.0


def test_a_test_that_may_not_go_on_is_undecided():
    close = Gsprt(h0=0.0, h1=0.001)
    found = compare("threshold:2", "threshold:3", players=3, test=close, max_games=600, pilot=60)
    assert found.decision == UNDECIDED
    assert found.blocks == 300
    assert "Undecided" in found.sentences()[1]


def test_same_comparison_twice_is_the_same():
    first, second = (compare("sally", "connector", test=LOOSE, pilot=60) for _ in range(2))
    assert first == second


def test_least_score_shares_piles_only_if_asked(tmp_path):
    file = tmp_path / "found.json"
    words = ["compare", "greedy:3", "greedy:7", "--game", "least_score", "--h1", "0.3"]
    words += ["--max-games", "400", "--json", str(file)]
    rules = ["points_limit=null"]
    assert main([*words, "--options", *rules]) == 0
    assert json.loads(file.read_text())["options"]["deal_mode"] == "normal"
    assert main([*words, "--options", *rules, "deal_mode=stable"]) == 0
    assert json.loads(file.read_text())["options"]["deal_mode"] == "stable"


@pytest.mark.parametrize(
    ("agents", "rest", "match"),
    [
        (("greedy", "greedy"), {}, "with itself"),
        (("greedy", "sally"), {"among": "sally"}, "another than 'sally'"),
        (("greedy", "sally"), {"max_games": 5}, "test 12 games"),
        (("greedy", "nobody"), {}, "no agent 'nobody'"),
        (("greedy", "sally"), {"options": {"num_players": 3}}, "not in `options`"),
    ],
)
def test_what_can_not_be_compared_is_refused(agents, rest, match):
    with pytest.raises(ValueError, match=match):
        compare(*agents, **rest)


def test_command_tells_and_refuses(capsys):
    assert main(["compare", "connector", "random", "--players", "3", "--h1", "0.3"]) == 0
    assert "connector is better" in capsys.readouterr().out
    assert main(["compare", "connector", "random", "--h0", "0.5"]) == 2
    assert "−1 < h0 < h1 < 1" in capsys.readouterr().err


def test_without_scipy_it_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    assert main(["compare", "connector", "greedy", "--h1", "0.3"]) == 2
    assert "needs scipy" in capsys.readouterr().err


def test_by_default_three_play_or_as_many_as_all_are_made_for(tmp_path):
    assert compare("sally", "connector", test=LOOSE, pilot=60).options["num_players"] == 3
    five = write_checkpoint(tmp_path / "five")
    with open(tmp_path / "five" / "config.yaml", "a") as config:
        config.write("training: {game: {players: [6, 5]}}\n")
    found = compare(five, "connector", test=LOOSE, pilot=60, max_games=20)
    assert found.options["num_players"] == 5


def test_one_agent_by_two_names_is_refused():
    with pytest.raises(ValueError, match="are one agent by two names"):
        compare("checkpoints/no_thanks", "./checkpoints/no_thanks")


def test_a_network_among_fewer_than_it_was_trained_with_is_told(capsys):
    words = ["checkpoints/no_thanks", "random", "--players", "2"]
    assert main(["compare", *words, "--h1", "0.3", "--max-games", "100"]) == 0
    note = "Note: checkpoints/no_thanks was trained with 3, 4, 5, 6 or 7 players and plays with 2"
    assert capsys.readouterr().err == f"{note} here.\n"
    assert main(["evaluate", *words[:1], "--against", *words[1:], "3", "--games", "4"]) == 0
    assert capsys.readouterr().err == f"{note} here.\n"
