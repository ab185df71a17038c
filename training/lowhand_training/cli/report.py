"""`lowhand report`."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from lowhand_training.cli.arguments import Agent, Folder, GameArguments
from lowhand_training.cli.tournament import TournamentArguments
from lowhand_training.common.optional_deps import need


def run(
    agents: Sequence[Agent] = (),
    *,
    out: Folder,
    chosen: GameArguments,
    tournament: TournamentArguments,
    sizes: Annotated[Sequence[str] | None, "SIZE", "*"] = None,
    bounds: Annotated[Sequence[Path], "FILE"] = (),
    cards: bool = False,
) -> None:
    """Write the report of one game: how strong each agent is, and which beats which.

    A tournament of all baselines and published agents (or of the agents named) is played into
    FOLDER/tournament, as `lowhand tournament` does: it may be killed at any moment, and the same
    command goes on. From it come ratings with intervals, maximal lotteries, and the share that
    each wins alone among copies of each other. Then all agents are solved for NashConv on reduced
    games (--sizes), and timed. FOLDER gets report.html, one page that needs no other file and no
    network, and the same facts as report.json.

    Lower bounds of exploitability on the full game are those that `lowhand exploit --json` wrote:
    exploit.json in a checkpoint's folder, and the files of --bounds.

    With --cards the model card of each checkpoint among the agents gets the report's figures.

    Needs pyarrow, scipy and jinja2 (extra lowhand[eval]), and matplotlib for learning curves.

    Examples:
      lowhand report --game no_thanks --out runs/report
      lowhand report --game least_score --players 2 --out runs/report-least-score
      lowhand report greedy sally runs/mine --out runs/mine/report --games 5000 --sizes XS S

    Args:
        agents: agents that play; by default all.
        out: where the report is written.
        chosen: what is played.
        tournament: how much of it, and where.
        sizes: reduced games on which agents are solved, such as XS S; by default the game's small
            ones. Without a name: none.
        bounds: results of `lowhand exploit`.
        cards: put the figures into the checkpoints' model cards.
    """
    from lowhand_training.common.files import as_json, write_atomically
    from lowhand_training.evaluation.tournament.table import load_games
    from lowhand_training.publish.report import render
    from lowhand_training.publish.report_data import gather, pictures, write_cards
    from lowhand_training.solve.registry import default_sizes

    game = chosen.game_of(agents)
    solved = default_sizes(game) if sizes is None else sizes
    _check(game, tournament.shapes, solved, bounds, agents if cards else ())
    words = {"out": out, **vars(chosen), **vars(tournament), "sizes": sizes, "bounds": bounds}
    tournament.play(agents, chosen, out / "tournament")
    facts = gather(load_games(out / "tournament"), solved, bounds, _command(agents, words))
    page = render(facts, pictures(facts))
    write_atomically(out / "report.json", as_json(facts).encode())
    write_atomically(out / "report.html", page.encode())
    print(f"Written: {out / 'report.html'} and {out / 'report.json'}.")
    if cards:
        for card in write_cards(facts):
            print(f"Written: {card}.")


def _check(
    game: str,
    shapes: Sequence[str] | None,
    sizes: Sequence[str],
    bounds: Sequence[Path],
    carded: Sequence[str],
) -> None:
    """See before a long tournament, not after it, that a report can come of it.

    Raises:
        ValueError: it can't.
    """
    from lowhand.agents.names import find_checkpoint
    from lowhand.agents.network import read_config
    from lowhand_training.evaluation.tournament.plan import MIXED, ONE_V_REST, REST_V_ONE
    from lowhand_training.publish.checkpoint_folder import read_bounds, training_config
    from lowhand_training.solve.registry import check_sizes

    for library in ("jinja2", "scipy"):
        need(library, "eval")
    if shapes is not None and set(shapes) == {MIXED}:
        raise ValueError(
            f"a report shows pairwise results: name {ONE_V_REST} or {REST_V_ONE} among the shapes."
        )
    check_sizes(game, sizes)
    for path in bounds:
        read_bounds(path, game)
    for folder in filter(None, map(find_checkpoint, carded)):
        training_config(read_config(folder), folder)


def _command(agents: Sequence[str], options: dict[str, object]) -> str:
    """Returns the command line that makes the same report."""
    words = ["lowhand", "report", *agents]
    for name in ("out", "game", "options", "players", "shapes", "games", "sizes", "bounds"):
        value = options[name]
        if value is None or (value == [] and name != "sizes"):  # no sizes are other than usual ones
            continue
        values = value if isinstance(value, list) else [value]
        words += [f"--{name}", *map(str, values)]
    return shlex.join(words)
