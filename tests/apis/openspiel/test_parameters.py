"""Options as parameters of OpenSpiel, and back."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import pyspiel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowhand.apis.openspiel.parameters import options_from, parameters, specification, table
from lowhand.apis.openspiel.terms import REWARDS
from lowhand.games import GAMES
from tests.apis.openspiel.games import load


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_option_is_a_parameter_with_its_default(game):
    made = load(f"lowhand_{game.name}")
    assert made.terms.options == game.options()
    assert set(made.get_parameters()) == {"reward"} | {f.name for f in fields(game.options)}
    assert options_from(game, specification(game)) == game.options()


@pytest.mark.parametrize(
    ("name", "option", "value", "written"),
    [
        ("no_thanks", "chips", None, -1),
        ("no_thanks", "chips", 0, 0),
        ("no_thanks", "first_player", "random", -1),
        ("no_thanks", "first_player", 0, 0),
        ("least_score", "points_limit", None, -1.0),
        ("least_score", "points_limit", 50.0, 50.0),
        ("least_score", "declare_limit", None, -1),
        ("least_score", "max_turns", 6, 6),
        ("least_score", "sets", ("pair", "run"), "pair+run"),
        ("least_score", "sets", (), "none"),
        ("least_score", "open_card", False, False),
        ("least_score", "deal_mode", "stable", "stable"),
        ("least_score", "single_deals", 0.5, 0.5),
    ],
)
def test_options_and_parameters_mean_the_same(name, option, value, written):
    game = GAMES[name]
    assert parameters(game)[option].encoded(value) == written
    assert getattr(load(f"lowhand_{name}", **{option: written}).terms.options, option) == value


@given(st.data())
def test_what_is_written_is_read_back(data):
    for game in GAMES.values():
        options = replace(
            game.options(),
            num_players=data.draw(st.integers(game.min_players, game.max_players)),
            first_player=data.draw(st.sampled_from(["random", 0, 1])),
        )
        written = {n: p.encoded(getattr(options, n)) for n, p in parameters(game).items()}
        assert options_from(game, written) == options


def test_a_game_in_one_string():
    game = pyspiel.load_game("lowhand_least_score(num_players=2,points_limit=-1.0,sets=pair+run)")
    assert game.terms.options == GAMES["least_score"].options(
        num_players=2, points_limit=None, sets=("pair", "run")
    )
    assert pyspiel.load_game(str(game)).terms.options == game.terms.options


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"num_players": 9}, "num_players must be from 2 to 7, not 9"),
        ({"chips": -2}, "chips must be from 0 to 255, not -2"),
        ({"reward": "money"}, "reward must be one of score, win, placement, points, not 'money'"),
    ],
)
def test_wrong_options_are_refused_in_a_sentence(given, error):
    with pytest.raises(ValueError, match=error):
        load("lowhand_no_thanks", **given)


def test_unknown_options_are_refused():
    with pytest.raises(pyspiel.SpielError, match="Unknown parameter 'chip'"):
        load("lowhand_no_thanks", chip=1)


def test_an_option_that_openspiel_cannot_hold_is_noticed():
    @dataclass(frozen=True)
    class Strange:
        num_players: int = 2
        shares: Sequence[float] | None = None
        table: dict[str, int] | int | str = 3

    with pytest.raises(TypeError, match="can't be a parameter of OpenSpiel"):
        parameters(replace(GAMES["no_thanks"], options=Strange))


def test_the_page_has_every_parameter():
    page = Path(__file__).parents[3] / "docs" / "openspiel.md"
    text = page.read_text(encoding="utf-8")
    for game in GAMES.values():
        assert table(game) in text, f"{page.name} is stale: it lacks\n{table(game)}"
    for reward in REWARDS:
        assert f"| `{reward}` |" in text
