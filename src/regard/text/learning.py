"""Vocabularies learned from text: the same text gives the same vocabulary."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from tokenizers import Regex
from tokenizers import Tokenizer as Library
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel, PreTokenizer, Split
from tokenizers.pre_tokenizers import Sequence as Steps
from tokenizers.trainers import BpeTrainer

from regard.errors import RecipeError
from regard.text.cutting import PATTERNS
from regard.text.vocabulary import ALWAYS, WHOLE, Vocabulary, lone_surrogate, unspelled

LARGEST = 32_000
"""No vocabulary is larger unless a size is asked for."""


def size_for(data_bytes: int) -> int:
    """Choose how many tokens to learn from so many bytes of text: 35 times their cube root.

    Few sentences cannot teach many tokens. At least 300, at most 32,000.

    >>> [size_for(10**magnitude) for magnitude in (2, 4, 6, 8, 10)]
    [300, 754, 3500, 16246, 32000]
    """
    return min(max(300, round(35 * data_bytes ** (1 / 3))), LARGEST)


def learn(texts: Sequence[str], *, kind: str, size: int | None, least_count: int) -> Vocabulary:
    """Learn a vocabulary of at most ``size`` tokens, each met at least ``least_count`` times."""
    blank = Vocabulary(kind)  # refuses an unknown kind
    if size is not None and size < ALWAYS:
        raise RecipeError(
            f"size must be at least {ALWAYS}, the special tokens and the 256 bytes, but got {size}."
        )
    data_bytes = sum(_bytes_of(text) for text in texts)
    if kind in WHOLE:
        return _learn_whole(blank, texts, room=(size or LARGEST) - ALWAYS, least_count=least_count)
    size = size or size_for(data_bytes)
    led = [blank.led(text) for text in texts]
    learn_merges = _byte_merges if kind == "byte-level" else _character_merges
    merges = learn_merges(led, room=size - ALWAYS, least_count=least_count)
    return Vocabulary(kind, merges=[*merges])


def _learn_whole(blank: Vocabulary, texts: Sequence[str], *, room: int, least_count: int) -> Vocabulary:
    counts = Counter(chain.from_iterable(blank.cut(text) for text in texts))
    frequent = [item for item, count in counts.items() if count >= least_count and len(item.encode()) > 1]
    frequent.sort(key=lambda item: (-counts[item], item))
    return Vocabulary(blank.kind, learned=[item.encode() for item in frequent[:room]])


def _byte_merges(led: Sequence[str], *, room: int, least_count: int) -> Iterator[tuple[bytes, bytes]]:
    steps = [_split("byte-level"), ByteLevel(add_prefix_space=False, use_regex=False)]
    alphabet = ByteLevel.alphabet()
    for left, right in _merges(led, Steps(steps), alphabet, len(alphabet) + room, least_count):
        yield unspelled(left), unspelled(right)


def _character_merges(led: Sequence[str], *, room: int, least_count: int) -> Iterator[tuple[bytes, bytes]]:
    """First the merges that put each frequent character together, then those of characters."""
    counts = Counter(chain.from_iterable(led))
    wide = [character for character, count in counts.items() if count >= least_count and character > "\x7f"]
    wide.sort(key=lambda character: (-counts[character], character))
    prefixes = (
        (data[:cut], data[cut : cut + 1]) for data in map(str.encode, wide) for cut in range(1, len(data))
    )
    together = [*dict.fromkeys(prefixes)][:room]
    yield from together
    known = {bytes([byte]) for byte in range(256)} | {left + right for left, right in together}
    size = len(counts) + room - len(together)
    for pair in _merges(led, _split("byte-fallback"), [*counts], size, least_count):
        left, right = (part.encode() for part in pair)
        if left in known and right in known:
            known.add(left + right)
            yield left, right


def _merges(
    led: Iterable[str], cutting: PreTokenizer, alphabet: list[str], size: int, least_count: int
) -> list[tuple[str, str]]:
    library = Library(BPE())
    library.pre_tokenizer = cutting
    trainer = BpeTrainer(
        vocab_size=size, min_frequency=least_count, initial_alphabet=alphabet, show_progress=False
    )
    library.train_from_iterator(led, trainer)
    return [(left, right) for left, right in json.loads(library.to_str())["model"]["merges"]]


def _bytes_of(text: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise lone_surrogate(text) from None


def _split(kind: str) -> Split:
    return Split(Regex(PATTERNS[kind]), "isolated")
