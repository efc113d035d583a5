"""Sentences within sentences: think and say, know and wonder, see, hear and find."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.adjectives import (
    CHARACTERS,
    MOODS,
    NOT,
    NOT_VERY,
    PLAIN,
    QUALITIES,
    VERY,
)
from regard.text.embedded.english_chinese.noun_phrases import that, the, this
from regard.text.embedded.english_chinese.nouns import nouns
from regard.text.embedded.english_chinese.people import (
    HER_KIN,
    HIS_KIN,
    KNOWN,
    ME,
    MY_KIN,
    NAMED,
    ONE,
    PRONOUNS,
    YOU,
    possessed,
)
from regard.text.embedded.english_chinese.phrases import pair, phrase
from regard.text.embedded.english_chinese.places import VENUES
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.things import OWNERS, pointed_at
from regard.text.embedded.english_chinese.verbs import activities, acts, suits
from regard.text.embedded.pairs import AlignedPair

_THINK = phrase("think/h", "觉得/h")
_SAY = phrase("say/h", "说/h")
_THINKS = ("{who} {think.who} {thing} {be.thing}/b? {like} .", "{who} {think} {thing} {like}/b 。")
_DO_YOU_THINK = (
    "do/q? you/y think/k {thing} {be.thing}/l? {like} ?",
    "你/y 觉得/k {thing} {like}/l 吗/q? ？",
)
_SAYS = ("{who} {say.who} {again} {be.again}/b? {like} .", "{who} {say} {again} {like}/b 。")


def opinions() -> Iterator[AlignedPair]:
    """*i think this film is boring*: 我觉得这部电影很无聊; *he says he is busy*: 他说他很忙."""
    thinkers = [person for person in KNOWN if person is not YOU]
    degrees = (PLAIN, VERY, NOT_VERY)
    for person, (adjective, noun), degree, draw in spread(
        240, "think", thinkers, QUALITIES, degrees, range(42)
    ):
        if degree.fits(adjective):
            slots = {"thing": pointed_at(noun, draw), "like": degree.of(adjective)}
            yield pair("think", _THINKS, who=person.subject, think=_THINK, **slots)
    for (adjective, noun), draw in spread(100, "do you think", QUALITIES, range(42)):
        thing = pointed_at(noun, draw, ("i", "he", "she"))
        yield pair("think", _DO_YOU_THINK, thing=thing, like=adjective.positive)
    traits = [trait for trait in CHARACTERS if trait.name != "young"]
    judges = [person for person in PRONOUNS if person is not YOU]
    judged = [*MY_KIN, *NAMED, *PRONOUNS, *HIS_KIN, *HER_KIN]
    for person, other, trait, degree in spread(150, "think of", judges, judged, traits, degrees):
        if degree.fits(trait) and not person.is_same_as(other):
            slots = {"thing": other.subject, "like": degree.of(trait)}
            yield pair("think", _THINKS, who=person.subject, think=_THINK, **slots)
    speakers = [person for person in ONE if person.pronoun != "i"]
    for person, mood, degree in spread(140, "says", speakers, MOODS, (PLAIN, VERY, NOT, NOT_VERY)):
        if degree.fits(mood):
            slots = {"again": person.again, "like": degree.of(mood)}
            yield pair("say", _SAYS, who=person.subject, say=_SAY, **slots)


_DO_YOU_KNOW_WHERE = (
    "do/q? you/y know/k where/w {thing} {be.thing}/b ?",
    "你/y 知道/k {thing} 在/b 哪里/w 吗/q? ？",
)
_KNOWS_NOT_WHERE = (
    "{who} {don't.who}/n know/k where/w {thing} {be.thing}/b .",
    "{who} 不/n 知道/k {thing} 在/b 哪里/w 。",
)
_KNOW_WHO = (
    ("do/q? you/y know/k who/w {one} is/b ?", "你/y 知道/k {one} 是/b 谁/w 吗/q? ？"),
    ("i/y don't/n know/k who/w {one} is/b .", "我/y 不/n 知道/k {one} 是/b 谁/w 。"),
)


def knowledge() -> Iterator[AlignedPair]:
    """*do you know where my key is ?*: 你知道我的钥匙在哪里吗？"""
    sought = nouns("thing garment headwear footwear pet suitcase")
    for noun, owner in spread(60, "know where", sought, ("i", "he", "she")):
        if owner != "he" or "feminine" not in noun.kinds:
            yield pair("where", _DO_YOU_KNOW_WHERE, thing=possessed(owner, noun))
    ignorant = [person for person in PRONOUNS if person is not YOU]
    for noun, owner, person in spread(90, "know not where", sought, ("i", "he", "she"), ignorant):
        if owner != "he" or "feminine" not in noun.kinds:
            yield pair("where", _KNOWS_NOT_WHERE, who=person.subject, thing=possessed(owner, noun))
    for noun in VENUES:
        yield pair("where", _DO_YOU_KNOW_WHERE, thing=the(noun))
        yield pair("where", _KNOWS_NOT_WHERE, who=ME.subject, thing=the(noun))
    for folk, point, rule in spread(60, "know who", nouns("folk profession"), (this, that), _KNOW_WHO):
        yield pair("who", rule, one=point(folk))


_SAW = ("{who} saw/s {other} {act.ing}/d .", "{who} 看见/s {other} 在/d? {act} 。")
_HEARD = ("{who} heard/s {other} {act.ing}/d .", "{who} 听见/s {other} 在/d? {act} 。")
_FINDS = (
    ("{who} can't/n find/f {what} .", "{who} 找不到/fn {what} 。"),
    ("{who} found/f {what} .", "{who} 找到/f 了/f? {what} 。"),
    ("{who} {haven't.who}/n found/f {what} yet/y .", "{who} 还/y 没/n 找到/f {what} 。"),
    ("{who} {be.who}/f? looking/f for/f? {what} .", "{who} 在/f? 找/f {what} 。"),
)
_DID_YOU_SEE = ("did/q? you/y see/s {what} ?", "你/y 看见/s {what} 了/q? 吗/q? ？")


def perceptions() -> Iterator[AlignedPair]:
    """*i saw tom playing football*: 我看见汤姆在踢足球; *i can't find my key*: 我找不到我的钥匙."""
    witnesses = [person for person in KNOWN if person is not YOU]
    seen = [*MY_KIN, *NAMED, *(person for person in PRONOUNS if person is not YOU)]
    visible = [doing for doing in activities("now") if doing.english[0] not in ("study", "rest", "listen")]
    for person, other, doing in spread(230, "saw", witnesses, seen, visible):
        if not person.is_same_as(other) and person.pronoun != other.pronoun and suits(other, doing):
            yield pair("see", _SAW, who=person.subject, other=other.object, act=doing)
    audible = acts("sing, play the piano, play the guitar, play the violin, chat")
    for person, other, doing in spread(130, "heard", witnesses, seen, audible):
        if not person.is_same_as(other) and person.pronoun != other.pronoun:
            yield pair("hear", _HEARD, who=person.subject, other=other.object, act=doing)
    mislaid = nouns("carried stationery bag hat glasses shoes socks gloves ticket scarf dictionary cat puppy")
    for person, noun, rule in spread(230, "find", ONE, mislaid, _FINDS):
        yield pair("find", rule, who=person.subject, what=possessed(person.pronoun, noun))
    for noun, owner in spread(50, "did you see", mislaid, OWNERS):
        if owner != "you":
            yield pair("see", _DID_YOU_SEE, what=possessed(owner, noun))


RULES = (opinions, knowledge, perceptions)
