"""What one has, keeps, wears and needs."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.adjectives import Adjective
from regard.text.embedded.english_chinese.noun_phrases import a, number, role
from regard.text.embedded.english_chinese.nouns import Noun, nouns
from regard.text.embedded.english_chinese.people import ASKED, KIN, KNOWN, SIBLINGS, TOLD
from regard.text.embedded.english_chinese.phrases import Phrase, pair, phrase
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.things import attributed, colours_of, may_have, some_of
from regard.text.embedded.english_chinese.verbs import countable, verb
from regard.text.embedded.pairs import AlignedPair

OWNED_THINGS = countable(
    "device carried stationery vehicle-hired instrument bag suitcase dictionary toy map pet"
)
_FEW_AT_MOST = [noun for noun in KIN.values() if not noun.kinds & {"spouse", "elder"}]
_SINGLE_KIN = (KIN["mother"], KIN["father"])

_HAS = ("{who} {have.who}/h {what} .", "{who} 有/h {what} 。")
_HAS_NOT = ("{who} {don't.who}/n have/n {what} .", "{who} 没有/n {what} 。")
_HAS_SHE = (
    ("{do.who}/q? {who} have/h {what} ?", "{who} 有/h {what} 吗/q? ？"),
    ("{do.who}/q? {who} have/h any/t {some} ?", "{who} 有没有/hq?t? {some} ？"),
)
_HOW_MANY = (
    "how/m? many/m {some}/c {do.who}/q? {who} have/h ?",
    "{who} 有/h 几/mq? {classifier}/m?c? {some} ？",
)
_HAS_ONE = ("{who} only/o {have.who}/h one/n {what}/c .", "{who} 只/o 有/h 一/n {classifier}/n?c? {what} 。")


def belongings() -> Iterator[AlignedPair]:
    """*she has two guitars*: 她有两把吉他; *he doesn't have a car*: 他没有车."""
    for person, noun, draw in spread(230, "have", TOLD, OWNED_THINGS, range(30)):
        yield pair("have", _HAS, who=person.subject, what=some_of(noun, draw))
    for person, noun in spread(130, "have not", TOLD, OWNED_THINGS):
        yield pair("have", _HAS_NOT, who=person.subject, what=role(noun))
    for person, noun, rule in spread(160, "have?", ASKED, OWNED_THINGS, _HAS_SHE):
        yield pair("have", rule, who=person.subject, what=role(noun), some=noun.plural)
    for person, noun in spread(120, "how many", ASKED, [*OWNED_THINGS, *_FEW_AT_MOST]):
        if noun not in _SINGLE_KIN:
            classifier = noun.classifier
            yield pair("how many", _HOW_MANY, who=person.subject, some=noun.plural, classifier=classifier)
    for person, noun in spread(150, "only one", KNOWN, OWNED_THINGS):
        classifier = noun.classifier
        yield pair("only", _HAS_ONE, who=person.subject, what=noun.singular, classifier=classifier)
    singles = [person for person in KNOWN if person.pronoun in ("i", "you", "he", "she")]
    family = [*SIBLINGS, KIN["son"], KIN["daughter"], *nouns("child friend")]
    for person, noun, count in spread(200, "siblings", singles, family, ("one", "two", "two", "three")):
        if not (person.subject.lemmas and noun in SIBLINGS):
            yield pair(
                "have", _HAS, who=person.subject, what=a(noun) if count == "one" else number(count, noun)
            )


_PRIZED = [
    noun
    for noun in attributed()
    if noun.kinds & {"device", "carried", "vehicle", "furniture", "garment", "home", "cub", "instrument"}
    and not noun.kinds & {"wild", "hired"}
]


def prized() -> Iterator[AlignedPair]:
    """*he has a new car*: 他有一辆新车; *my uncle needs a new phone*: 我叔叔需要一部新手机."""
    for person, noun in spread(150, "a new one", TOLD, _PRIZED):
        if noun.singular.english[0] not in ("cheap", "useful") and may_have(person, noun):
            yield pair("have", _HAS, who=person.subject, what=a(noun))
    rule = ("{who} {need.who} {what} .", "{who} {need} {what} 。")
    need = verb("need = 需要")
    needed = [noun for noun in _PRIZED if noun.singular.english[0] in ("new", "big", "comfortable")]
    for person, noun in spread(90, "needs", TOLD, [noun for noun in needed if not noun.kinds & {"animal"}]):
        yield pair("need", rule, who=person.subject, need=need, what=a(noun))


def pets() -> Iterator[AlignedPair]:
    """*her aunt keeps three cats*: 她姑姑养了三只猫."""
    rule = ("{who} {keep.who}/k {what} .", "{who} {keep} 了/k? {what} 。")
    keep = verb("keep = 养")
    for person, noun, draw in spread(80, "pets", KNOWN, nouns("pet fish"), range(5)):
        yield pair("keep", rule, who=person.subject, keep=keep, what=some_of(noun, draw))


WORN = [(noun, "戴" if "headwear" in noun.kinds else "穿") for noun in nouns("garment headwear footwear")]
"""What one wears, and how Chinese puts it on."""
_WEARS = (
    ("{who.be}/p? wearing/w {what} .", "{who} {on}/w 着/w?p? {what} 。"),
    ("{who.be}/p? wearing/w {what} .", "{who} {on}/w 着/w?p? {what} 。"),
    ("{who.be}/p? wearing/w {what} today/t .", "{who} 今天/t {on}/w 着/w?p? {what} 。"),
)


def _dyed(noun: Noun, colour: Adjective) -> Phrase:
    """*a red hat*: 一顶红色的帽子; *a pair of red shoes*: 一双红色的鞋."""
    if not noun.is_always_plural:
        return a(colour.before(noun))
    rule = ("a/n pair/p of/p? {what}", f"一/n {noun.classifier}/p {{what}}")
    return phrase(*rule, what=colour.before(noun).singular)


def clothing() -> Iterator[AlignedPair]:
    """*she is wearing a red skirt today*: 她今天穿着一条红色的裙子."""
    single = [person for person in TOLD if person.subject.agreement != "many"]
    dyed = [(noun, on, colour) for noun, on in WORN for colour in colours_of(noun)]
    for person, (noun, on, colour), rule in spread(320, "wear", single, dyed, _WEARS):
        if person.pronoun == "she" or "feminine" not in noun.kinds:
            yield pair("wear", rule, who=person.subject, what=_dyed(noun, colour), on=on)


RULES = (belongings, prized, pets, clothing)
