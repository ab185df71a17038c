"""`check_game` accepts a right game and finds an error in each function of a wrong one.

The errors are planted without compilation, which makes them cheap: this file runs itself so.
"""

import inspect
import os
import re
import subprocess
import sys
from dataclasses import make_dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from lowhand.apis.batch import make_batch
from lowhand.apis.gymnasium_env import SeatEnv
from lowhand.apis.gymnasium_vector import SeatVectorEnv
from lowhand.apis.pettingzoo_env import GameEnv
from lowhand.engine import game
from lowhand.engine.game import NOT_IN_ROUND
from lowhand.engine.game_checks import ARGUMENTS, check_declaration
from lowhand.engine.observation import Field, ObservationSpec
from lowhand.engine.records import record
from lowhand.games import GAMES, get_game, register_game
from lowhand.testing import check_game
from tests.games import toy as t
from tests.games.toy import toy

PLAIN = bool(numba.config.DISABLE_JIT)
uncompiled = pytest.mark.skipif(not PLAIN, reason="run without compilation by a test of this file")

moves_elsewhere = np.zeros(1, int)


@pytest.fixture
def registry(monkeypatch):
    """Games registered in a test are forgotten."""
    monkeypatch.setattr("lowhand.games.register_environments", lambda name, version: None)
    known = set(GAMES)
    yield
    for name in set(GAMES) - known:
        del GAMES[name]


def test_a_right_game_passes():
    check_game(toy())


def test_a_registered_game_whose_environments_cannot_be_pickled_is_refused(registry):
    made = toy()  # whose options are a class within a function
    register_game(made)
    assert get_game("toy") is made
    with pytest.raises(AssertionError, match="`options` make environments that can't be pickled"):
        check_game(made, games=3, num_players=3)


@pytest.mark.parametrize(
    "options", [{}, {"chips": 1, "removed": 0}, {"low": 5, "high": 12, "removed": 2}]
)
def test_no_thanks_passes(options):
    check_game(GAMES["no_thanks"], games=4, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"points_limit": None},
        {"points_limit": 30, "max_deals": 3, "num_players": 4, "deal_mode": "stable"},
        {"points_limit": 20, "match_end": "first_out", "num_players": 5},
        {"ranks": 5, "suits": 2, "hand_size": 2, "sets": ["pair"], "num_players": 3},
    ],
)
def test_least_score_passes(options):
    check_game(GAMES["least_score"], games=4, **options)


def test_every_planted_error_is_found():
    if PLAIN:
        return
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-n", "0"]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [*command, f"{__file__}::test_a_planted_error_is_found_and_its_function_named"],
        cwd=Path(__file__).parents[2], env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    assert "skipped" not in done.stdout


def deal_from_elsewhere(rules, state, key, num_players):
    moves_elsewhere[0] += 1
    t.deal(rules, state, np.uint64(key) + np.uint64(moves_elsewhere[0]), num_players)
    state.key = key


def deal_of_one_key(rules, state, key, num_players):
    t.deal(rules, state, np.uint64(1), num_players)
    state.key = key


def deal_over_the_old(rules, state, key, num_players):
    swaps = state.swaps
    t.deal(rules, state, key, num_players)
    state.swaps = swaps


def deal_without_key(rules, state, key, num_players):
    t.deal(rules, state, key, num_players)
    state.key = 0


def apply_from_elsewhere(rules, state, action):
    moves_elsewhere[0] += 1
    t.apply(rules, state, action)
    state.deck[t.CARDS - 1] = moves_elsewhere[0] % 100


def apply_without_count(rules, state, action):
    t.apply(rules, state, action)
    state.moves -= state.over


def apply_without_end(rules, state, action):
    t.apply(rules, state, action)
    state.over = 0
    state.mover = state.swaps = 0


def apply_to_nowhere(rules, state, action):
    t.apply(rules, state, action)
    state.mover = state.num_players


def apply_with_another_key(rules, state, action):
    t.apply(rules, state, action)
    state.key += np.uint64(1)


def mask_of_one(rules, state, out, row):
    out[row, t.KEEP], out[row, t.SWAP] = 1, 0


def mask_of_nothing(rules, state, out, row):
    out[row, t.KEEP] = out[row, t.SWAP] = 0


def mask_with_a_gap(rules, state, out, row):
    out[row, t.KEEP] = 1


def legal_outside(rules, state, action):
    return action <= t.SWAP


def observe_a_neighbour(rules, layout, state, seat, out, row):
    t.observe(rules, layout, state, seat, out, row)
    out[row, layout.present] = t.card(state, (seat + 1) % state.num_players) / t.CARDS


def observe_the_deck(rules, layout, state, seat, out, row):
    t.observe(rules, layout, state, seat, out, row)
    out[row, layout.present] = state.deck[state.num_players + state.swaps] / t.CARDS


def observe_with_a_gap(rules, layout, state, seat, out, row):
    out[row, layout.card] = t.card(state, seat) / t.CARDS
    for k in range(state.num_players):
        out[row, layout.present + k] = 1


def observe_out_of_bounds(rules, layout, state, seat, out, row):
    t.observe(rules, layout, state, seat, out, row)
    out[row, layout.card] = t.card(state, seat)


def score_of_nothing(rules, state, seat):
    return np.nan


def rank_the_highest(rules, state, seat):
    return -np.float64(t.card(state, seat))


def emit_nothing(rules, state):
    return False


def emit_always(rules, state):
    return True


def never_final(rules, state, seat):
    return False


def final_at_once(rules, state, seat):
    return state.moves == 1


def round_of_some(rules, state, seat):
    return np.float64(t.card(state, seat) + 1) if state.over else NOT_IN_ROUND


def round_of_one(rules, state, seat):
    return np.float64(t.card(state, seat)) if state.over and seat == 0 else NOT_IN_ROUND


def act_illegally(rules, state, bot, dice):
    return 7


def act_on_the_deck(rules, state, bot, dice):
    return t.KEEP if state.deck[state.num_players + state.swaps] > 4 else t.SWAP


def resample_nothing(rules, state, seat, recall, key):
    pass


def resample_the_key_alone(rules, state, seat, recall, key):
    state.key = t.substream(key, t.SEARCH_STREAM)


def resample_the_own_card(rules, state, seat, recall, key):
    t.resample_hidden(rules, state, (seat + 1) % state.num_players, recall, key)


def resample_by_chance(rules, state, seat, recall, key):
    moves_elsewhere[0] += 1
    t.resample_hidden(rules, state, seat, recall, np.uint64(moves_elsewhere[0]))


def resample_by_what_is_hidden(rules, state, seat, recall, key):
    hidden = state.deck[t.CARDS - 1 if state.place[seat] != t.CARDS - 1 else 0]
    t.resample_hidden(rules, state, seat, recall, np.uint64(key) + np.uint64(hidden))


def resample_the_mover(rules, state, seat, recall, key):
    t.resample_hidden(rules, state, seat, recall, key)
    state.mover = (state.mover + 1) % state.num_players


def show_everything(rules, state, viewer):
    return str(state.deck)


def set_anything(options, rules, states, position):
    states["deck"] = 1


PLANTED: list[tuple[dict[str, Any], str]] = [
    ({"deal": deal_from_elsewhere}, "`deal` deals one key in different ways"),
    ({"deal": deal_of_one_key}, "`deal` deals the same whatever the key"),
    ({"deal": deal_over_the_old}, "`deal` leaves something of the last game"),
    ({"deal": deal_without_key}, "`deal` does not set the field 'key'"),
    ({"apply": apply_from_elsewhere}, "`apply` depends on something outside"),
    ({"apply": apply_without_count}, "`apply` does not count"),
    ({"apply": apply_without_end}, "`apply` has not ended a game"),
    ({"apply": apply_to_nowhere}, "`apply` gives the move to a seat"),
    ({"apply": apply_with_another_key}, "`apply` changes the field 'key'"),
    ({"write_mask": mask_of_one}, "`is_legal` disagrees with `write_mask`"),
    ({"write_mask": mask_of_nothing}, "`write_mask` allows nothing"),
    ({"write_mask": mask_with_a_gap}, "`write_mask` leaves an entry"),
    ({"is_legal": legal_outside}, "`is_legal` disagrees with `write_mask`"),
    ({"observe": observe_a_neighbour}, "`observe` shows in 'present' what the seat can't know"),
    ({"observe": observe_the_deck}, "`observe` shows in 'present' what the seat can't know"),
    ({"observe": observe_with_a_gap}, "`observe` leaves 'present' unwritten"),
    ({"observe": observe_out_of_bounds}, "`observe` writes 'card' outside its bounds"),
    ({"score": score_of_nothing}, "`score` is not finite"),
    ({"ranking_score": rank_the_highest}, "`ranking_score` ranks a lower score behind"),
    ({"emits_reward": emit_nothing}, "`emits_reward` is false at the end"),
    ({"rank_is_final": never_final}, "`rank_is_final` is not true exactly once"),
    ({"rank_is_final": final_at_once, "emits_reward": emit_always}, "before the rank is final"),
    ({"round_score": round_of_some}, "`round_score` does not add up"),
    ({"round_score": round_of_one}, "`round_score` has a round in which one seat"),
    ({"act": act_illegally}, "`act` chooses an illegal action as 'greedy'"),
    ({"act": act_on_the_deck}, "`act` uses what the player can't know"),
    ({"resample_hidden": resample_nothing}, "`resample_hidden` leaves the state's key"),
    ({"resample_hidden": resample_the_key_alone}, "`resample_hidden` never changes anything"),
    ({"resample_hidden": resample_the_own_card}, "or `resample_hidden` changes what it knows"),
    ({"resample_hidden": resample_by_chance}, "`resample_hidden` is not fixed by its key"),
    ({"resample_hidden": resample_by_what_is_hidden}, "`resample_hidden` depends on what"),
    ({"resample_hidden": resample_the_mover}, "`resample_hidden` changes the field 'mover'"),
    ({"render": show_everything}, "`render` shows a seat what it can't know"),
    ({"render": lambda rules, state, viewer: ""}, "`render` does not return a text"),
    ({"describe_action": lambda rules, state, action: None}, "`describe_action` returns no text"),
    ({"set_position": set_anything}, "`set_position` does not ignore keys"),
    ({"invalid_state_reason": lambda *_: "it is"}, "`invalid_state_reason` refuses a position of"),
    ({"invalid_state_reason": lambda *_: None}, "`invalid_state_reason` takes another number"),
    ({"bot_distributions": {"wild": lambda rng: 3}}, "`bot_distributions` gives no Bot record"),
    ({"critic_observation": lambda options, recall, seats: ObservationSpec(
        [Field("present", (seats,), "")], perfect_recall=recall, seats=seats)},
     "`critic_observation` does not begin"),
]  # fmt: skip


@uncompiled
@pytest.mark.parametrize(("changes", "said"), PLANTED, ids=[said for _, said in PLANTED])
def test_a_planted_error_is_found_and_its_function_named(changes, said, monkeypatch):
    monkeypatch.setattr("lowhand.testing.trial.MAX_DECISIONS", 50)
    with pytest.raises(AssertionError, match=re.escape(said)):
        check_game(toy(**changes), games=4, num_players=3)


@uncompiled
def test_a_game_that_hides_nothing_passes_if_it_says_so():
    open_game = toy(resample_hidden=resample_the_key_alone)
    with pytest.raises(AssertionError, match="never changes anything that matters"):
        check_game(open_game, games=4, num_players=3)
    check_game(open_game, games=4, num_players=3, hidden=False)


# --- What is refused at registration --------------------------------------------------------------

OTHER = make_dataclass("Other", [("players", int, 3)], frozen=True)
CHANGEABLE = make_dataclass("Changeable", [("num_players", int, 3)])
CLASHING = make_dataclass("Clashing", [("num_players", int, 3), ("reward", int, 0)], frozen=True)


def state_with(**changed):
    kept = {name: kind for name, kind in (t.FIELDS | changed).items() if kind is not None}
    return record(**kept)


def fields_named_alike(options, recall, seats):
    return ObservationSpec([Field("seats", (1,), "")], perfect_recall=recall, seats=seats)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"apply": None, "act": None}, "no rule function 'apply', 'act' is registered"),
        ({"max_players": 9}, "it is for up to 9 players, and tables have 8 seats"),
        ({"min_players": 1}, "it is for 1 to 4 players"),
        ({"min_players": 5}, "it is for 5 to 4 players"),
        ({"name": "draw once"}, "its name must be an identifier"),
        ({"state": state_with(moves=None, over=None)}, "its State has no field moves, over"),
        ({"state": state_with(mover=np.int64)}, "the field 'mover' of its State must be int8"),
        ({"state": state_with(out=np.int8)}, "'out' of its State must be int8 with an entry"),
        ({"state": np.dtype(np.int64)}, "its state must be a record dtype"),
        ({"options": OTHER}, "its options have no field 'num_players'"),
        ({"options": CHANGEABLE}, "its options must be a frozen dataclass"),
        ({"options": CLASHING}, "its option 'reward' has the name of an argument"),
        ({"observation": fields_named_alike}, "observation's layout are named 'seats'"),
        ({"baselines": ("greedy:2", "expert")}, "its baseline 'expert' is none of its bots"),
        ({"num_actions": lambda options: 0}, "it has no actions"),
        ({"name": "no_thanks"}, "there is another game 'no_thanks'"),
    ],
)  # fmt: skip
def test_what_is_refused_at_registration(changes, said, registry):
    with pytest.raises(ValueError, match=re.escape(said)) as refused:
        register_game(toy(**changes))
    assert str(refused.value).count(". ") == 0
    assert "toy" not in GAMES


def test_two_games_with_the_same_rules_record_are_refused():
    rules = toy().options().rules().dtype

    def apply(rules, state, action):
        """Of another module."""

    apply.__module__ = "elsewhere"
    with pytest.raises(ValueError, match=r"elsewhere and tests\.games\.toy both register 'apply'"):
        game.apply.register(rules)(apply)


def test_a_rule_function_that_nobody_registered_is_named_when_called():
    made = toy(act=None)
    with pytest.raises(NotImplementedError, match="no 'act' is registered"):
        game.act(made.options().rules()[0], None, None, 0)


@pytest.mark.parametrize("name", GAMES)
def test_our_games_are_fit_for_registration(name):
    check_declaration(GAMES[name])


def test_the_names_that_options_cannot_have_are_those_of_all_arguments():
    named = set()
    for made in (make_batch, SeatEnv, SeatVectorEnv, GameEnv):
        named |= set(inspect.signature(made).parameters)
    assert named - {"num_players", "options", "num_envs"} <= ARGUMENTS
