"""Evaluation that can be trusted: agents against fields of others, on fresh deals.

Two fields for each pair of an agent and an opponent, at a table of n players: **one-v-rest**,
the agent alone against n − 1 copies of the opponent, and **rest-v-one**, the opponent alone
against n − 1 copies of the agent. What is reported is always the lone player's share of the
wins (ties share it; 1/n is fair) and its mean score, with 95 % intervals.

- Seats are stratified: in game i the lone player sits at seat i mod n, so each seat gets the
  same number of games, and intervals rest on the variance within seats.
- Deals are fresh: game i of a row is `game_key(seed, i, 0)`, and by default the seed is a hash
  of who plays and what (see `SEED_RULE`), so that no one can choose it.

Works for every game of the contract and needs neither torch nor SciPy.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lowhand.agents.names import make_agent
from lowhand.agents.play_games import game_keys, play_games
from lowhand.agents.table_view import Agent, agent_name, check_fit
from lowhand.engine.game import Game
from lowhand.engine.validation import check_integer, check_seed, make_options
from lowhand.games import get_game
from lowhand_training.common.catalogue import trained_players
from lowhand_training.evaluation.intervals import normal_interval, share_interval
from lowhand_training.evaluation.results import Evaluation, Row
from lowhand_training.evaluation.seeds import GIVEN_SEED_RULE, SEED_RULE, hashed_seed, identity

MOST_GAMES = 10**8  # of a row: their results are kept in memory
CHUNK = 8192  # games in memory at once; results do not depend on it


@dataclass(frozen=True)
class _Player:
    """An agent with its name in tables and its identity in the hash of a seed."""

    name: str
    agent: Agent
    identity: str


def evaluate(
    agents: str | Agent | Sequence[str | Agent],
    opponents: Sequence[str | Agent] | None = None,
    game: str = "no_thanks",
    players: Sequence[int] | None = (3,),
    games: int = 20_000,
    *,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    chunk: int = CHUNK,
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Play agents against fields of opponents.

    Args:
        agents: one or several, as names or objects.
        opponents: of each of them. By default one agent meets the game's `baselines`
            (itself too, if it is one: by symmetry that row must be fair), and several meet each
            other (every ordered pair of different agents).
        game: name of the game.
        players: numbers of players n, each of which gives rows; None for 3, or the least number
            at which all agents that are named can play and were trained.
        games: of each row, rounded up to a multiple of n, and at least 2 n.
        seed: of all rows, which then play the same deals; by default each row's own hash.
        options: options of the game other than `num_players`.
        chunk: games in memory at once; results do not depend on it, unless an agent draws from
            its generator.
        progress: called with (games finished, games in all).

    Returns:
        The rows, agent by agent, within each by number of players and opponent. A matchup that
        occurs twice, as among several agents, is played once.

    Raises:
        ValueError: an unknown name, an option outside its bounds, or an illegal move.
    """
    chosen, options = get_game(game), dict(options or {})
    check_integer("games", games, 1, MOST_GAMES)
    if seed is not None:
        check_seed(seed)
    mine, theirs = _entrants(chosen, agents, opponents)
    if players is None:
        named = mine if opponents is None else [*mine, *theirs]
        names, made = [one.name for one in named], [one.agent for one in named]
        players = [usual_players(chosen, names, made, options)]
    if not players:
        raise ValueError("players must be one number or several, not an empty list.")
    tables = {n: table_options(chosen, n, options) for n in players}
    among_themselves = opponents is None and len(mine) > 1
    for table in tables.values():
        check_fit([player.agent for player in (*mine, *theirs)], table)
    pairs = [
        (a, o, n)
        for a in mine
        for n in tables
        for o in theirs
        if a is not o or not among_themselves
    ]
    matchups = [key for a, o, n in pairs for key in ((n, a, o), (n, o, a))]
    todo = {(n, id(lone), id(rest)): (n, lone, rest) for n, lone, rest in matchups}
    total = sum(rounded(games, n) for n, _, _ in todo.values())
    fields: dict[tuple[int, int, int], dict[str, Any]] = {}
    finished = 0
    for key, (n, lone, rest) in todo.items():
        count = rounded(games, n)

        def show(done: int, before: int = finished) -> None:
            if progress is not None:
                progress(before + done, total)

        fields[key] = _field(chosen, tables[n], lone, rest, count, seed, chunk, show)
        finished += count

    def row(agent: _Player, opponent: _Player, n: int, lone: _Player, rest: _Player) -> Row:
        return Row(agent.name, opponent.name, n, **fields[n, id(lone), id(rest)])

    return Evaluation(
        game=game,
        game_version=chosen.version,
        options={n: asdict(table) for n, table in tables.items()},
        games=games,
        seeds=SEED_RULE if seed is None else GIVEN_SEED_RULE,
        one_v_rest=[row(a, o, n, a, o) for a, o, n in pairs],
        rest_v_one=[row(a, o, n, o, a) for a, o, n in pairs],
    )


def table_options(game: Game, players: int, options: Mapping[str, Any] | None = None) -> Any:
    """The game's options at a table of this many players.

    Raises:
        ValueError: `options` has the number of players too, or one is outside its bounds.
    """
    if options and "num_players" in options:
        raise ValueError("give the numbers of players as `players`, not in `options`.")
    return make_options(game, num_players=players, **(options or {}))


def _entrants(
    game: Game,
    agents: str | Agent | Sequence[str | Agent],
    opponents: Sequence[str | Agent] | None,
) -> tuple[list[_Player], list[_Player]]:
    """The evaluated agents and their opponents; one on both sides is the same object."""
    known: dict[Any, _Player] = {}

    def enter(agent: str | Agent) -> _Player:
        key = agent if isinstance(agent, str) else id(agent)
        if key not in known:
            made = make_agent(agent, game)
            name = agent if isinstance(agent, str) else agent_name(agent)
            known[key] = _Player(name, made, identity(game, name))
        return known[key]

    listed: Sequence[str | Agent] = (
        agents if isinstance(agents, Sequence) and not isinstance(agents, str) else [agents]
    )
    if not listed:
        raise ValueError("an evaluation needs at least one agent.")
    mine = [enter(agent) for agent in listed]
    if opponents is None:
        opponents = game.baselines if len(mine) == 1 else listed
    if not opponents:
        raise ValueError("opponents must not be an empty list; None takes the baselines.")
    theirs = [enter(opponent) for opponent in opponents]
    for side in (mine, theirs):
        check_different("agent", [player.name for player in side])
    return mine, theirs


def check_different(kind: str, names: Sequence[str]) -> None:
    """Raise a ValueError if a name occurs twice."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{kind} {name!r} is named twice.")


def rounded(games: int, unit: int) -> int:
    """Games rounded up to a multiple of `unit`, to two of them at least, for a variance."""
    return max(2, -(-games // unit)) * unit


def _field(
    game: Game,
    options: Any,
    lone: _Player,
    rest: _Player,
    games: int,
    seed: int | None,
    chunk: int,
    progress: Callable[[int], None],
) -> dict[str, Any]:
    """Returns the figures of a row: `lone` played against copies of `rest`."""
    if seed is None:
        who = [game.name, game.version, asdict(options), lone.identity, rest.identity]
        seed = hashed_seed(who)
    players = options.num_players
    share, score, rest_score = np.empty(games), np.empty(games), np.empty(games)
    sums = {name: np.zeros((2, 2)) for name in game.statistics}  # lone, copies × total, count
    decisions = 0
    for first in range(0, games, chunk):
        count = min(chunk, games - first)
        rows = np.arange(count)
        seat = (first + rows) % players
        seating = np.ones((count, players), np.int64)
        seating[rows, seat] = 0
        played = play_games(
            game,
            options,
            (lone.agent, rest.agent),
            seating,
            game_keys(seed, first, count),
            seed=(seed + first) % 2**64,
            progress=lambda done, before=first: progress(before + done),  # type: ignore[misc]
        )
        part = slice(first, first + count)
        share[part], score[part] = played.win_shares[rows, seat], played.scores[rows, seat]
        rest_score[part] = (played.scores.sum(axis=1) - score[part]) / (players - 1)
        decisions += int(played.decisions.sum())
        for name, statistic in game.statistics.items():
            for k, figures in enumerate(
                (statistic.total(played.states), statistic.count(played.states))
            ):
                alone = float(figures[rows, seat].sum())
                sums[name][:, k] += alone, float(figures.sum()) - alone
    lead = rest_score - score
    return {
        "games": games,
        "win_share": float(share.mean()),
        "ci95": share_interval(share.reshape(-1, players)),
        "mean_score": float(score.mean()),
        "mean_score_ci95": normal_interval(score.reshape(-1, players)),
        "rest_mean_score": float(rest_score.mean()),
        "lead": float(lead.mean()),
        "lead_ci95": normal_interval(lead.reshape(-1, players)),
        "statistics": _means(sums, 0),
        "rest_statistics": _means(sums, 1),
        "decisions": decisions,
        "seed": seed,
    }


def _means(sums: dict[str, NDArray[np.float64]], row: int) -> dict[str, float | None]:
    """The means by name; None where there was no occasion."""
    chosen = {name: of_both[row] for name, of_both in sums.items()}
    return {name: total / count if count else None for name, (total, count) in chosen.items()}


def usual_players(
    game: Game, names: Sequence[str], agents: Sequence[Agent], options: Mapping[str, Any]
) -> int:
    """Returns three, or else the least number at which all agents can play and were trained.

    Three too where there is no such number: playing then raises an error that says why.
    """
    usual = 3
    players: int
    for players in [usual, *range(game.min_players, game.max_players + 1)]:
        with suppress(ValueError):
            check_fit(agents, table_options(game, players, options))
            if all(players in (trained_players(name) or {players}) for name in names):
                return players
    return usual
