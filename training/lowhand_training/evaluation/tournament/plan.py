"""What a tournament plays: field shapes, seats, seeds, and the jobs that it falls into.

Every agent is in turn the **focus** of a number of games of each shape, so that the work grows
with the number of agents and not with its square. At a table of n players:

- `one_v_rest`: the focus alone among n − 1 copies of one other agent, of all others in turn;
- `rest_v_one`: n − 1 copies of the focus and one other agent, all others in turn;
- `mixed`: the focus among n − 1 different others, drawn for each game.

"a alone among copies of b" is a game of `one_v_rest` with focus a and of `rest_v_one` with focus
b: the two shapes are mirror images over all pairs. Where both are played, each cell of the
cross-table rests on the games of both.

In game i of a shape and focus the lone player (in `mixed` the focus) sits at seat i mod n, and
the game is `game_key(seed, i, 0)` with the seed of `SEED_RULE`.
"""

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lowhand.agents.names import make_agent
from lowhand.agents.table_view import check_fit
from lowhand.engine.game import Game
from lowhand.engine.validation import check_integer
from lowhand.games import get_game
from lowhand_training.common.catalogue import checkpoint_info, published
from lowhand_training.common.files import as_json
from lowhand_training.evaluation.evaluation import (
    MOST_GAMES,
    check_different,
    rounded,
    table_options,
)
from lowhand_training.evaluation.seeds import hashed_seed, identity

ONE_V_REST, REST_V_ONE, MIXED = "one_v_rest", "rest_v_one", "mixed"
SHAPES = (ONE_V_REST, REST_V_ONE, MIXED)

SEED_RULE = (
    "of a shape and focus: the first 8 bytes, big-endian, of the sha256 of the JSON list [game,"
    " version, options, shape, focus, agents]; an agent is its name, or for a checkpoint the"
    " sha256 of its model.safetensors"
)

JOB_GAMES = 10_000
"""Games of a job at most: one part of the table, and what a kill can lose of each process."""


@dataclass(frozen=True)
class Setting:
    """What a tournament has in all its games.

    Attributes:
        game, version: what is played.
        options: the game's options, `num_players` included, as JSON.
        agents: names of all agents of the tournament.
        identities: what each is in seeds, by `SEED_RULE`.
    """

    game: str
    version: int
    options: str
    agents: tuple[str, ...]
    identities: tuple[str, ...]

    @property
    def players(self) -> int:
        """At each table."""
        return int(json.loads(self.options)["num_players"])


@dataclass(frozen=True)
class Job(Setting):
    """Games of one shape and focus. What they give follows from this description alone.

    Attributes:
        shape: one of `SHAPES`.
        focus: index into `agents`.
        first, count: the numbers of the games, first … first + count − 1.
        seed: of the shape and focus.
    """

    shape: str
    focus: int
    first: int
    count: int
    seed: int

    @property
    def name(self) -> str:
        """Of the job's part of the table; the parts in the order of their names are in order."""
        return f"{SHAPES.index(self.shape)}-{self.shape}-{self.focus:04d}-{self.first:08d}"

    def seating(self) -> NDArray[np.int64]:
        """Returns who sits where, (count, players) int64 index into `agents`."""
        players, numbers = self.players, self.first + np.arange(self.count)
        others = np.delete(np.arange(len(self.agents)), self.focus)
        special = np.arange(players) == (numbers % players)[:, np.newaxis]
        seats = np.full((self.count, players), self.focus, np.int64)
        if self.shape == MIXED:
            # The generator knows where the job begins, so that no job draws for another.
            rng = np.random.default_rng([self.seed, self.first])
            drawn = rng.permuted(np.tile(others, (self.count, 1)), axis=1)
            seats[~special] = drawn[:, : players - 1].ravel()
        else:
            other = others[numbers // players % len(others)][:, np.newaxis]
            np.copyto(seats, other, where=~special if self.shape == ONE_V_REST else special)
        return seats


@dataclass(frozen=True)
class Plan(Setting):
    """A tournament: one game, one number of players, one set of rules.

    Attributes:
        shapes: which of `SHAPES` are played.
        games: asked for, of each agent in each shape; `games_of` rounds up.
    """

    shapes: tuple[str, ...]
    games: int

    def games_of(self, shape: str) -> int:
        """Games of each focus in this shape.

        Rounded up so that every seat, and against copies every opponent at every seat, gets the
        same number, and at least two, for a variance.
        """
        return rounded(self.games, self.players * (1 if shape == MIXED else len(self.agents) - 1))

    @property
    def total(self) -> int:
        """Games in all."""
        return len(self.agents) * sum(self.games_of(shape) for shape in self.shapes)

    def jobs(self) -> list[Job]:
        """All jobs, none of which needs another."""
        jobs = []
        rules = [self.game, self.version, json.loads(self.options)]
        for shape in self.shapes:
            total = self.games_of(shape)
            what = self.game, self.version, self.options, self.agents, self.identities, shape
            for focus, focus_identity in enumerate(self.identities):
                seed = hashed_seed([*rules, shape, focus_identity, list(self.identities)])
                for first in range(0, total, JOB_GAMES):
                    jobs.append(Job(*what, focus, first, min(JOB_GAMES, total - first), seed))
        return jobs

    def to_json(self) -> str:
        """Returns everything, with what the numbers mean."""
        extra = {"options": json.loads(self.options), "job_games": JOB_GAMES, "seeds": SEED_RULE}
        return as_json({**asdict(self), **extra})

    @staticmethod
    def from_json(text: str) -> "Plan":
        """The plan that `to_json` wrote.

        Raises:
            KeyError, TypeError, ValueError: it is none.
        """
        record = json.loads(text)
        options = json.dumps(record["options"], sort_keys=True)
        agents, identities = tuple(record["agents"]), tuple(record["identities"])
        shapes, games = tuple(record["shapes"]), record["games"]
        check_integer("games", games, 1, MOST_GAMES)
        check_integer("num_players", record["options"]["num_players"], 2, 127)
        if len(agents) < 2 or len(identities) != len(agents):
            raise ValueError("it needs two agents at least, and as many identities")
        if not shapes or set(shapes) - set(SHAPES):
            raise ValueError(f"its shapes must be some of {', '.join(SHAPES)}")
        return Plan(record["game"], record["version"], options, agents, identities, shapes, games)


def make_plan(
    agents: Sequence[str],
    game: str = "no_thanks",
    players: int = 3,
    shapes: Sequence[str] = SHAPES,
    games: int = 20_000,
    options: Mapping[str, Any] | None = None,
) -> Plan:
    """Returns the plan of a tournament, checked.

    Args:
        agents: their names; none for the game's baselines and its published agents that can play
            at such a table.
        game: name of the game.
        players: at each table, n.
        shapes: which of `SHAPES` are played.
        games: of each agent in each shape; see `Plan.games_of`.
        options: options of the game other than `num_players`.

    Raises:
        ValueError: an unknown or repeated name, too few agents, or an option outside its bounds.
    """
    chosen = get_game(game)
    made = table_options(chosen, players, options)
    if agents:
        check_fit([make_agent(name, chosen) for name in agents], made)
    else:
        agents = _entrants(chosen, made)
    for shape in shapes:
        if shape not in SHAPES:
            raise ValueError(f"there is no shape {shape!r}; choose among {', '.join(SHAPES)}.")
    if not shapes:
        raise ValueError(f"a tournament needs at least one shape of {', '.join(SHAPES)}.")
    check_integer("games", games, 1, MOST_GAMES)
    check_different("agent", agents)
    check_different("shape", shapes)
    least, why, other = 2, "a tournament", ""
    if MIXED in shapes:
        least, why = players, f"a mixed field of {players} players"
        other = "; name more, or leave `mixed` out of the shapes"
    if len(agents) < least:
        raise ValueError(f"{why} needs {least} agents, and there are {len(agents)}{other}.")
    return Plan(
        game=chosen.name,
        version=chosen.version,
        options=json.dumps(asdict(made), sort_keys=True),
        agents=tuple(agents),
        identities=tuple(identity(chosen, name) for name in agents),
        shapes=tuple(shape for shape in SHAPES if shape in shapes),
        games=games,
    )


def _entrants(game: Game, options: Any) -> list[str]:
    """The baselines of a game, and its published agents that can play at such a table."""
    names = list(game.baselines)
    check_fit([make_agent(name, game) for name in names], options)
    for name in published():
        info = checkpoint_info(name)
        if info is not None and info.game == game.name:
            with contextlib.suppress(ValueError):
                check_fit([make_agent(name, game)], options)
                names.append(name)
    return names
