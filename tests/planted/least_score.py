"""Errors of Least Score that other programs have, and what is easily got wrong."""

from __future__ import annotations

from . import Mutant

RULES = "games/least_score/rules.py"
DECK = "games/least_score/deck.py"
SETS = "games/least_score/actions.py"
OPTIONS = "games/least_score/options.py"
TESTS = "tests/games/least_score/"
TEST_RULES = TESTS + "test_rules.py"
TEST_SETS = TESTS + "test_rules_sets.py"
TEST_DECK = TESTS + "test_rules_deck.py"
TEST_MATCH = TESTS + "test_rules_match.py"
TEST_SHUFFLE = TESTS + "test_shuffle.py"

DRAW = """    if source == 0:
        card = draw_card(rules, state, seat)
    else:
        card = np.int64(state.floor[np.uint64(source - 1)])
"""
DISCARD = "    discarded = _discard(state, seat, subset)\n"
PENALTY = "state.deal_points[seat] = rules.penalty + above"
NEXT_START = "state.starter = next_in(state, state.starter)"

SET_MUTANTS = (
    Mutant(
        "three of a rank is legal",
        SETS,
        '(size == 4 and "four" in sets)',
        '(size in (3, 4) and "four" in sets)',
        TEST_SETS,
        "examples_that_are_not_legal",
    ),
    Mutant(
        "two pairs of different ranks are legal",
        SETS,
        "distinct == 2 and two_pairs:",
        "distinct == 2:",
        TEST_SETS,
        "examples_that_are_not_legal",
    ),
    Mutant(
        "a run of four is legal",
        SETS,
        "size in (3, 5)",
        "size in (3, 4, 5)",
        TEST_SETS,
        "ls6_runs_have",
    ),
    Mutant(
        "K-A-2 is legal",
        SETS,
        "and hands[seat, queen] >> 2 == QUEEN",
        "and hands[seat, queen] >> 2 in (QUEEN, 1)",
        TEST_SETS,
        "goes_round",
    ),
    Mutant(
        "the ace only counts low",
        OPTIONS,
        '"run" in self.sets and self.ranks == RANKS',
        "False",
        TEST_SETS,
        "follow_the_king",
    ),
    Mutant(
        "10-J-Q-K-A is not legal",
        SETS,
        "royal = hands[seat, 0] >> 2 == ACE",
        "royal = False",
        TEST_SETS,
        "legal_examples",
    ),
    Mutant(
        "a flush does not look at its last card",
        SETS,
        "range(np.uint64(1), np.uint64(MAX_HAND))",
        "range(np.uint64(1), np.uint64(MAX_HAND - 1))",
        TEST_SETS,
        "flush",
    ),
)

TURN_MUTANTS = (
    Mutant(
        "faces count 11, 12 and 13",
        "games/least_score/cards.py",
        'face_values == "ten"',
        'face_values == "pip"',
        TEST_RULES,
        "ls2",
    ),
    Mutant(
        "a card is drawn from the own discard",
        RULES,
        DRAW + DISCARD,
        DISCARD + DRAW,
        TEST_RULES,
        "ls3",
    ),
    Mutant(
        "a slot behind the floor may be drawn",
        RULES,
        "return source <= state.floor_size",
        "return source <= state.floor_size + 1",
        TEST_SETS,
        "exactly_the_legal_actions",
    ),
    Mutant(
        "the old floor is not buried",
        RULES,
        "    state.buried |= old_floor\n",
        "",
        TEST_RULES,
        "ls8",
    ),
    Mutant(
        "the card picked up is buried as well",
        RULES,
        "        old_floor &= ~bit(card)\n",
        "",
        TEST_RULES,
        "ls8",
    ),
    Mutant(
        "the second player may declare in the first round",
        RULES,
        "state.turn < state.left:",
        "state.turn < 1:",
        TEST_RULES,
        "ls9",
    ),
    Mutant(
        "a round has a turn of those who are out",
        RULES,
        "state.turn < state.left:",
        "state.turn < state.num_players:",
        TEST_MATCH,
        "sits_out",
    ),
)

SCORE_MUTANTS = (
    Mutant(
        "a tie for lowest is wrong",
        RULES,
        "wrong = own > lowest_other or",
        "wrong = own >= lowest_other or",
        TEST_RULES,
        "ls10",
    ),
    Mutant(
        "a tie is never wrong",
        RULES,
        "(rules.wrong_tie != 0 and own == lowest_other)",
        "False",
        TEST_RULES,
        "ls10",
    ),
    Mutant(
        "the penalty leaves out the difference",
        RULES,
        PENALTY,
        "state.deal_points[seat] = rules.penalty",
        TEST_RULES,
        "ls11",
    ),
    Mutant(
        "others score after a wrong declaration as well",
        RULES,
        "            if not wrong:\n",
        "            if not wrong or seat != declarer:\n",
        TEST_RULES,
        "ls11",
    ),
    Mutant(
        "a deal without a declaration is scored",
        RULES,
        "if not rules.showdown:",
        "if False:",
        TEST_DECK,
        "ls16",
    ),
)

DECK_MUTANTS = (
    Mutant(
        "the old floor is shuffled into the new deck",
        RULES,
        DRAW,
        "    if source == 0:\n"
        "        state.buried |= old_floor\n"
        "        old_floor = np.uint64(0)\n" + DRAW,
        TEST_DECK,
        "neither_the_old_floor",
    ),
    Mutant(
        "the own discard is shuffled into the new deck",
        RULES,
        DRAW + DISCARD,
        DISCARD + "    if source == 0:\n        state.buried |= discarded\n" + DRAW,
        TEST_DECK,
        "neither_the_old_floor",
    ),
    Mutant(
        "an empty deck can't be drawn from though cards are buried",
        DECK,
        "> 0 or state.buried != 0",
        "> 0",
        TEST_DECK,
        "buried_cards_can_be_drawn",
    ),
    Mutant(
        "a card can be drawn where there is none",
        DECK,
        "> 0 or state.buried != 0",
        ">= 0",
        TEST_DECK,
        "ls15",
    ),
    Mutant(
        "what a reshuffle tells is forgotten",
        DECK,
        "    state.held = held\n",
        "    state.held = np.uint64(0)\n",
        TEST_DECK,
        "ls18",
    ),
    Mutant(
        "own piles: a reshuffle of all cards tells nothing",
        DECK,
        "if closed == 0:",
        "if closed == 0 and not rules.stable:",
        TEST_DECK,
        "ls18",
    ),
    Mutant(
        "the turn limit counts those who are out",
        RULES,
        "rules.max_turns[state.left]",
        "rules.max_turns[state.num_players]",
        TEST_DECK,
        "ls16_the_default_counts",
    ),
    Mutant(
        "a void deal does not count",
        RULES,
        "state.deals += 1\n",
        "state.deals += declarer != NOBODY\n",
        TEST_DECK,
        "ls16_a_void_deal",
    ),
    Mutant(
        "the start does not rotate after a void deal",
        RULES,
        NEXT_START,
        NEXT_START + " if declarer != NOBODY else state.starter",
        TEST_DECK,
        "ls16_a_void_deal",
    ),
)

MATCH_MUTANTS = (
    Mutant(
        "reaching the limit is enough",
        RULES,
        "return points > state.limit or",
        "return points >= state.limit or",
        TEST_MATCH,
        "ls12_the_limit",
    ),
    Mutant(
        "who is out is dealt in",
        DECK,
        "dealt = seat < state.num_players and not state.out[seat]",
        "dealt = seat < state.num_players",
        TEST_MATCH,
        "sits_out",
    ),
    Mutant(
        "the match always ends when the first is out",
        RULES,
        "(rules.first_out and crossed > 0)",
        "crossed > 0",
        TEST_MATCH,
        "ls13",
    ),
    Mutant(
        "the player after the declarer starts the next deal",
        RULES,
        NEXT_START,
        "state.starter = next_in(state, state.mover)",
        TEST_MATCH,
        "ls14",
    ),
    Mutant(
        "an earlier knock-out ranks higher",
        RULES,
        "(rules.max_deals + 1 - state.out_deal[seat])",
        "state.out_deal[seat]",
        TEST_MATCH,
        "ls19",
    ),
    Mutant(
        "points alone rank, whoever is out",
        RULES,
        "        place += OUT_STANDING",
        "        place += 0",
        TEST_MATCH,
        "ls19",
    ),
    Mutant(
        "points are paid for deals that a player sat out",
        RULES,
        "    if state.played[seat]:\n        return",
        "    if True:\n        return",
        TEST_MATCH,
        "took_part",
    ),
    Mutant(
        "all deals of a match are the same",
        DECK,
        "number + np.uint64(1 << 20)",
        "np.uint64(1 << 20)",
        TEST_MATCH,
        "dealt_anew",
    ),
    Mutant(
        "the next deal depends on how this one was played",
        DECK,
        "number + np.uint64(1 << 20)",
        "number + np.uint64(state.moves) + np.uint64(1 << 20)",
        TEST_MATCH,
        "does_not_depend",
    ),
)

SHUFFLE_MUTANTS = (
    Mutant(
        "half of the deck is not shuffled",
        DECK,
        "shuffle(state.deck, 0, size, size, state.stream",
        "shuffle(state.deck, 0, size, size // 2, state.stream",
        TEST_SHUFFLE,
        "every_card",
        compiled=True,
    ),
    Mutant(
        "buried cards become the deck without a shuffle",
        DECK,
        "shuffle(fresh, 0, count, count, state.stream",
        "shuffle(fresh, 0, count, 0, state.stream",
        TEST_SHUFFLE,
        "ls15",
        compiled=True,
    ),
)

MUTANTS = (
    *SET_MUTANTS,
    *TURN_MUTANTS,
    *SCORE_MUTANTS,
    *DECK_MUTANTS,
    *MATCH_MUTANTS,
    *SHUFFLE_MUTANTS,
)
