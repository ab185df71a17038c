"""Games that the tests of OpenSpiel's interface play: sizes and options."""

import pyspiel

import lowhand.apis.openspiel  # noqa: F401  # registers

NO_THANKS = [
    {"num_players": 3, "low": 3, "high": 7, "removed": 1, "chips": 2, "first_player": 0},
    {"num_players": 2, "low": 1, "high": 4, "removed": 0, "chips": 1, "reward": "win"},
    {"num_players": 5, "low": 1, "high": 2, "removed": 1, "chips": 0, "reward": "points"},
    {"num_players": 4, "reward": "placement"},
    {"num_players": 7, "low": 10, "high": 35},
]

LEAST_SCORE = [
    {"num_players": 2, "ranks": 3, "suits": 2, "hand_size": 1, "max_turns": 6, "sets": "pair",
     "penalty": 5, "at_limit": "showdown", "points_limit": -1.0, "first_player": 0},
    {"num_players": 3, "ranks": 6, "suits": 3, "hand_size": 3, "points_limit": 25.0,
     "single_deals": 0.5, "open_card": False, "sets": "pair+run", "face_values": "pip"},
    {"num_players": 3, "ranks": 5, "hand_size": 4, "points_limit": 30.0, "deal_mode": "stable",
     "max_turns": 40, "declare_limit": 5, "reward": "placement", "two_pairs": True},
    {"num_players": 4, "points_limit": 40.0, "max_turns": 9, "at_limit": "showdown",
     "reward": "points", "match_end": "first_out", "tie": "wrong"},
    {"num_players": 2, "ranks": 13, "suits": 1, "points_limit": -1.0, "declare_limit": 6,
     "sets": "none"},
    {"num_players": 3, "max_deals": 3, "knockout": "reach", "single_deals": 1.0, "reward": "win"},
    {"num_players": 2, "max_deals": 2, "points_limit": 1000.0, "reward": "win"},
]  # fmt: skip

ALL = [("lowhand_no_thanks", given) for given in NO_THANKS] + [
    ("lowhand_least_score", given) for given in LEAST_SCORE
]
IDS = [f"{name}-{k}" for k, (name, _) in enumerate(ALL)]


def load(name, **given):
    return pyspiel.load_game(name, given)


def tiny_no_thanks(players, cards, removed, chips, reward="points"):
    """Cards from 3, player 0 first."""
    return load(
        "lowhand_no_thanks", num_players=players, low=3, high=cards + 2, removed=removed,
        chips=chips, first_player=0, reward=reward,
    )  # fmt: skip


def tiny_least_score(max_turns=3, **given):
    """Two hands of one card from six."""
    small = {**LEAST_SCORE[0], "max_turns": max_turns, **given}
    return load("lowhand_least_score", **small)
