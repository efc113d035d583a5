"""The verbs: what people do by itself (activities), and what they do to things (deeds).

The lines of the tables are rules, English and Chinese on either side of ``=``, followed by what
kinds of sentence they suit or what things they are done to.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from regard.text.embedded.english_chinese.nouns import Noun, nouns
from regard.text.embedded.english_chinese.people import Person
from regard.text.embedded.english_chinese.phrases import Phrase, linked, phrase
from regard.text.embedded.english_chinese.spreading import lift


def verb(rule: str, *, counts: bool = True) -> Phrase:
    """Read one rule; ``counts`` says whether the verb is among the content words of its sentence.

    >>> verb("get up = 起床").lemmas
    ('get up',)
    """
    read = phrase(*linked(rule))
    return replace(read, lemmas=(read.name,)) if counts else read


_ACTIVITIES = """
swim = 游泳 : skill leisure now sport
run = 跑步 : leisure daily now sport
dance = 跳舞 : skill leisure now party
sing = 唱歌 : skill leisure now party aside
cook = 做饭 : skill daily now chore
drive = 开车 : skill now grown
sleep = 睡觉 : now plain
rest = 休息 : now plain
study = 学习 : daily now
read = 看 书 : leisure daily now
chat = 聊天 : leisure now party aside
exercise = 锻炼 : leisure daily now sport
ski = 滑雪 : skill leisure sport winter
skate = 滑冰 : skill leisure sport winter
fish = 钓鱼 : leisure now
paint = 画画 : skill leisure now
travel = 旅行 : leisure
take/h? a/h? walk/h = 散步/h : leisure daily now
take/h? photos/h = 拍照/h : leisure now
take/h? a/h? bath/h = 洗澡/h : daily now
eat breakfast = 吃 早饭 : daily now meal
eat lunch = 吃 午饭 : daily now meal
eat dinner = 吃 晚饭 : daily now meal
drink tea = 喝 茶 : leisure daily now party aside
drink coffee = 喝 咖啡 : leisure daily now party aside
drink water = 喝 水 : daily now
drink milk = 喝 牛奶 : daily now
take medicine = 吃 药 : daily now
eat fruit = 吃 水果 : daily now
eat dumplings = 吃 饺子 : leisure now
eat noodles = 吃 面条 : leisure now
eat vegetables = 吃 蔬菜 : daily
watch television = 看 电视 : leisure daily now aside
watch films = 看 电影 : leisure
watch/h the/o? match/o = 看/h 比赛/o : now
listen/h to/h? music/o = 听/h 音乐/o : leisure daily now aside
listen/h to/h? the/o? radio/o = 听/h 收音机/o : daily now aside
play basketball = 打 篮球 : skill leisure now sport
play football = 踢 足球 : skill leisure now sport
play tennis = 打 网球 : skill leisure now sport
play badminton = 打 羽毛球 : skill leisure now sport
play volleyball = 打 排球 : skill leisure now sport
play/h the/o? piano/o = 弹/h 钢琴/o : skill leisure daily now
play/h the/o? guitar/o = 弹/h 吉他/o : skill leisure daily now
play/h the/o? violin/o = 拉/h 小提琴/o : skill leisure daily now
play chess = 下 棋 : skill leisure now
play/h computer/c games/g = 玩/h 电脑/c 游戏/g : leisure now
wash clothes = 洗 衣服 : daily now chore
wash/h the/o? dishes/o = 洗/h 碗/o : daily now chore
clean/h the/o? room/o = 打扫/h 房间/o : now chore
do homework = 做 作业 : daily now pupil
keep/h a/o? diary/o = 写/h 日记/o : daily
write letters = 写 信 : leisure
make/h a/o? phone/o call/o? = 打/h 电话/o : now
climb mountains = 爬 山 : leisure sport
ride/h a/o? bicycle/o = 骑/h 自行车/o : skill leisure sport
ride/h a/o? horse/o = 骑/h 马/o : skill leisure sport
fly kites = 放 风筝 : leisure now
make dumplings = 包 饺子 : skill leisure now chore
make/h a/o? cake/o = 做/h 蛋糕/o : skill now
bake bread = 烤 面包 : skill now
read/h the/o? newspaper/o = 看/h 报纸/o : leisure daily now
read novels = 看 小说 : leisure now
tell stories = 讲 故事 : skill
plant flowers = 种 花 : leisure chore
water/h the/o? flowers/o = 浇/h 花/o : daily now chore
feed/h the/o? cat/o = 喂/h 猫/o : daily now chore
walk/h the/o? dog/o = 遛/h 狗/o : daily now chore
get up = 起床 : hour
go/h to/h? bed/h? = 睡觉/h : hour
go/h to/h? work/h = 上班/h : hour grown
go/h to/h? school/h = 上学/h : hour pupil
go/h home/o = 回/h 家/o : hour plain
speak chinese = 说 中文 : skill
speak english = 说 英语 : skill
speak french = 说 法语 : skill
speak japanese = 说 日语 : skill
study chinese = 学 中文 : leisure daily now
study english = 学 英语 : leisure daily now
study french = 学 法语 : leisure now
study japanese = 学 日语 : leisure now
smoke = 抽烟 : vice grown
drink beer = 喝 啤酒 : vice grown
drink wine = 喝 葡萄酒 : vice grown
eat meat = 吃 肉 : vice
eat candy = 吃 糖 : vice
"""


def _activity(line: str) -> Phrase:
    rule, kinds = line.split(" : ")
    return replace(verb(rule), kinds=frozenset(kinds.split()))


ACTIVITIES = {doing.name: doing for doing in map(_activity, _ACTIVITIES.strip().splitlines())}


def activities(kinds: str) -> list[Phrase]:
    """What there is to do of any of these kinds; a verb of one use counts three times one of many."""
    found = [doing for doing in ACTIVITIES.values() if doing.kinds.intersection(kinds.split())]
    return lift(found, lambda doing: doing.english[0], to=3)


def acts(names: str) -> list[Phrase]:
    """Activities by their names, which commas divide."""
    return [ACTIVITIES[name] for name in names.split(", ")]


def act(name: str) -> Phrase:
    """One activity by its name."""
    return ACTIVITIES[name]


def suits(person: Person, *doings: Phrase) -> bool:
    """Whether one would say it of them: no homework for doctors, no beer for children."""
    unfit = "pupil" if person.is_grown else "grown"
    return person.is_pronoun or all(unfit not in doing.kinds for doing in doings)


@dataclass(frozen=True)
class Deed:
    """A verb and something it may be done to."""

    verb: Phrase
    noun: Noun
    is_lasting: bool
    """Whether one speaks of it weeks later: one does of a house bought, not of an apple eaten."""


_DEEDS = """
eat = 吃 : food bowl_of_rice bowl_of_noodles pieceful
eat = 喝 : bowl_of_soup
drink = 喝 : drinkable
order = 点 : dish cake bowlful
make = 做 : cake cookie sandwich pizza bowl_of_soup bowl_of_noodles
buy = 买 : orchard produce snack drinkable pieceful
buy* = 买 : goods garment vehicle-hired flower rose pairful
read* = 看 : reading
write* = 写 : letter tale postcard
draw = 画 : pet livestock wild butterfly flower tree bridge tower house boat mountain lake leaf
see = 看见 : animal truck boat train plane taxi
find = 找到 : key stationery carried ball dictionary ticket map pair_of_gloves pair_of_glasses
lose = 弄丢 : carried ticket pen bag hat scarf suitcase
borrow* = 借 : book dictionary novel magazine umbrella bicycle camera map
wash = 洗 : vessel-vase top skirt apple pear peach tomato carrot pair_of_shoes pair_of_socks
repair = 修好 : device machine bicycle car motorcycle chair table
plant* = 种 : tree
catch = 抓到 : fish butterfly mouse frog snake rabbit
take = 拍 : photo
sing = 唱 : song
watch = 看 : film match
visit* = 参观 : museum factory school university
receive* = 收到 : letter postcard gift
send* = 寄 : letter postcard gift
pick = 摘 : flower rose apple orange pear peach strawberry lemon
break = 打破 : vessel mirror window
sell* = 卖 : vehicle-hired computer painting piano guitar house
learn* = 学会 : song word
answer = 回答 : question
"""


def countable(names_and_kinds: str) -> list[Noun]:
    """Those nouns that can be counted."""
    return [noun for noun in nouns(names_and_kinds) if not (noun.is_always_plural or noun.is_mass)]


def _read_deeds() -> list[Deed]:
    found = []
    for line in _DEEDS.strip().splitlines():
        rule, kinds = line.split(" : ")
        done = verb(rule.replace("*", ""))
        found += [Deed(done, noun, "*" in rule) for noun in countable(kinds)]
    return found


DEEDS = lift(_read_deeds(), lambda deed: (deed.verb.name, deed.is_lasting), to=16)


def deeds(names: str, *, without: Sequence[str] = ("portion",)) -> list[Deed]:
    """The deeds of these verbs, but those done to things of some kinds."""
    return [
        deed
        for deed in DEEDS
        if deed.verb.name in names.split() and not deed.noun.kinds.intersection(without)
    ]
