"""No Thanks! as a plain class on sets and lists: the referee of the compiled engine.

Written from the rules NT-1 ... NT-11 alone and for reading, not for speed. Everything stands open
here: nothing is hidden from anybody, and every attribute may be overwritten to set up a position.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

PASS = 0
TAKE = 1

LOWEST_CARD, HIGHEST_CARD = 1, 35  # the widest range that the options allow
MIN_PLAYERS, MAX_PLAYERS = 2, 7

#: NT-2, NT-3: chips each player starts with, by number of players.
DEFAULT_CHIPS = {2: 11, 3: 11, 4: 11, 5: 11, 6: 9, 7: 7}


def card_points(cards: Iterable[int]) -> int:
    """Points of a set of cards before chips (NT-9): of each run only the lowest card counts.

    The cards are laid out in order, cut into runs, and the lowest card of each run is added up.
    """
    runs: list[list[int]] = []
    for card in sorted(cards):
        if runs and card == runs[-1][-1] + 1:
            runs[-1].append(card)
        else:
            runs.append([card])
    return sum(run[0] for run in runs)


class Table:
    """One game of No Thanks!, from the first card to the last (NT-1 ... NT-10).

    Args:
        num_players: 2-7 (NT-3).
        deck: the cards in play, in the order in which they are turned (NT-1).
        removed: the cards taken out unseen (NT-1). Deck and removed cards together are all cards
            from a lowest to a highest one, each once.
        chips: chips each player starts with; None for the number the rules give (NT-2, NT-3).
        first_player: the seat that decides first on the first card (NT-4).

    Raises:
        ValueError: if the options don't describe a legal game.

    Attributes:
        cards: the set of cards in front of each player.
        chips: chips of each player.
        pot: chips on the offered card; 0 when the game is over.
        mover: the seat to decide; when the game is over, the seat that took the last card.
        turned: how many cards of the deck have been turned.
        decisions: how many decisions have been made.
    """

    def __init__(
        self,
        num_players: int,
        deck: Sequence[int],
        removed: Sequence[int] = (),
        chips: int | None = None,
        first_player: int = 0,
    ) -> None:
        if not MIN_PLAYERS <= num_players <= MAX_PLAYERS:
            raise ValueError(f"{num_players} players: NT-3 allows 2 to 7.")
        if chips is None:
            chips = DEFAULT_CHIPS[num_players]
        if chips < 0:
            raise ValueError(f"{chips} chips: a player starts with 0 or more.")
        if not 0 <= first_player < num_players:
            raise ValueError(f"First player {first_player}: seats are 0 to {num_players - 1}.")
        _check_cards(deck, removed)
        self.num_players = num_players
        self.deck = list(deck)
        self.removed = list(removed)
        self.cards: list[set[int]] = [set() for _ in range(num_players)]
        self.chips = [chips] * num_players
        self.pot = 0
        self.mover = first_player
        self.turned = 1  # NT-4: the top card lies face up from the start
        self.over = False
        self.decisions = 0

    @property
    def offered(self) -> int | None:
        """The card on offer (NT-4, NT-5); None when the game is over."""
        return None if self.over else self.deck[self.turned - 1]

    @property
    def cards_left(self) -> int:
        """Cards of the deck that have not been turned yet; public (NT-11)."""
        return len(self.deck) - self.turned

    @property
    def taken(self) -> int:
        """Cards in front of all players together; public (NT-11)."""
        return sum(len(cards) for cards in self.cards)

    def legal_actions(self) -> list[int]:
        """What the mover may do: take always (NT-5), pass only with a chip to pay (NT-7)."""
        if self.over:
            return []
        return [PASS, TAKE] if self.chips[self.mover] > 0 else [TAKE]

    def step(self, action: int) -> None:
        """Carries out the mover's decision (NT-5): 0 passes, 1 takes.

        Raises:
            ValueError: if the game is over or the action isn't legal. Nothing is changed then.
        """
        if self.over:
            raise ValueError("The game is over (NT-8): no action is legal.")
        if action not in self.legal_actions():
            raise ValueError(f"Action {action} isn't legal; legal are {self.legal_actions()}.")
        self.decisions += 1
        if action == PASS:
            self._pass()
        else:
            self._take()

    def _pass(self) -> None:
        """One chip goes on the card and the turn to the next player (NT-5)."""
        self.chips[self.mover] -= 1
        self.pot += 1
        self.mover = (self.mover + 1) % self.num_players

    def _take(self) -> None:
        """The mover gets card and pot (NT-5), turns the next card and stays on turn (NT-6).

        When the deck has run out, the game ends (NT-8).
        """
        self.cards[self.mover].add(self.deck[self.turned - 1])
        self.chips[self.mover] += self.pot
        self.pot = 0
        if self.turned == len(self.deck):
            self.over = True
        else:
            self.turned += 1

    def score(self, player: int) -> int:
        """Points of the player's runs minus one per chip left, at any moment (NT-9)."""
        return card_points(self.cards[player]) - self.chips[player]

    def scores(self) -> list[int]:
        """Every player's score (NT-9)."""
        return [self.score(player) for player in range(self.num_players)]

    def score_change(self, player: int, card: int) -> int:
        """What the card alone adds to the player's score (NT-9): score after minus score before."""
        return card_points(self.cards[player] | {card}) - card_points(self.cards[player])

    def winners(self) -> list[int]:
        """All players with the lowest score (NT-10)."""
        self._check_over()
        scores = self.scores()
        return [player for player in range(self.num_players) if scores[player] == min(scores)]

    def win_shares(self) -> list[float]:
        """Each player's share of the one win; tied winners share it equally (NT-10)."""
        winners = self.winners()
        return [
            1 / len(winners) if player in winners else 0.0 for player in range(self.num_players)
        ]

    def rewards(self, kind: str, scale: float = 1.0) -> list[float]:
        """Every player's reward for the finished game.

        Args:
            kind: "win": share of the win (NT-10) minus 1/n. "score": (mean of the others' scores
                minus the own score) / scale (NT-9). "placement": evenly spaced from +1 for the
                lowest score to -1 for the highest, tied players get the mean of their places.
                "points": minus the own score / scale.
            scale: the divisor of "score" and "points"; the other kinds ignore it.
        """
        self._check_over()
        players = range(self.num_players)
        if kind == "win":
            return [share - 1 / self.num_players for share in self.win_shares()]
        if kind == "score":
            return [self._lead(player) / scale for player in players]
        if kind == "placement":
            return [self._placement(player) for player in players]
        if kind == "points":
            return [-self.score(player) / scale for player in players]
        raise ValueError(f'Reward "{kind}": legal are "win", "score", "placement", "points".')

    def _lead(self, player: int) -> float:
        """By how many points the player beats the mean of the others (NT-9, low is good)."""
        others = [self.score(other) for other in range(self.num_players) if other != player]
        return sum(others) / len(others) - self.score(player)

    def _placement(self, player: int) -> float:
        """The mean of the places that the player's score fills, +1 the first and -1 the last."""
        own, ranking = self.score(player), sorted(self.scores())
        filled = [place for place, score in enumerate(ranking) if score == own]
        return sum(1 - 2 * place / (self.num_players - 1) for place in filled) / len(filled)

    def _check_over(self) -> None:
        if not self.over:
            raise ValueError("The game isn't over: no player has won yet (NT-8, NT-10).")


def _check_cards(deck: Sequence[int], removed: Sequence[int]) -> None:
    """Deck and removed cards must be one unbroken range within 1-35, each card once (NT-1)."""
    if not deck:
        raise ValueError("Empty deck: at least one card must be in play.")
    cards = sorted([*deck, *removed])
    if cards[0] < LOWEST_CARD or cards[-1] > HIGHEST_CARD:
        raise ValueError(f"Cards {cards[0]} to {cards[-1]}: they must lie within 1 to 35.")
    if cards != list(range(cards[0], cards[-1] + 1)):
        raise ValueError("Deck and removed cards must be every card of a range exactly once.")


def deal(
    rng: random.Random,
    num_players: int = 4,
    low: int = 3,
    high: int = 35,
    removed: int = 9,
    chips: int | None = None,
    first_player: int | None = None,
) -> Table:
    """A shuffled game (NT-1); the first player is random unless a seat is given (NT-4)."""
    if not LOWEST_CARD <= low <= high <= HIGHEST_CARD:
        raise ValueError(f"Cards {low} to {high}: 1 <= low <= high <= 35 must hold.")
    cards = list(range(low, high + 1))
    if not 0 <= removed < len(cards):
        raise ValueError(f"{removed} removed of {len(cards)} cards: at least one must stay.")
    rng.shuffle(cards)
    if first_player is None:
        first_player = rng.randrange(num_players)
    return Table(num_players, cards[removed:], cards[:removed], chips, first_player)
