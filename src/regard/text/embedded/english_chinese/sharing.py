"""Doing things together, helping, suggesting and forbidding."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.noun_phrases import the
from regard.text.embedded.english_chinese.nouns import NOUNS, nouns
from regard.text.embedded.english_chinese.people import KIN, STRANGERS, has_such_kin, possessed
from regard.text.embedded.english_chinese.phrases import Phrase, pair
from regard.text.embedded.english_chinese.places import FREQUENTED, spot
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.times import DAYS_TO_COME
from regard.text.embedded.english_chinese.verbs import act, activities, acts, verb
from regard.text.embedded.pairs import AlignedPair

_WANT = verb("want/h to/h? = 想/h", counts=False)
_HELP = verb("help = 帮", counts=False)
_TOGETHER = (
    ("{who} often/o {act.who} with/w {whom} .", "{who} 经常/o 和/w {whom} 一起/w? {act} 。"),
    ("{who.be}/b? {act.ing}/v with/w {whom} .", "{who} 在/b?v? 和/w {whom} 一起/w? {act} 。"),
    ("{who} {want.who} {act} with/w {whom} .", "{who} {want} 和/w {whom} 一起/w? {act} 。"),
)
_HELPS = (
    ("{who} often/o {help.who} {whom} {act} .", "{who} 经常/o {help} {whom} {act} 。"),
    ("{who.be}/b? {help.ing}/b {whom} {act} .", "{who} 在/b? {help} {whom} {act} 。"),
    ("{who} {want.who} {help} {whom} {act} .", "{who} {want} {help} {whom} {act} 。"),
)
_SHARED = [
    *activities("sport party meal"),
    *acts("watch films, play chess, fly kites, take a walk, make dumplings, play computer games"),
]


def company() -> Iterator[AlignedPair]:
    """*he often plays chess with his father*: 他经常和他爸爸一起下棋; *helps her cook*: 帮她做饭."""
    friends = [*KIN.values(), *nouns("acquaintance")]
    shared = [*_SHARED, *acts("watch television, fish, travel, listen to music, study chinese, cook")]
    for person, noun, doing, rule in spread(260, "together", STRANGERS, friends, shared, _TOGETHER):
        if has_such_kin(person.pronoun, noun) and (rule is not _TOGETHER[1] or "now" in doing.kinds):
            yield pair(
                "with", rule, who=person.subject, whom=possessed(person.pronoun, noun), act=doing, want=_WANT
            )
    family = [
        KIN[name]
        for name in ("mother", "father", "grandmother", "grandfather", "aunt", "older sister", "uncle")
    ]
    for person, noun, doing, rule in spread(180, "help", STRANGERS, family, activities("chore"), _HELPS):
        slots = {"whom": possessed(person.pronoun, noun), "help": _HELP, "want": _WANT}
        yield pair("help", rule, who=person.subject, act=doing, **slots)


_LETS = (
    ("let's/l {act} .", "我们/l {act} 吧/l? 。"),
    ("let's/l {act} {when} .", "我们/l {when} {act} 吧/l? 。"),
)
_LETS_GO = (
    ("let's/l go/g to/g? {place} .", "我们/l 去/g {place} 吧/l? 。"),
    ("let's/l go/g to/g? {place} {when} .", "我们/l {when} 去/g {place} 吧/l? 。"),
)


def suggestions() -> Iterator[AlignedPair]:
    """*let's play football*: 我们踢足球吧; *let's go to the park*: 我们去公园吧."""
    for doing, when, rule in spread(
        90, "let's", [*_SHARED, *acts("eat dumplings, eat noodles")], DAYS_TO_COME, _LETS
    ):
        if rule is _LETS[0] or not (doing.kinds & {"meal"} or doing is act("chat")):
            yield pair("let's", rule, act=doing, when=when)
    for noun, when, rule in spread(50, "let's go", FREQUENTED, DAYS_TO_COME, _LETS_GO):
        yield pair("let's", rule, place=the(noun), when=when)


_FORBIDDEN = {
    "library": "sing, run, chat, sleep, make a phone call, smoke, play computer games",
    "classroom": "run, sleep, play football, play computer games, smoke, play basketball",
    "hospital": "smoke, sing, run, make a phone call",
    "museum": "take photos, run, smoke, chat",
    "office": "smoke, sleep, play computer games, sing",
    "bedroom": "smoke, play football",
    "cinema": "smoke, chat, make a phone call, take photos",
    "kitchen": "smoke, run, play basketball",
    "restaurant": "smoke, sing, run",
    "supermarket": "run, smoke, play football",
}
_ALLOWED = {
    "take photos": "museum library restaurant supermarket hospital classroom",
    "smoke": "office restaurant hotel kitchen",
    "make a phone call": "library classroom office hospital",
    "drink coffee": "library classroom office museum",
    "rest": "office classroom bedroom living_room",
}
_DONT = (
    ("don't/n {act} {spot}/p !", "别/n 在/p? {spot} {act} ！"),
    ("please/a don't/n {act} {spot}/p .", "请/a 不要/n 在/p? {spot} {act} 。"),
)
_MAY = ("may/mq? i/i {act} {spot}/p ?", "我/i 可以/m 在/p? {spot} {act} 吗/q? ？")


def _misdeed(doing: Phrase) -> Phrase:
    """To run about where one should not is 跑; 跑步 is for exercise."""
    return verb("run = 跑") if doing is act("run") else doing


def prohibitions() -> Iterator[AlignedPair]:
    """*don't smoke in the library !*: 别在图书馆里抽烟！ *may i rest in the office ?*"""
    for place, names in _FORBIDDEN.items():
        for doing in acts(names):
            for rule in _DONT:
                yield pair("don't", rule, act=_misdeed(doing), spot=spot("in", NOUNS[place]))
    for name, places in _ALLOWED.items():
        for room in nouns(places):
            yield pair("may", _MAY, act=act(name), spot=spot("in", room))


RULES = (company, suggestions, prohibitions)
