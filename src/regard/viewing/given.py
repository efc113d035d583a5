"""What a caller gives, as tensors and labels of our own, or refused in one sentence."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from regard.errors import RegardError, ShapeError

Numbers = Tensor | NDArray[Any] | Sequence[Any]
Place = str | int

LABELLED = {"query_labels": "query", "key_labels": "key", "head_names": "head"}
MOST_A_WEIGHT_CAN_BE = 1.01  # one, as half precision rounds it


def to_tensor(numbers: Numbers, what: str) -> Float[Tensor, "..."]:
    """A copy of our own, on the CPU: what was attended must not change when a model goes on.

    Half precision becomes float32; float64 stays.
    """
    try:
        tensor = numbers.detach() if isinstance(numbers, Tensor) else torch.from_numpy(np.array(numbers))
    except (TypeError, ValueError):
        raise ShapeError(
            f"{what} must be a tensor, an array, or lists of numbers, each as long as the next."
        ) from None
    exact = tensor.dtype == torch.float64 and isinstance(numbers, Tensor | np.ndarray)
    return tensor.to("cpu", torch.float64 if exact else torch.float32, copy=True)


def read_weights(numbers: Numbers, name: str) -> Float[Tensor, "*heads queries keys"]:
    """Weights of one sample, each between zero and one."""
    weights = to_tensor(numbers, f"weights of {name!r}")
    shape = tuple(weights.shape)
    if weights.dim() == 4 and shape[0] == 1:
        weights = weights[0]
    elif weights.dim() == 4:
        raise ShapeError(
            f"weights of {name!r} must be one sample, (queries, keys) or (heads, queries, keys), "
            f"but {shape} is a batch of {shape[0]}: take one with weights[0]."
        )
    elif weights.dim() not in (2, 3):
        raise ShapeError(
            f"weights of {name!r} must be (queries, keys) or (heads, queries, keys), but they are {shape}."
        )
    if 0 in shape:
        raise ShapeError(f"weights of {name!r} hold nothing to show: they are {shape}.")
    wrong = ~((weights >= 0) & (weights <= MOST_A_WEIGHT_CAN_BE))  # true of NaN too
    if wrong.any():
        place = tuple(wrong.nonzero()[0].tolist())
        raise RegardError(
            f"weights of {name!r} must lie between 0 and 1, but the one at {place} is {weights[place]:.4g}; "
            "scores become weights by a softmax."
        )
    return weights


def read_labels(labels: Sequence[str], what: str, count: int, name: str) -> tuple[str, ...]:
    """One string for each row or column."""
    if isinstance(labels, str):
        raise ShapeError(f"{what} of {name!r} must be a list of strings, but got one string: {labels!r}.")
    for label in labels:
        if not isinstance(label, str):
            raise ShapeError(f"{what} of {name!r} must be strings, but one is {label!r}.")
    if len(labels) != count:
        raise ShapeError(
            f"{what} of {name!r} must be {count}, one for each {LABELLED[what]}, but got {len(labels)}."
        )
    return tuple(labels)


def find_places(wanted: Place | Sequence[Place] | None, labels: tuple[str, ...], where: str) -> list[int]:
    """Positions of the words asked for; a word that is missing, or there twice, is refused."""
    if wanted is None:
        return list(range(len(labels)))
    if isinstance(wanted, str | int):
        return [_find(wanted, labels, where)]
    if not wanted:
        raise RegardError(f"{where} must be one or more words or positions, but none is given.")
    return [_find(place, labels, where) for place in wanted]


def _find(place: Place, labels: tuple[str, ...], where: str) -> int:
    if isinstance(place, int):
        if not -len(labels) <= place < len(labels):
            raise RegardError(f"{where} are at positions 0…{len(labels) - 1}, but {place} is asked for.")
        return place % len(labels)
    found = [position for position, label in enumerate(labels) if label == place]
    if not found:
        raise RegardError(f"{where} are {' '.join(map(repr, labels))}, but {place!r} is asked for.")
    if len(found) > 1:
        raise RegardError(
            f"{where} hold {place!r} more than once: give its position, one of {', '.join(map(str, found))}."
        )
    return found[0]
