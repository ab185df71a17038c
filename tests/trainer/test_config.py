import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import yaml

from lowhand_training.cli.main import main
from lowhand_training.trainer import algorithms
from lowhand_training.trainer.config import TrainConfig
from lowhand_training.trainer.config_checks import check
from tests.trainer.small import GAME, small_config

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))


FIXED: dict[str, object] = {
    "league.fixed": 0.4, "league.self_play": 0.0, "league.opponents": ["greedy"]
}  # fmt: skip
WHOLE: dict[str, object] = {
    "init": "checkpoints/no_thanks", "game.options": {}, "game.seats": 7
}  # fmt: skip


def changed(keys: dict[str, object]) -> TrainConfig:
    """A small config with other values at dotted keys."""
    config = small_config()
    for key, value in keys.items():
        part, _, name = key.rpartition(".")
        holder = getattr(config, part) if part else config
        assert hasattr(holder, name)
        setattr(holder, name, value)
    return config


@pytest.fixture
def parsed(monkeypatch):
    """What `lowhand train` makes of its command line, instead of training."""
    pytest.importorskip("torch")

    def parse(*arguments: str) -> TrainConfig:
        given: list[TrainConfig] = []
        monkeypatch.setattr(algorithms, "train", lambda config, **_: given.append(config))
        assert main(["train", *arguments]) == 0
        return given[0]

    return parse


def test_defaults_can_be_used():
    assert check(TrainConfig()) is GAME


def test_small_config_of_the_tests_can_be_used():
    assert check(small_config()) is GAME


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_published_configs_can_be_used(path, parsed):
    check(parsed("--config", str(path)))


def test_opponents_and_a_start_that_fit_can_be_used():
    check(changed(FIXED))
    check(changed(WHOLE | {"network.hidden": [256, 256]}))
    check(changed({"init": "nowhere", "resume": True}))


def test_there_are_published_configs():
    assert {"no_thanks.yaml", "quickstart.yaml"} <= {path.name for path in CONFIGS}


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"game.name": "chess"}, "there is no game 'chess'"),
        ({"game.players": []}, "game.players must name at least one number"),
        ({"game.players": [3, 9]}, "num_players must be from 2 to 7, not 9"),
        ({"game.players": [1, 3]}, "num_players must be from 2 to 7, not 1"),
        ({"game.options": {"decks": 2}}, "no_thanks has no option 'decks'"),
        ({"game.options": {"removed": 40}}, "removed must be from 0 to 32, not 40"),
        ({"game.options": {"removed": "few"}}, "removed must be an integer"),
        ({"game.options": {"num_players": 3}}, "give numbers of players as game.players"),
        ({"game.options": {"first_player": 3}}, "first_player must be from 0 to 2, not 3"),
        ({"game.seats": 3}, "game.seats must be null or from 4, the most players, to 7, not 3"),
        ({"game.seats": 0}, "game.seats must be null or from 4"),
        ({"game.seats": 8}, "to 7, not 8"),
        ({"game.players": [3] * 17}, "ppo.num_envs must be at least 17"),
        ({"network.hidden": []}, "network.hidden must name at least one"),
        ({"network.hidden": [8, 0]}, "network.hidden must be a list, each entry an integer of at"),
        ({"ppo.num_steps": 1.5}, "ppo.num_steps must be an integer of at least 1, not 1.5"),
        ({"ppo.num_steps": True}, "ppo.num_steps must be an integer of at least 1, not True"),
        ({"ppo.clip": "small"}, "ppo.clip must be a number greater than 0, not 'small'"),
        ({"threads": None}, "threads must be an integer of at least 1, not None"),
        ({"out": 3}, "out must be text, not 3"),
        ({"init": 3}, "init must be text or null, not 3"),
        ({"resume": "no"}, "resume must be true or false, not 'no'"),
        ({"algorithm": "a2c"}, "algorithm must be ppo or maskable_ppo, not 'a2c'"),
        ({"game.players": 3}, "game.players must be a list, each entry an integer, not 3"),
        ({"game.options": []}, "game.options must be a mapping, not []"),
        ({"game.seats": "all"}, "game.seats must be an integer or null, not 'all'"),
        ({"reward.start": {"win": "much"}}, "reward.start must be a mapping of names to numbers"),
        ({"network": {"hidden": [8]}}, "network must be keys of its own, not {'hidden': [8]}"),
        ({"reward.start": {}}, "reward.start: reward {} is unknown"),
        ({"reward.end": {"glory": 1.0}}, "reward.end: reward {'glory': 1.0} is unknown"),
        ({"reward.end": {"win": math.nan}}, "reward.end: the weights of a reward must be finite"),
        ({"reward.anneal": 0.0}, "reward.anneal must be a number greater than 0 and at most 1"),
        ({"reward.anneal": 1.5}, "reward.anneal must be a number greater than 0 and at most 1"),
        ({"seed": -1}, "a seed must be an integer from 0 to"),
        ({"seed": 2**64}, "a seed must be an integer from 0 to"),
        ({"decisions": 0}, "decisions must be an integer of at least 1, not 0"),
        ({"threads": 0}, "threads must be an integer of at least 1"),
        ({"save_every": 0}, "save_every must be an integer of at least 1"),
        (
            {"ppo.num_envs": -1, "game.players": [3]},
            "ppo.num_envs must be an integer of at least 1, not -1",
        ),
        ({"ppo.num_steps": 0}, "ppo.num_steps must be an integer of at least 1"),
        ({"ppo.update_epochs": 0}, "ppo.update_epochs must be an integer of at least 1"),
        ({"ppo.minibatch_size": 0}, "ppo.minibatch_size must be an integer of at least 1"),
        (
            {"ppo.minibatch_size": 129},
            "ppo.minibatch_size must be at most ppo.num_envs × ppo.num_steps = 128",
        ),
        ({"ppo.learning_rate": 0.0}, "ppo.learning_rate must be a number greater than 0"),
        ({"ppo.learning_rate": math.inf}, "ppo.learning_rate must be a number greater than 0"),
        ({"ppo.learning_rate": math.nan}, "ppo.learning_rate must be a number greater than 0"),
        ({"ppo.clip": 0.0}, "ppo.clip must be a number greater than 0"),
        ({"ppo.gae_lambda": 1.1}, "ppo.gae_lambda must be a number from 0 to 1"),
        ({"ppo.entropy_start": 0.0}, "ppo.entropy_start must be a number greater than 0"),
        ({"ppo.entropy_end": -0.1}, "ppo.entropy_end must be a number greater than 0"),
        ({"ppo.value_weight": -1.0}, "ppo.value_weight must be a number of at least 0"),
        ({"ppo.max_gradient_norm": 0.0}, "ppo.max_gradient_norm must be a number greater than 0"),
        ({"league.self_play": 0.6}, "shares ≥ 0 that add up to 1, not 0.6, 0.5, 0.1"),
        ({"league.self_play": 0.6, "league.snapshots": -0.1}, "shares ≥ 0 that add up to 1"),
        ({"league.scripted": math.nan}, "shares ≥ 0 that add up to 1"),
        ({"league.alone": -0.1}, "league.alone must be a number from 0 to 1"),
        ({"league.uniform": 2.0}, "league.uniform must be a number from 0 to 1"),
        ({"league.fixed": 0.2}, "add up to 1, not 0.4, 0.5, 0.1, 0.2"),
        ({"league.opponents": ["greedy"]}, "give both or neither, not 0.0 and ['greedy']"),
        ({"league.fixed": 0.4, "league.self_play": 0.0}, "give both or neither, not 0.4 and []"),
        (FIXED | {"league.opponents": ["nobody"]}, "there is no agent 'nobody'"),
        (FIXED | {"league.opponents": ["greedy"] * 2}, "league.opponents names 'greedy' twice"),
        (FIXED | {"game.players": [3, 8]}, "num_players must be from 2 to 7, not 8"),
        ({"init": "nowhere"}, "init: there is no checkpoint in nowhere"),
        ({"init": "checkpoints/least_score"}, "can't play no_thanks"),
        ({"init": "checkpoints/no_thanks"}, "observes something else than this config's learner"),
        (WHOLE | {"network.hidden": [8]}, "hidden layers of [256, 256]; network.hidden must be"),
        (
            {"league.bot_distributions": {"cheater": 1.0}},
            "league.bot_distributions must give weights",
        ),
        (
            {"league.bot_distributions": {"ratio": -1.0}},
            "league.bot_distributions must give weights",
        ),
        (
            {"league.bot_distributions": {"ratio": math.inf}},
            "league.bot_distributions must give weights",
        ),
        (
            {"league.bot_distributions": {"ratio": 0.0, "sally": 0.0}},
            "not all 0, to distributions among",
        ),
        ({"league.pool": 0}, "league.pool must be an integer of at least 1"),
        ({"league.active": 0}, "league.active must be an integer of at least 1"),
        ({"league.keep": 0}, "league.keep must be an integer of at least 1"),
        ({"league.snapshot_every": 0}, "league.snapshot_every must be an integer of at least 1"),
        ({"league.swap_every": 0}, "league.swap_every must be an integer of at least 1"),
        ({"evaluation.every": -1}, "evaluation.every must be an integer of at least 0"),
        ({"evaluation.games": 0}, "evaluation.games must be an integer of at least 1"),
        ({"evaluation.opponents": ["nobody"]}, "there is no agent 'nobody'"),
        ({"evaluation.opponents": ["greedy", "greedy"]}, "names 'greedy' twice"),
        (
            {"evaluation.opponents": ["greedy"], "evaluation.players": 5},
            "evaluation.players must be at most 4",
        ),
        (
            {"evaluation.opponents": ["greedy"], "evaluation.players": 1},
            "num_players must be from 2 to 7, not 1",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(keys, sentence):
    with pytest.raises(ValueError, match=r".") as refusal:
        check(changed(keys))
    message = str(refusal.value)
    assert sentence in message
    assert message.endswith(".")
    assert "\n" not in message


def test_each_number_of_players_is_checked_with_the_options():
    config = changed({"game.players": [4, 3], "game.options": {"first_player": 3}})
    with pytest.raises(ValueError, match="first_player must be from 0 to 2"):
        check(config)


def test_evaluation_of_nobody_needs_no_players():
    check(changed({"game.players": [2], "evaluation.players": 3, "evaluation.opponents": []}))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nope: 1", "the config has no key 'nope'"),
        ("ppo: {nope: 1}", "the config has no key 'ppo.nope'"),
        ("decisions: 1.5", "--decisions: expected int, not 1.5"),
        ("ppo: {num_envs: many}", "--ppo.num_envs: expected int, not many"),
        ("game: {players: [three]}", "three"),
        ("game: {seats: x}", "expected one of int, null"),
        ("network: {hidden: wide}", "wide"),
        ("reward: {start: {win: much}}", "much"),
        ("league: {bot_distributions: [ratio]}", "ratio"),
        ("resume: perhaps", "--resume: expected bool, not perhaps"),
        ("ppo: 3", "--ppo: expected keys of its own, not 3"),
        ("seed: 1\nleague:", "--league: expected keys of its own, not None"),
        ("- 1", "config"),
    ],
)
def test_unknown_keys_and_wrong_types_are_refused_in_one_sentence(tmp_path, text, sentence, capsys):
    pytest.importorskip("torch")
    file = tmp_path / "config.yaml"
    file.write_text(text)
    assert main(["train", "--config", str(file), "--out", str(tmp_path / "run")]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert sentence in shown.err
    assert shown.err.endswith(".\n")
    assert shown.err.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_values_that_do_not_fit_together_are_refused_with_exit_code_2(tmp_path, capsys):
    pytest.importorskip("torch")
    out = tmp_path / "run"
    assert main(["train", "--out", str(out), "--league.self_play", "0.9"]) == 2
    assert "add up to 1" in capsys.readouterr().err
    assert not out.exists()


def test_command_line_overrides_the_file(tmp_path, parsed):
    file = tmp_path / "config.yaml"
    file.write_text("seed: 5\nppo: {num_envs: 64, num_steps: 16}\n")
    config = parsed("--config", str(file), "--ppo.num_steps", "32")
    assert (config.seed, config.ppo.num_envs, config.ppo.num_steps) == (5, 64, 32)
    assert config.ppo.update_epochs == TrainConfig().ppo.update_epochs


def test_resolved_config_makes_the_same_run(tmp_path, parsed):
    config = replace(small_config(tmp_path), overwrite=True)
    config.league.bot_distributions = {"ratio": 1.0, "sally": 0.25}
    config.evaluation.opponents = ["chip_value:0.5,2,extort"]
    file = tmp_path / "resolved.yaml"
    file.write_text(yaml.safe_dump(config.as_dict()))
    assert parsed("--config", str(file)) == config


def test_resolved_config_is_plain_data_with_every_key():
    config = TrainConfig()
    assert json.loads(json.dumps(config.as_dict())) == asdict(config)


@pytest.mark.parametrize(("decisions", "updates"), [(1, 1), (128, 1), (191, 1), (193, 2), (768, 6)])
def test_updates_are_the_decisions_rounded_and_at_least_one(decisions, updates):
    assert small_config(decisions=decisions).updates == updates
