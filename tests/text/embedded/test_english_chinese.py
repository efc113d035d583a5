"""The laws of the English-Chinese grammar, checked over every sentence it makes."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

import pytest

import regard
from regard.text.embedded import english_chinese
from regard.text.embedded.pairs import AlignedPair, EmbeddedCorpus, split

MARKS = {".": "。", "?": "？", "!": "！", ",": "，"}


@cache
def pairs() -> tuple[AlignedPair, ...]:
    return tuple(english_chinese.generate())


@cache
def corpus() -> EmbeddedCorpus:
    return split(pairs())


@cache
def by_source() -> dict[str, AlignedPair]:
    return {pair.source: pair for pair in pairs()}


@cache
def trained_in() -> tuple[Counter[str], Counter[str]]:
    """In how many training sentences each English and each Chinese word is met."""
    english = Counter(word for pair in corpus().train for word in set(pair.source_words))
    chinese = Counter(word for pair in corpus().train for word in set(pair.target_words))
    return english, chinese


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def told() -> Iterator[AlignedPair]:
    """Every pair a rule makes, before repetitions and rare words are left out."""
    for chapter in english_chinese.CHAPTERS:
        for rule in chapter.RULES:
            yield from rule()


def breaches(is_lawful: Callable[[AlignedPair], bool]) -> list[str]:
    """The first sentences that break a law: none, if it holds."""
    return [f"{pair.source} {' '.join(pair.target_words)}" for pair in pairs() if not is_lawful(pair)][:5]


def follows(pair: AlignedPair, word: str) -> Iterator[str]:
    """The words that stand right after each occurrence of a Chinese word."""
    return (
        after
        for before, after in zip(pair.target_words, pair.target_words[1:], strict=False)
        if before == word
    )


# Size and split


def test_there_are_between_22000_and_30000_pairs_and_no_english_sentence_twice() -> None:
    assert 22_000 <= len(pairs()) <= 30_000
    assert len(by_source()) == len(pairs())


def test_an_english_sentence_has_one_translation_whichever_rule_makes_it() -> None:
    translations: dict[str, str] = {}
    assert [
        pair.source for pair in told() if translations.setdefault(pair.source, pair.target) != pair.target
    ] == []


def test_sentences_have_3_to_14_english_words_of_every_length() -> None:
    lengths = Counter(len(pair.source_words) for pair in pairs())
    assert sorted(lengths) == list(range(3, 15))
    assert min(lengths.values()) >= 50


def test_at_least_700_test_and_700_validation_sentences_are_new_combinations() -> None:
    assert len(corpus().test) >= 700
    assert len(corpus().validation) >= 700
    trained = {pair.combination for pair in corpus().train}
    assert [pair.source for pair in corpus().test if pair.combination in trained] == []


def test_only_fixed_phrases_have_no_combination_and_there_are_more_than_forty() -> None:
    fixed = [pair for pair in pairs() if pair.combination is None]
    assert 40 < len(fixed) < 100
    assert all("|" in pair.combination for pair in pairs() if pair.combination)


FUNCTION_WORDS = words("""
a an the this that these those i you he she it we they me him her us them my your his our their mine
yours hers am is are was were be been do does did don't doesn't didn't have has haven't hasn't i'm you're
he's she's we're they're it's let's can can't will won't should shouldn't must may to of in on at by for
from with about as than and or but so if because although when while before after not no any some all
also only too very really what who whose which where why how what's there here now just already yet
still ever never up down off away out one ago . , ? !
""")
FIXED_ONLY = words("""
bathroom believing better fire idea it's late makes perfect practice raining seeing way without
""")
FIXED_ONLY_CHINESE = words("""
主意 倾盆大雨 做好 小菜一碟 总 无风不起浪 星期几 欢迎 洗手间 熟能生巧 眼见为实 迟到 金钱
""")


def test_each_of_more_than_350_content_words_is_met_in_15_training_sentences() -> None:
    english, chinese = trained_in()
    content = {word: times for word, times in english.items() if word not in FUNCTION_WORDS | FIXED_ONLY}
    assert len(content) >= 350
    assert [word for word, times in content.items() if times < 15] == []
    assert {word for word, times in chinese.items() if times < 15} == FIXED_ONLY_CHINESE


def test_words_of_fixed_phrases_alone_are_those_listed() -> None:
    english, _ = trained_in()
    assert {word for word, times in english.items() if times < 15} == FIXED_ONLY


def test_no_content_word_takes_more_than_a_twelfth_of_the_sentences() -> None:
    english, _ = trained_in()
    commonest = max((times, word) for word, times in english.items() if word not in FUNCTION_WORDS)
    assert commonest[0] < len(corpus().train) / 12, commonest


def test_every_word_of_validation_and_test_is_met_in_training() -> None:
    english, chinese = trained_in()
    held_out = (*corpus().validation, *corpus().test)
    assert [word for pair in held_out for word in pair.source_words if english[word] < 5] == []
    assert [word for pair in held_out for word in pair.target_words if chinese[word] < 5] == []


# The packages above the grammar are left empty: it is to work with the standard library alone.
DIGEST = """
import sys, types
from hashlib import blake2b
for name in ("regard", "regard.text"):
    package = types.ModuleType(name)
    package.__path__ = [sys.argv[1] + name.removeprefix("regard").replace(".", "/")]
    sys.modules[name] = package
from regard.text.embedded.english_chinese import generate
whole = blake2b()
for pair in generate():
    links = sorted(pair.sure), sorted(pair.possible)
    whole.update(repr((pair.source_words, pair.target_words, *links, pair.combination)).encode())
print(whole.hexdigest(), *(name for name in ("numpy", "torch") if name in sys.modules))
"""


def test_the_corpus_is_the_same_in_every_process_and_needs_only_the_standard_library() -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", DIGEST, regard.__path__[0]],
            env=os.environ | {"PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2")
    ]
    first, second = (process.communicate()[0].strip() for process in processes)
    assert re.fullmatch("[0-9a-f]{128}", first)
    assert first == second


# Alignments


def test_links_join_words_that_are_there_and_sure_ones_are_possible() -> None:
    def is_lawful(pair: AlignedPair) -> bool:
        rows, columns = range(len(pair.source_words)), range(len(pair.target_words))
        return pair.sure <= pair.possible and all(i in rows and j in columns for i, j in pair.possible)

    assert breaches(is_lawful) == []


def test_every_word_of_either_language_has_a_link() -> None:
    def is_lawful(pair: AlignedPair) -> bool:
        rows, columns = {i for i, _ in pair.possible}, {j for _, j in pair.possible}
        return len(rows) == len(pair.source_words) and len(columns) == len(pair.target_words)

    assert breaches(is_lawful) == []


def test_most_words_have_a_sure_link() -> None:
    words = sum(len(pair.source_words) + len(pair.target_words) for pair in pairs())
    sure = sum(len({i for i, _ in pair.sure}) + len({j for _, j in pair.sure}) for pair in pairs())
    assert sure / words > 0.75


def test_punctuation_is_joined_to_punctuation_in_order() -> None:
    def is_lawful(pair: AlignedPair) -> bool:
        english = [(i, MARKS[word]) for i, word in enumerate(pair.source_words) if word in MARKS]
        chinese = [(j, word) for j, word in enumerate(pair.target_words) if word in MARKS.values()]
        if len(english) == len(chinese):
            return all(
                (i, j) in pair.sure and mark == word
                for (i, mark), (j, word) in zip(english, chinese, strict=True)
            )
        return "because" in pair.source_words and (english[-1][0], chinese[-1][0]) in pair.sure

    assert breaches(is_lawful) == []


def test_a_classifier_is_joined_to_its_number_and_its_noun_as_possible() -> None:
    pair = by_source()["anna bought two bowls last week ."]
    number, classifier, noun = (pair.target_words.index(word) for word in ("两", "个", "碗"))
    links = {(pair.source_words[i], j, (i, j) in pair.sure) for i, j in pair.possible}
    assert {("two", number, True), ("two", classifier, False), ("bowls", classifier, False)} <= links
    assert ("bowls", noun, True) in links


EXPECTED = """
i'm home .
我 到 家 了 。
0-0 1-2 2-4 | 0-1 0-3 1-1 1-3

look at the kitten , it is so cute !
看 小猫 ， 它 好 可爱 ！
0-0 3-1 4-2 5-3 7-4 8-5 9-6 | 1-0 2-1 6-5

thank you , mom .
谢谢 你 ， 妈妈 。
0-0 1-1 2-2 3-3 4-4 |

this hat is not as old as that one .
这 顶 帽子 没有 那 顶 旧 。
0-0 1-2 3-3 5-6 7-4 8-5 9-7 | 0-1 1-1 2-3 4-3 6-3

this shirt is the most expensive .
这 件 衬衫 最 贵 。
0-0 1-2 4-3 5-4 6-5 | 0-1 1-1 2-4 3-4

is that street noisy or not ?
那 条 街 吵 不 吵 ？
1-0 2-2 3-3 3-5 5-4 6-6 | 0-3 1-1 2-1 4-4 4-5 5-5

this bed is too heavy .
这 张 床 太 重 了 。
0-0 1-2 3-3 4-4 5-6 | 0-1 1-1 2-4 3-5

my older brother is a bit tired .
我 哥哥 有点 累 。
0-0 2-1 5-2 6-3 7-4 | 1-1 3-3 4-2

this car is red .
这 辆 车 是 红色 的 。
0-0 1-2 2-3 3-4 4-6 | 0-1 1-1 3-5

what a dangerous tiger !
好 危险 的 老虎 ！
0-0 2-1 3-3 4-4 | 1-0 2-2

his mother is a writer .
他 妈妈 是 作家 。
0-0 1-1 2-2 4-3 5-4 | 3-3

do you have any bags ?
你 有没有 包 ？
1-0 2-1 4-2 5-3 | 0-1 3-1

how many kittens do you have ?
你 有 几 只 小猫 ？
1-2 2-4 4-0 5-1 6-5 | 0-2 0-3 1-3 2-3 3-2

she's not baking bread in the kitchen .
她 没 在 厨房 里 烤 面包 。
0-0 1-1 2-5 3-6 4-4 6-3 7-7 | 0-2 4-2 5-3

there are two kittens on the bed .
床 上 有 两 只 小猫 。
1-2 2-3 3-5 4-1 6-0 7-6 | 0-2 2-4 3-4 5-0

the phone is on the desk .
手机 在 书桌 上 。
1-0 2-1 3-3 5-2 6-4 | 0-0 3-1 4-2

anna bought two bowls last week .
安娜 上个 星期 买 了 两 个 碗 。
0-0 1-3 2-5 3-7 4-1 5-2 6-8 | 1-4 2-6 3-6

she didn't buy any cakes yesterday morning .
她 昨天 早上 没 买 蛋糕 。
0-0 1-3 2-4 4-5 5-1 6-2 7-6 | 3-5

they're sleepy now .
他们 困 了 。
0-0 1-1 2-2 3-3 | 0-1

she has never been to london .
她 从来 没 去 过 伦敦 。
0-0 2-1 2-2 3-3 5-5 6-6 | 1-3 1-4 3-4 4-3 4-4

my wife hasn't gotten up yet .
我 妻子 还 没 起床 。
0-0 1-1 2-3 3-4 5-2 6-5 | 4-4

she swam for ten minutes yesterday morning .
她 昨天 早上 游 了 十 分钟 泳 。
0-0 1-3 3-5 4-6 5-1 6-2 7-8 | 1-4 1-7 2-6

please close the door .
请 把 门 关上 。
0-0 1-3 3-2 4-4 | 1-1 2-2

he put the notebook on the table .
他 把 本子 放 在 了 桌子 上 。
0-0 1-3 3-2 4-7 6-6 7-8 | 1-1 1-5 2-2 4-4 5-6

the mirror was broken by the monkey .
镜子 被 猴子 打破 了 。
1-0 3-3 4-1 6-2 7-5 | 0-0 2-1 3-4 5-2

her grandfather bought me a phone .
她 爷爷 给 我 买 了 一 部 手机 。
0-0 1-1 2-4 3-3 4-6 5-8 6-9 | 2-5 3-2 4-7 5-7

tom can't drive .
汤姆 不 会 开车 。
0-0 1-1 1-2 2-3 3-4 |

let's play badminton on saturday .
我们 星期六 打 羽毛球 吧 。
0-0 1-2 2-3 4-1 5-5 | 0-4 3-1

don't smoke in the museum !
别 在 博物馆 里 抽烟 ！
0-0 1-4 2-3 4-2 5-5 | 2-1 3-2

lucy's birthday is on may fifteenth .
露西 的 生日 是 五月 十五 号 。
0-0 1-2 2-3 4-4 5-5 6-7 | 0-1 3-3 5-6

this cup costs ten yuan .
这 个 杯子 十 块 钱 。
0-0 1-2 3-3 4-4 5-6 | 0-1 1-1 2-4 2-5 4-5

because he is very sad , he doesn't want to chat .
因为 他 非常 难过 ， 所以 他 不 想 聊天 。
0-0 1-1 3-2 4-3 5-4 6-6 7-7 8-8 10-9 11-10 | 0-5 2-3 9-8

if it rains tomorrow , they will play chess at home .
如果 明天 下雨 ， 他们 就 在 家 下 棋 。
0-0 2-2 3-1 4-3 5-4 6-5 7-8 8-9 9-6 10-7 11-10 | 1-2

although this garden is small , it is very quiet .
虽然 这 个 花园 很 小 ， 但是 非常 安静 。
0-0 1-1 2-3 4-5 5-6 8-8 9-9 10-10 | 0-7 1-2 2-2 3-5 4-4 6-3 7-9

the girl who is singing is my friend .
在 唱歌 的 女孩 是 我 的 朋友 。
1-3 2-2 4-1 5-4 6-5 7-7 8-8 | 0-3 3-0 4-0 6-6

the sofa that she bought yesterday is very soft .
她 昨天 买 的 沙发 非常 软 。
1-4 2-3 3-0 4-2 5-1 7-5 8-6 9-7 | 0-4 6-6

where did you buy this desk ?
你 是 在 哪里 买 的 这 张 书桌 ？
0-3 2-0 3-4 4-6 5-8 6-9 | 0-2 1-1 1-5 3-1 3-5 4-7 5-7

she can't find her key .
她 找不到 她 的 钥匙 。
0-0 1-1 2-1 3-2 4-4 5-5 | 3-3

i saw my mother feeding the cat .
我 看见 我 妈妈 在 喂 猫 。
0-0 1-1 2-2 3-3 4-5 6-6 7-7 | 4-4 5-6

mrs li often sings while cooking .
李 太太 经常 一边 唱歌 一边 做饭 。
0-1 1-0 2-2 3-4 4-5 5-6 6-7 | 4-3

she doesn't smoke anymore .
她 不 抽烟 了 。
0-0 1-1 2-2 3-3 4-4 |

mr wang went to the bookstore with his father .
王 先生 和 他 爸爸 一起 去 了 书店 。
0-1 1-0 2-6 5-8 6-2 7-3 8-4 9-9 | 2-7 3-6 4-8 6-5
"""
"""Sentence, translation, and the links: sure ones, then those that are merely possible."""


def links(pharaoh: str) -> frozenset[tuple[int, int]]:
    return frozenset((int(i), int(j)) for i, j in (link.split("-") for link in pharaoh.split()))


@pytest.mark.parametrize("block", EXPECTED.strip().split("\n\n"), ids=lambda block: block.splitlines()[0])
def test_a_sentence_is_translated_and_aligned_as_by_hand(block: str) -> None:
    english, chinese, aligned = block.splitlines()
    sure, _, merely_possible = aligned.partition("|")
    pair = by_source()[english]
    assert pair.target_words == tuple(chinese.split())
    assert pair.sure == links(sure)
    assert pair.possible == links(sure) | links(merely_possible)


# English


def test_english_is_plain_lower_case_with_marks_apart() -> None:
    assert (
        breaches(
            lambda pair: all(re.fullmatch(r"[a-z]+(['’][a-z]+)?|[.,?!]", word) for word in pair.source_words)
        )
        == []
    )
    assert breaches(lambda pair: pair.source_words[-1] in (".", "?", "!")) == []


def test_a_stands_before_consonants_and_an_before_vowels() -> None:
    def is_lawful(pair: AlignedPair) -> bool:
        text = pair.source
        silent = re.search(r"\ba (?!uni|use)[aeiou]", text) or re.search(r"\ba hon", text)
        return not silent and not re.search(r"\ban (?!hour|honest)[^aeiou]", text)

    assert breaches(is_lawful) == []


def test_verbs_agree_with_pronouns_at_the_start() -> None:
    clash = re.compile(
        r"^(he|she|it) (am|are|were|have|do|go|want|like|don't|haven't|say|think|live|keep|need)\b"
        r"|^(i|we|they|you) (is|has|does|goes|wants|likes|doesn't|hasn't|says|thinks|lives|keeps|needs)\b"
        r"|^(we|they|you) (am|was)\b|^i (are|were)\b"
    )
    assert breaches(lambda pair: not clash.search(pair.source)) == []


def test_after_numbers_nouns_are_plural() -> None:
    unchanging = "fish|sheep|men|women|children|mice|wolves|knives|leaves"
    plural = rf"(\w+ )?(\w+ )?(\w+s|{unchanging})\b"
    numbers = "two|three|four|five|six|eight|ten"
    law = re.compile(rf"\b({numbers}) (?!yuan|o'clock)(?!{plural})")
    assert breaches(lambda pair: not law.search(pair.source) or "past" in pair.source_words) == []


def test_questions_ask_and_exclamations_exclaim_in_both_languages() -> None:
    assert breaches(lambda pair: pair.target_words[-1] == MARKS[pair.source_words[-1]]) == []


# Chinese

NUMBERS = words("一 两 三 四 五 六 七 八 九 十 十二 十五 二十 三十 四十 五十 六十 八十 几")
CLASSIFIERS = words("""
个 位 只 条 匹 头 根 颗 块 本 份 封 首 篇 部 场 张 幅 次 支 把 台 盏 面 架 扇 辆 列 件 顶 双 副 朵 棵 片
座 栋 所 家 间 杯 瓶 碗
""")
MEASURES = words("岁 点 块 年 天 号 分钟")
NOUN_CLASSIFIERS = dict(
    entry.split("/")
    for entry in words("""
    猫/只 小猫/只 狗/只 小狗/只 鸟/只 马/匹 牛/头 鱼/条 蛇/条 大象/头 苹果/个 香蕉/根 鸡蛋/个 草莓/颗
    书/本 词典/本 小说/本 杂志/本 报纸/份 信/封 诗/首 歌/首 文章/篇 电影/部 比赛/场 照片/张 地图/张
    票/张 画/幅 考试/次 钢笔/支 铅笔/支 钥匙/把 雨伞/把 手表/块 手机/部 相机/台 电脑/台 椅子/把
    桌子/张 床/张 镜子/面 台灯/盏 钢琴/架 吉他/把 车/辆 自行车/辆 火车/列 飞机/架 衬衫/件 大衣/件
    毛衣/件 裙子/条 裤子/条 帽子/顶 鞋/双 袜子/双 手套/副 眼镜/副 花/朵 树/棵 山/座 河/条 桥/座
    房子/栋 路/条 街/条 城市/座 学校/所 大学/所 医院/家 银行/家 饭馆/家 酒店/家 超市/家 书店/家
    厨房/间 教室/间 老师/位 医生/位 律师/位 学生/个 孩子/个 问题/个 礼物/份 茶/杯 咖啡/杯 米饭/碗
    汤/碗 面条/碗
    """)
)


def test_chinese_is_written_in_chinese_characters_alone() -> None:
    allowed = re.compile(r"[\u4e00-\u9fff]+|[。？！，]")
    assert breaches(lambda pair: all(allowed.fullmatch(word) for word in pair.target_words)) == []
    assert breaches(lambda pair: pair.target == "".join(pair.target_words)) == []


def test_two_of_anything_is_liang() -> None:
    assert breaches(lambda pair: "二" not in pair.target_words) == []
    assert breaches(lambda pair: "two" not in pair.source_words or "两" in pair.target_words) == []


def test_a_number_is_always_followed_by_a_classifier() -> None:
    assert (
        breaches(
            lambda pair: all(
                word in CLASSIFIERS | MEASURES for number in NUMBERS for word in follows(pair, number)
            )
        )
        == []
    )


def test_which_takes_a_classifier_and_this_one_too_unless_it_is_all() -> None:
    assert breaches(lambda pair: all(word in CLASSIFIERS for word in follows(pair, "哪"))) == []
    alone = CLASSIFIERS | {"是", "不", "附近"}
    assert breaches(lambda pair: all(word in alone for this in "这那" for word in follows(pair, this))) == []


def test_each_noun_keeps_its_own_classifier() -> None:
    counting = {*NUMBERS, "这", "那", "哪"}

    def is_lawful(pair: AlignedPair) -> bool:
        triples = zip(pair.target_words, pair.target_words[1:], pair.target_words[2:], strict=False)
        return all(
            classifier == NOUN_CLASSIFIERS[noun]
            for number, classifier, noun in triples
            if number in counting and classifier in CLASSIFIERS and noun in NOUN_CLASSIFIERS
        )

    assert breaches(is_lawful) == []


def test_people_who_are_counted_are_not_many_as_well() -> None:
    counted = re.compile(rf"(?:^| )(?:{'|'.join(NUMBERS)}) \S+ \S+们")
    assert breaches(lambda pair: not counted.search(" ".join(pair.target_words))) == []


def test_having_is_denied_by_mei_and_never_by_bu() -> None:
    assert breaches(lambda pair: not any(word.startswith("有") for word in follows(pair, "不"))) == []
    assert breaches(lambda pair: "没" not in pair.target_words or "是" not in follows(pair, "没")) == []


def test_what_did_not_happen_takes_mei_and_neither_bu_nor_le() -> None:
    def is_lawful(pair: AlignedPair) -> bool:
        words = set(pair.target_words)
        return "didn't" not in pair.source_words or ("没" in words and not words & {"不", "了"})

    assert breaches(is_lawful) == []


def test_what_one_does_not_do_takes_bu_and_ends_in_le_only_if_one_did_before() -> None:
    def is_lawful(pair: AlignedPair) -> bool:
        if not {"don't", "doesn't"} & set(pair.source_words) or "了" not in pair.target_words:
            return True
        return "anymore" in pair.source_words

    assert breaches(is_lawful) == []


def test_ma_closes_a_question() -> None:
    assert breaches(lambda pair: all(word in "？，" for word in follows(pair, "吗"))) == []
    assert breaches(lambda pair: "吗" not in pair.target_words or pair.target_words[-1] == "？") == []


def test_a_question_has_one_question_word() -> None:
    askers = {
        "吗",
        "什么",
        "谁",
        "哪里",
        "为什么",
        "怎么",
        "什么时候",
        "多少",
        "几",
        "哪",
        "还是",
        "有没有",
        "多大",
    }

    def is_lawful(pair: AlignedPair) -> bool:
        if pair.source_words[-1] != "?":
            return "吗" not in pair.target_words
        asked = askers & set(pair.target_words)
        repeats = any(
            before == after for before, after in zip(pair.target_words, pair.target_words[2:], strict=False)
        )
        return (
            bool(asked) or repeats or {"多", "远"} <= set(pair.target_words) or "星期几" in pair.target_words
        )

    assert breaches(is_lawful) == []


def test_what_is_compared_takes_no_adverb_of_degree() -> None:
    assert (
        breaches(
            lambda pair: "比" not in pair.target_words or not {"很", "非常", "太"} & set(pair.target_words)
        )
        == []
    )


def test_degrees_do_not_pile_up() -> None:
    adverbs = {"很", "非常", "真", "太", "好", "最", "有点"}
    assert (
        breaches(
            lambda pair: (
                not any(after in adverbs - {"好"} for word in adverbs for after in follows(pair, word))
            )
        )
        == []
    )


@pytest.mark.parametrize("word", ["的", "了", "在", "着", "过", "不", "没", "都", "把", "被"])
def test_a_particle_is_not_said_twice_over(word: str) -> None:
    assert breaches(lambda pair: word not in follows(pair, word)) == []


def test_days_are_said_before_the_verb_and_never_last() -> None:
    days = {"昨天", "今天", "明天", "今晚", "前天", "后天", "每天"}
    assert breaches(lambda pair: pair.target_words[-2] not in days) == []


def test_everything_daily_is_all() -> None:
    def is_lawful(pair: AlignedPair) -> bool:
        return "每天" not in pair.target_words or "都" in pair.target_words or "点" in pair.target_words

    assert breaches(is_lawful) == []


def test_he_is_never_she() -> None:
    his, hers = words("he he's him his"), words("she she's her hers")
    assert breaches(lambda pair: "他" not in pair.target_words or bool(his & {*pair.source_words})) == []
    assert breaches(lambda pair: "她" not in pair.target_words or bool(hers & {*pair.source_words})) == []
    assert breaches(lambda pair: "he" not in pair.source_words or "他" in pair.target_words) == []
    assert breaches(lambda pair: "she" not in pair.source_words or "她" in pair.target_words) == []


def test_kin_follow_their_owner_without_de() -> None:
    kin = words("妈妈 爸爸 哥哥 弟弟 姐姐 妹妹 奶奶 爷爷 叔叔 姑姑 丈夫 妻子 儿子 女儿")
    assert breaches(lambda pair: not any(word in kin for word in follows(pair, "的"))) == []


def test_what_one_has_done_takes_guo_and_what_one_did_does_not() -> None:
    perfect = {"have", "has", "haven't", "hasn't"}
    assert (
        breaches(lambda pair: "过" not in pair.target_words or bool(perfect & set(pair.source_words))) == []
    )


def test_ba_and_bei_are_followed_by_a_verb_that_ends_in_something() -> None:
    bare = {"吃", "洗", "看", "放", "挂", "关", "开", "拿", "扔"}
    assert breaches(lambda pair: "把" not in pair.target_words or pair.target_words[-2] not in bare) == []


def test_particles_of_mood_stand_at_the_end() -> None:
    assert breaches(lambda pair: all(word in "。！，" for word in follows(pair, "吧"))) == []
