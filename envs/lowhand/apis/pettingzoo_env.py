"""PettingZoo's agent-environment cycle over any game: one table, one player to move at a time.

`GameEnv` is the whole environment except the game: modules such as `lowhand.no_thanks_v0` name
the game and its options. It makes the checks of PettingZoo's standard wrappers itself, with
the same kinds of error, so that no wrapper slows it down.
"""

import copy
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils.env import AECIterable
from pettingzoo.utils.env_logger import EnvLogger

from lowhand.apis.pettingzoo_order import Turns
from lowhand.apis.pettingzoo_search import SearchableTable
from lowhand.engine.game import Game, View
from lowhand.engine.kernels_rows import (
    ILLEGAL,
    PAID,
    deal_rows,
    is_truncated,
    observe_one,
    pay_rows,
    score_rows,
    step_one,
)
from lowhand.engine.rewards import ILLEGAL_REWARD
from lowhand.engine.rng import game_key
from lowhand.engine.validation import check_seed
from lowhand.rendering.screen import RENDER_MODES, SHOWN_BY_ITSELF, Frame

Observation = dict[str, NDArray[Any]]


class GameEnv(SearchableTable):
    """PettingZoo environment of a game, whose subclasses give `game` and `metadata`.

    Agents are `player_0`, … in the order of seats. Every observation is a dictionary with
    `observation`, float32 with the layout of `observation_spec`, from the agent's seat, and
    `action_mask`, int8, 1 for each legal action (all 0 for an agent that is not to move).

    Rewards follow `reward`: "score" and "points" pay at the end of each round, the others when the
    agent's rank is final: at the end of the game, or when it is knocked out before. Rewards are 0
    in between. A knocked-out agent is terminated at once, and the others continue. Where a limit,
    and not the rules, ends the game, the agents still in are truncated instead.

    `infos[agent]` is empty until the agent's game ends. Then it holds `final_score`, the
    points of that agent; after an illegal action instead `illegal_action`, True, for the
    offender alone.

    Args:
        options: the game's options.
        perfect_recall: False shows what lies on the table now and the player's hand or chips; True
            adds what a player who remembers every public move knows.
        observation_seats: seats in the observation, so that one network plays any number of
            players; by default one for each player.
        reward: "win" (the share of the win minus 1/n), "score" (the others' mean points minus the
            player's, scaled), "placement" (1 for the first to −1 for the last), "points" (minus
            the player's, scaled), or weights by these names.
        illegal_action: "lose" ends the game with −1 for the player who chose it and 0 for the
            others; "raise" raises a ValueError and leaves the game unchanged.
        render_mode: "ansi" (`render` returns text), "rgb_array" (a picture), "human" (every
            position is shown in a window, or printed without a display), "print" (printed), None.

    Attributes:
        observation_spec: the observation's fields and their layout in the vector.
        state_space: of `state()`.
        state_slices: the part of `state()` that each field of the game's record takes.
        np_random: the generator that later unseeded resets draw their games from; None before
            the first reset.

    Raises:
        ValueError: an argument is outside its bounds.
    """

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal a new game.

        Args:
            seed: plays the game of `game_key(seed, 0, 0)`, 0 ≤ seed < 2**64, and fixes the
                games of the unseeded resets that follow. None plays the next of these; the
                first of them all without a seed is drawn from the system's entropy.
            options: a position to play from instead, as the game's `set_position` says;
                unknown keys are ignored.

        Raises:
            ValueError: the seed or the position is impossible; nothing has changed.
        """
        if seed is None:
            random = self.np_random or np.random.default_rng()
            if options:  # which may be refused: then nothing may have changed
                random = copy.deepcopy(random)
            key = random.integers(2**64, dtype=np.uint64)
        else:
            random = np.random.default_rng(check_seed(seed))
            key = game_key(np.uint64(seed), np.uint64(0), np.uint64(0))
        states = np.zeros(1, self.game.state)
        players = np.array([len(self.possible_agents)])
        deal_rows(self._rules, states, np.array([key], np.uint64), players)
        if options:
            self.game.set_position(self.options, self._rules, states, options)
        self.np_random = random
        self._states[:] = states
        self._begin()

    def _begin(self) -> None:
        """Start the cycle at the position in the state."""
        self._has_reset = self._has_updated = True
        self._paid, self._offender = False, None
        self._notes: tuple[str, ...] = ()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None  # type: ignore[assignment]  # as PettingZoo itself does
        self.agent_selection = self.possible_agents[self._mover.item()]
        if self._over.item():  # a given position in which the game is over
            self._earned.fill(0.0)
            pay_rows(self._rules, self._states, self._weights, self._earned)
            self._pay()
        self._end_finished()
        if self.render_mode in SHOWN_BY_ITSELF:
            self.render()

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last step, terminated, truncated, info of the mover."""
        agent = self.agent_selection
        if not self.agents:
            raise AssertionError("the game is over: reset() needs to be called before last.")
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> Observation:
        """What `agent` sees now, in new arrays."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        seat = self._seat_of[agent]
        observe_one(
            self._rules, self._layout, self._states, seat, self._scratch, self._scratch_mask
        )
        if self._offender is not None:
            self._mask_row.fill(0)
        return {"observation": self._row.copy(), "action_mask": self._mask_row.copy()}

    def step(self, action: int | None) -> None:
        """Play `action` for `agent_selection`; None, and only None, for one whose game ended.

        Raises:
            AssertionError: before `reset`, after the end, or an action outside the space.
            ValueError: an illegal action, where `illegal_action` is "raise"; or an action for
                an agent whose game ended. The game stands as before.
        """
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        if not self.agents:
            raise AssertionError("the game is over: reset() needs to be called before step.")
        self._has_updated = True
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if type(action) is not int or not 0 <= action < self._num_actions:
            if not self.action_spaces[agent].contains(action):
                raise AssertionError(
                    f"action is not in action space: {action!r} is none of the integers from 0 to"
                    f" {self._num_actions - 1}."
                )
            action = int(action)  # type: ignore[arg-type]
        before = self._states[0].copy() if self._shows_moves else None
        said = step_one(self._rules, self._states, action, self._weights, self._earned)
        if said == ILLEGAL:
            self._lose(agent, action)
        else:
            self._cumulative_rewards[agent] = 0.0
            if self._paid:
                self._clear_rewards()
                self._paid = False
            self.agent_selection = self.possible_agents[self._mover.item()]
            if said == PAID:
                self._pay()
                self._end_finished()
            if before is not None:
                words = self.game.describe_action(self._rules, before, action)
                self._notes = (f"{agent}: {words}",)
        if self.render_mode in SHOWN_BY_ITSELF:
            self.render()

    def _pay(self) -> None:
        """Pay the rewards of the last move."""
        for agent in self.agents:
            reward = self._earned[0, self._seat_of[agent]].item()
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] += reward
        self._paid = True

    def _end_finished(self) -> None:
        """End the game of agents whose game has ended: of all, or of those who are out."""
        over, out = self._over.item(), self._out
        ended = [a for a in self.agents if over or (out is not None and out[self._seat_of[a]])]
        ended = [agent for agent in ended if not self.terminations[agent]]
        if not ended:
            return
        limit = bool(is_truncated(self._states)[0])
        scores = np.zeros((1, len(self.possible_agents)))
        score_rows(self._rules, self._states, scores)
        for agent in ended:
            seat = self._seat_of[agent]
            truncated = limit and (out is None or not out[seat])
            self._end_one(agent, truncated, final_score=float(scores[0, seat]))
        self._deads_step_first()

    def _end_one(self, agent: str, truncated: bool = False, **info: Any) -> None:
        self.terminations[agent], self.truncations[agent] = not truncated, truncated
        self.infos[agent] = info

    def _lose(self, agent: str, action: int) -> None:
        """End the game by the illegal `action` of `agent`, or raise an error."""
        message = (
            f"{agent} chose action {action}, which is illegal; legal actions are"
            f" {self.legal_actions()}"
        )
        if self.illegal_action == "raise":
            raise ValueError(f"{message}.")
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(f"{message}. The game ends and {agent} loses.", stacklevel=3)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._offender, self._paid = agent, True
        for player in self.agents:
            self._end_one(player)
        self.rewards[agent] = ILLEGAL_REWARD
        self._cumulative_rewards[agent] = ILLEGAL_REWARD
        self.infos[agent] = {"illegal_action": True}
        self._deads_step_first()

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Any, Any]:
        """The agent to step, again and again until the game is over."""
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return Turns(self, max_iter)

    def render(self) -> str | Frame | None:
        """The table as the player to move sees it; everything is open when the game is over.

        Modes other than "ansi" also show the last move.

        Returns:
            the text in mode "ansi", the picture (720, 1280, 3) uint8 in mode "rgb_array"; None
            in the modes "human" and "print", which show it.
        """
        if not self._has_reset:
            EnvLogger.error_render_before_reset()
        if self.render_mode is None:
            warnings.warn("render() needs a render_mode, such as 'ansi' or 'human'.", stacklevel=2)
            return None
        viewer = None if self._over.item() else self._mover.item()
        view = View(viewer, self._notes)
        if self._offender is not None:
            said = f"{self._offender} chose an illegal action and loses."
            view = View(viewer, [said], self._seat_of[self._offender])
        return self._screen.show(self.game, self._rules, self._states[0], view)


def metadata(game: Game) -> dict[str, Any]:
    """PettingZoo's metadata of a game's environment."""
    modes = [mode for mode in RENDER_MODES if game.picture or mode != "rgb_array"]
    return {
        "name": f"{game.name}_v{game.version}",
        "render_modes": modes,
        "is_parallelizable": False,
        "render_fps": 2,
    }
