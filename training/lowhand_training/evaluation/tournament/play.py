"""A job of a tournament, played."""

import json

import numpy as np
from numpy.typing import NDArray

from lowhand.agents.names import make_agent
from lowhand.agents.play_games import game_keys, play_games
from lowhand.engine.kernels_rows import ranking_score_rows
from lowhand.engine.validation import make_options
from lowhand.games import get_game
from lowhand_training.evaluation.seeds import identity
from lowhand_training.evaluation.tournament.plan import Job
from lowhand_training.evaluation.tournament.table import encode_part


def play_job(job: Job) -> bytes:
    """Play a job; its part of the table, as a Parquet file.

    A pure function: whichever process or machine plays the job, the bytes are the same. Agents
    are made for each job, so that none keeps anything of another.

    Raises:
        ValueError: an agent can't be made, is not the one of the plan, or made an illegal move.
    """
    game = get_game(job.game)
    if game.version != job.version:
        raise ValueError(
            f"the tournament is of version {job.version} of {job.game}; this is version"
            f" {game.version}."
        )
    for name, planned in zip(job.agents, job.identities, strict=True):
        if identity(game, name) != planned:
            raise ValueError(f"agent {name!r} is not what it was when the tournament began.")
    options, seating = make_options(game, **json.loads(job.options)), job.seating()
    keys = game_keys(job.seed, job.first, job.count)
    agents = [make_agent(name, game) for name in job.agents]
    seed = (job.seed + job.first) % 2**64
    played = play_games(game, options, agents, seating, keys, seed=seed)
    ranking_scores = np.empty(seating.shape)
    ranking_score_rows(options.rules(), played.states, ranking_scores)
    return encode_part(job, seating, played, rank(ranking_scores))


def rank(ranking_scores: NDArray[np.float64]) -> NDArray[np.int8]:
    """Ranks of the seats, (games, seats): 1 plus the number of seats that stand lower (better)."""
    better = ranking_scores[:, np.newaxis, :] < ranking_scores[:, :, np.newaxis]
    ranks: NDArray[np.int8] = (1 + better.sum(axis=2)).astype(np.int8)
    return ranks
