"""Names of scripted players and the records that they mean."""

import pytest

from lowhand.engine.scripted import MAX_PARAMETERS, Bot, BotKind, parse_bot
from lowhand.games import GAMES

KINDS = {
    "plain": BotKind(0),
    "limit": BotKind(1, ("T",), (4.0,), ("loud",)),
    "pair": BotKind(2, ("a", "b"), (0.5, 2.0), ("loud", "slow")),
}


def parsed(name: str) -> tuple[int, list[float]]:
    bot = parse_bot(name, KINDS)
    assert bot is not None
    assert bot.shape == (1,)
    assert bot.dtype == Bot
    return int(bot["kind"][0]), bot["params"][0, :4].tolist()


@pytest.mark.parametrize(
    ("name", "kind", "params"),
    [
        ("plain", 0, [0, 0, 0, 0]),
        ("limit", 1, [4, 0, 0, 0]),
        ("limit:7", 1, [7, 0, 0, 0]),
        ("limit:-1.5", 1, [-1.5, 0, 0, 0]),
        ("limit:7,loud", 1, [7, 1, 0, 0]),
        ("limit:loud", 1, [4, 1, 0, 0]),
        ("pair", 2, [0.5, 2, 0, 0]),
        ("pair:3", 2, [3, 2, 0, 0]),
        ("pair:3, 1e2", 2, [3, 100, 0, 0]),
        ("pair:3,1,slow", 2, [3, 1, 0, 1]),
        ("pair:slow,loud", 2, [0.5, 2, 1, 1]),
    ],
)
def test_names_give_kind_numbers_and_flags(name: str, kind: int, params: list[float]) -> None:
    assert parsed(name) == (kind, params)


@pytest.mark.parametrize("name", ["", "other", "Plain", "checkpoints/plain", "limits:3"])
def test_other_names_are_none(name: str) -> None:
    assert parse_bot(name, KINDS) is None


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("plain:1", r"'plain:1' has 1 numbers: write it as 'plain'\."),
        ("limit:1,2", r"'limit:1,2' has 2 numbers: write it as 'limit:T\[,loud\]'\."),
        ("limit:quiet", r"arguments that are no numbers: write it as 'limit:T\[,loud\]'\."),
        ("pair:1,,2", "has 3 numbers"),
        ("pair:1,", "no numbers"),
        ("pair:nan", "outside ±1,000,000,000"),
        ("pair:1,inf", "outside ±1,000,000,000"),
        ("pair:1,-1.1e9", "outside ±1,000,000,000"),
    ],
)
def test_wrong_arguments_are_refused_with_the_right_form(name: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        parse_bot(name, KINDS)


def test_usage_shows_the_form() -> None:
    assert KINDS["plain"].usage("plain") == "plain"
    assert KINDS["pair"].usage("pair") == "pair:a,b[,loud][,slow]"


def test_kinds_of_the_games_fit_the_record() -> None:
    for game in GAMES.values():
        for name, kind in game.bots.items():
            assert len(kind.parameters) + len(kind.flags) <= MAX_PARAMETERS, name
            assert len(kind.defaults) <= MAX_PARAMETERS, name
            assert kind.doc, name
            assert parse_bot(name, game.bots) is not None
        for name in game.baselines:
            assert parse_bot(name, game.bots) is not None, name
