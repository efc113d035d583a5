"""The one contract of every translator, so that one search serves them all.

    start(source, lengths) -> state          read the source
    step(tokens, state) -> logits, state     write some tokens; the old state is used up
    select(state, rows) -> state             keep, repeat or drop samples
    move(state, rows) -> state               the same, where the old state is not needed any more
    join(states) -> state                    samples of different ages under each other
    forward(source, target, lengths)         training: one long step

A state belongs to the model that made it and is handed in and out; nothing of it stays on a module.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention.linear import linear
from regard.attention.masks import Lengths, Mask
from regard.errors import MechanismError
from regard.models.checking import check_sizes

State = TypeVar("State")

PADDING, BEGIN, END, UNKNOWN = 0, 1, 2, 3


class TranslationModel(nn.Module, ABC, Generic[State]):
    """What every translator can do; its kind decides how it reads and what its state is."""

    def __init__(
        self,
        *,
        vocabulary: int,
        width: int,
        target_vocabulary: int | None,
        share_embeddings: bool | None,
        tie_output: bool,
        **sizes: int,
    ) -> None:
        super().__init__()
        target_vocabulary = vocabulary if target_vocabulary is None else target_vocabulary
        share_embeddings = target_vocabulary == vocabulary if share_embeddings is None else share_embeddings
        check_sizes(
            type(self).__name__,
            vocabulary=vocabulary,
            target_vocabulary=target_vocabulary,
            width=width,
            **sizes,
        )
        if share_embeddings and target_vocabulary != vocabulary:
            raise MechanismError(
                f"share_embeddings needs one vocabulary, but there are {vocabulary} source and "
                f"{target_vocabulary} target tokens. Leave it out."
            )
        self.source_vocabulary, self.target_vocabulary, self.width = vocabulary, target_vocabulary, width
        self.source_embedding = embedding(vocabulary, width)
        self.target_embedding = (
            self.source_embedding if share_embeddings else embedding(target_vocabulary, width)
        )
        self.untied_output = None if tie_output else nn.Parameter(embedding(target_vocabulary, width).weight)

    @property
    def output_table(self) -> Float[Tensor, "vocabulary width"]:
        """A hidden vector's logits are its products with these rows."""
        return self.target_embedding.weight if self.untied_output is None else self.untied_output

    @abstractmethod
    def start(
        self, source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"] | None = None
    ) -> State:
        """Read source sentences of these lengths (all of the tokens, if not given)."""

    @abstractmethod
    def read_on(
        self, tokens: Int[Tensor, "batch new"], state: State
    ) -> tuple[Float[Tensor, "batch new width"], State]:
        """Read target tokens: the hidden vectors that foretell the next, and the state after them."""

    @abstractmethod
    def select(self, state: State, rows: Int[Tensor, " rows"]) -> State:
        """The state of these samples, independent of the old; rows may repeat or be dropped."""

    def move(self, state: State, rows: Int[Tensor, " rows"]) -> State:
        """As ``select``, but uses the state up, so that samples that stay where they are need no copy."""
        return self.select(state, rows)

    @abstractmethod
    def join(self, states: Sequence[State]) -> State:
        """The samples of several states in one, even if they have read differently much."""

    def step(
        self, tokens: Int[Tensor, "batch new"], state: State
    ) -> tuple[Float[Tensor, "batch new vocabulary"], State]:
        """Read target tokens: the logits of the next after each, and the state after them."""
        hidden, state = self.read_on(tokens, state)
        return self.logits(hidden), state

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        target: Int[Tensor, "batch target"],
        source_lengths: Int[Tensor, " batch"] | None = None,
    ) -> Float[Tensor, "batch target vocabulary"]:
        """The logits of the token after each target token, given the source."""
        return self.logits(self.hidden(source, target, source_lengths))

    def hidden(
        self,
        source: Int[Tensor, "batch source"],
        target: Int[Tensor, "batch target"],
        source_lengths: Int[Tensor, " batch"] | None = None,
    ) -> Float[Tensor, "batch target width"]:
        """The vectors before the output layer, which a loss may project by itself."""
        hidden, _ = self.read_on(target, self.start(source, source_lengths))
        return hidden

    def logits(self, hidden: Float[Tensor, "*batch width"]) -> Float[Tensor, "*batch vocabulary"]:
        """Hidden vectors compared with every token."""
        return linear(hidden, self.output_table)


@dataclass(frozen=True)
class SourceSide:
    """What a decoder looks at: the keys and values of every row's sentence, finite in its padding, too."""

    keys: Float[Tensor, "batch source key_width"]
    values: Float[Tensor, "batch source width"]
    lengths: Int[Tensor, " batch"]
    mask: Mask | None
    origins: Int[Tensor, " batch"]
    """Which sentence of the start each row belongs to: rows that stay need no copy."""

    @classmethod
    def of(cls, keys: Tensor, values: Tensor, lengths: Tensor) -> "SourceSide":
        """The side of sentences just read."""
        origins = torch.arange(keys.shape[0], device=keys.device)
        return cls(keys, values, lengths, hiding_padding(lengths, keys.shape[1]), origins)

    def select(self, rows: Int[Tensor, " rows"]) -> "SourceSide":
        """The side of these rows; the same object where every row stays with its sentence."""
        origins = self.origins[rows]
        if torch.equal(origins, self.origins):
            return self
        lengths = self.lengths[rows]
        mask = hiding_padding(lengths, self.keys.shape[1])
        return SourceSide(self.keys[rows], self.values[rows], lengths, mask, origins)

    @classmethod
    def join(cls, sides: Sequence["SourceSide"]) -> "SourceSide":
        """Several sides under each other."""
        longest = max(side.keys.shape[1] for side in sides)

        def filled(tensors: list[Tensor]) -> Tensor:
            return torch.cat([F.pad(tensor, (0, 0, 0, longest - tensor.shape[1])) for tensor in tensors])

        return cls.of(
            filled([side.keys for side in sides]),
            filled([side.values for side in sides]),
            torch.cat([side.lengths for side in sides]),
        )


def whole_lengths(source: Int[Tensor, "batch source"]) -> Int[Tensor, " batch"]:
    """The lengths of sentences without padding."""
    return torch.full((source.shape[0],), source.shape[1], device=source.device)


def hiding_padding(lengths: Tensor, longest: int) -> Mask | None:
    """What hides padding after these lengths, or nothing where there is none."""
    mask = Lengths(lengths)
    return None if mask.smallest is not None and mask.smallest >= longest else mask


def layer_norm(width: int, *, normalised: bool) -> nn.Module:
    """What brings vectors to one size, or leaves them as they are."""
    return nn.LayerNorm(width) if normalised else nn.Identity()


def embedding(vocabulary: int, width: int) -> nn.Embedding:
    """Vectors whose length is about one, so that √width times them is about as long as positions are."""
    made = nn.Embedding(vocabulary, width, padding_idx=PADDING)
    nn.init.normal_(made.weight, std=width**-0.5)
    with torch.no_grad():
        made.weight[PADDING] = 0.0
    return made
