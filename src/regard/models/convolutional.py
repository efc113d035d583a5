"""ConvS2S: a translator of gated convolutions, with attention in every layer of its decoder."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Attention, scores
from regard.models.checking import check_tokens
from regard.models.contract import SourceSide, TranslationModel, hiding_padding, layer_norm, whole_lengths
from regard.models.dropping import drop
from regard.models.encoders import ConvolutionalEncoder, GatedConvolution, check_convolutions
from regard.models.positioning import added_positions


@dataclass(frozen=True)
class ConvolutionalState:
    """A sentence half written: the source, and the last few inputs of every layer."""

    source: SourceSide
    recent: tuple[Float[Tensor, "batch reach width"], ...]
    ages: Int[Tensor, " batch"]
    """How many tokens each row has read."""


class ConvolutionalTranslator(TranslationModel[ConvolutionalState]):
    """Gehring et al. (2017): all positions at once in training, and a fixed window in writing.

    Each decoder layer asks with its output and the token's embedding, and brings back the
    source's encoding with its embedding, both in their places. ``normalised`` brings what enters a
    convolution, and what is handed on, to one size (Ba, Kiros and Hinton 2016), so that it learns
    sooner.

    >>> model = ConvolutionalTranslator(vocabulary=11, width=6, layers=2)
    >>> model(torch.tensor([[5, 6, 2]]), torch.tensor([[1, 7]])).shape
    torch.Size([1, 2, 11])
    """

    def __init__(
        self,
        *,
        vocabulary: int,
        width: int,
        layers: int = 4,
        kernel: int = 3,
        dropout: float = 0.0,
        positions: str = "sinusoidal",
        longest: int = 1024,
        normalised: bool = False,
        decoder_layers: int | None = None,
        target_vocabulary: int | None = None,
        share_embeddings: bool | None = None,
        tie_output: bool = True,
    ) -> None:
        decoder_layers = layers if decoder_layers is None else decoder_layers
        check_convolutions(
            "ConvolutionalTranslator",
            width=width,
            kernel=kernel,
            layers=layers,
            positions=positions,
            longest=longest,
            dropout=dropout,
        )
        super().__init__(
            vocabulary=vocabulary,
            width=width,
            target_vocabulary=target_vocabulary,
            share_embeddings=share_embeddings,
            tie_output=tie_output,
            decoder_layers=decoder_layers,
        )
        self.dropout = dropout
        self.encoder = ConvolutionalEncoder(
            width,
            layers=layers,
            kernel=kernel,
            positions=positions,
            longest=longest,
            normalised=normalised,
            dropout=dropout,
        )
        self.target_positions = added_positions(positions, width, longest)
        self.decoder = nn.ModuleList(
            ConvolutionalDecoderBlock(width, kernel=kernel, normalised=normalised, dropout=dropout)
            for _ in range(decoder_layers)
        )
        self.kernel = kernel
        self.decoded_norm = layer_norm(width, normalised=normalised)
        self.readout = nn.Linear(width, width)
        self.output_norm = layer_norm(width, normalised=normalised)

    def start(
        self, source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"] | None = None
    ) -> ConvolutionalState:
        """Read the source; nothing has been written."""
        check_tokens("source", source, self.source_vocabulary, lengths)
        lengths = whole_lengths(source) if lengths is None else lengths
        entered = self.encoder.enter(self.source_embedding(source) * math.sqrt(self.width))
        encoded = self.encoder.convolve(entered, hiding_padding(lengths, source.shape[1]))
        side = SourceSide.of(encoded, (encoded + entered) * math.sqrt(0.5), lengths)
        nothing = encoded.new_zeros(source.shape[0], self.kernel - 1, self.width)
        return ConvolutionalState(side, (nothing,) * len(self.decoder), torch.zeros_like(lengths))

    def read_on(
        self, tokens: Int[Tensor, "batch new"], state: ConvolutionalState
    ) -> tuple[Float[Tensor, "batch new width"], ConvolutionalState]:
        """Read target tokens, every layer seeing the last few of its inputs."""
        check_tokens("target", tokens, self.target_vocabulary, batch=len(state.ages))
        embedded = self.target_embedding(tokens) * math.sqrt(self.width)
        if self.target_positions is not None:
            embedded = self.target_positions(embedded, state.ages)
        embedded = drop(embedded, self.dropout, self.training)
        vectors, recent = embedded, []
        for block, before in zip(self.decoder, state.recent, strict=True):
            window = torch.cat([before, vectors], dim=1)
            recent.append(window[:, window.shape[1] - before.shape[1] :])
            vectors = block(vectors, window, embedded, state.source)
        decoded = self.decoded_norm(drop(vectors, self.dropout, self.training))
        hidden = self.output_norm(self.readout(decoded))
        return hidden, ConvolutionalState(state.source, tuple(recent), state.ages + tokens.shape[1])

    def select(self, state: ConvolutionalState, rows: Int[Tensor, " rows"]) -> ConvolutionalState:
        """The state of these samples."""
        recent = tuple(layer[rows] for layer in state.recent)
        return ConvolutionalState(state.source.select(rows), recent, state.ages[rows])

    def join(self, states: Sequence[ConvolutionalState]) -> ConvolutionalState:
        """The samples of several states under each other."""
        recent = zip(*(state.recent for state in states), strict=True)
        return ConvolutionalState(
            SourceSide.join([state.source for state in states]),
            tuple(torch.cat(layer) for layer in recent),
            torch.cat([state.ages for state in states]),
        )


class ConvolutionalDecoderBlock(nn.Module):
    """A gated convolution over the past, and a look at the source."""

    def __init__(self, width: int, *, kernel: int, normalised: bool, dropout: float) -> None:
        super().__init__()
        self.convolution = GatedConvolution(width, kernel=kernel, normalised=normalised, dropout=dropout)
        self.query_projection = nn.Linear(width, width)
        self.cross = Attention(score=scores.ScaledDot())
        self.output_projection = nn.Linear(width, width)

    def forward(
        self,
        vectors: Float[Tensor, "batch new width"],
        window: Float[Tensor, "batch longer width"],
        embedded: Float[Tensor, "batch new width"],
        source: SourceSide,
    ) -> Float[Tensor, "batch new width"]:
        """The layer's output at the new positions."""
        half = math.sqrt(0.5)
        convolved = self.convolution(window)
        queries = (self.query_projection(convolved) + embedded) * half
        found = self.cross(queries, source.keys, source.values, mask=source.mask, silenced=True)
        found = self.output_projection(found)
        return ((convolved + found) * half + vectors) * half
