"""Counter-based random numbers: a key and a counter give a number, and nothing is kept.

The generator is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
generators", 2014): number n of the stream `key` is `mix(key + (n + 1) * GOLDEN)`. A game is
fixed by its key alone, whatever plays it. Every constant is a `np.uint64`, since Numba turns
`uint64 + int` into a signed number.
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

# What a key is used for: the streams of one game are kept apart by adding one of these.
DEAL_STREAM = np.uint64(0)
POLICY_STREAM = np.uint64(0x706F6C69637900)  # scripted players' dice, by seat and move
SEARCH_STREAM = np.uint64(0x73656172636800)  # re-deals of what a seat can't know
SEAT_STREAM = np.uint64(0x7365617400)  # who sits where, if that is drawn for each game


@njit
def mix(z):  # type: ignore[no-untyped-def]
    """The output function of SplitMix64, a bijection on 64 bits."""
    z = (z ^ (z >> _S30)) * _MULTIPLIER_1
    z = (z ^ (z >> _S27)) * _MULTIPLIER_2
    return z ^ (z >> _S31)


@njit
def random_bits(key, counter):  # type: ignore[no-untyped-def]
    """Number `counter` (uint64, from 0) of the stream `key` (uint64): 64 random bits."""
    return mix(key + (counter + _ONE) * GOLDEN)


@njit
def substream(key, stream):  # type: ignore[no-untyped-def]
    """The key of a stream of its own, for another use of the same game."""
    return mix(mix(key ^ stream) + GOLDEN)


@njit
def uniform(key, counter):  # type: ignore[no-untyped-def]
    """A float64 uniform on [0, 1), from number `counter` of the stream."""
    return np.float64(random_bits(key, counter) >> _S11) * _UNIT


@njit
def random_below(key, counter, bound):  # type: ignore[no-untyped-def]
    """An unbiased integer in [0, bound), 0 < bound < 2**32 (uint64), and the next counter.

    Lemire, "Fast random integer generation in an interval", 2019, on the upper 32 bits:
    products whose lower word falls in the uneven remainder are drawn again. A lower word of
    `bound` or more can't, which spares nearly all draws the division.
    """
    while True:
        product = (random_bits(key, counter) >> _S32) * bound
        counter += _ONE
        low = product & _LOW_WORD
        if low >= bound or low >= (_ONE << _S32) % bound:
            return product >> _S32, counter


@njit
def shuffle(deck, start, stop, fixed, key, counter):  # type: ignore[no-untyped-def]
    """Fisher-Yates on `deck[start:stop]`, up to place `fixed`; the next counter.

    Places from `fixed` on hold the rest in no particular order: nobody ever sees them. Each
    random word gives four 16-bit draws, and those that would be biased are thrown away, as in
    `random_below`: dealing is a sixth of all work on a batch.
    """
    word, draws = np.uint64(0), 0
    for i in range(start, min(fixed, stop - 1)):
        bound = np.uint64(stop - i)
        while True:
            if draws == 0:
                word, counter = random_bits(key, counter), counter + _ONE
                draws = 4
            product = (word & _LOW_16) * bound
            word >>= _S16
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
