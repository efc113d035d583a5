"""Where people go, how, with whom and what for."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.noun_phrases import role, the
from regard.text.embedded.english_chinese.nouns import NOUNS, nouns
from regard.text.embedded.english_chinese.people import (
    ASKED,
    GROUPS,
    KIN,
    STRANGERS,
    TOLD,
    WORKING,
    YOU,
    has_such_kin,
    possessed,
)
from regard.text.embedded.english_chinese.phrases import Phrase, pair, phrase
from regard.text.embedded.english_chinese.places import (
    CITIES,
    COUNTRIES,
    FAR,
    FREQUENTED,
    VENUES,
    is_open_at_night,
)
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.times import (
    A_WHILE_AGO,
    DAYS_TO_COME,
    EVERY_DAY,
    LATER,
    OFTEN,
    RECENTLY,
    REGULARLY,
    SOMETIMES,
    SOON,
    USUALLY,
)
from regard.text.embedded.english_chinese.verbs import act, verb
from regard.text.embedded.pairs import AlignedPair

GO = verb("go/h to/h? = 去/h", counts=False)
WANT = verb("want/h to/h? = 想/h", counts=False)
NEARBY = [noun for noun in VENUES if noun not in nouns("university school factory hotel")]


def _nearby(days: list[Phrase], nights: list[Phrase]) -> list[tuple[Phrase, Phrase]]:
    """Places around and times to be there: on any day, and by night where it is open."""
    return [(the(noun), day) for noun in NEARBY for day in days + (nights if is_open_at_night(noun) else [])]


def _abroad(times: list[Phrase]) -> list[tuple[Phrase, Phrase]]:
    return [(place, when) for place in FAR for when in times for _ in range(2)]


OUTINGS = _nearby(RECENTLY[:-1], RECENTLY[-1:])
TRIPS = OUTINGS + _abroad(A_WHILE_AGO)
PLANS = _nearby(SOON[:-2], SOON[-2:]) + _abroad(LATER)

_WENT = (
    ("{who} {go.past}/g {place} {when} .", "{who} {when} {go} 了/g? {place} 。"),
    ("{when} {who} {go.past}/g {place} .", "{when} {who} {go} 了/g? {place} 。"),
    ("{who} didn't/n {go} {place} {when} .", "{who} {when} 没/n {go} {place} 。"),
)
_DID_SHE_GO = ("did/q? {who} {go}/q {place} {when} ?", "{who} {when} {go} {place} 了/q? 吗/q? ？")
_GONE = ("{who} {have.who}/g? {go.done}/g {place} .", "{who} {go} {place} 了/g? 。")


def past_journeys() -> Iterator[AlignedPair]:
    """*my aunt went to the museum yesterday*: 我姑姑昨天去了博物馆."""
    for person, (place, when), rule in spread(270, "went", TOLD, TRIPS, _WENT):
        if rule is _WENT[2] and when.english[-1] == "ago":
            continue
        yield pair("go", rule, who=person.subject, go=GO, place=place, when=when)
    for person, (place, when) in spread(110, "did go", ASKED, TRIPS):
        yield pair("go", _DID_SHE_GO, who=person.subject, go=GO, place=place, when=when)
    for person, place in spread(110, "gone to", [one for one in TOLD if one.pronoun not in ("i", "we")], FAR):
        yield pair("gone", _GONE, who=person.subject, go=GO, place=place)


_WILL_GO = (
    ("{who.be}/b? going/g to/g? {place} {when} .", "{who} {when} 去/gb {place} 。"),
    ("{who.be}/b? not/n going/g to/g? {place} {when} .", "{who} {when} 不/n 去/gb {place} 。"),
    ("{who} {want.who} go/g to/g? {place} {when} .", "{who} {when} {want} 去/g {place} 。"),
)
_WILL_SHE_GO = ("{be.who}/q? {who} going/g to/g? {place} {when} ?", "{who} {when} 去/g {place} 吗/q? ？")
_HOW_WILL = {
    "how": ("how/w {be.who}/g? {who} going/g to/g? {place} ?", "{who} 怎么/w 去/g {place} ？"),
    "when": ("when/w {be.who}/g? {who} going/g to/g? {place} ?", "{who} 什么时候/w 去/g {place} ？"),
    "why": ("why/w {be.who}/g? {who} going/g to/g? {place} ?", "{who} 为什么/w 去/g {place} ？"),
}


def coming_journeys() -> Iterator[AlignedPair]:
    """*we're going to france next month*: 我们下个月去法国."""
    for person, (place, when), rule in spread(220, "will go", TOLD, PLANS, _WILL_GO):
        yield pair("go", rule, who=person.subject, want=WANT, place=place, when=when)
    for person, (place, when) in spread(90, "will she go", ASKED, PLANS):
        yield pair("go", _WILL_SHE_GO, who=person.subject, place=place, when=when)
    for person, (place, _), about in spread(150, "how go", ASKED, PLANS, list(_HOW_WILL)):
        yield pair(about, _HOW_WILL[about], who=person.subject, place=place)


_GOES = (
    ("{who} {go.who} {place} {when} .", "{who} {when} {go} {place} 。"),
    ("{who} {go.who} {place} {when} .", "{who} {when} {go} {place} 。"),
    ("{who} {often} {go.who} {place} .", "{who} {often} {go} {place} 。"),
)
_TIMES = (
    phrase("once/n", "一/n 次/n?"),
    phrase("twice/n", "两/n 次/n?"),
    phrase("three/n times/t", "三/n 次/t"),
    phrase("many/n times/t", "很多/n 次/t"),
)
_BEEN = (
    ("{who} {have.who}/e? been/e to/e? {place} .", "{who} 去/e 过/e? {place} 。"),
    ("{who} {have.who}/e? never/n been/e to/e? {place} .", "{who} 从来/n 没/n 去/e 过/e? {place} 。"),
    ("{who} {have.who}/e? been/e to/e? {place} {often} .", "{who} 去/e 过/e? {often} {place} 。"),
)
_EVER_BEEN = ("{have.who}/q?e? {who} ever/e? been/e to/e? {place} ?", "{who} 去/e 过/e? {place} 吗/q? ？")


def repeated_journeys() -> Iterator[AlignedPair]:
    """*he often goes to the library*: 他经常去图书馆; *i have been to paris twice*: 我去过两次巴黎."""
    haunts = [(the(noun), often) for noun in FREQUENTED for often in (OFTEN, SOMETIMES)]
    for person, (place, often), when, rule in spread(200, "goes", TOLD, haunts, REGULARLY, _GOES):
        yield pair("go", rule, who=person.subject, often=often, go=GO, place=place, when=when)
    sights = [*FAR, *FAR, *map(the, nouns("museum zoo swimming_pool library"))]
    for person, place, often, rule in spread(200, "been", TOLD, sights, _TIMES, _BEEN):
        yield pair("been", rule, who=person.subject, place=place, often=often)
    for person, place in spread(80, "been?", ASKED, sights):
        yield pair("been", _EVER_BEEN, who=person.subject, place=place)


_ERRANDS = """
supermarket : buy milk = 买 牛奶; buy vegetables = 买 蔬菜; buy fruit = 买 水果; buy bread = 买 面包
supermarket : buy eggs = 买 鸡蛋
market : buy fish = 买 鱼; buy beef = 买 牛肉; buy flowers = 买 花; buy apples = 买 苹果
market : buy tomatoes = 买 西红柿
bookstore : buy books = 买 书; buy novels = 买 小说; buy magazines = 买 杂志
library : borrow books = 借 书; read = 看 书; study = 学习
park : take/h? a/h? walk/h = 散步/h; run = 跑步; fly kites = 放 风筝; take/h? photos/h = 拍照/h
cinema : watch/h a/o? film/o = 看/h 电影/o
restaurant : eat dinner = 吃 晚饭; eat lunch = 吃 午饭; eat noodles = 吃 面条
coffee shop : drink coffee = 喝 咖啡; chat = 聊天
hospital : see/h a/o? doctor/o = 看/h 医生/o
post office : send letters = 寄 信; send postcards = 寄 明信片
train station : buy tickets = 买 票
swimming pool : swim = 游泳
gym : exercise = 锻炼; play badminton = 打 羽毛球; play basketball = 打 篮球
zoo : see/h the/o? pandas/o = 看/h 熊猫/o; see/h the/o? monkeys/o = 看/h 猴子/o
zoo : see/h the/o? tigers/o = 看/h 老虎/o
museum : see paintings = 看 画
"""


def _errands() -> list[tuple[Phrase, Phrase]]:
    """Where one goes for what: (*the supermarket*, *buy milk*) and the like."""
    found = [
        (the(NOUNS[place]), verb(rule))
        for place, rules in (line.split(" : ") for line in _ERRANDS.strip().splitlines())
        for rule in rules.split("; ")
    ]
    for place, rule in (
        ("airport", ("pick/h up/h? {friend}", "接/h {friend}")),
        ("train station", ("pick/h up/h? {friend}", "接/h {friend}")),
        ("hospital", ("visit/h {friend}", "看望/h {friend}")),
    ):
        found += [
            (the(NOUNS[place]), phrase(*rule, friend=role(noun)))
            for noun in nouns("friend colleague classmate")
        ]
    return found


_TO_DO = (
    ("{who} {go.past}/g {place} to/e? {act}/e .", "{who} {go} {place} {act}/e 了/g? 。"),
    ("{who} {want.who} {go} {place} to/e? {act}/e .", "{who} {want} {go} {place} {act}/e 。"),
    ("{who} often/o {go.who} {place} to/e? {act}/e .", "{who} 经常/o {go} {place} {act}/e 。"),
)
_TO_DO_SOON = (
    "{who.be}/b? going/g to/g? {place} {when} to/e? {act}/e .",
    "{who} {when} 去/gb {place} {act}/e 。",
)


def purposes() -> Iterator[AlignedPair]:
    """*tom went to the supermarket to buy milk*: 汤姆去超市买牛奶了."""
    errands = _errands()
    for person, (place, errand), rule in spread(240, "to do", TOLD, errands, _TO_DO):
        yield pair("go", rule, who=person.subject, go=GO, want=WANT, place=place, act=errand)
    for person, (place, errand), when in spread(110, "to do soon", TOLD, errands, DAYS_TO_COME):
        yield pair("go", _TO_DO_SOON, who=person.subject, place=place, act=errand, when=when)


RIDES = {
    name: phrase(*rule, (name,))
    for name, rule in {
        "bus": ("by/v bus/r", "坐/v 公交车/r"),
        "taxi": ("by/v taxi/r", "坐/v 出租车/r"),
        "bicycle": ("by/v bicycle/r", "骑/v 自行车/r"),
        "subway": ("by/v subway/r", "坐/v 地铁/r"),
        "car": ("by/v? car/v", "开车/v"),
        "train": ("by/v train/r", "坐/v 火车/r"),
        "plane": ("by/v plane/r", "坐/v 飞机/r"),
        "boat": ("by/v boat/r", "坐/v 船/r"),
    }.items()
}
_COMMUTES = (
    ("{who} {act.who} {ride} {daily} .", "{who} {daily} {ride} {act} 。"),
    ("{who} {often} {act.who} {ride} .", "{who} {often} {ride} {act} 。"),
    ("{who} {usually} {act.who} {ride} .", "{who} {usually} {ride} {act} 。"),
)
_WENT_BY = (
    ("{who} {go.past}/g {place} {ride} .", "{who} {ride} {go} 了/g? {place} 。"),
    ("{who} {go.past}/g {place} {ride} {when} .", "{who} {when} {ride} {go} 了/g? {place} 。"),
)


def rides() -> Iterator[AlignedPair]:
    """*my mother goes to work by subway*: 我妈妈每天都坐地铁上班; *he went by train*: 他坐火车去了 ..."""
    pupils = [person for person in TOLD if not person.is_grown]
    commuters = [person for person in [*WORKING, *GROUPS, *pupils] if person is not YOU]
    often = {"daily": EVERY_DAY, "often": OFTEN, "usually": USUALLY}
    for person, name, rule in spread(
        150, "to work", commuters, ("bus", "bicycle", "subway", "car", "taxi"), _COMMUTES
    ):
        if person.is_grown or name not in ("car", "taxi"):
            doing = act("go to work" if person.is_grown else "go to school")
            yield pair("ride", rule, who=person.subject, act=doing, ride=RIDES[name], **often)
    trips = [
        (place, RIDES[name], when)
        for places, names, times in (
            (map(the, nouns("airport train_station zoo")), ("bus", "taxi", "subway", "car"), RECENTLY[:-1]),
            (map(the, nouns("library museum supermarket")), ("bus", "bicycle", "car"), RECENTLY[:-1]),
            (CITIES, ("train", "plane"), A_WHILE_AGO),
            (COUNTRIES, ("plane",), A_WHILE_AGO),
            ((COUNTRIES[1], COUNTRIES[3], CITIES[1]), ("boat",), A_WHILE_AGO),
        )
        for place in places
        for name in names
        for when in times
    ]
    for person, (place, ride, when), rule in spread(200, "by train", TOLD, trips, _WENT_BY):
        yield pair("ride", rule, who=person.subject, go=GO, place=place, ride=ride, when=when)


_WENT_WITH = (
    ("{who} {go.past}/g {place} with/w {friend} .", "{who} 和/w {friend} 一起/w? {go} 了/g? {place} 。"),
    (
        "{who} {go.past}/g {place} with/w {friend} {when} .",
        "{who} {when} 和/w {friend} 一起/w? {go} 了/g? {place} 。",
    ),
)


def company() -> Iterator[AlignedPair]:
    """*she went to the zoo with her father*: 她和她爸爸一起去了动物园."""
    friends = [*KIN.values(), *nouns("acquaintance")]
    for person, noun, (place, when), rule in spread(170, "with", STRANGERS, friends, OUTINGS, _WENT_WITH):
        if has_such_kin(person.pronoun, noun):
            slots = {"place": place, "friend": possessed(person.pronoun, noun), "when": when}
            yield pair("with", rule, who=person.subject, go=GO, **slots)


RULES = (past_journeys, coming_journeys, repeated_journeys, purposes, rides, company)
