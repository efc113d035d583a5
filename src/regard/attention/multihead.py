"""Attention as modules: one attention, many heads, and what they remember."""

import functools
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.attending import ask
from regard.attention.checking import check_dropout, check_mechanism, check_past
from regard.attention.definition import Call
from regard.attention.linear import linear, through
from regard.attention.masks import Causal, Lengths, Mask, Window, as_mask, parts_of
from regard.attention.memory import Memory, one_under_another, side_by_side
from regard.attention.multiplied import why_not_multiplied
from regard.attention.positions import Position, Relative
from regard.attention.scores import ScaledDot, Score
from regard.attention.watching import Watchable, answer
from regard.errors import MechanismError, ShapeError
from regard.wording import counted


class Attention(Watchable):
    """:func:`regard.attend` as a module, so that it can be watched by name.

    >>> Attention(dropout=0.1)(torch.zeros(2, 3, 5), torch.zeros(2, 7, 5)).shape
    torch.Size([2, 3, 5])
    """

    def __init__(
        self, *, score: Score | None = None, position: Position | None = None, dropout: float = 0.0
    ) -> None:
        super().__init__()
        check_dropout(dropout)
        self.score = ScaledDot() if score is None else score
        self.position = position
        self.dropout = dropout

    def forward(
        self,
        queries: Float[Tensor, "*batch queries query_width"],
        keys: Float[Tensor, "*batch keys key_width"] | None = None,
        values: Float[Tensor, "*batch keys value_width"] | None = None,
        *,
        mask: Mask | None = None,
        past: int = 0,
        silenced: bool = False,
    ) -> Float[Tensor, "*batch queries value_width"]:
        """Average the values, each weighted by how much its key answers the query.

        ``silenced`` says that keys and values which no query may hear are known to be finite, so
        that they need not be looked after.
        """
        dropout = self.dropout if self.training else 0.0
        call = ask(queries, keys, values, self.score, mask, self.position, past, dropout)
        # What they are belongs to others, who may change it later.
        return answer(self, replace(call, silenced=silenced), overwritten_later=True)


class MultiHeadAttention(Watchable):
    """Several attentions side by side, each on its own projection of the vectors.

        head_i = attend(x W^Q_i, y W^K_i, z W^V_i),   output = concat(head_1 … head_h) W^O

    Vaswani et al. (2017), section 3.2.2. One map can be misled; several look for several
    things. With fewer ``key_heads`` than ``heads``, groups of heads share keys and values
    (Shazeer 2019; Ainslie et al. 2023), which makes the memory of a decoder smaller.

    >>> attention = MultiHeadAttention(6, heads=2)
    >>> attention(torch.zeros(5, 3, 6)).shape
    torch.Size([5, 3, 6])
    """

    def __init__(
        self,
        width: int,
        *,
        heads: int,
        key_heads: int | None = None,
        score: Score | None = None,
        position: Position | None = None,
        dropout: float = 0.0,
        bias: bool = True,
    ) -> None:
        super().__init__()
        key_heads = heads if key_heads is None else key_heads
        check_heads(width, heads, key_heads)
        check_dropout(dropout)
        self.width, self.heads, self.key_heads = width, heads, key_heads
        self.head_width = width // heads
        self.key_width = key_heads * self.head_width
        # Queries, keys and values are projected by one matrix: in self-attention by one product.
        self.projection = nn.Linear(width, width + 2 * self.key_width, bias=bias)
        self.output_projection = nn.Linear(width, width, bias=bias)
        self.score = ScaledDot() if score is None else score
        self.position = position
        self.dropout = dropout
        self.reset_parameters()
        check_mechanism(self.score, position, (1, heads, 1, self.head_width))
        self.score.check_widths(self.head_width, self.head_width)
        if isinstance(position, Relative):
            position.check_values(self.head_width)

    def reset_parameters(self) -> None:
        """Xavier for each projection by itself, zero biases."""
        for part in self.projection.weight.split([self.width, self.key_width, self.key_width]):
            nn.init.xavier_uniform_(part)
        nn.init.xavier_uniform_(self.output_projection.weight)
        for layer in (self.projection, self.output_projection):
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)

    def forward(
        self,
        queries: Float[Tensor, "batch queries width"],
        keys: Float[Tensor, "batch keys width"] | Memory | None = None,
        values: Float[Tensor, "batch keys width"] | None = None,
        *,
        mask: Mask | None = None,
        past: int | None = None,
    ) -> Float[Tensor, "batch queries width"]:
        """Attend with every head. ``keys`` may be a memory from :meth:`remember`.

        Queries that attend to a memory stand where its last addition stands, unless
        ``past`` says otherwise.
        """
        if mask is not None:
            as_mask(mask)
        silenced, beside = False, 1
        if isinstance(keys, Memory):
            self._check(queries=queries)
            self._check_memory(keys, values, queries)
            if keys.beside > 1:
                self._check_alike(mask)
            past, silenced = keys.past if past is None else past, keys.silenced
            beside = keys.beside
            projected_queries = side_by_side(self._heads(self._project(queries, 0, self.width)), beside)
            projected_keys, projected_values = keys.keys, keys.values
        elif keys is None and values is None:
            self._check(queries=queries)
            sizes = [self.width, self.key_width, self.key_width]
            projected_queries, projected_keys, projected_values = (
                self._heads(part) for part in through(self.projection, queries).split(sizes, dim=-1)
            )
        else:
            keys = queries if keys is None else keys
            values = None if values is keys else values
            self._check(queries=queries, keys=keys, values=values)
            projected_queries = self._heads(self._project(queries, 0, self.width))
            unheard = self._unheard(mask, queries, keys, past or 0)
            if unheard is not None:
                keys = keys.masked_fill(unheard, 0.0)
                values = None if values is None else values.masked_fill(unheard, 0.0)
            projected_keys, projected_values = self._keys_and_values(keys, values)
        past = 0 if past is None else past
        check_past(past)
        call = Call(
            queries=projected_queries,
            keys=projected_keys,
            values=projected_values,
            score=self.score,
            mask=mask,
            position=self.position,
            past=past,
            dropout=self.dropout if self.training else 0.0,
            silenced=silenced,
        )
        output = self._answer(call, overwritten_later=isinstance(keys, Memory), beside=beside)
        output = one_under_another(output, beside)
        return through(self.output_projection, output.transpose(1, 2).flatten(2))

    def grow(
        self,
        new: Float[Tensor, "batch new width"],
        after: Memory | None = None,
        *,
        mask: Mask | None = None,
        silenced: bool = False,
    ) -> tuple[Float[Tensor, "batch new width"], Memory]:
        """Self-attention that goes on: remember new positions, and let them attend to all so far.

        The same as :meth:`remember` and a call, with one projection for both. ``silenced``
        says that positions which no query may hear are known to be finite.

        >>> attention = MultiHeadAttention(6, heads=2)
        >>> output, memory = attention.grow(torch.zeros(1, 4, 6))
        >>> output, memory = attention.grow(torch.zeros(1, 1, 6), memory)
        >>> output.shape, len(memory)
        (torch.Size([1, 1, 6]), 5)
        """
        self._check(queries=new)
        if mask is not None:
            as_mask(mask)
        sizes = [self.width, self.key_width, self.key_width]
        queries, keys, values = (
            self._heads(part) for part in through(self.projection, new).split(sizes, dim=-1)
        )
        memory = Memory.of(keys, values, silenced=silenced) if after is None else after.and_then(keys, values)
        call = Call(
            queries=queries,
            keys=memory.keys,
            values=memory.values,
            score=self.score,
            mask=mask,
            position=self.position,
            past=memory.past,
            dropout=self.dropout if self.training else 0.0,
            silenced=memory.silenced,
        )
        output = self._answer(call, overwritten_later=True)
        return through(self.output_projection, output.transpose(1, 2).flatten(2)), memory

    def remember(
        self,
        keys: Float[Tensor, "batch new width"],
        values: Float[Tensor, "batch new width"] | None = None,
        *,
        after: Memory | None = None,
        silenced: bool = False,
    ) -> Memory:
        """Project new keys and values once, to be attended to again and again.

        >>> attention = MultiHeadAttention(6, heads=2)
        >>> memory = attention.remember(torch.zeros(1, 4, 6))
        >>> memory = attention.remember(torch.zeros(1, 1, 6), after=memory)
        >>> len(memory), memory.past
        (5, 4)
        """
        self._check(keys=keys, values=values)
        new_keys, new_values = self._keys_and_values(keys, values)
        if after is not None:
            return after.and_then(new_keys, new_values)
        return Memory.of(new_keys, new_values, silenced=silenced)

    def _answer(self, call: Call, *, overwritten_later: bool, beside: int = 1) -> Tensor:
        if torch.compiler.is_compiling() or not torch.is_autocast_enabled("cpu"):
            return answer(self, call, overwritten_later=overwritten_later, beside=beside)
        # A CPU gains by half precision in plain products, and loses by it in the fused kernel.
        same = call.queries.dtype == call.keys.dtype == call.values.dtype
        if not same or why_not_multiplied(call) is not None:
            whole = {name: getattr(call, name).float() for name in ("queries", "keys", "values")}
            call = replace(call, **whole)
        with torch.autocast("cpu", enabled=False):
            return answer(self, call, overwritten_later=overwritten_later, beside=beside)

    def _keys_and_values(self, keys: Tensor, values: Tensor | None) -> tuple[Tensor, Tensor]:
        start, middle, end = self.width, self.width + self.key_width, self.width + 2 * self.key_width
        if values is None:
            both = self._project(keys, start, end)
            return self._heads(both[..., : self.key_width]), self._heads(both[..., self.key_width :])
        return self._heads(self._project(keys, start, middle)), self._heads(
            self._project(values, middle, end)
        )

    def _unheard(self, mask: Mask | None, queries: Tensor, keys: Tensor, past: int) -> Tensor | None:
        """Which keys no query may hear, where a gradient is wanted.

        What they hold would meet a gradient of zero in the projection, and zero times NaN is NaN.
        """
        parts = [part for part in parts_of(mask) if not isinstance(part, Causal | Window)]
        if not parts or not torch.is_grad_enabled():
            return None
        shape = (queries.shape[0], self.heads, queries.shape[1], keys.shape[1])
        keeps = (part.keep(shape, past, device=queries.device) for part in parts)
        heard = functools.reduce(torch.logical_and, keeps).any(dim=-2)
        return ~(heard.any(dim=1) if heard.dim() == 3 else heard).unsqueeze(-1)

    def _project(self, vectors: Tensor, first: int, last: int) -> Tensor:
        return linear(vectors, self.projection.weight, self.projection.bias, (first, last))

    def _heads(self, vectors: Tensor) -> Tensor:
        return vectors.unflatten(-1, (-1, self.head_width)).transpose(1, 2)

    def _check(self, **named: Tensor | None) -> None:
        given = {name: tensor for name, tensor in named.items() if tensor is not None}
        made = self.projection.weight
        for name, tensor in given.items():
            if not isinstance(tensor, Tensor) or tensor.dim() != 3 or tensor.shape[-1] != self.width:
                got = f"shape {tuple(tensor.shape)}" if isinstance(tensor, Tensor) else type(tensor).__name__
                raise ShapeError(
                    f"{name} must be (batch, {'queries' if name == 'queries' else 'keys'}, {self.width}) "
                    f"for this attention of width {self.width}, but got {got}."
                )
            if tensor.device != made.device or (
                tensor.dtype != made.dtype and not torch.is_autocast_enabled(made.device.type)
            ):
                raise ShapeError(
                    f"{name} are {tensor.dtype} on {tensor.device}, but this attention's parameters are "
                    f"{made.dtype} on {made.device}. Move one with .to(…)."
                )
        samples = [tensor.shape[0] for tensor in given.values()]
        if any(count != samples[0] for count in samples):
            raise ShapeError(
                f"{' and '.join(given)} must hold the same samples, but they hold "
                f"{' and '.join(map(str, samples))}."
            )
        keys, values = given.get("keys"), given.get("values")
        if keys is not None and values is not None and keys.shape[1] != values.shape[1]:
            raise ShapeError(
                f"Each key needs its value, but keys are {tuple(keys.shape)} and values "
                f"{tuple(values.shape)}."
            )

    def _check_alike(self, mask: Mask | None) -> None:
        """Refuse what would tell queries that stand side by side from each other by where they stand."""
        lengths = all(isinstance(part, Lengths) and part.counts.dim() == 1 for part in parts_of(mask))
        if self.position is not None or not lengths:
            what = repr(self.position if self.position is not None else mask)
            raise MechanismError(
                f"A memory that several samples look at takes no positions, and no mask but lengths() of its "
                f"samples, but got {what}. Give every sample its own with memory.select(rows)."
            )

    def _check_memory(self, memory: Memory, values: Tensor | None, queries: Tensor) -> None:
        if values is not None:
            raise ShapeError("A memory holds its values already. Call attention(queries, memory).")
        samples = memory.keys.shape[0] * memory.beside
        if samples != queries.shape[0]:
            raise ShapeError(
                f"queries and memory must hold the same samples, but they hold {queries.shape[0]} and "
                f"{samples}. Choose rows of a memory with memory.select(rows)."
            )
        heads, width = memory.keys.shape[1], memory.keys.shape[3]
        if (heads, width) != (self.key_heads, self.head_width):
            raise ShapeError(
                f"The memory holds {heads} key heads of width {width}, but this attention has "
                f"{self.key_heads} of width {self.head_width}. Attend to it with the attention that made it."
            )


def check_heads(width: int, heads: int, key_heads: int) -> None:
    """Refuse heads that cannot share a width, with numbers that work."""
    if heads < 1:
        raise MechanismError(f"heads must be at least 1, but got {heads}.")
    if width < 1 or width % heads:
        below = max(width // heads, 1) * heads
        raise MechanismError(
            f"width must be a multiple of heads, but {width} is not a multiple of {heads}. "
            f"Nearest widths: {below} and {below + heads}."
        )
    if key_heads < 1 or heads % key_heads:
        fitting = [str(count) for count in range(1, heads + 1) if heads % count == 0]
        raise MechanismError(
            f"key_heads must divide heads, but {counted(heads, 'head')} cannot share {key_heads}. "
            f"Take one of {', '.join(fitting)}."
        )
