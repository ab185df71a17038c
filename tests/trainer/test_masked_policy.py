"""Policies over the legal actions: what is drawn, log-probabilities, entropies, gradients."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from lowhand_training.trainer.ppo.masked_policy import draw_actions, log_probability_and_entropy

ACTIONS = 187


def rows(count, actions=ACTIONS, scale=5.0, legal=0.1):
    """Logits, a mask, and a legal action a row; in the first rows there is no other."""
    rng = np.random.default_rng(4)
    logits = rng.normal(scale=scale, size=(count, actions)).astype(np.float32)
    chosen = rng.integers(actions, size=count)
    mask = rng.random((count, actions)) < legal
    mask[:10] = False
    mask[np.arange(count), chosen] = True
    return torch.from_numpy(logits), torch.from_numpy(mask), torch.from_numpy(chosen)


def by_softmax(logits, mask, actions):
    """The same by torch's own functions, in float64."""
    log_policy = logits.double().masked_fill(~mask, -1e9).log_softmax(1)
    entropy = -(log_policy.exp() * log_policy).sum(1)
    return log_policy.gather(1, actions[:, None]).squeeze(1), entropy


@pytest.mark.parametrize("dice", [0.0, 1e-12, 0.5, 1.0 - 2.0**-53])
def test_illegal_actions_are_never_drawn(dice):
    logits, mask, _ = rows(500, actions=6, scale=200.0, legal=0.4)
    actions, log_probabilities = draw_actions(logits.numpy(), mask.numpy(), np.full(500, dice))
    assert mask[np.arange(500), actions].all()
    assert np.isfinite(log_probabilities).all()


def test_drawn_actions_follow_the_policy():
    # The third is illegal, however likely it would be.
    logits = np.log(np.array([0.1, 0.6, 9.0, 0.3], np.float32))[np.newaxis].repeat(20_000, axis=0)
    mask = np.array([True, True, False, True])[np.newaxis].repeat(20_000, axis=0)
    actions, _ = draw_actions(logits, mask, np.random.default_rng(5).random(20_000))
    shares = np.bincount(actions, minlength=4) / 20_000
    # Five standard deviations of the least certain share.
    np.testing.assert_allclose(shares, [0.1, 0.6, 0.0, 0.3], atol=5 * 0.5 / 20_000**0.5)


def test_drawn_actions_come_with_their_log_probabilities():
    logits, mask, _ = rows(300)
    dice = np.random.default_rng(6).random(300)
    actions, log_probabilities = draw_actions(logits.numpy(), mask.numpy(), dice)
    expected, _ = by_softmax(logits, mask, torch.from_numpy(actions))
    np.testing.assert_allclose(log_probabilities, expected, atol=1e-5)


def test_log_probability_and_entropy_are_those_of_the_softmax_over_legal_actions():
    logits, mask, actions = rows(300)
    found = log_probability_and_entropy(logits, mask, actions)
    for ours, expected in zip(found, by_softmax(logits, mask, actions), strict=True):
        np.testing.assert_allclose(ours, expected, atol=1e-5)
    assert (found[1][:10] == 0.0).all()


def test_gradients_are_those_of_the_softmax_over_legal_actions():
    logits, mask, actions = rows(300)
    weights = torch.from_numpy(np.random.default_rng(7).normal(size=(2, 300)))
    gradients = []
    for function in (log_probability_and_entropy, by_softmax):
        leaf = logits.clone().requires_grad_()
        log_probability, entropy = function(leaf, mask, actions)
        (weights[0] * log_probability + weights[1] * entropy).sum().backward()
        gradients.append(leaf.grad)
    np.testing.assert_allclose(*gradients, atol=1e-5)
    assert (gradients[0][~mask] == 0.0).all()


def test_extreme_logits_leave_everything_finite():
    logits = torch.tensor([[5.0, -5.0, 90.0], [-300.0, 300.0, 0.0]], requires_grad=True)
    mask = torch.tensor([[True, True, False], [True, True, True]])
    log_probability, entropy = log_probability_and_entropy(logits, mask, torch.tensor([1, 0]))
    (log_probability + entropy).sum().backward()
    assert torch.isfinite(log_probability).all()
    assert torch.isfinite(entropy).all()
    assert torch.isfinite(logits.grad).all()
