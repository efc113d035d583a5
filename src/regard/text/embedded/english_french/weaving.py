"""Two sentences woven from one pattern, so that every word knows the word it stands for.

A pattern is a line of English and a line of French. Words that share a tag are linked:
``don't/n`` with ``pas/n`` surely, ``don't/n`` with ``ne/n?`` possibly. ``{slot}`` takes a
ready phrase, which brings its own links, or bare words, which take the slot's tags. A
punctuation mark stands for the same mark on the other side.
"""

from functools import cache
from typing import NamedTuple

PUNCTUATION = frozenset(".?!,")


class Phrase(NamedTuple):
    """Some English, its French, and links (English place, French place, sure?).

    ``lemmas`` are the content words in it; they name the combination a sentence makes.
    """

    english: tuple[str, ...]
    french: tuple[str, ...]
    links: tuple[tuple[int, int, bool], ...] = ()
    lemmas: tuple[str, ...] = ()


class Term(NamedTuple):
    """English words of one content word, for a slot that takes the slot's tags."""

    text: str
    lemma: str


NOTHING = Phrase((), ())


def listed(words: str) -> tuple[str, ...]:
    """Read a list of words from a line.

    >>> listed("red green")
    ('red', 'green')
    """
    return tuple(words.split())


def weave(english: str, french: str, /, **slots: Phrase | Term | str) -> Phrase:
    """Fill both lines of a pattern and link what shares a tag; a slot that is not given says nothing.

    >>> weave("i/s don't/n {v}/v .", "je/s ne/n? {f}/v pas/n .", v="sleep", f="dors").links
    ((0, 0, True), (1, 1, False), (1, 3, True), (2, 2, True), (3, 4, True))
    """
    source_items, target_items, joins, shared = _plan(english, french, tuple(slots))
    source, source_starts, lemmas = _lay(source_items, slots, in_french=False)
    target, target_starts, _ = _lay(target_items, slots, in_french=True)
    links = []
    for a, b, sure in joins:
        i, end, j, end_too = source_starts[a], source_starts[a + 1], target_starts[b], target_starts[b + 1]
        if end - i == end_too - j == 1:  # nearly always
            links.append((i, j, sure))
        elif i < end and j < end_too:
            links += [(place, place_too, sure) for place in range(i, end) for place_too in range(j, end_too)]
    for slot, a, b in shared:
        filling = slots[slot]
        if type(filling) is Phrase:
            i, j = source_starts[a], target_starts[b]
            links += [(i + place, j + place_too, sure) for place, place_too, sure in filling.links]
    return Phrase(tuple(source), tuple(target), tuple(links), tuple(lemmas))


def chain(*phrases: Phrase) -> Phrase:
    """Put phrases one after the other, in the same order on both sides."""
    english: tuple[str, ...] = ()
    french: tuple[str, ...] = ()
    links: tuple[tuple[int, int, bool], ...] = ()
    lemmas: tuple[str, ...] = ()
    for phrase in phrases:
        i, j = len(english), len(french)
        links += tuple([(place + i, place_too + j, sure) for place, place_too, sure in phrase.links])
        english += phrase.english
        french += phrase.french
        lemmas += phrase.lemmas
    return Phrase(english, french, links, lemmas)


def lead(french: str, phrase: Phrase) -> Phrase:
    """Put a French word before a phrase that English says without: *answers paul*, *répond à paul*.

    It is possibly each of the English words.
    """
    links = tuple((i, j + 1, sure) for i, j, sure in phrase.links)
    links += tuple((i, 0, False) for i in range(len(phrase.english)))
    return phrase._replace(french=(french, *phrase.french), links=links)


Item = tuple[str, str]
"""A slot's name and no word, or no name and a word."""


def _lay(
    items: tuple[Item, ...], slots: dict[str, Phrase | Term | str], in_french: bool
) -> tuple[list[str], list[int], list[str]]:
    """The words of one side, where each item starts in them, and the lemmas met."""
    words: list[str] = []
    starts = [0]
    lemmas: list[str] = []
    for slot, word in items:
        if word:
            words.append(word)
        elif filling := slots[slot]:
            if type(filling) is str:
                words += filling.split()
            elif type(filling) is Phrase:
                words += filling.french if in_french else filling.english
                lemmas += filling.lemmas
            elif type(filling) is Term:
                words += filling.text.split()
                lemmas.append(filling.lemma)
        starts.append(len(words))
    return words, starts, lemmas


@cache
def _plan(
    english: str, french: str, given: tuple[str, ...]
) -> tuple[
    tuple[Item, ...], tuple[Item, ...], tuple[tuple[int, int, bool], ...], tuple[tuple[str, int, int], ...]
]:
    """The items of both lines; which of them share a tag, surely or not; which are the same slot."""
    source, target = _parse(english, given), _parse(french, given)
    joins: dict[tuple[int, int], bool] = {}
    shared = []
    for a, (item, tags) in enumerate(source):
        for b, (item_too, tags_too) in enumerate(target):
            for tag in tags.keys() & tags_too.keys():
                joins[a, b] = joins.get((a, b), False) or (tags[tag] and tags_too[tag])
            if item[0] and item[0] == item_too[0]:
                shared.append((item[0], a, b))
    return (
        tuple(item for item, _ in source),
        tuple(item for item, _ in target),
        tuple((a, b, sure) for (a, b), sure in joins.items()),
        tuple(shared),
    )


def _parse(line: str, given: tuple[str, ...]) -> list[tuple[Item, dict[str, bool]]]:
    """The items of a line, each with its tags, each with: is it sure?."""
    parsed = []
    for word in line.split():
        text, _, tags = word.partition("/")
        item = (text[1:-1], "") if text.startswith("{") else ("", text)
        if item[0] and item[0] not in given:
            continue
        sure = {tag.rstrip("?"): not tag.endswith("?") for tag in tags.split(",") if tag}
        parsed.append((item, {text: True} if text in PUNCTUATION else sure))
    return parsed
