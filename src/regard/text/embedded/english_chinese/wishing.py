"""What people can, may, must, ought and want to do: 会, 可以, 必须, 应该, 想, 打算."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.noun_phrases import this
from regard.text.embedded.english_chinese.people import ASKED, KNOWN, PRONOUNS, TOLD, possessed
from regard.text.embedded.english_chinese.phrases import pair
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.times import SOON
from regard.text.embedded.english_chinese.verbs import activities, acts, countable, suits, verb
from regard.text.embedded.pairs import AlignedPair

_CAN = (
    ("{who} can/c {act} .", "{who} 会/c {act} 。"),
    ("{who} can't/c {act} .", "{who} 不/c 会/c {act} 。"),
)
_CAN_SHE = ("can/cq? {who} {act} ?", "{who} 会/c {act} 吗/q? ？")
_CAN_BUT = (
    "{who} can/c {act} , but/b can't/d {other} .",
    "{who} 会/c {act} ， 但是/b 不/d 会/d {other} 。",
)
_KINDRED = (
    acts("play basketball, play football, play tennis, play badminton, play volleyball"),
    acts("play the piano, play the guitar, play the violin"),
    acts("speak chinese, speak english, speak french, speak japanese"),
    acts("sing, dance, paint"),
    acts("ski, skate, swim"),
)


def abilities() -> Iterator[AlignedPair]:
    """*my aunt can ski*: 我姑姑会滑雪; *can you drive ?*: 你会开车吗？"""
    skills = activities("skill")
    for person, skill, rule in spread(260, "can", TOLD, skills, _CAN):
        if suits(person, skill):
            yield pair("can", rule, who=person.subject, act=skill)
    for person, skill in spread(120, "can?", ASKED, skills):
        if suits(person, skill):
            yield pair("can", _CAN_SHE, who=person.subject, act=skill)
    rivals = [(one, other) for group in _KINDRED for one in group for other in group if one is not other]
    for person, (one, other) in spread(110, "can but not", TOLD, rivals):
        yield pair("can", _CAN_BUT, who=person.subject, act=one, other=other)


_WANT = verb("want/h to/h? = 想/h", counts=False)
_PLAN = verb("plan/h to/h? = 打算/h", counts=False)
_NEED = verb("need/h to/h? = 需要/h", counts=False)
_WISHES = (
    ("{who} {want.who} {act} .", "{who} {want} {act} 。"),
    ("{who} {want.who} {act} {when} .", "{who} {when} {want} {act} 。"),
    ("{who} {don't.who}/n {want} {act} {when} .", "{who} {when} 不/n {want} {act} 。"),
    ("{who} {plan.who} {act} {when} .", "{who} {plan} {when} {act} 。"),
)
_DUTY = ("{who} {need.who} {act} {when} .", "{who} {when} {need} {act} 。")
_DOES_SHE_WANT = (
    ("{do.who}/q? {who} {want} {act} ?", "{who} {want} {act} 吗/q? ？"),
    ("{do.who}/q? {who} {want} {act} {when} ?", "{who} {when} {want} {act} 吗/q? ？"),
)
_TRIFLES = acts("chat, drink tea, drink coffee, read the newspaper, write letters")
TREATS = [
    doing
    for doing in activities("leisure")
    if not doing.kinds & {"winter", "chore"} and doing not in _TRIFLES
]


def intentions() -> Iterator[AlignedPair]:
    """*i want to play chess tonight*: 我今晚想下棋; *they plan to swim tomorrow*: 他们打算明天游泳."""
    for person, doing, when, rule in spread(290, "want", TOLD, TREATS, SOON, _WISHES):
        yield pair("want", rule, who=person.subject, want=_WANT, plan=_PLAN, act=doing, when=when)
    for person, doing, when in spread(110, "need", TOLD, activities("chore"), SOON[:4]):
        yield pair("need", _DUTY, who=person.subject, need=_NEED, act=doing, when=when)
    for person, doing, when, rule in spread(140, "want?", ASKED, TREATS, SOON, _DOES_SHE_WANT):
        yield pair("want", rule, who=person.subject, want=_WANT, act=doing, when=when)


_ADVISED = acts(
    "exercise, run, study, rest, sleep, eat vegetables, eat fruit, drink water, do homework, clean the room, "
    "wash clothes, go to bed, get up, go home, study chinese, take a walk, eat breakfast, drink milk, read"
)
_REQUIRED = acts(
    "study, do homework, clean the room, wash clothes, wash the dishes, go home, cook, go to work, "
    "go to school, exercise, study chinese, study english, walk the dog, feed the cat, take medicine"
)
_SHOULD = ("{who} should/s {act} .", "{who} 应该/s {act} 。")
_SHOULD_NOT = ("{who} shouldn't/s {act} .", "{who} 不/s 应该/s {act} 。")
_MUST = (
    ("{who} must/m {act} .", "{who} 必须/m {act} 。"),
    ("{who} must/m {act} today/t .", "{who} 今天/t 必须/m {act} 。"),
    ("{who} {don't.who}/n have/n to/n? {act} today/t .", "{who} 今天/t 不用/n {act} 。"),
)
_MORE = ("please/p {act} more/m .", "请/p 多/m {act} 。")
_MORE_OF = ("please/p {act} more/m {what} .", "请/p 多/m {act} {what} 。")


def duties() -> Iterator[AlignedPair]:
    """*you should rest*: 你应该休息; *you don't have to cook today*: 你今天不用做饭."""
    people = [*KNOWN, *PRONOUNS]
    for person, doing in spread(120, "should", people, _ADVISED):
        if suits(person, doing):
            yield pair("should", _SHOULD, who=person.subject, act=doing)
    for person, doing in spread(90, "should not", people, activities("vice")):
        if suits(person, doing):
            yield pair("should", _SHOULD_NOT, who=person.subject, act=doing)
    for person, doing, rule in spread(200, "must", people, _REQUIRED, _MUST):
        if suits(person, doing):
            yield pair("must", rule, who=person.subject, act=doing)
    for doing in acts("rest, exercise, study"):
        yield pair("more", _MORE, act=doing)
    for does, whats in (
        ("drink = 喝", ("water = 水", "milk = 牛奶")),
        ("eat = 吃", ("fruit = 水果", "vegetables = 蔬菜")),
    ):
        for what in whats:
            yield pair("more", _MORE_OF, act=verb(does), what=verb(what))


_MAY_USE = ("may/mq? i/i use/u {what} ?", "我/i 可以/m 用/u {what} 吗/q? ？")
_MAY_BORROW = ("may/mq? i/i borrow/u {what} ?", "我/i 可以/m 借/u {what} 吗/q? ？")


def permissions() -> Iterator[AlignedPair]:
    """*may i use your pen ?*: 我可以用你的钢笔吗？"""
    usable = countable(
        "phone camera computer clock umbrella stationery dictionary bicycle car knife cup map chair"
    )
    for noun, owner in spread(60, "may i use", usable, ("you", "you", "he", "she")):
        yield pair("may", _MAY_USE, what=possessed(owner, noun))
    lent = countable("reading stationery umbrella bicycle dictionary camera")
    for noun in lent:
        yield pair("may", _MAY_BORROW, what=possessed("you", noun))
        yield pair("may", _MAY_BORROW, what=this(noun))


RULES = (abilities, intentions, duties, permissions)
