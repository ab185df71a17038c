"""Reduced deals of Least Score: the tree, the solver, the strategy as a player, the command."""

import json

import numpy as np
import pytest

from lowhand.engine.game import apply
from lowhand.engine.kernels_rows import mask_rows
from lowhand.games.least_score import GAME
from lowhand.games.least_score.actions import join_action
from lowhand_training.cli.main import main
from lowhand_training.solve import dcfr
from lowhand_training.solve.least_score.policy import Policy
from lowhand_training.solve.least_score.solver import reduced_options, solve_least_score
from lowhand_training.solve.least_score.tree import deals
from lowhand_training.solve.sequence_form import SequenceForm, merged
from tests.referee.least_score_solver import SlowTree
from tests.solve.deals import PAIRS, near, tree
from tests.solve.lifting import lift
from tests.solve.linear_program import equilibrium

SMALL = ["3x2-1-3", "3x2-1-4", PAIRS]


# The tree


@pytest.mark.parametrize("size", ["3x2-1-3", PAIRS])
def test_the_tree_is_that_of_a_slow_one_from_the_rules(size):
    options = reduced_options(size)
    slow = SlowTree(options.ranks, options.suits, options.hand_size, options.max_turns).form()
    fast = tree(size, keep_suits=True).form
    assert fast.num_infosets == slow.num_infosets
    assert fast.num_sequences == slow.num_sequences
    assert fast.values(fast.plan(fast.uniform())) == near(slow.values(slow.plan(slow.uniform())))
    assert fast.gains(fast.plan(fast.uniform())) == near(slow.gains(slow.plan(slow.uniform())))
    value, _ = equilibrium(slow)
    assert equilibrium(fast)[0] == near(value)
    assert equilibrium(tree(size).form)[0] == near(value)


@pytest.mark.parametrize(
    ("size", "infosets", "nodes"), [("3x2-1-6", 4461, 26_617), ("4x2-2-4", 17_868, 354_301)]
)
def test_registered_sizes_stay_what_they_are(size, infosets, nodes):
    form = tree(size).form
    assert (form.num_infosets, form.nodes) == (infosets, nodes)


@pytest.mark.parametrize("players", [2, 3])
def test_deals_of_one_kind_weigh_as_much_as_with_suits(players):
    options = reduced_options("4x2-2-4", players)
    every, kinds = deals(options, True), deals(options, False)
    assert every.weights.sum() == near(1.0)
    assert kinds.weights.sum() == near(1.0)

    def kind(deck):  # the deck ends with the hands
        ranks = deck[::-1] // 4
        hands = ranks[: 2 * players].reshape(players, 2)
        return (*map(tuple, np.sort(hands)), int(ranks[2 * players]))

    found = {}
    for deck, weight in zip(every.decks, every.weights, strict=True):
        found[kind(deck)] = found.get(kind(deck), 0.0) + weight
    given = dict(zip(map(kind, kinds.decks), kinds.weights, strict=True))
    assert given == pytest.approx(found)


def test_ends_of_the_same_sequences_are_one():
    ends = np.array([[3, 1, 5], [2, 1, 5], [3, 1, 5], [3, 1, 4]], np.int32)
    payoffs = np.array([[1.0], [2.0], [4.0], [8.0]])
    fewer, sums = merged(ends, payoffs, 6)
    assert {tuple(e): s for e, s in zip(fewer.tolist(), sums[:, 0], strict=True)} == {
        (3, 1, 5): 5.0,
        (2, 1, 5): 2.0,
        (3, 1, 4): 8.0,
    }


# Sequence form and DCFR


def random_strategy(form: SequenceForm, seed: int) -> np.ndarray:
    plan = np.random.default_rng(seed).exponential(size=form.num_sequences)
    return form.strategy(plan)


@pytest.mark.parametrize("players", [2, 3])
def test_no_strategy_does_better_than_the_best_response(players):
    form = tree("3x2-1-4", players > 2, players).form
    for seed in range(20):
        plan = form.plan(random_strategy(form, seed))
        assert form.strategy(plan) == near(random_strategy(form, seed))
        for player in range(players):
            best, choice = form.best_response(player, plan)
            mine = np.isin(
                np.arange(form.num_sequences),
                np.r_[
                    player,
                    np.flatnonzero(np.repeat(form.player, np.diff(form.first)) == player) + players,
                ],
            )
            other = form.plan(np.where(mine, random_strategy(form, seed + 100), plan))
            assert form.values(np.where(mine, other, plan))[player] <= best + 1e-12
            assert form.values(np.where(mine, form.plan(choice), plan))[player] == near(best)


@pytest.mark.parametrize("size", SMALL)
def test_dcfr_comes_to_the_value_of_the_linear_program(size):
    form = tree(size).form
    value, exact = equilibrium(form)
    assert form.gains(exact) == pytest.approx([0.0, 0.0], abs=1e-7)
    plan = dcfr.solve(form, 300)
    assert form.gains(plan).mean() < 1e-4
    assert form.values(plan)[0] == pytest.approx(value, abs=1e-4)


def test_the_middle_size_is_solved_in_a_hundred_iterations():
    solution = solve_least_score("4x2-2-4", iterations=100)
    assert solution.exploitability < 1e-4
    assert min(solution.gains) > -1e-12


def test_dcfr_follows_its_formulas_in_the_first_two_iterations():
    """One decision of three choices, whose payoffs are fixed: worked out by hand."""
    form = SequenceForm(
        num_players=1,
        player=np.zeros(1, np.int8),
        parent=np.zeros(1, np.int32),
        first=np.array([1, 4], np.int32),
        ends=np.array([[1], [2], [3]], np.int32),
        payoffs=np.array([[3.0], [0.0], [0.0]]),
        nodes=4,
        actions=np.array([-1, 0, 1, 2], np.int16),
    )
    first, second = (plan.tolist() for plan, _ in zip(dcfr.dcfr(form), range(2), strict=False))
    assert first == [1.0, 1.0, 0.0, 0.0]  # regrets 2, −1, −1: all on the first
    assert second == [1.0, 1.0, 0.0, 0.0]
    gain, regret = np.array([0.0, 3.0, 0.0, 0.0]), np.array([0.0, 1.0, 1.0, -4.0])
    strategy = np.array([1.0, 0.5, 0.5, 0.0])
    dcfr.update(form.infosets_of[0], form.parent, form.first, gain, regret, strategy, 0.75, 0.5)
    assert regret[1:].tolist() == [0.75 * 2.5, 0.5 * -0.5, 0.5 * -5.5]
    assert gain[0] == 1.5


def test_three_players_get_gains_that_are_exact_and_no_promise():
    solution = solve_least_score("3x2-1-4", iterations=50, players=3)
    assert solution.tree.keep_suits
    assert sum(solution.values) == near(0.0)
    form = solution.tree.form
    uniform = form.gains(form.plan(form.uniform()))
    assert 0.0 <= solution.nash_conv < uniform.sum()


# The strategy as a player


@pytest.mark.parametrize("size", SMALL)
def test_a_lifted_strategy_is_as_exploitable_with_suits(size):
    form = tree(size).form
    for strategy in (form.strategy(dcfr.solve(form, 5)), random_strategy(form, 1)):
        plan = form.plan(strategy)
        suited = tree(size, keep_suits=True)
        lifted = suited.form.plan(lift(Policy(tree(size), strategy), suited))
        assert suited.form.values(lifted) == near(form.values(plan))
        assert suited.form.gains(lifted) == near(form.gains(plan))


def played(options, deck, actions):
    """Records of a deal, the deck's next card last."""
    from lowhand.engine.kernels_rows import deal_rows
    from lowhand.games.least_score.deck import hand_out

    states = np.zeros(1, GAME.state)
    deal_rows(options.rules(), states, np.zeros(1, np.uint64), np.array([options.num_players]))
    states[0].deck[: len(deck)] = deck
    hand_out(options.rules()[0], states[0])
    records = [states.copy()[0]]
    for action in actions:
        apply(options.rules()[0], states[0], action)
        records.append(states.copy()[0])
    return records


def test_of_equal_cards_a_player_discards_what_is_known_first():
    options = reduced_options("4x2-2-4")
    # Seat 0 holds A♣ 4♣, seat 1 2♣ 3♣; A♦ is open, 4♦ on top of the deck.
    records = played(options, [8 + 1, 4 + 1, 12 + 1, 1, 8, 4, 12, 0], [])
    assert records[0].hands[0, :2].tolist() == [0, 12]
    take = join_action(2, 1, 2)  # the four for the open ace
    other = join_action(2, 0, 2)  # the three for the top card
    records = played(options, [8 + 1, 4 + 1, 12 + 1, 1, 8, 4, 12, 0], [take, other])
    assert records[2].hands[0, :2].tolist() == [0, 1]  # A♣ unknown, A♦ known
    kinds = tree("4x2-2-4")
    policy = Policy(kinds, kinds.form.uniform())
    shares = policy.probabilities(records, [take, other])
    mask = np.empty((1, GAME.num_actions(options)), np.int8)
    mask_rows(options.rules(), np.array([records[2]]), np.zeros(1, np.int64), mask)
    assert sorted(shares) == np.flatnonzero(mask[0]).tolist()
    assert sum(shares.values()) == near(1.0)
    for source in (0, 1):
        assert shares[join_action(1, source, 2)] == 0.0
        assert shares[join_action(2, source, 2)] > 0.0


def test_what_a_reshuffle_tells_is_known_too():
    options = reduced_options("3x2-2-5")
    # Seat 0 holds A♣ 3♦, seat 1 2♣ 3♣; 2♦ is open, A♦ the deck.
    throw_high, low_for_floor = join_action(2, 0, 2), join_action(1, 1, 2)
    actions = [throw_high, throw_high, low_for_floor]
    records = played(options, [1, 5, 8, 4, 9, 0], actions)
    assert records[3].hands[1, :2].tolist() == [4, 5]  # 2♦ comes from the new deck
    kinds = tree("3x2-2-5")
    shares = Policy(kinds, kinds.form.uniform()).probabilities(records, actions)
    assert all(shares[join_action(1, source, 2)] > 0.0 for source in (0, 1))
    assert all(shares[join_action(2, source, 2)] == 0.0 for source in (0, 1))


def test_of_equal_cards_that_are_unknown_a_player_discards_either():
    options = reduced_options("4x2-2-4")
    records = played(options, [9, 5, 13, 4, 12, 8, 1, 0], [])
    assert records[0].hands[0, :2].tolist() == [0, 1]
    kinds = tree("4x2-2-4")
    shares = Policy(kinds, kinds.form.uniform()).probabilities(records, [])
    assert shares[join_action(1, 0, 2)] == shares[join_action(2, 0, 2)] == 1 / 8
    assert shares[join_action(3, 1, 2)] == 1 / 4


def test_a_history_that_is_none_is_refused():
    solution = solve_least_score("3x2-1-3", iterations=1)
    records = played(reduced_options("4x2-1-3"), [0, 1, 4, 5, 8, 9, 13, 12], [])
    with pytest.raises(ValueError, match="no deal of this size"):
        solution.policy().probabilities(records, [])
    with pytest.raises(ValueError, match="has 2 records, not 1"):
        solution.policy().probabilities(records, [1])


# The command


def test_the_command_prints_and_writes(tmp_path, capsys):
    out, grid = tmp_path / "deal.json", tmp_path / "grid.md"
    words = ["solve", "least_score", "--size", "3x2-1-4", "--iterations", "50", "--json", str(out)]
    assert main([*words, "--agent", "greedy:7", "random", "--markdown", str(grid)]) == 0
    printed = capsys.readouterr().out
    found = json.loads(out.read_text())
    solution = solve_least_score("3x2-1-4", iterations=50, agents=["greedy:7"])
    assert found["infosets"] == solution.tree.form.num_infosets == 657
    assert found["value"] == solution.values[0]
    assert found["exploitability"] == solution.nash_conv / 2
    assert {"game", "size", "nodes", "seconds", "iterations"} <= set(found)
    greedy, uniform = found["agents"]
    assert greedy["gains"] == list(solution.agents[0].gains)
    assert uniform["agent"] == "random"
    assert f"{greedy['nash_conv']:.4f}" in printed
    assert f"| `greedy:7` | {greedy['exploitability']:.3f} |" in grid.read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give --size"),
        (["--size", "4x2"], "RANKSxSUITS-HAND-TURNS"),
        (["--size", "3x2-1-4", "--iterations", "0"], "iterations must be at least 1"),
        (["--size", "4x2-3-4", "--players", "3"], "more than the 8 of the deck"),
        (["--size", "3x2-1-4", "--chips", "2"], "least_score has no --chips"),
        (["--size", "3x2-1-4", "--agent", "greedy", "connector"], "plays no_thanks"),
        (["--size", "3x2-1-4", "--markdown", "x.md"], "name some by --agent"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(words, message, capsys):
    assert main(["solve", "least_score", *words]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
