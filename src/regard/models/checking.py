"""Refuse settings and tokens of which no model can make anything: in one sentence, before allocating."""

from collections.abc import Iterable

import torch
from torch import Tensor

from regard.errors import MechanismError, ShapeError
from regard.wording import counted


def check_tokens(
    name: str, tokens: Tensor, vocabulary: int, lengths: Tensor | None = None, batch: int | None = None
) -> None:
    """Refuse tokens outside the vocabulary, and lengths outside the tokens, by name."""
    if not isinstance(tokens, Tensor) or tokens.dim() != 2 or tokens.dtype not in (torch.int64, torch.int32):
        raise ShapeError(f"{name} must be torch.int64 of shape (batch, count), but got {_spelled(tokens)}.")
    if batch is not None and tokens.shape[0] != batch:
        raise ShapeError(f"{name} holds {counted(tokens.shape[0], 'sample')}, but the state holds {batch}.")
    if lengths is not None and (
        not isinstance(lengths, Tensor) or tuple(lengths.shape) != (tokens.shape[0],)
    ):
        raise ShapeError(
            f"lengths must be a tensor of one count for each of {counted(tokens.shape[0], 'sample')}, "
            f"but got {_spelled(lengths)}."
        )
    if torch.compiler.is_compiling() or tokens.numel() == 0 or tokens.device.type != "cpu":
        return
    smallest, largest = (int(one) for one in tokens.aminmax())
    if smallest < 0 or largest >= vocabulary:
        wrong = smallest if smallest < 0 else largest
        raise ShapeError(
            f"{name} holds token {wrong}, but the vocabulary has the tokens 0 to {vocabulary - 1}."
        )
    if lengths is not None and (int(lengths.min()) < 0 or int(lengths.max()) > tokens.shape[1]):
        wrong = int(lengths.max()) if int(lengths.max()) > tokens.shape[1] else int(lengths.min())
        raise ShapeError(
            f"lengths holds {wrong}, but there are {counted(tokens.shape[1], 'token')} in a row."
        )


def check_sizes(model: str, **sizes: int) -> None:
    """Refuse sizes of which nothing can be built, before anything is allocated."""
    for name, size in sizes.items():
        if not isinstance(size, int) or size < 1:
            raise MechanismError(f"{model}'s {name} must be a whole number of at least 1, but got {size!r}.")


def check_shares(model: str, **shares: float) -> None:
    """Refuse a share of numbers that cannot be dropped."""
    for name, share in shares.items():
        if not isinstance(share, int | float) or not 0.0 <= share < 1.0:
            raise MechanismError(f"{model}'s {name} must be at least 0 and less than 1, but got {share!r}.")


def check_word(name: str, word: str, words: Iterable[str]) -> None:
    """Refuse a word that is not one of those a setting may be."""
    if word not in (known := list(words)):
        raise MechanismError(f"{name} must be one of {', '.join(known)}, but got {word!r}.")


def _spelled(thing: object) -> str:
    if isinstance(thing, Tensor):
        return f"{thing.dtype} of shape {tuple(thing.shape)}"
    return type(thing).__name__
