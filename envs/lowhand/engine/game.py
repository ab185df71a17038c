"""The one contract that a game fulfils, and the compiled functions chosen by its rules.

A game is data and small functions. Its position is one NumPy record, a batch is an array of
them and a copy is a clone. Its rules are small functions on a `Rules` record (what is fixed
for a batch) and a `State` record, written once and used by every API. The shared parts
(batch, AEC, Gymnasium, training, evaluation) call the generic functions below, `apply`,
`observe` and so on; Numba picks the game's own when it compiles a caller, by the record type
of `rules`. Nothing is looked up while games are played.

A further game is a folder with these functions, and one line in `lowhand.games` or, in a package
of your own, a call of `lowhand.register_game`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
from numba.extending import overload
from numba.np.numpy_support import from_dtype

from lowhand.engine.jit import note_rules
from lowhand.engine.observation import ObservationSpec
from lowhand.engine.scripted import BotKind

if TYPE_CHECKING:
    from PIL.Image import Image

# Fields that every game's State has, with the same meaning, beside its own:
#   key          uint64  fixes the deal and the scripted players' dice
#   mover        int8    the player to move; after the end the one who moved last
#   num_players  int8    players at the table
#   over         int8    1 after the end of the game
#   moves        int32   decisions made so far
# and, in games that have such a thing:
#   out          int8 (players,)  1 for who is out before the end and has no more moves
#   truncated    int8    1 if the game was ended by a limit and not by its rules

MAX_SEATS = 8
"""The most players of any game: the arrays of compiled loops have this many entries."""

NOT_IN_ROUND = np.inf
"""The `round_score` of a seat that took no part, or of all where no round has ended."""


class RulesFunction(Protocol):
    """A generic function: call it with a `Rules` record first, or register a game's own."""

    def __call__(self, rules: Any, *arguments: Any) -> Any:
        """Call the function that was registered for the record type of `rules`."""
        ...

    def register(self, rules_dtype: np.dtype) -> Callable[[Callable[..., Any]], Any]:
        """Decorator: use this function wherever `rules` has the record type `rules_dtype`."""
        ...


def rules_function(stub: Callable[..., Any]) -> RulesFunction:
    """Make of `stub(rules, …)` a function whose body each game registers for its own rules."""
    by_dtype: dict[np.dtype, Callable[..., Any]] = {}
    by_numba_type: dict[Any, Callable[..., Any]] = {}

    def call(rules: Any, *arguments: Any) -> Any:
        return by_dtype[rules.dtype](rules, *arguments)

    call.__name__, call.__doc__ = stub.__name__, stub.__doc__

    @overload(call, strict=False, jit_options={"error_model": "numpy"})
    def choose(*types: Any) -> Callable[..., Any] | None:
        return by_numba_type.get(types[0])

    def register(rules_dtype: np.dtype) -> Callable[[Callable[..., Any]], Any]:
        def keep(function: Callable[..., Any]) -> Any:
            by_dtype[rules_dtype] = function
            by_numba_type[from_dtype(rules_dtype)] = getattr(function, "py_func", function)
            note_rules(from_dtype(rules_dtype), function)
            return function

        return keep

    call.register = register  # type: ignore[attr-defined]
    return cast(RulesFunction, call)


@rules_function
def deal(rules, state, key, num_players):  # type: ignore[no-untyped-def]
    """Start the game that `key` (uint64) fixes, for `num_players`, in `state`."""


@rules_function
def apply(rules, state, action):  # type: ignore[no-untyped-def]
    """Play the legal `action` for `state.mover`. Does not check legality."""


@rules_function
def is_legal(rules, state, action):  # type: ignore[no-untyped-def]
    """Whether `action` (any integer) is legal for the player to move."""


@rules_function
def write_mask(rules, state, out, row):  # type: ignore[no-untyped-def]
    """Write 1 for every legal action of the player to move, else 0, into `out[row, :]`."""


@rules_function
def observe(rules, layout, state, seat, out, row):  # type: ignore[no-untyped-def]
    """Write what `seat` sees into `out[row, :]`, field by field at the offsets of `layout`."""


@rules_function
def score(rules, state, seat):  # type: ignore[no-untyped-def]
    """Score of `seat` as the game stands, in points: low is good. For people and statistics."""


@rules_function
def ranking_score(rules, state, seat):  # type: ignore[no-untyped-def]
    """What ranks the seats as the game stands (float64): the lowest is first, equals share."""


@rules_function
def emits_reward(rules, state):  # type: ignore[no-untyped-def]
    """Whether the last move earns anybody a reward: by the end of a round or of the game."""


@rules_function
def rank_is_final(rules, state, seat):  # type: ignore[no-untyped-def]
    """Whether the last move settled the place of `seat`, by ending its game.

    Its `ranking_score` is then final in comparison with all others'. True once in a game.
    """


@rules_function
def round_score(rules, state, seat):  # type: ignore[no-untyped-def]
    """Points that `seat` got in the round that the last move ended, or `NOT_IN_ROUND`."""


@rules_function
def act(rules, state, bot, dice):  # type: ignore[no-untyped-def]
    """The action of the scripted player `bot` (a Bot record) for the player to move.

    `dice` is a uint64 stream key of this seat and move, for players that randomise.
    """


@rules_function
def resample_hidden(rules, state, seat, recall, key):  # type: ignore[no-untyped-def]
    """Re-deal in place what `seat` can't know; with `recall` it remembers all public moves."""


@dataclass(frozen=True)
class View:
    """Whose view of a position is drawn, and the text next to it.

    Attributes:
        viewer: the seat whose view it is; None shows everything.
        notes: what happened before, in sentences.
        offender: the seat that has just lost by an illegal action.
    """

    viewer: int | None = None
    notes: Sequence[str] = ()
    offender: int | None = None


@dataclass(frozen=True)
class Statistic:
    """Something that an evaluation counts: a mean, as a sum over a count of occasions.

    Attributes:
        meaning: one line for people.
        total, count: of each seat, (games, seats), from the final states (games,).
    """

    meaning: str
    total: Callable[[np.ndarray], np.ndarray]
    count: Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class EvaluationSetting:
    """A form of the game in which published agents are judged.

    Attributes:
        title: for people, such as "matches to 100".
        players: numbers of players.
        rule_players: the number of players at which it is decided which training seed is
            published.
        games: of each row of an evaluation.
        options: of the game, where they are not the defaults.
    """

    title: str
    players: tuple[int, ...]
    rule_players: int
    games: int = 20_000
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Notation:
    """How a person writes moves of a game that has too many of them for a list.

    Attributes:
        help: what may be written, in a sentence.
        read: the legal action that a text means in a state, with the game's options; raises a
            ValueError that says why it means none.
    """

    help: str
    read: Callable[[Any, np.record, str], int]


class Options(Protocol):
    """A game's options: a frozen dataclass that refuses what the rules don't allow."""

    num_players: int

    def rules(self) -> np.ndarray:
        """The `Rules` record of these options, as an array of shape (1,)."""
        ...


@dataclass(frozen=True, eq=False)  # one object a game, so that it can be a key of a cache
class Game:
    """One game, as the shared parts know it.

    Attributes:
        name: the name in `make_batch`, configs and checkpoints, such as `"no_thanks"`.
        version: of rules, observation and action meaning; a change of any is a new version.
        state: record dtype of a position.
        options: frozen dataclass of the game's options.
        min_players, max_players: bounds of `num_players`.
        num_actions: size of the action space under given options.
        observation: the fields under given options, recall level and number of seats.
        critic_observation: the same fields, and behind them what is hidden from the player: for
            a critic in training. None where a game has no use for one.
        bots: the scripted players by name.
        bot_distributions: samplers of scripted players with random parameters, by name: a Bot record
            (array of shape (1,)) from a generator. Training leagues draw opponents from them.
        baselines: names of the players that an evaluation uses when none are named.
        describe_action: the action as a person would say it.
        render: the position as text, as a viewer (a seat, or None for all) may see it.
        set_position: put a position given by reset options (`deck`, …) into a state.
        observation_supports: whether observations laid out for the first options can show a table with the
            second: whether an agent trained with the first can play there.
        invalid_state_reason: what can't be in a record from outside, as a clause, or None.
        evaluation_settings: the forms in which published agents are judged; the first of them is the one
            that decides.
        statistics: what an evaluation counts beside wins and scores, by name.
        training_options: names of options that serve training alone.
        notation: how a person may write moves, beside choosing from a list.
        picture: the position drawn, as a view of it (a seat, or None for all) may see it.
    """

    name: str
    version: int
    state: np.dtype
    options: Callable[..., Any]
    min_players: int
    max_players: int
    num_actions: Callable[[Any], int]
    observation: Callable[[Any, bool, int], ObservationSpec]
    bots: Mapping[str, BotKind]
    bot_distributions: Mapping[str, Callable[[np.random.Generator], np.ndarray]]
    baselines: tuple[str, ...]
    describe_action: Callable[[np.ndarray, np.record, int], str]
    render: Callable[[np.ndarray, np.record, int | None], str]
    set_position: Callable[[Any, np.ndarray, np.ndarray, Mapping[str, Any]], None]
    invalid_state_reason: Callable[[Any, np.ndarray, np.record], str | None]
    observation_supports: Callable[[Any, Any], bool]
    evaluation_settings: tuple[EvaluationSetting, ...]
    critic_observation: Callable[[Any, bool, int], ObservationSpec] | None = None
    statistics: Mapping[str, Statistic] = field(default_factory=dict)
    training_options: tuple[str, ...] = ()
    notation: Notation | None = None
    picture: Callable[[np.ndarray, np.record, View], Image] | None = None
