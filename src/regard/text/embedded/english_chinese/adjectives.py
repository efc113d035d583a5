"""The adjectives: what they are said of, how strongly, and how they compare.

A line reads ``english chinese joint tone : nouns``, with a second Chinese word after a slash where
another is used before a noun. The joint is 的 where Chinese needs it before
a noun (漂亮的花) and a dash where it does not (大房子). The tone is + or - for what one is glad
or sorry of, since 有点 goes only with the latter.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from regard.text.embedded.english_chinese import inflection
from regard.text.embedded.english_chinese.noun_phrases import modified
from regard.text.embedded.english_chinese.nouns import Noun, nouns
from regard.text.embedded.english_chinese.phrases import PUNCTUATION, Phrase, phrase
from regard.text.embedded.english_chinese.spreading import lift

_OF_THINGS = """
big 大 - . : house room box bag table bed sofa desk watermelon park school city kitchen garden zoo elephant
small 小 - - : house room box bag table bed bedroom park school village kitchen garden island apple frog
long 长 - - : river road street bridge skirt dress scarf trousers story novel letter
short 短 - - : skirt dress scarf trousers pencil story letter article poem road
tall 高 - . : building tree tower
high 高 - . : mountain
heavy 重 的 - : box bag suitcase table dictionary bed fridge washing_machine
light 轻 的 + : bag suitcase umbrella computer camera bicycle coat
new 新 - + : car bicycle phone computer camera coat shirt hat shoes house sofa dictionary television fridge
old 旧 - - : car bicycle phone computer camera coat shirt hat shoes house sofa dictionary chair radio
expensive 贵 的 - : garment shoes glasses device machine instrument painting hotel restaurant car ticket
cheap 便宜 的 + : garment shoes orchard device ticket hotel restaurant bicycle umbrella
clean 干净 的 + : room kitchen bedroom cup plate bowl hotel restaurant shirt street classroom park
dirty 脏 的 - : shoes socks shirt trousers cup plate bowl car window room kitchen
pretty 漂亮 的 + : garment headwear-gloves flower rose garden bird butterfly doll vase lamp house postcard
beautiful 美/美丽 的 + : scenery city village garden park painting tower poem
cute 可爱 的 + : cub kitten puppy doll duck pig panda
delicious 好吃 的 + : orchard snack-candy dumpling pizza rice noodles bread beef cheese
delicious 好喝 的 + : soup tea coffee juice milk
sweet 甜 的 + : orchard cake cookie chocolate juice ice_cream
sour 酸 的 - : orange lemon strawberry peach
spicy 辣 的 - : noodles soup
salty 咸 的 - : soup noodles cheese
bitter 苦 的 - : coffee tea medicine
fresh 新鲜 的 + : fruit vegetables meat egg milk bread tomato beef
hot 热 - . : tea coffee water soup
interesting 有意思 的 + : book novel magazine film match story article museum meeting
boring 无聊 的 - : book novel magazine film match story article concert meeting
difficult 难 的 - : question exam song homework word
easy 容易 的 + : question exam homework word
important 重要 的 + : question exam letter meeting
famous 有名 的 + : painting film song novel university museum restaurant city tower bridge poem star professor
good 好 - + : book film song restaurant hotel school university teacher doctor camera dictionary
quiet 安静 的 + : library park village street garden room bedroom coffee_shop hotel
noisy 吵 的 - : street market restaurant classroom train_station factory
comfortable 舒服 的 + : bed sofa chair shoes room hotel trousers sweater train
dangerous 危险 的 - : snake tiger wolf road bridge lion bear
fast 快 的 + : car train horse motorcycle boat
slow 慢 的 - : bus train computer boat turtle
wide 宽 的 . : river road street bridge
narrow 窄 的 - : road street bridge
deep 深 的 . : river lake
bright 明亮 的 + : room classroom office living_room
dark 暗 的 - : room street kitchen
thick 厚 的 . : book dictionary sweater coat novel magazine
thin 薄 的 . : shirt magazine jacket notebook
soft 软 的 + : bed sofa bread
hard 硬 的 - : bed chair sofa
useful 有用 的 + : dictionary map phone computer word book knife
"""

_OF_CHARACTER = """
smart 聪明 的 +
kind 善良 的 +
friendly 友好 的 +
polite 礼貌 的 +
lazy 懒 的 -
hardworking 勤奋 的 +
strong 强壮 的 +
brave 勇敢 的 +
honest 诚实 的 +
patient 耐心 的 +
young 年轻 的 .
rich 有钱 的 +
healthy 健康 的 +
tall 高 的 .
short 矮 的 .
thin 瘦 的 .
fat 胖 的 -
shy 害羞 的 -
careful 细心 的 +
"""

_OF_MOOD = """
happy 高兴 的 +
sad 难过 的 -
tired 累 的 -
busy 忙 的 -
angry 生气 的 -
hungry 饿 的 -
thirsty 渴 的 -
nervous 紧张 的 -
worried 担心 的 -
excited 兴奋 的 +
bored 无聊 的 -
sleepy 困 的 -
"""

_COLOURS = """
red 红色 的 .
blue 蓝色 的 .
green 绿色 的 .
yellow 黄色 的 .
white 白色 的 .
black 黑色 的 .
brown 棕色 的 .
pink 粉色 的 .
gray 灰色 的 .
purple 紫色 的 .
"""

_OF_WEATHER = """
hot 热 的 -
cold 冷 的 -
warm 暖和 的 +
cool 凉快 的 +
dry 干燥 的 -
"""


@dataclass(frozen=True, eq=False)
class Adjective:
    """An adjective in both languages."""

    positive: Phrase
    attributive: Phrase
    joint: str
    tone: str

    @cached_property
    def name(self) -> str:
        """The English word."""
        return self.positive.name

    @cached_property
    def comparative(self) -> Phrase:
        """*bigger*: 大, as 比 says the rest."""
        *more, form = inflection.compared(self.name)[0].split()
        before = "".join(f"{adverb}/h? " for adverb in more)
        return phrase(f"{before}{form}/h", f"{self.positive.chinese[0]}/h", self.positive.lemmas)

    @cached_property
    def superlative(self) -> Phrase:
        """*biggest*: 最大; *most expensive*: 最贵."""
        *most, form = inflection.compared(self.name)[1].split()
        before, degree = ("most/m ", "最/m") if most else ("", "最/h?")
        return phrase(f"{before}{form}/h", f"{degree} {self.positive.chinese[0]}/h", self.positive.lemmas)

    @cached_property
    def is_said_with_have(self) -> bool:
        """Whether it is made with 有, so that 不 cannot stand before it."""
        return self.positive.chinese[0].startswith("有")

    def before(self, noun: Noun) -> Noun:
        """The noun with this adjective before it."""
        return modified(noun, self.attributive, self.joint)


def _adjective(line: str) -> Adjective:
    english, chinese, joint, tone = line.split()
    said, _, before_noun = chinese.partition("/")

    def form(word: str) -> Phrase:
        return phrase(f"{english}/h", f"{word}/h", (english,))

    return Adjective(form(said), form(before_noun or said), joint.strip("-"), tone)


def _adjectives(table: str) -> list[Adjective]:
    return [_adjective(line) for line in table.strip().splitlines()]


def _qualities() -> Iterator[tuple[Adjective, Noun]]:
    for line in _OF_THINGS.strip().splitlines():
        entry, kinds = line.split(" : ")
        adjective = _adjective(entry)
        for noun in nouns(kinds):
            yield adjective, noun


QUALITIES = lift(_qualities(), lambda quality: quality[0], to=14)
"""What can be said of what."""
CHARACTERS = _adjectives(_OF_CHARACTER)
MOODS = _adjectives(_OF_MOOD)
COLOURS = _adjectives(_COLOURS)
WEATHERS = _adjectives(_OF_WEATHER)


@dataclass(frozen=True, eq=False)
class Degree:
    """How strongly a quality is asserted."""

    english: str
    chinese: str
    fits: Callable[[Adjective], bool] = lambda adjective: True
    mark: str = "."

    def of(self, adjective: Adjective) -> Phrase:
        """The adjective with its adverb: *very big*, 非常大."""
        return _strengthened(self, adjective)

    @property
    def marks(self) -> dict[str, str]:
        """The mark that ends such a sentence, as slots ``mark`` and ``point`` of a rule."""
        return {"mark": self.mark, "point": PUNCTUATION[self.mark]}


@cache
def _strengthened(degree: Degree, adjective: Adjective) -> Phrase:
    return phrase(degree.english, degree.chinese, what=adjective.positive)


def _but(*deaf: str) -> Callable[[Adjective], bool]:
    return lambda adjective: adjective.positive.chinese[0] not in deaf


PLAIN = Degree("{what}/h", "很/h? {what}/h")
VERY = Degree("very/d {what}/h", "非常/d {what}/h")
REALLY = Degree("really/d {what}/h", "真/d {what}/h", mark="!")
# 好 before these means something else, or nothing.
SO = Degree(
    "so/d {what}/h", "好/d {what}/h", _but("好", "容易", "礼貌", "诚实", "有用", "新", "友好"), mark="!"
)
TOO = Degree("too/d {what}/h", "太/d {what}/h 了/d?", lambda adjective: adjective.tone != "+")
RATHER = Degree("a/d? bit/d {what}/h", "有点/d {what}/h", lambda adjective: adjective.tone == "-")
NOT = Degree("not/d {what}/h", "不/d {what}/h", lambda adjective: not adjective.is_said_with_have)
NOT_VERY = Degree(
    "not/d very/e {what}/h", "不/d 太/e {what}/h", _but("无聊", "难过", "生气", "脏", "懒", "暗", "小")
)
DEGREES = [PLAIN, VERY, REALLY, SO, TOO, RATHER, NOT, NOT_VERY]
