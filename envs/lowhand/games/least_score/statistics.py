"""What an evaluation counts in matches of Least Score, beside wins and points."""

from lowhand.engine.game import Statistic

STATISTICS = {
    "points_per_deal": Statistic(
        "points in a deal that the player took part in",
        total=lambda states: states["points"],
        count=lambda states: states["deals_played"],
    ),
    "declarations_per_deal": Statistic(
        "share of its deals that the player ended by declaring",
        total=lambda states: states["declared"],
        count=lambda states: states["deals_played"],
    ),
    "wrong_declarations": Statistic(
        "share of its declarations that were wrong (LS-11)",
        total=lambda states: states["wrong"],
        count=lambda states: states["declared"],
    ),
    "total_at_declaration": Statistic(
        "points in its hand when it declared",
        total=lambda states: states["declared_total"],
        count=lambda states: states["declared"],
    ),
}
