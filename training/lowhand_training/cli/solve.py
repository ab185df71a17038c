"""`lowhand solve`."""

from lowhand_training.cli.arguments import File
from lowhand_training.solve.registry import Request


def run(
    game: str,
    *,
    request: Request,
    json: File | None = None,
    markdown: File | None = None,
) -> None:
    """Solve reduced games exactly: equilibria, and how far agents are from one.

    No Thanks! with counted chips hides nothing but the next card, so that backward induction
    solves it. The values are those of one equilibrium, stated with the rule by which ties are
    broken; for two players and --utility relative they are unique.

    With --agent NAME every seat plays the agent, and each in turn is replaced by a best response.
    The gain of that seat is its regret, and the sum of the gains is NashConv, 0 for an
    equilibrium. All is exact: agents are asked at every reachable position, and stochastic agents
    for their probabilities (an agent of your own that randomises needs a method
    probabilities(table), as networks have). `baselines` means all baselines of the game.

    Sizes of no_thanks (players, cards from 3 up, removed ones among them, chips each; seat 0
    begins): XS 3 5 1 2, S 3 6 1 3, M 3 7 2 3, L 3 8 2 3, 4P 4 6 2 3, 2P 2 8 2 4; or give your own
    by --players, --cards, --removed and --chips.

    Least Score hides hands. One deal is solved by discounted CFR, for the difference of points:
    the average strategy's exploitability (NashConv / players) is exact. For three players it need
    not be an equilibrium, and only the gain of each seat is claimed. A network that was trained
    with more cards observes the missing cards as buried.

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
        game: the game, no_thanks or least_score.
        request: what is solved.
        json: write an object to this file too; with several sizes (no_thanks: or agents), a list
            of them.
        markdown: write the table of agents by sizes to this file too.
    """
    from lowhand_training.common.console import make_console
    from lowhand_training.common.files import as_json, write_atomically
    from lowhand_training.common.progress import steps_progress
    from lowhand_training.common.tables import print_report
    from lowhand_training.solve.registry import get_solver

    solver = get_solver(game)
    if markdown is not None and not request.agent:
        raise ValueError("--markdown writes a table of agents: name some by --agent.")
    console, solved = make_console(), []
    with steps_progress(console) as progress:
        for one in solver.solve(request, progress):
            solved.append(one)
            print_report(one.tables(), console)
    print_report(solver.summary(solved), console)
    records = [record for one in solved for record in one.records()]
    grid = solver.grid(solved).markdown(code=True) if markdown is not None else ""
    for file, text in (
        (json, as_json(records[0] if len(records) == 1 else records)),
        (markdown, grid),
    ):
        if file is not None:
            write_atomically(file, text.encode())
            print(f"Written to {file}.")
