"""Opponents in the Gymnasium environment: their names, their order, games that they end."""

import warnings

import gymnasium
import numpy as np
import pytest

import lowhand
from tests.apis.one_seat import (
    ALWAYS_TAKES,
    ENV,
    NEVER_TAKES,
    PASS,
    Dicer,
    assert_same,
    make,
    play,
    raw,
    state_of,
)


class Cheat:
    def act(self, table, rng):
        return np.full(len(table), 7)


@pytest.mark.parametrize(
    "opponents",
    [
        "greedy",
        ("threshold:2",),
        ["chip_value:0.5,2,extort", "random:0.1", "sequence"],
        f"{Dicer.__module__}:Dicer",
        Dicer(),
        (Dicer(), f"{Dicer.__module__}:Gambler", "blocker:9"),
    ],
)
def test_opponents_go_by_any_kind_of_name(opponents):
    env = make(opponents=opponents, num_players=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert play(env, seed=1)[-1][2]


def test_opponents_sit_behind_you_in_order_of_play():
    # The second opponent takes, so that the third never sees the first card.
    env = raw(opponents=(NEVER_TAKES, ALWAYS_TAKES, NEVER_TAKES), seat=1, render_mode="ansi")
    env.reset(options={"first_player": 1, "deck": [20, 30]})
    env.step(PASS)
    told = env.render().splitlines()
    assert told[:3] == [
        "player_1: pass (1 chip)",
        "player_2: pass (1 chip)",
        "player_3: take 20 and 2 chips",
    ]


def test_an_opponent_that_python_asks_plays_as_the_compiled_one():
    class Wrapped:
        def __init__(self):
            self.agent = lowhand.make_agent("valuer:1,0.5,2,1,0,3", lowhand.GAMES["no_thanks"])

        def act(self, table, rng):
            return self.agent.act(table, rng)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(10):
            compiled = play(make(opponents="valuer:1,0.5,2,1,0,3"), seed=seed)
            assert_same(compiled, play(make(opponents=Wrapped()), seed=seed))


def test_a_cheating_opponent_is_refused():
    env = make(opponents=Cheat(), seat=0)
    with pytest.raises(ValueError, match="agent 'Cheat' chose action 7, which is illegal"):
        env.reset(options={"first_player": 1})


# Games without a move of yours


def test_a_game_that_ends_before_your_move_is_followed_by_the_next():
    env, skipped = make(num_players=2, opponents=ALWAYS_TAKES), []
    for seed in range(40):
        _, info = env.reset(seed=seed)
        # They take everything when they start, so it must be a game that you start.
        assert (state_of(env).moves, state_of(env).mover) == (0, info["seat"])
        keys = [lowhand.game_key(*np.uint64([seed, 0, j])) for j in range(40)]
        skipped.append(keys.index(int(state_of(env).key)))
    assert 0 in skipped
    assert max(skipped) > 1


def test_opponents_who_never_let_you_move_are_refused():
    kwargs = {"num_players": 2, "opponents": ALWAYS_TAKES, "seat": 1, "first_player": 0}
    with pytest.raises(ValueError, match="seat 1 had no move: the opponents ended 1000 game"):
        make(**kwargs).reset()
    with pytest.raises(ValueError, match="seat 1 had no move"):
        gymnasium.make_vec(ENV, num_envs=2, **kwargs)
