"""Played as the engine's own chance decides, a game in OpenSpiel is the engine's game."""

import numpy as np
import pyspiel
import pytest

from lowhand.apis.openspiel.least_score import Event as Dealt
from lowhand.apis.openspiel.no_thanks import Event as Turned
from lowhand.engine.kernels_rows import ILLEGAL, PAID, deal_rows, observe_one, score_rows, step_one
from lowhand.engine.rewards import SCORE_SCALE, reward_weights
from lowhand.engine.rng import game_key
from lowhand.games.least_score.deck import pile_of, reshuffle
from lowhand.games.least_score.options import NO_LIMIT
from tests.apis.openspiel.games import ALL, IDS, load

WAITING = (Turned.NEXT_CARD, Dealt.DRAW, Dealt.RESHUFFLE)  # an action waits meanwhile
UNSEEN = ("key", "stream", "counter", "deck")
"""Fields in which a game with explicit chance may differ: no player has seen what they decide."""


class Twin:
    """The same game in the engine, whose key decides all chance."""

    def __init__(self, terms, key):
        self.terms = terms
        self.states = np.zeros(1, terms.game.state)
        deal_rows(terms.rules, self.states, np.array([key], np.uint64), np.array([terms.players]))
        self.weights = reward_weights("score" if terms.reward == "points" else terms.reward)

    def outcome(self, position):
        """What chance does here."""
        return getattr(self, f"_{self.terms.game.name}")(position, self.states[0])

    def _no_thanks(self, position, state):
        if position.event is Turned.FIRST_PLAYER:
            return int(state.mover)
        place = 0 if position.event is Turned.FIRST_CARD else state.turned
        return int(state.deck[place]) - self.terms.options.low

    def _least_score(self, position, state):
        if position.event is Dealt.LENGTH:
            return int(state.limit == NO_LIMIT)
        if position.event is Dealt.STARTER:
            return int(state.starter)
        options, k = self.terms.options, len(position.cards)
        if position.event is Dealt.DEAL:
            card = int(state.deck[options.num_cards - 1 - k])
        else:
            card = self._shuffled(position.event, k)
        return card // 4 * options.suits + card % 4

    def _shuffled(self, event, k):
        """The card on top; or card k of those that the engine is about to lay in the piles."""
        states = self.states.copy()
        rules, state = self.terms.rules[0], states[0]
        buried, pile = int(state.buried), pile_of(rules, state.mover)
        if state.pile_size[pile] == 0:
            reshuffle(rules, state)
        if event is Dealt.DRAW:
            return int(state.deck[state.pile_start[pile] + state.pile_size[pile] - 1])
        laid = [
            int(card)
            for start, size in zip(state.pile_start, state.pile_size, strict=True)
            for card in state.deck[start : start + size]
            if buried >> int(card) & 1
        ]
        return laid[k]

    def play(self, action):
        """Play `action`; what it earns each seat, in OpenSpiel's units."""
        earned = np.zeros((1, self.terms.players), np.float32)
        before = self.scores()
        said = step_one(self.terms.rules, self.states, action, self.weights, earned)
        assert said != ILLEGAL
        if self.terms.reward == "points":
            return before - self.scores() if said == PAID else 0.0 * before
        return earned[0] * (SCORE_SCALE if self.terms.reward == "score" else 1.0)

    def scores(self):
        """The score of each seat, but for No Thanks!, which counts at the end alone."""
        scores = np.zeros((1, self.terms.players))
        if self.terms.game.name == "least_score" or self.states["over"][0]:
            score_rows(self.terms.rules, self.states, scores)
        return scores[0]

    def observation(self, seat, perfect_recall):
        game, options = self.terms.game, self.terms.options
        spec = game.observation(options, perfect_recall, self.terms.players)
        seen = np.zeros((1, spec.size), np.float32)
        mask = np.zeros((1, game.num_actions(options)), np.int8)
        observe_one(self.terms.rules, spec.layout, self.states, seat, seen, mask)
        return seen[0], np.flatnonzero(mask[0]).tolist()


def same_position(state, twin):
    """Everything that is decided and everything that anybody sees is the same."""
    mine, theirs = state.position.states, twin.states
    for name in mine.dtype.names:
        if name not in UNSEEN:
            np.testing.assert_array_equal(mine[name], theirs[name], err_msg=name)
    over = bool(theirs["over"][0])
    assert state.is_terminal() == over
    assert state.current_player() == (pyspiel.PlayerId.TERMINAL if over else theirs["mover"][0])
    for seat in range(twin.terms.players):
        seen, legal = twin.observation(seat, perfect_recall=False)
        remembered, _ = twin.observation(seat, perfect_recall=True)
        np.testing.assert_array_equal(state.observation_tensor(seat), seen)
        np.testing.assert_array_equal(state.information_state_tensor(seat), remembered)
        assert state.legal_actions(seat) == legal


@pytest.mark.parametrize(("name", "given"), ALL, ids=IDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_game_is_the_engines_game(name, given, seed):
    state = load(name, **given).new_initial_state()
    twin = Twin(state.position.terms, game_key(np.uint64(seed), np.uint64(0), np.uint64(0)))
    rng, total, decisions = np.random.default_rng(seed), np.zeros(twin.terms.players), 0
    while True:
        while state.is_chance_node():
            state.apply_action(twin.outcome(state.position))
        same_position(state, twin)
        if state.is_terminal():
            break
        action = int(rng.choice(state.legal_actions()))
        state.apply_action(action)
        while state.position.event in WAITING:
            state.apply_action(twin.outcome(state.position))
        earned = twin.play(action)
        total += earned
        np.testing.assert_allclose(state.rewards(), earned, atol=1e-4)
        np.testing.assert_allclose(state.returns(), total, atol=1e-3)
        decisions += 1
    assert decisions == twin.states["moves"][0] <= state.get_game().max_game_length()
