"""Policies of SB3 as agents that NumPy plays, and the other way round."""

import numpy as np
import pytest
from safetensors.numpy import load_file

torch = pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, PPO
from torch import nn

from lowhand.agents.names import find_checkpoint
from lowhand.agents.table_view import TableView
from lowhand_training.sb3.vec_env import LowhandVecEnv
from lowhand_training.sb3.weights import acting_weights, as_agent, load_acting_weights
from tests.trainer.small import GAME, SHORT_GAME


@pytest.mark.parametrize("algorithm", [PPO, A2C, MaskablePPO])
@pytest.mark.parametrize("net_arch", [[8], [9, 7, 5], [], {"pi": [8, 6], "vf": [4]}])
def test_numpy_agent_has_the_probabilities_of_the_sb3_policy(algorithm, net_arch):
    env = LowhandVecEnv(64, GAME, num_players=3, perfect_recall=True, **SHORT_GAME)
    made = algorithm(
        "MlpPolicy",
        env,
        n_steps=4,
        policy_kwargs={"activation_fn": nn.ReLU, "net_arch": net_arch},
        seed=0,
        device="cpu",
    )
    with torch.no_grad():
        for parameter in made.policy.parameters():  # far from uniform, and biases too
            parameter.normal_(0.0, 0.5)
    env.seed(0)
    observation = torch.from_numpy(env.reset())
    env.step(env.action_masks().argmax(axis=1))
    batch = env.games.batch
    observation, masks = torch.from_numpy(batch.observation), env.action_masks()
    rules, rows = env.games.batch.options.rules(), np.arange(64)
    table = TableView(GAME, batch.options, rules, batch.states, rows)
    agent = as_agent(made, env)
    with torch.no_grad():
        if isinstance(made, MaskablePPO):
            chosen = made.policy.get_distribution(observation, masks)
        else:
            chosen = made.policy.get_distribution(observation)
        theirs = torch.stack([chosen.log_prob(torch.full((64,), a)) for a in (0, 1)], 1).exp()
    free = masks.all(axis=1) if not isinstance(made, MaskablePPO) else np.ones(64, bool)
    assert free.sum() > 30
    np.testing.assert_allclose(agent.probabilities(table)[free], theirs[free], atol=1e-5)
    assert theirs[free].std() > 0.1


def test_policies_that_no_checkpoint_can_hold_are_refused():
    env = LowhandVecEnv(2, GAME, num_players=3, **SHORT_GAME)
    tanh = MaskablePPO("MlpPolicy", env, n_steps=4, device="cpu")
    with pytest.raises(ValueError, match="activation is Tanh, and a checkpoint is played with ReL"):
        acting_weights(tanh.policy)

    class Extractor(nn.Module):
        features_dim = 4

        def __init__(self, space):
            super().__init__()
            self.layer = nn.Linear(space.shape[0], 4)

        def forward(self, x):
            return self.layer(x)

    kwargs = {"features_extractor_class": Extractor, "activation_fn": nn.ReLU}
    made = MaskablePPO("MlpPolicy", env, n_steps=4, device="cpu", policy_kwargs=kwargs)
    with pytest.raises(ValueError, match="not a multilayer perceptron over the observation alone"):
        acting_weights(made.policy)
    relu = {"activation_fn": nn.ReLU}
    made = MaskablePPO("MlpPolicy", env, n_steps=4, device="cpu", policy_kwargs=relu)
    with pytest.raises(ValueError, match="give games like those that it was trained on"):
        as_agent(made, LowhandVecEnv(2, GAME, num_players=4, **SHORT_GAME))


def test_policy_takes_the_weights_of_a_published_agent():
    folder = find_checkpoint("checkpoints/no_thanks")
    weights = load_file(folder / "model.safetensors")
    env = LowhandVecEnv(2, GAME, num_players=3, perfect_recall=True, observation_seats=7)
    kwargs = {"activation_fn": nn.ReLU, "net_arch": [256, 256]}
    made = MaskablePPO("MlpPolicy", env, n_steps=4, device="cpu", policy_kwargs=kwargs)
    value = made.policy.value_net.weight.detach().clone()
    load_acting_weights(made.policy, weights)
    taken = acting_weights(made.policy)
    assert all((taken[name] == weights[name]).all() for name in taken)
    assert (made.policy.value_net.weight == value).all()
    made = MaskablePPO(
        "MlpPolicy", env, n_steps=4, device="cpu", policy_kwargs={**kwargs, "net_arch": [64]}
    )
    size = env.observation_space.shape[0]
    with pytest.raises(ValueError, match=f"{size}-64-2, and the checkpoint's are {size}-256-256-2"):
        load_acting_weights(made.policy, weights)
    with pytest.raises(ValueError, match="and the checkpoint's are ;"):
        load_acting_weights(made.policy, {})
