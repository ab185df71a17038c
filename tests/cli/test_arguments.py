"""Flags from the signature of a command."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest
from jsonargparse import ArgumentParser

from lowhand_training.cli.arguments import File, add_flags, call


@dataclass(frozen=True)
class Rules:
    """Rules.

    Attributes:
        cards: cards that are dealt.
        named: names of
            the cards.
    """

    cards: int = 3
    named: Annotated[Sequence[str], "CARD"] = ()


CALLS = []


def deal(
    players: Sequence[str],
    *,
    rules: Rules,
    sizes: Annotated[Sequence[int] | None, "SIZE", "*"] = None,
    many_hands: bool = False,
    order: Literal["up", "down"] = "up",
    share: float = 0.5,
    json: File | None = None,
    out: Annotated[str, "FOLDER"],
) -> None:
    """Deal cards to players.

    Examples:
      lowhand deal a b

    Args:
        players: players of the game.
        rules: how it is dealt.
        sizes: sizes of hands.
        many_hands: deal again and again.
        order: up or down.
        share: share of the cards.
        json: write it here.
        out: where the cards go.
    """
    CALLS.append((players, rules, sizes, many_hands, order, share, json, out))


@pytest.fixture
def parser():
    made = ArgumentParser(exit_on_error=False)
    add_flags(made, "deal", deal)
    return made


def called(parser, line):
    CALLS.clear()
    call(deal, parser.parse_args(line.split()))
    return CALLS[0]


def test_defaults_are_those_of_the_signature_and_of_the_dataclass(parser):
    assert called(parser, "a --out x") == (
        ["a"], Rules(3, []), None, False, "up", 0.5, None, "x",
    )  # fmt: skip


def test_words_are_read_by_their_types(parser):
    line = "a 7 --cards 9 --named null 5 --sizes 1 2 --many-hands --order down --share 1 --json j"
    assert called(parser, f"{line} --out 3") == (
        ["a", "7"], Rules(9, ["null", "5"]), [1, 2], True, "down", 1.0, Path("j"), "3",
    )  # fmt: skip


def test_only_marked_sequences_may_be_empty(parser):
    assert called(parser, "a --out x --sizes")[2] == []
    with pytest.raises(Exception, match="expected at least one argument"):
        parser.parse_args(["a", "--out", "x", "--named"])


@pytest.mark.parametrize("line", ["a --sizes x", "a --cards x", "a --share x", "a --order in", ""])
def test_wrong_words_are_refused(line, parser):
    with pytest.raises(Exception, match=r"xpected|invalid choice|required"):
        parser.parse_args([*line.split(), "--out", "x"])


def test_an_option_without_default_is_asked_for_with_its_help(parser):
    with pytest.raises(ValueError, match="give --out FOLDER, where the cards go"):
        called(parser, "a")


def test_the_manual_is_the_docstring(parser):
    shown = parser.format_help()
    assert shown.startswith("usage: lowhand deal PLAYERS… --out FOLDER [options]")
    assert "Examples:" in shown
    assert "Args:" not in shown
    assert "Names of the cards." in shown
