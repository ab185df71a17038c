"""Gymnasium environment: one seat of any game against opponents.

    gymnasium.make("lowhand/NoThanks-v0", opponents="greedy", num_players=4)
    gymnasium.make_vec("lowhand/NoThanks-v0", num_envs=1024, opponents=("greedy", "sally", "ratio"))

`import lowhand` registers every game; the second line is `lowhand.apis.gymnasium_vector`, on the
batch engine. A step plays your action and then the opponents, until it is your turn again.
"""

import operator
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from lowhand.agents.names import make_agent
from lowhand.agents.table_view import Agent, TableView, agents_generator, ask, check_fit, seat_codes
from lowhand.engine.game import Game, View
from lowhand.engine.kernels_batch import MAX_GAMES_WITHOUT_A_MOVE, YOURS, drawn_seat
from lowhand.engine.kernels_rows import (
    advance_rows,
    deal_rows,
    is_truncated,
    observe_one,
    play_rows,
    ranking_score_rows,
    score_rows,
)
from lowhand.engine.rewards import (
    ILLEGAL_REWARD,
    check_illegal_action,
    reward_weights,
    win_shares,
)
from lowhand.engine.rng import game_key
from lowhand.engine.validation import check_seats, check_seed, make_options
from lowhand.games import get_game
from lowhand.rendering.screen import RENDER_MODES, SHOWN_BY_ITSELF, Frame, Screen, check_mode

Opponents = str | Agent | Sequence[str | Agent]

RANDOM_SEAT = "random"


def make_opponents(opponents: Opponents, options: Any, game: Game) -> list[Agent]:
    """The agents at the other seats, in order of play after yours.

    Args:
        opponents: a name or an agent that plays all other seats, or a sequence of just one; or
            a sequence of `num_players` − 1, one for each seat. One name is one agent object,
            however many seats it plays: agents keep no memory between calls.
        options: the game's; `num_players` counts you too.
        game: the game.

    Raises:
        ValueError: the number of opponents is wrong, or one does not exist or can't play at
            such a table.
    """
    num_players = options.num_players
    single = isinstance(opponents, str) or not isinstance(opponents, Sequence)
    given: list[Any] = [opponents] if single else list(opponents)  # type: ignore[arg-type]
    if len(given) not in (1, num_players - 1):
        raise ValueError(
            f"opponents must be one for all other seats or {num_players - 1}, one for each of"
            f" them; {len(given)} were given."
        )
    named = {name: make_agent(name, game) for name in given if isinstance(name, str)}
    made = [named[one] if isinstance(one, str) else make_agent(one, game) for one in given]
    check_fit(made, options)
    return made if len(made) == num_players - 1 else made * (num_players - 1)


def _check_seat(seat: Any, num_players: int) -> None:
    is_seat = isinstance(seat, (int, np.integer)) and not isinstance(seat, bool)
    if seat != RANDOM_SEAT and not (is_seat and 0 <= seat < num_players):
        raise ValueError(f'seat must be from 0 to {num_players - 1} or "random", not {seat!r}.')


class SeatEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """One seat of a game against opponents.

    Observation: float32 vector of the fields in `fields`, from your seat. Action: see the
    game. Reward: the sum of your seat's rewards since your last step, which come at the end of a
    round or of the game. After you are out the opponents play on to the end. `truncated` means
    that a limit, and not the rules, has ended the game. Every `info` has

    - `action_mask`: (actions,) int8, 1 for each legal action; zeros after the end,
    - `seat`: your seat in this game,

    and at the end also

    - `final_scores`: (players,) float64 points, the lower the better,
    - `win_share`: 1 for a win, 1/k for a win shared by k, else 0,
    - `illegal_action`: whether you lost by an illegal action. Then `final_scores` are those of
      the position before it, and the win share is 0.

    A game that opponents end before your first move is skipped: the next one is dealt.

    Args:
        game: its name, or a `Game`.
        opponents: one name or agent for all other seats, or one for each, in order of play
            after you. Python agents get a random generator that the game's key fixes.
        num_players: players at the table, you among them.
        seat: your seat, or "random": drawn for each game, fixed by the game's key.
        perfect_recall, observation_seats, reward: as for `lowhand.apis.pettingzoo_env.GameEnv`.
        illegal_action: "lose" ends the game with reward −1 and `info["illegal_action"]`, and
            warns the first time; "raise" raises a ValueError and changes nothing.
        render_mode: "ansi" (`render` gives a text), "rgb_array" (a picture), "human" (each reset
            and step shows it in a window, or prints the text without a display), "print" (prints).
        **options: the game's own options.

    Raises:
        ValueError: an option is outside its bounds.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        game: str | Game,
        *,
        opponents: Opponents = ("greedy",),
        num_players: int = 4,
        seat: int | str = RANDOM_SEAT,
        perfect_recall: bool = False,
        observation_seats: int | None = None,
        reward: str | Mapping[str, float] = "win",
        illegal_action: str = "lose",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game = get_game(game) if isinstance(game, str) else game
        self.options = make_options(self.game, num_players=num_players, **options)
        _check_seat(seat, num_players)
        check_illegal_action(illegal_action)
        check_mode(self.game, render_mode)
        self.num_players, self.render_mode, self.seat = num_players, render_mode, 0
        self._screen = Screen(self.game, render_mode, self.metadata["render_fps"])
        self._seat_choice, self._illegal_action = seat, illegal_action
        self.opponents = make_opponents(opponents, self.options, self.game)
        self.fields = self.game.observation(
            self.options, perfect_recall, check_seats(observation_seats, num_players)
        )
        actions = self.game.num_actions(self.options)
        self.observation_space = spaces.Box(*self.fields.bounds(), dtype=np.float32)
        self.action_space = spaces.Discrete(actions)
        self._weights, self._rules = reward_weights(reward), self.options.rules()
        self._states, self._rows = np.zeros(1, self.game.state), np.zeros(1, np.int64)
        codes, self._bots = seat_codes(self.opponents)
        self._seating = np.roll(codes, 1)  # you first, then the others in order of play
        self._seats = self._seating[np.newaxis].copy()
        self._mask = np.zeros((1, actions), np.int8)
        self._earned = np.zeros((1, num_players), np.float32)  # by each seat since your last step
        self._rng = agents_generator(0)
        self._playing = self._warned = self._illegal = False
        self._log: list[str] = []

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Deal a game and let the opponents play until it is your turn.

        Args:
            seed: plays the game of `game_key(seed, 0, 0)`, as every other API does for this
                seed; without a seed the key is drawn from `np_random`.
            options: may give the `key` of the game to play, and the options of the game's
                `set_position` (for No Thanks!: deck, first_player, chips, cards, pot).

        Raises:
            ValueError: the options make no position, or one in which you never have a move.
        """
        super().reset(seed=seed)
        options = options or {}
        self._playing = self._illegal = False
        deals = 0
        for key in self._keys(seed, options):
            deals += 1
            self._deal(key, options)
            if self._advance():
                self._playing = True
                return self._shown()
        raise ValueError(
            f"seat {self.seat} had no move: the opponents ended {deals} game(s) in a row before"
            " its turn."
        )

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play `action` and let the opponents play until it is your turn, or the game ends.

        Raises:
            ResetNeeded: no game is running: call `reset` first.
            ValueError: `action` is not an integer, or illegal under `illegal_action="raise"`.
        """
        if not self._playing:
            raise ResetNeeded("the game has ended or not begun: call reset() before step().")
        try:
            chosen = operator.index(action)
        except TypeError:
            raise ValueError(f"an action must be an integer, not {action!r}.") from None
        self._log.clear()
        illegal = not (0 <= chosen < self._mask.shape[1] and self._mask[0, chosen])
        if illegal:
            self._refuse(f"action {chosen}", self._mask[0])
        self._playing = False  # until all opponents have answered: one of them may fail
        self._illegal = illegal
        if illegal:
            self._states["over"] = 1
        else:
            self._apply(chosen)
        self._playing = not illegal and self._advance()
        observation, info = self._shown()
        reward = ILLEGAL_REWARD if illegal else float(self._earned[0, self.seat])
        self._earned[:] = 0.0
        if self._playing:
            return observation, reward, False, False, info
        scores, ranking_scores = np.empty((2, 1, self.num_players), np.float64)
        score_rows(self._rules, self._states, scores)
        ranking_score_rows(self._rules, self._states, ranking_scores)
        info["final_scores"] = scores[0]
        info["win_share"] = 0.0 if illegal else float(win_shares(ranking_scores)[0, self.seat])
        info["illegal_action"] = illegal
        truncated = not illegal and bool(is_truncated(self._states)[0])
        return observation, reward, not truncated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, (actions,) bool, under the name that sb3-contrib uses."""
        mask: NDArray[np.bool_] = self._mask[0].astype(np.bool_)
        return mask

    def render(self) -> str | Frame | None:
        """The actions since your last turn, and the table as your seat sees it.

        Raises:
            ResetNeeded: no game has been dealt: call `reset` first.
        """
        if self._states["num_players"][0] == 0:
            raise ResetNeeded("no game has begun: call reset() before render().")
        if self.render_mode is None:
            gymnasium.logger.warn('to render, make the environment with render_mode="ansi".')
            return None
        view = View(self.seat, self._log, self.seat if self._illegal else None)
        return self._screen.show(self.game, self._rules, self._states[0], view)

    def close(self) -> None:
        """Close the window of mode "human"; nothing else is held open."""
        self._screen.close()

    def __getstate__(self) -> dict[str, Any]:
        """The state for pickles and copies: the game by its name, without its functions."""
        return self.__dict__ | {"game": self.game.name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.game = get_game(state["game"])

    def _keys(self, seed: int | None, options: Mapping[str, Any]) -> Iterator[np.uint64]:
        """Keys of the game to play, and of those to play if it ends before your turn."""
        if "key" in options:
            yield np.uint64(check_seed(options["key"]))
            return
        for episode in range(MAX_GAMES_WITHOUT_A_MOVE):
            if seed is None:
                yield self.np_random.integers(2**64, dtype=np.uint64)
            else:
                parts = (check_seed(seed), 0, episode)
                yield np.uint64(game_key(*map(np.uint64, parts)))

    def _deal(self, key: np.uint64, options: Mapping[str, Any]) -> None:
        """Deal the game of `key`, set the position that `options` give, and seat all players."""
        players = np.array([self.num_players])
        deal_rows(self._rules, self._states, np.array([key]), players)
        self.game.set_position(self.options, self._rules, self._states, options)
        if self._seat_choice == RANDOM_SEAT:
            self.seat = int(drawn_seat(key, self.num_players))
        else:
            self.seat = int(self._seat_choice)
        self._seats[0] = np.roll(self._seating, self.seat)
        self._rng = agents_generator(int(key))
        self._earned[:] = 0.0
        self._log.clear()

    def _advance(self) -> bool:
        """Let the opponents play. Returns whether it is your turn; else the game is over."""
        while True:
            if self.render_mode is None:
                advance_rows(
                    self._rules, self._states, self._rows, self._seats, self._bots,
                    self._weights, self._earned, False,
                )  # fmt: skip
            if self._states["over"][0]:
                return False
            mover = int(self._states["mover"][0])
            if self._seats[0, mover] == YOURS:
                return True
            # Python agents; and all opponents where their moves are logged.
            place = (mover - self.seat) % self.num_players
            table = TableView(self.game, self.options, self._rules, self._states, self._rows)
            self._apply(int(ask(self.opponents[place - 1], table, self._rng)[0]))

    def _apply(self, action: int) -> None:
        """Play a legal action for the player to move."""
        if self.render_mode is not None:
            state = self._states[0]
            words = self.game.describe_action(self._rules, state, action)
            self._log.append(f"player_{int(state.mover)}: {words}")
        actions = np.array([action])
        end = self._weights, self._earned, False
        play_rows(self._rules, self._states, self._rows, actions, *end)

    def _shown(self) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """The observation and its info, in new arrays."""
        observation = np.empty((1, self.fields.size), np.float32)
        observe_one(
            self._rules, self.fields.layout, self._states, self.seat, observation, self._mask
        )
        if self.render_mode in SHOWN_BY_ITSELF:
            self.render()
        return observation[0], {"action_mask": self._mask[0].copy(), "seat": self.seat}

    def _refuse(self, action: str, mask: NDArray[np.int8]) -> None:
        """Raise or warn because of an illegal action, as `illegal_action` says."""
        message = f"{action} is illegal; legal actions are {np.flatnonzero(mask).tolist()}"
        if self._illegal_action == "raise":
            raise ValueError(message + ".")
        if not self._warned:
            self._warned = True
            warnings.warn(message + ", so the game is lost with reward −1.", stacklevel=3)
