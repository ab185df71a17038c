"""A game in the terminal against any agents, by plain prompts."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lowhand.agents.names import find_checkpoint, make_agent
from lowhand.agents.table_view import Agent, TableView, agent_name, agents_generator, ask, check_fit
from lowhand.engine.game import Game, emits_reward
from lowhand.engine.kernels_rows import (
    apply_rows,
    deal_one,
    ranking_score_rows,
    score_rows,
)
from lowhand.engine.validation import check_seed, make_options

HELP = (
    "Type an action's number, or the beginning of its words. Other answers: ? shows this help,"
    " `list` shows the legal actions, `table` the table again; q leaves the game."
)

SHORT_LIST = 10  # actions that are listed without being asked for


@dataclass
class Table:
    """One running game: the agents by seat, and the position."""

    game: Game
    options: Any
    seed: int
    rules: np.ndarray
    states: np.ndarray
    agents: list[Agent | None]  # None is the person
    rng: np.random.Generator

    @property
    def state(self) -> Any:
        """The position."""
        return self.states[0]

    @property
    def person(self) -> int:
        """The seat of the person."""
        return self.agents.index(None)

    @property
    def view(self) -> TableView:
        """What an agent is asked with."""
        return TableView(self.game, self.options, self.rules, self.states, np.zeros(1, int))

    def describe(self, action: int) -> str:
        """Returns an action in words."""
        return self.game.describe_action(self.rules, self.state, action)

    def render(self) -> str:
        """Returns the position as the person may see it."""
        return self.game.render(self.rules, self.state, self.person)

    def player(self, seat: int) -> str:
        """Returns the seat's name, with that of its agent."""
        agent = self.agents[seat]
        return f"player_{seat} ({'you' if agent is None else agent_name(agent)})"


def set_table(
    game: Game,
    opponents: Sequence[str | Agent],
    players: int | None = None,
    seat: int | None = None,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Table:
    """Deal a game for a person and agents; the manual of `lowhand play` says what these mean.

    Raises:
        ValueError: an unknown name or an option outside its bounds.
    """
    seed = secrets.randbits(32) if seed is None else check_seed(seed)
    opponents = list(opponents) or [default_opponent(game)]
    if players is None:
        players = max(len(opponents) + 1, min(3, game.max_players))
    if "num_players" in (options or {}):
        raise ValueError("give the number of players as players, not among the options.")
    made = make_options(game, num_players=players, **(options or {}))
    if len(opponents) == 1:
        opponents *= players - 1
    if len(opponents) != players - 1:
        raise ValueError(
            f"{players} players need one opponent, or {players - 1}, not {len(opponents)}."
        )
    rng = agents_generator(seed)
    if seat is None:
        seat = int(rng.integers(players))
    if seat not in range(players):
        raise ValueError(f"seat must be from 0 to {players - 1}, not {seat}.")
    agents: list[Agent | None] = [None] * players
    for place, opponent in enumerate(opponents, start=1):
        agents[(seat + place) % players] = make_agent(opponent, game)
    check_fit([agent for agent in agents if agent is not None], made)
    rules, states = made.rules(), np.zeros(1, game.state)
    deal_one(rules, states, np.uint64(seed), np.uint64(0), np.uint64(0), players)
    return Table(game, made, seed, rules, states, agents, rng)


def play(
    table: Table,
    read: Callable[[str], str] | None = None,
    write: Callable[[str], None] | None = None,
) -> bool:
    """Play the game to its end, or until the person leaves.

    Args:
        table: of `set_table`.
        read: asks a question and returns the answer (default `input`); `EOFError` leaves.
        write: shows a line or several (default `print`).

    Returns:
        Whether the game was played to its end.
    """
    read, write = read or input, write or print
    write(f"{table.game.name}, seed {table.seed}. You are player_{table.person}; with you sit")
    others = [table.player(other) for other in range(len(table.agents)) if other != table.person]
    write(f"{', '.join(others)}. ? helps, q leaves.")
    while not table.state.over:
        mover = int(table.state.mover)
        agent = table.agents[mover]
        if agent is None:
            write("\n" + table.render())
            chosen = _ask_person(table, read, write)
            if chosen is None:
                return False
            action = chosen
        else:
            action = int(ask(agent, table.view, table.rng)[0])
            write(f"{table.player(mover)}: {table.describe(action)}")
        before = table.states.copy()
        apply_rows(table.rules, table.states, np.zeros(1, int), np.array([action]))
        if emits_reward(table.rules[0], table.states[0]) and not table.state.over:
            shown = table.game.render(table.rules, before[0], None)
            write(f"\nThe round is over. Before the last move all hands were these:\n{shown}")
    write("\n" + table.render())
    write(_result(table))
    return True


def default_opponent(game: Game) -> str:
    """The published agent of a game if it is here, else the last of its baselines."""
    published = f"checkpoints/{game.name}"
    return published if find_checkpoint(published) else game.baselines[-1]


def _ask_person(
    table: Table, read: Callable[[str], str], write: Callable[[str], None]
) -> int | None:
    """The action that the person chooses, asked for until legal; None for leaving."""
    legal = {int(a): table.describe(int(a)) for a in np.flatnonzero(table.view.action_mask[0])}
    listed = "\n".join(f"[{action}] {words}" for action, words in legal.items())
    notation = table.game.notation
    if notation is not None:
        question = f"Your move: {notation.help}. `list` shows all {len(legal)}."
    else:
        question = "  ".join(listed.split("\n"))
    while True:
        try:
            answer = read(f"{question}\n> ").strip().lower()
        except EOFError:
            write("\nThe input ended, and with it the game.")
            return None
        if answer in ("q", "quit", "exit"):
            write("You left the game.")
            return None
        if answer in ("?", "h", "help"):
            write(HELP)
        elif answer == "table":
            write(table.render())
        elif answer == "list":
            write(listed)
        else:
            if answer.isdecimal():
                meant = [action for action in legal if str(action) == answer]
            else:
                starts = (a for a, words in legal.items() if words.lower().startswith(answer))
                meant = list(starts) if answer else []
            if len(meant) == 1:
                return meant[0]
            if notation is None or not answer or answer.isdecimal():
                write(_misunderstood(answer, legal, meant))
                continue
            try:
                return notation.read(table.options, table.state, answer)
            except ValueError as error:
                write(str(error))


def _misunderstood(answer: str, legal: dict[int, str], meant: list[int]) -> str:
    if len(meant) > 1:
        several = ", ".join(str(action) for action in meant)
        return f"{answer!r} may mean any of the actions {several}; type more of it, or a number."
    if len(legal) > SHORT_LIST:
        return f"{answer!r} is not a legal action here; `list` shows the {len(legal)} legal ones."
    choices = ", ".join(f"{action} ({words})" for action, words in legal.items())
    return f"{answer!r} is not a legal action here; legal: {choices}."


def _result(table: Table) -> str:
    """Scores from the best to the worst, and who won."""
    scores, ranking_scores = np.empty((2, 1, len(table.agents)))
    score_rows(table.rules, table.states, scores)
    ranking_score_rows(table.rules, table.states, ranking_scores)
    order = [int(seat) for seat in np.argsort(ranking_scores[0], kind="stable")]
    winners = [seat for seat in order if ranking_scores[0, seat] == ranking_scores[0].min()]
    standing = ", ".join(f"{table.player(seat)} {scores[0, seat]:g}" for seat in order)
    if winners == [table.person]:
        verdict = "You win."
    elif table.person in winners:
        others = [table.player(seat) for seat in winners if seat != table.person]
        verdict = f"You share the win with {' and '.join(others)}."
    else:
        names = " and ".join(table.player(seat) for seat in winners)
        verdict = f"{names} {'win' if len(winners) > 1 else 'wins'}."
    return f"Scores, the winner first: {standing}. {verdict}"
