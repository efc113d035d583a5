"""Bahdanau's translator: a recurrent decoder that looks at the source at every step."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Attention, scores
from regard.models.checking import check_tokens, check_word
from regard.models.contract import SourceSide, TranslationModel, hiding_padding, layer_norm, whole_lengths
from regard.models.dropping import drop
from regard.models.encoders import RecurrentEncoder, check_recurrence

SCORES = ("additive", "dot", "bilinear")


@dataclass(frozen=True)
class RecurrentState:
    """A sentence half written: what is looked at, and where the decoder's layers are."""

    source: SourceSide
    layers: Float[Tensor, "batch layers width"]


class RecurrentTranslator(TranslationModel[RecurrentState]):
    """Bahdanau, Cho and Bengio (2015): a context for every step.

        context_t = attend(state_{t-1}, source),   state_t = GRU([context_t; embedding_t], state_{t-1})

    The query is the decoder's last state, before the step; what it brings back is fed with the
    embedding into the step. ``normalised`` brings what one part hands to the next to one size (Ba,
    Kiros and Hinton 2016), so that it learns sooner.

    >>> model = RecurrentTranslator(vocabulary=11, width=6)
    >>> model(torch.tensor([[5, 6, 2]]), torch.tensor([[1, 7]])).shape
    torch.Size([1, 2, 11])
    """

    def __init__(
        self,
        *,
        vocabulary: int,
        width: int,
        layers: int = 1,
        dropout: float = 0.0,
        score: str = "additive",
        both_ways: bool = True,
        normalised: bool = False,
        target_vocabulary: int | None = None,
        share_embeddings: bool | None = None,
        tie_output: bool = True,
    ) -> None:
        check_recurrence(
            "RecurrentTranslator", width=width, layers=layers, both_ways=both_ways, dropout=dropout
        )
        check_word("score", score, SCORES)
        super().__init__(
            vocabulary=vocabulary,
            width=width,
            target_vocabulary=target_vocabulary,
            share_embeddings=share_embeddings,
            tie_output=tie_output,
        )
        self.dropout = dropout
        self.encoder = RecurrentEncoder(width, layers=layers, both_ways=both_ways, dropout=dropout)
        # Keys are projected once for a sentence, not once for a step.
        self.key_projection: nn.Module = nn.Identity()
        if score == "additive":
            self.key_projection = nn.Linear(width, width, bias=False)
        self.decoder = RecurrentDecoder(
            width, layers=layers, score=score, normalised=normalised, dropout=dropout
        )
        self.bridge = nn.Linear(width, layers * width)
        self.readout = nn.Linear(3 * width, width)
        self.encoded_norm = layer_norm(width, normalised=normalised)
        self.joined_norm = layer_norm(3 * width, normalised=normalised)
        # tanh keeps the output small, where a table that is tied to the embeddings must not grow.
        self.output_norm = nn.LayerNorm(width) if normalised else nn.Tanh()

    def start(
        self, source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"] | None = None
    ) -> RecurrentState:
        """Read the source; the decoder begins with its average."""
        check_tokens("source", source, self.source_vocabulary, lengths)
        lengths = whole_lengths(source) if lengths is None else lengths
        mask = hiding_padding(lengths, source.shape[1])
        embedded = self.source_embedding(source) * math.sqrt(self.width)
        encoded = self.encoded_norm(self.encoder(embedded, mask=mask))
        there = torch.arange(source.shape[1], device=source.device) < lengths[:, None]
        encoded = encoded.masked_fill(~there.unsqueeze(-1), 0.0)
        middle = encoded.sum(1) / lengths.clamp(min=1).unsqueeze(-1)
        layers = torch.tanh(self.bridge(middle)).unflatten(-1, (-1, self.width))
        # In mixed precision only products are halved, and what meets in attention must be of one kind.
        keys, layers = (one.to(encoded.dtype) for one in (self.key_projection(encoded), layers))
        return RecurrentState(SourceSide.of(keys, encoded, lengths), layers)

    def read_on(
        self, tokens: Int[Tensor, "batch new"], state: RecurrentState
    ) -> tuple[Float[Tensor, "batch new width"], RecurrentState]:
        """Read target tokens one after the other."""
        check_tokens("target", tokens, self.target_vocabulary, batch=len(state.layers))
        embedded = self.target_embedding(tokens) * math.sqrt(self.width)
        embedded = drop(embedded, self.dropout, self.training)
        layers, states, contexts = state.layers, [], []
        for now in embedded.unbind(1):
            context, layers = self.decoder(now, layers, state.source)
            states.append(layers[:, -1])
            contexts.append(context)
        if not states:
            return embedded, state
        joined = torch.cat([torch.stack(states, 1), torch.stack(contexts, 1), embedded], dim=-1)
        joined = self.joined_norm(drop(joined, self.dropout, self.training))
        hidden = self.output_norm(self.readout(joined))
        return hidden, RecurrentState(state.source, layers)

    def select(self, state: RecurrentState, rows: Int[Tensor, " rows"]) -> RecurrentState:
        """The state of these samples."""
        return RecurrentState(state.source.select(rows), state.layers[rows])

    def join(self, states: Sequence[RecurrentState]) -> RecurrentState:
        """The samples of several states under each other."""
        source = SourceSide.join([state.source for state in states])
        return RecurrentState(source, torch.cat([state.layers for state in states]))


class RecurrentDecoder(nn.Module):
    """One step: look at the source with the last state, then step with what was found."""

    def __init__(self, width: int, *, layers: int, score: str, normalised: bool, dropout: float) -> None:
        super().__init__()
        self.cross = Attention(score=_score(score, width))
        self.norm = layer_norm(2 * width, normalised=normalised)
        self.cells = nn.ModuleList(
            nn.GRUCell(2 * width if layer == 0 else width, width) for layer in range(layers)
        )
        self.dropout = dropout

    def forward(
        self,
        embedded: Float[Tensor, "batch width"],
        layers: Float[Tensor, "batch layers width"],
        source: SourceSide,
    ) -> tuple[Float[Tensor, "batch width"], Float[Tensor, "batch layers width"]]:
        """The context of this step, and the layers after it."""
        last = layers[:, -1:]
        context = self.cross(last, source.keys, source.values, mask=source.mask, silenced=True).squeeze(1)
        passing, after = self.norm(torch.cat([context, embedded], dim=-1)), []
        for number, cell in enumerate(self.cells):
            if number:
                passing = drop(passing, self.dropout, self.training)
            passing = cell(passing, layers[:, number])
            after.append(passing)
        # In mixed precision a step may answer in less than it was asked in.
        return context, torch.stack(after, dim=1).to(layers.dtype)


def _score(name: str, width: int) -> scores.Score:
    if name == "additive":
        return scores.Additive(query_width=width, hidden_width=width)
    return scores.ScaledDot() if name == "dot" else scores.Bilinear(query_width=width, key_width=width)
