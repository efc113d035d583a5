"""What people do again and again: habits, hours, how well and how long."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.people import ASKED, TOLD
from regard.text.embedded.english_chinese.phrases import Phrase, pair, phrase
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.times import (
    EVERY_DAY,
    NEVER,
    OFTEN,
    RECENTLY,
    REGULARLY,
    SOMETIMES,
    half_past,
    o_clock,
)
from regard.text.embedded.english_chinese.verbs import act, activities, suits, verb
from regard.text.embedded.pairs import AlignedPair

_DOES_WHEN = ("{who} {act.who} {when} .", "{who} {when} {act} 。")
_DOES_OFTEN = ("{who} {often} {act.who} .", "{who} {often} {act} 。")
_DOES_SHE_OFTEN = ("{do.who}/q? {who} {often} {act} ?", "{who} {often} {act} 吗/q? ？")
_NO_MORE = ("{who} {don't.who}/n {act} anymore/a .", "{who} 不/n {act} 了/a 。")
_ODD_HOURS = {
    "eat breakfast": ("evening", "afternoon", "weekends"),
    "eat lunch": ("morning", "evening", "afternoon", "weekends"),
    "eat dinner": ("morning", "afternoon", "weekends"),
    "keep a diary": ("morning", "afternoon"),
}


def habits() -> Iterator[AlignedPair]:
    """*his aunt runs every morning*: 他姑姑每天早上都跑步; *i never smoke*: 我从来不抽烟."""
    for person, doing, when in spread(330, "daily", TOLD, activities("daily"), REGULARLY):
        is_weekly = when.english[-1].endswith(("day", "weekends")) and when is not EVERY_DAY
        if is_weekly and doing.english[0] in ("eat", "drink", "take"):
            continue
        if suits(person, doing) and when.english[-1] not in _ODD_HOURS.get(doing.name, ()):
            yield pair("habit", _DOES_WHEN, who=person.subject, act=doing, when=when)
    doings = activities("leisure chore vice")
    for person, doing, often in spread(360, "often", TOLD, doings, (OFTEN, OFTEN, SOMETIMES, NEVER)):
        if suits(person, doing):
            yield pair("habit", _DOES_OFTEN, who=person.subject, act=doing, often=often)
    for person, doing in spread(110, "often?", ASKED, doings):
        if suits(person, doing):
            yield pair("habit", _DOES_SHE_OFTEN, who=person.subject, act=doing, often=OFTEN)
    for person, doing in spread(90, "no longer", TOLD, activities("vice daily sport")):
        if suits(person, doing) and "meal" not in doing.kinds:
            yield pair("habit", _NO_MORE, who=person.subject, act=doing)


_HOURS = {
    "get up": "five six seven eight",
    "eat breakfast": "six seven eight",
    "eat lunch": "twelve",
    "eat dinner": "six seven",
    "go to bed": "nine ten",
    "go to work": "seven eight nine",
    "go to school": "seven eight",
    "go home": "four five six",
}
_AT_HOUR = (
    ("{who} {act.who} {hour} .", "{who} {hour} {act} 。"),
    ("{who} usually/u {act.who} {hour} .", "{who} 通常/u {hour} {act} 。"),
    ("{who} {act.who} {hour} every/e day/e? .", "{who} 每天/e {hour} {act} 。"),
)
_WHAT_TIME = ("what/w time/t {do.who}/w? {who} {act} ?", "{who} 几/w 点/t {act} ？")


def by_the_clock() -> Iterator[AlignedPair]:
    """*he gets up at half past six*: 他六点半起床; *what time do you get up ?*: 你几点起床？"""
    schedule = [
        (act(name), clock(hour))
        for name, hours in _HOURS.items()
        for hour in hours.split()
        for clock in (o_clock, half_past)
    ]
    for person, (doing, hour), rule in spread(220, "o'clock", TOLD, schedule, _AT_HOUR):
        if suits(person, doing):
            yield pair("hour", rule, who=person.subject, act=doing, hour=hour)
    for person, name in spread(70, "what time", ASKED, list(_HOURS)):
        if suits(person, act(name)):
            yield pair("hour", _WHAT_TIME, who=person.subject, act=act(name))


_MANNERS = """
sing well = 唱歌 唱 好
dance well = 跳舞 跳 好
cook well = 做饭 做 好
swim well = 游泳 游 好
swim fast = 游泳 游 快
swim slowly = 游泳 游 慢
run fast = 跑步 跑 快
run slowly = 跑步 跑 慢
drive well = 开车 开 好
drive fast = 开车 开 快
drive slowly = 开车 开 慢
ski well = 滑雪 滑 好
skate well = 滑冰 滑 好
paint well = 画画 画 好
"""
_MASTERED = """
play/h basketball/o = 篮球/o 打/h
play/h football/o = 足球/o 踢/h
play/h tennis/o = 网球/o 打/h
play/h badminton/o = 羽毛球/o 打/h
play/h volleyball/o = 排球/o 打/h
play/h the/o? piano/o = 钢琴/o 弹/h
play/h the/o? guitar/o = 吉他/o 弹/h
play/h the/o? violin/o = 小提琴/o 拉/h
speak/h chinese/o = 中文/o 说/h
speak/h english/o = 英语/o 说/h
speak/h french/o = 法语/o 说/h
speak/h japanese/o = 日语/o 说/h
"""
_HOW = (
    ("{who} {act.who}/v {how}/m .", "{who} {act} {again}/v? 得/v? 很/m? {manner}/m 。"),
    ("{who} {act.who}/v very/d {how}/m .", "{who} {act} {again}/v? 得/v? 非常/d {manner}/m 。"),
    ("{who} {don't.who}/n {act}/v {how}/m .", "{who} {act} {again}/v? 得/v? 不/n {manner}/m 。"),
)


def manners() -> Iterator[AlignedPair]:
    """*she dances very well*: 她跳舞跳得非常好; *he plays tennis well*: 他网球打得很好."""
    ways: list[tuple[Phrase, dict[str, str]]] = []
    for line in _MANNERS.strip().splitlines():
        english, how, _, chinese, again, manner = line.split()
        ways.append((verb(f"{english} = {chinese}"), {"how": how, "again": again, "manner": manner}))
    for line in _MASTERED.strip().splitlines():
        ways.append((verb(line), {"how": "well", "again": "", "manner": "好"}))
    for person, (doing, slots), rule in spread(270, "manner", TOLD, ways, _HOW):
        yield pair("manner", rule, who=person.subject, act=doing, **slots)


_SPLIT = "sleep 睡, swim 游 泳, run 跑 步, dance 跳 舞, sing 唱 歌, chat 聊 天, read 看 书"
_WITH_OBJECT = """
study = 学 | chinese = 中文
study = 学 | english = 英语
watch = 看 | television = 电视
play = 打 | basketball = 篮球
play = 打 | tennis = 网球
play = 下 | chess = 棋
play = 弹 | the/h? piano/h = 钢琴/h
listen to = 听 | music = 音乐
"""
_FOR_HOURS = (
    "{who} {act.past}/v for/f? {span}/f {when} .",
    "{who} {when} {act} 了/v? {span}/f {rest}/v? 。",
)
_AT_IT_FOR_HOURS = (
    "{who} {act.past}/v {what} for/f? {span}/f {when} .",
    "{who} {when} {act} 了/v? {span}/f {what} 。",
)
_SPANS = (
    phrase("an/n hour/h", "一/n 个/n?h? 小时/h"),
    phrase("two/n hours/h", "两/n 个/n?h? 小时/h"),
    phrase("three/n hours/h", "三/n 个/n?h? 小时/h"),
    phrase("ten/n minutes/h", "十/n 分钟/h"),
    phrase("twenty/n minutes/h", "二十/n 分钟/h"),
    phrase("thirty/n minutes/h", "三十/n 分钟/h"),
)


def durations() -> Iterator[AlignedPair]:
    """*he swam for two hours yesterday*: 他昨天游了两个小时泳."""
    split = [
        (verb(f"{english} = {chinese}"), rest)
        for english, chinese, *rest in map(str.split, _SPLIT.split(", "))
    ]
    for person, (doing, rest), span, when in spread(160, "how long", TOLD, split, _SPANS, RECENTLY):
        yield pair(
            "how long", _FOR_HOURS, who=person.subject, act=doing, span=span, rest="".join(rest), when=when
        )
    rows = [line.split(" | ") for line in _WITH_OBJECT.strip().splitlines()]
    pursuits = [(verb(does), verb(what)) for does, what in rows]
    for person, (doing, what), span, when in spread(130, "how long at it", TOLD, pursuits, _SPANS, RECENTLY):
        yield pair(
            "how long", _AT_IT_FOR_HOURS, who=person.subject, act=doing, what=what, span=span, when=when
        )


RULES = (habits, by_the_clock, manners, durations)
