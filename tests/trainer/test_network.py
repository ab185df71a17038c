"""The network in torch and its twin in NumPy, which plays without torch."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from lowhand.agents.names import make_agent
from lowhand.agents.network import Network, NetworkAgent
from lowhand.agents.table_view import TableView, check_fit
from lowhand.apis.batch import make_batch
from lowhand.apis.gymnasium_env import SeatEnv
from lowhand.games import get_game
from lowhand_training.common.files import save_arrays
from lowhand_training.trainer.checkpoint import MODEL, write_config
from lowhand_training.trainer.ppo.network import PolicyValue, Snapshot
from lowhand_training.trainer.process import torch_settings
from tests.trainer.small import GAME, small_config


def random_network(
    inputs: int, hidden: list[int], actions: int, bfloat16: bool = False
) -> PolicyValue:
    """A network whose policy is far from uniform."""
    torch.manual_seed(0)
    network = PolicyValue(inputs, hidden, actions, bfloat16)
    with torch.no_grad():
        for tensor in network.parameters():
            tensor.normal_(0.0, 0.3)
    return network


def tables(games: int = 300, moves: int = 7) -> tuple[TableView, np.ndarray]:
    """Positions in the midst of games for 3 to 5 players, and their observations."""
    rng = np.random.default_rng(1)
    batch = make_batch(
        "no_thanks", games, num_players=[3, 4, 5], perfect_recall=True, observation_seats=5, chips=2
    )
    for _ in range(moves):
        take = rng.random(games) < 0.3
        batch.step(np.where(take | (batch.action_mask[:, 0] == 0), 1, 0))
    rows = np.arange(games)
    table = TableView(GAME, batch.options, batch._tables.rules, batch.states, rows)
    return table, batch.observation.copy()


# bfloat16 has eight bits of a fraction: what is lost grows with the layers.
@pytest.mark.parametrize(("bfloat16", "error"), [(False, 1e-5), (True, 0.05)])
@pytest.mark.parametrize("hidden", [[4], [64], [32, 16, 8]])
def test_torch_and_numpy_agree(hidden, bfloat16, error):
    network = random_network(50, hidden, 9, bfloat16)
    observation = np.random.default_rng(2).normal(size=(200, 50)).astype(np.float32)
    with torch.no_grad(), torch_settings(torch.get_num_threads(), bfloat16):
        logits, value = network(torch.from_numpy(observation))
    twin = Network({name: w.numpy() for name, w in network.state_dict().items()})
    assert (twin.num_inputs, twin.num_actions) == (50, 9)
    assert value.shape == (200,)
    np.testing.assert_allclose(twin.logits(observation), logits.numpy(), rtol=error, atol=error)


def test_saved_network_plays_the_policy_that_was_trained(tmp_path):
    config = small_config()
    config.game.players, config.game.options = [3, 4, 5], {"chips": 2}
    table, observation = tables()
    spec = GAME.observation(config.options(), True, 5)
    network = random_network(spec.size, [32, 32], 2)
    save_arrays(tmp_path / MODEL, {k: v.numpy() for k, v in network.state_dict().items()})
    write_config(tmp_path, config, GAME, spec)
    agent = make_agent(str(tmp_path), GAME)
    assert isinstance(agent, NetworkAgent)
    np.testing.assert_array_equal(table.observe(agent.spec), observation)
    with torch.no_grad():
        logits, _ = network(torch.from_numpy(observation))
        illegal = torch.from_numpy(table.action_mask) == 0
        policy = logits.masked_fill(illegal, -torch.inf).softmax(1)
    probabilities = agent.probabilities(table)
    np.testing.assert_allclose(probabilities, policy.numpy(), rtol=1e-5, atol=1e-5)
    assert probabilities[table.action_mask == 0].max() == 0.0
    # The same dice of game and move: the snapshot of a league and the published agent play alike.
    rng = np.random.default_rng(0)
    same = agent.act(table, rng) == Snapshot(network, spec).act(table, rng)
    assert same.mean() > 0.99, "but for draws on the edge between two actions"


def test_agent_draws_its_actions_by_their_probabilities():
    table, _ = tables(games=3000, moves=3)
    spec = table.spec(True, 5)
    weights = {k: v.numpy() for k, v in random_network(spec.size, [16], 2).state_dict().items()}
    agent = NetworkAgent("it", GAME, GAME.options(), Network(weights), spec)
    chance = agent.probabilities(table)[:, 1]
    actions = agent.act(table, np.random.default_rng(0))
    # Five standard deviations of the number of ones.
    assert abs(actions.sum() - chance.sum()) < 5 * np.sqrt((chance * (1 - chance)).sum())
    agent.temperature = 0.0
    likeliest = agent.act(table, np.random.default_rng(0))
    free = table.action_mask.sum(axis=1) > 1
    np.testing.assert_array_equal(likeliest[free], (chance[free] > 0.5).astype(int))


@pytest.mark.parametrize("critic", [None, 60])
def test_gradients_in_bfloat16_are_those_in_float32_but_for_rounding(critic):
    gradients = []
    for bfloat16 in (False, True):
        torch.manual_seed(0)
        network = PolicyValue(50, [64, 64], 9, bfloat16, critic, [32])
        logits, value = network(torch.rand(400, critic or 50))
        assert (logits.dtype, value.dtype) == (torch.float32, torch.float32)
        (logits.square().sum() + (value - 1.0).square().sum()).backward()
        gradients.append({name: tensor.grad for name, tensor in network.named_parameters()})
    for name, exact in gradients[0].items():
        error = (gradients[1][name] - exact).norm() / exact.norm()
        assert error < 0.03, name  # bfloat16 has eight bits of a fraction


def test_first_policy_is_nearly_uniform():
    torch.manual_seed(0)
    network = PolicyValue(40, [32, 32], 2)
    with torch.no_grad():
        logits, _ = network(torch.rand(100, 40))
    assert logits.softmax(1).sub(0.5).abs().max() < 0.02


@pytest.mark.parametrize(
    ("checkpoint", "game", "options", "why"),
    [
        ("least_score", "least_score", {"num_players": 7}, "observes at most 6 players"),
        ("least_score", "least_score", {"hand_size": 4}, "trained with other cards"),
        ("no_thanks", "no_thanks", {"low": 1}, "trained with other cards"),
    ],
)
def test_a_network_refuses_tables_that_it_cannot_see(checkpoint, game, options, why):
    name, game = f"checkpoints/{checkpoint}", get_game(game)
    with pytest.raises(ValueError, match=f"agent '{name}' can't play here: .*{why}"):
        check_fit([make_agent(name, game)], game.options(**options))
    with pytest.raises(ValueError, match=why):
        SeatEnv(game, opponents=name, **options)
    with pytest.raises(ValueError, match=why):
        make_batch(game.name, 2, agents=name, **options)


@pytest.mark.parametrize(
    ("checkpoint", "options"),
    [
        ("least_score", {"ranks": 6, "points_limit": None}),
        ("no_thanks", {"low": 3, "high": 8, "removed": 1}),
    ],
)
def test_a_network_plays_with_fewer_cards_than_it_was_trained_with(checkpoint, options):
    game = get_game(checkpoint)
    check_fit(
        [make_agent(f"checkpoints/{checkpoint}", game)], game.options(num_players=3, **options)
    )
