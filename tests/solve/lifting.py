"""Strategies made with suits forgotten as strategies of the tree with suits."""

import numpy as np

from lowhand_training.solve.least_score.seen import draw_seen, named


def forget_suits(seen):
    """What was seen of a deal, move or draw, as it looks with suits forgotten."""
    card, cards = divmod(int(seen), 1 << 52)  # a set of cards, and above it one further card
    forgotten = int(named(np.uint64(cards), False))
    return forgotten | int(draw_seen(card - 1, False)) if card else forgotten


def lift(policy, suited):
    """A strategy made with suits forgotten as one of the tree with suits, (sequences,) float64."""
    form = suited.form
    strategy = np.ones(form.num_sequences)
    image = np.zeros(form.num_sequences, np.int64)  # the sequence without suits of each
    image[: form.num_players] = np.arange(form.num_players)
    for infoset, key in enumerate(suited.keys):
        record = suited.records[infoset]
        seen = [forget_suits(word) for word in key[1:]]
        found = policy.find(int(image[form.parent[infoset]]), seen)
        shares = policy.lifted(found, record)
        choices = policy.choices(found, record)
        choice_of = {action: choice for choice, of_it in choices.items() for action in of_it}
        for sequence in range(form.first[infoset], form.first[infoset + 1]):
            action = int(form.actions[sequence])
            image[sequence], strategy[sequence] = choice_of[action], shares[action]
    return strategy
