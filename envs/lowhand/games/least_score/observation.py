"""What a player of Least Score sees: row 0 is the observing player, the others follow in order."""

import numpy as np

from lowhand.engine import game
from lowhand.engine.bitset import write_plane
from lowhand.engine.jit import njit
from lowhand.engine.observation import ABSENT, Field, ObservationSpec
from lowhand.engine.records import record
from lowhand.games.least_score.actions import MAX_HAND
from lowhand.games.least_score.cards import RANKS, SUITS
from lowhand.games.least_score.deck import pile_of
from lowhand.games.least_score.hidden import hand_cards, seen_cards
from lowhand.games.least_score.options import MAX_PLAYERS, NO_LIMIT, Options, Rules
from lowhand.games.least_score.rules import hand_total, may_declare

U = np.uint64

TOTAL_SCALE = 50.0  # points of five faces
POINTS_SCALE = 100.0
TURNS_SCALE = 10.0  # turns of a player; few deals last longer

_OFFSETS = (
    "hand_ranks", "hand_suits", "floor_ranks", "floor_suits", "total", "may_declare",
    "hand_sizes", "points", "distance", "playing", "single_deal", "deck_size", "buried_size",
    "turn", "known", "buried", "held", "unseen_ranks", "hidden_ranks", "hidden_totals",
)  # fmt: skip
_PARAMETERS = ("ranks", "suits", "slots", "seats")

Layout = record(**dict.fromkeys((*_OFFSETS, *_PARAMETERS), np.int32))


def observation(options: Options, perfect_recall: bool, seats: int) -> ObservationSpec:
    """The fields under `options`, for `seats` seats (rows of absent players are zero).

    Raises:
        ValueError: more seats than a game has.
    """
    fields = _visible_fields(options, seats)
    if perfect_recall:
        fields += _remembered_fields(options, seats)
    return _spec(options, fields, perfect_recall, seats)


def observation_supports(trained: Options, options: Options) -> bool:
    """Whether observations with the layout of `trained` can show a table with `options`."""
    return (
        options.ranks <= trained.ranks
        and options.suits <= trained.suits
        and options.hand_size == trained.hand_size
    )


def critic_observation(options: Options, perfect_recall: bool, seats: int) -> ObservationSpec:
    """The observation and, after it, the hidden hands: for a critic, in training only."""
    seen = observation(options, perfect_recall, seats)
    hidden = [
        Field("hidden_ranks", (seats, options.ranks), "cards of each rank in each hand / 4"),
        Field("hidden_totals", (seats,), f"points of each hand / {TOTAL_SCALE:g}", high=1.3),
    ]
    return _spec(options, [*seen.fields, *hidden], perfect_recall, seats)


def _spec(
    options: Options, fields: list[Field], perfect_recall: bool, seats: int
) -> ObservationSpec:
    if seats > MAX_PLAYERS:  # a state has no more seats: `observe` would read beyond them
        raise ValueError(f"observation_seats must be at most {MAX_PLAYERS}, not {seats}.")
    parameters = {
        "ranks": options.ranks, "suits": options.suits, "slots": options.hand_size, "seats": seats,
    }  # fmt: skip
    return ObservationSpec(fields, Layout, parameters, perfect_recall=perfect_recall, seats=seats)


def _visible_fields(options: Options, seats: int) -> list[Field]:
    """What lies on the table, and the player's hand."""
    ranks, suits, slots = options.ranks, options.suits, options.hand_size
    most = ((options.points_limit or 0) + options.penalty + MAX_HAND * RANKS) / POINTS_SCALE
    limit = (options.points_limit or POINTS_SCALE) / POINTS_SCALE  # bounds must differ
    longest = int(options.rules()["max_turns"].max()) / (2 * TURNS_SCALE)
    return [
        Field("hand_ranks", (slots, ranks), "rank of the card in each slot of the hand, one-hot"),
        Field("hand_suits", (slots, suits), "its suit, one-hot"),
        Field("floor_ranks", (slots, ranks), "rank of the card in each slot of the floor, one-hot"),
        Field("floor_suits", (slots, suits), "its suit, one-hot"),
        Field("total", (1,), f"points of the player's hand / {TOTAL_SCALE:g}", high=1.3),
        Field("may_declare", (1,), "1 where declaring is legal"),
        Field("hand_sizes", (seats,), f"cards in each hand / {slots}"),
        Field("points", (seats,), f"points of each player / {POINTS_SCALE:g}", high=most),
        Field(
            "distance",
            (seats,),
            f"points to each player's limit / {POINTS_SCALE:g}, 0 for a player who is out and in a"
            " single deal",
            high=limit,
        ),
        Field("playing", (seats,), "1 for each player who is in"),
        Field("single_deal", (1,), "1 where the match is a single deal"),
        Field("deck_size", (1,), "cards left to draw from / cards of the deck"),
        Field("buried_size", (1,), "buried cards / cards of the deck"),
        Field("turn", (1,), f"turns made in this deal / {TURNS_SCALE:g} a player", high=longest),
    ]


def _remembered_fields(options: Options, seats: int) -> list[Field]:
    """What a player who remembers every public move knows (LS-18)."""
    cards = options.num_cards
    return [
        Field("known", (seats, cards), "cards that all know to be in each hand"),
        Field("buried", (cards,), "cards that are buried"),
        Field("held", (cards,), "cards that must be in the hands of others since a reshuffle"),
        Field("unseen_ranks", (options.ranks,), "cards of each rank whose place is not known / 4"),
    ]


@game.observe.register(Rules)
@njit
def observe(rules, layout, state, seat, out, row):  # type: ignore[no-untyped-def]
    """Write what `seat` sees into `out[row, :]` (float32), field by field."""
    row, cards = U(row), layout.ranks * layout.suits
    _write_slots(layout, state.hands, seat, state.sizes[U(seat)], out, row)
    _write_floor(layout, state, out, row)
    own_turn = seat == state.mover and not state.over
    total = hand_total(rules, state, seat)
    out[row, U(layout.total)] = total * (1.0 / TOTAL_SCALE)
    out[row, U(layout.may_declare)] = own_turn and may_declare(rules, state)
    out[row, U(layout.single_deal)] = state.limit == NO_LIMIT
    out[row, U(layout.deck_size)] = state.pile_size[pile_of(rules, seat)] / cards
    hidden = cards - state.floor_size
    for player in range(state.num_players):
        hidden -= state.sizes[player] + (state.pile_size[player] if rules.stable else 0)
    if not rules.stable:
        hidden -= state.pile_size[0]
    out[row, U(layout.buried_size)] = hidden / cards
    out[row, U(layout.turn)] = state.turn / (TURNS_SCALE * max(2, state.left))
    _write_players(layout, state, seat, out, row)
    if layout.known != ABSENT:
        _write_memory(layout, state, seat, out, row)
    if layout.hidden_ranks != ABSENT:
        _write_hidden(rules, layout, state, seat, out, row)


@njit
def _clear(out, row, start, entries):  # type: ignore[no-untyped-def]
    for i in range(U(entries)):
        out[row, start + i] = 0.0


@njit
def _write_slots(layout, hands, seat, size, out, row):  # type: ignore[no-untyped-def]
    """Write rank and suit of the hand's slots, one-hot; zeros for an empty slot."""
    ranks, suits, slots = U(layout.ranks), U(layout.suits), U(layout.slots)
    ranks_at, suits_at = U(layout.hand_ranks), U(layout.hand_suits)
    _clear(out, row, ranks_at, slots * ranks)
    _clear(out, row, suits_at, slots * suits)
    for k in range(U(size)):
        card = U(hands[U(seat), k])
        out[row, ranks_at + k * ranks + card // U(SUITS)] = 1.0
        out[row, suits_at + k * suits + card % U(SUITS)] = 1.0


@njit
def _write_floor(layout, state, out, row):  # type: ignore[no-untyped-def]
    """Write rank and suit of the floor's slots, one-hot; zeros for an empty slot."""
    ranks, suits, slots = U(layout.ranks), U(layout.suits), U(layout.slots)
    ranks_at, suits_at = U(layout.floor_ranks), U(layout.floor_suits)
    _clear(out, row, ranks_at, slots * ranks)
    _clear(out, row, suits_at, slots * suits)
    for k in range(U(state.floor_size)):
        card = U(state.floor[k])
        out[row, ranks_at + k * ranks + card // U(SUITS)] = 1.0
        out[row, suits_at + k * suits + card % U(SUITS)] = 1.0


@njit
def _player_at(state, seat, place):  # type: ignore[no-untyped-def]
    """The seat `place` places after `seat`, or −1 if there are fewer players."""
    if place >= state.num_players:
        return -1
    player = np.int64(seat) + place
    return player - state.num_players if player >= state.num_players else player


@njit
def _write_players(layout, state, seat, out, row):  # type: ignore[no-untyped-def]
    """Write for each player: cards, points, distance to the limit, whether it is in."""
    sizes_at, points_at = U(layout.hand_sizes), U(layout.points)
    distance_at, playing_at = U(layout.distance), U(layout.playing)
    for place in range(layout.seats):
        player, cell = _player_at(state, seat, place), U(place)
        size, points, distance, playing = 0.0, 0.0, 0.0, 0.0
        if player >= 0:
            size = state.sizes[player] / layout.slots
            points = state.points[player] * (1.0 / POINTS_SCALE)
            playing = 1.0 - state.out[player]
            if state.limit != NO_LIMIT:
                distance = playing * (state.limit - state.points[player]) * (1.0 / POINTS_SCALE)
        out[row, sizes_at + cell] = size
        out[row, points_at + cell] = points
        out[row, distance_at + cell] = distance
        out[row, playing_at + cell] = playing


@njit
def _write_cards(layout, bits, out, row, start):  # type: ignore[no-untyped-def]
    """Write a bitset of cards as a plane, rank by rank and suit by suit."""
    if layout.suits == SUITS:
        write_plane(bits, layout.ranks * SUITS, out, row, start)
        return
    for rank in range(layout.ranks):
        write_plane(bits >> U(SUITS * rank), layout.suits, out, row, start + U(rank * layout.suits))


@njit
def _write_memory(layout, state, seat, out, row):  # type: ignore[no-untyped-def]
    """Write what the public moves have revealed (LS-18)."""
    cards = layout.ranks * layout.suits
    seen = seen_cards(state, seat)
    for place in range(layout.seats):
        player = _player_at(state, seat, place)
        known = U(0) if player < 0 else state.known[player]
        _write_cards(layout, known, out, row, U(layout.known + place * cards))
    _write_cards(layout, state.buried, out, row, U(layout.buried))
    _write_cards(layout, state.held & ~hand_cards(state, seat), out, row, U(layout.held))
    for rank in range(layout.ranks):
        unseen = 0
        for suit in range(layout.suits):
            unseen += int((seen >> U(SUITS * rank + suit)) & U(1) == 0)
        out[row, U(layout.unseen_ranks + rank)] = unseen / SUITS


@njit
def _write_hidden(rules, layout, state, seat, out, row):  # type: ignore[no-untyped-def]
    """Write all hands, for a critic."""
    for place in range(layout.seats):
        player = _player_at(state, seat, place)
        start = layout.hidden_ranks + place * layout.ranks
        for rank in range(layout.ranks):
            out[row, U(start + rank)] = 0.0
        total = 0
        if player >= 0:
            total = hand_total(rules, state, player)
            for k in range(state.sizes[player]):
                out[row, U(start + (state.hands[player, k] >> 2))] += np.float32(1.0 / SUITS)
        out[row, U(layout.hidden_totals + place)] = total * (1.0 / TOTAL_SCALE)
