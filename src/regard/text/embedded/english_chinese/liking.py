"""What one likes, loves, fears, wants to eat and drink."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.noun_phrases import a, bare
from regard.text.embedded.english_chinese.nouns import nouns
from regard.text.embedded.english_chinese.people import (
    ASKED,
    GROUPS,
    KIN,
    KNOWN,
    STRANGERS,
    THEY,
    TOLD,
    WE,
    YOU,
    has_such_kin,
    possessed,
)
from regard.text.embedded.english_chinese.phrases import pair, phrase
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.things import OWNERS, may_have, some_of
from regard.text.embedded.english_chinese.verbs import activities, countable, verb
from regard.text.embedded.pairs import AlignedPair

PLEASANT = nouns(
    "pet horse sheep duck panda monkey elephant lion tiger butterfly orchard fruit snack dumpling pizza "
    "tomato egg noodles bread chocolate cheese beef tea coffee milk juice beer wine flower rose music "
    "vegetables carrot"
)
_LIKE = phrase("like/h", "喜欢/h")
_LIKES = (
    ("{who} {like.who} {what} .", "{who} {like} {what} 。"),
    ("{who} really/v {like.who} {what} .", "{who} 非常/v {like} {what} 。"),
    ("{who} {don't.who}/n {like} {what} .", "{who} 不/n {like} {what} 。"),
    ("{who} also/o {like.who} {what} .", "{who} 也/o {like} {what} 。"),
)
_ALL_LIKE = ("{who} all/o {like} {what} .", "{who} 都/o {like} {what} 。")
_DOES_SHE_LIKE = ("{do.who}/q? {who} {like} {what} ?", "{who} {like} {what} 吗/q? ？")
_BUT = (
    "{who} {like.who} {what} , but/b {other} {likes.other} {instead} .",
    "{who} {like} {what} ， 但是/b {other} {likes} {instead} 。",
)
_WHICH = (
    "which/d {what}/n {do.who}/l? {who} like/l ?",
    "{who} 喜欢/l 哪/d {classifier}/d?n? {what} ？",
)


def likings() -> Iterator[AlignedPair]:
    """*they all like dogs*: 他们都喜欢狗; *i also like tea*: 我也喜欢茶."""
    for person, noun, rule in spread(290, "like", TOLD, PLEASANT, _LIKES):
        if may_have(person, noun):
            yield pair("like", rule, who=person.subject, like=_LIKE, what=bare(noun))
    for person, noun in spread(70, "all like", [WE, THEY, *GROUPS], PLEASANT):
        if may_have(person, noun):
            yield pair("like", _ALL_LIKE, who=person.subject, like=_LIKE, what=bare(noun))
    for person, noun in spread(120, "like?", ASKED, PLEASANT):
        if may_have(person, noun):
            yield pair("like", _DOES_SHE_LIKE, who=person.subject, like=_LIKE, what=bare(noun))
    alike = [
        (one, other)
        for one in PLEASANT
        for other in PLEASANT
        if one is not other and one.kinds & other.kinds & {"animal", "orchard", "snack", "drink", "plant"}
    ]
    for person, (one, other), opponent in spread(120, "like but", TOLD, alike, KNOWN):
        if may_have(person, one) and may_have(opponent, other) and not person.is_same_as(opponent):
            slots = {"what": bare(one), "other": opponent.subject, "likes": _LIKE, "instead": bare(other)}
            yield pair("like", _BUT, who=person.subject, like=_LIKE, **slots)
    liked = countable("garment headwear car bicycle phone bag camera novel film song painting")
    for noun, person in spread(
        70, "which", liked, [person for person in ASKED if person is YOU or person.subject.lemmas]
    ):
        yield pair("which", _WHICH, who=person.subject, what=noun.singular, classifier=noun.classifier)


def pastimes() -> Iterator[AlignedPair]:
    """*she likes swimming*: 她喜欢游泳; *do you like reading novels ?*: 你喜欢看小说吗？"""
    likes = [
        (english.replace("{what}", "{act.ing}"), chinese.replace("{what}", "{act}"))
        for english, chinese in _LIKES
    ]
    for person, doing, rule in spread(250, "like doing", TOLD, activities("leisure"), likes):
        yield pair("like", rule, who=person.subject, like=_LIKE, act=doing)
    rule = ("{do.who}/q? {who} {like} {act.ing} ?", "{who} {like} {act} 吗/q? ？")
    for person, doing in spread(90, "like doing?", ASKED, activities("leisure")):
        yield pair("like", rule, who=person.subject, like=_LIKE, act=doing)


def orders() -> Iterator[AlignedPair]:
    """*i want a piece of bread*: 我想要一块面包; *do you want a cup of tea ?*: 你想要一杯茶吗？"""
    fare = nouns("drinkable bowlful pieceful sandwich hamburger pizza cake egg lemon carrot")
    want = verb("want = 想要", counts=False)
    rule = ("{who} {want.who} {what} .", "{who} {want} {what} 。")
    for person, noun, draw in spread(
        220, "order", [person for person in KNOWN if person is not YOU], fare, range(12)
    ):
        if may_have(person, noun):
            yield pair("want", rule, who=person.subject, want=want, what=some_of(noun, draw))
    rule = ("{do.who}/q? {who} {want} {what} ?", "{who} {want} {what} 吗/q? ？")
    for person, noun in spread(120, "order?", ASKED, fare):
        if may_have(person, noun):
            yield pair("want", rule, who=person.subject, want=want, what=a(noun))
    want = verb("want/h to/h? = 想/h", counts=False)
    rivals = [
        (verb("drink = 喝", counts=False), nouns("drink")),
        (verb("eat = 吃", counts=False), nouns("rice noodles dumpling hamburger sandwich pizza bread")),
        (verb("eat = 吃", counts=False), nouns("apple banana orange pear peach watermelon")),
    ]
    rule = (
        "{do.who}/w? {who} {want} {take}/t {one} or/o {other} ?",
        "{who} {want}/w {take} {one} 还是/o {again}/t? {other} ？",
    )
    options = [
        (take, one, other)
        for take, things in rivals
        for one in things
        for other in things
        if one is not other
    ]
    for person, (take, one, other) in spread(150, "or", ASKED, options):
        if may_have(person, one) and may_have(person, other):
            slots = {"want": want, "take": take, "one": bare(one), "other": bare(other)}
            yield pair("or", rule, who=person.subject, again=take.chinese[0], **slots)


_FEARS = (
    ("{who.be}/a? afraid/a of/a? {what} .", "{who} 怕/a {what} 。"),
    ("{who.be}/a? afraid/a of/a? {what} .", "{who} 怕/a {what} 。"),
    ("{who.be}/a? not/n afraid/a of/a? {what} .", "{who} 不/n 怕/a {what} 。"),
)
_LOVES = (
    ("{who} {feel.who} {whom} .", "{who} {feel} {whom} 。"),
    ("{who} really/r {feel.who} {whom} .", "{who} 非常/r {feel} {whom} 。"),
)
_HELPS = ("{who} often/r {feel.who} {whom} .", "{who} 经常/r {feel} {whom} 。")
_KNOWS = ("{do.who}/q? {who} know/k {whom} ?", "{who} 认识/k {whom} 吗/q? ？")


def affections() -> Iterator[AlignedPair]:
    """*she misses her grandmother*: 她想她奶奶; *my son is afraid of snakes*: 我儿子怕蛇."""
    dreaded = nouns("dog mouse snake tiger lion bear wolf frog cow horse fox")
    for person, noun, rule in spread(170, "afraid", TOLD, dreaded, _FEARS):
        yield pair("afraid", rule, who=person.subject, what=noun.plural)
    feelings = [(verb("miss = 想"), rule) for rule in _LOVES] + [(verb("love = 爱"), rule) for rule in _LOVES]
    feelings.append((verb("help = 帮助"), _HELPS))
    for person, noun, (feel, rule) in spread(190, "love", STRANGERS, list(KIN.values()), feelings):
        if has_such_kin(person.pronoun, noun):
            yield pair("love", rule, who=person.subject, feel=feel, whom=possessed(person.pronoun, noun))
    circle = [*KIN.values(), *nouns("acquaintance teacher doctor")]
    for person, noun, owner in spread(110, "know", [*[YOU] * 3, *ASKED[8:14]], circle, OWNERS):
        if has_such_kin(owner, noun) and owner not in (person.pronoun, "you"):
            yield pair("know", _KNOWS, who=person.subject, whom=possessed(owner, noun))


RULES = (likings, pastimes, orders, affections)
