"""Rewrites the parts of the pages here that derive from the code.

    python docs/generate.py           rewrite what is stale
    python docs/generate.py --check   exit with 1 if anything is stale

A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`; its maker is in
`PAGES`. What a page says of fields, arguments, defaults and players can't drift from the code.
The model cards of the published checkpoints are rendered from their data files.
"""

import contextlib
import inspect
import io
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent))

from figures import (
    DEALS,
    headline_speeds,
    nash_convs,
    reports,
    solved_deals,
    speed,
    speed_machine,
    strength,
    table,
    trainers,
    training_speed,
    worst,
)

import lowhand
from lowhand import least_score_v0, no_thanks_v0
from lowhand.apis.gymnasium_env import SeatEnv
from lowhand.apis.gymnasium_vector import SeatVectorEnv
from lowhand.apis.pettingzoo_env import GameEnv
from lowhand.engine.game import Game
from lowhand.engine.kernels_rows import pay_rows
from lowhand.engine.rewards import OBJECTIVES, reward_weights
from lowhand.games import GAMES, get_game
from lowhand_training.publish import seed_choice
from lowhand_training.publish.model_card import CARD, render
from lowhand_training.trainer.config import SelfPlayConfig

FOLDER = Path(__file__).resolve().parent

_MARKED = re.compile(r"(<!-- generated: (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_ENTRY = re.compile(r"^    ([*\w]+(?:, [*\w]+)*): (.*)$")

RENDERINGS = {
    "no_thanks": """\
from lowhand import no_thanks_v0

env = no_thanks_v0.env(num_players=3, render_mode="ansi")
env.reset(seed=42)
for action in (0, 0, 0, 1, 0, 1, 0, 0, 1, 0):
    env.step(action)
print(env.render())
""",
    "least_score": """\
from lowhand import least_score_v0

env = least_score_v0.env(num_players=3, render_mode="ansi")
env.reset(seed=42)
for _ in range(5):
    env.step(env.legal_actions()[-1])
print(env.render())
""",
}

STATES = {
    "no_thanks": {
        "cards": "cards held by each seat, one entry for each bit: bit c is card c",
        "chips": "chips of each seat",
        "points": "points of each seat's cards, chips apart",
        "pot": "chips on the offered card",
        "moves": "decisions so far",
        "offered": "the card on offer, 0 after the end",
        "turned": "cards turned so far, the offered one included",
        "mover": "the seat to move; after the end the one who moved last",
        "num_players": "players",
        "over": "1 after the end",
        "deck": "all cards in the order of turning, the removed ones behind them; the rest is 0",
    },
    "least_score": {
        "buried": "buried cards, one entry for each bit: bit 4·rank + suit, the ace being rank 0",
        "known": "for each seat the cards that all know to be in its hand",
        "held": "cards known to be in hands since the last reshuffle",
        "limit": "points that knock out; −1 in a single deal",
        "points": "points of each seat in the match",
        "deal_points": "points of each seat in the last deal that ended",
        "moves": "decisions so far",
        "turn": "turns made in this deal",
        "deals": "deals that have ended",
        "declared": "declarations of each seat",
        "wrong": "wrong ones among them",
        "declared_total": "points in hand at the declarations of each seat, added up",
        "deals_played": "deals that each seat took part in",
        "out_deal": "number of the deal that knocked a seat out, 0 for none",
        "hands": "slots of each seat's hand: cards 4·rank + suit in ascending order, 127 for none",
        "sizes": "cards in each hand",
        "drawn": "cards drawn unseen by each seat since the last reshuffle",
        "floor": "slots of the floor, like those of a hand",
        "floor_size": "cards on the floor",
        "deck": "the piles, the next card of each at its end",
        "pile_start": "where each pile begins in `deck`; pile 0 is the deck",
        "pile_size": "cards of each pile",
        "out": "1 for each seat that is knocked out",
        "played": "1 for each seat that took part in the last deal that ended",
        "left": "players who are in",
        "starter": "the seat that started this deal",
        "declarer": "who declared in the last deal that ended, −1 if no player did",
        "deal_ended": "1 where the last move ended a deal",
        "mover": "the seat to move; after the end the one who moved last",
        "num_players": "players",
        "over": "1 after the end",
        "truncated": "1 where `max_deals` ended the match",
    },
}


def summary(game: Game, module: Any) -> str:
    """The table at the head of a page, in PettingZoo's convention."""
    env = module.env()
    agents = env.possible_agents
    space = env.observation_space(agents[0])["observation"]
    name = env.metadata["name"]
    rows = {
        "Import": f"`from lowhand import {name}`",
        "Actions": "Discrete",
        "Parallel API": "No; PettingZoo's `turn_based_aec_to_parallel` makes one",
        "Manual control": f"`lowhand play --game {game.name}`",
        "Agents": f"`{agents!r}`",
        "Number of agents": f"{game.min_players} to {game.max_players}, {len(agents)} by default",
        "Action shape": f"`{env.action_space(agents[0])}`",
        "Action values": f"0 … {env.action_space(agents[0]).n - 1}",
        "Observation shape": f"`{space.shape}`, with the default arguments",
        "Observation values": f"[{space.low.min():g}, {space.high.max():g}], float32",
        "State shape": f"`{env.state_space.shape}`",
        "Average return": "0 over the agents, without illegal actions",
        "Version": f"v{game.version}",
    }
    return table(("", ""), [(f"**{key}**", value) for key, value in rows.items()])


def documented(docstring: str, section: str) -> dict[str, str]:
    """What the section of a docstring in Google's style says of each name."""
    meanings: dict[str, str] = {}
    lines = inspect.cleandoc(docstring).split(f"{section}:\n", 1)[1].splitlines()
    names: list[str] = []
    for line in lines:
        if not line.startswith("    "):
            break
        entry = _ENTRY.match(line)
        if entry:
            names = entry[1].split(", ")
            meanings.update(dict.fromkeys(names, entry[2]))
        elif line.startswith("        "):
            for name in names:
                meanings[name] += " " + line.strip()
        else:
            names = []
    return meanings


def arguments(
    function: Callable[..., Any],
    leave_out: tuple[str, ...] = (),
    options: Callable[..., Any] | None = None,
) -> str:
    """The table of a function's arguments: default and meaning.

    What its docstring describes "as for" another is described by `GameEnv` or the game's options.

    Raises:
        KeyError: all of them leave one out.
    """
    meanings, rows = documented(GameEnv.__doc__ or "", "Args"), []
    if options is not None:
        meanings |= documented(options.__doc__ or "", "Attributes")
    own = documented(function.__doc__ or "", "Args").items()
    meanings |= {name: meaning for name, meaning in own if not meaning.startswith("as for ")}
    for name, parameter in inspect.signature(function).parameters.items():
        if name in ("self", *leave_out):
            continue
        starred = "*" * 2 * (parameter.kind is parameter.VAR_KEYWORD) + name
        needed = parameter.default is parameter.empty
        default = "" if needed else f"`{parameter.default!r}`".replace("'", '"')
        rows.append((f"`{starred}`", default, meanings[starred].replace("|", "\\|")))
    return table(("argument", "default", "meaning"), rows)


def attributes(docstring: str) -> str:
    """The table of a class's attributes."""
    rows = [(f"`{k}`", v) for k, v in documented(docstring, "Attributes").items()]
    return table(("attribute", "meaning"), rows)


def options(game: Game) -> str:
    """The table of the game's own options."""
    meanings = documented(game.options.__doc__ or "", "Attributes")
    return table(
        ("option", "default", "meaning"),
        [
            (f"`{field.name}`", f"`{field.default!r}`".replace("'", '"'), meanings[field.name])
            for field in fields(game.options)  # type: ignore[arg-type]
            if field.name != "num_players"
        ],
    )


def observation(game: Game, perfect_recall: bool) -> str:
    """The table of the observation's fields, with the default options."""
    made = game.options()
    spec = game.observation(made, perfect_recall, made.num_players)
    return f"{spec.size} entries with {made.num_players} seats:\n\n{spec.table()}"


def state(game: Game, module: Any) -> str:
    """The table of the state vector."""
    slices = module.env().state_slices
    return table(
        ("field", "entries", "meaning"),
        [(f"`{k}`", f"{s.start}–{s.stop - 1}", STATES[game.name][k]) for k, s in slices.items()],
    )


def rewards() -> str:
    """What each objective pays for the same final scores."""
    rows = []
    for given in ((12, 30, 30, 60), (12, 12, 30, 60)):
        ended = np.zeros(1, NO_THANKS.state)
        ended["num_players"], ended["over"] = len(given), 1
        ended["points"][0, : len(given)] = given
        for name in OBJECTIVES:
            paid = np.zeros((1, len(given)), np.float32)
            pay_rows(NO_THANKS.options().rules(), ended, reward_weights(name), paid)
            text = ", ".join(f"{value:+.3f}".replace("-", "−") for value in paid[0])
            rows.append((", ".join(map(str, given)), f'`"{name}"`', text))
    return table(("final scores", "reward", "paid"), rows)


def players(game: Game) -> str:
    """The table of the scripted players, and the baselines among them."""
    rows = [
        (f"`{kind.usage(name)}`", _defaults(kind), kind.doc.replace("|", "\\|"))
        for name, kind in game.bots.items()
    ]
    baselines = ", ".join(f"`{name}`" for name in game.baselines)
    text = f"The baselines, which `lowhand evaluate AGENT` plays against: {baselines}."
    wrapped = textwrap.fill(text, 100, break_on_hyphens=False, break_long_words=False)
    return table(("name", "defaults", "rule and source"), rows) + f"\n\n{wrapped}"


def _defaults(kind: Any) -> str:
    return ", ".join(
        f"{name} = {value:g}" for name, value in zip(kind.parameters, kind.defaults, strict=False)
    )


def rendering(game: Game) -> str:
    """A program, and what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(RENDERINGS[game.name], {})
    return f"```python\n{RENDERINGS[game.name]}```\n\n```text\n{printed.getvalue()}```"


def defaults(config: Any) -> str:
    """The table of a config's keys: default and meaning."""
    meanings = documented(config.__doc__ or "", "Attributes")
    rows = [(f"`{key.name}`", f"{key.default:_}", meanings[key.name]) for key in fields(config)]
    return table(("key", "default", "meaning"), rows)


def rule() -> str:
    """Which training seed is published."""
    return textwrap.fill(
        f"> {seed_choice.rule(NO_THANKS)}", 100, subsequent_indent="> ", break_on_hyphens=False
    )


NO_THANKS, LEAST_SCORE = get_game("no_thanks"), get_game("least_score")

PAGES: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "../README.md": {
        "worst-no-thanks": partial(worst, "no_thanks"),
        "worst-least-score": partial(worst, "least_score"),
        "reports": reports,
        "headline-speeds": headline_speeds,
        "speed-training": training_speed,
    },
    "no_thanks.md": {
        "summary": partial(summary, NO_THANKS, no_thanks_v0),
        "arguments-pettingzoo": partial(arguments, no_thanks_v0.raw_env, options=NO_THANKS.options),
        "arguments-gymnasium": partial(arguments, SeatEnv, ("game",)),
        "arguments-vector": partial(
            arguments,
            SeatVectorEnv,
            tuple(set(inspect.signature(SeatEnv).parameters) - {"render_mode"}),
        ),
        "arguments-batch": partial(arguments, lowhand.make_batch),
        "attributes-batch": partial(attributes, lowhand.Batch.__doc__ or ""),
        "options": partial(options, NO_THANKS),
        "observation-now": partial(observation, NO_THANKS, False),
        "observation-recall": partial(observation, NO_THANKS, True),
        "rewards": rewards,
        "state": partial(state, NO_THANKS, no_thanks_v0),
        "rendering": partial(rendering, NO_THANKS),
        "players": partial(players, NO_THANKS),
        "rule": rule,
    },
    "strength.md": {
        "strength-no-thanks": partial(strength, "no_thanks", 3),
        "worst-no-thanks": partial(worst, "no_thanks"),
        "strength-least-score": partial(strength, "least_score", 4),
        "worst-least-score": partial(worst, "least_score"),
        "reports": reports,
        "deals-least-score": partial(strength, "least_score", 2, "single deals"),
    },
    "benchmarks.md": {
        "speed-machine": speed_machine,
        "speed-no-thanks": partial(speed, "no_thanks"),
        "speed-least-score": partial(speed, "least_score"),
        "speed-training": training_speed,
    },
    "exact.md": {
        "nash-conv-no-thanks": partial(nash_convs, "nash_conv_no_thanks.json"),
        "solved-least-score": solved_deals,
        "nash-conv-least-score": partial(nash_convs, DEALS),
    },
    "stable_baselines3.md": {
        "self-play": partial(defaults, SelfPlayConfig),
        "trainers": trainers,
    },
    "least_score.md": {
        "summary": partial(summary, LEAST_SCORE, least_score_v0),
        "arguments-pettingzoo": partial(
            arguments, least_score_v0.raw_env, options=LEAST_SCORE.options
        ),
        "options": partial(options, LEAST_SCORE),
        "observation-now": partial(observation, LEAST_SCORE, False),
        "observation-recall": partial(observation, LEAST_SCORE, True),
        "state": partial(state, LEAST_SCORE, least_score_v0),
        "rendering": partial(rendering, LEAST_SCORE),
        "players": partial(players, LEAST_SCORE),
    },
}


def renewed(text: str, makers: Mapping[str, Callable[[], str]]) -> str:
    """A page with its generated parts made again.

    Raises:
        ValueError: a part has no maker, or a maker no place on the page.
    """
    places = [name for _, name, _, _ in _MARKED.findall(text)]
    if sorted(places) != sorted(makers):
        odd = sorted(set(places) ^ set(makers)) or places
        raise ValueError(f"generated parts and their makers do not match: {', '.join(odd)}.")
    return _MARKED.sub(lambda part: f"{part[1]}\n{makers[part[2]]()}\n\n{part[4]}", text)


def fresh_pages() -> Iterator[tuple[Path, str]]:
    """Yields every page and what it should be; the cards of checkpoints are generated as wholes."""
    for name, makers in PAGES.items():
        path = (FOLDER / name).resolve()
        yield path, renewed(path.read_text(encoding="utf-8"), makers)
    for game in GAMES:
        folder = FOLDER.parent / "checkpoints" / game
        yield folder / CARD, render(folder)


def main() -> int:
    """Rewrite the pages, or only say which are stale."""
    stale = []
    for path, new in fresh_pages():
        if new != path.read_text(encoding="utf-8"):
            stale.append(path.relative_to(FOLDER.parent).as_posix())
            if "--check" not in sys.argv[1:]:
                path.write_text(new, encoding="utf-8")
    print(f"{'stale' if '--check' in sys.argv else 'rewritten'}: {', '.join(stale) or 'nothing'}")
    return int("--check" in sys.argv and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
