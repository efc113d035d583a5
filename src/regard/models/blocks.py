"""The blocks a Transformer is stacked from."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import MultiHeadAttention, masks
from regard.attention.linear import through
from regard.attention.masks import Mask
from regard.attention.memory import Memory
from regard.attention.multihead import check_heads
from regard.attention.positions import Position, Rotary
from regard.models.checking import check_shares, check_sizes, check_word
from regard.models.dropping import drop, drop_and_add
from regard.models.positioning import POSITIONS

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "swish": F.silu,
    "gated": F.silu,
}
NORMS = ("post", "pre")


class FeedForward(nn.Module):
    """W₂ f(W₁ x + b₁) + b₂ at every position by itself; gated, f(W₁ x) is multiplied by V x.

    Vaswani et al. (2017), section 3.3; Shazeer (2020) for the gate.

    >>> FeedForward(3, hidden_width=7)(torch.zeros(2, 5, 3)).shape
    torch.Size([2, 5, 3])
    """

    def __init__(
        self, width: int, *, hidden_width: int, activation: str = "relu", dropout: float = 0.0
    ) -> None:
        super().__init__()
        check_word("activation", activation, ACTIVATIONS)
        self.gated, self.rectified = activation == "gated", activation == "relu"
        self.activation = ACTIVATIONS[activation]
        self.inner = nn.Linear(width, hidden_width * (2 if self.gated else 1))
        self.outer = nn.Linear(hidden_width, width)
        self.dropout = dropout
        for linear in (self.inner, self.outer):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, vectors: Float[Tensor, "*batch width"]) -> Float[Tensor, "*batch width"]:
        """Transform each vector."""
        hidden = through(self.inner, vectors, rectified=self.rectified)
        if self.gated:
            gate, hidden = hidden.chunk(2, dim=-1)
            hidden = self.activation(gate) * hidden
        elif not self.rectified:
            hidden = self.activation(hidden)
        return through(self.outer, drop(hidden, self.dropout, self.training))


class Sublayer(nn.Module):
    """What stands around every part of a block: residual, dropout, layer norm over the features.

    After the sum as in the paper ("post"), or before the part ("pre"), which trains deep
    stacks more easily (Xiong et al. 2020).
    """

    def __init__(self, width: int, *, norm: str, dropout: float) -> None:
        super().__init__()
        check_word("norm", norm, NORMS)
        self.norm = nn.LayerNorm(width)
        self.before = norm == "pre"
        self.dropout = dropout

    def enter(self, vectors: Tensor) -> Tensor:
        """What the part is given."""
        return self.norm(vectors) if self.before else vectors

    def leave(self, vectors: Tensor, part: Tensor) -> Tensor:
        """What goes on, given what came in and what the part made of it."""
        summed = drop_and_add(vectors, part, self.dropout, self.training)
        return summed if self.before else self.norm(summed)


class EncoderBlock(nn.Module):
    """Self-attention and feed-forward."""

    def __init__(
        self,
        width: int,
        *,
        heads: int,
        hidden_width: int,
        key_heads: int | None = None,
        position: Position | None = None,
        norm: str = "post",
        activation: str = "relu",
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        hidden_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.self = MultiHeadAttention(
            width, heads=heads, key_heads=key_heads, position=position, dropout=attention_dropout
        )
        self.around_self = Sublayer(width, norm=norm, dropout=dropout)
        self.feed_forward = FeedForward(
            width, hidden_width=hidden_width, activation=activation, dropout=hidden_dropout
        )
        self.around_feed_forward = Sublayer(width, norm=norm, dropout=dropout)

    def forward(
        self, vectors: Float[Tensor, "batch source width"], mask: Mask | None = None
    ) -> Float[Tensor, "batch source width"]:
        """Re-express each position by all."""
        attended, _ = self.self.grow(self.around_self.enter(vectors), mask=mask, silenced=True)
        vectors = self.around_self.leave(vectors, attended)
        transformed = self.feed_forward(self.around_feed_forward.enter(vectors))
        return self.around_feed_forward.leave(vectors, transformed)


class DecoderBlock(nn.Module):
    """Masked self-attention over what has been written, cross-attention to the source, feed-forward."""

    def __init__(
        self,
        width: int,
        *,
        heads: int,
        hidden_width: int,
        key_heads: int | None = None,
        position: Position | None = None,
        norm: str = "post",
        activation: str = "relu",
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        hidden_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.self = MultiHeadAttention(
            width, heads=heads, key_heads=key_heads, position=position, dropout=attention_dropout
        )
        self.around_self = Sublayer(width, norm=norm, dropout=dropout)
        self.cross = MultiHeadAttention(width, heads=heads, key_heads=key_heads, dropout=attention_dropout)
        self.around_cross = Sublayer(width, norm=norm, dropout=dropout)
        self.feed_forward = FeedForward(
            width, hidden_width=hidden_width, activation=activation, dropout=hidden_dropout
        )
        self.around_feed_forward = Sublayer(width, norm=norm, dropout=dropout)

    def forward(
        self,
        vectors: Float[Tensor, "batch new width"],
        written: Memory | None,
        source: Memory,
        *,
        mask: Mask,
        source_mask: Mask | None,
    ) -> tuple[Float[Tensor, "batch new width"], Memory]:
        """Go on writing: the new positions' vectors, and what is written now."""
        attended, written = self.self.grow(self.around_self.enter(vectors), written, mask=mask, silenced=True)
        vectors = self.around_self.leave(vectors, attended)
        looked = self.cross(self.around_cross.enter(vectors), source, mask=source_mask, past=0)
        vectors = self.around_cross.leave(vectors, looked)
        transformed = self.feed_forward(self.around_feed_forward.enter(vectors))
        return self.around_feed_forward.leave(vectors, transformed), written


def causal_after(starts: Tensor | None, past: int, new: int) -> Mask:
    """Each position sees itself and those before it, from where its sample begins."""
    if starts is None:
        return masks.causal()
    places = torch.arange(past + new, device=starts.device)
    return masks.causal() & masks.padding((places >= starts[:, None]).long())


def check_blocks(
    model: str,
    *,
    width: int,
    heads: int,
    key_heads: int | None,
    hidden_width: int,
    positions: str,
    norm: str,
    activation: str,
    reach: int,
    longest: int,
    **dropouts: float,
) -> None:
    """Refuse settings of which no stack of blocks can be built, before anything is allocated."""
    key_heads = heads if key_heads is None else key_heads
    check_sizes(
        model,
        width=width,
        heads=heads,
        key_heads=key_heads,
        hidden_width=hidden_width,
        reach=reach,
        longest=longest,
    )
    check_heads(width, heads, key_heads)
    check_word("positions", positions, POSITIONS)
    check_word("norm", norm, NORMS)
    check_word("activation", activation, ACTIVATIONS)
    check_shares(model, **dropouts)
    if positions == "rotary":
        Rotary(width // heads)  # which refuses an odd width
