"""Counter-based random numbers: a pure function of a key and a counter.

The generator is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
generators", 2014): number n of the stream `key` is `mix(key + (n + 1) * GOLDEN)`. A game's
key fixes all its random numbers, whichever API plays it. Every constant is a `np.uint64`, since
Numba turns `uint64 + int` into a signed number.
"""

import numpy as np

from lowhand.engine.jit import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)
_S11, _S16, _S27, _S30, _S31, _S32 = (np.uint64(s) for s in (11, 16, 27, 30, 31, 32))
_ONE = np.uint64(1)
_LOW_WORD = np.uint64(0xFFFFFFFF)
_LOW_16, _TWO_16 = np.uint64(0xFFFF), np.uint64(1 << 16)
_UNIT = 1.0 / 9007199254740992.0  # 2**-53

# The purposes of a game's key: `substream` gives each a stream of its own.
DEAL_STREAM = np.uint64(0)
POLICY_STREAM = np.uint64(0x706F6C69637900)  # random numbers of scripted players
SEARCH_STREAM = np.uint64(0x73656172636800)  # determinizations
SEAT_STREAM = np.uint64(0x7365617400)  # the seating, where it is drawn for each game


@njit
def mix(z):  # type: ignore[no-untyped-def]
    """The output function of SplitMix64, a bijection on 64 bits."""
    z = (z ^ (z >> _S30)) * _MULTIPLIER_1
    z = (z ^ (z >> _S27)) * _MULTIPLIER_2
    return z ^ (z >> _S31)


@njit
def random_bits(key, counter):  # type: ignore[no-untyped-def]
    """64 random bits: number `counter` (uint64, from 0) of the stream `key` (uint64)."""
    return mix(key + (counter + _ONE) * GOLDEN)


@njit
def substream(key, stream):  # type: ignore[no-untyped-def]
    """The key of the stream that one purpose of the game uses."""
    return mix(mix(key ^ stream) + GOLDEN)


@njit
def uniform(key, counter):  # type: ignore[no-untyped-def]
    """A float64 uniform on [0, 1), from number `counter` of the stream."""
    return np.float64(random_bits(key, counter) >> _S11) * _UNIT


@njit
def random_below(key, counter, bound):  # type: ignore[no-untyped-def]
    """Draw an unbiased integer in [0, bound), 0 < bound < 2**32 (uint64).

    Lemire, "Fast random integer generation in an interval", 2019, on the upper 32 bits of a
    number: products whose low 32 bits are less than 2**32 mod bound are rejected. Low bits of
    at least `bound` are accepted without the division, which nearly all draws skip.

    Returns:
        The integer, and the next counter.
    """
    while True:
        product = (random_bits(key, counter) >> _S32) * bound
        counter += _ONE
        low = product & _LOW_WORD
        if low >= bound or low >= (_ONE << _S32) % bound:
            return product >> _S32, counter


@njit
def shuffle(deck, start, stop, fixed, key, counter):  # type: ignore[no-untyped-def]
    """Shuffle `deck[start:stop]` by Fisher-Yates, up to place `fixed`.

    Places from `fixed` on hold the rest in arbitrary order: no player ever sees them. Each
    number of the stream gives four 16-bit draws, and biased ones are rejected as in
    `random_below`: dealing is a sixth of all work on a batch.

    Returns:
        The next counter.
    """
    number, draws = np.uint64(0), 0
    for i in range(start, min(fixed, stop - 1)):
        bound = np.uint64(stop - i)
        while True:
            if draws == 0:
                number, counter = random_bits(key, counter), counter + _ONE
                draws = 4
            product = (number & _LOW_16) * bound
            number >>= _S16
            draws -= 1
            low = product & _LOW_16
            if low >= bound or low >= _TWO_16 % bound:
                break
        j = np.uint64(i) + (product >> _S16)
        other = deck[j]
        deck[j] = deck[np.uint64(i)]
        deck[np.uint64(i)] = other
    return counter


@njit
def game_key(seed, game, episode):  # type: ignore[no-untyped-def]
    """The key that fixes one game (64 bits): public, so that any API can replay it.

    A single environment's `reset(seed=s)` plays `game_key(s, 0, 0)`; game i of a batch that
    was reset with seed s plays `game_key(s, i, j)` as its j-th episode.
    """
    return mix(mix(mix(np.uint64(seed) + GOLDEN) + np.uint64(game)) + np.uint64(episode))
