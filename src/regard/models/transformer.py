"""The Transformer, encoder and decoder."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Memory
from regard.attention.linear import linear
from regard.attention.masks import Mask
from regard.models.blocks import DecoderBlock, causal_after, check_blocks
from regard.models.checking import check_tokens
from regard.models.contract import TranslationModel, hiding_padding, layer_norm, whole_lengths
from regard.models.dropping import drop
from regard.models.encoders import SelfAttentionEncoder
from regard.models.positioning import added_positions, inner_position
from regard.models.stepping import Kept, Step, may_step


@dataclass(frozen=True)
class TransformerState:
    """A sentence half written: the source projected once, and what each layer has written."""

    source: tuple[Memory, ...]
    """Of sentences: where every sentence is written by as many rows, one under the other, it is here once."""
    source_lengths: Int[Tensor, " sentences"]
    source_mask: Mask | None
    origins: Int[Tensor, " batch"]
    """Which sentence of the start each row belongs to: rows that stay need no new source."""
    written: tuple[Memory | None, ...]
    starts: Int[Tensor, " batch"] | None
    """How many empty places stand before each row, where rows of different ages were joined."""
    steps: tuple[Step, ...] | None = None
    """The decoder's blocks, prepared to read one token at a time."""
    kept: Kept | None = None
    """What the mask of the source says to them."""

    @property
    def past(self) -> int:
        """How many places have been written, empty ones included."""
        return 0 if self.written[0] is None else len(self.written[0])


class Transformer(TranslationModel[TransformerState]):
    """Vaswani et al. (2017), with the positions of your choice.

    With ``output_bias``, every token of the vocabulary has a logit of its own to begin with, as in
    Marian: the hidden vectors then end in a one, which meets it in the output table.

    >>> model = Transformer(vocabulary=11, width=6, heads=2, layers=1, hidden_width=7)
    >>> model(torch.tensor([[5, 6, 2]]), torch.tensor([[1, 7]])).shape
    torch.Size([1, 2, 11])
    """

    def __init__(
        self,
        *,
        vocabulary: int,
        width: int,
        heads: int,
        layers: int,
        hidden_width: int,
        dropout: float = 0.0,
        positions: str = "sinusoidal",
        norm: str = "post",
        activation: str = "relu",
        key_heads: int | None = None,
        decoder_layers: int | None = None,
        target_vocabulary: int | None = None,
        share_embeddings: bool | None = None,
        tie_output: bool = True,
        reach: int = 16,
        longest: int = 1024,
        attention_dropout: float = 0.0,
        hidden_dropout: float = 0.0,
        output_bias: bool = False,
    ) -> None:
        decoder_layers = layers if decoder_layers is None else decoder_layers
        block_settings: dict[str, Any] = {
            "heads": heads,
            "hidden_width": hidden_width,
            "key_heads": key_heads,
            "norm": norm,
            "activation": activation,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "hidden_dropout": hidden_dropout,
        }
        check_blocks(
            "Transformer", width=width, positions=positions, reach=reach, longest=longest, **block_settings
        )
        super().__init__(
            vocabulary=vocabulary,
            width=width,
            target_vocabulary=target_vocabulary,
            share_embeddings=share_embeddings,
            tie_output=tie_output,
            layers=layers,
            decoder_layers=decoder_layers,
        )
        self.dropout = dropout
        self.encoder = SelfAttentionEncoder(
            width, layers=layers, positions=positions, reach=reach, longest=longest, **block_settings
        )
        self.target_positions = added_positions(positions, width, longest)
        shared = inner_position(positions, width=width, heads=heads, reach=reach, both_ways=False)
        self.decoder = nn.ModuleList()
        for _ in range(decoder_layers):
            position = shared
            if positions == "relative":  # each layer learns its own distances, as in the paper
                position = inner_position(positions, width=width, heads=heads, reach=reach)
            self.decoder.append(DecoderBlock(width, position=position, **block_settings))
        self.decoder_norm = layer_norm(width, normalised=norm == "pre")
        self.bare = shared is None and positions != "relative" and key_heads in (None, heads)
        """Whether a block's attentions are plain, so that it may read with nothing between the kernels."""
        self.output_bias = nn.Parameter(torch.zeros(self.target_vocabulary)) if output_bias else None

    @property
    def output_table(self) -> Float[Tensor, "vocabulary width"]:
        """A hidden vector's logits are its products with these rows."""
        table = super().output_table
        return table if self.output_bias is None else torch.cat([table, self.output_bias[:, None]], dim=1)

    def logits(self, hidden: Float[Tensor, "*batch width"]) -> Float[Tensor, "*batch vocabulary"]:
        """Hidden vectors compared with every token."""
        if self.output_bias is None:
            return super().logits(hidden)
        return linear(hidden[..., :-1], super().output_table, self.output_bias)

    def start(
        self, source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"] | None = None
    ) -> TransformerState:
        """Read the source, and project it once for every layer of the decoder."""
        check_tokens("source", source, self.source_vocabulary, lengths)
        lengths = whole_lengths(source) if lengths is None else lengths
        mask = hiding_padding(lengths, source.shape[1])
        encoded = self.encoder(self.source_embedding(source) * math.sqrt(self.width), mask=mask)
        memories = tuple(block.cross.remember(encoded, silenced=True) for block in self._blocks())
        if not torch.is_grad_enabled():  # to be read at every step
            memories = tuple(memory.in_order() for memory in memories)
        origins = torch.arange(source.shape[0], device=source.device)
        return TransformerState(memories, lengths, mask, origins, (None,) * len(self.decoder), None)

    def read_on(
        self, tokens: Int[Tensor, "batch new"], state: TransformerState
    ) -> tuple[Float[Tensor, "batch new width"], TransformerState]:
        """Read target tokens, each layer going on where it was."""
        check_tokens("target", tokens, self.target_vocabulary, batch=len(state.origins))
        past = state.past
        vectors = self.target_embedding(tokens) * math.sqrt(self.width)
        if self.target_positions is not None:
            vectors = self.target_positions(vectors, past if state.starts is None else past - state.starts)
        vectors = drop(vectors, self.dropout, self.training)
        written = []
        steps, kept = state.steps, state.kept
        if self.bare and tokens.shape[1] == 1 and state.starts is None and may_step(self):
            steps = tuple(map(Step, self._blocks())) if steps is None else steps
            vectors = vectors.squeeze(1)
            if kept is None and state.source_mask is not None:
                kept = Kept.of(state.source_mask, state.source[0])
            for step, before, source in zip(steps, state.written, state.source, strict=True):
                vectors, after = step(vectors, before, source, kept)
                written.append(after)
            vectors = vectors.unsqueeze(1)
        else:
            mask = causal_after(state.starts, past, tokens.shape[1])
            for block, before, source in zip(self._blocks(), state.written, state.source, strict=True):
                vectors, after = block(vectors, before, source, mask=mask, source_mask=state.source_mask)
                written.append(after)
        state = replace(state, written=tuple(written), steps=steps, kept=kept)
        hidden = self.decoder_norm(vectors)
        return hidden if self.output_bias is None else F.pad(hidden, (0, 1), value=1.0), state

    def _blocks(self) -> list[DecoderBlock]:
        return [block for block in self.decoder if isinstance(block, DecoderBlock)]

    def select(self, state: TransformerState, rows: Int[Tensor, " rows"]) -> TransformerState:
        """The state of these samples. Their source is copied only where a row changes its sentence."""
        origins = state.origins[rows]
        written = tuple(None if memory is None else memory.select(rows) for memory in state.written)
        starts = None if state.starts is None else state.starts[rows]
        if not torch.equal(origins, state.origins):
            beside = _beside(origins)
            state = _with_source_of(state, rows[::beside] // state.source[0].beside, beside)
        return replace(state, origins=origins, written=written, starts=starts)

    def move(self, state: TransformerState, rows: Int[Tensor, " rows"]) -> TransformerState:
        """The state of these samples; only those are copied that come to stand elsewhere."""
        if torch.is_grad_enabled() or state.starts is not None or None in state.written:
            return self.select(state, rows)
        if not torch.equal(state.origins[rows], state.origins):
            return self.select(state, rows)
        places = (rows != torch.arange(len(rows), device=rows.device)).nonzero().squeeze(1)
        taken = rows[places]
        written = tuple(memory.move(places, taken) for memory in state.written if memory is not None)
        return replace(state, written=written)

    def join(self, states: Sequence[TransformerState]) -> TransformerState:
        """The samples of several states; the younger get empty places before them."""
        states = [_apart(state) for state in states]
        past = max(state.past for state in states)
        source = tuple(
            Memory.join(layer, at_end=True) for layer in zip(*(s.source for s in states), strict=True)
        )
        lengths = torch.cat([state.source_lengths for state in states])
        starts = torch.cat(
            [
                (torch.zeros_like(state.origins) if state.starts is None else state.starts)
                + past
                - state.past
                for state in states
            ]
        )
        written: tuple[Memory | None, ...] = (None,) * len(self.decoder)
        if past:
            per_state = ([memory or _unwritten(state) for memory in state.written] for state in states)
            written = tuple(Memory.join(layer, at_end=False) for layer in zip(*per_state, strict=True))
        return TransformerState(
            source,
            lengths,
            hiding_padding(lengths, len(source[0])),
            torch.arange(len(lengths), device=lengths.device),
            written,
            starts if int(starts.max()) else None,
        )


def _with_source_of(
    state: TransformerState, sentences: Int[Tensor, " sentences"], beside: int
) -> TransformerState:
    """The same rows, of which so many look at each of these sentences of the source.

    Nothing is copied where these are all there are.
    """
    source, lengths, count = state.source, state.source_lengths, len(state.source_lengths)
    if not torch.equal(sentences, torch.arange(count, device=sentences.device)):
        source, lengths = tuple(memory.select(sentences) for memory in source), lengths[sentences]
        mask = hiding_padding(lengths, len(source[0]))
        state = replace(state, source_lengths=lengths, source_mask=mask, kept=None)
    return replace(state, source=tuple(memory.looked_at_by(beside) for memory in source))


def _beside(origins: Int[Tensor, " batch"]) -> int:
    """How many rows of one sentence stand one under the other, in groups that are all as large.

    >>> _beside(torch.tensor([7, 7, 2, 2, 2, 2])), _beside(torch.tensor([7, 7, 2]))
    (2, 1)
    """
    _, runs = origins.unique_consecutive(return_counts=True)
    return math.gcd(*runs.tolist()) or 1


def _apart(state: TransformerState) -> TransformerState:
    """The same state, where each row has a source of its own."""
    each = torch.arange(len(state.source_lengths), device=state.origins.device)
    return _with_source_of(state, each.repeat_interleave(state.source[0].beside), 1)


def _unwritten(state: TransformerState) -> Memory:
    """The memory of a layer that has written nothing."""
    like = state.source[0]
    return Memory.of(like.keys[..., :0, :], like.values[..., :0, :], silenced=True)
