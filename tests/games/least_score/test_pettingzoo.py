"""The cycle of agents over matches of Least Score: what is paid when, who leaves, what ends."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from pettingzoo.test.state_test import test_state_space as check_state_space

from lowhand.engine.rewards import SCORE_SCALE
from lowhand.least_score_v0 import cards_to_action, raw_env
from lowhand.least_score_v0 import env as make_env

DECLARE = 0


@dataclass
class Match:
    """A match played through PettingZoo, with the points counted by hand."""

    env: raw_env
    gained: list[float] = field(default_factory=list)  # what `last` said, per seat
    points: list[int] = field(default_factory=list)
    deals: list[dict[int, int]] = field(default_factory=list)  # points of who took part
    out_in: dict[int, int] = field(default_factory=dict)  # the deal that knocked a seat out
    ended: dict[int, tuple[bool, bool]] = field(default_factory=dict)  # terminated, truncated

    def play(self, rng: np.random.Generator, declare: float = 0.5) -> Match:
        """Play random legal actions to the end."""
        env, agents = self.env, self.env.possible_agents
        self.gained, self.points = [0.0] * len(agents), [0] * len(agents)
        for agent in env.agent_iter():
            seat = agents.index(agent)
            _, reward, terminated, truncated, info = env.last(observe=False)
            self.gained[seat] += reward
            if terminated or truncated:
                self.ended[seat] = (terminated, truncated)
                assert info == {"final_score": float(self.points[seat])}
                env.step(None)
                continue
            legal = env.legal_actions()
            declares = legal[0] == DECLARE and (len(legal) == 1 or rng.random() < declare)
            env.step(DECLARE if declares else int(rng.choice(legal[legal[0] == DECLARE :])))
            self.count_deal()
        return self

    def count_deal(self) -> None:
        """Add up the deal that the last step ended, if it did, and see who is out (LS-12)."""
        state, options = self.env.get_state(), self.env.options
        if not state.deal_ended:
            assert not any(self.env.rewards.values())
            return
        inside = [seat for seat in range(len(self.points)) if seat not in self.out_in]
        self.deals.append({seat: int(state.deal_points[seat]) for seat in inside})
        for seat, points in self.deals[-1].items():
            self.points[seat] += points
            crosses = self.points[seat] > options.points_limit
            if crosses:
                self.out_in[seat] = len(self.deals)
            agent = self.env.possible_agents[seat]
            assert self.env.terminations[agent] or not crosses  # at that moment

    def ranking(self) -> list[tuple[bool, int, int]]:
        """What ranks the seats, the lowest first (LS-13, LS-19)."""
        return [
            (seat in self.out_in, -self.out_in.get(seat, 0), points)
            for seat, points in enumerate(self.points)
        ]

    def rewards(self, reward: str) -> list[float]:
        """What each seat should have got in all."""
        ranking, n = self.ranking(), len(self.points)
        if reward == "score":
            return [sum(self.score_of(deal, seat) for deal in self.deals) for seat in range(n)]
        if reward == "win":
            winners = ranking.count(min(ranking))
            return [(own == min(ranking)) / winners - 1 / n for own in ranking]
        places = [sum(o < own for o in ranking) + (ranking.count(own) - 1) / 2 for own in ranking]
        return [1 - 2 * place / (n - 1) for place in places]

    @staticmethod
    def score_of(deal: dict[int, int], seat: int) -> float:
        """The lead of a seat in a deal that it played."""
        if seat not in deal:
            return 0.0
        others = [points for other, points in deal.items() if other != seat]
        return (sum(others) / len(others) - deal[seat]) / SCORE_SCALE


@pytest.mark.parametrize("reward", ["win", "score", "placement"])
@pytest.mark.parametrize("match_end", ["last_survivor", "first_out"])
@pytest.mark.parametrize("num_players", range(3, 9))
def test_all_rewards_of_a_match_are_what_its_end_says(
    num_players: int, match_end: str, reward: str
) -> None:
    """LS-13, LS-16: random matches end and pay as points counted by hand say."""
    rng, truncated, rules_ended = np.random.default_rng(num_players), 0, 0
    for max_deals in (1, 2, 100):
        env = make_env(num_players, points_limit=45, max_deals=max_deals, max_turns=60,
                       match_end=match_end, reward=reward)  # fmt: skip
        for seed in range(2):
            env.reset(seed=seed)
            match = Match(env).play(rng)
            assert match.gained == pytest.approx(match.rewards(reward), abs=1e-5)
            assert sum(match.gained) == pytest.approx(0, abs=1e-5)
            assert_right_end(match, match_end, max_deals)
            stopped = any(truncated for _, truncated in match.ended.values())
            truncated, rules_ended = truncated + stopped, rules_ended + (not stopped)
    assert truncated
    assert rules_ended


def assert_right_end(match: Match, match_end: str, max_deals: int) -> None:
    """LS-13, LS-16: the match ends when it should, and no player who is out was truncated."""
    left = [seat for seat in range(len(match.points)) if seat not in match.out_in]
    finished = len(left) == 1 if match_end == "last_survivor" else bool(match.out_in)
    assert finished or len(match.deals) == max_deals
    for seat, ended in match.ended.items():
        assert ended == ((False, True) if seat in left and not finished else (True, False))
    assert len(match.ended) == len(match.points)
    assert left


def test_a_mix_pays_both_per_deal_and_at_the_end() -> None:
    env = make_env(4, points_limit=25, reward={"win": 0.5, "score": 2.0})
    for seed in range(3):
        env.reset(seed=seed)
        match = Match(env).play(np.random.default_rng(seed))
        parts = zip(match.rewards("win"), match.rewards("score"), strict=True)
        assert match.gained == pytest.approx(
            [win / 2 + 2 * score for win, score in parts], abs=1e-5
        )


def test_a_single_deal_is_a_match() -> None:
    for reward in ("win", "score", "placement"):
        env = make_env(3, points_limit=None, reward=reward)
        env.reset(options={"hands": ["AS", "5H", "3S"], "turn": 3, "first_player": 0})
        env.step(DECLARE)
        wanted = {"win": [2 / 3, -1 / 3, -1 / 3], "placement": [1, -1, 0],
                  "score": [3 / 30, -3 / 30, 0]}[reward]  # fmt: skip
        assert list(env.rewards.values()) == pytest.approx(wanted)
        assert all(env.terminations.values())
        assert env.infos["player_1"] == {"final_score": 4.0}


# Knock-outs, step by step. Seat 0 declares 1; seat 1 has 96 points and gets 4 more, seat 2 gets 5.

POSITION = {"hands": ["AS", "5H", "6S", "AD"], "points": [3, 97, 50, 60], "turn": 4}


def knocked_out(**arguments: Any) -> raw_env:
    env = make_env(4, **arguments)
    env.reset(options={**POSITION, "first_player": 0})
    env.step(DECLARE)
    return env


def test_ls12_who_is_out_leaves_at_that_moment_and_the_others_play_on() -> None:
    """LS-12: an agent whose player is out terminates at once, and the others play on."""
    env = knocked_out()
    assert env.terminations == {f"player_{seat}": seat == 1 for seat in range(4)}
    assert not any(env.truncations.values())
    assert env.infos["player_1"] == {"final_score": 101.0}
    assert env.agent_selection == "player_1"
    assert not env.last()[0]["action_mask"].any()
    env.step(None)
    assert env.agents == ["player_0", "player_2", "player_3"]
    order = []
    for _ in range(6):
        order.append(env.agent_selection)
        env.step(env.legal_actions()[-1])
    assert order == 2 * ["player_2", "player_3", "player_0"]
    assert env.legal_actions()[0] == DECLARE


@pytest.mark.parametrize(
    ("reward", "paid"),
    [
        ("win", [0, -1 / 4, 0, 0]),
        ("placement", [0, -1, 0, 0]),
        # 0, 4, 5 and 0 points: the others' mean less the own
        ("score", [3 / 30, (5 / 3 - 4) / 30, (4 / 3 - 5) / 30, 3 / 30]),
    ],
)
def test_ls12_a_knock_out_pays_the_place_and_every_deal_its_score(
    reward: str, paid: list[float]
) -> None:
    """LS-12: a player who goes out is paid for its place, and each deal pays its score."""
    env = knocked_out(reward=reward)
    assert list(env.rewards.values()) == pytest.approx(paid, abs=1e-6)
    env.step(None)
    assert set(env.rewards) == {"player_0", "player_2", "player_3"}
    env.step(env.legal_actions()[-1])
    assert not any(env.rewards.values())


@pytest.mark.parametrize(
    ("options", "out", "truncated"),
    [
        ({"match_end": "first_out"}, "1", ""),
        ({"max_deals": 1}, "1", "023"),
        ({"max_deals": 1, "match_end": "first_out"}, "1", ""),
        ({"max_deals": 2}, "1", None),
        ({"knockout": "reach"}, "1", None),
        ({"points_limit": 110, "max_deals": 1}, "", "0123"),
    ],
)
def test_ls13_ls16_what_ends_a_match_and_how(
    options: dict[str, Any], out: str, truncated: str | None
) -> None:
    """LS-13, LS-16: a match that is decided terminates, one that is stopped is truncated."""
    env = knocked_out(**options)
    over = truncated is not None
    for seat, agent in enumerate(env.possible_agents):
        stopped = over and str(seat) in (truncated or "")
        assert env.truncations[agent] == stopped
        assert env.terminations[agent] == (str(seat) in out or (over and not stopped))


def test_ls16_a_truncated_match_is_ranked_by_points() -> None:
    """LS-16: in a truncated match the player with the fewest points wins."""
    env = knocked_out(max_deals=1, reward="placement")
    assert list(env.rewards.values()) == pytest.approx([1, -1, 1 / 3, -1 / 3])
    for _ in range(4):
        assert env.last()[2] != env.last()[3]
        env.step(None)
    assert env.agents == []


def test_ls13_the_last_player_left_wins() -> None:
    """LS-13: the last player who is in gets the win."""
    env = make_env(3, reward="win")
    env.reset(options={"hands": ["AS", "5H", "6S"], "points": [99, 97, 97], "turn": 3,
                       "first_player": 0})  # fmt: skip
    env.step(DECLARE)
    assert all(env.terminations.values())
    assert list(env.rewards.values()) == pytest.approx([2 / 3, -1 / 3, -1 / 3])
    assert env.observe("player_1")["observation"].any()


def test_a_copy_and_a_state_put_back_keep_who_is_out() -> None:
    env = knocked_out()
    twin, other = env.clone(), make_env(4)
    other.set_state(env.get_state())
    for copied in (twin, other):
        assert copied.agent_selection == "player_1"
        copied.step(None)
        assert copied.agents == ["player_0", "player_2", "player_3"]
        assert copied.agent_selection == "player_2"
    assert env.agents == env.possible_agents


def test_an_illegal_action_loses_the_match() -> None:
    env = make_env(3)
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="chose action 0, which is illegal; legal actions are"):
        env.step(DECLARE)  # in the first round
    assert sorted(env.rewards.values()) == [-1, 0, 0]
    assert all(env.terminations.values())


def test_state_is_in_the_state_space_and_holds_all_cards() -> None:
    env = make_env(8, points_limit=None)
    env.reset(seed=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_state_space(env)
    vector, place = env.state(), env.state_slices
    hands = vector[place["hands"]].astype(int).tolist()
    deck = vector[place["deck"]][: int(vector[place["pile_size"]][0])].astype(int).tolist()
    assert sorted([*hands, *deck, int(vector[place["floor"]][0])]) == list(range(52))
    env.step(1)
    assert vector[place["buried"]].sum() == 0
    assert env.state()[place["buried"]].sum() == 1
    assert not {"key", "stream", "counter"} & place.keys()


def test_actions_can_be_given_in_cards() -> None:
    env = make_env(3)
    env.reset(options={"hands": ["7S 8D 9C", "KS", "QS"], "floor": "QH", "first_player": 0})
    env.step(cards_to_action(env.get_state(), "7♠ 8♦ 9♣", "Q♥", options=env.options))
    assert env.get_state().sizes[:3].tolist() == [1, 1, 1]


def test_bad_reset_options_are_refused_and_the_match_goes_on() -> None:
    env = make_env(3)
    env.reset(seed=1)
    env.step(1)
    before = env.get_state().tobytes()
    with pytest.raises(ValueError, match="A♠ is named twice"):
        env.reset(seed=2, options={"hands": ["AS", "AS", "2S"]})
    assert env.get_state().tobytes() == before
