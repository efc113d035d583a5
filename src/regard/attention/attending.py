"""Attention itself: queries look at keys and come back with a mixture of values."""

from jaxtyping import Float
from torch import Tensor

from regard.attention.checking import check
from regard.attention.definition import Call, weigh_by_definition
from regard.attention.masks import Mask
from regard.attention.paths import choose
from regard.attention.positions import Position
from regard.attention.scores import ScaledDot, Score

_SCALED_DOT = ScaledDot()


def attend(
    queries: Float[Tensor, "*batch queries query_width"],
    keys: Float[Tensor, "*batch keys key_width"] | None = None,
    values: Float[Tensor, "*batch keys value_width"] | None = None,
    *,
    score: Score | None = None,
    mask: Mask | None = None,
    position: Position | None = None,
    past: int = 0,
    dropout: float = 0.0,
) -> Float[Tensor, "*batch queries value_width"]:
    """Average the values, each weighted by how much its key answers the query.

        output = softmax(score(queries, keys), over what the mask keeps) · values

    With ``queries`` alone they look at themselves; with ``keys`` and no ``values``, what
    is looked at is also what is brought back. A query that may attend to nothing brings
    back exactly zero. Query i stands at position ``past + i``, key j at position j.

    >>> import torch
    >>> from regard import masks, scores
    >>> x = torch.tensor([[1.0, 3.0, 2.0], [1.0, 1.0, 3.0], [1.0, 2.0, 1.0]])   # I am good
    >>> attend(x, score=scores.Dot())
    tensor([[1.0000, 2.9577, 2.0113],
            [1.0000, 1.5401, 2.7226],
            [1.0000, 2.8642, 2.0000]])
    >>> attend(x, score=scores.Dot(), mask=masks.causal())[0]
    tensor([1., 3., 2.])
    """
    call = ask(queries, keys, values, score, mask, position, past, dropout)
    return choose(call).path.attend(call)


def weigh(
    queries: Float[Tensor, "*batch queries query_width"],
    keys: Float[Tensor, "*batch keys key_width"] | None = None,
    *,
    score: Score | None = None,
    mask: Mask | None = None,
    position: Position | None = None,
    past: int = 0,
) -> Float[Tensor, "*batch queries keys"]:
    """The weights with which :func:`attend` averages, by the definition.

    >>> import torch
    >>> weigh(torch.zeros(2, 3), torch.zeros(4, 3))
    tensor([[0.2500, 0.2500, 0.2500, 0.2500],
            [0.2500, 0.2500, 0.2500, 0.2500]])
    """
    return weigh_by_definition(ask(queries, keys, None, score, mask, position, past)).to(queries.dtype)


def ask(
    queries: Tensor,
    keys: Tensor | None = None,
    values: Tensor | None = None,
    score: Score | None = None,
    mask: Mask | None = None,
    position: Position | None = None,
    past: int = 0,
    dropout: float = 0.0,
) -> Call:
    """The question that these arguments put, checked and with its defaults filled in."""
    keys = queries if keys is None else keys
    call = Call(
        queries=queries,
        keys=keys,
        values=keys if values is None else values,
        score=_SCALED_DOT if score is None else score,
        mask=mask,
        position=position,
        past=past,
        dropout=dropout,
    )
    check(call)
    return call
