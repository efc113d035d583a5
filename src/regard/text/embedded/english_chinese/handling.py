"""What is done with things: 把, and what befalls them: 被."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.noun_phrases import the
from regard.text.embedded.english_chinese.nouns import NOUNS, nouns
from regard.text.embedded.english_chinese.people import MY_KIN, ONE, TOLD, possessed, possessive
from regard.text.embedded.english_chinese.phrases import pair
from regard.text.embedded.english_chinese.places import scenes, spot
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.things import OWNERS
from regard.text.embedded.english_chinese.verbs import verb
from regard.text.embedded.pairs import AlignedPair

_HANDLED = """
open = 打开 : door window box bag drawer suitcase
close = 关上 : door window drawer suitcase
turn/h on/h? = 打开/h : light lamp television computer radio
turn/h off/h? = 关掉/h : light lamp television computer radio phone
clean/h up/h? = 打扫干净/h : room kitchen bedroom classroom office living_room
eat/h up/h? = 吃完/h : cake watermelon pizza rice noodles cookie
drink/h up/h? = 喝完/h : tea coffee milk juice water soup
throw/h away/h? = 扔掉/h : newspaper box bottle magazine
repair = 修好 : bicycle car computer television washing_machine phone watch
wash = 洗干净 : cup bowl plate shirt coat shoes trousers apple tomato car
take/h away/h? = 拿走/h : umbrella dictionary newspaper chair box bag
"""
HANDLED = [
    (verb(rule), noun)
    for rule, kinds in (line.split(" : ") for line in _HANDLED.strip().splitlines())
    for noun in nouns(kinds)
]
_PLEASE = ("please/p {act}/b {what} .", "请/p 把/b? {what} {act} 。")
_PLEASE_NOT = ("please/p don't/n {act}/b {what} .", "请/p 不要/n 把/b? {what} {act} 。")
_CAN_YOU = ("can/c you/y {act}/b {what} ?", "你/y 能/c 把/b? {what} {act} 吗/c? ？")
_DID = (
    ("{who} {act.past}/bv {what} .", "{who} 把/b? {what} {act} 了/v? 。"),
    ("{who} {act.past}/bv {what} .", "{who} 把/b? {what} {act} 了/v? 。"),
    ("{who} didn't/n {act}/b {what} .", "{who} 没/n 把/b? {what} {act} 。"),
)
_WHO_DID = (
    ("who/w {act.past}/bv {what} ?", "谁/w 把/b? {what} {act} 了/v? ？"),
    ("has/q? someone/s {act.done}/bq {what} ?", "有人/s 把/b? {what} {act} 了/q? 吗/q? ？"),
)


def handled() -> Iterator[AlignedPair]:
    """*please close the door*: 请把门关上; *tom ate up the cake*: 汤姆把蛋糕吃完了."""
    for (does, noun), rule in spread(150, "please", HANDLED, (_PLEASE, _PLEASE_NOT, _CAN_YOU)):
        if rule is not _PLEASE_NOT or does.english[0] in ("open", "close", "turn", "throw", "take"):
            yield pair("please", rule, act=does, what=the(noun))
    for person, (does, noun), rule in spread(300, "handled", TOLD, HANDLED, _DID):
        # What is not washed clean may yet have been washed.
        if rule is _DID[2] and does.name == "wash":
            continue
        yield pair("handle", rule, who=person.subject, act=does, what=the(noun))
    for (does, noun), rule in spread(80, "who handled", HANDLED, _WHO_DID):
        yield pair("who", rule, act=does, what=the(noun))


_PUT = (
    ("{who} put/vb {what} {spot}/p .", "{who} 把/b? {what} 放/v 在/p? 了/v? {spot} 。"),
    ("please/a put/vb {what} {spot}/p .", "请/a 把/b? {what} 放/v 在/p? {spot} 。"),
    ("{who} didn't/n put/vb {what} {spot}/p .", "{who} 没/n 把/b? {what} 放/v 在/p? {spot} 。"),
)
_HUNG = (
    ("{who} hung/vb {what} {spot}/p .", "{who} 把/b? {what} 挂/v 在/p? 了/v? {spot} 。"),
    ("{who} hung/vb {what} {spot}/p .", "{who} 把/b? {what} 挂/v 在/p? 了/v? {spot} 。"),
    ("please/a hang/vb {what} {spot}/p .", "请/a 把/b? {what} 挂/v 在/p? {spot} 。"),
)
_LEFT = ("{who} left/l {whose}/w? {what} {spot} .", "{who} 把/l? {what}/w 忘/l 在/l? {spot} 了/l? 。")


def placed() -> Iterator[AlignedPair]:
    """*she put the cup on the table*: 她把杯子放在了桌子上; *left it on the bus*: 忘在公交车上了."""
    puts = [
        (noun, spot(preposition, ground))
        for noun, preposition, ground in scenes()
        if noun.kinds & {"thing", "garment", "headwear", "footwear", "food", "given"}
        and preposition in ("on", "in", "under", "beside", "behind")
        and not ground.kinds & {"chamber", "ground", "plant", "scenery", "way"}
        and ground is not NOUNS["wall"]
    ]
    for (noun, where), person, rule in spread(270, "put", puts, TOLD, _PUT):
        yield pair("put", rule, who=person.subject, what=the(noun), spot=where)
    wall = spot("on", NOUNS["wall"])
    for noun, person, rule in spread(60, "hang", nouns("map painting clock photo mirror"), TOLD, _HUNG):
        yield pair("hang", rule, who=person.subject, what=the(noun), spot=wall)
    forgotten = nouns("carried bag hat glasses suitcase gloves dictionary notebook")
    vehicles = [spot("on", noun) for noun in nouns("bus train plane")]
    vehicles += [
        spot("in", noun) for noun in nouns("taxi hotel library classroom office restaurant coffee_shop")
    ]
    for person, noun, where in spread(150, "left", ONE, forgotten, vehicles):
        slots = {"whose": possessive(person.pronoun), "what": noun.singular, "spot": where}
        yield pair("leave", _LEFT, who=person.subject, **slots)


_LOST = ("{who} lost/l {whose}/w? {what} .", "{who} 把/l? {what}/w 弄丢/l 了/l? 。")
_BROKEN = (
    ("{what} was/b? broken/d by/b {whom} .", "{what} 被/b {whom} 打破/d 了/d? 。"),
    ("{whom} broke/d {what} .", "{whom} 把/d? {what} 打破/d 了/d? 。"),
)
_BY_SOMEONE = ("{what} was/b? {act.done}/d by/b {whom} .", "{what} 被/b {whom} {act} 了/d? 。")
_BY_NO_ONE = ("{what} was/b stolen/d .", "{what} 被/b 偷走/d 了/d? 。")
_FATES = (
    ("eat = 吃", "cake cookie sandwich pizza fish", "dog cat puppy kitten"),
    (
        "borrow = 借走",
        "bicycle dictionary umbrella novel camera book",
        "student teacher doctor nurse manager",
    ),
    ("take/h away/h? = 拿走/h", "chair umbrella newspaper box", "waiter teacher child"),
)


def mishaps() -> Iterator[AlignedPair]:
    """*my son lost his key*: 我儿子把钥匙弄丢了; *the cup was broken by the cat*: 杯子被猫打破了."""
    for person, noun in spread(150, "lost", ONE, nouns("carried ticket pen bag hat glasses suitcase gloves")):
        slots = {"whose": possessive(person.pronoun), "what": noun.singular}
        yield pair("lose", _LOST, who=person.subject, **slots)
    folk = [*(person.subject for person in MY_KIN), *map(the, nouns("child boy girl monkey"))]
    beasts = list(map(the, nouns("cat dog kitten puppy")))
    chances = [(noun, whom) for noun in nouns("cup bowl plate vase bottle") for whom in folk + beasts]
    chances += [(noun, whom) for noun in nouns("mirror window") for whom in folk]
    for (noun, whom), rule in spread(120, "broken", chances, _BROKEN):
        yield pair("break", rule, what=the(noun), whom=whom)
    for written, things, culprits in _FATES:
        for noun in nouns(things):
            for culprit in nouns(culprits):
                yield pair("suffer", _BY_SOMEONE, what=the(noun), act=verb(written), whom=the(culprit))
    eaten = [(noun, beast) for noun in nouns("cake cookie sandwich pizza fish") for beast in beasts]
    for owner, (noun, beast) in spread(60, "mine was eaten", ("i", "he", "she"), eaten):
        yield pair("suffer", _BY_SOMEONE, what=possessed(owner, noun), act=verb("eat = 吃"), whom=beast)
    for owner in OWNERS:
        for noun in nouns("bicycle phone watch camera car bag"):
            yield pair("steal", _BY_NO_ONE, what=possessed(owner, noun))


RULES = (handled, placed, mishaps)
