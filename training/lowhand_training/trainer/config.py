"""The config of a training run: dataclasses that config files and the command line fill.

This is the schema with all defaults, and `config_checks` checks its values. A run saves its
resolved config with its weights.
"""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lowhand.engine.rewards import reward_weights
from lowhand.engine.validation import make_options
from lowhand.games import get_game
from lowhand_training.trainer.field_types import (
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    PositiveShare,
    Share,
)


@dataclass
class GameConfig:
    """The game that is trained on.

    Attributes:
        name: name of the game.
        players: numbers of players; the games of a run take them in turn, so a number that
            is given twice is played twice as often.
        options: the game's own options, such as `removed`.
        perfect_recall: whether the agent knows what a player who remembers every move knows.
        seats: seats of the observation; null is the most players.
    """

    name: str = "no_thanks"
    players: list[int] = field(default_factory=lambda: [3, 4, 5, 6, 7])
    options: dict[str, Any] = field(default_factory=dict)
    perfect_recall: bool = True
    seats: int | None = None


@dataclass
class NetworkConfig:
    """The network.

    Attributes:
        hidden: widths of the hidden layers.
        precision: of matrix products in training: "float32", "bfloat16" (hidden layers in it,
            the heads' products rounded to it and summed in float32), or "auto", which is
            bfloat16 where the processor has it.
        temperature: at which the finished agent plays: 1 is the policy as it was trained, less
            sharpens it, 0 always takes the likeliest action. Training is not touched.
        critic: widths of the hidden layers of a critic of its own, which in training also sees
            what is hidden in others' hands, in games that have such a thing; empty: the value
            shares the policy's layers and sees what the policy sees.
    """

    hidden: list[PositiveInt] = field(default_factory=lambda: [256, 256])
    critic: list[PositiveInt] = field(default_factory=list)
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    temperature: NonNegativeFloat = 1.0


@dataclass
class RewardConfig:
    """What a finished game pays, as weights of the objectives of `lowhand.engine.rewards`.

    Attributes:
        start: weights at the start; relative scores teach quickest.
        end: weights that are reached at `anneal`.
        anneal: share of the run after which the weights stay at `end`.
    """

    start: dict[str, float] = field(default_factory=lambda: {"win": 0.5, "score": 0.5})
    end: dict[str, float] = field(default_factory=lambda: {"win": 1.0, "score": 0.05})
    anneal: PositiveShare = 0.6

    def at(self, progress: float) -> NDArray[np.float64]:
        """The weights of the objectives at this share of the run, as `reward_weights` has them."""
        share = min(1.0, progress / self.anneal)
        return (1.0 - share) * reward_weights(self.start) + share * reward_weights(self.end)


@dataclass
class PPOConfig:
    """Proximal policy optimisation (Schulman et al., 2017), with GAE per seat.

    Attributes:
        num_envs: games played in parallel.
        num_steps: decisions of the learner in each game between two updates.
        update_epochs: passes over the decisions of an update.
        minibatch_size: decisions of a gradient step.
        learning_rate: of Adam at the start; falls linearly to zero.
        clip: bound of the probability ratio's change.
        gae_lambda: λ of generalised advantage estimation; γ is 1, since games end.
        entropy_start: weight of the entropy bonus at the start; annealed geometrically.
        entropy_end: weight of the entropy bonus at the end.
        value_weight: weight of the value loss.
        max_gradient_norm: longer gradients are cut to it.
    """

    num_envs: PositiveInt = 1024
    num_steps: PositiveInt = 64
    update_epochs: PositiveInt = 2
    minibatch_size: PositiveInt = 8192
    learning_rate: PositiveFloat = 1e-3
    clip: PositiveFloat = 0.2
    gae_lambda: Share = 0.95
    entropy_start: PositiveFloat = 0.1
    entropy_end: PositiveFloat = 0.003
    value_weight: NonNegativeFloat = 0.5
    max_gradient_norm: PositiveFloat = 0.5

    @property
    def batch_size(self) -> int:
        """Decisions of an update."""
        return self.num_envs * self.num_steps

    def entropy_at(self, progress: float) -> float:
        """The weight of the entropy bonus at this share of the run."""
        weight: float = self.entropy_start * (self.entropy_end / self.entropy_start) ** progress
        return weight


@dataclass
class LeagueConfig:
    """The other players. The four shares are of games and add up to 1.

    Attributes:
        self_play: games among copies of the learner alone.
        scripted: games against scripted players with random parameters.
        snapshots: games against past versions of the learner.
        fixed: games against `opponents`.
        alone: share of the league games in which the learner sits alone against all others;
            in the rest it holds a random number of seats.
        uniform: share of the league games whose other seats are all the same player; in the
            rest each is drawn independently.
        opponents: agents by name, such as a checkpoint's folder, that play as they are and are
            met equally often. With `fixed` and `alone` at 1 the learner approximates a best
            response to them.
        priority: how much more often a scripted player is met the worse the learner does against
            it at this number of players (prioritised fictitious self-play): its weight is
            exp(−priority · margin), the margin being the learner's win share over the fair share,
            less 1. 0 meets all equally often.
        bot_distributions: the distributions that scripted players are drawn from, and their
            relative weights; empty is all distributions of the game, equally often.
        pool: scripted players drawn at the start.
        active: past versions that play at a time.
        snapshot_every: updates between two snapshots.
        keep: snapshots kept: the untrained network, and the latest ones.
        swap_every: updates after which other snapshots are made active.
    """

    self_play: float = 0.4
    scripted: float = 0.5
    snapshots: float = 0.1
    fixed: float = 0.0
    alone: Share = 0.5
    uniform: Share = 0.5
    priority: NonNegativeFloat = 1.5
    opponents: list[str] = field(default_factory=list)
    bot_distributions: dict[str, float] = field(default_factory=dict)
    pool: PositiveInt = 512
    active: PositiveInt = 1
    snapshot_every: PositiveInt = 25
    keep: PositiveInt = 40
    swap_every: PositiveInt = 2


@dataclass
class SelfPlayConfig:
    """Past versions of a learner that has one seat, `maskable_ppo`, in the words of ML-Agents.

    Steps are decisions of the learner. Of `league`, `scripted`, the share of games against
    scripted players, and `uniform`, `priority`, `bot_distributions`, `pool` and `active` count.
    All other games are against past versions.

    Attributes:
        save_steps: decisions between two snapshots.
        swap_steps: decisions after which other snapshots are made active.
        window: the latest snapshots that are kept, and among which those to play are drawn.
        play_against_latest_model_ratio: chance that the policy as it is then is made active,
            and not a snapshot.
    """

    save_steps: PositiveInt = 400_000
    swap_steps: PositiveInt = 50_000
    window: PositiveInt = 40
    play_against_latest_model_ratio: Share = 0.5


@dataclass
class EvaluationConfig:
    """The periodic evaluation during training, which does not change what is learned.

    Attributes:
        every: updates between two evaluations; 0 for none but the last.
        opponents: agents. The learner plays alone against copies of each, and each plays alone
            against copies of the learner.
        players: number of players.
        games: games of each of these pairings.
    """

    every: NonNegativeInt = 50
    opponents: list[str] = field(default_factory=list)
    players: int = 3
    games: PositiveInt = 1500


@dataclass
class TrainConfig:
    """One training run.

    Attributes:
        out: folder of the run: checkpoint, TensorBoard log, training state. By default runs/ and
            the game's name.
        resume: continue the run in `out`.
        overwrite: replace a run in `out`.
        seed: fixes the run, on the same machine and with the same number of threads.
        init: folder of a checkpoint whose weights the run starts from; null is random weights.
            Game, observation and hidden layers must be the same. A value is taken over where
            the checkpoint has one and the run has no critic of its own.
        decisions: length of the run in decisions of the learner, rounded to whole updates.
        threads: threads of the network's arithmetic. Two are faster on a quiet machine, and
            many times slower than one where another process keeps a core busy.
        save_every: updates between two saves.
        tensorboard: write a TensorBoard log.
        algorithm: "ppo" trains every seat of the learner by our own trainer; "maskable_ppo" one
            seat by MaskablePPO of sb3-contrib, with the same keys. Needs lowhand[sb3].
    """

    out: str = ""
    resume: bool = False
    overwrite: bool = False
    seed: int = 0
    init: str | None = None
    decisions: PositiveInt = 10_000_000
    threads: PositiveInt = 1
    save_every: PositiveInt = 50
    tensorboard: bool = True
    algorithm: Literal["ppo", "maskable_ppo"] = "ppo"
    game: GameConfig = field(default_factory=GameConfig)
    network: NetworkConfig = field(default_factory=NetworkConfig)
    reward: RewardConfig = field(default_factory=RewardConfig)
    ppo: PPOConfig = field(default_factory=PPOConfig)
    league: LeagueConfig = field(default_factory=LeagueConfig)
    self_play: SelfPlayConfig = field(default_factory=SelfPlayConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)

    def __post_init__(self) -> None:
        self.out = self.out or f"runs/{self.game.name}"

    @property
    def updates(self) -> int:
        """Number of updates of the whole run."""
        return max(1, round(self.decisions / self.ppo.batch_size))

    def options(self) -> Any:
        """The game's options, for the most players of the run."""
        return make_options(
            get_game(self.game.name), num_players=max(self.game.players), **self.game.options
        )

    def as_dict(self) -> dict[str, Any]:
        """The resolved config as plain data."""
        return asdict(self)
