"""Sets of cards as words: bit c stands for card c."""


def bits(word: int) -> list[int]:
    """The places of the ones of a word, in ascending order."""
    return [place for place in range(word.bit_length()) if word >> place & 1]
