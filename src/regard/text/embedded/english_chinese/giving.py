"""Giving, lending, sending, telling: verbs of two objects, and 给."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.noun_phrases import a
from regard.text.embedded.english_chinese.people import ME, MY_KIN, NAMED, ONE, PRONOUNS, WE
from regard.text.embedded.english_chinese.phrases import pair
from regard.text.embedded.english_chinese.spreading import lift, spread
from regard.text.embedded.english_chinese.things import may_have, some_of
from regard.text.embedded.english_chinese.verbs import countable, verb
from regard.text.embedded.pairs import AlignedPair

_DIRECT = ("{who} {act.past}/v {whom} {what} .", "{who} {act} 了/v? {whom} {what} 。")
_HELPED = ("{who} {act.past}/v {whom}/r {what} .", "{who} 给/r? {whom} {act} 了/v? {what} 。")
_OFFERS = (
    (
        "give = 给",
        _DIRECT,
        "stationery book dictionary umbrella watch toy doll gift flower rose map ticket apple",
    ),
    ("lend = 借给", _DIRECT, "book dictionary umbrella bicycle camera pen novel map suitcase"),
    ("teach = 教", _DIRECT, "song word"),
    ("ask = 问", _DIRECT, "question"),
    (
        "buy = 买",
        _HELPED,
        "garment headwear-scarf phone camera bicycle toy doll bag watch pair_of_shoes drinkable",
    ),
    ("send = 寄", _HELPED, "letter postcard gift"),
    ("bring = 带来", _HELPED, "sandwich cake newspaper apple gift"),
    ("make = 做", _HELPED, "cake sandwich pizza bowl_of_noodles bowl_of_soup"),
    ("write = 写", _HELPED, "letter poem song postcard"),
    ("tell = 讲", _HELPED, "story"),
    ("sing = 唱", _HELPED, "song"),
)
_GIVEN_BY_NUMBER = {"small", "portion", "stationery", "paper", "plant", "piece", "vocabulary", "reading"}
_PLEASE = ("please/p give/g {whom} {what} .", "请/p 给/g {whom} {what} 。")


def offers() -> Iterator[AlignedPair]:
    """*my uncle gave me a watch*: 我叔叔给了我一块手表; *she bought him a hat*: 她给他买了一顶帽子."""
    deeds = [(verb(written), rule, noun) for written, rule, kinds in _OFFERS for noun in countable(kinds)]
    deeds = lift(deeds, lambda deed: deed[0].name, to=18)
    receivers = [*PRONOUNS, *PRONOUNS, *MY_KIN, *NAMED]
    for giver, taker, (give, rule, noun), draw in spread(590, "give", ONE, receivers, deeds, range(30)):
        if may_have(taker, noun) and not giver.is_same_as(taker):
            what = some_of(noun, draw) if noun.kinds & _GIVEN_BY_NUMBER else a(noun)
            yield pair("give", rule, who=giver.subject, act=give, whom=taker.object, what=what)
    asked_for = countable(
        "drinkable bowlful pieceful stationery apple orange egg ticket map spoon knife umbrella"
    )
    for noun, draw, taker in spread(110, "please give", asked_for, range(30), [ME, ME, WE]):
        yield pair("please", _PLEASE, whom=taker.object, what=some_of(noun, draw))


RULES = (offers,)
