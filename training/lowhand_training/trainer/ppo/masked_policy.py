"""Policies over the legal actions: drawn from, and differentiated.

A table of Least Score has 187 actions, of which some ten are legal. Softmax, entropy and their
gradients over whole arrays take the exponential of all of them, in one pass over memory a step:
a fifth of an update. The compiled loops here go from legal action to legal action.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lowhand.engine.jit import njit


def draw_actions(
    logits: NDArray[np.float32], mask: NDArray[Any], uniforms: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Draw one action a row from the softmax of its legal logits.

    Args:
        logits: (rows, actions) float32.
        mask: (rows, actions) bool or int8, with a legal action in every row.
        uniforms: (rows,) float64 in [0, 1), a random number for each row.

    Returns:
        The actions, (rows,) int64, and their log-probabilities, (rows,) float32.
    """
    actions = np.empty(len(logits), np.int64)
    log_probabilities = np.empty(len(logits), np.float32)
    _draw(logits, mask, uniforms, actions, log_probabilities)
    return actions, log_probabilities


def log_probability_and_entropy(
    logits: Tensor, mask: Tensor, actions: Tensor
) -> tuple[Tensor, Tensor]:
    """Both for the softmax of the legal logits, in nats and with gradients.

    Args:
        logits: (rows, actions) float32.
        mask: (rows, actions) bool, with a legal action in every row.
        actions: (rows,) int64, legal ones.

    Returns:
        The log-probabilities of `actions` and the entropies of the policies, (rows,) float32.
    """
    result: tuple[Tensor, Tensor] = _MaskedPolicy.apply(logits, mask, actions)
    return result


class _MaskedPolicy(torch.autograd.Function):
    """What `log_probability_and_entropy` gives, with its derivatives.

    For the policy π, its entropy h and the action a, those by logit i are
    ∂ log π(a) / ∂i = [i = a] − π(i)   and   ∂h / ∂i = −π(i) · (log π(i) + h).
    """

    @staticmethod
    def forward(ctx: Any, logits: Tensor, mask: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
        log_probability, entropy = torch.empty(2, len(logits))
        _evaluate(
            logits.numpy(), mask.numpy(), actions.numpy(), log_probability.numpy(), entropy.numpy()
        )
        ctx.save_for_backward(logits, mask, actions, entropy)
        return log_probability, entropy

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        logits, mask, actions, entropy = ctx.saved_tensors
        result = torch.zeros_like(logits)
        by_log_probability, by_entropy = (gradient.numpy() for gradient in gradients)
        _differentiate(
            logits.numpy(), mask.numpy(), actions.numpy(), entropy.numpy(), by_log_probability,
            by_entropy, result.numpy(),
        )  # fmt: skip
        return result, None, None


@njit
def _legal_policy(logits, mask, legal, policy):  # type: ignore[no-untyped-def]
    """Fill in the legal actions of a row and their probabilities.

    Returns how many there are, and what a logit is less than its log-probability: the logarithm
    of the sum of exponentials. The largest logit is taken off first, so that none overflows.
    """
    count, largest = 0, np.float32(-np.inf)
    for action in range(len(mask)):
        if mask[action]:
            legal[count] = action
            count += 1
            largest = max(largest, logits[action])
    total = 0.0
    for k in range(count):
        policy[k] = np.exp(logits[legal[k]] - largest)
        total += policy[k]
    for k in range(count):
        policy[k] /= total
    return count, largest + np.log(total)


@njit
def _draw(logits, mask, uniforms, actions, log_probabilities):  # type: ignore[no-untyped-def]
    """Fill the last two."""
    rows, size = logits.shape
    legal, policy = np.empty(size, np.int64), np.empty(size)
    for i in range(rows):
        count, log_sum = _legal_policy(logits[i], mask[i], legal, policy)
        chosen, cumulative = 0, policy[0]
        while cumulative <= uniforms[i] and chosen < count - 1:
            chosen += 1
            cumulative += policy[chosen]
        actions[i] = legal[chosen]
        log_probabilities[i] = logits[i, legal[chosen]] - log_sum


@njit
def _evaluate(logits, mask, actions, log_probability, entropy):  # type: ignore[no-untyped-def]
    """Fill the last two."""
    rows, size = logits.shape
    legal, policy = np.empty(size, np.int64), np.empty(size)
    for i in range(rows):
        count, log_sum = _legal_policy(logits[i], mask[i], legal, policy)
        total = 0.0
        for k in range(count):
            total += policy[k] * (log_sum - logits[i, legal[k]])
        entropy[i] = total
        log_probability[i] = logits[i, actions[i]] - log_sum


@njit
def _differentiate(  # type: ignore[no-untyped-def]
    logits, mask, actions, entropy, by_log_probability, by_entropy, result
):
    """Write the derivatives by the logits of legal actions into `result`, which is zero."""
    rows, size = logits.shape
    legal, policy = np.empty(size, np.int64), np.empty(size)
    for i in range(rows):
        count, log_sum = _legal_policy(logits[i], mask[i], legal, policy)
        for k in range(count):
            surplus = logits[i, legal[k]] - log_sum + entropy[i]
            result[i, legal[k]] = -policy[k] * (by_log_probability[i] + by_entropy[i] * surplus)
        result[i, actions[i]] += by_log_probability[i]
