import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from lowhand.apis.batch import make_batch
from lowhand.engine.kernels_batch import YOURS
from lowhand_training.trainer.config import LeagueConfig, RewardConfig
from lowhand_training.trainer.ppo import learner as module
from lowhand_training.trainer.ppo.learner import Learner
from tests.trainer.small import GAME, SHORT_GAME, small_config

SELF_PLAY = LeagueConfig(self_play=1.0, scripted=0.0, snapshots=0.0, pool=4)


def small_learner(**changes) -> Learner:
    return Learner(small_config(**changes), GAME)


def weights(learner: Learner) -> bytes:
    return b"".join(w.numpy().tobytes() for w in learner.network.state_dict().values())


def minibatch(learner: Learner, mask: list[list[bool]], **given: list[float]) -> list:
    """What `_loss` takes, with the policy of the network as the old one unless given."""
    rows, rng = len(mask), np.random.default_rng(0)
    observation = torch.from_numpy(rng.random((rows, learner.spec.size), np.float32))
    legal = torch.tensor(mask)
    action = legal.int().argmax(1)
    with torch.no_grad():
        logits, _ = learner.network(observation)
        now, _ = module.log_probability_and_entropy(logits, legal, action)
    old = now - torch.tensor(given.get("log_ratio", [0.0]))
    advantage = torch.tensor(given.get("advantage", [1.0] * rows))
    return [observation, legal, action, old, advantage, torch.zeros(rows)]


def policy_gradient(learner: Learner, data: list, entropy: float = 0.0) -> torch.Tensor:
    learner.network.zero_grad()
    loss, _ = learner._loss(data, entropy)
    loss.backward()
    return torch.cat([p.grad.ravel() for p in learner.network.policy.parameters()])


def test_update_changes_the_weights_and_logs_finite_numbers():
    learner = small_learner()
    before = weights(learner)
    log = learner.update()
    assert weights(learner) != before
    assert learner.update_number == 1
    assert all(map(math.isfinite, log.values()))
    assert set(log) == {"rollout/episodes"} | {
        f"train/{name}"
        for name in (
            "policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction",
            "gradient_norm", "learning_rate", "entropy_coefficient", "explained_variance",
        )
    }  # fmt: skip
    assert 0.0 < -log["train/entropy_loss"] < math.log(2) + 1e-6
    assert 0.0 <= log["train/clip_fraction"] <= 1.0
    assert log["rollout/episodes"] == learner.rollout.ended.all(axis=2).sum() > 0


def test_same_seed_gives_the_same_weights_and_another_seed_others():
    one, two, other = small_learner(), small_learner(), small_learner(seed=4)
    for learner in (one, two, other):
        learner.update()
        learner.update()
    assert weights(one) == weights(two) != weights(other)


def test_forced_moves_give_no_policy_gradient():
    learner = small_learner()
    learner.config.ppo.value_weight = 0.0
    forced = minibatch(learner, [[False, True], [True, False]])
    assert policy_gradient(learner, forced, entropy=0.1).abs().max() == 0.0
    mixed = minibatch(learner, [[True, True], [False, True], [True, False]])
    alone = [tensor[:1] for tensor in mixed]
    # A free move weighs the same whether forced ones stand beside it or not.
    torch.testing.assert_close(policy_gradient(learner, mixed), policy_gradient(learner, alone))
    assert policy_gradient(learner, alone).abs().max() > 0.0
    losses = [learner._loss(data, 0.0)[1]["train/policy_gradient_loss"] for data in (mixed, alone)]
    assert losses[0] == pytest.approx(losses[1])


def test_forced_moves_teach_the_value():
    learner = small_learner()
    loss, log = learner._loss(minibatch(learner, [[False, True]]), 0.0)
    assert log["train/value_loss"] > 0.0
    loss.backward()
    assert learner.network.value.weight.grad.abs().max() > 0.0


@pytest.mark.parametrize(
    ("ratio", "advantage", "learns"),
    [(1.0, 1.0, True), (1.3, 1.0, False), (1.3, -1.0, True), (0.7, -1.0, False), (0.7, 1.0, True)],
)
def test_ratio_is_clipped_on_the_side_that_gains(ratio, advantage, learns):
    learner = small_learner()
    learner.config.ppo.value_weight = 0.0
    data = minibatch(
        learner, [[True, True]], log_ratio=[math.log(ratio)], advantage=[float(advantage)]
    )
    assert (policy_gradient(learner, data).abs().max() > 0.0) == learns


def test_reward_moves_from_start_to_end_and_stays():
    reward = RewardConfig(start={"score": 1.0}, end={"win": 0.5, "placement": 0.1}, anneal=0.5)
    learner = small_learner(reward=reward)
    for progress, expected in (
        (0.0, [0.0, 1.0, 0.0, 0.0]),
        (0.25, [0.25, 0.5, 0.05, 0.0]),
        (0.5, [0.5, 0.0, 0.1, 0.0]),
        (1.0, [0.5, 0.0, 0.1, 0.0]),
    ):
        learner._set_reward(progress)
        np.testing.assert_allclose(learner.batch._tables.weights, expected)


def test_learning_rate_falls_linearly_and_entropy_geometrically():
    learner = small_learner()
    logs = [learner.update() for _ in range(learner.config.updates)]
    rates = [log["train/learning_rate"] for log in logs]
    np.testing.assert_allclose(rates, 1e-3 * (1 - np.arange(6) / 6))
    entropy = [log["train/entropy_coefficient"] for log in logs]
    np.testing.assert_allclose(np.diff(np.log(entropy)), math.log(0.003 / 0.1) / 6)


def test_decisions_that_are_not_known_yet_teach_nothing():
    one, two = small_learner(), small_learner()
    estimate = two._estimate_advantages

    def spoil() -> None:
        estimate()
        assert not two.rollout.known.all()
        two.rollout.advantage[~two.rollout.known] = 1e6

    two._estimate_advantages = spoil
    one.update()
    two.update()
    assert weights(one) == weights(two)


def test_update_in_which_nothing_is_known_changes_nothing(monkeypatch):
    passes = (np.zeros(2, np.int64), np.zeros(2, np.float32))
    monkeypatch.setattr(module, "draw_actions", lambda *_: passes)
    config = small_config(league=SELF_PLAY)
    config.ppo.num_envs, config.ppo.num_steps, config.ppo.minibatch_size = 2, 1, 2
    learner = Learner(config, GAME)
    before = weights(learner)
    log = learner.update()
    assert not learner.rollout.known.any()
    assert weights(learner) == before
    assert all(map(math.isfinite, log.values()))


def test_training_that_diverges_says_so():
    config = small_config()
    config.ppo.learning_rate = 1e30
    learner = Learner(config, GAME)
    with pytest.raises(ValueError, match=r"diverged at update 1: .* a lower ppo.learning_rate"):
        learner.update()
    assert learner.update_number == 0


def test_every_decision_is_one_of_the_learners_seats(monkeypatch):
    learner = small_learner()
    seated, step = [], learner.batch.step

    def spy(actions):
        rows = np.arange(learner.batch.num_envs)
        seated.append(learner.batch.seating[rows, learner.batch.mover].copy())
        step(actions)

    monkeypatch.setattr(learner.batch, "step", spy)
    for _ in range(3):
        learner.update()
    assert (np.array(seated) == YOURS).all()
    assert (learner.batch.seating != YOURS).any(), "others sit at the tables too"


def test_seats_are_drawn_anew_for_every_game(monkeypatch):
    learner = small_learner(league=LeagueConfig(self_play=0.0, scripted=1.0, snapshots=0.0))
    seatings, step = [learner.batch.seating.copy()], learner.batch.step

    def spy(actions):
        step(actions)
        done = learner.batch.done
        same = (learner.batch.seating == seatings[-1]).all(axis=1)
        assert same[~done].all()
        changes.extend((~same[done]).tolist())
        seatings.append(learner.batch.seating.copy())

    changes: list[bool] = []
    monkeypatch.setattr(learner.batch, "step", spy)
    for _ in range(3):
        learner.update()
    assert len(changes) > 30
    assert np.mean(changes) > 0.9


def test_numbers_of_players_are_mixed():
    learner = small_learner()
    learner.update()
    players, r = learner.batch.num_players, learner.rollout
    assert np.bincount(players).tolist() == [0, 0, 0, 8, 8]
    assert (r.mover < players).all()
    assert r.mover[:, players == 4].max() == 3
    assert (r.rewards[:, players == 3, 3] == 0.0).all()
    present = learner.spec.views(r.observation.float().numpy())["present"].sum(-1)
    assert (present == players).all()


def test_each_seat_learns_from_its_own_reward(monkeypatch):
    """Replay the decisions in a batch of our own, and pay each seat by the final scores."""
    config = small_config(league=SELF_PLAY)
    config.ppo.num_steps, config.ppo.gae_lambda = 40, 1.0
    config.reward.start = config.reward.end = {"win": 1.0}
    learner = Learner(config, GAME)
    learner._set_reward(0.0)
    learner._collect()
    learner._estimate_advantages()
    r, games = learner.rollout, config.ppo.num_envs
    batch = make_batch("no_thanks", games, num_players=[3, 4], seed=config.seed, **SHORT_GAME)
    expected = np.full(r.value.shape, np.nan)
    started, ends = np.zeros(games, int), 0
    for t in range(config.ppo.num_steps):
        assert (batch.mover == r.mover[t]).all()
        batch.step(r.action[t])
        for i in np.flatnonzero(batch.done):
            players = batch.num_players[i]
            scores = batch.final_scores[i, :players]
            shares = (scores == scores.min()) / (scores == scores.min()).sum()
            for u in range(started[i], t + 1):
                expected[u, i] = shares[r.mover[u, i]] - 1 / players
            started[i], ends = t + 1, ends + 1
    finished = ~np.isnan(expected)
    assert ends >= games
    assert r.known[finished].all()
    returns = r.advantage + r.value
    np.testing.assert_allclose(returns[finished], expected[finished], atol=1e-5)
    assert len(np.unique(np.round(expected[finished], 6))) >= 4, "wins and losses at 3 and 4 seats"


def test_snapshots_are_taken_and_swapped_as_often_as_the_config_says(monkeypatch):
    learner = small_learner()
    swaps = []
    monkeypatch.setattr(learner.league, "swap", lambda: swaps.append(learner.update_number))
    kept = []
    for _ in range(6):
        learner.update()
        kept.append(len(learner.league.past))
    assert kept == [1, 2, 2, 3, 3, 3]
    assert swaps == [2, 4, 6]


def test_learner_goes_on_from_its_state_as_if_nothing_had_happened():
    unbroken, stopped = small_learner(), small_learner()
    for learner in (unbroken, stopped):
        for _ in range(3):
            learner.update()
    arrays, metadata = stopped.training_state()
    again = small_learner()
    again.set_training_state({name: array.copy() for name, array in arrays.items()}, metadata)
    for _ in range(3):
        assert again.update() == unbroken.update()
    assert weights(again) == weights(unbroken)
