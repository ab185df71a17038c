"""What a player of No Thanks! sees: row 0 is the observing player, the others follow in order."""

import numpy as np

from lowhand.engine import game
from lowhand.engine.bitset import bit, write_plane
from lowhand.engine.jit import njit
from lowhand.engine.observation import Field, ObservationSpec
from lowhand.engine.records import record
from lowhand.games.no_thanks.options import HIGHEST_CARD, MAX_PLAYERS, Options, Rules
from lowhand.games.no_thanks.rules import score_change

U = np.uint64

CARD_SCALE = float(HIGHEST_CARD)
CHIP_SCALE = 11.0  # of each player at the start of the usual game
POINTS_SCALE = 100.0
SCARCITY = 3  # thresholds of `scarce_chips`: one chip matters most where few are left

Layout = record(
    offered=np.int32,
    cards=np.int32,
    pot=np.int32,
    chips=np.int32,
    scarce_chips=np.int32,
    card_points=np.int32,
    score_change=np.int32,
    cards_left=np.int32,
    present=np.int32,
    low=np.int32,  # card of the first entry of a plane
    num_cards=np.int32,  # entries of a plane
    num_turned=np.int32,  # cards that are played: the unit of cards_left
    seats=np.int32,  # rows of the fields that have one row a seat
    chip_seats=np.int32,  # rows of the chip fields: 1 without recall
)


def observation(options: Options, perfect_recall: bool, seats: int) -> ObservationSpec:
    """The fields under `options`, for `seats` seats (rows of absent players are zero).

    The planes cover the cards of `options`. They also show games with fewer cards: a card that
    is not in the game is never held.

    Raises:
        ValueError: more seats than a game has.
    """
    if seats > MAX_PLAYERS:  # a state has no more seats: `observe` would read beyond them
        raise ValueError(f"observation_seats must be at most {MAX_PLAYERS}, not {seats}.")
    cards, total_chips = options.num_cards, float(options.rules()["chips"].max()) * MAX_PLAYERS
    chip_seats = seats if perfect_recall else 1
    whose = "each player's" if perfect_recall else "the player's"
    chips = total_chips / CHIP_SCALE
    points = sum(range(options.low, options.high + 1)) / POINTS_SCALE
    fields = [
        Field("offered", (cards,), f"the card on offer, one-hot from {options.low}"),
        Field("cards", (seats, cards), "cards in front of each player, 1 where held"),
        Field("pot", (1,), f"chips on the card / {CHIP_SCALE:g}", high=chips),
        Field("chips", (chip_seats,), f"{whose} chips / {CHIP_SCALE:g}", high=chips),
        Field(
            "scarce_chips",
            (chip_seats, SCARCITY),
            f"{whose} chips are fewer than 1, 2, … {SCARCITY}",
        ),
        Field("card_points", (seats,), f"points of cards held / {POINTS_SCALE:g}", high=points),
        Field(
            "score_change",
            (seats,),
            f"exact change of the card points by taking the offered card / {CARD_SCALE:g}",
            low=-1.0,
        ),
        Field("cards_left", (1,), "cards not yet turned / cards that are played"),
        Field("present", (seats,), "1 for each seat that has a player"),
    ]
    return ObservationSpec(
        fields,
        Layout,
        {
            "low": options.low,
            "num_cards": cards,
            "num_turned": cards - options.removed,
            "seats": seats,
            "chip_seats": chip_seats,
        },
        perfect_recall=perfect_recall,
        seats=seats,
    )


@game.observe.register(Rules)
@njit
def observe(rules, layout, state, seat, out, row):  # type: ignore[no-untyped-def]
    """Write what `seat` sees into `out[row, :]` (float32), field by field.

    Offsets are read into locals first, and indices are unsigned: stores to `out` might alias
    the records, signed indices might be negative, and either keeps the compiler from
    vectorising (a factor of ten). Seats without a player have no cards, points or chips.
    """
    row, low, num_cards = U(row), U(layout.low), layout.num_cards
    num_players, offered, over = np.int64(state.num_players), state.offered, state.over
    seats, chip_seats = layout.seats, layout.chip_seats
    cards_at, chips_at, scarce_at = U(layout.cards), U(layout.chips), U(layout.scarce_chips)
    points_at, change_at = U(layout.card_points), U(layout.score_change)
    present_at = U(layout.present)
    # NO_CARD is bit 0, below the lowest card: after the end the one-hot plane is empty.
    write_plane(bit(offered) >> low, num_cards, out, row, U(layout.offered))
    out[row, U(layout.pot)] = state.pot * (1.0 / CHIP_SCALE)
    out[row, U(layout.cards_left)] = (rules.num_turned - state.turned) / layout.num_turned
    for place in range(seats):
        present = place < num_players
        player = seat + place
        if present and player >= num_players:
            player -= num_players
        elif not present:
            player = place
        cards = state.cards[player]
        write_plane(cards >> low, num_cards, out, row, cards_at + U(place * num_cards))
        cell = U(place)
        change = score_change(cards, offered) if present and not over else 0
        out[row, points_at + cell] = state.points[player] * (1.0 / POINTS_SCALE)
        out[row, change_at + cell] = change * (1.0 / CARD_SCALE)
        out[row, present_at + cell] = present
        if place < chip_seats:
            chips = state.chips[player]
            out[row, chips_at + cell] = chips * (1.0 / CHIP_SCALE)
            for i in range(SCARCITY):
                scarce = present and chips <= i
                out[row, scarce_at + U(place * SCARCITY + i)] = scarce
