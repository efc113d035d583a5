"""What people did, did not do, and are doing: 了, 没 and 在."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.noun_phrases import a, that, this
from regard.text.embedded.english_chinese.nouns import Noun, nouns
from regard.text.embedded.english_chinese.people import ASKED, GROUPS, KNOWN, TOLD, Person, possessed
from regard.text.embedded.english_chinese.phrases import Phrase, pair
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.things import attributed, may_have, some_of
from regard.text.embedded.english_chinese.times import A_WHILE_AGO, EARLIER, RECENTLY
from regard.text.embedded.english_chinese.verbs import DEEDS, Deed, activities, deeds, suits, verb
from regard.text.embedded.pairs import AlignedPair

_DID = (
    ("{who} {act.past}/v {what} {when} .", "{who} {when} {act} 了/v? {what} 。"),
    ("{who} {act.past}/v {what} {when} .", "{who} {when} {act} 了/v? {what} 。"),
    ("{when} {who} {act.past}/v {what} .", "{when} {who} {act} 了/v? {what} 。"),
)
_COSTLY = {"vehicle", "furniture", "machine", "home", "instrument"}


def _would(person: Person, noun: Noun) -> bool:
    """Whether one would believe it of them: no wine for children, and no cars."""
    return may_have(person, noun) and (person.is_grown or not noun.kinds & _COSTLY)


def _when(deed: Deed, draw: int, earlier: list[Phrase]) -> Phrase:
    times = [*RECENTLY[:-1], *earlier] if deed.is_lasting else RECENTLY
    return times[draw % len(times)]


def completed() -> Iterator[AlignedPair]:
    """*she bought two books last week*: 她上个星期买了两本书."""
    for person, deed, draw, rule in spread(1200, "did", TOLD, DEEDS, range(390), _DID):
        if _would(person, deed.noun):
            slots = {"act": deed.verb, "what": some_of(deed.noun, draw), "when": _when(deed, draw, EARLIER)}
            yield pair("do", rule, who=person.subject, **slots)
    buy = verb("buy = 买")
    bought = [
        noun
        for noun in attributed()
        if noun.kinds & {"device", "vehicle", "furniture", "garment", "instrument", "headwear", "machine"}
        and not noun.kinds & {"hired"}
        and noun.singular.english[0] not in ("useful", "old", "clean")
    ]
    for person, noun, when in spread(180, "bought new", TOLD, bought, [*A_WHILE_AGO, RECENTLY[0]]):
        if _would(person, noun):
            yield pair("do", _DID[0], who=person.subject, act=buy, what=a(noun), when=when)


_DRAWN = nouns("horse cat dog bird flower tree")
_COMMON = [
    deed
    for deed in deeds(
        "eat order make buy read write draw see borrow wash take sing watch receive send pick visit plant"
    )
    if not (deed.verb.name == "buy" and deed.is_lasting)
    and not (deed.verb.name == "borrow" and "reading" not in deed.noun.kinds)
    and not (deed.verb.name == "draw" and deed.noun not in _DRAWN)
    and not (deed.verb.name == "see" and deed.noun.kinds & {"wild", "livestock"})
]
"""What one may be asked about, and say one did not do."""
_DID_NOT = ("{who} didn't/n {act} any/a? {what} {when} .", "{who} {when} 没/n {act} {what}/a 。")
_DID_SHE = ("did/q? {who} {act}/q any/a? {what} {when} ?", "{who} {when} {act} {what}/a 了/q? 吗/q? ？")
_DID_WHAT = ("what/w did/v? {who} {act}/v {when} ?", "{who} {when} {act} 了/v? 什么/w ？")
_WHO_DID = ("who/w {act.past}/v {what} ?", "谁/w {act} 了/v? {what} ？")


def denied() -> Iterator[AlignedPair]:
    """*he didn't buy any apples yesterday*: 他昨天没买苹果; *what did she buy ?*: 她买了什么？"""
    for person, deed, draw in spread(220, "did not", TOLD, _COMMON, range(10)):
        slots = {"act": deed.verb, "what": deed.noun.plural, "when": _when(deed, draw, A_WHILE_AGO[:3])}
        yield pair("do", _DID_NOT, who=person.subject, **slots)
    for person, deed, draw in spread(200, "did she", ASKED, _COMMON, range(10)):
        slots = {"act": deed.verb, "what": deed.noun.plural, "when": _when(deed, draw, A_WHILE_AGO[:3])}
        yield pair("do", _DID_SHE, who=person.subject, **slots)
    verbs = {deed.verb.name: deed.verb for deed in _COMMON if deed.verb.name != "take"}
    for person, done, when in spread(60, "did what", ASKED, list(verbs.values()), RECENTLY):
        yield pair("what", _DID_WHAT, who=person.subject, act=done, when=when)
    for (deed,) in spread(70, "who ate mine", deeds("eat borrow wash find break")):
        yield pair("who", _WHO_DID, act=deed.verb, what=possessed("i", deed.noun))
    for deed, point in spread(
        70, "who made this", deeds("buy draw write make plant repair take"), (this, that)
    ):
        yield pair("who", _WHO_DID, act=deed.verb, what=point(deed.noun))


_DOING = (
    ("{who.be}/b? {act.ing}/v .", "{who} 在/v?b? {act} 。"),
    ("{who.be}/b? {act.ing}/v now/t .", "{who} 现在/t 正在/v?b? {act} 。"),
    ("{who.be}/b? not/n {act.ing}/v .", "{who} 没/n 在/v?b? {act} 。"),
    ("{who.be}/b? still/t {act.ing}/v .", "{who} 还/t 在/v?b? {act} 。"),
)
_IS_SHE_DOING = ("{be.who}/q? {who} {act.ing}/v ?", "{who} 在/v? {act} 吗/q? ？")
_WHO_IS_DOING = ("who/w is/b? {act.ing}/b ?", "谁/w 在/b? {act} ？")
_BOTH_DOING = (
    "{who.be}/b? {act.ing}/v , and/a? {other.be}/c? {task.ing}/w .",
    "{who} 在/v?b? {act} ， {other}/a 在/w?c? {task} 。",
)


def going_on() -> Iterator[AlignedPair]:
    """*tom is cooking*: 汤姆在做饭; *they're swimming now*: 他们现在正在游泳."""
    doings = activities("now")
    for person, doing, rule in spread(340, "doing", [*TOLD, *GROUPS], doings, _DOING):
        if suits(person, doing):
            yield pair("doing", rule, who=person.subject, act=doing)
    for person, doing in spread(140, "doing?", [*ASKED, *GROUPS], doings):
        if suits(person, doing):
            yield pair("doing", _IS_SHE_DOING, who=person.subject, act=doing)
    for doing in doings:
        yield pair("who", _WHO_IS_DOING, act=doing)
    for person, doing, other, task in spread(90, "both", KNOWN, doings, KNOWN, doings):
        if doing is not task and not person.is_same_as(other) and suits(person, doing) and suits(other, task):
            yield pair("doing", _BOTH_DOING, who=person.subject, act=doing, other=other.subject, task=task)


RULES = (completed, denied, going_on)
