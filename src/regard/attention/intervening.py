"""Changes to one attention: to its scores, or to its weights."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from regard.errors import RegardError


class Intervention(ABC):
    """A change to one attention: to its scores, or to its weights."""

    def on_scores(self, scores: Float[Tensor, "*batch queries keys"]) -> Tensor:
        """The scores as they should be; minus infinity hides a key."""
        return scores

    def on_weights(self, weights: Float[Tensor, "*batch queries keys"]) -> Tensor:
        """The weights as they should be."""
        return weights

    @abstractmethod
    def check(self, shape: tuple[int, ...]) -> None:
        """Refuse a change that does not fit scores of this shape, (batch, heads, queries, keys)."""


@dataclass(frozen=True, kw_only=True)
class KnockOut(Intervention):
    """These heads answer zero."""

    heads: Iterable[int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "heads", tuple(self.heads))

    def on_weights(self, weights: Float[Tensor, "*batch queries keys"]) -> Tensor:
        """Zero in the heads knocked out."""
        out = torch.zeros(weights.shape[-3], dtype=torch.bool, device=weights.device)
        out[list(self.heads)] = True
        return weights.masked_fill(out[:, None, None], 0.0)

    def check(self, shape: tuple[int, ...]) -> None:
        """Refuse heads that are not there."""
        check_numbers("KnockOut", "heads", self.heads, shape[-3])


@dataclass(frozen=True, kw_only=True)
class MaskKeys(Intervention):
    """These keys are hidden; the weights of the others grow to sum to one."""

    keys: Iterable[int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", tuple(self.keys))

    def on_scores(self, scores: Float[Tensor, "*batch queries keys"]) -> Tensor:
        """Minus infinity for the hidden keys."""
        hidden = torch.zeros(scores.shape[-1], dtype=torch.bool, device=scores.device)
        hidden[list(self.keys)] = True
        return scores.masked_fill(hidden, -torch.inf)

    def check(self, shape: tuple[int, ...]) -> None:
        """Refuse keys that are not there."""
        check_numbers("MaskKeys", "keys", self.keys, shape[-1])


@dataclass(frozen=True)
class ReplaceWeights(Intervention):
    """These weights instead of its own."""

    weights: Float[Tensor, "..."]

    def on_weights(self, weights: Float[Tensor, "*batch queries keys"]) -> Tensor:
        """The given weights."""
        return self.weights.to(weights).expand_as(weights)

    def check(self, shape: tuple[int, ...]) -> None:
        """Refuse weights of another shape."""
        try:
            self.weights.expand(shape)
        except RuntimeError as error:
            raise RegardError(
                f"ReplaceWeights holds weights of shape {tuple(self.weights.shape)}, which do not spread "
                f"to {shape}."
            ) from error


@dataclass(frozen=True)
class Temperature(Intervention):
    """Scores divided by a temperature: above one flattens the weights, below one sharpens them."""

    temperature: float

    def on_scores(self, scores: Float[Tensor, "*batch queries keys"]) -> Tensor:
        """The scores, cooled or heated."""
        return scores / self.temperature

    def check(self, shape: tuple[int, ...]) -> None:
        """Refuse a temperature that is not positive."""
        if not self.temperature > 0:
            raise RegardError(f"Temperature must be positive, but got {self.temperature}.")


def check_numbers(who: str, what: str, numbers: Iterable[int], count: int) -> None:
    """Refuse numbers beyond those there are."""
    for number in numbers:
        if not 0 <= number < count:
            raise RegardError(f"{who} names {what} from 0 to {count - 1} here, but got {number}.")
