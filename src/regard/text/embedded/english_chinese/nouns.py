"""The nouns: English, Chinese, classifier, and the kinds that say which verbs they go with.

A line reads ``english[/plural] chinese classifier kinds...``; an underscore joins the words of
an English compound. Where the classifier is a dash the noun is not counted by itself.
"""

from dataclasses import dataclass
from functools import cached_property

from regard.text.embedded.english_chinese import inflection
from regard.text.embedded.english_chinese.phrases import Phrase, phrase

TABLE = """
teacher 老师 位 profession scholar
doctor 医生 位 profession
nurse 护士 位 profession
student 学生 个 profession young
driver 司机 位 profession
police_officer 警察 位 profession
chef 厨师 位 profession
singer 歌手 位 profession star
lawyer 律师 位 profession
farmer 农民 位 profession
worker 工人 位 profession
writer 作家 位 profession star scholar
painter 画家 位 profession star
engineer 工程师 位 profession
journalist 记者 位 profession
waiter 服务员 位 profession
scientist 科学家 位 profession scholar
actor 演员 位 profession star
manager 经理 位 profession
professor 教授 位 profession scholar
child/children 孩子 个 folk young
boy 男孩 个 folk young
girl 女孩 个 folk young
man/men 男人 个 folk
woman/women 女人 个 folk
friend 朋友 个 acquaintance
neighbor 邻居 个 acquaintance
classmate 同学 个 acquaintance
colleague 同事 个 acquaintance

dog 狗 只 animal pet runner
cat 猫 只 animal pet runner
puppy 小狗 只 animal pet cub runner
kitten 小猫 只 animal pet cub runner
rabbit 兔子 只 animal pet cub runner
bird 鸟 只 animal pet cub
fish/fish 鱼 条 animal
turtle 乌龟 只 animal pet
horse 马 匹 animal livestock runner
cow 牛 头 animal livestock
sheep/sheep 羊 只 animal livestock
pig 猪 头 animal livestock
chicken 鸡 只 animal livestock
duck 鸭子 只 animal livestock
tiger 老虎 只 animal wild
lion 狮子 头 animal wild
elephant 大象 头 animal wild
monkey 猴子 只 animal wild cub
bear 熊 只 animal wild
panda 熊猫 只 animal wild cub
snake 蛇 条 animal wild
fox 狐狸 只 animal wild
wolf/wolves 狼 只 animal wild
mouse/mice 老鼠 只 animal
frog 青蛙 只 animal
butterfly 蝴蝶 只 animal

apple 苹果 个 orchard food small
banana 香蕉 根 orchard food small
orange 橙子 个 orchard food small
pear 梨 个 orchard food small
peach/peaches 桃子 个 orchard food small
watermelon 西瓜 个 orchard food lone stuff
strawberry 草莓 颗 orchard food small
lemon 柠檬 个 produce small
tomato/tomatoes 西红柿 个 produce food small
potato/potatoes 土豆 个 produce small
carrot 胡萝卜 根 produce food small
egg 鸡蛋 个 produce food small
cake 蛋糕 个 snack food treat stuff
cookie 饼干 块 snack food small
sandwich 三明治 个 snack food dish
hamburger 汉堡 个 snack food dish
dumpling 饺子 个 food small
ice_cream 冰淇淋 - mass snack treat
candy 糖 - mass snack
pizza 披萨 个 food dish treat stuff
rice 米饭 - mass meal
noodles/noodles 面条 - several meal
soup 汤 - mass meal
bread 面包 - mass baked
chocolate 巧克力 - mass
cheese 奶酪 - mass
beef 牛肉 - mass grocery
fruit 水果 - mass grocery
vegetables/vegetables 蔬菜 - several grocery
meat 肉 - mass grocery
water 水 - mass drink
tea 茶 - mass drink brewed
coffee 咖啡 - mass drink brewed
milk 牛奶 - mass drink poured
juice 果汁 - mass drink poured
beer 啤酒 - mass drink poured alcohol
wine 葡萄酒 - mass drink poured alcohol

book 书 本 reading thing goods
dictionary 词典 本 thing goods
novel 小说 本 reading thing goods
magazine 杂志 本 reading thing goods
newspaper 报纸 份 reading thing
letter 信 封 paper thing
story 故事 个 tale
poem 诗 首 tale
article 文章 篇 tale
song 歌 首 piece
film 电影 部 show
match/matches 比赛 场 show
concert 音乐会 场 show
photo 照片 张 paper thing
map 地图 张 paper thing goods
ticket 票 张 paper thing
postcard 明信片 张 paper thing
painting 画 幅 artwork goods
question 问题 个 task
exam 考试 次 task
word 词 个 vocabulary
pen 钢笔 支 stationery thing goods
pencil 铅笔 支 stationery thing goods
notebook 本子 个 stationery thing goods
bag 包 个 holder thing goods
suitcase 行李箱 个 holder goods
box 盒子 个 holder thing
bottle 瓶子 个 vessel thing
cup 杯子 个 vessel thing goods
bowl 碗 个 vessel thing goods
plate 盘子 个 vessel thing goods
vase 花瓶 个 vessel thing goods lone
spoon 勺子 把 cutlery thing
knife/knives 刀 把 cutlery thing
key 钥匙 把 carried thing
umbrella 雨伞 把 carried thing goods
watch 手表 块 carried device thing goods
phone 手机 部 carried device thing goods
camera 相机 台 carried device thing goods
toy 玩具 个 thing goods
doll 娃娃 个 thing goods
ball 球 个 thing goods
gift 礼物 份 given
chair 椅子 把 furniture seat goods
table 桌子 张 furniture surface goods
desk 书桌 张 furniture surface goods
bed 床 张 furniture seat goods
sofa 沙发 个 furniture seat goods
lamp 台灯 盏 goods lone
mirror 镜子 面 goods lone
clock 钟 个 device goods lone
computer 电脑 台 device machine goods
television 电视 台 device machine goods
fridge 冰箱 台 machine goods
washing_machine 洗衣机 台 machine goods
radio 收音机 台 device machine goods
guitar 吉他 把 instrument goods
piano 钢琴 架 instrument
violin 小提琴 把 instrument goods
door 门 扇 opening
window 窗户 扇 opening
drawer 抽屉 个 holder
wall 墙 面
light 灯 盏
homework 作业 - mass
money 钱 - mass
medicine 药 - mass
music 音乐 - mass
weather 天气 - mass
meeting 会议 个 event

car 车 辆 vehicle
bicycle 自行车 辆 vehicle ridden
motorcycle 摩托车 辆 vehicle ridden
taxi/taxis 出租车 辆 vehicle hired
bus 公交车 辆 vehicle hired
truck 卡车 辆 transport
train 火车 列 transport
plane 飞机 架 transport
boat 船 条 transport

shirt 衬衫 件 garment top goods
coat 大衣 件 garment top goods
sweater 毛衣 件 garment top goods
jacket 夹克 件 garment top goods
skirt 裙子 条 garment goods feminine
dress 连衣裙 条 garment goods feminine
hat 帽子 顶 headwear goods
scarf/scarves 围巾 条 headwear goods
clothes/clothes 衣服 - several
trousers/trousers 裤子 条 several paired garment
shoes/shoes 鞋 双 several paired footwear
socks/socks 袜子 双 several paired footwear
gloves/gloves 手套 副 several paired headwear
glasses/glasses 眼镜 副 several paired headwear

flower 花 朵 plant
rose 玫瑰 朵 plant
tree 树 棵 plant
leaf/leaves 叶子 片
mountain 山 座 scenery
river 河 条 scenery lone
lake 湖 个 scenery lone
island 岛 座 scenery
bridge 桥 座 structure
tower 塔 座 structure
building 大楼 座 structure
house 房子 栋 home
road 路 条 way
street 街 条 way
city 城市 座 town
village 村子 个 town
garden 花园 个 ground lone
farm 农场 个 ground
park 公园 个 venue ground
zoo 动物园 个 venue ground
market 市场 个 venue
school 学校 所 venue institution
university 大学 所 venue institution
hospital 医院 家 venue business
bank 银行 家 venue business
restaurant 饭馆 家 venue business
hotel 酒店 家 venue business
supermarket 超市 家 venue business
bookstore 书店 家 venue business
cinema 电影院 家 venue business
coffee_shop 咖啡馆 家 venue business
factory 工厂 家 venue business
company 公司 家 business
library 图书馆 家 venue institution
museum 博物馆 家 venue institution
post_office 邮局 家 venue
airport 机场 个 venue
train_station 火车站 个 venue
gym 健身房 家 venue
swimming_pool 游泳池 个 venue
room 房间 个 chamber
kitchen 厨房 间 chamber
bedroom 卧室 间 chamber
living_room 客厅 间 chamber
classroom 教室 间 chamber
office 办公室 间 chamber
"""


@dataclass(frozen=True, eq=False)
class Noun:
    """A noun, or a noun with what modifies it: *red apple*, *cup of tea*."""

    singular: Phrase
    plural: Phrase
    classifier: str
    kinds: frozenset[str]

    @cached_property
    def is_mass(self) -> bool:
        """Whether it is never counted: *water*."""
        return "mass" in self.kinds

    @cached_property
    def is_always_plural(self) -> bool:
        """Whether English knows no singular: *glasses*."""
        return "several" in self.kinds

    @cached_property
    def is_collective(self) -> bool:
        """Whether neither language counts it: *water*, *clothes*."""
        return self.is_mass or (self.is_always_plural and not self.classifier)


def _noun(line: str) -> tuple[str, Noun]:
    written, chinese, classifier, *kinds = line.split()
    english, _, irregular = written.partition("/")
    *modifiers, head = english.split("_")
    several = irregular or inflection.plural(head)
    before = "".join(f"{modifier}/h? " for modifier in modifiers)
    name = english.replace("_", " ")

    def form(word: str) -> Phrase:
        return phrase(f"{before}{word}/h", f"{chinese}/h", (name,))

    is_mass = "mass" in kinds
    return name, Noun(
        singular=form(head).agreeing("many" if "several" in kinds else "one"),
        plural=form(head if is_mass else several).agreeing("one" if is_mass else "many"),
        classifier=classifier.strip("-"),
        kinds=frozenset(kinds),
    )


NOUNS: dict[str, Noun] = dict(_noun(line) for line in TABLE.splitlines() if line)
assert not NOUNS.keys() & {kind for noun in NOUNS.values() for kind in noun.kinds}, (
    "A kind is named like a noun."
)


def nouns(names_and_kinds: str) -> list[Noun]:
    """Every noun that bears one of these names or is of one of these kinds, in their order.

    ``orchard-lemon`` is everything of the first kind that is not of the second.

    >>> [noun.singular.name for noun in nouns("lemon ridden vessel-vase")]
    ['lemon', 'bicycle', 'motorcycle', 'bottle', 'cup', 'bowl', 'plate']
    """
    found: dict[Noun, None] = {}
    for item in names_and_kinds.split():
        wanted, _, unfit = item.replace("_", " ").partition("-")
        left_out = nouns(unfit) if unfit else []
        members = [noun for name, noun in NOUNS.items() if wanted == name or wanted in noun.kinds]
        assert members, f"{wanted!r} is neither a noun nor a kind."
        found |= dict.fromkeys(noun for noun in members if noun not in left_out)
    return list(found)


def _served(container: str, classifier: str, kind: str, *contents: str) -> dict[str, Noun]:
    """Nouns counted by what holds them: *a cup of tea*, 一杯茶; *a pair of shoes*, 一双鞋."""

    def form(word: str, content: Noun) -> Phrase:
        return phrase(f"{word}/c of/c? {{what}}", f"{classifier}/c {{what}}", what=content.singular)

    several = inflection.plural(container)
    return {
        f"{container} of {name}": Noun(
            singular=form(container, NOUNS[name]).agreeing("one"),
            plural=form(several, NOUNS[name]).agreeing("many"),
            classifier="",
            kinds=NOUNS[name].kinds & {"alcohol"} | {"portion", kind},
        )
        for name in contents
    }


NOUNS |= _served("cup", "杯", "drinkable", "tea", "coffee")
NOUNS |= _served("glass", "杯", "drinkable", "water", "milk", "juice", "beer", "wine")
NOUNS |= _served("bottle", "瓶", "drinkable", "water", "milk", "juice", "beer", "wine")
NOUNS |= _served("bowl", "碗", "bowlful", "rice", "noodles", "soup")
NOUNS |= _served("piece", "块", "pieceful", "bread", "chocolate", "cheese")
NOUNS |= _served("piece", "颗", "pieceful", "candy")
NOUNS |= _served("pair", "双", "pairful", "shoes", "socks")
NOUNS |= _served("pair", "副", "pairful", "gloves", "glasses")
NOUNS |= _served("pair", "条", "pairful", "trousers")
