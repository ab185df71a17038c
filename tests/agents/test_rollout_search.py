from lowhand.agents.names import make_agent

"""The search agent: honest, the same for every action it compares, and better than its agent."""

import numpy as np
import pytest

import lowhand.agents.rollout_search as module
from lowhand.agents.play_games import game_keys, play_games
from lowhand.agents.rollout_search import SearchAgent, determinize_rows, make_search_agent
from lowhand.agents.table_view import TableView, agents_generator
from lowhand.apis.batch import make_options
from lowhand.engine.kernels_rows import apply_rows, deal_rows, resample_rows
from lowhand.games import get_game
from tests.evaluation.test_evaluation import write_checkpoint

NO_THANKS, LEAST_SCORE = get_game("no_thanks"), get_game("least_score")
MATCH = {"points_limit": 100}
RNG = agents_generator(0)


def positions(game, moves, tables=24, seed=1, **options):
    """A view of tables after some random moves, and the records behind it."""
    made = make_options(game, **options)
    states = np.zeros(tables, game.state)
    deal_rows(made.rules(), states, game_keys(seed, 0, tables), np.full(tables, made.num_players))
    rows, chance = np.arange(tables), make_agent("random", game)
    for _ in range(moves):
        view = TableView(game, made, made.rules(), states, rows)
        apply_rows(made.rules(), states, rows, chance.act(view, RNG))
    assert not states["over"].any()
    return TableView(game, made, made.rules(), states, rows), states


def re_dealt(view, states):
    """The same tables after what their movers can't know was dealt anew."""
    after = states.copy()
    for i in range(len(after)):
        key = np.array([1000 + i], np.uint64)
        resample_rows(view.privileged.rules, after[i : i + 1], states["mover"][i], True, key)
    assert (after["deck"] != states["deck"]).any(axis=1).all()
    after["key"] = states["key"]  # the dice come from it: they are no secret, but must be the same
    return TableView(view._game, view.options, view.privileged.rules, after, np.arange(len(after)))


def no_re_deal(rules, states, places, origins, actions, seeds, rollouts, clones, *_):
    """What a search would be that looks at the hidden cards."""
    clones[:] = np.repeat(states[places[origins]], rollouts)
    apply_rows(rules, clones, np.arange(len(clones)), np.repeat(actions, rollouts))


SEATS = [
    pytest.param(NO_THANKS, "connector", 14, {"num_players": 4}, id="no_thanks"),
    pytest.param(LEAST_SCORE, "greedy:7", 9, {"num_players": 3}, id="least_score"),
]


@pytest.mark.parametrize(("game", "agent", "moves", "options"), SEATS)
def test_decisions_do_not_depend_on_what_the_seat_cannot_know(game, agent, moves, options):
    view, states = positions(game, moves, **options)
    search = SearchAgent(make_agent(agent, game), game, 4, horizon="round")
    assert (search.act(view, RNG) == search.act(re_dealt(view, states), RNG)).all()


def test_network_search_does_not_depend_on_what_the_seat_cannot_know(tmp_path):
    view, states = positions(NO_THANKS, 14, num_players=4)
    search = make_search_agent(write_checkpoint(tmp_path / "network") + "?rollouts=4", NO_THANKS)
    assert (search.act(view, RNG) == search.act(re_dealt(view, states), RNG)).all()


@pytest.mark.parametrize(("game", "agent", "moves", "options"), SEATS)
def test_a_planted_leak_is_found(game, agent, moves, options, monkeypatch):
    view, states = positions(game, moves, **options)
    search = SearchAgent(make_agent(agent, game), game, 4, horizon="round")
    monkeypatch.setattr(module, "_branch", no_re_deal)
    assert (search.act(view, RNG) != search.act(re_dealt(view, states), RNG)).any()


def test_every_action_is_played_in_the_same_re_deals_which_differ_among_themselves(monkeypatch):
    view, _ = positions(LEAST_SCORE, 9, tables=1, num_players=3)
    search = SearchAgent(make_agent("greedy", LEAST_SCORE), LEAST_SCORE, 5)
    seen = []

    def spy(table, clones, *_):
        seen.append(clones.copy())

    monkeypatch.setattr(search, "_play_out", spy)
    search.act(view, RNG)
    (clones,) = seen
    keys = clones["key"].reshape(-1, 5)
    assert len(keys) == view.action_mask.sum() > 2
    assert (keys == keys[0]).all()
    assert len(set(keys[0].tolist())) == 5
    assert view.privileged.states["key"][0] not in keys


def last_card(chips, **fields):
    """Two players, the last card 30 on offer, and what its mover, seat 0, may do."""
    options = make_options(NO_THANKS, num_players=2, low=28, high=30, removed=0, first_player=0)
    states = np.zeros(1, NO_THANKS.state)
    deal_rows(options.rules(), states, game_keys(1, 0, 1), np.array([2]))
    state = states[0]
    state.deck[:3], state.turned, state.offered, state.pot = [28, 29, 30], 3, 30, 0
    state.cards[:2] = [1 << 28 | 1 << 29, 0]
    state.points[:2], state.chips[:2] = [28, 0], chips
    for name, value in fields.items():
        state[name] = value
    return TableView(NO_THANKS, options, options.rules(), states, np.zeros(1, np.int64))


def test_it_finds_the_action_that_wins_where_its_agent_does_not():
    view = last_card([5, 5])  # seat 1, a taker, would pay 30 for what extends the run of seat 0
    taker = make_agent("threshold:99", NO_THANKS)
    assert taker.act(view, RNG) == [1]
    assert SearchAgent(taker, NO_THANKS, 2).act(view, RNG) == [0]


def test_without_a_choice_and_among_equals_it_plays_as_its_agent(monkeypatch):
    taker = make_agent("threshold:99", NO_THANKS)
    search = SearchAgent(taker, NO_THANKS, 2, reward="win")
    lost = last_card([5, 5], points=[200, 0, 0, 0, 0, 0, 0])
    assert search.act(lost, RNG) == [1]
    monkeypatch.setattr(search, "_best", None)  # not called where only taking is legal
    assert search.act(last_card([0, 5]), RNG) == [1]


def test_plans_are_played_at_its_own_seat_alone_and_each_in_the_same_re_deals(monkeypatch):
    view, _ = positions(NO_THANKS, 14, tables=1, num_players=4)
    plans = [make_agent("greedy", NO_THANKS), make_agent("sally", NO_THANKS)]
    search = SearchAgent(make_agent("connector", NO_THANKS), NO_THANKS, 3, rollout_policies=plans)
    seen = []
    monkeypatch.setattr(search, "_play_out", lambda *given: seen.append(given))
    search.act(view, RNG)
    ((_, clones, seating, *_),) = seen
    mover = int(view.privileged.states["mover"][0])
    assert (np.delete(seating, mover, axis=1) == 0).all()
    assert seating[:, mover].reshape(2, 3, 3).tolist() == [[[0] * 3, [1] * 3, [2] * 3]] * 2
    keys = clones["key"].reshape(6, 3)
    assert (keys == keys[0]).all()


def test_the_best_plan_counts_for_each_action():
    """Own points: 26 by taking now; 25 by passing now and taking then; 28 by always passing."""
    view = last_card([2, 1])
    passer, taker = (make_agent(f"threshold:{limit}", NO_THANKS) for limit in (-99, 99))
    assert SearchAgent(passer, NO_THANKS, 2, reward="points").act(view, RNG) == [1]
    planning = SearchAgent(passer, NO_THANKS, 2, reward="points", rollout_policies=[taker])
    assert planning.act(view, RNG) == [0]


def test_a_belief_weighs_the_re_deals_that_are_played(monkeypatch):
    view, states = positions(LEAST_SCORE, 9, tables=1, num_players=2)
    seeds, fifth = (view.uniforms() * module._TWO_53).astype(np.uint64), states.copy()
    determinize_rows(view.privileged.rules, fifth, seeds, np.array([5], np.uint64))

    class Knows:
        def log_weights(self, table):
            return np.where(
                (table.privileged.states["hands"] == fifth["hands"]).all(axis=(1, 2)), 0.0, -99.0
            )

    search = SearchAgent(make_agent("greedy:7", LEAST_SCORE), LEAST_SCORE, 8, belief=Knows())
    weights, seen = search._deal_weights(view, np.zeros(1, np.int64), seeds), []
    assert weights[0] == pytest.approx(np.eye(8)[5])
    monkeypatch.setattr(search, "_play_out", lambda _, clones, *rest: seen.append(clones))
    search.act(view, RNG)
    assert (seen[0]["key"].reshape(-1, 8)[:, 5] == fifth["key"]).all()


def test_leads_are_of_the_best_plans_deal_by_deal_and_weighted():
    earned = np.array([[[1, 3], [0, 0]], [[0, 0], [2, 6]]], np.float32)  # branches, plans, deals
    lead, error = module._advantages(earned, np.full((2, 2), 0.5), np.array([0, 0]))
    assert lead.tolist() == [0.0, 2.0]  # 1 and 3 deal by deal
    assert error.tolist() == pytest.approx([0.0, np.sqrt(0.5)])
    weighted, _ = module._advantages(earned, np.array([[0.25, 0.75]] * 2), np.array([0, 0]))
    assert weighted.tolist() == [0.0, 2.5]


def test_with_a_margin_an_action_that_is_hardly_ahead_is_not_played():
    view, _ = positions(LEAST_SCORE, 9, num_players=3)
    agent = make_agent("greedy:7", LEAST_SCORE)
    own = agent.act(view, RNG)
    changed = [
        (SearchAgent(agent, LEAST_SCORE, 8, margin=margin).act(view, RNG) != own).sum()
        for margin in (0.0, 1.0, 1e9)
    ]
    assert changed[0] > changed[1] > changed[2] == 0


@pytest.mark.parametrize("margin", [-1.0, float("nan")])
def test_a_margin_is_no_less_than_nothing(margin):
    greedy = make_agent("greedy", LEAST_SCORE)
    with pytest.raises(ValueError, match="margin must be a number of at least 0"):
        SearchAgent(greedy, LEAST_SCORE, margin=margin)


def test_the_shortlist_of_a_network_is_its_likeliest_actions_and_its_own():
    view, _ = positions(LEAST_SCORE, 9, num_players=3)
    legal = view.action_mask.astype(bool)
    rng = np.random.default_rng(3)
    policy = rng.random(legal.shape) * legal

    class Policy:
        def probabilities(self, table):
            return policy

    search = SearchAgent(Policy(), LEAST_SCORE, shortlist=3)  # type: ignore[arg-type]
    own = np.array([np.flatnonzero(row)[-1] for row in legal])
    planned = np.array([np.flatnonzero(row)[0] for row in legal])
    tried = search._candidates(view, [own, planned])
    assert not (tried & ~legal).any()
    for row, chosen, *proposed in zip(policy, tried, own, planned, strict=True):
        wanted = set(np.argsort(-row)[: min(3, np.count_nonzero(row))].tolist())
        wanted |= set(map(int, proposed))
        assert set(np.flatnonzero(chosen).tolist()) == wanted


def test_a_scripted_agent_has_all_its_legal_actions_tried():
    view, _ = positions(LEAST_SCORE, 9, num_players=3)
    search = SearchAgent(make_agent("greedy", LEAST_SCORE), LEAST_SCORE, shortlist=2)
    assert (search._candidates(view, [np.zeros(24, np.int64)]) == view.action_mask).all()


@pytest.mark.parametrize(("horizon", "ended"), [("round", 1), ("game", 5)])
def test_rollouts_end_with_the_round_or_the_game(horizon, ended, monkeypatch):
    view, states = positions(LEAST_SCORE, 3, tables=2, num_players=2, **MATCH)
    search = SearchAgent(make_agent("greedy", LEAST_SCORE), LEAST_SCORE, 2, horizon=horizon)
    play_out, deals = search._play_out, []

    def spy(table, clones, *rest):
        play_out(table, clones, *rest)
        deals.extend(clones["deals"].tolist())

    monkeypatch.setattr(search, "_play_out", spy)
    search.act(view, RNG)
    before = states["deals"].max()
    if horizon == "round":
        assert set(deals) == {before + ended}
    else:
        assert np.mean(deals) > before + ended


def test_decisions_do_not_depend_on_the_tables_beside(monkeypatch):
    view, states = positions(NO_THANKS, 14, num_players=4)
    search = SearchAgent(make_agent("connector", NO_THANKS), NO_THANKS, 4)
    together = search.act(view, RNG)
    assert 0 < together.sum() < len(together)
    alone = [
        search.act(
            TableView(NO_THANKS, view.options, view.privileged.rules, states, np.array([i])), RNG
        )[0]
        for i in range(len(states))
    ]
    assert together.tolist() == alone
    monkeypatch.setattr(module, "_CLONES", 4)
    assert (search.act(view, RNG) == together).all()


def test_agents_that_python_asks_are_rolled_out_as_compiled_ones_are():
    scripted = make_agent("connector", NO_THANKS)

    class Asked:
        def act(self, table, rng):
            return scripted.act(table, rng)

    view, _ = positions(NO_THANKS, 14, num_players=4)
    actions = [SearchAgent(agent, NO_THANKS, 8).act(view, RNG) for agent in (scripted, Asked())]
    assert (actions[0] == actions[1]).all()


def test_it_is_stronger_than_the_agent_that_it_builds_on():
    options, games = make_options(NO_THANKS, num_players=3), 300
    agent = make_agent("connector", NO_THANKS)
    rows, seating = np.arange(games), np.ones((games, 3), np.int64)
    seating[rows, rows % 3] = 0
    search = SearchAgent(agent, NO_THANKS, 16)
    played = play_games(NO_THANKS, options, [search, agent], seating, game_keys(1, 0, games))
    assert played.win_shares[rows, rows % 3].mean() > 0.42  # 0.333 is fair; standard error 0.03


def test_a_name_says_all_settings():
    made = make_search_agent(
        "chip_value:0.5,2,extort?rollouts=3&reward=win:1,points:0.25&horizon=round&shortlist=5"
        "&rollout_policies=greedy+threshold:2",
        NO_THANKS,
    )
    assert (made.rollouts, made.shortlist, made.one_round) == (3, 5, True)
    assert made.weights.tolist() == [1.0, 0.0, 0.0, 0.25]
    assert [getattr(agent, "name", "") for agent in made.policies] == [
        "chip_value:0.5,2,extort", "greedy", "threshold:2",
    ]  # fmt: skip
    assert made.name.startswith("search:chip_value:0.5,2,extort?rollouts=3")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "names no agent"),
        ("?rollouts=3", "names no agent"),
        ("nobody", "there is no agent 'nobody'"),
        ("greedy?depth=2", "does not know depth"),
        ("greedy?rollouts=many", "rollouts must be an integer, not 'many'"),
        ("greedy?rollouts=0", "rollouts must be from 1 to"),
        ("greedy?shortlist=1", "shortlist must be from 2 to"),
        ("greedy?reward=glory", "reward 'glory' is unknown"),
        ("greedy?reward=win:x", "reward must be written as"),
        ("greedy?horizon=deal", 'horizon must be "game" or "round"'),
        ("greedy?rollout_policies=nobody", "there is no agent 'nobody'"),
    ],
)
def test_names_that_mean_nothing_are_refused_in_one_sentence(text, sentence):
    with pytest.raises(ValueError, match=r"\.$") as refusal:
        make_search_agent(text, NO_THANKS)
    assert sentence in str(refusal.value)


def test_an_agent_that_does_not_fit_the_table_makes_a_search_that_does_not(tmp_path):
    name = write_checkpoint(tmp_path / "network")
    search = make_search_agent(name, NO_THANKS)
    assert search.incompatibility(make_options(NO_THANKS, num_players=7)) is None
    search.agent.spec.seats = 2  # type: ignore[attr-defined]
    assert "observes at most 2 players" in str(search.incompatibility(make_options(NO_THANKS)))
