"""The tokens that a translation is likely to need: fewer to compare at every step.

Comparing a hidden vector with every token of the vocabulary is half of the work of writing. Most of it is
lost on words that have nothing to do with the sentence. A shortlist says beforehand which may occur: those
that occur everywhere, and for each token of the source those that translate it, learned from sentence pairs
by the first of IBM's models (Brown et al., 1993): how likely t is beside s is counted anew, each t being
shared out among the s of its pair by how likely it was beside them before.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Int
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from regard.errors import DataError, RunError
from regard.text import UNKNOWN

Tokens = Sequence[int]
ALWAYS = 260
"""The first tokens of a vocabulary: the special ones and, where it has them, the bytes."""
USUAL, EACH = 256, 32
"""How many of the most frequent tokens go with every sentence, and how many with each token of its source."""
MOST_EACH = 256
"""More than that of each is no short list."""
ROUNDS = 3
"""How often the model counts anew: the first time everything is equally likely."""
AT_ONCE = 2_000
"""Sentence pairs that are counted together."""
MOST_KEPT = 1 << 24
"""Pairs of a source and a target token that are remembered; the lightest are forgotten first."""
LONGEST = 128
"""Tokens of a sentence that are counted."""
_VERSION = "1"


@dataclass(frozen=True, eq=False)
class Shortlist:
    """For each source token its likeliest target tokens, -1 where there are fewer; and those that always go.

    ``copied`` says that both sides have one vocabulary: then a token of the source may always be written.

    >>> pairs = [([260, 261], [262, 263]), ([260], [262])] * 3
    >>> shortlist = Shortlist.learn(pairs, source_vocabulary=264, target_vocabulary=264, usual=0, each=1)
    >>> tokens, keep = shortlist.of([[260], [261]])
    >>> tokens[260:], keep[:, 260:]
    (tensor([262, 263]), tensor([[ True, False], [False,  True]]))
    """

    always: Int[Tensor, " always"]
    likely: Int[Tensor, "vocabulary each"]
    vocabulary: int
    """How many target tokens there are."""
    copied: bool = False

    @classmethod
    def learn(
        cls,
        pairs: Iterable[tuple[Tokens, Tokens]],
        *,
        source_vocabulary: int,
        target_vocabulary: int,
        usual: int = USUAL,
        each: int = EACH,
        copied: bool = False,
    ) -> "Shortlist":
        """Learn from the tokens of sentence pairs, which are gone through once and then held."""
        held = [_arrays(source, target) for source, target in pairs]
        if not held:
            raise DataError("a shortlist is learned from sentence pairs, but there are none.")
        counts = np.bincount(np.concatenate([target for _, target in held]), minlength=target_vocabulary)
        counts[:ALWAYS] = 0
        frequent = np.argsort(-counts, kind="stable")[:usual]
        frequent = frequent[counts[frequent] > 0]
        always = np.union1d(np.arange(min(ALWAYS, target_vocabulary)), frequent)
        keys, shares = _learned(held, target_vocabulary)
        likely = _likeliest(keys, shares, source_vocabulary, target_vocabulary, each)
        return cls(
            torch.from_numpy(always.astype(np.int32)), torch.from_numpy(likely), target_vocabulary, copied
        )

    def of(
        self, sources: Sequence[Tokens], prefixes: Sequence[Tokens] | None = None
    ) -> tuple[Int[Tensor, " listed"], Bool[Tensor, "sentences listed"]]:
        """The tokens of all these sentences together, in order, and which of them each may use."""
        keep = torch.zeros(len(sources), self.vocabulary, dtype=torch.bool)
        keep[:, self.always.long()] = True
        for number, source in enumerate(sources):
            tokens = torch.tensor([*source], dtype=torch.long)
            likely = self.likely[tokens].flatten()
            keep[number, likely[likely >= 0].long()] = True
            if self.copied:
                keep[number, tokens] = True
            if prefixes is not None:
                keep[number, torch.tensor([*prefixes[number]], dtype=torch.long)] = True
        listed = keep.any(dim=0).nonzero().flatten()
        return listed, keep[:, listed]

    def saved(self, *, made_for: str) -> bytes:
        """As a file is written, with the hash of the tokenizer it is made for and its own."""
        tensors = {"always": self.always.contiguous(), "likely": self.likely.contiguous()}
        return save(
            tensors,
            {
                "version": _VERSION,
                "tokenizer": made_for,
                "vocabulary": str(self.vocabulary),
                "copied": str(self.copied),
                "sha256": _hash(tensors),
            },
        )

    @classmethod
    def load(
        cls, path: Path, *, made_for: str, source_vocabulary: int, target_vocabulary: int
    ) -> "Shortlist":
        """Read a file, and see that it is whole and made for this tokenizer."""
        anew = "Delete it, and it is made anew."
        if not path.is_file():
            raise RunError(f"{path} is not a file. {anew}")
        largest = 4 * (target_vocabulary + source_vocabulary * MOST_EACH) + (1 << 16)
        if (size := path.stat().st_size) > largest:
            raise RunError(f"{path} has {size:,} bytes, but a shortlist has at most {largest:,}. {anew}")
        try:
            with safe_open(path, framework="pt") as file:
                told: dict[str, str] = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, OSError, ValueError) as error:
            raise RunError(f"{path} is not a whole safetensors file: {error}. {anew}") from error
        if told.get("version") != _VERSION:
            raise RunError(f"{path} is of version {told.get('version')}, but {_VERSION} is read. {anew}")
        if told.get("tokenizer") != made_for:
            raise RunError(f"{path} was made for another tokenizer. {anew}")
        whole = (
            {*tensors} == {"always", "likely"}
            and all(tensor.dtype == torch.int32 for tensor in tensors.values())
            and tensors["always"].ndim == 1
            and tensors["likely"].ndim == 2
            and len(tensors["likely"]) == source_vocabulary
            and told.get("vocabulary") == str(target_vocabulary)
            and told.get("sha256") == _hash(tensors)
            and tensors["always"][: UNKNOWN + 1].tolist() == [*range(UNKNOWN + 1)]  # in places of their own
            and _within(tensors["always"], 0, target_vocabulary)
            and _within(tensors["likely"], -1, target_vocabulary)
        )
        if not whole:
            raise RunError(f"{path} is damaged. {anew}")
        return cls(tensors["always"], tensors["likely"], target_vocabulary, told.get("copied") == "True")


def _hash(tensors: dict[str, Tensor]) -> str:
    together = hashlib.sha256()
    for name in sorted(tensors):
        together.update(name.encode() + str(tuple(tensors[name].shape)).encode())
        together.update(tensors[name].numpy().tobytes())
    return together.hexdigest()


def _within(tensor: Tensor, least: int, end: int) -> bool:
    return tensor.numel() == 0 or (int(tensor.min()) >= least and int(tensor.max()) < end)


def _arrays(source: Tokens, target: Tokens) -> tuple[np.ndarray, np.ndarray]:
    """The different tokens of each side."""
    return (
        np.unique(np.asarray(source[:LONGEST], dtype=np.int64)),
        np.unique(np.asarray(target[:LONGEST], dtype=np.int64)),
    )


def _learned(held: list[tuple[np.ndarray, np.ndarray]], vocabulary: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of tokens as numbers, s · vocabulary + t, and how likely t is beside s."""
    keys, shares = np.empty(0, dtype=np.int64), np.empty(0)
    for crossed, column, sizes in _crossed(held, vocabulary):
        added = np.bincount(crossed[1], weights=1.0 / sizes[column])
        keys, shares = _merged(keys, shares, crossed[0], added)
    shares = shares / _of_source(keys, shares, vocabulary)
    for _ in range(ROUNDS - 1):
        counted = np.zeros_like(shares)
        for (met, where), column, sizes in _crossed(held, vocabulary):
            places = np.searchsorted(keys, met).clip(max=len(keys) - 1)
            weights = np.where(keys[places] == met, shares[places], 0.0)[where]
            whole = np.bincount(column, weights=weights, minlength=len(sizes))
            weights = weights / np.maximum(whole, 1e-30)[column]
            known = keys[places] == met  # a couple that was forgotten has no place of its own
            counted[places[known]] += np.bincount(where, weights=weights, minlength=len(met))[known]
        shares = counted / np.maximum(_of_source(keys, counted, vocabulary), 1e-30)
    return keys, shares


def _crossed(
    held: list[tuple[np.ndarray, np.ndarray]], vocabulary: int
) -> Iterator[tuple[tuple[np.ndarray, np.ndarray], np.ndarray, np.ndarray]]:
    """Every source token with every target token of its pair, many pairs at a time.

    Gives the different numbers of such couples and which each couple has; to which target token of which
    pair a couple belongs; and how many source tokens that has to choose from.
    """
    pairs = iter(held)
    while some := [*islice(pairs, AT_ONCE)]:
        couples = [(source[:, None] * vocabulary + target).ravel() for source, target in some]
        first, columns, sizes = 0, [], []
        for source, target in some:
            columns.append(np.tile(np.arange(first, first + len(target)), len(source)))
            sizes.append(np.full(len(target), max(len(source), 1), dtype=np.float64))
            first += len(target)
        met, where = np.unique(np.concatenate(couples), return_inverse=True)
        yield (met, where.ravel()), np.concatenate(columns), np.concatenate(sizes)


def _merged(
    keys: np.ndarray, shares: np.ndarray, new: np.ndarray, added: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The sums of both; where there are too many, of the heaviest."""
    together, where = np.unique(np.concatenate([keys, new]), return_inverse=True)
    sums = np.bincount(where.ravel(), weights=np.concatenate([shares, added]))
    if len(together) > MOST_KEPT:
        kept = np.sort(np.argpartition(-sums, MOST_KEPT)[:MOST_KEPT])
        together, sums = together[kept], sums[kept]
    return together, sums


def _of_source(keys: np.ndarray, shares: np.ndarray, vocabulary: int) -> np.ndarray:
    """For each key the sum over all of its source token."""
    source = keys // vocabulary
    sums: np.ndarray = np.bincount(source, weights=shares)[source] if len(keys) else shares
    return sums


def _likeliest(
    keys: np.ndarray, shares: np.ndarray, source_vocabulary: int, vocabulary: int, each: int
) -> np.ndarray:
    """A row for each source token, its likeliest first."""
    source, target = keys // vocabulary, keys % vocabulary
    order = np.lexsort((target, -shares, source))
    source, target = source[order], target[order]
    begun = np.searchsorted(source, np.arange(source_vocabulary))
    rank = np.arange(len(source)) - begun[source]
    kept = (rank < each) & (shares[order] > 0)
    likely: np.ndarray = np.full((source_vocabulary, each), -1, dtype=np.int32)
    likely[source[kept], rank[kept]] = target[kept]
    return likely
