"""Agents of a user's own: what they are handed, and what happens when they fail."""

import copy
import pickle
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import lowhand
from lowhand import no_thanks_v0
from lowhand.agents.names import make_agent
from lowhand.agents.network import CheckpointError
from lowhand.agents.table_view import ScriptedAgent, agents_generator, check_fit
from lowhand.engine.rng import game_key
from lowhand.games import GAMES

GAME = GAMES["no_thanks"]


class Taker:
    def act(self, table, rng):
        return np.ones(len(table), np.int64)


class Failing:
    """Takes until told to fail."""

    def __init__(self):
        self.fails = False

    def act(self, table, rng):
        if self.fails:
            raise RuntimeError("boom")
        return table.action_mask.argmax(axis=1)


class Curious:
    """Keeps the generator that it is handed."""

    def act(self, table, rng):
        self.rng = rng
        return table.action_mask.argmax(axis=1)


def entropy(rng):
    return rng.bit_generator.seed_seq.entropy


def test_the_generator_of_an_agent_tells_neither_the_seed_nor_the_key():
    curious = Curious()
    env = gymnasium.make("lowhand/NoThanks-v0", opponents=curious, num_players=3, seat=0)
    env.reset(seed=77, options={"first_player": 1})
    assert entropy(curious.rng) not in (77, int(game_key(77, 0, 0)))
    batch = lowhand.make_batch("no_thanks", 4, num_players=3, agents=[curious])
    batch.seat([0, -1, 0])
    batch.reset(77)
    assert entropy(curious.rng) not in {77, *(int(game_key(77, i, 0)) for i in range(4))}


def test_generators_of_agents_are_fixed_by_the_seed():
    assert agents_generator(5).random() == agents_generator(5).random()
    assert agents_generator(5).random() != agents_generator(6).random()


def test_a_failing_agent_is_told_in_one_sentence_and_the_batch_wants_a_reset():
    agent = Failing()
    batch = lowhand.make_batch("no_thanks", 8, num_players=3, agents=[agent])
    batch.seat([0, -1, 0])
    batch.reset(1)
    agent.fails = True
    with pytest.raises(ValueError, match=r"agent 'Failing' failed: RuntimeError: boom\."):
        batch.step(batch.action_mask.argmax(axis=1))
    with pytest.raises(ValueError, match="reset the batch"):
        batch.step(batch.action_mask.argmax(axis=1))
    agent.fails = False
    batch.reset(1)
    batch.step(batch.action_mask.argmax(axis=1))


def test_after_a_failing_opponent_the_environment_wants_a_reset():
    agent = Failing()
    env = gymnasium.make("lowhand/NoThanks-v0", opponents=agent, num_players=3, seat=0).unwrapped
    env.reset(options={"first_player": 0})
    agent.fails = True
    with pytest.raises(ValueError, match="boom"):
        env.step(0)
    with pytest.raises(ResetNeeded):
        env.step(0)


@pytest.mark.parametrize("taker", ["greedy", Taker()], ids=["scripted", "asked"])
def test_a_seat_that_never_moves_is_refused_and_not_waited_for(taker):
    # Without chips the first player takes every card, so the second never moves (NT-6, NT-7).
    batch = lowhand.make_batch(
        "no_thanks", 1, num_players=2, chips=0, first_player=1, agents=[taker]
    )
    batch.seat([-1, 0])
    with pytest.raises(ValueError, match="had no move in 1000 games"):
        batch.reset(1)


def test_a_batch_refuses_to_be_copied_or_pickled():
    batch = lowhand.make_batch("no_thanks", 2)
    for way in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="can't be copied or pickled"):
            way(batch)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("class A:\n    def __init__(self): raise KeyError('x')", "making it failed .KeyError"),
        (
            "class A:\n    def __init__(self): raise SystemExit(4)",
            "making it failed .SystemExit: 4",
        ),
        ("raise SystemExit(5)", "can't import 'broken_agent' .SystemExit: 5"),
        ("1 / 0", "can't import 'broken_agent' .ZeroDivisionError"),
        ("def (", "can't import 'broken_agent' .SyntaxError"),
        ("B = 1", "has no 'A'"),
        ("A = 1", r"needs a method act\(table, rng\)"),
    ],
)
def test_a_broken_module_is_refused_in_one_sentence(tmp_path, monkeypatch, text, sentence):
    (tmp_path / "broken_agent.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_agent", raising=False)
    with pytest.raises(ValueError, match=sentence):
        make_agent("broken_agent:A", GAME)


@pytest.mark.parametrize(
    ("incompatibility", "told"),
    [(3, "TypeError"), (lambda options: 1 / 0, "ZeroDivisionError"), (sys.exit, "SystemExit")],
)
def test_an_incompatibility_that_fails_is_told_in_one_sentence(incompatibility, told):
    agent = ScriptedAgent("mine", make_agent("greedy", GAME).bot)
    agent.incompatibility = incompatibility
    with pytest.raises(ValueError, match=f"^agent 'mine': its incompatibility failed .{told}"):
        check_fit([agent], GAME.options())


def test_a_name_too_long_for_a_file_is_no_agent():
    with pytest.raises(ValueError, match="there is no agent"):
        make_agent("x" * 5000, GAME)
    assert not issubclass(CheckpointError, OSError)


@pytest.mark.parametrize(
    "position",
    [
        {"deck": [9.7, 4]},
        {"deck": 5},
        {"deck": "abc"},
        {"first_player": 1.0},
        {"first_player": True},
        {"cards": 5},
        {"cards": [[3.5], [], []]},
        {"chips": None},
        {"chips": [11, 11, 11], "pot": None},
    ],
    ids=str,
)
def test_positions_are_refused_unless_they_are_integers(position):
    env = no_thanks_v0.env(num_players=3)
    with pytest.raises(ValueError, match=r"integers|lists of different cards"):
        env.reset(seed=1, options=position)


def test_small_numpy_integers_are_options_like_others():
    env = no_thanks_v0.env(num_players=3, low=np.int8(3), high=np.int8(35))
    assert env.observation_space("player_0")["observation"].shape == (
        no_thanks_v0.env(num_players=3).observation_space("player_0")["observation"].shape
    )
