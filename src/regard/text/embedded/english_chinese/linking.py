"""Clauses joined by reason: because and so, if and then, although."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.adjectives import MOODS, PLAIN, QUALITIES, VERY
from regard.text.embedded.english_chinese.people import ONE, TOLD
from regard.text.embedded.english_chinese.phrases import Phrase, pair
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.things import pointed_at
from regard.text.embedded.english_chinese.times import DAYS_TO_COME
from regard.text.embedded.english_chinese.verbs import acts, suits, verb
from regard.text.embedded.pairs import AlignedPair

_MOOD = {mood.name: mood for mood in MOODS}
_WANT = verb("want/h to/h? = 想/h", counts=False)
_WISHES = {
    "tired": "rest, sleep, go home, drink coffee, listen to music",
    "hungry": "eat dumplings, eat noodles, cook, eat fruit",
    "thirsty": "drink water, drink tea, drink milk",
    "sleepy": "sleep, go home, drink coffee",
    "happy": "sing, dance",
    "bored": "watch television, read novels, play computer games, chat, take a walk, listen to music",
    "sad": "go home, listen to music, rest",
}
_REFUSALS = {
    "tired": "cook, run, study, clean the room, exercise, wash clothes, dance",
    "busy": "watch television, play chess, watch films, chat, play tennis, drink tea",
    "sleepy": "study, read, watch television, play computer games",
    "nervous": "sleep, sing, eat dinner, dance",
    "sad": "sing, dance, watch films, chat",
    "angry": "chat, eat dinner, sing",
}
_SO_SHE_WANTS = (
    (
        "because/c {who} {be.who}/b? {feel} , {again} {want.again} {act} .",
        "因为/c {who} {feel}/b ， 所以/c? {again} {want} {act} 。",
    ),
    (
        "{who} {be.who}/b? {feel} , so/c {again} {want.again} {act} .",
        "{who} {feel}/b ， 所以/c {again} {want} {act} 。",
    ),
    (
        "{who} {want.who} {act} because/c {again} {be.again}/b? {feel} .",
        "{who} {want} {act} ，/c? 因为/c {again} {feel}/b 。",
    ),
)
_SO_SHE_REFUSES = (
    (
        "because/c {who} {be.who}/b? {feel} , {again} {don't.again}/n {want} {act} .",
        "因为/c {who} {feel}/b ， 所以/c? {again} 不/n {want} {act} 。",
    ),
    (
        "{who} {be.who}/b? {feel} , so/c {again} {don't.again}/n {want} {act} .",
        "{who} {feel}/b ， 所以/c {again} 不/n {want} {act} 。",
    ),
    (
        "{who} {don't.who}/n {want} {act} because/c {again} {be.again}/b? {feel} .",
        "{who} 不/n {want} {act} ，/c? 因为/c {again} {feel}/b 。",
    ),
)


def _felt(doings: dict[str, str]) -> list[tuple[Phrase, Phrase]]:
    """Moods, plain and strong, with what they bring about."""
    return [
        (degree.of(_MOOD[mood]), doing)
        for mood, names in doings.items()
        for doing in acts(names)
        for degree in (PLAIN, VERY)
    ]


def reasons() -> Iterator[AlignedPair]:
    """*because she is tired , she wants to rest*: 因为她很累，所以她想休息."""
    for doings, rules in ((_WISHES, _SO_SHE_WANTS), (_REFUSALS, _SO_SHE_REFUSES)):
        for person, (feel, doing), rule in spread(190, rules[0][0], ONE, _felt(doings), rules):
            slots = {"feel": feel, "again": person.again, "want": _WANT}
            yield pair("because", rule, who=person.subject, act=doing, **slots)


def _if(sky: tuple[str, str], then: tuple[str, str]) -> tuple[str, str]:
    return f"if/i {sky[0]} {{day}} , {{who}} {then[0]}", f"如果/i {{day}} {sky[1]} ， {{who}} {then[1]}"


_RAIN, _SNOW = ("it/r? rains/r", "下雨/r"), ("it/r? snows/r", "下雪/r")
_FINE, _DRY = ("the/r? weather/r is/g? good/g", "天气/r 好/g"), ("it/r? doesn't/n rain/r", "不/n 下雨/r")
_STAY_IN = ("will/w {act} at/p home/o .", "就/w 在/p 家/o {act} 。")
_DO_NOT_GO = ("won't/w {act} .", "就/w? 不/w 去/w? {act} 。")
_GO_OUT = ("will/w {act} .", "就/w 去/w? {act} 。")
_INDOORS = acts("read, watch television, rest, cook, play chess, listen to music, make dumplings, study")
_OUTDOORS = acts(
    "play football, play tennis, climb mountains, take a walk, fly kites, run, fish, take photos, swim"
)
_CASES = [
    *((_if(sky, _STAY_IN), doing) for sky in (_RAIN, _SNOW) for doing in _INDOORS),
    *((_if(sky, _DO_NOT_GO), doing) for sky in (_RAIN, _SNOW) for doing in _OUTDOORS),
    *((_if(sky, _GO_OUT), doing) for sky in (_FINE, _DRY) for doing in _OUTDOORS),
]
_IF_TIME = {
    "time": (
        "if/i {who} {have.who}/h time/t , {again} will/w {act} .",
        "如果/i {who} 有/h 时间/t ， {again} 就/w? 会/w 去/w? {act} 。",
    ),
    "money": (
        "if/i {who} {have.who}/h money/t , {again} will/w {act} .",
        "如果/i {who} 有/h 钱/t ， {again} 就/w? 会/w {act} 。",
    ),
}
_PURCHASES = (
    "buy/h a/n new/x car/o = 买/h 一/n 辆/n?o? 新/x 车/o",
    "buy/h a/n big/x house/o = 买/h 一/n 栋/n?o? 大/x 房子/o",
    "buy/h a/n new/x computer/o = 买/h 一/n 台/n?o? 新/x 电脑/o",
    "buy/h a/n piano/o = 买/h 一/n 架/n?o? 钢琴/o",
)
_IF_YOU_FEEL = (
    "if/i you/y are/b? {feel} , you/z should/s {act} .",
    "如果/i 你/y {feel}/b 了/b? ， 你/z 就/s? 应该/s {act} 。",
)


def conditions() -> Iterator[AlignedPair]:
    """*if it rains tomorrow , we will read at home*: 如果明天下雨，我们就在家看书."""
    for (rule, doing), day, person in spread(290, "if", _CASES, DAYS_TO_COME, TOLD):
        yield pair("if", rule, day=day, who=person.subject, act=doing)
    pleasures = acts(
        "travel, watch films, climb mountains, swim, play tennis, exercise, run, fish, take photos"
    )
    chances = [("time", doing) for doing in pleasures] + [("money", verb(rule)) for rule in _PURCHASES]
    for person, (means, doing) in spread(120, "if i have", ONE, chances):
        yield pair(f"if {means}", _IF_TIME[means], who=person.subject, again=person.again, act=doing)
    for mood in ("tired", "hungry", "thirsty", "sleepy"):
        for doing in acts(_WISHES[mood]):
            yield pair("if", _IF_YOU_FEEL, feel=_MOOD[mood].positive, act=doing)


_PERSEVERANCE = {
    "tired": "study, cook, clean the room, exercise, do homework, wash clothes, run",
    "sleepy": "watch television, study, read, do homework, play computer games",
    "busy": "exercise, cook, study chinese",
    "hungry": "study, exercise, do homework, cook",
    "sad": "sing",
}
_STILL_DOING = (
    "although/c {who} {be.who}/b? {feel} , {again} {be.again}/v? still/s {act.ing}/v .",
    "虽然/c {who} {feel}/b ， 但是/c? {again} 还/s 在/v? {act} 。",
)
_STILL_GOOD = (
    "although/c {thing} {be.thing}/b? {bad} , {it}/t? {be.thing}/g? {good} .",
    "虽然/c {thing}/t {bad}/b ， 但是/c? {good}/g 。",
)
_CONTRASTS = {
    "old": "comfortable clean pretty fast useful good",
    "small": "clean comfortable quiet beautiful pretty bright",
    "expensive": "comfortable pretty useful good light",
    "heavy": "useful",
    "long": "interesting",
    "short": "interesting pretty",
    "difficult": "important",
    "noisy": "clean",
    "slow": "comfortable useful cheap",
    "sour": "delicious",
}


def concessions() -> Iterator[AlignedPair]:
    """*although he is tired , he is still cooking*: 虽然他很累，但是他还在做饭."""
    for person, (feel, doing) in spread(150, "although", ONE, _felt(_PERSEVERANCE)):
        if suits(person, doing):
            yield pair("although", _STILL_DOING, who=person.subject, feel=feel, again=person.again, act=doing)
    said = list(dict.fromkeys(QUALITIES))
    contrary = [
        (one, other, noun)
        for one, noun in said
        for other, thing in said
        if noun is thing and not noun.is_collective and other.name in _CONTRASTS.get(one.name, "").split()
    ]
    for (one, other, noun), draw in spread(170, "although it", contrary, range(28)):
        thing = pointed_at(noun, draw)
        it = "they" if thing.agreement == "many" else "it"
        yield pair("although", _STILL_GOOD, thing=thing, bad=PLAIN.of(one), it=it, good=VERY.of(other))


RULES = (reasons, conditions, concessions)
