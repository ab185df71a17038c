"""The compiled engine against the referee, and what must hold in every game."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lowhand import Batch, make_batch
from lowhand.games.no_thanks.rules import card_points
from tests.crosscheck.core import print_progress
from tests.crosscheck.no_thanks import Twins, crosscheck
from tests.games.no_thanks.play import PASS, TAKE, Play


def test_engine_and_referee_agree_over_5000_games() -> None:
    """Every rule and every reward, play by play; chips conserved and cards counted in each."""
    counts = crosscheck(5000, seed=20240)
    assert counts.games >= 5000
    assert counts.decisions > 100_000


@pytest.mark.crosscheck
def test_engine_and_referee_agree_over_100000_games(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        counts = crosscheck(100_000, seed=1, progress=print_progress(100_000))
    assert counts.games >= 100_000


@pytest.mark.parametrize(
    ("field", "value"),
    [("pot", 1), ("chips", 3), ("points", 1), ("cards", 2), ("mover", 2), ("offered", 35)],
)
def test_the_crosscheck_of_the_engine_can_fail(field: str, value: int) -> None:
    options = {"num_players": [3], "first_player": 0, "high": 34}
    twins = Twins(random.Random(3), 2, options)
    twins.batch.states[field][1] = value
    with pytest.raises(AssertionError, match=r"at table 1, game 0 of seed .*: engine .*, referee"):
        twins.compare()


def test_random_play_of_the_engine_gives_the_known_means() -> None:
    """Known of random legal play, 4 players: 48.0 decisions a game, mean score 80.08."""
    batch = make_batch("no_thanks", 4000, seed=1, observe=False)
    rng = np.random.default_rng(1)
    first_game = np.ones(batch.num_envs, bool)
    decisions, scores = 0, []
    while first_game.any():
        decisions += int(first_game.sum())
        coins = rng.integers(0, 2, batch.num_envs)
        batch.step(np.where(batch.action_mask[:, PASS] == 1, coins, TAKE))
        ended = first_game & batch.done
        scores.extend(batch.final_scores[ended].ravel().tolist())
        first_game &= ~batch.done
    # Standard errors: 0.08 decisions (a game's sd is about 5), 0.2 points.
    assert decisions / batch.num_envs == pytest.approx(48.0, abs=0.4)
    assert np.mean(scores) == pytest.approx(80.08, abs=0.8)


@st.composite
def batches(draw: st.DrawFn) -> Batch:
    """A batch of three games under any options."""
    players = draw(st.lists(st.integers(2, 7), min_size=1, max_size=3))
    low = draw(st.integers(1, 35))
    high = draw(st.integers(low, 35))
    options = {
        "low": low,
        "high": high,
        "removed": draw(st.integers(0, high - low)),
        "chips": draw(st.none() | st.integers(0, 12)),
        "first_player": draw(st.just("random") | st.integers(0, min(players) - 1)),
    }
    seed = draw(st.integers(0, 2**64 - 1))
    return make_batch("no_thanks", 3, num_players=players, seed=seed, **options)


@settings(max_examples=60)
@given(batch=batches(), data=st.data())
def test_engine_plays_any_legal_actions_to_the_end(batch: Batch, data: st.DataObject) -> None:
    """No legal action refused, no illegal one played, chips conserved, an end in time."""
    rng = random.Random(data.draw(st.integers(0, 2**32), "seed of the actions"))
    readiness = data.draw(st.sampled_from([0.05, 0.5, 1.0]), "chance of a take")
    chips = batch.options.rules()["chips"][0, batch.num_players]
    totals = batch.num_players * chips
    bound = batch.options.rules()["num_turned"][0] * (totals + 1)
    ends = np.zeros(3, int)
    while not ends.all():
        states = batch.states.copy()
        assert (states["moves"] < bound).all()
        assert (states["chips"].sum(axis=1) + states["pot"] == totals).all()
        for held, points in zip(states["cards"].ravel(), states["points"].ravel(), strict=True):
            assert card_points(held) == points
        actions = np.array([TAKE if rng.random() < readiness else PASS for _ in range(3)])
        illegal = (actions == PASS) & (batch.action_mask[:, PASS] == 0)
        if illegal.any():
            shown = [array.copy() for array in (batch.observation, batch.mover, batch.done)]
            with pytest.raises(ValueError, match=r"action 0 in game \d is illegal"):
                batch.step(actions)
            assert np.array_equal(batch.states, states)
            for before, now in zip(
                shown, (batch.observation, batch.mover, batch.done), strict=True
            ):
                assert np.array_equal(before, now)
            actions[illegal] = TAKE
        batch.step(actions)
        ends += batch.done


@given(
    order=st.permutations(range(3, 36)),
    passes=st.lists(st.integers(0, 30), min_size=24, max_size=24),
)
@settings(max_examples=40)
def test_engine_scores_are_points_of_cards_minus_chips(order: list[int], passes: list[int]) -> None:
    play = Play(4, position={"deck": order})
    for count in passes:
        for _ in range(count):
            if play.mask()[PASS]:
                play.step(PASS)
        play.step(TAKE)
    assert play.over
    cards = play.states["cards"][0, :4]
    assert play.scores() == [
        card_points(held) - chips for held, chips in zip(cards, play.chips, strict=True)
    ]
