"""The English-Chinese grammar of the embedded corpus.

Simplified characters; the target words are the words of the grammar, joined without spaces. What
English leaves open is settled by convention, so that every sentence has one translation: *you* is
你, *they* 他们, *the* is unmarked, a past action takes 了, its denial 没, *very* is 非常 and an
adjective said plainly takes 很.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from regard.text.embedded.english_chinese import (
    animals,
    asking,
    changing,
    comparing,
    counting,
    describing,
    doing,
    finishing,
    fixed,
    giving,
    handling,
    having,
    knowing,
    liking,
    linking,
    living,
    moving,
    naming,
    placing,
    relating,
    repeating,
    sharing,
    timing,
    weather,
    wishing,
)
from regard.text.embedded.pairs import AlignedPair, split

__all__ = ["generate"]

LONGEST = 14
"""English words in a sentence, punctuation included."""
FEWEST = 15
"""Sentences of the training part in which a word must be met."""
CHAPTERS = (
    *(
        fixed,
        describing,
        comparing,
        naming,
        having,
        liking,
        placing,
        moving,
        living,
        doing,
        repeating,
        finishing,
    ),
    *(
        giving,
        handling,
        wishing,
        sharing,
        counting,
        weather,
        animals,
        changing,
        asking,
        linking,
        timing,
        relating,
    ),
    knowing,
)


def generate() -> Iterator[AlignedPair]:
    """Yield every pair of the corpus once, always in the same order.

    >>> first = next(generate())
    >>> first.source, first.target
    ("i'm home .", '我到家了。')
    """
    pairs: dict[str, AlignedPair] = {}
    for chapter in CHAPTERS:
        for rule in chapter.RULES:
            for pair in rule():
                if len(pair.source_words) <= LONGEST:
                    pairs.setdefault(pair.source, pair)
    yield from _learnable(list(pairs.values()))


def _learnable(pairs: list[AlignedPair]) -> list[AlignedPair]:
    """Leave out what has a word too rare in training to be learnt; fixed phrases may stay."""
    trained = {id(pair) for pair in split(pairs).train}
    entries = [
        (pair, frozenset(pair.source_words + pair.target_words), id(pair) in trained) for pair in pairs
    ]
    met = Counter(chain.from_iterable(words for _, words, is_trained in entries if is_trained))
    while True:
        common = {word for word, times in met.items() if times >= FEWEST}
        rare = [entry for entry in entries if not entry[1] <= common and entry[0].combination]
        if not rare:
            return [pair for pair, _, _ in entries]
        entries = [entry for entry in entries if entry[1] <= common or not entry[0].combination]
        met.subtract(chain.from_iterable(words for _, words, is_trained in rare if is_trained))
