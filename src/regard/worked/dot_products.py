"""Attention by dot products: words that look at one another, and at another language."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention import Explanation, MultiHeadAttention, attend, explain
from regard.attention.scores import Dot, ScaledDot, Score
from regard.viewing.explanation import Said, Step, Table, Walkthrough
from regard.worked.example import Example

GOOD = ("I", "am", "good")
TOKENS = ("token 1", "token 2", "token 3", "token 4", "token 5")
ENGLISH, CHINESE = ("I", "love", "cats"), ("我", "爱", "猫")


def good(*, scale: bool = False) -> Explanation:
    """softmax(XXᵀ)X for three words.

    >>> good().output
    tensor([[1.0000, 2.9577, 2.0113],
            [1.0000, 1.5401, 2.7226],
            [1.0000, 2.8642, 2.0000]], dtype=torch.float64)
    """
    return explain(_matrix([[1, 3, 2], [1, 1, 3], [1, 2, 1]]), score=_dot(scale))


def tokens(*, scale: bool = True) -> Explanation:
    """softmax(XXᵀ/√4)X for five tokens.

    >>> tokens().weights[-1]
    tensor([0.2374, 0.1440, 0.2374, 0.1440, 0.2374], dtype=torch.float64)
    """
    five = [
        [1.0, 0.0, 1.0, 0.0],
        [0.0, 1.0, 0.0, 1.0],
        [1.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 1.0],
        [1.0, 0.5, 0.5, 0.0],
    ]
    return explain(_matrix(five), score=_dot(scale))


def cross(*, scale: bool = False) -> Explanation:
    """softmax(XYᵀ)Y: three English words look at three Chinese ones. The vectors are made up."""
    english = _matrix([[2, 0, 1], [0, 2, 1], [1, 0, 2]])
    chinese = _matrix([[3, 0, 0], [0, 3, 1], [0, 0, 3]])
    return explain(english, chinese, score=_dot(scale))


def one_head_that_changes_nothing(width: int) -> MultiHeadAttention:
    """One head whose projections are all the identity."""
    head = MultiHeadAttention(width, heads=1, bias=False).double()
    with torch.no_grad():
        head.projection.weight.copy_(torch.eye(width).repeat(3, 1))
        head.output_projection.weight.copy_(torch.eye(width))
    return head


def identity() -> tuple[Float[Tensor, "queries width"], Float[Tensor, "queries width"]]:
    """Plain attention, and one head with identity projections, on the same words."""
    vectors = good().queries
    with torch.no_grad():
        return attend(vectors), one_head_that_changes_nothing(vectors.shape[-1])(vectors[None])[0]


def _tell_good(language: str, scale: bool = False) -> Walkthrough:
    return Walkthrough.of(
        good(scale=scale),
        query_labels=GOOD,
        title=_GOOD.title.to(language),
        lead=_GOOD.shows.to(language),
        language=language,
        digits=6,
    )


def _tell_tokens(language: str, scale: bool = True) -> Walkthrough:
    return Walkthrough.of(
        tokens(scale=scale),
        query_labels=TOKENS,
        title=_TOKENS.title.to(language),
        lead=_TOKENS.shows.to(language),
        language=language,
    )


def _tell_cross(language: str, scale: bool = False) -> Walkthrough:
    return Walkthrough.of(
        cross(scale=scale),
        query_labels=ENGLISH,
        key_labels=CHINESE,
        title=_CROSS.title.to(language),
        lead=_CROSS.shows.to(language),
        language=language,
    )


def _tell_identity(language: str) -> Walkthrough:
    plain, head = identity()
    shown = Walkthrough.of(
        explain(good().queries), query_labels=GOOD, title=_IDENTITY.title.to(language), language=language
    )
    matrix = Table(
        numbers=torch.eye(3), rows=("1", "2", "3"), columns=("1", "2", "3"), name="W^Q = W^K = W^V = W^O"
    )
    steps = (
        Step(
            title=Said("Project nothing", "什么也不投影").to(language),
            formula="Q = X W^Q,  K = X W^K,  V = X W^V",
            why=Said(
                "A head first multiplies the words by learned matrices. Let each be the identity.",
                "一个头先用学得的矩阵乘以各个词。令每个矩阵都为单位矩阵。",
            ).to(language),
            tables=[matrix],
        ),
        Step(
            title=Said("One head beside plain attention", "一个头与普通注意力").to(language),
            formula="softmax(Q Kᵀ / √d) V W^O",
            why=Said(
                "What the head brings back is what plain attention brings back, to the last digit.",
                "这个头取回的，与普通注意力取回的相同，直到最后一位。",
            ).to(language),
            tables=[
                _words_table(head, Said("one head", "一个头").to(language)),
                _words_table(plain, Said("plain attention", "普通注意力").to(language)),
                _words_table((head - plain).abs(), Said("difference", "相差").to(language)),
            ],
        ),
    )
    return Walkthrough(
        title=_IDENTITY.title.to(language),
        lead=_IDENTITY.shows.to(language),
        steps=steps,
        picture=shown.picture,
        language=language,
    )


def _words_table(numbers: Tensor, name: str) -> Table:
    return Table(numbers=numbers, rows=GOOD, columns=("1", "2", "3"), name=name)


def _matrix(rows: Sequence[Sequence[float | int]]) -> Float[Tensor, "rows columns"]:
    return torch.tensor(rows, dtype=torch.float64)


def _dot(scale: bool) -> Score:
    return ScaledDot() if scale else Dot()


_GOOD = Example(
    name="good",
    title=Said("I am good: softmax(XXᵀ)X", "I am good：softmax(XXᵀ)X"),
    shows=Said(
        "Three words, each a vector of three numbers, become mixtures of one another.",
        "三个词，每个是三个数的向量，彼此混合成新的向量。",
    ),
    tell=_tell_good,
)
_TOKENS = Example(
    name="tokens",
    title=Said("Five tokens, scaled by √d", "五个词元，除以 √d"),
    shows=Said(
        "A whole map of weights, queries down and keys across. The fifth token looks equally at 1, 3 and 5.",
        "一整张权重图，查询向下，键向右。第五个词元同等地看第 1、3、5 个。",
    ),
    tell=_tell_tokens,
)
_CROSS = Example(
    name="cross",
    title=Said("Two languages: softmax(XYᵀ)Y", "两种语言：softmax(XYᵀ)Y"),
    shows=Said(
        "English words look at Chinese ones, each becoming a mixture of them. The vectors are made up so "
        "that words of one meaning lie near one another.",
        "英语词去看汉语词，各自成为它们的混合。这些向量是编造的，使意思相同的词彼此靠近。",
    ),
    tell=_tell_cross,
)
_IDENTITY = Example(
    name="identity",
    title=Said("One head that changes nothing", "什么也不改变的一个头"),
    shows=Said(
        "A head of multi-head attention with identity projections is plain attention.",
        "多头注意力的一个头，若投影都是单位矩阵，就是普通注意力。",
    ),
    tell=_tell_identity,
)
EXAMPLES = (_GOOD, _TOKENS, _CROSS, _IDENTITY)
