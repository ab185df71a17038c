"""Small games of No Thanks!, solved exactly."""

import json
from fractions import Fraction

import numpy as np
import pytest

from lowhand.agents.names import make_agent
from lowhand.agents.table_view import TableView
from lowhand.games import get_game
from lowhand.games.no_thanks.rules import PASS, TAKE
from lowhand_training.cli.main import main
from lowhand_training.solve.no_thanks import space as no_thanks_space
from lowhand_training.solve.no_thanks.agents import take_probabilities
from lowhand_training.solve.no_thanks.solver import (
    SIZES,
    TIES,
    UTILITIES,
    equilibrium_values,
    nash_conv,
    reduced_options,
    response_values,
    solve,
)
from lowhand_training.solve.no_thanks.space import enumerate_space, state_chunks
from tests.referee.no_thanks_solver import Position, SlowSolver, points
from tests.solve.minimax import minimax_value

GAME = get_game("no_thanks")
TINY = [(3, 4, 1, 1), (2, 4, 1, 2), (4, 3, 0, 1), (3, 3, 0, 2)]
EXACT = {"rel": 0.0, "abs": 1e-12}


def agent(name):
    return make_agent(name, GAME)


def change_of(position: Position) -> int:
    own = position.cards[position.mover]
    return points(own | {position.offered}) - points(own)


def greedy(position: Position) -> Fraction:
    return Fraction(change_of(position) <= position.pot)


class Collector:
    """Takes what is worth it by the number of cards it has: a user's agent, and it remembers
    cards that matter to no score any more."""

    def act(self, table, rng):
        seen = table.fields()
        cards = np.rint(seen["cards"][:, 0].sum(axis=1))
        pot = np.rint(seen["pot"][:, 0] * 11)
        return np.where((pot + cards > 1) | (table.action_mask[:, 0] == 0), TAKE, PASS)


def collector(position: Position) -> Fraction:
    return Fraction(position.pot + len(position.cards[position.mover]) > 1)


@pytest.mark.parametrize(
    ("size", "states"),
    [("XS", 20_503), ("S", 406_440), ("M", 1_498_944), ("4P", 419_304), ("2P", 580_928)],
)
def test_the_registered_sizes_have_the_known_numbers_of_states(size, states):
    assert enumerate_space(reduced_options(*SIZES[size]), forgets=True).states == states


@pytest.mark.parametrize("utility", UTILITIES)
@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize("size", TINY)
def test_equilibria_are_those_of_the_slow_solver(size, utility, tie):
    expected = SlowSolver(*size, utility).equilibrium(tie)
    found = solve(reduced_options(*size), utility, tie).values
    assert found == pytest.approx([float(value) for value in expected], **EXACT)


def test_tie_rules_choose_among_equilibria_of_different_values():
    found = {solve(reduced_options(3, 5, 1, 2), tie=tie).values for tie in TIES}
    assert len(found) > 1


@pytest.mark.parametrize("utility", UTILITIES)
@pytest.mark.parametrize("size", TINY)
@pytest.mark.parametrize(
    ("player", "policy"),
    [
        ("greedy", greedy),
        ("random", lambda position: Fraction(1, 2)),
        ("random:0.25", lambda position: Fraction(1, 4)),
        (Collector(), collector),
    ],
    ids=["greedy", "random", "random:0.25", "collector"],
)
def test_nash_conv_and_best_responses_are_those_of_the_slow_solver(size, utility, player, policy):
    slow = SlowSolver(*size, utility)
    space = enumerate_space(reduced_options(*size), forgets=False)
    found = nash_conv(space, agent(player), utility)
    best = [float(slow.best_response(policy, seat)) for seat in range(size[0])]
    assert found.values == pytest.approx([float(v) for v in slow.on_policy(policy)], **EXACT)
    assert found.best_response == pytest.approx(best, **EXACT)
    assert found.nash_conv == pytest.approx(float(slow.nash_conv(policy)), **EXACT)
    assert found.nash_conv == pytest.approx(sum(found.gains), **EXACT)


@pytest.mark.parametrize(
    ("threshold", "s", "m"), [(0, 10.2, 8.5), (-1, 14.4, 12.7), (-2, 18.9, 17.6), (-3, 20.7, 19.7)]
)
def test_thresholds_have_the_nash_conv_that_others_found(threshold, s, m, spaces):
    for size, expected in (("S", s), ("M", m)):
        found = nash_conv(spaces[size], agent(f"threshold:{threshold}")).nash_conv
        assert round(found, 1) == expected


@pytest.fixture(scope="module")
def spaces():
    return {
        size: enumerate_space(reduced_options(*SIZES[size]), forgets=False)
        for size in ("XS", "S", "M")
    }


@pytest.mark.parametrize("utility", ["score", "relative"])
def test_forgetting_changes_nothing_for_scores_and_for_players_who_look_at_score_changes(
    utility, spaces
):
    space = spaces["XS"]
    small = enumerate_space(space.options, forgets=True)
    assert small.states < space.states
    for tie in TIES:
        assert equilibrium_values(small, utility, tie) == equilibrium_values(space, utility, tie)
    ask = take_probabilities(agent("threshold:-1"), space.options)
    for few, all_of_them in zip(
        response_values(small, ask, utility), response_values(space, ask, utility), strict=True
    ):
        assert few == pytest.approx(all_of_them, **EXACT)


def test_forgetting_would_change_the_values_of_players_who_count_cards(spaces):
    space = spaces["XS"]
    small = enumerate_space(space.options, forgets=True)
    ask = take_probabilities(Collector(), space.options)
    forgetful, _ = response_values(small, ask, "score")
    on_policy, _ = response_values(space, ask, "score")
    assert forgetful != pytest.approx(on_policy, abs=1e-3)


def test_a_space_that_forgets_is_refused_for_agents():
    small = enumerate_space(reduced_options(3, 4, 1, 1), forgets=True)
    with pytest.raises(ValueError, match="look at all cards"):
        nash_conv(small, agent("greedy"))


def test_agents_are_asked_at_real_positions():
    options = reduced_options(3, 5, 1, 2)
    space = enumerate_space(options, forgets=False)
    for taken, layer in enumerate(space.layers):
        for _, states in state_chunks(space, layer):
            held = [
                [card for card in range(3, 8) if word >> card & 1]
                for word in np.bitwise_or.reduce(states["cards"], axis=1).tolist()
            ]
            assert [len(cards) for cards in held] == [taken] * states.size
            assert (states["turned"] == taken + 1).all()
            assert (states["chips"].sum(axis=1) + states["pot"] == 6).all()
            for state, cards in zip(states, held, strict=True):
                deck = state["deck"][:5].tolist()
                assert sorted(deck) == [3, 4, 5, 6, 7]
                assert sorted(deck[:taken]) == cards
                assert deck[taken] == state["offered"]
                for seat in range(3):
                    own = frozenset(c for c in cards if int(state["cards"][seat]) >> c & 1)
                    assert points(own) == state["points"][seat]


@pytest.mark.parametrize("size", [(2, 4, 1, 2), (2, 5, 0, 3), (2, 6, 2, 3)])
def test_two_players_score_difference_has_one_value_which_minimax_finds_too(size):
    options = reduced_options(*size)
    value = minimax_value(options)
    for tie in TIES:
        assert solve(options, "relative", tie).values == pytest.approx([value, -value], abs=1e-9)


def test_minimax_is_for_two_players():
    with pytest.raises(ValueError, match="two players"):
        minimax_value(reduced_options(3, 4, 1, 1))


def test_best_responses_gain_and_can_not_lose(spaces):
    for name in ("connector", "blocker:9", "linear", "valuer:1,0.5,2,1,0,4,extort"):
        gains = nash_conv(spaces["XS"], agent(name)).gains
        assert min(gains) > -1e-12
        assert max(gains) > 0.01


def test_the_published_network_is_solved_for_with_its_probabilities(spaces):
    network = agent("checkpoints/no_thanks")
    found = nash_conv(spaces["XS"], network)
    assert min(found.gains) > -1e-12
    network.temperature = 0.0  # plays the likeliest action, which is another policy
    assert nash_conv(spaces["XS"], network).values != pytest.approx(found.values, abs=1e-3)


def test_noisy_players_take_as_often_as_their_dice_say():
    options, player = reduced_options(3, 6, 1, 3), agent("valuer:1,0.5,2,1,0,8,extort")
    space = enumerate_space(options, forgets=False)
    _, states = next(state_chunks(space, space.layers[2]))
    states = states[states["chips"][np.arange(states.size), states["mover"]] > 0][:400]
    expected = take_probabilities(player, options)(states)
    assert ((expected > 0.05) & (expected < 0.95)).sum() > 50
    draws = 2000
    many = np.repeat(states, draws)
    many["moves"] = np.tile(np.arange(draws), states.size)
    table = TableView(GAME, options, options.rules(), many, np.arange(many.size))
    took = player.act(table, np.random.default_rng(0)).reshape(states.size, draws).mean(axis=1)
    assert np.abs(took - expected).max() < 5.0 * np.sqrt(0.25 / draws)


class Drawing:
    """Takes half the time, by the table's random numbers."""

    def act(self, table, rng):
        return np.where(
            table.action_mask[:, 0] == 0, TAKE, (table.uniforms() < 0.5).astype(np.int64)
        )


class Stating(Drawing):
    """The same, and says so."""

    def probabilities(self, table):
        pass_ = 0.5 * table.action_mask[:, 0]
        return np.stack([pass_, 1.0 - pass_], axis=1)


def test_an_agent_that_draws_must_state_its_probabilities(spaces):
    with pytest.raises(ValueError, match=r"needs a method probabilities\(table\)"):
        nash_conv(spaces["XS"], Drawing())
    stated = nash_conv(spaces["XS"], Stating())
    assert stated.gains == pytest.approx(nash_conv(spaces["XS"], agent("random")).gains)


def test_probabilities_that_are_none_are_refused(spaces):
    class Wrong(Stating):
        def probabilities(self, table):
            return np.full((len(table), 2), 0.6)

    with pytest.raises(ValueError, match="sum 1 in each row"):
        nash_conv(spaces["XS"], Wrong())


def test_nash_conv_is_zero_where_every_move_is_forced():
    space = enumerate_space(reduced_options(3, 4, 1, 0), forgets=False)
    assert nash_conv(space, agent("greedy")).nash_conv == 0.0


def test_games_too_large_are_refused(monkeypatch):
    with pytest.raises(ValueError, match="at most 64"):
        enumerate_space(reduced_options(3, 33, 9, 11), forgets=False)
    monkeypatch.setattr(no_thanks_space, "MAX_LAYER", 1000)
    with pytest.raises(ValueError, match="too large to solve"):
        enumerate_space(reduced_options(3, 5, 1, 2), forgets=False)


def test_unknown_utilities_and_tie_rules_are_refused():
    options = reduced_options(2, 3, 0, 1)
    with pytest.raises(ValueError, match="utility must be one of score, relative, win"):
        solve(options, "placement")
    with pytest.raises(ValueError, match="tie must be one of take, pass"):
        solve(options, tie="coin")


def command(*arguments):
    return main(["solve", "no_thanks", *arguments])


def test_the_command_writes_what_it_found(tmp_path, capsys):
    file = tmp_path / "xs.json"
    assert command("--size", "XS", "--agent", "threshold:0", "--json", str(file)) == 0
    shown = capsys.readouterr().out
    found = json.loads(file.read_text(encoding="utf-8"))
    assert (found["game"], found["size"], found["states"]) == ("no_thanks", "XS", 20_503)
    assert (found["utility"], found["tie"], found["agent"]) == ("score", "take", "threshold:0")
    assert found["seconds"] < 60.0
    assert tuple(found["values"]) == solve(reduced_options(*SIZES["XS"])).values
    assert found["nash_conv"] == pytest.approx(sum(found["gains"]))
    assert f"{found['nash_conv']:.4f}" in shown


def test_the_command_compares_agents_and_sizes(tmp_path):
    data, table = tmp_path / "all.json", tmp_path / "all.md"
    agents = ["--agent", "baselines", "threshold:-1"]
    files = ["--json", str(data), "--markdown", str(table)]
    assert command("--size", "XS", "2P", *agents, *files) == 0
    rows = json.loads(data.read_text(encoding="utf-8"))
    assert [row["size"] for row in rows] == ["XS"] * 13 + ["2P"] * 13
    assert [row["agent"] for row in rows[:13]] == [*GAME.baselines, "threshold:-1"]
    lines = table.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "| agent | XS | 2P |"
    assert lines[-1].startswith(f"| `threshold:-1` | {rows[12]['nash_conv']:.2f} |")


def test_the_command_solves_sizes_of_ones_own(tmp_path):
    file = tmp_path / "own.json"
    own = ["--players", "2", "--cards", "5", "--removed", "1", "--chips", "2"]
    assert command(*own, "--utility", "relative", "--json", str(file)) == 0
    found = json.loads(file.read_text(encoding="utf-8"))
    assert found["size"] == "own"
    value = minimax_value(reduced_options(2, 5, 1, 2))
    assert found["values"][0] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--players, --cards, --removed, --chips missing"),
        (("--size", "XS", "--iterations", "5"), "no_thanks has no --iterations"),
        (
            ("--players", "3", "--cards", "0", "--removed", "0", "--chips", "0"),
            "cards must be from 1 to 33, not 0",
        ),
        (("--size", "Q"), "it has XS, S, M, L, 4P, 2P"),
        (("--size", "XS", "--chips", "2"), "not both"),
        (("--size", "XS", "--tie", "coin"), "tie must be one of"),
        (("--size", "XS", "--markdown", "x.md"), "name some by --agent"),
        (("--size", "XS", "--agent", "greeedy"), "did you mean 'greedy'"),
    ],
)
def test_the_command_says_in_one_sentence_what_is_wrong(arguments, message, capsys):
    assert command(*arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
