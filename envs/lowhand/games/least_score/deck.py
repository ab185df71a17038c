"""The record of a match of Least Score: everything there is to know of it."""

import numpy as np

from lowhand.games.least_score.actions import MAX_HAND
from lowhand.games.least_score.cards import NUM_CARDS
from lowhand.games.least_score.options import MAX_PLAYERS

NOBODY = -1

State = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("key", np.uint64),  # fixes all deals and the scripted players' dice
                ("stream", np.uint64),  # random stream of the running deal
                ("counter", np.uint64),  # its next number
                ("buried", np.uint64),  # cards that lie face down beside the deck (LS-8)
                ("known", np.uint64, (MAX_PLAYERS,)),  # cards seen to be picked up, still held
                ("held", np.uint64),  # cards known to be in hands since a reshuffle (LS-18)
                ("limit", np.float64),  # points that knock out, or NO_LIMIT for a single deal
                ("points", np.int32, (MAX_PLAYERS,)),  # of the match
                ("deal_points", np.int32, (MAX_PLAYERS,)),  # of the last deal that ended
                ("moves", np.int32),  # decisions so far
                ("turn", np.int32),  # turns made in this deal
                ("deals", np.int32),  # deals ended
                ("declared", np.int32, (MAX_PLAYERS,)),  # declarations
                ("wrong", np.int32, (MAX_PLAYERS,)),  # of them, wrong ones
                ("declared_total", np.int32, (MAX_PLAYERS,)),  # sum of the totals declared
                ("deals_played", np.int32, (MAX_PLAYERS,)),
                ("out_deal", np.int32, (MAX_PLAYERS,)),  # number of the deal that knocked out
                ("hands", np.int8, (MAX_PLAYERS, MAX_HAND)),  # sorted, NO_CARD behind
                ("sizes", np.int8, (MAX_PLAYERS,)),  # cards in hand; 0 for who sits out
                (
                    "drawn",
                    np.int8,
                    (MAX_PLAYERS,),
                ),  # cards drawn unseen since the last reshuffle, ≤ 100
                ("floor", np.int8, (MAX_HAND,)),  # sorted, NO_CARD behind
                ("floor_size", np.int8),
                ("deck", np.int8, (NUM_CARDS,)),  # piles, the next card of each at its end
                ("pile_start", np.int8, (MAX_PLAYERS,)),  # pile 0 is the deck in normal mode
                ("pile_size", np.int8, (MAX_PLAYERS,)),
                ("out", np.int8, (MAX_PLAYERS,)),  # 1: knocked out (LS-12)
                ("played", np.int8, (MAX_PLAYERS,)),  # 1: took part in the last deal that ended
                ("left", np.int8),  # players not out
                ("starter", np.int8),  # who started this deal
                ("declarer", np.int8),  # of the last deal that ended, or NOBODY
                ("deal_ended", np.int8),  # 1: the last move ended a deal
                ("mover", np.int8),
                ("num_players", np.int8),
                ("over", np.int8),
                ("truncated", np.int8),  # 1: ended by `max_deals` (LS-16)
            ],
            align=True,
        ),
    )
)
