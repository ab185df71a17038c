"""Checks of a game in a batch, and in the environments of PettingZoo and Gymnasium."""

import contextlib
import io
import pickle
import warnings
from typing import cast

import numpy as np
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray
from pettingzoo.test.api_test import api_test

from lowhand.agents.table_view import TableView
from lowhand.apis.batch import Batch
from lowhand.apis.gymnasium_env import SeatEnv
from lowhand.apis.pettingzoo_env import GameEnv
from lowhand.apis.pettingzoo_table import TableEnv
from lowhand.games import GAMES
from lowhand.testing.trial import Trial, choice


class RandomAgent:
    """Legal actions drawn from the generator that it is given."""

    def act(self, table: TableView, rng: np.random.Generator) -> NDArray[np.int64]:
        """A random legal action at each table."""
        return choice(table.action_mask, rng)


UNAVOIDABLE = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box",
    "Action mask numpy array is all zeros",
)
"""What `api_test` says of every environment with dictionary observations, and of masks that are
zero for those whose game has ended."""


def check_pettingzoo(env: GameEnv, num_cycles: int = 60) -> None:
    """PettingZoo's `api_test`, which has nothing avoidable to say.

    Raises:
        AssertionError: what it has said.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with contextlib.redirect_stdout(io.StringIO()):
            api_test(env, num_cycles)
    said = {str(warning.message) for warning in caught}
    avoidable = sorted(text for text in said if not text.startswith(UNAVOIDABLE))
    assert not avoidable, "; ".join(avoidable)


def _copy(trial: Trial, table: TableEnv) -> TableEnv:
    """A copy by pickle, which finds the game by its name, or else a clone."""
    if GAMES.get(trial.game.name) is not trial.game:
        return table.clone()
    try:
        return cast(TableEnv, pickle.loads(pickle.dumps(table)))
    except Exception as error:
        trial.fail("options", f"make environments that can't be pickled ({error})")


def check_batch_and_table(trial: Trial, seed: int) -> None:
    """Game 0 of a batch is, move by move, what the environment of one table plays."""
    game, options = trial.game, trial.options
    batch = Batch(game, options, 3, num_players=[trial.players], seed=seed)
    table = TableEnv(game, **{n: getattr(options, n) for n in options.__dataclass_fields__})
    table.reset(seed=seed)
    while True:
        table = _copy(trial, table)
        seen, seat = table.observe(table.agent_selection), batch.mover[0]
        same = np.array_equal(seen["observation"], batch.observation[0])
        same &= np.array_equal(seen["action_mask"], batch.action_mask[0])
        same &= table.agent_selection == f"player_{seat}"
        trial.require(same, "apply", "plays a game otherwise in a batch than at one table")
        actions = choice(batch.action_mask, trial.rng)
        batch.step(actions)
        table.step(int(actions[0]))
        rewards = [batch.rewards[0, table.possible_agents.index(agent)] for agent in table.agents]
        same = np.allclose(rewards, [table.rewards[agent] for agent in table.agents])
        trial.require(same, "emits_reward", "pays otherwise in a batch than at one table")
        if batch.done[0]:
            ends = [table.infos[agent]["final_score"] for agent in table.agents]
            scores = [batch.final_scores[0, table.possible_agents.index(a)] for a in table.agents]
            trial.require(ends == scores, "score", "differs between a batch and one table")
            return
        while table.terminations[table.agent_selection]:
            table.step(None)


def check_environments(trial: Trial) -> None:
    """PettingZoo's and Gymnasium's own checks."""
    options = {n: getattr(trial.options, n) for n in trial.options.__dataclass_fields__}
    for recall in (False, True):
        table = TableEnv(trial.game, perfect_recall=recall, **options)
        seat = SeatEnv(trial.game, opponents=RandomAgent(), perfect_recall=recall, **options)
        try:
            check_pettingzoo(table)
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                check_env(seat, skip_render_check=True)
        except Exception as error:
            said = f"the check of an environment by its library fails: {error}"
            raise AssertionError(
                f"{trial.game.name} for {trial.players} players: {said}"
            ) from error
