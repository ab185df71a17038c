"""What a training run is made of: dataclasses that config files and the command line fill.

Every default stands here and nowhere else. A run saves its resolved config beside its weights.
"""

import math
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lowhand.agents.names import make_agent
from lowhand.engine.game import Game
from lowhand.engine.rewards import reward_weights
from lowhand.engine.validation import check_seed, make_options
from lowhand.games import get_game
from lowhand_training.trainer.config_checks import check_init, check_league, check_opponents


@dataclass
class GameConfig:
    """The game that is trained on.

    Attributes:
        name: name of the game.
        players: numbers of players; the games of a run take them in turn, so a number that
            stands twice is played twice as often.
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

    hidden: list[int] = field(default_factory=lambda: [256, 256])
    critic: list[int] = field(default_factory=list)
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    temperature: float = 1.0


@dataclass
class RewardConfig:
    """What a finished game pays, as weights of the objectives of `lowhand.engine.rewards`.

    Attributes:
        start: weights at the start; relative scores teach quickest.
        end: weights that are reached at `anneal`: one gets what one trains.
        anneal: share of the run after which the weights stay at `end`.
    """

    start: dict[str, float] = field(default_factory=lambda: {"win": 0.5, "score": 0.5})
    end: dict[str, float] = field(default_factory=lambda: {"win": 1.0, "score": 0.05})
    anneal: float = 0.6

    def at(self, progress: float) -> NDArray[np.float64]:
        """The weights of the objectives at this share of the run, as `reward_weights` has them."""
        share = min(1.0, progress / self.anneal)
        return (1.0 - share) * reward_weights(self.start) + share * reward_weights(self.end)


@dataclass
class PPOConfig:
    """Proximal policy optimisation (Schulman et al., 2017), with GAE per seat.

    Attributes:
        games: games played side by side.
        steps: decisions in each game between two updates.
        epochs: passes over the decisions of an update.
        minibatch: decisions of a gradient step.
        learning_rate: of Adam at the start; falls linearly to zero.
        clip: bound of the probability ratio's change.
        gae_lambda: λ of generalised advantage estimation; γ is 1, since games end.
        entropy_start: weight of the entropy bonus at the start; annealed geometrically.
        entropy_end: weight of the entropy bonus at the end.
        value_weight: weight of the value loss.
        max_gradient_norm: longer gradients are cut to it.
    """

    games: int = 1024
    steps: int = 64
    epochs: int = 2
    minibatch: int = 8192
    learning_rate: float = 1e-3
    clip: float = 0.2
    gae_lambda: float = 0.95
    entropy_start: float = 0.1
    entropy_end: float = 0.003
    value_weight: float = 0.5
    max_gradient_norm: float = 0.5

    def entropy_at(self, progress: float) -> float:
        """The weight of the entropy bonus at this share of the run."""
        weight: float = self.entropy_start * (self.entropy_end / self.entropy_start) ** progress
        return weight


@dataclass
class LeagueConfig:
    """Who else sits at the tables. The four shares are of games and add up to 1.

    Attributes:
        self_play: games among copies of the learner alone.
        scripted: games against scripted players with random parameters.
        snapshots: games against past versions of the learner.
        fixed: games against `opponents`.
        alone: share of the league games in which the learner sits alone against all others;
            in the rest it holds a random number of seats.
        uniform: share of the league games whose other seats are all the same player; in the
            rest each is drawn anew.
        opponents: agents by name, such as a checkpoint's folder, that play as they are and are
            met equally often. With `fixed` and `alone` at 1 the learner approximates a best
            response to them.
        priority: how much more often a scripted player is met the worse the learner does against
            it at this number of players (prioritised fictitious self-play): its weight is
            exp(−priority · margin), the margin being the learner's win share over the fair share,
            less 1. 0 meets all equally often.
        families: the families of scripted players and their relative weights; empty is all
            families of the game, equally often.
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
    alone: float = 0.5
    uniform: float = 0.5
    priority: float = 1.5
    opponents: list[str] = field(default_factory=list)
    families: dict[str, float] = field(default_factory=dict)
    pool: int = 512
    active: int = 1
    snapshot_every: int = 25
    keep: int = 40
    swap_every: int = 2


@dataclass
class SelfPlayConfig:
    """Past versions of a learner that has one seat, `maskable_ppo`, in the words of ML-Agents.

    Steps are decisions of the learner. Of `league` count `scripted`, the share of games against
    scripted players, and `uniform`, `priority`, `families`, `pool` and `active`; all other games
    are against past versions.

    Attributes:
        save_steps: decisions between two snapshots.
        swap_steps: decisions after which other snapshots are made active.
        window: the latest snapshots that are kept, and among which those to play are drawn.
        play_against_latest_model_ratio: chance that the policy as it is then is made active,
            and not a snapshot.
    """

    save_steps: int = 400_000
    swap_steps: int = 50_000
    window: int = 40
    play_against_latest_model_ratio: float = 0.5


@dataclass
class EvaluationConfig:
    """The evaluation in the course of training, which is a look and changes nothing.

    Attributes:
        every: updates between two evaluations; 0 for none but the last.
        opponents: agents that it plays alone against copies of, and that play alone against it.
        players: number of players.
        games: games of each field.
    """

    every: int = 50
    opponents: list[str] = field(default_factory=list)
    players: int = 3
    games: int = 1500


@dataclass
class TrainConfig:
    """One training run.

    Attributes:
        out: folder of the run: checkpoint, TensorBoard log, training state. By default runs/ and
            the game's name.
        resume: go on with the run that stands in `out`.
        overwrite: replace a run that stands in `out`.
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
    decisions: int = 10_000_000
    threads: int = 1
    save_every: int = 50
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
        return max(1, round(self.decisions / (self.ppo.games * self.ppo.steps)))

    def options(self) -> Any:
        """The game's options, for the most players of the run."""
        return make_options(
            get_game(self.game.name), num_players=max(self.game.players), **self.game.options
        )

    def as_dict(self) -> dict[str, Any]:
        """The resolved config as plain data."""
        return asdict(self)


def check(config: TrainConfig) -> Game:
    """The game of a config whose values fit together.

    Raises:
        ValueError: a value can't be used; the message says which and what would be right.
    """
    game = get_game(config.game.name)
    _check_game(config, game)
    _check_numbers(config)
    check_league(config.league, game)
    check_opponents(config, game)
    for key, weights in (("start", config.reward.start), ("end", config.reward.end)):
        try:
            reward_weights(weights)
        except ValueError as error:
            raise ValueError(f"reward.{key}: {error}") from error
    if not config.network.hidden or min(config.network.hidden) < 1:
        raise ValueError("network.hidden must name at least one layer's width, each at least 1.")
    _check_critic(config.network, game)
    if config.init is not None and not config.resume:
        check_init(config, game)
    if config.evaluation.opponents:
        _check_evaluation(config, game)
    if config.algorithm == "maskable_ppo":
        _check_maskable(config)
    return game


def _check_maskable(config: TrainConfig) -> None:
    ppo, past, network = config.ppo, config.self_play, config.network
    for name in ("save_steps", "swap_steps", "window"):
        if getattr(past, name) < 1:
            raise ValueError(f"self_play.{name} must be at least 1, not {getattr(past, name)}.")
    if not 0 <= past.play_against_latest_model_ratio <= 1:
        raise ValueError(
            "self_play.play_against_latest_model_ratio must be at most 1 and at least 0, not"
            f" {past.play_against_latest_model_ratio}."
        )
    if config.init is not None:
        raise ValueError("under maskable_ppo init must be null: only ppo starts from a checkpoint.")
    if network.critic or network.precision == "bfloat16":
        raise ValueError(
            "under maskable_ppo network.critic must be empty and network.precision auto or"
            " float32: sb3-contrib has neither such a critic nor bfloat16 layers."
        )
    if ppo.minibatch == 1 or ppo.games * ppo.steps % ppo.minibatch == 1:
        raise ValueError(
            "ppo.minibatch must divide ppo.games × ppo.steps so that no minibatch is of a single"
            f" decision, which sb3-contrib can't normalise; {ppo.minibatch} doesn't."
        )


def _check_critic(network: NetworkConfig, game: Game) -> None:
    if network.critic and game.critic_observation is None:
        raise ValueError(
            f"network.critic must be empty: in {game.name} nothing is hidden that a critic of its"
            " own could see."
        )
    if network.critic and min(network.critic) < 1:
        raise ValueError("network.critic must name widths of at least 1.")


def _check_game(config: TrainConfig, game: Game) -> None:
    players, options, seats = config.game.players, config.game.options, config.game.seats
    if not players:
        raise ValueError("game.players must name at least one number of players.")
    if "num_players" in options:
        raise ValueError("give numbers of players as game.players, not in game.options.")
    for number in players:
        _make_options(game, number, options)
    if seats is not None and not max(players) <= seats <= game.max_players:
        raise ValueError(
            f"game.seats must be null or from {max(players)}, the most players, to"
            f" {game.max_players}, not {seats}."
        )
    if config.ppo.games < len(players):
        raise ValueError(
            f"ppo.games must be at least {len(players)}, so that every number in game.players is"
            f" played, not {config.ppo.games}."
        )


def _make_options(game: Game, players: int, options: dict[str, Any]) -> Any:
    try:
        return make_options(game, num_players=players, **options)
    except ValueError as error:
        raise ValueError(f"the game can't be set up: {error}") from error


def _check_numbers(config: TrainConfig) -> None:
    check_seed(config.seed)
    ppo, league, evaluation = config.ppo, config.league, config.evaluation
    positive = {
        "decisions": config.decisions, "threads": config.threads, "save_every": config.save_every,
        "ppo.games": ppo.games, "ppo.steps": ppo.steps, "ppo.epochs": ppo.epochs,
        "ppo.minibatch": ppo.minibatch, "ppo.learning_rate": ppo.learning_rate,
        "ppo.clip": ppo.clip, "ppo.entropy_start": ppo.entropy_start,
        "ppo.entropy_end": ppo.entropy_end, "ppo.max_gradient_norm": ppo.max_gradient_norm,
        "league.pool": league.pool, "league.active": league.active, "league.keep": league.keep,
        "league.snapshot_every": league.snapshot_every, "league.swap_every": league.swap_every,
        "reward.anneal": config.reward.anneal, "evaluation.games": evaluation.games,
    }  # fmt: skip
    for name, value in positive.items():
        if not (value > 0 and math.isfinite(value)):
            raise ValueError(f"{name} must be a number greater than 0, not {value}.")
    for name, value in (
        ("ppo.value_weight", ppo.value_weight),
        ("league.priority", league.priority),
        ("network.temperature", config.network.temperature),
        ("evaluation.every", evaluation.every),
    ):
        if not (value >= 0 and math.isfinite(value)):
            raise ValueError(f"{name} must be a number of at least 0, not {value}.")
    for name, value in (
        ("ppo.gae_lambda", ppo.gae_lambda),
        ("reward.anneal", config.reward.anneal),
        ("league.alone", league.alone),
        ("league.uniform", league.uniform),
    ):
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must be at most 1 and at least 0, not {value}.")
    batch = ppo.games * ppo.steps
    if ppo.minibatch > batch:
        raise ValueError(
            f"ppo.minibatch must be at most ppo.games × ppo.steps = {batch}, not {ppo.minibatch}."
        )


def _check_evaluation(config: TrainConfig, game: Game) -> None:
    players, opponents = config.evaluation.players, config.evaluation.opponents
    _make_options(game, players, config.game.options)
    seats = config.game.seats or max(config.game.players)
    if players > seats:
        raise ValueError(
            f"evaluation.players must be at most {seats}, the seats of the agent's observation,"
            f" not {players}."
        )
    for opponent in opponents:
        make_agent(opponent, game)
        if opponents.count(opponent) > 1:
            raise ValueError(f"evaluation.opponents names {opponent!r} twice.")
