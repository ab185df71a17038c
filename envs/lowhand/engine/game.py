"""The one contract that a game fulfils, and the compiled functions chosen by its rules.

A position is one NumPy record, a batch is an array of them. The rules are small functions on a
`Rules` record (what is fixed for a batch) and a `State` record, written once and used by every
API. The shared parts call the generic functions below, `apply`, `observe` and so on; Numba picks
the game's own when it compiles a caller, by the record type of `rules`. Nothing is looked up
while games are played.

A further game registers eight of these functions (the others have defaults), and has one line in
`lowhand.games` or, in a package of your own, a call of `lowhand.register_game`.
`lowhand.testing.check_game` finds what is wrong with it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numba.extending import overload
from numba.np.numpy_support import from_dtype

from lowhand.engine.observation import ObservationSpec
from lowhand.engine.scripted import BotKind, make_bot

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_SEATS = 8
"""The most players of any game: the arrays of compiled loops have this many entries."""

NOT_IN_ROUND = np.inf
"""The `round_score` of a seat that took no part, or of all where no round has ended."""


class RulesFunction:
    """A generic function: call it with a `Rules` record first, or register a game's own.

    Attributes:
        default: what applies where a game has registered none; None where every game must.
        implementations: the registered functions by Numba type, for the cache stamps of callers.
    """

    __name__: str

    def __init__(self, stub: Callable[..., Any], default: Callable[..., Any] | None) -> None:
        functools.update_wrapper(self, stub)
        self.default = default
        self.implementations: dict[Any, Callable[..., Any]] = {}
        self._by_dtype: dict[np.dtype, Callable[..., Any]] = {}
        RULES_FUNCTIONS[stub.__name__] = self

        @overload(self, strict=False, jit_options={"error_model": "numpy"})
        def choose(*types: Any) -> Callable[..., Any] | None:
            return self.implementations.get(types[0], default)

    def __call__(self, rules: Any, *arguments: Any) -> Any:
        """Call the function that was registered for the record type of `rules`."""
        body = self._by_dtype.get(rules.dtype, self.default)
        if body is None:
            raise NotImplementedError(
                f"no {self.__name__!r} is registered for the record type of these rules."
            )
        return body(rules, *arguments)

    def register(self, rules_dtype: np.dtype) -> Callable[[Callable[..., Any]], Any]:
        """Decorator: use this function wherever `rules` has the record type `rules_dtype`.

        Raises:
            ValueError: another game has registered its own for the same record type.
        """

        def keep(function: Callable[..., Any]) -> Any:
            numba_type = from_dtype(rules_dtype)
            other = self.implementations.get(numba_type, function).__module__
            if other != function.__module__:
                raise ValueError(
                    f"{function.__module__} and {other} both register {self.__name__!r} for a"
                    " Rules record of the same fields, by which games are told apart: rename a"
                    " field of one."
                )
            self._by_dtype[rules_dtype] = function
            self.implementations[numba_type] = getattr(function, "py_func", function)
            return function

        return keep

    def is_registered(self, rules_dtype: np.dtype) -> bool:
        """Whether a game has registered its own for this record type."""
        return rules_dtype in self._by_dtype


RULES_FUNCTIONS: dict[str, RulesFunction] = {}
"""All generic functions by name; those without a default are what every game registers."""


def rules_function(stub: Callable[..., Any]) -> RulesFunction:
    """Make of `stub(rules, …)` a function whose body each game registers for its own rules."""
    return RulesFunction(stub, None)


def default_rules_function(default: Callable[..., Any]) -> RulesFunction:
    """Make of `default` a function for which a game may register another body."""
    return RulesFunction(default, default)


# Every game registers these eight.


@rules_function
def deal(rules, state, key, num_players):  # type: ignore[no-untyped-def]
    """Start the game that `key` (uint64) fixes, for `num_players`, in `state`.

    The record may hold a game that has ended: every field that counts is written.
    """


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
    """Score of `seat` in this position (float64), in points: low is good."""


@rules_function
def act(rules, state, bot, key):  # type: ignore[no-untyped-def]
    """The action of the scripted player `bot` (a Bot record) for the player to move.

    `key` is a uint64 stream key of this seat and move, for players that randomise.
    """


@rules_function
def resample_hidden(rules, state, seat, recall, key):  # type: ignore[no-untyped-def]
    """Sample in place, by `key`, what `seat` can't know (a determinization).

    Without `recall` the seat knows what it observes now; with it, all public moves too. The
    state gets a new `key`, so that what is still to be drawn is sampled too.
    """


# These have defaults, for a game of one round in which all play to the end.


@default_rules_function
def ranking_score(rules, state, seat):  # type: ignore[no-untyped-def]
    """What ranks the seats in this position (float64): the lowest is first, equal ones tie.

    By default the score.
    """
    return score(rules, state, seat)


@default_rules_function
def emits_reward(rules, state):  # type: ignore[no-untyped-def]
    """Whether the last move earns a seat a reward: by the end of a round or of the game.

    By default the end of the game.
    """
    return state.over != 0


@default_rules_function
def rank_is_final(rules, state, seat):  # type: ignore[no-untyped-def]
    """Whether the last move made the rank of `seat` final, by ending its game.

    Its `ranking_score` is then final in comparison with all others'. True once in a game: by
    default at the end.
    """
    return state.over != 0


@default_rules_function
def round_score(rules, state, seat):  # type: ignore[no-untyped-def]
    """Points that `seat` got in the round that the last move ended, or `NOT_IN_ROUND`.

    By default the game is one round.
    """
    return score(rules, state, seat) if state.over else NOT_IN_ROUND


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


def _render(rules: np.ndarray, state: np.record, viewer: int | None) -> str:
    """What hides nothing in any game: whose move it is, and the scores at the end."""
    if not state.over:
        return f"player_{state.mover} is to move, after {state.moves} decisions."
    scores = [f"player_{k} {score(rules[0], state, k):g}" for k in range(state.num_players)]
    return f"Game over after {state.moves} decisions. Scores: {', '.join(scores)}."


def _wrong_shared_field(options: Any, rules: np.ndarray, state: np.record) -> str | None:
    if state.num_players != options.num_players:
        return f"it has {state.num_players} players and not {options.num_players}"
    if not 0 <= state.mover < state.num_players or state.over not in (0, 1) or state.moves < 0:
        return "mover, over or moves has a value that no game has"
    return None


def _same_but_for_players(trained: Any, options: Any) -> bool:
    return bool(replace(trained, num_players=options.num_players) == options)


@dataclass(frozen=True, eq=False, kw_only=True)  # one object a game, as a key of caches
class Game:
    """One game, as the shared parts know it. All but the first seven have defaults.

    Attributes:
        name: the name in `make_batch`, configs and checkpoints, such as `"no_thanks"`.
        state: record dtype of a position.
        options: frozen dataclass of the game's options, `num_players` among them; it refuses what
            the rules don't allow. Its `rules()` returns their record, an array of shape (1,).
        min_players, max_players: bounds of `num_players`, within 2 to `MAX_SEATS`.
        num_actions: size of the action space under given options.
        observation: the fields under given options, recall level and number of seats.
        version: of rules, observation and action meaning; a change of any is a new version.
        critic_observation: the same fields, followed by what is hidden from the player: for
            a critic in training. None where a game has no use for one.
        bots: the scripted players by name.
        bot_distributions: samplers of scripted players with random parameters, by name: a Bot
            record (array of shape (1,)) from a generator. Training leagues draw opponents from
            them. By default each of `bots` as its name alone means it.
        baselines: names of the players that an evaluation uses when none are named; by default
            all of `bots`.
        describe_action: the action as a person would say it.
        render: the position as text, as a viewer (a seat, or None for all) may see it.
        set_position: put a position given by reset options (`deck`, …) into a state. By default
            there are no such options.
        invalid_state_reason: what can't be in a record from outside, as a clause, or None.
            Compiled code trusts a record, and the default looks at the fields of every game only.
        observation_supports: whether observations laid out for the first options can show a
            table with the second: whether an agent trained with the first can play there. By
            default where they are the same but for the number of players.
        evaluation_settings: in which published agents are judged, the decisive one first; by
            default the game with its default options, for every number of players.
        statistics: what an evaluation counts in addition to wins and scores, by name.
        training_options: names of options that serve training alone.
        notation: how a person may write moves instead of choosing from a list.
        picture: the position drawn, as a view of it (a seat, or None for all) may see it.
    """

    name: str
    state: np.dtype
    options: Callable[..., Any]
    min_players: int
    max_players: int
    num_actions: Callable[[Any], int]
    observation: Callable[[Any, bool, int], ObservationSpec]
    version: int = 0
    critic_observation: Callable[[Any, bool, int], ObservationSpec] | None = None
    bots: Mapping[str, BotKind] = field(default_factory=dict)
    bot_distributions: Mapping[str, Callable[[np.random.Generator], np.ndarray]] = field(
        default_factory=dict
    )
    baselines: tuple[str, ...] = ()
    describe_action: Callable[[np.ndarray, np.record, int], str] = lambda rules, state, action: (
        f"action {action}"
    )
    render: Callable[[np.ndarray, np.record, int | None], str] = _render
    set_position: Callable[[Any, np.ndarray, np.ndarray, Mapping[str, Any]], None] = (
        lambda options, rules, states, position: None
    )
    invalid_state_reason: Callable[[Any, np.ndarray, np.record], str | None] = _wrong_shared_field
    observation_supports: Callable[[Any, Any], bool] = _same_but_for_players
    evaluation_settings: tuple[EvaluationSetting, ...] = ()
    statistics: Mapping[str, Statistic] = field(default_factory=dict)
    training_options: tuple[str, ...] = ()
    notation: Notation | None = None
    picture: Callable[[np.ndarray, np.record, View], Image] | None = None

    def __post_init__(self) -> None:
        players = tuple(range(self.min_players, self.max_players + 1))
        defaults = {
            "bot_distributions": {
                name: lambda rng, kind=kind: make_bot(kind) for name, kind in self.bots.items()
            },
            "baselines": tuple(self.bots),
            "evaluation_settings": (EvaluationSetting("games", players, self.min_players),),
        }
        for name, value in defaults.items():
            if not getattr(self, name):
                object.__setattr__(self, name, value)
