"""The shortlist of a run: learned once from the pairs it was trained on, and kept in its folder."""

import hashlib
from collections.abc import Iterator
from contextlib import suppress

from regard.errors import RegardError, RunError
from regard.runs.folder import TOKENIZER, RunFolder, write_whole
from regard.runs.lessons import read_data
from regard.text import Tokenizer
from regard.translation import Shortlist

SHORTLIST = "shortlist.safetensors"
MOST_PAIRS = 200_000
"""Pairs that are learned from; of more, so many evenly spaced."""
_AT_ONCE = 10_000


def shortlist_of(folder: RunFolder, tokenizer: Tokenizer) -> Shortlist:
    """The shortlist kept with a run; if there is none yet it is made, which reads the training pairs."""
    path = folder.path / SHORTLIST
    made_for = hashlib.sha256((folder.path / TOKENIZER).read_bytes()).hexdigest()
    sizes = {"source_vocabulary": len(tokenizer.source), "target_vocabulary": len(tokenizer.target)}
    if path.exists():
        return Shortlist.load(path, made_for=made_for, **sizes)
    made = Shortlist.learn(_pairs(folder, tokenizer), copied=tokenizer.joint, **sizes)
    with suppress(OSError):  # a folder that is closed: it will be made again
        write_whole(path, made.saved(made_for=made_for))
    return made


def _pairs(folder: RunFolder, tokenizer: Tokenizer) -> Iterator[tuple[list[int], list[int]]]:
    """The tokens of the pairs that the run was trained on, or of some evenly spaced."""
    data = folder.recipe().data
    try:
        pairs = read_data(data).train.pairs
    except (RegardError, OSError) as error:
        raise RunError(
            f"{folder.path} has no {SHORTLIST}, and what it would be learned from cannot be read: {error} "
            "Bring the pairs back, or do without a shortlist."
        ) from error
    chosen = range(0, len(pairs), -(-len(pairs) // MOST_PAIRS) or 1)
    for first in range(0, len(chosen), _AT_ONCE):
        some = [pairs[place] for place in chosen[first : first + _AT_ONCE]]
        sources = tokenizer.source.encode_batch(pair.source for pair in some)
        targets = tokenizer.target.encode_batch(pair.target for pair in some)
        yield from zip(sources, targets, strict=True)
