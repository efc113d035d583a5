"""Clauses joined in time: when, before, after, while."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.people import KNOWN, TOLD, YOU
from regard.text.embedded.english_chinese.phrases import pair
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.verbs import act, acts, suits, verb
from regard.text.embedded.pairs import AlignedPair

_WHEN = (
    "when/w {who} {come.past} , {other} {was.other}/b? {act.ing}/v .",
    "{who} {come} 的/w? 时候/w ， {other} 正在/b?v? {act} 。",
)


_AT_HOME = acts(
    "cook, watch television, read, study, sing, chat, drink tea, drink coffee, wash the dishes, rest, "
    "wash clothes, clean the room, do homework, make dumplings, make a cake, bake bread, listen to music, "
    "play the piano, play the guitar, play the violin, play chess, play computer games, paint, sleep, "
    "read the newspaper, read novels, make a phone call, feed the cat, water the flowers, take a bath, "
    "eat dinner, eat noodles"
)


def simultaneously() -> Iterator[AlignedPair]:
    """*when my father came home , i was cooking*: 我爸爸回家的时候，我正在做饭."""
    arrivals = [verb(rule) for rule in ("come home = 回 家", "get up = 起床", "come in = 进来")]
    people = [person for person in KNOWN if person is not YOU]
    for person, come, other, doing in spread(300, "when", people, arrivals, people, _AT_HOME):
        if not person.is_same_as(other) and suits(other, doing):
            yield pair("when", _WHEN, who=person.subject, come=come, other=other.subject, act=doing)


_BEFORE = (
    ("{who} {act.who} before/b {later.ing} .", "{who} {later} 以前/b {act} 。"),
    ("{who} often/o {act.who} before/b {later.ing} .", "{who} 经常/o 在/b? {later} 以前/b {act} 。"),
    ("{who} usually/o {act.who} before/b {later.ing} .", "{who} {later} 以前/b 通常/o {act} 。"),
)
_AFTER = (
    ("after/a {first.ing} , {who} often/o {act.who} .", "{first} 以后/a ， {who} 经常/o {act} 。"),
    ("{who} often/o {act.who} after/a {first.ing} .", "{who} {first} 以后/a 经常/o {act} 。"),
)
_BEFOREHAND = {
    "go to bed": "take a bath, drink milk, read, listen to music, keep a diary, read novels",
    "eat dinner": "take a walk, exercise, do homework, play basketball, walk the dog",
    "eat breakfast": "run, read the newspaper, exercise, walk the dog, water the flowers",
    "go to work": "eat breakfast, drink coffee, read the newspaper, walk the dog",
}
_AFTERWARDS = {
    "eat breakfast = 吃完 早饭": "wash the dishes, take a walk, read the newspaper, drink tea",
    "eat dinner = 吃完 晚饭": "wash the dishes, take a walk, watch television, walk the dog, play chess",
    "eat lunch = 吃完 午饭": "rest, drink coffee, wash the dishes, sleep, listen to music",
    "get up = 起床": "run, drink water, exercise, listen to the radio",
}


def successively() -> Iterator[AlignedPair]:
    """*she reads before going to bed*: 她睡觉以前看书; *after eating dinner , ...*: 吃完晚饭以后，..."""
    befores = [(act(later), doing) for later, names in _BEFOREHAND.items() for doing in acts(names)]
    for person, (later, doing), rule in spread(150, "before", TOLD, befores, _BEFORE):
        if suits(person, later, doing):
            yield pair("before", rule, who=person.subject, act=doing, later=later)
    afters = [(verb(rule), doing) for rule, names in _AFTERWARDS.items() for doing in acts(names)]
    for person, (first, doing), rule in spread(160, "after", TOLD, afters, _AFTER):
        yield pair("after", rule, who=person.subject, act=doing, first=first)


_WHILE = ("{who} often/o {aside.who} while/w {act.ing} .", "{who} 经常/o 一边/w? {aside} 一边/w {act} 。")
_SIDELINES = {
    "listen to music": "cook, wash the dishes, clean the room, do homework, wash clothes, paint, run",
    "chat": "cook, drink tea, make dumplings, eat dinner, take a walk, wash the dishes",
    "drink tea": "read the newspaper, chat, watch television, read novels, play chess",
    "drink coffee": "read the newspaper, chat, read novels, listen to music",
    "sing": "cook, wash the dishes, clean the room, wash clothes, water the flowers, take a bath",
    "watch television": "eat dinner, eat breakfast, make dumplings, exercise, eat noodles",
}


def alongside() -> Iterator[AlignedPair]:
    """*she often sings while cooking*: 她经常一边唱歌一边做饭."""
    sidelines = [(act(aside), doing) for aside, names in _SIDELINES.items() for doing in acts(names)]
    for person, (aside, doing) in spread(140, "while", TOLD, sidelines):
        if suits(person, doing):
            yield pair("while", _WHILE, who=person.subject, aside=aside, act=doing)


RULES = (simultaneously, successively, alongside)
