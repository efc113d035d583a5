"""What animals do, and what one says on seeing them."""

from collections.abc import Callable, Iterator

from regard.text.embedded.english_chinese.noun_phrases import a, number, that, the, this
from regard.text.embedded.english_chinese.nouns import NOUNS, Noun, nouns
from regard.text.embedded.english_chinese.phrases import Phrase, pair
from regard.text.embedded.english_chinese.places import spot
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.verbs import verb
from regard.text.embedded.pairs import AlignedPair

_CREATURES = """
dog cat puppy kitten horse rabbit : run = 跑来跑去 : in park; in garden
kitten cat puppy dog : sleep = 睡觉 : on sofa; on bed; under table; under chair; under tree
cow sheep horse rabbit : eat grass = 吃 草 : on mountain; in garden; beside river
bird : sing = 唱歌 : up tree; in garden
bird butterfly : fly = 飞来飞去 : in garden; in park
fish : swim = 游来游去 : in river; in lake
duck frog turtle : swim = 游泳 : in river; in lake
monkey : eat bananas = 吃 香蕉 : up tree; in zoo
monkey frog : jump = 跳来跳去 : beside river; in zoo
panda tiger lion bear fox snake elephant : sleep = 睡觉 : in zoo; under tree
pig cow sheep chicken : sleep = 睡觉 : in farm; under tree
wolf fox : run = 跑来跑去 : on mountain; beside river
chicken pig mouse : look/h for/h? food/o = 找/h 吃的/o : in farm; in garden
horse cow elephant wolf lion tiger fox snake : drink water = 喝 水 : beside river
cat puppy kitten : play = 玩 : in garden; on bed; under table; in living_room
"""
_IS_DOING = ("{who} {be.who}/b? {act.ing}/b {spot}/p .", "{who} 在/p?b? {spot} {act} 。")
_THERE_IS_DOING = ("{who} {be.who}/b? {act.ing}/b {spot}/p .", "有/b? {who} 在/p?b? {spot} {act} 。")
_MENTIONS: tuple[Callable[[Noun], Phrase], ...] = (the, this, that)
_CHASES = ("{who} is/v? chasing/v {what} .", "{who} 在/v? 追/v {what} 。")
_CHASED = (
    ("dog", "cat"),
    ("cat", "mouse"),
    ("wolf", "sheep"),
    ("tiger", "rabbit"),
    ("kitten", "butterfly"),
    ("lion", "horse"),
    ("fox", "chicken"),
    ("puppy", "duck"),
    ("dog", "rabbit"),
    ("wolf", "rabbit"),
    ("cat", "bird"),
    ("puppy", "ball"),
)


def creatures() -> Iterator[AlignedPair]:
    """*the kitten is playing in the garden*: 小猫在花园里玩; *three ducks are ...*: 有三只鸭子在 ..."""
    scenes: list[tuple[Noun, Phrase, Phrase]] = []
    for line in _CREATURES.strip().splitlines():
        names, rule, places = line.split(" : ")
        for preposition, ground in map(str.split, places.split("; ")):
            (place,) = nouns(ground)
            scenes += [(noun, verb(rule), spot(preposition, place)) for noun in nouns(names)]
    for (noun, does, where), point in spread(170, "creature", scenes, _MENTIONS):
        yield pair("creature", _IS_DOING, who=point(noun), act=does, spot=where)
    for (noun, does, where), count in spread(170, "some creature", scenes, ("a", "two", "three")):
        some = a(noun) if count == "a" else number(count, noun)
        yield pair("creature", _THERE_IS_DOING, who=some, act=does, spot=where)
    for (hunter, prey), point in spread(36, "chase", _CHASED, _MENTIONS):
        yield pair("chase", _CHASES, who=point(NOUNS[hunter]), what=a(NOUNS[prey]))
        yield pair("chase", _CHASES, who=point(NOUNS[hunter]), what=the(NOUNS[prey]))


_STRIKING = {
    "cute = 可爱": "puppy rabbit panda monkey duck pig bird cat dog",
    "big = 大": "elephant bear tiger fish horse lion pig dog snake",
    "small = 小": "kitten puppy bird mouse frog rabbit",
    "fat = 胖": "panda pig cat bear dog chicken",
    "pretty = 漂亮": "butterfly bird horse fox flower rose",
    "tall = 高": "tree tower building",
    "high = 高": "mountain",
    "beautiful = 美": "lake island river mountain village bridge",
    "smart = 聪明": "monkey dog fox horse",
    "fast = 快": "horse train rabbit",
}


_LOOK = (
    ("look/l at/l? {what} , it/i is/k? so/d {like} !", "看/l {what} ， 它/i 好/d {like}/k ！"),
    ("look/l at/l? {what} , it/i is/k? really/d {like} !", "看/l {what} ， 它/i 真/d {like}/k ！"),
    ("look/l at/l? {what} , it/i is/k? very/d {like} .", "看/l {what} ， 它/i 非常/d {like}/k 。"),
)


def glances() -> Iterator[AlignedPair]:
    """*look at the puppy , it is so small !*: 看小狗，它好小！"""
    for written, things in _STRIKING.items():
        for noun in nouns(things):
            for rule in _LOOK:
                yield pair("look", rule, what=the(noun), like=verb(written))


RULES = (creatures, glances)
