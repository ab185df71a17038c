"""`lowhand solve`."""

from collections.abc import Sequence
from typing import Annotated

from jsonargparse import Namespace

from lowhand_training.cli.arguments import Agent, File


def run(
    game: str,
    *,
    size: Annotated[Sequence[str] | None, "SIZE"] = None,
    players: int | None = None,
    cards: int | None = None,
    removed: int | None = None,
    chips: int | None = None,
    utility: Annotated[str, "NAME"] = "score",
    tie: Annotated[str, "NAME"] = "take",
    iterations: int | None = None,
    agent: Sequence[Agent] = (),
    json: File | None = None,
    markdown: File | None = None,
) -> None:
    """Solve reduced games exactly: equilibria, and how far agents are from one.

    No Thanks! with counted chips hides nothing but the next card, so that backward induction
    solves it. The values are those of one equilibrium, stated with the rule by which ties are
    broken; for two players and --utility relative they are unique, and a minimax finds them a
    second time.

    With --agent NAME every seat plays the agent, and each in turn is replaced by a best response.
    What that seat gains is its regret, and the sum of the gains is NashConv, 0 for an
    equilibrium. All is exact: agents are asked at every reachable position, and those that draw
    for their probabilities (an agent of yours that draws needs a method probabilities(table), as
    networks have one). `baselines` means all baselines of the game.

    Sizes of no_thanks (players, cards from 3 up, removed ones among them, chips each; seat 0
    begins): XS 3 5 1 2, S 3 6 1 3, M 3 7 2 3, L 3 8 2 3, 4P 4 6 2 3, 2P 2 8 2 4; or give others
    by --players, --cards, --removed and --chips.

    Least Score hides hands. One deal is solved by discounted CFR, for the difference of points:
    the average strategy's exploitability (NashConv / players) is exact. For three players it need
    be no equilibrium, and what each seat could gain is all that is claimed. A network that was
    trained with more cards plays on with the same observation: to it the cards that aren't there
    are buried.

    Sizes of least_score (ranks x suits, cards of a hand, turns after which hands are shown; pairs
    are the only sets, a wrong declaration costs 5, seat 0 begins): 3x2-1-6, 4x2-3-4, 4x2-2-4,
    4x2-2-5, 5x2-2-4; others may be written likewise. --players, --iterations and --agent are its
    options.

    Examples:
      lowhand solve no_thanks --size S
      lowhand solve no_thanks --size M --agent checkpoints/no_thanks --json m.json
      lowhand solve no_thanks --size XS S M 4P 2P --agent baselines checkpoints/no_thanks
      lowhand solve no_thanks --players 2 --cards 6 --removed 1 --chips 4 --utility relative
      lowhand solve least_score --size 4x2-2-4 --agent greedy:7 tuned --json deal.json
      lowhand solve least_score --size 3x2-1-6 --players 3 --iterations 1000

    Args:
        game: no_thanks or least_score.
        size: registered sizes.
        players: players of another size, or (least_score) of any, by default 2.
        cards: its cards, the removed ones included; they are 3, 4, …
        removed: how many of them are removed unseen.
        chips: chips each at the start.
        utility: what players maximise: score (minus the points), relative (the others' mean less
            the points) or win (the share of the win).
        tie: what a mover does where both actions are worth the same to it: take, pass, kind (what
            gives the others more) or spite (less).
        iterations: iterations of discounted CFR (least_score), by default 200.
        agent: agents whose NashConv to find.
        json: write an object to this file too; with several sizes (no_thanks: or agents), a list
            of them.
        markdown: write the table of agents by sizes to this file too.
    """
    given = Namespace(locals())
    from lowhand_training.solve.registry import SOLVERS

    if game not in SOLVERS:
        raise ValueError(f"GAME must be one of {', '.join(SOLVERS)}, not {game!r}.")
    SOLVERS[game].report(given)
