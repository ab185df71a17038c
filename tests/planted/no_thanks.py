"""Errors of No Thanks! that other programs have, and leaks."""

from __future__ import annotations

from . import Mutant

RULES = "games/no_thanks/rules.py"
OPTIONS = "games/no_thanks/options.py"
OBSERVATION = "games/no_thanks/observation.py"
TEST_RULES = "tests/games/no_thanks/test_rules.py"
TEST_LEAKS = "tests/games/no_thanks/test_leaks.py"
TEST_EVERY_GAME = "tests/games/test_every_game.py"
TEST_SHUFFLE = "tests/games/no_thanks/test_shuffle.py"

NEXT_CARD = "np.uint64(min(state.turned, rules.num_cards - 1))"
LAST_CARD = "np.uint64(rules.num_cards - 1)"
CARDS_LEFT = "(rules.num_turned - state.turned) / layout.num_turned"

MUTANTS = (
    Mutant(
        "the turn moves on after a take",
        RULES,
        "following = np.int64(state.mover) + pass_",
        "following = np.int64(state.mover) + 1",
        TEST_RULES,
        "nt6",
    ),
    *(
        Mutant(
            f"{33 - removed} cards played instead of 24",
            OPTIONS,
            "removed: int = 9",
            f"removed: int = {removed}",
            TEST_RULES,
            "nt1",
        )
        for removed in (10, 7, 4)
    ),
    Mutant(
        "the last card is offered only once",
        RULES,
        "    state.over = last\n",
        "    state.over = state.turned == rules.num_turned and (last or pass_)\n",
        TEST_RULES,
        "nt8",
    ),
    Mutant(
        "card 35 is never scored",
        RULES,
        "(1 - holds(cards, card - 1)) * card -",
        "(1 - holds(cards, card - 1)) * card * (card < 35) -",
        TEST_RULES,
        "nt9",
    ),
    Mutant(
        "card 35 is left out of a sum over hands",
        RULES,
        "range(LOWEST_CARD, HIGHEST_CARD + 1)",
        "range(LOWEST_CARD, HIGHEST_CARD)",
        TEST_RULES,
        "nt9",
    ),
    Mutant(
        "the score depends on the order of taking",
        RULES,
        " - holds(cards, card + 1) * (card + 1)",
        "",
        TEST_RULES,
        "nt9 and order",
    ),
    Mutant(
        "no cards score 0 instead of minus the chips",
        RULES,
        "return np.float64(state.points[seat] - state.chips[seat])",
        "return np.float64((state.points[seat] - state.chips[seat]) * (state.cards[seat] != 0))",
        TEST_RULES,
        "nt9",
    ),
    Mutant(
        "a stale pot is left on the table at the end",
        RULES,
        "state.pot = pass_ * (pot + 1)",
        "state.pot = pass_ * (pot + 1) + last * pot",
        TEST_RULES,
        "nt8",
    ),
    Mutant(
        "the last pot is lost",
        RULES,
        "state.chips[seat] += take * pot - pass_",
        "state.chips[seat] += take * (1 - last) * pot - pass_",
        TEST_RULES,
        "nt8",
    ),
    Mutant("11 chips for 6 players", OPTIONS, "6: 9,", "6: 11,", TEST_RULES, "nt3"),
    Mutant("11 chips for 7 players", OPTIONS, "7: 7}", "7: 11}", TEST_RULES, "nt3"),
    Mutant(
        "a pass without chips is turned into a take",
        RULES,
        "take = np.int64(action == TAKE)",
        "take = np.int64(action == TAKE or state.chips[state.mover] == 0)",
        TEST_RULES,
        "nt7",
        also=(" and chips_needed <= state.chips[np.uint64(state.mover)]", ""),
    ),
    Mutant(
        "a pass without chips is legal",
        RULES,
        " and chips_needed <= state.chips[np.uint64(state.mover)]",
        "",
        TEST_RULES,
        "nt7",
    ),
    Mutant(
        "tied winners are given nothing",
        "engine/rewards.py",
        "share = 1.0 / winners if ranking_score",
        "share = 1.0 * (winners == 1) if ranking_score",
        TEST_RULES,
        "nt10",
    ),
    Mutant(
        "tied winners are given a win each",
        "engine/rewards.py",
        "share = 1.0 / winners if ranking_score",
        "share = 1.0 if ranking_score",
        TEST_RULES,
        "nt10",
    ),
    Mutant(
        "reset(seed) does not fix the deal",
        "apis/batch.py",
        "np.uint64(check_seed(seed))",
        "np.uint64(np.random.default_rng().integers(2**63))",
        TEST_EVERY_GAME,
        "reset_with_a_seed and no_thanks",
    ),
    Mutant(
        "every seed gives the same deal",
        "engine/rng.py",
        "np.uint64(seed) + GOLDEN",
        "np.uint64(0) + GOLDEN",
        TEST_EVERY_GAME,
        "reset_with_a_seed and no_thanks",
    ),
    Mutant(
        "the observation leaks the next card",
        OBSERVATION,
        CARDS_LEFT,
        f"{CARDS_LEFT} + 0.001 * state.deck[{NEXT_CARD}]",
        TEST_LEAKS,
        "cannot_know and observation",
        compiled=True,
    ),
    Mutant(
        "the observation leaks a removed card",
        OBSERVATION,
        CARDS_LEFT,
        f"{CARDS_LEFT} + 0.001 * state.deck[{LAST_CARD}]",
        TEST_LEAKS,
        "cannot_know and observation",
        compiled=True,
    ),
    Mutant(
        "the observation leaks other players' chips",
        OBSERVATION,
        "seats if perfect_recall else 1",
        "seats",
        TEST_LEAKS,
        "cannot_know and observation",
        compiled=True,
    ),
    Mutant(
        "the rendering leaks other players' chips",
        "rendering/__init__.py",
        "viewer is None or viewer == seat or bool(state.over)",
        "True",
        TEST_LEAKS,
        "cannot_know and rendering",
        compiled=True,
    ),
    Mutant(
        "a scripted player peeks at the deck",
        "games/no_thanks/bots/policies.py",
        "state.pot / state.offered > q",
        f"state.pot / state.offered > 0.01 * state.deck[{NEXT_CARD}]",
        TEST_LEAKS,
        "cannot_know and scripted",
        compiled=True,
    ),
    Mutant(
        "a non-uniform shuffle: any place is swapped with any",
        "engine/rng.py",
        "bound = np.uint64(stop - i)",
        "bound = np.uint64(stop)",
        TEST_SHUFFLE,
        "every_card",
        compiled=True,
        also=("j = np.uint64(i) + (product >> _S16)", "j = product >> _S16"),
    ),
    Mutant(
        "a non-uniform shuffle: the last card is never moved",
        "engine/rng.py",
        "bound = np.uint64(stop - i)",
        "bound = np.uint64(max(1, stop - i - 1))",
        TEST_SHUFFLE,
        "every_card",
        compiled=True,
    ),
    Mutant(
        "the first player is not random",
        RULES,
        "state.mover = first\n",
        "state.mover = 0\n",
        TEST_RULES,
        "nt4",
    ),
)
