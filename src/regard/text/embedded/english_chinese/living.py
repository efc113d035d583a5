"""Where people live and work, and what they do there."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.adjectives import QUALITIES
from regard.text.embedded.english_chinese.noun_phrases import NUMBERS, a
from regard.text.embedded.english_chinese.nouns import NOUNS, nouns
from regard.text.embedded.english_chinese.people import ASKED, TOLD, WORKING, YOU
from regard.text.embedded.english_chinese.phrases import pair, phrase
from regard.text.embedded.english_chinese.places import FAR, HAUNTS, spot
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.verbs import suits, verb
from regard.text.embedded.pairs import AlignedPair

_LIVE = verb("live = 住")
_WORK = verb("work = 工作")
_LIVES = (
    ("{who} {live.who} in/i {place} .", "{who} {live} 在/i {place} 。"),
    ("{who} {don't.who}/n {live} in/i {place} .", "{who} 不/n {live} 在/i {place} 。"),
    (
        "{who} {have.who}/l? {live.done}/l in/i {place} for/l? {count} years/y .",
        "{who} 在/i {place} {live} 了/l? {count} 年/y 了/l? 。",
    ),
)
_LIVES_IN_A = ("{who} {live.who} in/i {place} .", "{who} {live} 在/i? {place} 里/i 。")
_LIVES_ON_A = ("{who} {live.who} on/i {place} .", "{who} {live} 在/i? {place} 上/i 。")
_WORKS = ("{who} {work.who} at/i {place} .", "{who} 在/i {place} {work} 。")


def homes() -> Iterator[AlignedPair]:
    """*her uncle lives in shanghai*: 她叔叔住在上海; *works at a bank*: 在一家银行工作."""
    years = [
        phrase(f"{count}/n", f"{NUMBERS[count]}/n") for count in ("two", "three", "five", "ten", "twenty")
    ]
    for person, place, count, rule in spread(200, "live", TOLD, FAR, years, _LIVES):
        yield pair("live", rule, who=person.subject, live=_LIVE, place=place, count=count)
    kept_house = nouns("town island house")
    settings = [(adjective, noun) for adjective, noun in dict.fromkeys(QUALITIES) if noun in kept_house]
    for person, (adjective, noun) in spread(140, "live in a", TOLD, settings):
        rule = _LIVES_ON_A if noun is NOUNS["island"] else _LIVES_IN_A
        yield pair("live", rule, who=person.subject, live=_LIVE, place=a(adjective.before(noun)))
    workers = [person for person in WORKING if person is not YOU]
    for person, noun in spread(130, "work", workers, nouns("business institution")):
        yield pair("work", _WORKS, who=person.subject, work=_WORK, place=a(noun))
    for person in ASKED:
        if person.subject.lemmas:
            rule = ("where/w {do.who}/v? {who} live/v ?", "{who} 住/v 在/w? 哪里/w ？")
            yield pair("where live", rule, who=person.subject)
            rule = ("where/w {do.who}/v? {who} work/v ?", "{who} 在/w? 哪里/w 工作/v ？")
            if person.is_grown:
                yield pair("where work", rule, who=person.subject)


_AT_IT = (
    ("{who.be}/b? {act.ing} {spot}/p .", "{who} 在/b?p? {spot} {act} 。"),
    ("{who} often/o {act.who} {spot}/p .", "{who} 经常/o 在/p? {spot} {act} 。"),
    ("{who.be}/b? not/n {act.ing} {spot}/p .", "{who} 没/n 在/b?p? {spot} {act} 。"),
)


def haunts() -> Iterator[AlignedPair]:
    """*she is reading in the library*: 她在图书馆里看书."""
    for person, (place, doing), rule in spread(300, "at the place", TOLD, HAUNTS, _AT_IT):
        if suits(person, doing):
            yield pair("at", rule, who=person.subject, act=doing, spot=spot("in", place))


RULES = (homes, haunts)
