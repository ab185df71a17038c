"""Runs of `algorithm: maskable_ppo`: the league, the checkpoint, going on, and what is refused."""

import json
import signal
from dataclasses import replace

import numpy as np
import pytest
import yaml

torch = pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import (
    CheckpointCallback,
    StopTrainingOnMaxEpisodes,
)

from lowhand.agents.names import make_agent
from lowhand.engine.kernels_batch import YOURS
from lowhand.engine.rewards import reward_weights, win_shares
from lowhand_training.cli.main import main
from lowhand_training.common.files import load_arrays
from lowhand_training.evaluation.evaluation import evaluate
from lowhand_training.sb3.learner import MaskableLearner
from lowhand_training.sb3.run import ZIP, MaskableRun
from lowhand_training.sb3.weights import acting_weights
from lowhand_training.trainer.checkpoint import MODEL, RESULTS, STATE
from lowhand_training.trainer.config import (
    EvaluationConfig,
    GameConfig,
    LeagueConfig,
    NetworkConfig,
    PPOConfig,
    SelfPlayConfig,
    TrainConfig,
)
from lowhand_training.trainer.config_checks import check
from tests.cli.test_main import one_sentence, process
from tests.trainer.runs import model, quiet, run, said
from tests.trainer.small import GAME, SHORT_GAME, UPDATES, small_config

BATCH = 16 * 8

WITHOUT_SB3 = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("stable_baselines3", "sb3_contrib"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Refuse())
from lowhand_training.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


PLAYS_ALONE = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0].startswith("lowhand"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Refuse())
import numpy as np
from sb3_contrib import MaskablePPO
model = MaskablePPO.load(sys.argv[1], device="cpu")
shown = np.zeros((3, *model.observation_space.shape), np.float32)
masks = np.array([[True, False], [False, True], [True, True]])
print(model.predict(shown, action_masks=masks, deterministic=True)[0].tolist())
"""


def config(out="nowhere", **changes) -> TrainConfig:
    """`small_config`, for MaskablePPO; a snapshot each update and a swap every second."""
    past = SelfPlayConfig(save_steps=BATCH, swap_steps=2 * BATCH, window=3)
    league = LeagueConfig(self_play=0.0, scripted=0.5, snapshots=0.5, pool=8, active=2)
    given = {"algorithm": "maskable_ppo", "self_play": past, "league": league}
    return small_config(out, **(given | changes))


def learner(**changes) -> MaskableLearner:
    made = config(**changes)
    return MaskableLearner(made, check(made))


@pytest.fixture(scope="module")
def unstopped(tmp_path_factory):
    """The folder of a run that nothing interrupted. Not to be changed."""
    folder = tmp_path_factory.mktemp("runs") / "unstopped"
    run(config(folder), quiet())
    return folder


def stopped_after(made: MaskableRun, update: int, act) -> None:
    """Have `act` called at the end of this update."""
    end = made.maskable.end_update

    def spied() -> None:
        end()
        if made.maskable.update_number == update:
            act()

    made.maskable.end_update = spied


def test_one_seat_of_each_table_is_the_learners():
    made = learner()
    batch = made.env.games.batch
    made.env.seed(0)
    made.env.reset()
    met = set()
    for _ in range(200):
        there = np.arange(batch.seating.shape[1]) < batch.num_players[:, None]
        assert ((batch.seating == YOURS) & there).sum(axis=1).tolist() == [1] * 16
        assert (batch.seating[np.arange(16), batch.mover] == YOURS).all()
        met |= set(batch.seating[there].tolist())
        made.env.step(made.env.action_masks().argmax(axis=1))
    assert len([code for code in met if code >= 0]) == 8  # all of the pool
    assert len([code for code in met if code < YOURS]) == 2  # both snapshots


def test_win_shares_are_right_at_tables_of_different_sizes():
    made = learner()
    batch = made.env.games.batch
    made.env.seed(1)
    made.env.reset()
    seen = set()
    for _ in range(150):
        seats = batch.mover.astype(int)
        *_, told = made.env.step(made.env.action_masks().argmax(axis=1))
        for row, info in enumerate(told):
            if info:
                n = int(batch.num_players[row])
                share = win_shares(info["final_scores"][np.newaxis, :n])[0, seats[row]]
                assert info["win_share"] == pytest.approx(share)
                assert info["episode"]["r"] is not None
                seen.add((n, share > 0))
    assert seen == {(3, True), (3, False), (4, True), (4, False)}


def weights_of(network) -> np.ndarray:
    return network.state_dict()["policy.bias"].numpy().copy()


def test_snapshots_come_and_go_as_ml_agents_has_it():
    made = learner(self_play=SelfPlayConfig(100, 200, 3, 0.0))
    league, bias = made.league, made.network.policy.bias
    assert len(league.past) == 1
    for number in range(1, 8):
        torch.nn.init.constant_(bias, float(number))
        league.after_update(100 * (number - 1), 100 * number)
        kept = [float(past["policy.bias"][0]) for past in league.past]
        assert kept == ([0.0, *map(float, range(1, number + 1))])[-3:]
        for snapshot, player in zip(league.active, league._players, strict=True):
            active = float(weights_of(snapshot.network)[0])
            assert player.network._layers[-1][1][0] == active
            if number % 2 == 0:  # swapped just now
                assert active in kept
    league.after_update(700, 799)  # neither is due
    assert float(league.past[-1]["policy.bias"][0]) == 7.0


@pytest.mark.parametrize(("ratio", "latest"), [(1.0, True), (0.0, False)])
def test_the_latest_policy_is_met_as_often_as_asked_for(ratio, latest):
    made = learner(self_play=SelfPlayConfig(10**6, 100, 3, ratio))
    torch.nn.init.constant_(made.network.policy.bias, 5.0)
    made.league.after_update(0, 100)
    for snapshot in made.league.active:
        assert (float(weights_of(snapshot.network)[0]) == 5.0) == latest


def test_run_leaves_a_checkpoint_that_plays_and_the_zip_of_sb3(unstopped):
    agent = make_agent(str(unstopped), GAME)
    found = evaluate(str(unstopped), ["greedy"], players=[3], games=60, options=SHORT_GAME)
    assert 0.0 <= found.one_v_rest[0].win_share <= 1.0
    results = json.loads((unstopped / RESULTS).read_text())
    assert results["decisions"] == UPDATES * BATCH
    loaded = MaskablePPO.load(unstopped / ZIP, device="cpu")
    assert type(loaded.policy).__module__.startswith("sb3_contrib")
    ours, theirs = load_arrays(unstopped / MODEL)[0], acting_weights(loaded.policy)
    assert set(ours) == set(theirs)
    assert all((ours[name] == theirs[name]).all() for name in ours)
    assert agent.network.num_inputs == agent.spec.size
    assert not list(unstopped.glob("*.part"))


def test_zip_plays_with_masks_where_lowhand_is_not_installed(unstopped):
    done = process(str(unstopped / ZIP), code=PLAYS_ALONE)
    assert done.returncode == 0, done.stderr
    actions = json.loads(done.stdout)
    assert actions[:2] == [0, 1]
    assert actions[2] in (0, 1)


def test_seed_fixes_the_run(tmp_path, unstopped):
    run(config(tmp_path / "same"), quiet())
    run(config(tmp_path / "other", seed=4), quiet())
    assert model(tmp_path / "same") == model(unstopped) != model(tmp_path / "other")


def test_run_that_goes_on_makes_the_same_weights(tmp_path, unstopped):
    made, console = MaskableRun(config(tmp_path), quiet()), quiet()
    stopped_after(made, 2, lambda: setattr(made, "stopping", True))
    made.run()
    assert load_arrays(tmp_path / STATE)[1]["learner"]["update"] == 2
    assert model(tmp_path) != model(unstopped)
    torch.rand(3)  # what else happens in a process between the two
    np.random.rand(3)  # noqa: NPY002
    run(config(tmp_path, resume=True), console)
    assert model(tmp_path) == model(unstopped)
    assert "done: 768 decisions" in said(console)


def test_ctrl_c_saves_after_the_update_in_hand(tmp_path):
    made = MaskableRun(config(tmp_path), quiet())
    stopped_after(made, 3, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt, match="saved"):
        made.run()
    assert load_arrays(tmp_path / STATE)[1]["learner"]["update"] == 3
    assert json.loads((tmp_path / RESULTS).read_text())["decisions"] == 3 * BATCH
    assert MaskablePPO.load(tmp_path / ZIP, device="cpu").num_timesteps == 3 * BATCH


def test_callbacks_of_sb3_are_called_and_may_end_the_run(tmp_path, unstopped):
    kept = CheckpointCallback(16, tmp_path, name_prefix="at")
    MaskableRun(config(tmp_path / "all"), quiet(), [kept]).run()
    assert (tmp_path / "at_512_steps.zip").exists()
    assert model(tmp_path / "all") == model(unstopped)
    console = quiet()
    MaskableRun(config(tmp_path / "few"), console, [StopTrainingOnMaxEpisodes(3)]).run()
    assert "stopped at" in said(console)
    assert 0 < json.loads((tmp_path / "few" / RESULTS).read_text())["decisions"] < UPDATES * BATCH
    run(config(tmp_path / "few", resume=True), quiet())
    assert json.loads((tmp_path / "few" / RESULTS).read_text())["decisions"] == UPDATES * BATCH


def test_going_on_with_the_other_algorithm_is_refused(tmp_path, unstopped):
    with pytest.raises(ValueError, match="other values of algorithm"):
        run(replace(config(unstopped, resume=True), algorithm="ppo"), quiet())


def test_logs_have_the_names_of_sb3_and_the_evaluation(tmp_path):
    event_accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator"
    )
    looking = EvaluationConfig(every=3, opponents=["greedy", "random"], players=3, games=30)
    run(config(tmp_path, tensorboard=True, evaluation=looking), quiet())
    log = event_accumulator.EventAccumulator(str(tmp_path / "tensorboard"))
    log.Reload()
    names = set(log.Tags()["scalars"])
    for name in (
        "rollout/ep_rew_mean", "rollout/success_rate", "train/entropy_loss", "eval/mean_reward",
        "eval/success_rate", "time/fps", "eval/win_share/alone against greedy",
    ):  # fmt: skip
        assert name in names
    assert [event.step for event in log.Scalars("eval/mean_reward")] == [3 * BATCH, 6 * BATCH]
    curve = json.loads((tmp_path / RESULTS).read_text())["curve"]
    assert [point["decisions"] for point in curve] == [3 * BATCH, 6 * BATCH]


def test_evaluation_changes_nothing(tmp_path, unstopped):
    looking = EvaluationConfig(every=2, opponents=["greedy"], players=3, games=30)
    run(config(tmp_path, evaluation=looking), quiet())
    assert model(tmp_path) == model(unstopped)


def test_it_learns(tmp_path):
    """A run of a few seconds: what is asked for is well below what it gets."""
    made = config(
        tmp_path,
        decisions=150_000,
        network=NetworkConfig(hidden=[32]),
        ppo=PPOConfig(
            num_envs=128, num_steps=32, minibatch_size=1024, learning_rate=2e-3, entropy_end=0.01
        ),
        league=LeagueConfig(self_play=0.0, scripted=1.0, snapshots=0.0, pool=64),
    )
    run(made, quiet())
    found = evaluate(str(tmp_path), ["random"], players=[3], games=900, seed=1, options=SHORT_GAME)
    assert found.one_v_rest[0].win_share > 0.6  # fair is 0.33
    assert found.rest_v_one[0].win_share < 0.2


def test_rewards_and_entropy_change_in_the_course_of_a_run():
    made = learner()
    weights = made.env.games.batch._tables.weights
    made.begin_update()
    assert weights.tolist() == reward_weights("score").tolist()
    assert made.model.ent_coef == pytest.approx(0.1)
    made.update_number = UPDATES
    made.begin_update()
    assert weights.tolist() == reward_weights("win").tolist()
    assert made.model.ent_coef == pytest.approx(0.003)


def test_divergence_is_one_sentence():
    made = learner()
    torch.nn.init.constant_(made.model.policy.action_net.bias, float("nan"))
    with pytest.raises(ValueError, match="diverged at update 1: its weights are not finite"):
        made.end_update()


def test_least_score_is_trained_too(tmp_path):
    """187 actions, players who are knocked out, and a league with snapshots."""
    made = config(
        tmp_path,
        game=GameConfig(name="least_score", players=[3, 4], options={"points_limit": 20.0}),
    )
    run(made, quiet())
    limit = {"points_limit": 20.0}
    found = evaluate(str(tmp_path), ["random"], "least_score", [4], games=20, options=limit)
    assert 0.0 <= found.one_v_rest[0].win_share <= 1.0
    assert MaskablePPO.load(tmp_path / ZIP, device="cpu").action_space.n == 187


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"self_play": SelfPlayConfig(window=0)},
            "self_play.window must be an integer of at least 1, not 0",
        ),
        (
            {"self_play": SelfPlayConfig(swap_steps=0)},
            "self_play.swap_steps must be an integer of at least 1",
        ),
        (
            {"self_play": SelfPlayConfig(play_against_latest_model_ratio=1.5)},
            "play_against_latest_model_ratio must be a number from 0 to 1, not 1.5",
        ),
        ({"network": NetworkConfig(precision="bfloat16")}, "network.precision auto or float32"),
        (
            {"ppo": PPOConfig(num_envs=16, num_steps=8, minibatch_size=127)},
            "no minibatch is of a single",
        ),
    ],
)
def test_configs_that_sb3_could_not_run_are_refused(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        check(config(**changes))


def test_without_sb3_the_extra_is_named(tmp_path):
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump(config(tmp_path / "run").as_dict()))
    done = process("train", "--config", str(file), code=WITHOUT_SB3)
    assert done.returncode == 2
    assert "lowhand[sb3]" in one_sentence(done.stderr)
    assert not (tmp_path / "run").exists()


def test_cli_trains_from_the_packaged_config(tmp_path, capsys):
    out = str(tmp_path / "run")
    arguments = ["train", "--config", "configs/maskable_ppo.yaml", "--out", out]
    arguments += ["--decisions", "16384", "--evaluation.games", "30", "--tensorboard", "false"]
    assert main(arguments) == 0
    assert main(["evaluate", out, "--against", "greedy", "--games", "30"]) == 0
    assert "greedy" in capsys.readouterr().out
