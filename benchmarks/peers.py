"""The peers: other libraries' card games, each driven as its documentation shows.

Where a library leaves a choice, the faster one is taken, so that ratios to it err on its side.
Every peer makes an observation and the legal actions for each decision.
"""

import random
from collections.abc import Callable
from typing import Any

from contestant import Contestant, ManyGames, Menu, OneGame, PettingZooGame, pick_from_keys


class PettingZooLeduc(PettingZooGame):
    """PettingZoo's leduc_holdem_v4 with its standard wrappers."""

    name = "pettingzoo/leduc_holdem"
    library = "pettingzoo"
    players = 2
    method = "last() + step(); reset() between games"

    def open(self) -> None:
        from pettingzoo.classic import leduc_holdem_v4

        self.env = leduc_holdem_v4.env()
        # Seeding makes PettingZoo build the RLCard game again, so only once.
        self.env.reset(seed=0)


class RLCard(OneGame):
    """An RLCard environment: `step` returns the next state with observation and legal actions."""

    library = "rlcard"
    players = 2  # RLCard's Leduc by default, its UNO always
    method = "env.step(), which extracts the state; get_payoffs() and reset() between games"
    pick = staticmethod(pick_from_keys)

    def __init__(self, name: str, game: str) -> None:
        super().__init__()
        self.name, self._game = name, game

    def open(self) -> None:
        import rlcard

        self._env = rlcard.make(self._game, {"seed": 0})

    def play_game(self, pick: Callable[[Menu], int]) -> int:
        env = self._env
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            state, _ = env.step(pick(state["legal_actions"]))
            decisions += 1
        env.get_payoffs()
        return decisions


class OpenSpiel(OneGame):
    """An OpenSpiel game from Python, observed through its in-place observer.

    `observation.set_from` writes into a NumPy array; `state.observation_tensor()` builds a
    Python list of the same numbers, which is up to eighty times slower (hearts).
    """

    library = "open_spiel"
    method = "set_from() + legal_actions() + apply_action(); chance nodes drawn in Python"

    def __init__(self, name: str, game: str, players: int) -> None:
        super().__init__()
        self.name, self._game_string, self.players = name, game, players

    def open(self) -> None:
        import pyspiel
        from open_spiel.python.observation import make_observation

        self._game = pyspiel.load_game(self._game_string)
        observes = self._game.get_type().provides_observation_tensor
        # Hearts has only the tensor with perfect recall, the information state.
        self._observation: Any = make_observation(
            self._game, None if observes else pyspiel.IIGObservationType(perfect_recall=True)
        )
        self.facts["observation"] = f"{self._observation.tensor.size} float32"

    def play_game(self, pick: Callable[[Menu], int]) -> int:
        observe, draw = self._observation.set_from, random.random
        state = self._game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            actions = state.legal_actions()
            if state.is_chance_node():
                # Chance is uniform in the games measured here, so this draws what
                # chance_outcomes() would give, and faster.
                state.apply_action(actions[int(draw() * len(actions))])
            else:
                observe(state, state.current_player())
                state.apply_action(pick(actions))
                decisions += 1
        state.returns()
        return decisions


class Pgx(ManyGames):
    """A game of Pgx: `step` vmapped with auto-reset and compiled, one call a batch.

    The batch size is the fastest of `SIZES` in a short trial on this machine. A rollout
    under `lax.scan` is no faster at these sizes on one core.
    """

    library = "pgx"
    method = "jit(vmap(auto_reset(step))), bool observations; batch size the best of a few"
    action_dtype = "int32"

    SIZES = (1024, 4096, 16384)
    TRIAL_SECONDS = 0.3

    def __init__(self, name: str, game: str, players: int) -> None:
        super().__init__()
        self.name, self._game, self.players = name, game, players

    def prepare(self) -> None:
        speeds = {size: self._speed(size) for size in self.SIZES}
        best = max(speeds, key=lambda size: speeds[size])
        self._open(best)
        self.facts["games"] = best
        self.facts["tried"] = {str(size): round(speed) for size, speed in speeds.items()}

    def _speed(self, games: int) -> float:
        self._open(games)
        return 1 / self.play(self.TRIAL_SECONDS).per_decision

    def _open(self, games: int) -> None:
        import jax
        import pgx
        from pgx.experimental import auto_reset

        env = pgx.make(self._game)
        step_one = auto_reset(env.step, env.init)

        def step(state: Any, actions: Any, key: Any) -> tuple[Any, Any]:
            key, key_of_step = jax.random.split(key)
            keys = jax.random.split(key_of_step, games)
            return jax.vmap(step_one)(state, actions, keys), key

        self._jax = jax
        self._step = jax.jit(step)
        self._key = jax.random.PRNGKey(0)
        self._state = jax.jit(jax.vmap(env.init))(jax.random.split(self._key, games))
        self.set_up_choice()

    def masks(self) -> Any:
        import numpy as np

        return np.asarray(self._state.legal_action_mask).view(np.int8)

    def step(self, actions: Any) -> None:
        # A key of its own for every step; JAX hands work to another thread, hence the wait.
        self._state, self._key = self._step(self._state, actions, self._key)
        self._jax.block_until_ready(self._state)


def contestants() -> list[Contestant]:
    """The peers in the order of the table."""
    return [
        PettingZooLeduc(),
        RLCard("rlcard/leduc_holdem", "leduc-holdem"),
        RLCard("rlcard/uno", "uno"),
        OpenSpiel("openspiel/leduc_poker", "leduc_poker", players=2),
        OpenSpiel("openspiel/hearts", "hearts", players=4),
        OpenSpiel("openspiel/crazy_eights", "crazy_eights(players=4)", players=4),
        Pgx("pgx/leduc_holdem", "leduc_holdem", players=2),
        # Games of melds with hidden hands, whose observations and menus are like Least Score's.
        RLCard("rlcard/gin_rummy", "gin-rummy"),
        OpenSpiel("openspiel/gin_rummy", "gin_rummy", players=2),
        Pgx("pgx/sparrow_mahjong", "sparrow_mahjong", players=3),
    ]
