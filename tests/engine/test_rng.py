"""Random numbers: the published vectors, unbiased draws, streams that are kept apart."""

import numpy as np
import pytest

import lowhand
from lowhand.engine.jit import njit
from lowhand.engine.rng import (
    DEAL_STREAM,
    GOLDEN,
    POLICY_STREAM,
    SEARCH_STREAM,
    game_key,
    mix,
    random_below,
    random_bits,
    substream,
    uniform,
)
from tests.engine.chances import chi_square, chi_square_limit, is_uniform

U = np.uint64


@njit
def draws_below(key, bound, out):
    counter = np.uint64(0)
    for i in range(out.size):
        out[i], counter = random_below(key, counter, bound)
    return counter


@njit
def many_keys(seeds, games, episodes, out):
    row = 0
    for seed in range(seeds):
        for game in range(games):
            for episode in range(episodes):
                out[row] = game_key(np.uint64(seed), np.uint64(game), np.uint64(episode))
                row += 1


@pytest.mark.parametrize(
    ("seed", "numbers"),
    [
        (
            1234567,
            [
                6457827717110365317,
                3203168211198807973,
                9817491932198370423,
                4593380528125082431,
                16408922859458223821,
            ],
        ),
        (
            0,
            [
                16294208416658607535,
                7960286522194355700,
                487617019471545679,
                17909611376780542444,
                1961750202426094747,
            ],
        ),
    ],
)
def test_splitmix64_gives_its_published_numbers(seed: int, numbers: list[int]) -> None:
    assert [int(random_bits(U(seed), U(n))) for n in range(5)] == numbers


def test_splitmix64_against_python_integers() -> None:
    def next_number(state: int) -> int:
        z = state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    for key in (1, 2**63, 2**64 - 1, 0xDEADBEEF):
        state = key
        for n in range(20):
            state = (state + int(GOLDEN)) % 2**64
            assert int(random_bits(U(key), U(n))) == next_number(state)


def test_uniform_is_a_multiple_of_2_to_the_minus_53_below_1() -> None:
    numbers = np.array([uniform(U(3), U(n)) for n in range(2000)])
    assert numbers.min() >= 0.0
    assert numbers.max() < 1.0
    assert np.array_equal(numbers * 2**53, np.floor(numbers * 2**53))
    assert is_uniform(np.histogram(numbers, 20, (0.0, 1.0))[0])


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 24, 33, 52])
def test_random_below_is_uniform(bound: int) -> None:
    out = np.empty(50_000, U)
    draws_below(U(11), U(bound), out)
    assert out.max() < bound
    assert bound == 1 or is_uniform(np.bincount(out.astype(int), minlength=bound))


def test_random_below_is_unbiased_where_a_plain_product_is_not() -> None:
    """A bound of 3·2**30: the plain product would give every third number twice as often."""
    bound = 3 * 2**30
    out = np.empty(60_000, U)
    counter = draws_below(U(5), U(bound), out)
    assert is_uniform(np.bincount(out.astype(int) % 3, minlength=3))
    plain = [(int(random_bits(U(5), U(n))) >> 32) * bound >> 32 for n in range(10_000)]
    assert not is_uniform(np.bincount(np.array(plain) % 3, minlength=3))
    # A quarter of the products is drawn again, and every draw moves the counter.
    assert int(counter) / out.size == pytest.approx(4 / 3, abs=0.02)


def test_random_below_goes_on_where_it_stopped() -> None:
    first, counter = random_below(U(9), U(0), U(33))
    second, after = random_below(U(9), U(counter), U(33))
    out = np.empty(2, U)
    assert draws_below(U(9), U(33), out) == after
    assert out.tolist() == [first, second]


def test_game_keys_are_distinct() -> None:
    keys = np.empty(40 * 60 * 50, U)
    many_keys(40, 60, 50, keys)
    assert np.unique(keys).size == keys.size


def test_bits_of_game_keys_are_balanced() -> None:
    keys = np.empty(20 * 20 * 20, U)
    many_keys(20, 20, 20, keys)
    ones = np.array([((keys >> U(b)) & U(1)).sum() for b in range(64)], float)
    half = keys.size / 2
    assert chi_square(ones, half) + chi_square(keys.size - ones, half) < chi_square_limit(64)


def test_game_key_is_public_and_takes_python_integers() -> None:
    assert lowhand.game_key is game_key
    assert game_key(7, 2, 1) == game_key(U(7), U(2), U(1))
    inner = int(mix(U((int(mix(U((7 + int(GOLDEN)) % 2**64))) + 2) % 2**64)))
    assert game_key(7, 2, 1) == mix(U((inner + 1) % 2**64))


def test_streams_of_a_game_are_apart() -> None:
    """The random numbers of policies and of the search are none of the deal's."""
    seen: set[int] = set()
    for episode in range(50):
        key = U(game_key(U(0), U(0), U(episode)))
        for stream in (key, U(substream(key, POLICY_STREAM)), U(substream(key, SEARCH_STREAM))):
            seen.update(int(random_bits(stream, U(n))) for n in range(40))
    assert len(seen) == 50 * 3 * 40
    assert len({int(DEAL_STREAM), int(POLICY_STREAM), int(SEARCH_STREAM)}) == 3
