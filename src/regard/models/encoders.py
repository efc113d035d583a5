"""Three ways to learn context, behind one interface: tokens or vectors in, a vector per position out.

recurrent       y_t = f(y_{t-1}, x_t)               no step can begin before the one before it
convolutional   y_t = f(x_{t-1}, x_t, x_{t+1})      all at once, but only neighbours meet
self-attention  y_t = f(x_t, X)                     all at once, and everyone meets everyone
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention.masks import Mask
from regard.errors import MechanismError, ShapeError
from regard.models.blocks import EncoderBlock, check_blocks
from regard.models.checking import check_shares, check_sizes, check_tokens, check_word
from regard.models.contract import embedding, hiding_padding, layer_norm
from regard.models.dropping import drop
from regard.models.positioning import ADDED, added_positions, inner_position


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one layer costs: multiplications, steps in a row, the longest path between positions."""

    operations: int
    sequential: int
    longest_path: int
    formulas: tuple[str, str, str]
    """The three as orders of growth in length n, width d and kernel k."""


class Encoder(nn.Module, ABC):
    """Tokens or vectors in, a vector per position out."""

    def __init__(self, width: int, vocabulary: int | None) -> None:
        super().__init__()
        if vocabulary is not None:
            check_sizes(type(self).__name__, vocabulary=vocabulary)
        self.width = width
        self.vocabulary = vocabulary
        self.embedding = None if vocabulary is None else embedding(vocabulary, width)

    def forward(
        self,
        inputs: Int[Tensor, "batch source"] | Float[Tensor, "batch source width"],
        lengths: Int[Tensor, " batch"] | None = None,
        *,
        mask: Mask | None = None,
    ) -> Float[Tensor, "batch source width"]:
        """Encode sequences of these lengths; what lies beyond a length changes nothing before it."""
        if mask is None and lengths is not None:
            mask = hiding_padding(lengths, inputs.shape[1])
        return self.encode(self.embed(inputs), mask)

    def embed(self, inputs: Tensor) -> Float[Tensor, "batch source width"]:
        """Vectors for tokens; vectors as they are."""
        if inputs.dtype.is_floating_point:
            if inputs.dim() != 3 or inputs.shape[-1] != self.width:
                raise ShapeError(
                    f"This {type(self).__name__} takes vectors of shape (batch, source, {self.width}), but "
                    f"got {tuple(inputs.shape)}."
                )
            return inputs
        if self.embedding is None or self.vocabulary is None:
            raise MechanismError(
                f"This {type(self).__name__} takes vectors of width {self.width}. Make it with vocabulary=… "
                "to give it tokens."
            )
        check_tokens("source", inputs, self.vocabulary)
        return self.embedding(inputs) * math.sqrt(self.width)

    @abstractmethod
    def encode(
        self, vectors: Float[Tensor, "batch source width"], mask: Mask | None
    ) -> Float[Tensor, "batch source width"]:
        """Vectors in context; ``mask`` hides padding."""

    @abstractmethod
    def cost(self, length: int) -> Cost:
        """What one layer costs for this length."""


CELLS = {"gru": nn.GRU, "lstm": nn.LSTM, "plain": nn.RNN}


class RecurrentEncoder(Encoder):
    """y_t = f(y_{t-1}, x_t): a GRU, an LSTM or a plain recurrent network, in one or both directions.

    >>> RecurrentEncoder(6, both_ways=True)(torch.zeros(2, 5, 6)).shape
    torch.Size([2, 5, 6])
    """

    def __init__(
        self,
        width: int,
        *,
        vocabulary: int | None = None,
        layers: int = 1,
        cell: str = "gru",
        both_ways: bool = False,
        dropout: float = 0.0,
    ) -> None:
        check_word("cell", cell, CELLS)
        check_recurrence("RecurrentEncoder", width=width, layers=layers, both_ways=both_ways, dropout=dropout)
        super().__init__(width, vocabulary)
        self.gates = {"gru": 3, "lstm": 4, "plain": 1}[cell]
        self.network = CELLS[cell](
            width,
            width // 2 if both_ways else width,
            layers,
            batch_first=True,
            bidirectional=both_ways,
            dropout=dropout if layers > 1 else 0.0,
        )
        self.dropout = dropout

    def encode(
        self, vectors: Float[Tensor, "batch source width"], mask: Mask | None
    ) -> Float[Tensor, "batch source width"]:
        """Read from left to right, and back where asked."""
        vectors = drop(vectors, self.dropout, self.training)
        if 0 in vectors.shape:  # torch's networks want something to read
            return vectors
        if mask is None or not self.network.bidirectional:
            return self.network(vectors)[0]
        keep = mask.keep((*vectors.shape[:1], 1, vectors.shape[1]), device=vectors.device)
        lengths = keep.sum(-1).flatten()
        # Packing wants at least one step; a sentence of length nothing reads its padding unheard.
        packed = nn.utils.rnn.pack_padded_sequence(
            vectors, lengths.clamp(min=1).cpu(), batch_first=True, enforce_sorted=False
        )
        output, _ = nn.utils.rnn.pad_packed_sequence(
            self.network(packed)[0], batch_first=True, total_length=vectors.shape[1]
        )
        return output

    def cost(self, length: int) -> Cost:
        """n·d² operations, n steps in a row, a path of n."""
        return Cost(
            operations=2 * self.gates * length * self.width**2,
            sequential=length,
            longest_path=length,
            formulas=("n·d²", "n", "n"),
        )


def check_recurrence(model: str, *, width: int, layers: int, both_ways: bool, dropout: float) -> None:
    """Refuse settings of which no recurrent network can be built, before anything is allocated."""
    check_sizes(model, width=width, layers=layers)
    check_shares(model, dropout=dropout)
    if both_ways and width % 2:
        raise MechanismError(
            f"Two directions share the width between them, but {width} is odd. "
            f"Take an even width such as {width + 1}."
        )


class ConvolutionalEncoder(Encoder):
    """y_t = f(x_{t-k/2} … x_{t+k/2}): gated convolutions with residuals, as many layers as wanted.

    Gehring et al. (2017). A convolution is one linear map of a window. ``normalised`` brings what
    enters a layer, and what leaves the last, to one size (Ba, Kiros and Hinton 2016).

    >>> ConvolutionalEncoder(6, kernel=3)(torch.zeros(2, 5, 6)).shape
    torch.Size([2, 5, 6])
    """

    def __init__(
        self,
        width: int,
        *,
        kernel: int = 3,
        vocabulary: int | None = None,
        layers: int = 1,
        positions: str = "none",
        longest: int = 1024,
        normalised: bool = False,
        dropout: float = 0.0,
    ) -> None:
        check_convolutions(
            "ConvolutionalEncoder",
            width=width,
            kernel=kernel,
            layers=layers,
            positions=positions,
            longest=longest,
            dropout=dropout,
        )
        super().__init__(width, vocabulary)
        self.kernel = kernel
        self.positions = added_positions(positions, width, longest)
        self.convolutions = nn.ModuleList(
            GatedConvolution(width, kernel=kernel, normalised=normalised, dropout=dropout)
            for _ in range(layers)
        )
        self.norm = layer_norm(width, normalised=normalised)
        self.dropout = dropout

    def encode(
        self, vectors: Float[Tensor, "batch source width"], mask: Mask | None
    ) -> Float[Tensor, "batch source width"]:
        """Let neighbours meet, layer by layer."""
        return self.convolve(self.enter(vectors), mask)

    def enter(self, vectors: Float[Tensor, "batch source width"]) -> Float[Tensor, "batch source width"]:
        """Vectors as the first layer meets them, in their places."""
        if self.positions is not None:
            vectors = self.positions(vectors)
        return drop(vectors, self.dropout, self.training)

    def convolve(
        self, vectors: Float[Tensor, "batch source width"], mask: Mask | None
    ) -> Float[Tensor, "batch source width"]:
        """What the layers make of what entered."""
        hidden = None
        if mask is not None:
            keep = mask.keep((vectors.shape[0], 1, vectors.shape[1]), device=vectors.device)
            hidden = ~keep.squeeze(1).unsqueeze(-1)
        sides = self.kernel // 2
        for convolution in self.convolutions:
            if hidden is not None:
                vectors = vectors.masked_fill(hidden, 0.0)
            windows = F.pad(vectors, (0, 0, sides, sides))
            vectors = (vectors + convolution(windows)) * math.sqrt(0.5)
        return self.norm(vectors)

    def cost(self, length: int) -> Cost:
        """k·n·d² operations, one step, a path of n/k layers."""
        return Cost(
            operations=2 * self.kernel * length * self.width**2,
            sequential=1,
            longest_path=max(-(-(length - 1) // (self.kernel // 2)), 1) if self.kernel > 1 else 0,
            formulas=("k·n·d²", "1", "n/k"),
        )


def check_convolutions(
    model: str, *, width: int, kernel: int, layers: int, positions: str, longest: int, dropout: float
) -> None:
    """Refuse settings of which no stack of convolutions can be built, before anything is allocated."""
    check_sizes(model, width=width, kernel=kernel, layers=layers, longest=longest)
    if kernel % 2 == 0:
        raise MechanismError(
            f"A kernel centred on its position has an odd width, but got {kernel}. "
            f"Nearest: {kernel - 1} and {kernel + 1}."
        )
    check_word("positions", positions, ADDED)
    check_shares(model, dropout=dropout)


class GatedConvolution(nn.Module):
    """A window's linear map, half of it gating the other half: Dauphin et al. (2017).

    >>> GatedConvolution(3, kernel=5)(torch.zeros(2, 11, 3)).shape
    torch.Size([2, 7, 3])
    """

    def __init__(self, width: int, *, kernel: int, normalised: bool = False, dropout: float = 0.0) -> None:
        super().__init__()
        self.kernel, self.dropout = kernel, dropout
        self.norm = layer_norm(width, normalised=normalised)
        self.linear = nn.Linear(kernel * width, 2 * width)
        nn.init.normal_(self.linear.weight, std=math.sqrt(4 * (1 - dropout) / (kernel * width)))
        nn.init.zeros_(self.linear.bias)

    def forward(self, vectors: Float[Tensor, "batch count width"]) -> Float[Tensor, "batch fewer width"]:
        """One vector per whole window."""
        if vectors.shape[1] < self.kernel:
            return vectors[:, :0]
        vectors = drop(self.norm(vectors), self.dropout, self.training)
        windows = vectors.unfold(1, self.kernel, 1).flatten(2)
        return F.glu(self.linear(windows), dim=-1)


class SelfAttentionEncoder(Encoder):
    """y_t = f(x_t, X): a Transformer's encoder. Its blocks are its children 0, 1, 2, ….

    >>> SelfAttentionEncoder(6, heads=2)(torch.zeros(2, 5, 6)).shape
    torch.Size([2, 5, 6])
    """

    def __init__(
        self,
        width: int,
        *,
        heads: int = 1,
        vocabulary: int | None = None,
        layers: int = 1,
        hidden_width: int | None = None,
        key_heads: int | None = None,
        positions: str = "none",
        reach: int = 16,
        longest: int = 1024,
        norm: str = "post",
        activation: str = "relu",
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        hidden_dropout: float = 0.0,
    ) -> None:
        check_sizes("SelfAttentionEncoder", width=width, layers=layers)
        hidden_width = 4 * width if hidden_width is None else hidden_width
        check_blocks(
            "SelfAttentionEncoder",
            width=width,
            heads=heads,
            key_heads=key_heads,
            hidden_width=hidden_width,
            positions=positions,
            norm=norm,
            activation=activation,
            reach=reach,
            longest=longest,
            dropout=dropout,
            attention_dropout=attention_dropout,
            hidden_dropout=hidden_dropout,
        )
        super().__init__(width, vocabulary)
        self.layers = layers
        self.dropout = dropout
        self.positions = added_positions(positions, width, longest)
        shared = inner_position(positions, width=width, heads=heads, reach=reach)
        for layer in range(layers):
            position = shared
            if positions == "relative" and layer:  # each layer learns its own distances, as in the paper
                position = inner_position(positions, width=width, heads=heads, reach=reach)
            block = EncoderBlock(
                width,
                heads=heads,
                hidden_width=hidden_width,
                key_heads=key_heads,
                position=position,
                norm=norm,
                activation=activation,
                dropout=dropout,
                attention_dropout=attention_dropout,
                hidden_dropout=hidden_dropout,
            )
            self.add_module(str(layer), block)
        self.norm = layer_norm(width, normalised=norm == "pre")

    @property
    def blocks(self) -> list[EncoderBlock]:
        """The blocks, first to last."""
        return [block for name, block in self.named_children() if isinstance(block, EncoderBlock)]

    def encode(
        self, vectors: Float[Tensor, "batch source width"], mask: Mask | None
    ) -> Float[Tensor, "batch source width"]:
        """Let everyone meet everyone, layer by layer."""
        if self.positions is not None:
            vectors = self.positions(vectors)
        vectors = drop(vectors, self.dropout, self.training)
        for block in self.blocks:
            vectors = block(vectors, mask)
        return self.norm(vectors)

    def cost(self, length: int) -> Cost:
        """n²·d operations, one step, a path of one."""
        return Cost(
            operations=2 * length**2 * self.width,
            sequential=1,
            longest_path=1,
            formulas=("n²·d", "1", "1"),
        )
