"""Learning curves as a picture."""

import io
from collections.abc import Sequence

from lowhand_training.common.optional_deps import need

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # Okabe and Ito, 2008


def draw_curves(curve: Sequence[dict[str, float]], players: int, games: int) -> bytes:
    """Draw the win shares of the periodic evaluations over the learner's decisions, as a PNG.

    Args:
        curve: the evaluations, as training writes them into results.json.
        players: players in the games of the evaluations.
        games: games of each point.

    Raises:
        ValueError: matplotlib is not installed.
    """
    library = need("matplotlib.figure", "train")
    figure = library.Figure(figsize=(9.6, 4.4), dpi=110, layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    start, fair, grey = "alone against ", 1 / players, "#555555"
    opponents = [key.removeprefix(start) for key in curve[-1] if key.startswith(start)]
    copies = f"{players - 1} {'copy' if players == 2 else 'copies'}"
    for panel, pattern, title in (
        (panels[0], start + "{}", f"agent alone against {copies} of\nthe opponent (high is good)"),
        (panels[1], "{} alone", f"opponent alone against {copies} of\nthe agent (low is good)"),
    ):
        panel.set_title(title, fontsize=10)
        for i, opponent in enumerate(opponents):
            key = pattern.format(opponent)
            points = [(point["decisions"] / 1e6, point[key]) for point in curve if key in point]
            style = {"color": _COLOURS[i % 6], "linestyle": ("-", "--", ":")[i // 6 % 3]}
            panel.plot(*zip(*points, strict=True), **style, marker="o", ms=3, label=opponent)
        panel.axhline(fair, color=grey, linewidth=1, linestyle=(0, (4, 3)))
        panel.text(
            0.995, fair, f"fair share {fair:.3f}", ha="right", va="bottom", color=grey,
            fontsize=8, transform=panel.get_yaxis_transform(),
        )  # fmt: skip
        panel.set_xlabel("decisions of the learner (millions)")
        panel.set_ylim(0, None)
        panel.grid(alpha=0.25)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("win share of the lone player")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(4, len(labels)), frameon=False,
        fontsize=9, title=f"{players} players, {games:,} games a point", title_fontsize=9,
    )  # fmt: skip
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()
