"""Agents against solved deals of Least Score: what they get, and what their best responses get."""

import numpy as np
import pytest

from lowhand.agents.names import make_agent
from lowhand.agents.table_view import TableView
from lowhand.engine.kernels_rows import act_rows, mask_rows
from lowhand.games.least_score import GAME
from lowhand.games.least_score.bots.policies import BASELINES
from lowhand_training.solve.least_score.agents import (
    agent_results,
    embedded,
    probabilities,
    with_all_cards,
)
from lowhand_training.solve.least_score.solver import reduced_options, solve_least_score
from tests.solve.deals import PAIRS, near, tree
from tests.solve.responses import SlowResponses, asked

# Agents


class Fickle:
    """Draws at random, and can give its probabilities: mostly the lowest action, else any."""

    def probabilities(self, table):
        mask = table.action_mask.astype(float)
        policy = 0.25 * mask / mask.sum(axis=1, keepdims=True)
        policy[np.arange(len(mask)), mask.argmax(axis=1)] += 0.75
        return policy

    def act(self, table, rng):
        return np.array([rng.choice(p.size, p=p) for p in self.probabilities(table)])


class Highest:
    """Chooses by slots and suits: the highest legal action, but the lowest after an odd suit."""

    def act(self, table, rng):
        seen = table.fields()
        mask = table.action_mask
        odd = seen["floor_suits"][:, 0, 1] > 0
        last = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
        return np.where(odd, mask.argmax(axis=1), last)


@pytest.mark.parametrize(
    ("size", "players"), [("3x2-1-3", 2), (PAIRS, 2), ("2x3-1-4", 2), ("2x2-1-4", 3)]
)
@pytest.mark.parametrize("name", ["greedy:4", "tuned", "lookahead", "highest"])
def test_agents_get_what_a_walk_over_all_nodes_finds(size, players, name):
    agent = Highest() if name == "highest" else make_agent(name, GAME)
    options = reduced_options(size, players)
    slow = SlowResponses(options, asked(agent, options))
    (found,) = agent_results([agent], options)
    assert found.values == near(slow.values())
    assert found.best_response == near([slow.best_response(p) for p in range(players)])


@pytest.mark.parametrize(("size", "players"), [("3x2-1-3", 2), ("2x2-1-3", 3)])
def test_so_do_agents_that_draw_and_tell_their_probabilities(size, players):
    agent, options = Fickle(), reduced_options(size, players)

    def policy(states):
        table = TableView(GAME, options, options.rules(), states, np.zeros(1, np.int64))
        return agent.probabilities(table)[0]

    slow = SlowResponses(options, policy)
    (found,) = agent_results([agent], options)
    assert found.values == near(slow.values())
    assert found.best_response == near([slow.best_response(p) for p in range(players)])


def test_random_is_uniform():
    form = tree("3x2-1-4", keep_suits=True).form
    plan = form.plan(form.uniform())
    (found,) = agent_results([make_agent("random", GAME)], reduced_options("3x2-1-4"))
    assert found.values == near(form.values(plan))
    assert found.gains == near(form.gains(plan))


def test_lookahead_says_what_its_dice_do():
    options = reduced_options("6x2-2-2")
    records = tree("6x2-2-2").records[::4].copy()
    agent = make_agent("lookahead", GAME)
    exact = probabilities(agent, options, records)
    assert exact.sum(axis=1) == near(1.0)
    assert ((exact > 0.0) & (exact < 1.0)).any()
    counts, rounds = np.zeros_like(exact), 2000
    rows, actions = np.arange(len(records)), np.empty(len(records), np.int64)
    for key in range(rounds):
        records["key"] = key
        act_rows(options.rules(), records, rows, agent.bot, actions)
        counts[rows, actions] += 1
    assert (counts[exact == 0.0] == 0).all()
    spread = np.sqrt(exact * (1.0 - exact) / rounds)
    assert (np.abs(counts / rounds - exact) <= 5.0 * spread + 1e-12).all()


def test_an_equilibrium_beats_no_agent_less_than_its_value():
    solution = solve_least_score("3x2-1-4", iterations=300, agents=list(BASELINES))
    for found in solution.agents:
        assert min(found.gains) >= -1e-12
        # Who may respond gets at least the value of the game.
        assert found.best_response[0] >= solution.values[0] - 1e-4
        assert found.best_response[1] >= solution.values[1] - 1e-4


def test_a_network_trained_with_more_cards_plays_on():
    options = reduced_options("4x2-2-4")
    agent = make_agent("checkpoints/least_score", GAME)
    records = tree("4x2-2-4").records[::500].copy()
    policy = probabilities(agent, options, records)
    mask = np.empty(policy.shape, np.int8)
    mask_rows(options.rules(), records, np.arange(len(records)), mask)
    assert (policy[mask == 0] == 0.0).all()
    assert policy.sum(axis=1) == pytest.approx(1.0)
    (found,) = agent_results([agent], reduced_options("3x2-1-3"))
    assert found.embedded
    assert min(found.gains) > 0.0


@pytest.mark.parametrize("size", ["3x2-1-4", PAIRS])
def test_what_it_sees_is_a_position_of_the_game_that_it_was_trained_on(size):
    options, full = reduced_options(size), GAME.options(num_players=2, points_limit=None)
    records = tree(size, keep_suits=True).records[::5]
    shown = with_all_cards(records, options, full)

    def wrong(record):
        return GAME.invalid_state_reason(full, full.rules(), record)

    assert {wrong(record) for record in shown} == {None}
    assert all("not the 52 of the deck" in wrong(record) for record in records)


class Wide:
    """Numbers its actions as for hands of five: it chooses the last, by discard, then source."""

    trained = GAME.options()

    def probabilities(self, table):
        mask = table.action_mask
        assert mask.shape[1] == GAME.num_actions(self.trained)
        policy = np.zeros(mask.shape)
        policy[np.arange(len(mask)), mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)] = 1.0
        return policy


class Watching(Wide):
    """Checks that as many buried cards are shown as are counted."""

    def probabilities(self, table):
        seen = table.fields()
        told = np.rint(seen["buried_size"][:, 0] * self.trained.num_cards)
        assert (seen["buried"].sum(axis=1) == told).all()
        return super().probabilities(table)


def test_what_it_sees_of_the_buried_cards_is_what_it_is_told():
    embedded(Watching(), reduced_options(PAIRS), tree(PAIRS, keep_suits=True).records)


def test_actions_of_larger_hands_mean_the_same_discard_and_source():
    options = reduced_options("2x3-2-3")
    records = tree(PAIRS, keep_suits=True).records
    mask = np.empty((len(records), GAME.num_actions(options)), np.int8)
    mask_rows(options.rules(), records, np.arange(len(records)), mask)
    last = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
    policy = embedded(Wide(), options, records)
    assert (policy.argmax(axis=1) == last).all()
    assert (policy.max(axis=1) == 1.0).all()


def test_without_agents_no_tree_with_suits_is_built(monkeypatch):
    monkeypatch.delattr("lowhand_training.solve.least_score.agents.deal_tree")
    assert solve_least_score("3x2-1-3", iterations=1).agents == ()


class Drawing:
    def act(self, table, rng):
        return np.array([rng.choice(np.flatnonzero(mask)) for mask in table.action_mask])


class Wrong(Drawing):
    def probabilities(self, table):
        return np.ones_like(table.action_mask) / table.action_mask.shape[1]


@pytest.mark.parametrize(
    ("agent", "message"), [(Drawing(), "draws its actions"), (Wrong(), "0 for illegal actions")]
)
def test_an_agent_without_exact_probabilities_is_refused(agent, message):
    with pytest.raises(ValueError, match=message):
        solve_least_score("3x2-1-3", iterations=1, agents=[agent])
