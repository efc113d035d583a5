"""The positions a Transformer may have, by one word."""

from regard.attention.positions import Added, Alibi, Learned, Position, Relative, Rotary, Sinusoidal, T5Bias
from regard.models.checking import check_word

ADDED = ("sinusoidal", "learned", "none")
POSITIONS = ("sinusoidal", "learned", "relative", "rotary", "alibi", "t5", "none")


def added_positions(name: str, width: int, longest: int) -> Added | None:
    """What is summed with the embeddings, if anything."""
    check_word("positions", name, POSITIONS)
    if name == "sinusoidal":
        return Sinusoidal(width)
    return Learned(width, longest=longest) if name == "learned" else None


def inner_position(
    name: str, *, width: int, heads: int, reach: int = 16, both_ways: bool = True
) -> Position | None:
    """What acts inside self-attention, if anything."""
    check_word("positions", name, POSITIONS)
    if name == "relative":
        return Relative(reach=reach, head_width=width // heads)
    if name == "rotary":
        return Rotary(width // heads)
    if name == "alibi":
        return Alibi(heads)
    return T5Bias(heads, both_ways=both_ways) if name == "t5" else None
