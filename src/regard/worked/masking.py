"""What may not be seen: masks by length, and keys that are all alike."""

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention import Explanation, explain, masks
from regard.attention.scores import Additive, Dot
from regard.viewing.explanation import Said, Walkthrough
from regard.worked.example import Example

LENGTHS = (2, 3)
MORE_LENGTHS = (2, 6)


def scores_2_2_4() -> Float[Tensor, "batch queries keys"]:
    """Two samples of two queries and four keys."""
    return torch.tensor(
        [
            [[0.8, 0.1, 0.6, 0.4], [0.3, 0.9, 0.2, 0.7]],
            [[0.5, 0.5, 0.5, 0.9], [0.1, 0.7, 0.4, 0.2]],
        ],
        dtype=torch.float64,
    )


def lengths() -> Explanation:
    """Masked softmax: of four keys, the first sample may see two and the second three.

    The keys are unit vectors, so that the products are the scores themselves.

    >>> lengths().weights[0]
    tensor([[0.6682, 0.3318, 0.0000, 0.0000],
            [0.3543, 0.6457, 0.0000, 0.0000]], dtype=torch.float64)
    """
    units = torch.eye(4).double().expand(2, 4, 4)
    return explain(scores_2_2_4(), units, score=Dot(), mask=masks.lengths(LENGTHS))


def additive() -> Explanation:
    """Additive attention over ten equal keys, of which two and six may be seen.

    Whatever the network has learned, equal keys score alike: the output is the mean of
    the values that may be seen.

    >>> additive().output.squeeze()
    tensor([[ 2.0000,  3.0000,  4.0000,  5.0000],
            [10.0000, 11.0000, 12.0000, 13.0000]], dtype=torch.float64)
    """
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(2015)
        queries = torch.randn(2, 1, 20).double()
        score = Additive(query_width=20, key_width=2, hidden_width=8).double()
    keys, values = torch.ones(2, 10, 2).double(), torch.arange(40.0).reshape(10, 4).expand(2, 10, 4).double()
    with torch.no_grad():
        return explain(queries, keys, values, score=score, mask=masks.lengths(MORE_LENGTHS))


def _tell_lengths(language: str) -> Walkthrough:
    return Walkthrough.of(
        lengths(),
        title=_LENGTHS.title.to(language),
        lead=_LENGTHS.shows.to(language),
        language=language,
        given_scores=scores_2_2_4(),
    )


def _tell_additive(language: str) -> Walkthrough:
    return Walkthrough.of(
        additive(), title=_ADDITIVE.title.to(language), lead=_ADDITIVE.shows.to(language), language=language
    )


_LENGTHS = Example(
    name="lengths",
    title=Said("Masked softmax with lengths (2, 3)", "有效长度为 (2, 3) 的掩码 softmax"),
    shows=Said(
        "Sentences of a batch differ in length. Beyond its own, a sample gets weights of zero, and each row "
        "still sums to one.",
        "一批句子长短不一。超出自身长度的部分权重为零，每行之和仍为一。",
    ),
    tell=_tell_lengths,
)
_ADDITIVE = Example(
    name="additive",
    title=Said("Additive attention over equal keys", "键全部相同的加性注意力"),
    shows=Said(
        "Queries 20 wide, keys 2 wide: a small network compares them. As all keys are equal, the first 2 and "
        "the first 6 values are simply averaged, to (2, 3, 4, 5) and (10, 11, 12, 13).",
        "查询宽 20，键宽 2：由一个小网络来比较。键全部相同，于是前 2 个、前 6 个值被直接平均，"
        "得到 (2, 3, 4, 5) 与 (10, 11, 12, 13)。",
    ),
    tell=_tell_additive,
)
EXAMPLES = (_LENGTHS, _ADDITIVE)
