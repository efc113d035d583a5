"""What has changed, what is about to, what people have become: 了, 快要, 当."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.adjectives import MOODS
from regard.text.embedded.english_chinese.noun_phrases import role, the, this
from regard.text.embedded.english_chinese.nouns import NOUNS, nouns
from regard.text.embedded.english_chinese.people import TOLD, WORKING
from regard.text.embedded.english_chinese.phrases import pair
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.times import YEARS_AGO, o_clock
from regard.text.embedded.english_chinese.verbs import acts, suits, verb
from regard.text.embedded.pairs import AlignedPair

_NOW = ("{who.be}/l? {like} now/n .", "{who} {like}/l 了/n 。")
_GOTTEN = ("{who} {have.who}/g? gotten/g {like} .", "{who} {like} 了/g 。")
_HAS_GOTTEN = ("{have.who}/q? {who} gotten/g {like} ?", "{who} {like} 了/g 吗/q? ？")
_SPOILT = {
    "cold = 凉": "tea coffee soup rice noodles milk",
    "expensive = 贵": "fruit vegetables meat milk beef bread",
    "cheap = 便宜": "fruit vegetables meat milk beef bread",
}
_BECAME = ("{who} became/b {what} {when} .", "{who} {when} 当/b 了/b? {what} 。")


def changes() -> Iterator[AlignedPair]:
    """*my son is hungry now*: 我儿子饿了; *the coffee has gotten cold*: 咖啡凉了."""
    turned = [
        mood.positive for mood in MOODS if mood.name in ("hungry", "thirsty", "tired", "sleepy", "angry")
    ]
    for person, like in spread(120, "now", TOLD, turned):
        yield pair("now", _NOW, who=person.subject, like=like)
    for person, written in spread(90, "gotten", TOLD, ("fat = 胖", "thin = 瘦", "tall = 长高")):
        if person.is_pronoun or not person.is_grown or written[:4] != "tall":
            yield pair("gotten", _GOTTEN, who=person.subject, like=verb(written))
    for written, things in _SPOILT.items():
        for noun in nouns(things):
            for rule in (_GOTTEN, _HAS_GOTTEN):
                yield pair("gotten", rule, who=the(noun), like=verb(written))
    jobs = [job for job in nouns("profession") if job is not NOUNS["student"]]
    single = [person for person in WORKING if person.pronoun in ("i", "he", "she")]
    for person, job, when in spread(130, "became", single, jobs, YEARS_AGO):
        yield pair("become", _BECAME, who=person.subject, what=role(job), when=when)


_EVENTS = {
    "leave = 开": "train bus boat",
    "take off = 起飞": "plane",
    "arrive = 到": "train bus boat plane taxi",
    "begin = 开始": "match concert film exam meeting",
    "end = 结束": "match concert film exam meeting",
}
_ABOUT_TO = ("{what} is/a? about/a to/a? {act}/a .", "{what} 快要/a {act} 了/a? 。")
_WILL_AT = ("{what} will/d? {act}/d {hour} .", "{what} {hour} {act}/d 。")
_WHEN = ("when/w does/d? {what} {act}/d ?", "{what} 什么时候/w {act}/d ？")
_WHO_ABOUT_TO = ("{who.be}/a? about/a to/a? {act} .", "{who} 快要/a {act} 了/a? 。")


def about_to() -> Iterator[AlignedPair]:
    """*the train is about to leave*: 火车快要开了; *the match will begin at three*: 比赛三点开始."""
    hours = [o_clock(hour) for hour in ("three", "five", "six", "eight", "nine", "ten")]
    for written, things in _EVENTS.items():
        for noun in nouns(things):
            yield pair("about", _ABOUT_TO, what=the(noun), act=verb(written))
            yield pair("about", _ABOUT_TO, what=this(noun), act=verb(written))
            yield pair("when", _WHEN, what=the(noun), act=verb(written))
            for hour in hours:
                yield pair("hour", _WILL_AT, what=the(noun), act=verb(written), hour=hour)
    near = acts("go to bed, eat breakfast, eat lunch, eat dinner, go home, go to work, go to school")
    for person, doing in spread(140, "about to", TOLD, near):
        if suits(person, doing):
            yield pair("about", _WHO_ABOUT_TO, who=person.subject, act=doing)


_ONLY = ("{who} only/o {eat.who} {what} .", "{who} 只/o {eat} {what} 。")


def restraint() -> Iterator[AlignedPair]:
    """*she only drinks water*: 她只喝水."""
    fare = [(verb("drink = 喝"), noun) for noun in nouns("water tea coffee milk juice")]
    fare += [(verb("eat = 吃"), noun) for noun in nouns("rice noodles vegetables fruit meat bread")]
    for person, (eat, noun) in spread(110, "only eats", TOLD, fare):
        yield pair("only", _ONLY, who=person.subject, eat=eat, what=noun.singular)


RULES = (changes, about_to, restraint)
