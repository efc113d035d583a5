"""A bilingual grammar of English and French, with gold word alignments.

Conventions, so that an English sentence has one French translation:

- *you* is *tu*, but *vous* where the sentence says *sir*, *madam* or *doctor* to somebody;
- *i*, *you*, *we* and their objects agree in the masculine; *they* and *them* are *ils* and
  *les*, but *elles* after feminine nouns; *it* looks back at a noun and takes its gender;
- *was doing* and *used to do* are the imperfect, *did* the passé composé (the imperfect of
  verbs of state: *want, have, know, love*), *is going to* the futur proche; *is doing* and
  *does* the present, as are *has been doing … for* and *depuis*;
- the form *read* or *cut* without *-s* is a past;
- after *ne … pas, jamais, plus* an indefinite object takes *de*.

Conventions of the alignments: a word that stands for two is surely linked to both (*i'm* to
*je* and *suis*, *the* and *man* to *l'homme*); a contraction is possibly linked to both of
its halves (*of* and *the* to *du*); articles that only French says are possibly linked to
their noun; see :mod:`clauses` for verbs and negation.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from regard.text.embedded.english_french import (
    actions,
    asking,
    dealings,
    descriptions,
    distinctions,
    inquiries,
    joining,
    relating,
    scenes,
    weathers,
)
from regard.text.embedded.english_french.drawing import Draw
from regard.text.embedded.english_french.sayings import sayings
from regard.text.embedded.english_french.spelling import spell
from regard.text.embedded.english_french.weaving import Phrase
from regard.text.embedded.pairs import AlignedPair, split

__all__ = ["generate"]

Rule = Callable[[Draw], Phrase | None]

RULES: tuple[tuple[Rule, int], ...] = (
    (actions.act_on, 3520),
    (actions.act, 1500),
    (actions.must_act, 880),
    (actions.like_to_act, 400),
    (actions.have_done, 700),
    (actions.last, 310),
    (actions.exclude, 400),
    (actions.play, 350),
    (actions.use_language, 260),
    (actions.like, 440),
    (dealings.act_on_them, 1230),
    (dealings.must_act_on_them, 350),
    (dealings.speak_to, 530),
    (dealings.hand_over, 880),
    (dealings.take_some, 310),
    (dealings.go_there, 220),
    (dealings.order, 350),
    (dealings.order_for_them, 350),
    (dealings.suggest, 260),
    (descriptions.describe_person, 620),
    (descriptions.describe_thing, 1140),
    (descriptions.feel, 350),
    (descriptions.fear, 310),
    (descriptions.need, 350),
    (descriptions.remember, 310),
    (distinctions.tell_age, 260),
    (distinctions.tell_trade, 260),
    (distinctions.compare, 530),
    (distinctions.single_out, 310),
    (distinctions.point_out, 480),
    (scenes.locate, 530),
    (scenes.exist, 620),
    (scenes.nobody_there, 130),
    (scenes.go_to, 400),
    (scenes.live_in, 310),
    (scenes.come_from, 220),
    (scenes.be_home, 260),
    (scenes.be_born, 220),
    (weathers.weather, 260),
    (weathers.weather_permitting, 260),
    (weathers.tell_hour, 110),
    (weathers.keep_time, 260),
    (asking.ask_if, 790),
    (asking.ask_if_them, 260),
    (asking.ask_for, 260),
    (asking.ask_circumstance, 440),
    (asking.ask_what, 260),
    (asking.ask_who, 310),
    (asking.ask_which, 350),
    (inquiries.ask_where_is, 220),
    (inquiries.ask_whose, 130),
    (inquiries.ask_colour, 130),
    (inquiries.ask_price, 130),
    (inquiries.ask_how, 180),
    (inquiries.ask_hour, 180),
    (inquiries.ask_politely, 530),
    (relating.tell_who, 350),
    (relating.know_who, 350),
    (relating.tell_what, 440),
    (relating.name_doer, 260),
    (relating.tell_of_anybody, 310),
    (relating.believe, 440),
    (relating.wonder, 350),
    (joining.explain, 440),
    (joining.like_because, 260),
    (joining.contrast, 310),
    (joining.meanwhile, 350),
    (joining.recall_youth, 260),
    (joining.then, 350),
    (joining.errand, 350),
    (joining.too, 180),
    (joining.judge, 260),
)
"""Every construction, and how many different sentences to draw from it."""

SEED = 2
ATTEMPTS = 3
"""How often to draw, for each sentence wanted, before a construction is taken to be exhausted."""
LONGEST = 14
FEWEST = 10
"""A word met less often than this in training cannot be learned: sentences that need it are left out."""


def generate() -> Iterator[AlignedPair]:
    """Yield the pairs of the corpus, always the same and in the same order.

    >>> next(generate()).target
    'je suis chez moi .'
    """
    phrases = sayings()
    said = {phrase.english for phrase in phrases}
    yield from map(spell, phrases)
    drawn: list[AlignedPair] = []
    draw = Draw(SEED)
    for rule, count in RULES:
        drawn += islice(_draw_from(rule, draw, count * ATTEMPTS, said), count)
    yield from _learnable(drawn)


def _draw_from(rule: Rule, draw: Draw, attempts: int, said: set[tuple[str, ...]]) -> Iterator[AlignedPair]:
    """Draw sentences that have not been said yet."""
    for _ in range(attempts):
        phrase = rule(draw)
        if phrase is not None and phrase.english not in said:
            said.add(phrase.english)
            pair = spell(phrase)
            if _reads_well(pair):
                yield pair


def _reads_well(pair: AlignedPair) -> bool:
    """Not too long, without *that that* or *at at*, nor a *je suis* that follows somebody."""
    words = pair.source_words
    return (
        max(len(words), len(pair.target_words)) <= LONGEST
        and all(map(str.__ne__, words, words[1:]))
        and not ("i'm" in words and "following" in words)
    )


def _learnable(pairs: list[AlignedPair]) -> list[AlignedPair]:
    """Leave out the sentences with words that are rare in training, until no word is."""
    in_training = {id(pair) for pair in split(pairs).train}
    while True:
        trained = [pair for pair in pairs if id(pair) in in_training]
        known = _frequent(pair.source_words for pair in trained)
        known_too = _frequent(pair.target_words for pair in trained)
        kept = [
            pair
            for pair in pairs
            if known.issuperset(pair.source_words) and known_too.issuperset(pair.target_words)
        ]
        if len(kept) == len(pairs):
            return kept
        pairs = kept


def _frequent(sentences: Iterable[tuple[str, ...]]) -> set[str]:
    counts = Counter(chain.from_iterable(sentences))
    return {word for word, count in counts.items() if count >= FEWEST}
