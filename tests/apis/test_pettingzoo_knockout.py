"""The cycle of agents over a game that players leave before its end.

The game is a toy, made here of the contract alone: everybody holds three lives, action k costs
k + 1 of them, and who has none left is out. The last player wins; who went out later is better.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from lowhand.apis.pettingzoo_env import GameEnv, metadata
from lowhand.engine import game
from lowhand.engine.observation import Field, ObservationSpec
from lowhand.engine.records import record, state_record
from lowhand.testing.environments import check_pettingzoo

LIVES, MAX_PLAYERS = 3, 4
ALL, ONE = 2, 0  # actions that cost three lives and one

Rules = record(knockout_lives=np.int64)
State = state_record(
    news=np.int8,  # the last move took somebody out
    lives=(np.int8, (MAX_PLAYERS,)),
    out=(np.int8, (MAX_PLAYERS,)),
    rank=(np.int8, (MAX_PLAYERS,)),  # players that were in when this one went
)


@game.deal.register(Rules)
def deal(rules, state, key, num_players):
    state.key, state.num_players = key, num_players
    state.mover = state.over = state.moves = state.news = 0
    for seat in range(MAX_PLAYERS):
        state.lives[seat] = rules.knockout_lives if seat < num_players else 0
        state.out[seat] = state.rank[seat] = 0


@game.apply.register(Rules)
def apply(rules, state, action):
    seat = state.mover
    state.moves += 1
    state.lives[seat] -= action + 1
    left = 0
    for player in range(state.num_players):
        left += 1 - state.out[player]
    state.news = state.lives[seat] == 0
    if state.news:
        state.out[seat], state.rank[seat] = 1, left
        left -= 1
    if left == 1:
        state.over = 1
    else:
        state.mover = (seat + 1) % state.num_players
        while state.out[state.mover]:
            state.mover = (state.mover + 1) % state.num_players


@game.is_legal.register(Rules)
def is_legal(rules, state, action):
    return 0 <= action < state.lives[state.mover]


@game.write_mask.register(Rules)
def write_mask(rules, state, out, row):
    for action in range(LIVES):
        out[row, action] = action < state.lives[state.mover]


@game.observe.register(Rules)
def observe(rules, layout, state, seat, out, row):
    for place in range(layout.seats):
        out[row, layout.lives + place] = state.lives[(seat + place) % state.num_players] / LIVES


@game.score.register(Rules)
def score(rules, state, seat):
    return np.float64(state.rank[seat] if state.out[seat] else 0)


@game.emits_reward.register(Rules)
def emits_reward(rules, state):
    return state.news != 0


@game.rank_is_final.register(Rules)
def rank_is_final(rules, state, seat):
    left = 0
    for player in range(state.num_players):
        left += 1 - state.out[player]
    return state.over != 0 if not state.out[seat] else state.rank[seat] == left + 1


@game.round_score.register(Rules)
def round_score(rules, state, seat):
    return game.NOT_IN_ROUND


@dataclass(frozen=True)
class Options:
    num_players: int = 3

    def rules(self) -> np.ndarray:
        rules = np.zeros(1, Rules)
        rules["knockout_lives"] = LIVES
        return rules


def fields(options: Options, recall: bool, seats: int) -> ObservationSpec:
    lives = Field("lives", (seats,), "lives of each player")
    return ObservationSpec([lives], perfect_recall=recall, seats=seats)


TOY = game.Game(
    name="toy",
    version=3,
    state=State,
    options=Options,
    min_players=2,
    max_players=MAX_PLAYERS,
    num_actions=lambda options: LIVES,
    observation=fields,
)


class ToyEnv(GameEnv):
    game = TOY
    metadata = metadata(TOY)

    def __init__(self, num_players: int = 3, **arguments: Any) -> None:
        super().__init__(Options(num_players), **arguments)


@pytest.mark.parametrize("num_players", [3, 4])
def test_a_game_with_knock_outs_passes_api_test(num_players: int) -> None:
    check_pettingzoo(ToyEnv(num_players))


def test_a_game_with_knock_outs_passes_parallel_api_test() -> None:
    parallel_api_test(turn_based_aec_to_parallel(ToyEnv(4)), num_cycles=50)


def test_who_is_out_takes_a_dead_step_and_the_others_play_on() -> None:
    env = ToyEnv(3)
    env.reset()
    env.step(ALL)
    assert env.terminations == {"player_0": True, "player_1": False, "player_2": False}
    assert env.agent_selection == "player_0"
    assert not env.last()[0]["action_mask"].any()
    env.step(None)
    assert env.agents == ["player_1", "player_2"]
    assert env.agent_selection == "player_1"
    env.step(ONE)
    assert env.agent_selection == "player_2"
    env.step(ONE)
    assert env.agent_selection == "player_1"


@pytest.mark.parametrize(
    ("reward", "expected"),
    [("win", [-1 / 3, 2 / 3, -1 / 3]), ("placement", [-1.0, 1.0, 0.0])],
)
def test_everybody_is_paid_in_full_by_its_own_last_step(reward: str, expected: list[float]) -> None:
    env = ToyEnv(3, reward=reward)
    env.reset()
    total = dict.fromkeys(env.possible_agents, 0.0)
    actions = {"player_0": ALL, "player_1": ONE, "player_2": ALL}
    for agent in env.agent_iter():
        _, gained, terminated, _, _ = env.last()
        total[agent] += gained
        env.step(None if terminated else actions[agent])
    assert list(total.values()) == pytest.approx(expected)


def test_set_state_with_a_player_out_gives_it_its_dead_step() -> None:
    env, other = ToyEnv(3), ToyEnv(3)
    env.reset()
    env.step(ALL)
    env.step(None)
    env.step(ONE)
    other.set_state(env.get_state())
    assert other.agent_selection == "player_0"
    other.step(None)
    assert other.agent_selection == "player_2" == env.agent_selection
