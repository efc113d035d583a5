"""What things and people are like: qualities, colours, moods, character."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.adjectives import (
    CHARACTERS,
    DEGREES,
    MOODS,
    NOT,
    NOT_VERY,
    PLAIN,
    QUALITIES,
    VERY,
)
from regard.text.embedded.english_chinese.noun_phrases import a, modified
from regard.text.embedded.english_chinese.nouns import nouns
from regard.text.embedded.english_chinese.people import ASKED, HE, KNOWN, MY_KIN, NAMED, SHE, possessed
from regard.text.embedded.english_chinese.phrases import pair
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.things import OWNERS, attributed, colours_of, may_own, pointed_at
from regard.text.embedded.english_chinese.times import RECENTLY
from regard.text.embedded.pairs import AlignedPair

DRAWS = range(56)
_IS = ("{thing} {be.thing}/b? {like} {mark}/z", "{thing} {like}/b {point}/z")
_IS_IT = ("{be.thing}/q? {thing} {like} ?", "{thing} {like} 吗/q? ？")
_IS_IT_OR_NOT = ("{be.thing}/b? {thing} {like}/l or/n? not/n ?", "{thing} {like}/b 不/n {word}/ln? ？")


def qualities_of_things() -> Iterator[AlignedPair]:
    """*this apple is very sweet*: 这个苹果非常甜."""
    for (adjective, noun), degree, draw in spread(840, "qualities", QUALITIES, DEGREES, DRAWS):
        if degree.fits(adjective):
            yield pair(
                "quality", _IS, thing=pointed_at(noun, draw), like=degree.of(adjective), **degree.marks
            )
    for (adjective, noun), draw in spread(240, "is it", QUALITIES, DRAWS):
        yield pair("quality", _IS_IT, thing=pointed_at(noun, draw, OWNERS[1:]), like=adjective.positive)
    short = [(adjective, noun) for adjective, noun in QUALITIES if len(adjective.positive.chinese[0]) == 1]
    for (adjective, noun), draw in spread(170, "or not", short, DRAWS):
        thing = pointed_at(noun, draw, OWNERS[1:])
        word = adjective.positive.chinese[0]
        yield pair("quality", _IS_IT_OR_NOT, thing=thing, like=adjective.positive, word=word)


_THIS_IS = (
    ("this/t is/b {thing} .", "这/t 是/b {thing} 。"),
    ("that/t is/b {thing} .", "那/t 是/b {thing} 。"),
)
_THIS_IS_VERY = (
    "this/t is/b a/n very/v {like}/l {thing}/c .",
    "这/t 是/b 一/n {classifier}/n?c? 非常/v {like} 的/l? {thing} 。",
)
_WHAT_A = ("what/w {a}/w? {like}/l {thing} !", "好/w {like} 的/l? {thing} ！")


def attributions() -> Iterator[AlignedPair]:
    """*this is a new dictionary*: 这是一本新词典; *what a cute puppy !*: 好可爱的小狗！"""
    for noun, rule in spread(330, "this is a", attributed(), _THIS_IS):
        yield pair("attribute", rule, thing=a(noun))
    said = [
        (adjective, noun)
        for adjective, noun in QUALITIES
        if not (noun.is_collective or noun.is_always_plural)
    ]
    for ((adjective, noun),) in spread(130, "a very", said):
        slots = {"like": adjective.positive, "thing": noun.singular}
        yield pair("attribute", _THIS_IS_VERY, classifier=noun.classifier, **slots)
    for ((adjective, noun),) in spread(130, "what a", said):
        if adjective.name not in ("good", "easy", "new", "useful", "hot"):
            article = a(modified(noun, adjective.positive, "的")).english[0]
            yield pair("attribute", _WHAT_A, a=article, like=adjective.positive, thing=noun.singular)


_WHO_IS = ("{who.be}/b? {like} {mark}/z", "{who} {like}/b {point}/z")
_FEELS = (
    ("{who.be}/b? {like} today/t .", "{who} 今天/t {like}/b 。"),
    ("{who} {was.who}/b? {like} {when} .", "{who} {when} {like}/b 。"),
    ("{when} {who} {was.who}/b? {like} .", "{when} {who} {like}/b 。"),
)
_IS_WHO = ("{be.who}/q? {who} {like} ?", "{who} {like} 吗/q? ？")


def moods() -> Iterator[AlignedPair]:
    """*my mother is very busy today*: 我妈妈今天非常忙; *was he tired ?*"""
    for person, mood, degree in spread(200, "mood", KNOWN, MOODS, DEGREES):
        if degree.fits(mood):
            yield pair("mood", _WHO_IS, who=person.subject, like=degree.of(mood), **degree.marks)
    for person, mood, degree, rule in spread(
        200, "mood then", KNOWN, MOODS, [PLAIN, VERY, NOT, NOT_VERY], _FEELS
    ):
        if degree.fits(mood):
            yield pair("mood", rule, who=person.subject, like=degree.of(mood), when=RECENTLY[0])
    for person, mood in spread(150, "mood asked", ASKED, MOODS):
        yield pair("mood", _IS_WHO, who=person.subject, like=mood.positive)


def characters() -> Iterator[AlignedPair]:
    """*her grandfather is very patient*: 她爷爷非常耐心; *she is a patient teacher*: 她是一位耐心的老师."""
    for person, trait, degree in spread(340, "character", KNOWN, CHARACTERS, DEGREES):
        if degree.fits(trait):
            yield pair("character", _WHO_IS, who=person.subject, like=degree.of(trait), **degree.marks)
    noted = [
        trait
        for trait in CHARACTERS
        if len(trait.positive.chinese[0]) == 2 and trait.name not in ("rich", "healthy", "strong")
    ]
    rule = ("{who} {be.who}/b {what} .", "{who} 是/b {what} 。")
    for person, trait, noun in spread(
        190, "a patient one", [*[HE, SHE] * 8, *MY_KIN, *NAMED], noted, nouns("profession")
    ):
        yield pair("character", rule, who=person.subject, what=a(trait.before(noun)))


PAINTED = [
    (noun, colour)
    for noun in nouns(
        "garment footwear headwear umbrella bag suitcase cup bicycle car chair sofa "
        "door pen phone vase flower house notebook bird butterfly cat box"
    )
    for colour in colours_of(noun)
]
"""Things, and the colours they come in."""


def colours() -> Iterator[AlignedPair]:
    """*this car is red*: 这辆车是红色的; *what color is your hat ?*: 你的帽子是什么颜色的？"""
    rule = ("{thing} {be.thing}/b {colour}/c .", "{thing} 是/b {colour} 的/c? 。")
    for (noun, colour), draw in spread(230, "colour", PAINTED, DRAWS):
        yield pair("colour", rule, thing=pointed_at(noun, draw), colour=colour.positive)
    rule = ("{be.thing}/bq? {thing} {colour}/c ?", "{thing} 是/b {colour} 的/c? 吗/q? ？")
    for (noun, colour), owner in spread(110, "colour asked", PAINTED, OWNERS[1:]):
        if may_own(owner, noun):
            yield pair("colour", rule, thing=possessed(owner, noun), colour=colour.positive)
    rule = ("what/w color/c {be.thing}/b {thing} ?", "{thing} 是/b 什么/w 颜色/c 的/c? ？")
    for (noun, _), draw in spread(90, "which colour", PAINTED, DRAWS):
        yield pair("what color", rule, thing=pointed_at(noun, draw, OWNERS[1:]))


RULES = (qualities_of_things, attributions, moods, characters, colours)
