"""lowhand's own rows, through its public API: both games for four with default fields."""

from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any

from contestant import Contestant, Cost, ManyGames, Menu, PettingZooGame

GAMES = 4096
PLAYERS = 4


class Batch(ManyGames):
    """`make_batch` with 4096 games, stepped with NumPy int64 actions."""

    library = "lowhand"
    players = PLAYERS

    def __init__(self, name: str, observe: bool, game: str = "no_thanks") -> None:
        super().__init__()
        self.name, self.observes, self._game = name, observe, game
        self.method = f"step() of {GAMES} games, masks, auto-reset" + (
            ", float32 observations" if observe else ", no observations"
        )

    def prepare(self) -> None:
        import lowhand

        self._batch: Any = lowhand.make_batch(
            self._game, num_envs=GAMES, num_players=PLAYERS, seed=0, observe=self.observes
        )
        self._batch.reset(seed=0)
        self.facts["games"] = GAMES
        self.facts["bytes_per_game"] = self._batch.bytes_per_game
        if self.observes:
            observation = self._batch.observation
            self.facts["observation"] = f"{observation.shape[1]} {observation.dtype}"
        self.set_up_choice()

    def masks(self) -> Any:
        return self._batch.action_mask

    def step(self, actions: Any) -> None:
        self._batch.step(actions)


class Aec(PettingZooGame):
    """The PettingZoo environment with all its checks."""

    name = "aec"
    library = "lowhand"
    players = PLAYERS
    method = "last() + step(), all checks on; reset() between games"

    def open(self) -> None:
        from lowhand import no_thanks_v0

        self.env = no_thanks_v0.env(num_players=PLAYERS)
        self.env.reset(seed=0)


class LeastScoreAec(Aec):
    """The same of Least Score, where players go out before the end of a match."""

    name = "least_score/aec"
    method = "last() + step(), all checks on; reset() between matches, dead steps included"

    def open(self) -> None:
        from lowhand import least_score_v0

        self.env = least_score_v0.env(num_players=PLAYERS)
        self.env.reset(seed=0)

    def play_game(self, pick: Callable[[Menu], int]) -> int:
        env, decisions = self.env, 0
        env.reset()
        while env.agents:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(pick(observation["action_mask"]))
                decisions += 1
        return decisions


class Train(Contestant):
    """Self-play training: collecting, scripted and past opponents, and learning, all in."""

    library = "lowhand"
    players = PLAYERS
    threads = 2
    method = "PPO with the league, 2 hidden layers of 256, 2 threads; the learner's decisions"

    def __init__(self, name: str, game: str, critic: Sequence[int] = ()) -> None:
        super().__init__()
        self.name, self._game, self._critic = name, game, list(critic)

    def prepare(self) -> None:
        from lowhand_training.trainer.config import GameConfig, NetworkConfig, TrainConfig
        from lowhand_training.trainer.config_checks import check
        from lowhand_training.trainer.ppo.learner import Learner
        from lowhand_training.trainer.ppo.network import wants_bfloat16
        from lowhand_training.trainer.process import torch_settings

        config = TrainConfig(
            game=GameConfig(name=self._game, players=[PLAYERS]),
            network=NetworkConfig(critic=self._critic),
        )
        self._settings = partial(torch_settings, self.threads, wants_bfloat16(config.network))
        self._learner = Learner(config, check(config))
        self._decisions = config.ppo.batch_size
        self.facts["hidden"] = config.network.hidden
        self.facts["bfloat16"] = self._learner.network.in_bfloat16
        with self._settings():
            self._learner.update()  # compiles

    def play(self, seconds: float) -> Cost:
        # Ten times as long as others play: a single update takes about a second.
        decisions, start = 0, perf_counter()
        with self._settings():
            while perf_counter() - start < 10 * seconds:
                self._learner.update()
                decisions += self._decisions
        return Cost(decisions, perf_counter() - start)

    def choose(self, seconds: float) -> Cost:
        return Cost(1, 0.0)  # choosing is part of what is measured


class MaskablePPO(Contestant):
    """Collecting and learning by sb3-contrib's MaskablePPO over our `VecEnv`."""

    name = "sb3/maskable_ppo"
    library = "lowhand"
    players = PLAYERS
    threads = 2
    games, steps, minibatch, epochs = 256, 64, 4096, 2
    method = (
        f"MaskablePPO, its default network (64-64, tanh), {games} games of one seat against greedy,"
        f" n_steps {steps}, batch_size {minibatch}, n_epochs {epochs}, 2 threads"
    )

    def prepare(self) -> None:
        import torch
        from sb3_contrib import MaskablePPO as Algorithm

        from lowhand_training.sb3 import LowhandVecEnv

        torch.set_num_threads(self.threads)
        env = LowhandVecEnv(self.games, "no_thanks", num_players=PLAYERS)
        self._model = Algorithm(
            "MlpPolicy",
            env,
            n_steps=self.steps,
            batch_size=self.minibatch,
            n_epochs=self.epochs,
            seed=0,
            device="cpu",
        )
        self._model.learn(self.games * self.steps)  # compiles

    def play(self, seconds: float) -> Cost:
        # As long as `Train`, whose updates take as long.
        decisions, start = 0, perf_counter()
        while perf_counter() - start < 10 * seconds:
            self._model.learn(4 * self.games * self.steps, reset_num_timesteps=False)
            decisions += 4 * self.games * self.steps
        return Cost(decisions, perf_counter() - start)

    def choose(self, seconds: float) -> Cost:
        return Cost(1, 0.0)  # choosing is part of what is measured


def contestants() -> list[Contestant]:
    """Our rows in the order of the table."""
    return [
        Batch("batch+obs", observe=True),
        Batch("batch", observe=False),
        Aec(),
        Train("train", "no_thanks"),
        MaskablePPO(),
        Batch("least_score/batch+obs", observe=True, game="least_score"),
        Batch("least_score/batch", observe=False, game="least_score"),
        LeastScoreAec(),
        Train("least_score/train", "least_score", critic=(128, 128)),
    ]
