"""Where things and people are."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.noun_phrases import bare, role, the
from regard.text.embedded.english_chinese.nouns import NOUNS, nouns
from regard.text.embedded.english_chinese.people import GROUPS, KNOWN, YOUR_KIN, possessed
from regard.text.embedded.english_chinese.phrases import pair
from regard.text.embedded.english_chinese.places import HAUNTS, VENUES, WHEREABOUTS, scenes, spot
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.things import OWNERS, may_own, some_of
from regard.text.embedded.pairs import AlignedPair

_IS_THERE = ("{thing} {be.thing}/b {spot}/p .", "{thing} 在/bp? {spot} 。")
_IN_PLACE = (
    _IS_THERE,
    _IS_THERE,
    ("{thing} {be.thing}/b not/n {spot}/p .", "{thing} 不/n 在/bp? {spot} 。"),
    ("{be.thing}/bq? {thing} {spot}/p ?", "{thing} 在/bp? {spot} 吗/q? ？"),
)
_WHERE = ("where/w {be.thing}/b {thing} ?", "{thing} 在/b 哪里/w ？")
_MOVABLE = {"thing", "garment", "headwear", "footwear", "animal", "vehicle", "furniture", "goods", "food"}


def things_in_place() -> Iterator[AlignedPair]:
    """*my keys are not on the table*: 我的钥匙不在桌子上."""
    movable = [
        scene
        for scene in scenes()
        if scene[0].kinds & _MOVABLE and not scene[0].is_collective and "way" not in scene[2].kinds
    ]
    for (noun, preposition, ground), owner, rule in spread(
        330, "in place", movable, (None, *OWNERS), _IN_PLACE
    ):
        if owner is None or may_own(owner, noun) or "pet" in noun.kinds:
            thing = possessed(owner, noun) if owner else the(noun)
            yield pair("where", rule, thing=thing, spot=spot(preposition, ground))
    sought = nouns("thing garment headwear footwear pet suitcase car bicycle")
    for noun, owner in spread(170, "where", sought, OWNERS):
        if owner != "he" or "feminine" not in noun.kinds:
            yield pair("where", _WHERE, thing=possessed(owner, noun))
    rule = ("{thing} is/b {spot}/p .", "{thing} 在/bp? {spot} 。")
    town = [noun for noun in VENUES if noun is not NOUNS["airport"]]
    neighbours = [(one, other) for one in town for other in town if one is not other]
    for (one, other), side in spread(150, "beside", neighbours, ("beside", "behind", "in front of", "near")):
        yield pair("where", rule, thing=the(one), spot=spot(side, other))


_THERE_IS = ("there/t? {be.some}/t {some} {spot} .", "{spot} 有/t {some} 。")
_IS_THERE_ANY = (
    ("is/tq? there/t? {one} {spot} ?", "{spot} 有/t {one} 吗/q? ？"),
    ("how/m? many/m {some}/c are/t there/t? {spot} ?", "{spot} 有/t 几/m {classifier}/m?c? {some} ？"),
    ("there/t? is/t no/n {what} {spot} .", "{spot} 没有/tn {what} 。"),
)
_WHAT_IS = ("what/w is/t {spot} ?", "{spot} 有/t 什么/w ？")


def things_there() -> Iterator[AlignedPair]:
    """*there are two cats under the table*: 桌子下面有两只猫."""
    seen = scenes()
    for (noun, preposition, ground), draw in spread(470, "there is", seen, range(30)):
        if not noun.is_always_plural or noun.is_collective:
            some = bare(noun) if noun.is_collective else some_of(noun, draw)
            yield pair("there", _THERE_IS, some=some, spot=spot(preposition, ground))
    counted = [scene for scene in seen if not (scene[0].is_collective or scene[0].is_always_plural)]
    for (noun, preposition, ground), rule in spread(240, "there?", counted, _IS_THERE_ANY):
        slots = {"one": role(noun), "some": noun.plural, "what": noun.singular}
        yield pair("there", rule, classifier=noun.classifier, **slots, spot=spot(preposition, ground))
    for _, preposition, ground in seen:
        if ground.kinds & {"furniture", "holder", "machine"}:
            yield pair("what", _WHAT_IS, spot=spot(preposition, ground))


_WHO_IS_THERE = (
    ("{who} {be.who}/b {spot}/p .", "{who} 在/bp? {spot} 。"),
    ("{who} {be.who}/b {spot}/p now/t .", "{who} 现在/t 在/bp? {spot} 。"),
    ("{who} {be.who}/b not/n {spot}/p .", "{who} 不/n 在/bp? {spot} 。"),
)
_IS_SHE_THERE = ("{be.who}/bq? {who} {spot}/p ?", "{who} 在/bp? {spot} 吗/q? ？")
_DOING_WHAT = ("what/w {be.who}/d? {who} doing/d {spot}/p ?", "{who} 在/p?d? {spot} 做/d 什么/w ？")


def people_in_place() -> Iterator[AlignedPair]:
    """*my mother is in the kitchen*: 我妈妈在厨房里; *where is your father ?*: 你爸爸在哪里？"""
    others = [person for person in [*KNOWN, *GROUPS] if person.pronoun != "you"]
    for person, where, rule in spread(200, "people at", others, WHEREABOUTS, _WHO_IS_THERE):
        yield pair("where", rule, who=person.subject, spot=where)
    missed = [person for person in [*YOUR_KIN, *KNOWN, *GROUPS] if person.pronoun not in ("i", "we", "you")]
    for person, where in spread(90, "is she at", missed, WHEREABOUTS):
        yield pair("where", _IS_SHE_THERE, who=person.subject, spot=where)
    for person in missed:
        if person.subject.lemmas:
            yield pair("where", _WHERE, thing=person.subject)
    for person, (place, _) in spread(70, "doing what", missed, HAUNTS):
        yield pair("what", _DOING_WHAT, who=person.subject, spot=spot("in", place))


RULES = (things_in_place, things_there, people_in_place)
