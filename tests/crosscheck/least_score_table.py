"""The referee's table of Least Score as the cross-check needs it."""

from __future__ import annotations

from collections.abc import Sequence

from lowhand.engine.rewards import SCORE_SCALE
from tests.referee.least_score import Table
from tests.referee.least_score_memory import DECK, UNSEEN, Place
from tests.referee.least_score_options import Options
from tests.referee.least_score_sets import DECK as CLOSED_DECK
from tests.referee.least_score_sets import DECLARE, decode


class Twin(Table):
    """A referee's table that keeps up: it finds the legal actions once a turn, not three times.

    Reshuffles are made as `foresee` has said. It also counts what the engine counts beside the
    rules, and says what each seat earns.

    Attributes:
        moves: decisions of the match.
        drawn: cards that each seat has drawn unseen since all closed cards were known.
        statistics: counts of the match for each seat, by their names in the engine's state.
        unplaced: the place of cards that no player can place (LS-18): all unseen, or in the "deck".
    """

    def __init__(self, options: Options, first_player: int) -> None:
        super().__init__(options, first_player, self._foreseen)
        self.moves = 0
        self.drawn = [0] * self.num_players
        names = ("declared", "wrong", "declared_total", "deals_played")
        self.statistics = {name: [0] * self.num_players for name in names}
        self.unplaced = UNSEEN
        self._legal: list[int] | None = None
        self._new_piles: list[list[int]] = []

    def foresee(self, new_piles: list[list[int]]) -> None:
        """Say what the next reshuffle adds to each pile, top card first."""
        self._new_piles = new_piles

    def _foreseen(self, buried: list[int]) -> list[int]:
        """The order of the buried cards that makes these piles, dealt from the mover on."""
        if self.options.deal_mode == "normal":
            return self._new_piles[0]
        order, seat = [], self.mover
        piles = [list(pile) for pile in self._new_piles]
        while piles[seat]:
            order.append(piles[seat].pop(0))
            seat = self._next(seat, self.participants)
        return order

    def start_deal(
        self,
        hands: Sequence[Sequence[int]],
        open_card: int | None,
        deck: Sequence[int] | Sequence[Sequence[int]],
    ) -> None:
        self.drawn = [0] * self.num_players
        self.unplaced = UNSEEN
        super().start_deal(hands, open_card, deck)

    def step(self, action: int) -> None:
        mover = self.mover
        self.moves += 1
        super().step(action)
        self.drawn[mover] += (
            action != DECLARE and decode(action, self.options.hand_size)[1] == CLOSED_DECK
        )

    def legal_actions(self) -> list[int]:
        if not self.in_deal:
            return []
        if self._legal is None:
            self._legal = super().legal_actions()
        return self._legal

    def _begin_turn(self) -> None:
        self._legal = None
        super()._begin_turn()

    def _new_deck(self, order: Sequence[int], discard: Sequence[int]) -> None:
        if not any(self.piles):
            self.drawn = [0] * self.num_players
            self.unplaced = DECK
        super()._new_deck(order, discard)

    def _declare(self) -> None:
        mover, totals = self.mover, [self.total(seat) for seat in self.participants]
        own, ties = self.total(mover), self.options.tie == "wrong"
        self.statistics["declared"][mover] += 1
        self.statistics["declared_total"][mover] += own
        self.statistics["wrong"][mover] += min(totals) < own or (ties and totals.count(own) > 1)
        super()._declare()

    def _end_deal(self, deal_points: dict[int, int]) -> None:  # type: ignore[override]
        for seat in self.participants:
            self.statistics["deals_played"][seat] += 1
        super()._end_deal(deal_points)

    def known_places(self, seat: int) -> dict[int, Place]:
        """`knowledge`, where it is told apart whether a card has been in a new deck only if all
        others have: with own piles nothing more follows for the engine's players."""
        places = self.knowledge(seat)
        if self.options.deal_mode == "stable":
            unplaced = (DECK, UNSEEN)
            return {c: self.unplaced if p in unplaced else p for c, p in places.items()}
        return places

    def rewards(self, kind: str) -> list[float]:
        """What the end of the last deal earns each seat under an objective."""
        if kind == "score":
            return [self._lead(seat) for seat in range(self.num_players)]
        paid = [0.0] * self.num_players
        if kind == "points":
            for seat in self.participants:
                paid[seat] = -self.deal_points[seat] / SCORE_SCALE
            return paid
        for seat in self.participants:
            if self.over or self.out_in[seat] is not None:
                paid[seat] = self._win(seat) if kind == "win" else self._placement(seat)
        return paid

    def _lead(self, seat: int) -> float:
        """How many points the others who took part got more, on average."""
        if seat not in self.participants:
            return 0.0
        others = [self.deal_points[other] for other in self.participants if other != seat]
        return (sum(others) / len(others) - self.deal_points[seat]) / SCORE_SCALE

    def _win(self, seat: int) -> float:
        """The share of the win above a fair share; who is out before the end has not won."""
        return (self.win_shares()[seat] if self.over else 0.0) - 1 / self.num_players

    def _placement(self, seat: int) -> float:
        """From +1 for the first place to −1; who is in is placed before who is out."""
        places = [self._place(other) for other in range(self.num_players)]
        better, tied = sum(p < places[seat] for p in places), places.count(places[seat])
        return 1 - 2 * (better + (tied - 1) / 2) / (self.num_players - 1)

    def _place(self, seat: int) -> tuple[int, ...]:
        """What orders the seats by their place (LS-19); during a match all who are in are first."""
        if self.over:
            return (self.ranking()[seat],)
        out_in = self.out_in[seat]
        return (0,) if out_in is None else (1, -out_in, self.points[seat])
