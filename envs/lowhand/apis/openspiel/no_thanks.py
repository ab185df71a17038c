"""Chance in No Thanks!: the first player, and the next card."""

from enum import StrEnum

from lowhand.apis.openspiel.position import Bounds, Position
from lowhand.engine.bitset import bits
from lowhand.games.no_thanks.hidden import turn_first, turn_next, unturned
from lowhand.games.no_thanks.options import Options
from lowhand.games.no_thanks.rules import NO_CARD, TAKE


class Event(StrEnum):
    """What a position waits for."""

    FIRST_PLAYER = "the first player is drawn"
    FIRST_CARD = "the first card is turned"
    NEXT_CARD = "the next card is turned"


class NoThanksPosition(Position):
    """A position of No Thanks!: outcomes are seats, and cards counted from the lowest.

    A card that was removed unseen is as likely to come as one in the deck (NT-1). A take waits
    for the next card, on which the taker decides first (NT-6).
    """

    event: Event | None

    @staticmethod
    def bounds(options: Options) -> Bounds:
        """Each card is taken, after at most one pass for every chip of the game."""
        turned, players = options.num_cards - options.removed, options.num_players
        chips = int(options.rules()["chips"][0, players]) * players
        costliest = range(options.high, options.low - 1, -2)[:turned]  # without neighbours
        return Bounds(
            decisions=turned * (chips + 1),
            events=turned + (options.first_player == "random"),
            outcomes=max(options.num_cards, players),
            scores=(-float(chips), float(sum(costliest))),
            pays_early=False,
        )

    def _begin(self) -> None:
        states, first = self.states, self.terms.options.first_player
        states["offered"], states["turned"] = NO_CARD, 0
        states["mover"] = 0 if first == "random" else first
        self.event = Event.FIRST_PLAYER if first == "random" else Event.FIRST_CARD

    def _event_before(self, action: int) -> Event | None:
        turned = self.states["turned"].item()
        return Event.NEXT_CARD if action == TAKE and turned < self.rules.num_turned else None

    def _reveal_action(self, action: int) -> None:
        self._reveal("t" if action == TAKE else "p")

    def outcomes(self) -> list[int]:
        """Seats, or the cards not yet turned."""
        if self.event is Event.FIRST_PLAYER:
            return list(range(self.terms.players))
        return bits(int(unturned(self.rules, self.state)) >> self.terms.options.low)

    def describe_outcome(self, outcome: int) -> str:
        """Such as `turn 17`."""
        if self.event is Event.FIRST_PLAYER:
            return f"player_{outcome} starts"
        return f"turn {self.terms.options.low + outcome}"

    def _resolve(self, outcome: int) -> None:
        if self.event is Event.FIRST_PLAYER:
            self.states["mover"] = outcome
            self._reveal(f" first {outcome}")
            self.event = Event.FIRST_CARD
            return
        card = self.terms.options.low + outcome
        self._reveal(f" {card}:")
        if self.event is Event.FIRST_CARD:
            turn_first(self.rules, self.state, card)
            self.states["turned"], self.event = 1, None
        else:
            turn_next(self.rules, self.state, card)
            self._take_effect()

    def _resample_histories(self, seat: int) -> None:
        """Do nothing: players see only public events, which a sample does not change."""

    def _render(self, seat: int | None) -> str:
        if self.states["turned"].item() == 0:
            return "No card is turned."
        return super()._render(seat)
