"""What a training run is made of: dataclasses that config files and the command line fill.

Every default stands here and nowhere else. A run saves its resolved config beside its weights.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

from lowhand.batch import make_options
from lowhand.game import Game
from lowhand.games import get_game
from lowhand.rewards import reward_weights


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
    """

    hidden: list[int] = field(default_factory=lambda: [256, 256])


@dataclass
class RewardConfig:
    """What a finished game pays, as weights of the objectives of `lowhand.rewards`.

    Attributes:
        start: weights at the start; relative scores teach quickest.
        end: weights that are reached at `anneal`: one gets what one trains.
        anneal: share of the run after which the weights stay at `end`.
    """

    start: dict[str, float] = field(default_factory=lambda: {"win": 0.5, "score": 0.5})
    end: dict[str, float] = field(default_factory=lambda: {"win": 1.0, "score": 0.05})
    anneal: float = 0.6


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


@dataclass
class LeagueConfig:
    """Who else sits at the tables. The three shares are of games and add up to 1.

    Attributes:
        self_play: games among copies of the learner alone.
        scripted: games against scripted players with random parameters.
        snapshots: games against past versions of the learner.
        alone: share of the league games in which the learner sits alone against all others;
            in the rest it holds a random number of seats.
        uniform: share of the league games whose other seats are all the same player; in the
            rest each is drawn anew.
        families: the families of scripted players and their relative weights; empty is all
            families of the game, equally often.
        pool: scripted players drawn at the start.
        active: past versions that play at a time.
        snapshot_every: updates between two snapshots.
        keep: snapshots kept; the oldest but one goes first, so that the spread over time stays.
        swap_every: updates after which other snapshots are made active.
    """

    self_play: float = 0.4
    scripted: float = 0.5
    snapshots: float = 0.1
    alone: float = 0.5
    uniform: float = 0.5
    families: dict[str, float] = field(default_factory=dict)
    pool: int = 512
    active: int = 2
    snapshot_every: int = 25
    keep: int = 40
    swap_every: int = 5


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
        out: folder of the run: checkpoint, TensorBoard log, training state.
        resume: go on with the run that stands in `out`.
        overwrite: replace a run that stands in `out`.
        seed: fixes the run, on the same machine and with the same number of threads.
        decisions: length of the run in decisions of the learner.
        threads: threads of the network's arithmetic.
        save_every: updates between two saves.
        tensorboard: write a TensorBoard log.
    """

    out: str = "runs/no_thanks"
    resume: bool = False
    overwrite: bool = False
    seed: int = 0
    decisions: int = 10_000_000
    threads: int = 2
    save_every: int = 50
    tensorboard: bool = True
    game: GameConfig = field(default_factory=GameConfig)
    network: NetworkConfig = field(default_factory=NetworkConfig)
    reward: RewardConfig = field(default_factory=RewardConfig)
    ppo: PPOConfig = field(default_factory=PPOConfig)
    league: LeagueConfig = field(default_factory=LeagueConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)

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
    game, ppo, league = get_game(config.game.name), config.ppo, config.league
    if not config.game.players:
        raise ValueError("game.players must name at least one number of players.")
    config.options()
    for weights in (config.reward.start, config.reward.end):
        reward_weights(weights)
    batch = ppo.games * ppo.steps
    positive = {
        "decisions": config.decisions, "threads": config.threads, "save_every": config.save_every,
        "ppo.games": ppo.games, "ppo.steps": ppo.steps, "ppo.epochs": ppo.epochs,
        "ppo.minibatch": ppo.minibatch, "league.pool": league.pool,
        "league.active": league.active, "league.snapshot_every": league.snapshot_every,
        "league.keep": league.keep, "league.swap_every": league.swap_every,
        "ppo.learning_rate": ppo.learning_rate, "ppo.entropy_start": ppo.entropy_start,
        "ppo.entropy_end": ppo.entropy_end, "reward.anneal": config.reward.anneal,
    }  # fmt: skip
    for name, value in positive.items():
        if not value > 0:
            raise ValueError(f"{name} must be greater than 0, not {value}.")
    if ppo.minibatch > batch:
        raise ValueError(
            f"ppo.minibatch must be at most ppo.games × ppo.steps = {batch}, not {ppo.minibatch}."
        )
    shares = (league.self_play, league.scripted, league.snapshots)
    if min(shares) < 0 or abs(sum(shares) - 1.0) > 1e-6:
        raise ValueError(
            "league.self_play, league.scripted and league.snapshots must be shares ≥ 0 that add"
            f" up to 1, not {', '.join(map(str, shares))}."
        )
    if not config.network.hidden or min(config.network.hidden) < 1:
        raise ValueError("network.hidden must name at least one layer's width, each at least 1.")
    unknown = sorted(set(league.families) - set(game.families))
    if unknown or any(weight < 0 for weight in league.families.values()):
        raise ValueError(
            f"league.families must give weights ≥ 0 to families among"
            f" {', '.join(game.families)}; not {league.families}."
        )
    return game
