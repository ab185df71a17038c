"""Checks of what seats are shown, and of samples of what they can't know."""

import numpy as np

from lowhand.engine import kernels_rows as kernels
from lowhand.engine.records import OPTIONAL_FIELDS, SHARED_FIELDS
from lowhand.engine.scripted import Bot
from lowhand.testing.trial import Trial, same_arrays, same_records


def check_views(trial: Trial, states: np.ndarray) -> None:
    """What is shown of positions is complete, within bounds and text, and bots act legally."""
    _check_observations(trial, states)
    _check_texts(trial, states)
    _check_bots(trial, states[states["over"] == 0])


def _check_observations(trial: Trial, states: np.ndarray) -> None:
    game, specs = trial.game, [*trial.specs.values()]
    specs += [game.observation(trial.options, True, game.max_players)]
    if game.critic_observation is not None:
        player = trial.specs[True]
        critic = game.critic_observation(trial.options, True, trial.players)
        same = critic.signature()[: len(player.fields)] == player.signature()
        for seat in range(trial.players):
            seen, known = (trial.seen(states, seat, spec) for spec in (critic, player))
            same = same and np.array_equal(seen[:, : player.size], known, equal_nan=True)
        trial.require(same, "critic_observation", "does not begin with the fields of observation")
        specs.append(critic)
    for spec in specs:
        low, high = spec.bounds()
        for seat in range(trial.players):
            seen = trial.seen(states, seat, spec)
            for field, place in spec.slices.items():
                cells = seen[:, place]
                trial.require(
                    np.isfinite(cells), "observe", f"leaves {field!r} unwritten or not finite"
                )
                within = (cells >= low[place] - 1e-6) & (cells <= high[place] + 1e-6)
                trial.require(within, "observe", f"writes {field!r} outside its bounds")


def _check_texts(trial: Trial, states: np.ndarray) -> None:
    game = trial.game
    for state in states:
        wrong = game.invalid_state_reason(trial.options, trial.rules, state)
        trial.require(
            wrong is None, "invalid_state_reason", f"refuses a position of play ({wrong})"
        )
        for viewer in (None, *range(trial.players)):
            text = game.render(trial.rules, state, viewer)
            trial.require(isinstance(text, str) and text, "render", "does not return a text")
    live = states[states["over"] == 0]
    for state, mask in zip(live, trial.masks(live), strict=True):
        for action in np.flatnonzero(mask)[:20]:
            words = game.describe_action(trial.rules, state, int(action))
            trial.require(isinstance(words, str) and words, "describe_action", "returns no text")


def _check_bots(trial: Trial, live: np.ndarray) -> None:
    for name, bot in trial.bots.items():
        made = isinstance(bot, np.ndarray) and bot.dtype == Bot and bot.shape == (1,)
        trial.require(made, "bot_distributions", f"gives no Bot record ({name})")
        actions = trial.decided(live, bot)
        bad = kernels.first_illegal(trial.rules, live, np.arange(len(live)), actions)
        trial.require(bad < 0, "act", f"chooses an illegal action as {name!r}")


def check_hidden(trial: Trial, states: np.ndarray) -> None:
    """Samples of what a seat can't know keep what it knows, and nothing else is shown to it."""
    names = states.dtype.names or ()
    fixed = [name for name in SHARED_FIELDS | OPTIONAL_FIELDS if name in names and name != "key"]
    for seat in range(trial.players):
        for recall in (False, True):
            keys = trial.new_keys(len(states))
            other = trial.resampled(states, seat, recall, keys)
            again = trial.resampled(states, seat, recall, keys)
            require = trial.require
            require(same_records(other, again), "resample_hidden", "is not fixed by its key")
            require(other["key"] != states["key"], "resample_hidden", "leaves the state's key")
            for name in fixed:
                same = other[name] == states[name]
                require(same, "resample_hidden", f"changes the field {name!r}")
            check_knowledge(trial, states, other, seat, recall)
            twice = trial.resampled(
                trial.resampled(states, seat, recall, trial.new_keys(len(keys))), seat, recall, keys
            )
            same = same_arrays(trial.seen_by_all(twice), trial.seen_by_all(other))
            require(same, "resample_hidden", "depends on what is hidden and not on its key alone")
            ends = [trial.played_out(one, seed=1) for one in (states, other)]
            trial.changed |= not np.array_equal(ends[0], ends[1])
            trial.changed |= not same_arrays(trial.seen_by_all(states), trial.seen_by_all(other))


def check_knowledge(
    trial: Trial, states: np.ndarray, other: np.ndarray, seat: int, recall: bool
) -> None:
    """Everything that `seat` is shown is the same in `other`, a sample of what it can't know."""
    for level in (False, True)[: 1 + recall]:
        spec = trial.specs[level]
        one, two = (trial.seen(each, seat, spec) for each in (states, other))
        for field, place in spec.slices.items():
            trial.require(
                one[:, place] == two[:, place],
                "observe",
                f"shows in {field!r} what the seat can't know, or `resample_hidden` changes what it"
                f" knows (recall {recall})",
            )
    for state, sample in zip(states, other, strict=True):
        texts = [trial.game.render(trial.rules, each, seat) for each in (state, sample)]
        trial.require(texts[0] == texts[1], "render", "shows a seat what it can't know")
    mine = states["mover"] == seat
    if not mine.any():
        return
    states, other = states[mine], other[mine]
    masks = trial.masks(states), trial.masks(other)
    trial.require(masks[0] == masks[1], "resample_hidden", "changes the mover's legal actions")
    if recall:
        other["key"] = states["key"]  # it fixes the random numbers of bots, which are no secret
        for name, bot in trial.bots.items():
            same = trial.decided(states, bot) == trial.decided(other, bot)
            trial.require(same, "act", f"uses what the player can't know, as {name!r}")


def check_positions_from_outside(trial: Trial) -> None:
    """Reset options that are unknown mean nothing, and a wrong record is refused."""
    states = trial.deal(trial.keys[:1])
    before = states.copy()
    trial.game.set_position(trial.options, trial.rules, states, {"an unknown key": 1})
    same = same_records(states, before)
    trial.require(same, "set_position", "does not ignore keys that it does not know")
    states["num_players"] = trial.players + 1
    wrong = trial.game.invalid_state_reason(trial.options, trial.rules, states[0])
    trial.require(wrong is not None, "invalid_state_reason", "takes another number of players")
