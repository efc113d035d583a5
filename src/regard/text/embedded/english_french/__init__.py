"""A bilingual grammar of English and French, with gold word alignments.

Conventions, so that an English sentence has one French translation:

- *you* is *tu*, but *vous* where the sentence says *sir*, *madam* or *doctor* to somebody;
- *i*, *you*, *we* and their objects agree in the masculine; *they* and *them* are *ils* and
  *les*, but *elles* after feminine nouns; *it* looks back at a noun and takes its gender;
- *was doing* and *used to do* are the imperfect, *did* the passé composé (the imperfect of
  verbs of state: *want, have, know, love, like* …), *is going to* the futur proche; *is doing* and
  *does* the present, as are *has been doing … for* and *depuis*;
- the form *read* or *cut* without *-s* is a past;
- *this* and *that* are *ce*, *his* and *her* are *son*, in the gender of the noun that follows;
- after *ne … pas, jamais, plus* an indefinite object takes *de*.

Conventions of the alignments: a word that stands for two is surely linked to both (*i'm* to
*je* and *suis*, *the* and *man* to *l'homme*); a contraction is possibly linked to both of
its halves (*of* and *the* to *du*); articles that only French says are possibly linked to
their noun; see :mod:`clauses` for verbs and negation.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, islice

from regard.text.embedded.english_french import (
    actions,
    asking,
    dealings,
    descriptions,
    distinctions,
    inquiries,
    joining,
    plain,
    purposes,
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
    (actions.act_on, 3270),
    (actions.act, 1400),
    (actions.must_act, 820),
    (actions.like_to_act, 370),
    (actions.have_done, 650),
    (actions.last, 290),
    (actions.exclude, 370),
    (actions.play, 330),
    (actions.use_language, 240),
    (actions.like, 410),
    (dealings.act_on_them, 1140),
    (dealings.must_act_on_them, 330),
    (dealings.speak_to, 490),
    (dealings.hand_over, 820),
    (dealings.take_some, 290),
    (dealings.go_there, 200),
    (dealings.order, 330),
    (dealings.order_for_them, 330),
    (dealings.suggest, 240),
    (descriptions.describe_person, 580),
    (descriptions.describe_thing, 1060),
    (descriptions.tell_open, 180),
    (descriptions.feel, 330),
    (descriptions.fear, 290),
    (descriptions.need, 330),
    (descriptions.remember, 290),
    (distinctions.tell_age, 360),
    (distinctions.tell_trade, 240),
    (distinctions.compare, 490),
    (distinctions.single_out, 290),
    (distinctions.point_out, 450),
    (scenes.locate, 490),
    (scenes.exist, 580),
    (scenes.nobody_there, 120),
    (scenes.go_to, 370),
    (scenes.live_in, 290),
    (scenes.come_from, 200),
    (scenes.be_home, 240),
    (scenes.be_born, 300),
    (weathers.weather, 320),
    (weathers.weather_permitting, 240),
    (weathers.tell_hour, 100),
    (weathers.keep_time, 240),
    (asking.ask_if, 730),
    (asking.ask_if_them, 240),
    (asking.ask_for, 240),
    (asking.ask_circumstance, 410),
    (asking.ask_what, 240),
    (asking.ask_who, 290),
    (asking.ask_which, 330),
    (inquiries.ask_where_is, 200),
    (inquiries.ask_whose, 120),
    (inquiries.ask_colour, 120),
    (inquiries.ask_price, 120),
    (inquiries.ask_how, 170),
    (inquiries.ask_hour, 170),
    (inquiries.ask_politely, 490),
    (relating.tell_who, 330),
    (relating.know_who, 330),
    (relating.tell_what, 410),
    (relating.name_doer, 240),
    (relating.tell_of_anybody, 290),
    (relating.believe, 410),
    (relating.wonder, 330),
    (joining.explain, 410),
    (joining.like_because, 240),
    (joining.contrast, 290),
    (joining.meanwhile, 330),
    (joining.recall_youth, 240),
    (purposes.then, 330),
    (purposes.errand, 330),
    (purposes.too, 170),
    (purposes.judge, 240),
    (plain.just_act, 1000),
    (plain.just_act_on, 1700),
    (plain.describe_known, 900),
    (plain.say_in_full, 450),
)
"""Every construction, and how many different sentences to draw from it."""

SEED = 2
ATTEMPTS = 3
"""How often to draw, for each sentence wanted, before a construction is taken to be exhausted."""
LONGEST = 14
FEWEST = 10
"""A word met less often than this in training cannot be learned: sentences that need it are left out."""

IDLE = ({"break", "broken"}, {"fill", "full"}, {"wash", "clean"})
"""What need not be done."""


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
    """Draw sentences that have not been said yet, whether before or after spelling."""
    for _ in range(attempts):
        phrase = rule(draw)
        if phrase is None or phrase.english in said:
            continue
        pair = spell(phrase)
        is_new = pair.source_words not in said
        said.update((phrase.english, pair.source_words))
        if is_new and _reads_well(pair):
            yield pair


def _reads_well(pair: AlignedPair) -> bool:
    """Not too long, without *that that*, *cleaned the clean cup* or a *je suis* that follows somebody."""
    words, lemmas = pair.source_words, (pair.combination or "").split("|")
    return (
        max(len(words), len(pair.target_words)) <= LONGEST
        and all(map(str.__ne__, words, words[1:]))
        and len(set(lemmas)) == len(lemmas)
        and not any(idle.issubset(lemmas) for idle in IDLE)
        and not ("i'm" in words and "following" in words)
    )


def _learnable(pairs: list[AlignedPair]) -> list[AlignedPair]:
    """Leave out the sentences with words that are rare in training, until no word is."""
    in_training = {id(pair) for pair in split(pairs).train}
    trained = [pair for pair in pairs if id(pair) in in_training]
    english = Counter(chain.from_iterable(pair.source_words for pair in trained))
    french = Counter(chain.from_iterable(pair.target_words for pair in trained))
    while True:
        known = {word for word, count in english.items() if count >= FEWEST}
        known_too = {word for word, count in french.items() if count >= FEWEST}
        kept = []
        for pair in pairs:
            if known.issuperset(pair.source_words) and known_too.issuperset(pair.target_words):
                kept.append(pair)
            elif id(pair) in in_training:
                english.subtract(pair.source_words)
                french.subtract(pair.target_words)
        if len(kept) == len(pairs):
            return kept
        pairs = kept
