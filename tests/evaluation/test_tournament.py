import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from lowhand.agents.names import make_agent
from lowhand.agents.play_games import game_keys, play_games
from lowhand.engine.validation import make_options
from lowhand.games import get_game
from lowhand_training.cli.main import main
from lowhand_training.evaluation.tournament.driver import run_tournament
from lowhand_training.evaluation.tournament.plan import MIXED, ONE_V_REST, REST_V_ONE, make_plan
from lowhand_training.evaluation.tournament.play import play_job, rank
from lowhand_training.evaluation.tournament.table import COLUMNS, load_games, read_table, schema
from lowhand_training.evaluation.tournament.workers import LOCAL, play_in_processes, play_on_ray

AGENTS = ["greedy", "random", "connector", "threshold:4"]

ILLEGAL = """
import numpy as np
class Passer:
    def act(self, table, rng):
        return np.zeros(len(table), np.int64)
"""


@pytest.fixture(autouse=True)
def own_path(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    """The folder of a small tournament. Not to be changed."""
    folder = tmp_path_factory.mktemp("tournaments") / "small"
    run_tournament(make_plan(AGENTS, players=3, games=60), folder, processes=1)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def seating(shape: str, focus: int, players: int = 3, games: int = 60):
    plan = make_plan(AGENTS, players=players, games=games)
    (job,) = [job for job in plan.jobs() if (job.shape, job.focus) == (shape, focus)]
    return job.seating()


def test_one_v_rest_seats_the_focus_alone_among_each_other_at_each_seat():
    seats = seating(ONE_V_REST, focus=1)
    assert ((seats == 1).sum(axis=1) == 1).all()
    assert ((seats == 1).sum(axis=0) == 21).all(), "60 games round up to 7 of each matchup and seat"
    for other in (0, 2, 3):
        against = seats[(seats == other).any(axis=1)]
        assert ((against == other).sum(axis=1) == 2).all()
        assert ((against == 1).sum(axis=0) == 7).all()


def test_rest_v_one_is_its_mirror_image():
    mirrored = np.where(seating(REST_V_ONE, focus=1) == 1, 1, -1)
    assert (np.where(seating(ONE_V_REST, focus=1) == 1, -1, 1) == mirrored).all()


def test_mixed_seats_different_agents_and_meets_all_equally_often():
    seats = seating(MIXED, focus=2, games=3000)
    assert (np.sort(seats, axis=1)[:, :-1] != np.sort(seats, axis=1)[:, 1:]).all()
    assert ((seats == 2).sum(axis=0) == 1000).all()
    for other in (0, 1, 3):
        # 3000 games with 2 of 3 others: standard deviation 26 of the number that meet one.
        assert abs((seats == other).sum() - 2000) < 100


def test_jobs_cover_each_game_once_and_seeds_differ():
    plan = make_plan(AGENTS, players=4, games=25_000)
    jobs = plan.jobs()
    assert sum(job.count for job in jobs) == plan.total
    for shape in plan.shapes:
        for focus in range(4):
            mine = [job for job in jobs if (job.shape, job.focus) == (shape, focus)]
            assert len({job.seed for job in mine}) == 1
            ends = [(job.first, job.first + job.count) for job in mine]
            assert ends[0][0] == 0
            assert all(a[1] == b[0] for a, b in pairwise(ends))
    assert len({job.seed for job in jobs}) == 12
    assert len({job.name for job in jobs}) == len(jobs)


def test_table_has_the_schema_that_is_documented(played):
    read = read_table(played)
    assert read.schema.equals(schema())
    assert read.column_names == [column.name for column in COLUMNS]
    part = pq.read_table(next((played / "games").iterdir()))
    assert part.schema.equals(schema())
    described = json.loads(part.schema.metadata[b"lowhand.job"])
    assert described["agents"] == AGENTS
    assert part.schema.field("score").metadata[b"meaning"].startswith(b"of the seat")


def test_table_holds_the_games_that_were_played(played):
    plan = make_plan(AGENTS, players=3, games=60)
    job = plan.jobs()[5]
    game, options = get_game("no_thanks"), make_options(get_game("no_thanks"), num_players=3)
    agents = [make_agent(name, game) for name in AGENTS]
    keys = game_keys(job.seed, 0, job.count)
    expected = play_games(game, options, agents, job.seating(), keys)
    games = load_games(played)
    mine = games.select((games.shape == job.shape) & (games.focus == job.focus))
    np.testing.assert_array_equal(mine.agent, job.seating())
    np.testing.assert_array_equal(mine.score, expected.scores)
    np.testing.assert_array_equal(mine.win_share, expected.win_shares)
    np.testing.assert_array_equal(mine.decisions, expected.decisions)
    np.testing.assert_array_equal(mine.number, np.arange(job.count))
    np.testing.assert_array_equal(mine.rank == 1, mine.win_share > 0)
    np.testing.assert_array_equal(mine.lone, np.where(job.shape == ONE_V_REST, 1, mine.lone))


def test_a_query_needs_nothing_but_the_table(played):
    table = read_table(played)
    means = table.group_by(["shape", "agent"]).aggregate([("win_share", "mean")]).to_pylist()
    games = load_games(played)
    mixed = games.select(games.is_mixed)
    found = {row["agent"]: row["win_share_mean"] for row in means if row["shape"] == MIXED}
    for index, name in enumerate(AGENTS):
        assert found[name] == pytest.approx(mixed.win_share[mixed.agent == index].mean())


def test_ranks_share_and_skip():
    ranking_scores = np.array([[3.0, 1.0, 3.0, 9.0]])
    assert rank(ranking_scores).tolist() == [[2, 1, 2, 4]]


def test_least_score_ranks_by_standing_and_not_by_score(tmp_path):
    plan = make_plan(
        ["greedy:5", "random", "tuned"], "least_score", 3, ["mixed"], 90, {"points_limit": 50}
    )
    run_tournament(plan, tmp_path, processes=1)
    games = load_games(tmp_path)
    np.testing.assert_array_equal(games.rank == 1, games.win_share > 0)
    by_score = rank(games.score)
    assert (by_score != games.rank).any(), "who went out later ranks higher, whatever its points"


def test_processes_give_the_files_of_one(played, tmp_path):
    run_tournament(make_plan(AGENTS, players=3, games=60), tmp_path / "two", processes=2)
    assert contents(tmp_path / "two") == contents(played)


def start(*words: str, **streams: int) -> subprocess.Popen:
    code = "import sys; from lowhand_training.cli.main import main; sys.exit(main())"
    return subprocess.Popen([sys.executable, "-c", code, "tournament", *words], **streams)


def wait_for(what, seconds: float = 120.0):
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.002)
    return found


def test_a_killed_tournament_goes_on_and_ends_like_an_unbroken_one(tmp_path, capsys):
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    words = [*AGENTS, "--games", "60000", "--out", str(broken), "--processes", "2"]
    process = start(*words, stdout=subprocess.DEVNULL)
    wait_for(lambda: len(list(broken.glob("games/*.parquet"))) >= 3)
    workers = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    children = workers.read_text().split() if workers.exists() else []
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = contents(broken)
    plan = make_plan(AGENTS, players=3, games=60_000)
    assert len(before) < 1 + len(plan.jobs()), "it was finished before it was killed"
    assert main(["rate", str(broken)]) == 2
    assert "still to be played" in capsys.readouterr().err
    # Nobody is left who would wait for ever for the one who was killed.
    wait_for(lambda: not any(Path(f"/proc/{child}").exists() for child in children))
    (broken / "games" / "torn.parquet.123.part").write_bytes(b"half")
    times = {path: path.stat().st_mtime_ns for path in broken.glob("games/*.parquet")}
    there = run_tournament(plan, broken, processes=1)
    assert there > 0
    assert all(path.stat().st_mtime_ns == at for path, at in times.items()), "none played again"
    run_tournament(plan, whole, processes=1)
    assert contents(broken) == contents(whole)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("[" * 100_000, "recursion"),
        ("[]", "list indices"),
        ({"options": {}}, "'num_players' is missing"),
        ({"options": {"num_players": [2]}}, "num_players must be an integer"),
        ({"agents": ["greedy"]}, "two agents at least"),
        ({"identities": []}, "as many identities"),
        ({"shapes": ["circle"]}, "its shapes must be some of"),
        ({"games": 10**30}, "games must be from 1"),
        ({"games": float("inf")}, "games must be an integer"),
    ],
)
def test_a_plan_of_other_hands_is_refused(played, tmp_path, change, reason):
    text = (played / "tournament.json").read_text()
    text = change if isinstance(change, str) else json.dumps({**json.loads(text), **change})
    (tmp_path / "tournament.json").write_text(text)
    with pytest.raises(ValueError, match=f"tournament.json can't be read .*{reason}"):
        load_games(tmp_path)


def test_a_folder_of_something_else_is_refused(played, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    plan = make_plan(AGENTS, players=3, games=60)
    with pytest.raises(ValueError, match="holds no tournament"):
        run_tournament(plan, tmp_path, processes=1)
    with pytest.raises(ValueError, match=r"another tournament.*games"):
        run_tournament(replace(plan, games=90), played, processes=1)


def test_an_agent_that_changed_meanwhile_is_refused():
    job = make_plan(AGENTS, players=3, games=60).jobs()[0]
    changed = replace(job, identities=("another", *job.identities[1:]))
    with pytest.raises(ValueError, match="not what it was"):
        play_job(changed)


@pytest.mark.parametrize(
    ("agents", "rest", "match"),
    [
        (["greedy", "greedy", "random"], {}, "'greedy' is named twice"),
        (["greedy", "nobody", "random"], {}, "no agent 'nobody'"),
        (["greedy", "random"], {}, "needs 3 agents.*leave `mixed` out"),
        (["greedy"], {"shapes": [ONE_V_REST]}, "needs 2 agents"),
        (AGENTS, {"shapes": ["circle"]}, "no shape 'circle'"),
        (AGENTS, {"games": 0}, "games must be from 1 to"),
        (AGENTS, {"games": 10**20}, "games must be from 1 to"),
        (AGENTS, {"options": {"num_players": 3}}, "not in `options`"),
        (AGENTS, {"options": {"game": 3}}, "no option 'game'"),
        (AGENTS, {"options": {"chips": -1}}, "chips"),
    ],
)
def test_a_plan_that_can_not_be_played_is_refused(agents, rest, match):
    with pytest.raises(ValueError, match=match):
        make_plan(agents, players=3, **rest)


def test_by_default_all_play_that_can():
    plan = make_plan([], "no_thanks", 3)
    assert plan.agents == (*get_game("no_thanks").baselines, "checkpoints/no_thanks")
    plan = make_plan([], "least_score", 8, [ONE_V_REST])
    assert plan.agents == tuple(get_game("least_score").baselines), "it knows 2 to 6"


def test_command_plays_rates_and_tells(tmp_path, capsys):
    out, file = tmp_path / "cup", tmp_path / "ratings.json"
    words = ["tournament", *AGENTS, "--players", "4", "--games", "200", "--processes", "1"]
    assert main([*words, "--out", str(out)]) == 0
    assert main([*words, "--out", str(out)]) == 0
    assert "2,432 of them there already" in capsys.readouterr().out
    assert main(["rate", str(out), "--json", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "maximal lottery" in shown
    record = json.loads(file.read_text(encoding="utf-8"))
    assert {row["agent"] for row in record["ratings"]} == set(AGENTS)
    assert record["cross_table"]["win_share"][0][0] is None
    assert main(["rate", str(tmp_path)]) == 2
    assert "holds no tournament" in capsys.readouterr().err


def test_an_illegal_move_is_one_clear_sentence(tmp_path, monkeypatch, capsys):
    (tmp_path / "my_cup_agent.py").write_text(ILLEGAL)
    monkeypatch.chdir(tmp_path)
    words = ["tournament", "my_cup_agent:Passer", "greedy", "random", "--games", "60"]
    assert main([*words, "--out", "cup", "--processes", "2"]) == 2
    shown = capsys.readouterr()
    assert "'Passer' chose action 0, which is illegal; legal actions are [1]" in shown.err
    assert shown.err.count("\n") == 1


def test_ray_with_two_workers_gives_the_parts_of_processes(tmp_path):
    pytest.importorskip("ray", reason="Ray is not installed (extra lowhand[ray])")
    (tmp_path / "my_ray_agent.py").write_text(ILLEGAL)
    sys.path.append(str(tmp_path))
    jobs = make_plan(AGENTS, players=3, games=60).jobs()
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    try:
        assert dict(play_on_ray(jobs, cluster.address, 2)) == dict(play_in_processes(jobs, 1))
        assert not ray.is_initialized(), "what was joined has been left"
        ray.init(cluster.address, log_to_driver=False, logging_level="ERROR")
        illegal = make_plan(["my_ray_agent:Passer", "greedy", "random"], players=3, games=60)
        with pytest.raises(ValueError, match=r"^agent 'Passer' chose action 0, which is illegal"):
            dict(play_on_ray(illegal.jobs(), LOCAL, 2))
        assert ray.is_initialized(), "a connection that was there before is left alone"
    finally:
        ray.shutdown()
        cluster.shutdown()


@pytest.mark.parametrize(("module", "extra"), [("pyarrow", "eval"), ("ray", "ray")])
def test_a_library_that_is_missing_is_one_clear_sentence(
    tmp_path, monkeypatch, capsys, module, extra
):
    monkeypatch.setitem(sys.modules, module, None)
    words = ["tournament", *AGENTS, "--games", "60", "--ray", "local"]
    assert main([*words, "--out", str(tmp_path / "cup")]) == 2
    shown = capsys.readouterr().err
    assert f"needs {module}" in shown
    assert f"lowhand[{extra}]" in shown
    assert not (tmp_path / "cup").exists()


@pytest.mark.parametrize("address", ["auto", "127.0.0.1:1", "ray://127.0.0.1:1", "x:y", "x:99999"])
def test_ray_cluster_that_is_not_there_is_one_clear_sentence(tmp_path, capsys, address):
    pytest.importorskip("ray", reason="Ray is not installed (extra lowhand[ray])")
    words = ["tournament", *AGENTS, "--games", "60", "--ray", address]
    assert main([*words, "--out", str(tmp_path / "cup")]) == 2
    shown = capsys.readouterr().err
    assert f"no Ray cluster answers at {address!r}" in shown
    assert shown.count("\n") == 1


def test_a_worker_that_dies_is_one_clear_sentence(tmp_path, monkeypatch, capsys):
    (tmp_path / "my_dying_agent.py").write_text(
        "import os\nclass Dies:\n    def act(self, table, rng): os._exit(3)\n"
    )
    monkeypatch.chdir(tmp_path)
    words = ["tournament", "my_dying_agent:Dies", "greedy", "random", "--games", "60"]
    assert main([*words, "--out", "cup", "--processes", "2"]) == 2
    shown = capsys.readouterr().err
    assert "a process that played was killed" in shown
    assert shown.count("\n") == 1


def test_ctrl_c_does_not_wait_for_what_is_being_played(tmp_path, monkeypatch):
    (tmp_path / "my_slow_agent.py").write_text(
        "import time, pathlib\nclass Sleeps:\n    def act(self, table, rng):\n"
        "        pathlib.Path('asleep').touch()\n        time.sleep(600)\n"
    )
    monkeypatch.chdir(tmp_path)
    words = ["my_slow_agent:Sleeps", "greedy", "random", "--out", "cup"]
    process = start(*words, stderr=subprocess.PIPE)
    wait_for(Path("asleep").exists)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert b"interrupted" in process.stderr.read()


def test_processes_are_checked_before_the_folder_is_made(tmp_path):
    with pytest.raises(ValueError, match="processes must be at least 1"):
        run_tournament(make_plan(AGENTS, players=3, games=60), tmp_path / "cup", processes=0)
    assert not (tmp_path / "cup").exists()


def test_a_second_run_into_a_folder_is_refused_and_harms_nothing(played, tmp_path):
    folder = tmp_path / "cup"
    shutil.copytree(played, folder)
    (next((folder / "games").iterdir())).unlink()
    torn = folder / "games" / "one.parquet.1.part"

    def begin_another(finished: int, total: int) -> None:
        if finished == 0:
            torn.write_bytes(b"what the first run is just writing")
            with pytest.raises(ValueError, match="another run plays into"):
                run_tournament(plan, folder, processes=1)
            assert torn.exists()

    plan = make_plan(AGENTS, players=3, games=60)
    run_tournament(plan, folder, processes=1, progress=begin_another)
    run_tournament(plan, folder, processes=1)
    assert contents(folder) == contents(played)


@pytest.mark.parametrize("content", ["nothing", "half", "text", "another part", "of no job"])
def test_a_part_that_is_broken_or_foreign_is_played_again(played, tmp_path, content):
    folder = tmp_path / "cup"
    shutil.copytree(played, folder)
    first, second, *_ = sorted((folder / "games").iterdir())
    whole = first.read_bytes()
    if content == "of no job":
        pq.write_table(pq.read_table(first).replace_schema_metadata({}), first)
    else:
        parts = {"nothing": b"", "half": whole[: len(whole) // 2], "text": b"a,b\n1,2\n"}
        first.write_bytes({**parts, "another part": second.read_bytes()}[content])
    with pytest.raises(ValueError, match="1 of 12 parts are still to be played, or broken"):
        load_games(folder)
    run_tournament(make_plan(AGENTS, players=3, games=60), folder, processes=1)
    assert contents(folder) == contents(played)
