"""Chance in Least Score: the deal, the cards drawn, and reshuffles."""

from enum import StrEnum

import numpy as np

from lowhand.apis.openspiel.position import Bounds, Position, copied, without
from lowhand.engine.bitset import bits
from lowhand.engine.kernels_rows import step_one
from lowhand.engine.rewards import OBJECTIVES
from lowhand.games.least_score.actions import DECLARE, split_action
from lowhand.games.least_score.cards import NO_CARD, SUITS, card_name, card_names, card_values
from lowhand.games.least_score.deck import NOBODY, hand_out, reshuffle
from lowhand.games.least_score.hidden import drawable, put_on_top
from lowhand.games.least_score.options import NO_LIMIT, Options
from lowhand.games.least_score.text import action_to_cards, floor_of, hand_of

_UNPAID, _NOTHING = np.zeros(len(OBJECTIVES)), np.zeros((1, 0), np.float32)


class Event(StrEnum):
    """What a position waits for."""

    LENGTH = "whether the match is a single deal is drawn"
    STARTER = "the first starter is drawn"
    DEAL = "the cards are dealt"
    DRAW = "a card is drawn from the deck"
    RESHUFFLE = "the buried cards are dealt into the piles"


class LeastScorePosition(Position):
    """A position of Least Score: outcomes are cards in the order of the deck, seats, or 1 for yes.

    Cards are dealt one by one: the hands seat by seat, then the open card. With
    `deal_mode="stable"` those of the piles follow, so that drawing from a pile is no event, and
    when a pile runs out the buried cards are dealt into the piles one by one.
    """

    event: Event | None

    @staticmethod
    def bounds(options: Options) -> Bounds:
        """A match has its most deals, of the most turns, each with all players."""
        single = _is_single(options)
        values = card_values(options.face_values)[: options.ranks]
        costly = sorted(values * options.suits, reverse=True)[: options.hand_size]
        most = float(options.penalty + sum(costly) - min(values))  # points of a deal
        deals, highest = 1, most
        if not single:
            assert options.points_limit is not None  # else it is a single deal
            deals = options.max_deals
            highest = min(options.points_limit + most, deals * most)
        turns = int(options.rules()["max_turns"][0, options.num_players])
        dealt, drawn = options.num_players * options.hand_size + 1, 1
        if options.deal_mode == "stable":
            dealt = drawn = options.num_cards
        return Bounds(
            decisions=turns * deals,
            events=2 + (dealt + drawn * turns) * deals,
            outcomes=max(options.num_cards, options.num_players),
            scores=(0.0, highest),
            pays_early=not single,
        )

    def _begin(self) -> None:
        options, states = self.terms.options, self.states
        single, first = _is_single(options), options.first_player
        states["limit"] = NO_LIMIT if single else options.points_limit
        states["starter"] = states["mover"] = 0 if first == "random" else first
        self._clear_table()
        drawn = options.single_deals > 0.0 and not single
        self.event = Event.LENGTH if drawn else self._after_length()

    def _after_length(self) -> Event:
        return Event.STARTER if self.terms.options.first_player == "random" else Event.DEAL

    def _clear_table(self) -> None:
        """Put all cards back into one deck, as before a deal: the engine has dealt by its key."""
        states, options = self.states, self.terms.options
        states["hands"], states["floor"] = NO_CARD, NO_CARD
        for name in ("sizes", "floor_size", "buried", "known", "held", "drawn"):
            states[name] = 0
        states["pile_start"] = states["pile_size"] = 0
        states["pile_size"][0, 0] = options.num_cards

    def _event_before(self, action: int) -> Event | None:
        if not self._draws_from_deck(action):
            return None
        if self.terms.options.deal_mode != "stable":
            return Event.DRAW
        return Event.RESHUFFLE if self.states["pile_size"][0, self.mover] == 0 else None

    def _draws_from_deck(self, action: int) -> bool:
        return action != DECLARE and split_action(action, self.terms.options.hand_size)[1] == 0

    def _reveal_action(self, action: int) -> None:
        move = action_to_cards(self.state, action, self.terms.options)
        source = "deck" if move.draw is None else card_name(move.draw)
        discard = f"{card_names(move.discard)} < {source}"
        self._reveal(f" | {'declare' if move.declare else discard}")

    # Events

    def probabilities(self) -> list[tuple[int, float]]:
        """The outcomes with their probabilities: equal, except for the kind of match."""
        if self.event is Event.LENGTH:
            single = float(self.terms.options.single_deals)
            return [(0, 1.0 - single), (1, single)]
        return super().probabilities()

    def outcomes(self) -> list[int]:
        """Seats, no and yes, or cards."""
        if self.event is Event.LENGTH:
            return [0, 1]
        if self.event is Event.STARTER:
            return list(range(self.terms.players))
        if self.event is Event.DEAL:
            return without(range(self.terms.options.num_cards), self.cards)
        if self.event is Event.RESHUFFLE:
            return without(self._outcomes_of(self.states["buried"][0]), self.cards)
        return self._outcomes_of(drawable(self.rules, self.state))

    def _outcomes_of(self, cards: np.uint64) -> list[int]:
        """A bitset of cards as outcomes: their places in the unshuffled deck."""
        suits = self.terms.options.suits
        return [card // SUITS * suits + card % SUITS for card in bits(int(cards))]

    def _card(self, outcome: int) -> int:
        """The card that an outcome means."""
        rank, suit = divmod(outcome, self.terms.options.suits)
        return int(rank * SUITS + suit)

    def describe_outcome(self, outcome: int) -> str:
        """Such as `draw 10♠`."""
        if self.event is Event.LENGTH:
            return "a single deal" if outcome else "a match"
        if self.event is Event.STARTER:
            return f"player_{outcome} starts"
        verb = "draw" if self.event is Event.DRAW else "deal"
        return f"{verb} {card_name(self._card(outcome))}"

    def _resolve(self, outcome: int) -> None:
        if self.event is Event.LENGTH:
            if outcome:
                self.states["limit"] = NO_LIMIT
            self._reveal(f" | {self.describe_outcome(outcome)}")
            self.event = self._after_length()
        elif self.event is Event.STARTER:
            self.states["starter"] = self.states["mover"] = outcome
            self._reveal(f" | first {outcome}")
            self.event = Event.DEAL
        elif self.event is Event.DRAW:
            put_on_top(self.rules, self.state, self._card(outcome))
            self._take_effect()
        else:
            self.cards = (*self.cards, outcome)
            if self.event is Event.DEAL:
                self._deal()
            elif len(self.cards) == int(self.states["buried"][0]).bit_count():
                self._renew_piles()
                self._take_effect()

    def _deal(self) -> None:
        """Deal once all cards are drawn that a player can see or draw."""
        options, states = self.terms.options, self.states
        needed = int(states["left"][0]) * options.hand_size + options.open_card
        if options.deal_mode == "stable":
            needed = options.num_cards
        if len(self.cards) < needed:
            return
        order = [*self.cards, *without(range(options.num_cards), self.cards)]
        states["deck"][0, : len(order)] = [self._card(outcome) for outcome in reversed(order)]
        hand_out(self.rules, self.state)
        self.event, self.cards = None, ()
        for seat in range(self.terms.players):
            if states["sizes"][0, seat]:
                self._reveal_to(seat, f" | hand {card_names(hand_of(self.state, seat))}")
        self._reveal(f" | open {card_names(floor_of(self.state))}")

    def _renew_piles(self) -> None:
        """Deal the buried cards into the places of the piles that the engine gives them.

        The first outcome is the lowest new card of the first seat that gets any.
        """
        states = self.states
        buried = bits(int(states["buried"][0]))
        reshuffle(self.rules, self.state)
        deck = states["deck"][0]
        places = [
            place
            for start, size in zip(states["pile_start"][0], states["pile_size"][0], strict=True)
            for place in range(start, start + size)
            if deck[place] in buried
        ]
        deck[places] = [self._card(outcome) for outcome in self.cards]

    def _take_effect(self) -> None:
        before, seat = copied(self.states), self.mover
        super()._take_effect()
        if self._draws_from_deck(self._action):
            was = before[0]
            pile = seat if self.terms.options.deal_mode == "stable" else 0
            top = was.deck[was.pile_start[pile] + was.pile_size[pile] - 1]
            self._reveal_to(seat, f" + {card_name(top)}")
        if self.states["deal_ended"][0]:
            self._end_deal(before)

    def _end_deal(self, before: np.ndarray) -> None:
        """Reveal how the deal ended, and wait for the next one unless the match is over."""
        showdown = self.terms.options.at_limit == "showdown"
        if self.states["declarer"][0] != NOBODY or showdown:
            before["limit"] = NO_LIMIT  # a single deal ends with its hands in the record
            step_one(self.terms.rules, before, self._action, _UNPAID, _NOTHING)
            for seat in range(self.terms.players):
                if before["sizes"][0, seat]:
                    self._reveal(f" | {seat} shows {card_names(hand_of(before[0], seat))}")
        else:
            self._reveal(" | void")
        if not self.is_over:
            self._clear_table()
            self.event = Event.DEAL

    def _resample_histories(self, seat: int) -> None:
        *_, public = histories = list(self._histories)
        for other in range(self.terms.players):
            if other != seat:
                hand = card_names(hand_of(self.state, other))
                histories[other] = f"p{other}{public} | holds {hand}"
        self._histories = tuple(histories)

    def _render(self, seat: int | None) -> str:
        table = super()._render(seat)
        if self.event is Event.DEAL:
            # A viewer of all hands sees the cards as they are dealt.
            dealt = f" {card_names(map(self._card, self.cards))}" if seat is None else ""
            return f"{table}\nDealt: {len(self.cards)}{dealt}."
        return table


def _is_single(options: Options) -> bool:
    """Whether every match is a single deal."""
    return options.points_limit is None or options.single_deals == 1.0
