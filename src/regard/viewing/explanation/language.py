"""What is said about each step, in English and in Chinese."""

from typing import NamedTuple

from regard.attention.scores import (
    Additive,
    Bilinear,
    Boxcar,
    Dot,
    Epanechnikov,
    Gaussian,
    ScaledDot,
    Triangular,
    Uniform,
)
from regard.errors import RegardError


class Said(NamedTuple):
    """One thing said in every language there is.

    >>> Said(en="key", zh="键").to("zh")
    '键'
    """

    en: str
    zh: str

    def to(self, language: str) -> str:
        """The words in that language."""
        return self[LANGUAGES.index(check_language(language))]


LANGUAGES = Said._fields


def check_language(language: str) -> str:
    """The language itself, or a sentence that lists those there are."""
    if language not in LANGUAGES:
        raise RegardError(f"language must be one of {', '.join(map(repr, LANGUAGES))}, but got {language!r}.")
    return language


SENTENCES = {
    "vectors": Said("The vectors", "向量"),
    "vectors self": Said(
        "Each word is a row of numbers. The words look at one another, so the same rows ask (queries), "
        "are compared (keys) and are brought back (values).",
        "每个词是一行数。词与词互相看，所以同样的行既提问（查询），又被比较（键），也被取回（值）。",
    ),
    "vectors cross": Said(
        "A query says what is looked for, a key what there is to find, a value what is brought back.",
        "查询说的是要找什么，键说的是这里有什么，值说的是能取回什么。",
    ),
    "queries": Said("queries", "查询"),
    "keys": Said("keys", "键"),
    "values": Said("values", "值"),
    "keys and values": Said("keys = values", "键 = 值"),
    "scores": Said("The scores", "得分"),
    "scores why": Said(
        "They are given: how well each key answers the query, whatever computed it.",
        "得分是给定的：每个键有多切合查询，不论由什么算出。",
    ),
    "similarities": Said("Similarities", "相似度"),
    "similarities dot": Said(
        "A dot product is large where two vectors point the same way. Every query meets every key.",
        "两个向量的方向越一致，点积越大。每个查询都与每个键比较。",
    ),
    "similarities bilinear": Said(
        "A learned matrix W stands between query and key, which may then differ in width.",
        "查询与键之间隔着一个学得的矩阵 W，因此两者的宽度可以不同。",
    ),
    "similarities additive": Said(
        "A small network compares query and key, which may then differ in width.",
        "一个小网络比较查询与键，因此两者的宽度可以不同。",
    ),
    "similarities kernel": Said(
        "The score is the logarithm of a kernel: the nearer a key lies to the query, the larger.",
        "得分是核函数的对数：键离查询越近，得分越大。",
    ),
    "similarities uniform": Said(
        "Every key scores alike, so that attention becomes the plain average.",
        "每个键得分相同，注意力于是成为普通的平均。",
    ),
    "similarities other": Said(
        "A score says how much a query cares about a key.", "得分说的是一个查询有多在意一个键。"
    ),
    "turned": Said(
        "{position} turned queries and keys by their positions before they were compared.",
        "比较之前，{position} 已按位置旋转了查询与键。",
    ),
    "scale": Said("Divide by √d", "除以 √d"),
    "scale why": Said(
        "Dot products grow with the width d. Divided by √d they keep their size, and the softmax keeps a "
        "gradient to learn from.",
        "点积随宽度 d 增大。除以 √d，大小便不随宽度变化，softmax 也就保住了可供学习的梯度。",
    ),
    "position": Said("Add the positions", "加入位置"),
    "position why": Said(
        "Attention by itself cannot see order. {position} adds to each score what it knows of the distance "
        "between query and key.",
        "注意力本身看不见顺序。{position} 按查询与键的距离给每个得分加上一项。",
    ),
    "mask": Said("Mask", "掩码"),
    "mask why": Said(
        "What a query may not see is struck out ({hidden}): its score is −∞, its weight exactly zero.",
        "查询不可看的被划去（{hidden}）：得分当作 −∞，权重便恰为零。",
    ),
    "exponentials": Said("Exponentials", "取指数"),
    "exponentials why": Said(
        "The exponential makes every score positive and lets large ones count for more. Taking off the "
        "row's largest first changes no weight and cannot overflow.",
        "指数使每个得分为正，并让大的更显著。先减去每行的最大值：权重不变，也不会溢出。",
    ),
    "weights": Said("Weights", "权重"),
    "weights why": Said(
        "Divided by the sum of its row, each row adds up to one: how a query spreads its attention.",
        "除以所在行的和，每行加起来为一：这就是一个查询如何分配它的注意力。",
    ),
    "silence": Said(
        "A query that may attend to nothing gets weights of zero and brings back zero: silence, not noise.",
        "什么都不可看的查询，权重为零，取回的也是零：是静默，不是噪声。",
    ),
    "output": Said("The weighted sum", "加权求和"),
    "output why": Said(
        "Each query brings back the values, mixed in the proportions of its weights.",
        "每个查询按自己的权重把各个值混合起来，取回。",
    ),
    "relative": Said(
        "Relative positions also add their own vectors to the values.", "相对位置还给值加上了自己的向量。"
    ),
    "path": Said("The path attend() takes", "attend() 走的路径"),
    "path why": Said(
        "The steps above are the definition. attend() gives the same answer by the path “{path}”: {reason}.",
        "以上各步是定义。attend() 以路径“{path}”得出同样的答案：{reason}。",
    ),
    "sample": Said("sample {number}", "样本 {number}"),
    "head": Said("head {number}", "头 {number}"),
    "samples left out": Said(
        "The first {shown} of {count} samples are shown.", "共 {count} 个样本，只显示前 {shown} 个。"
    ),
    "rows left out": Said("{shown} of {count} rows are shown.", "共 {count} 行，显示 {shown} 行。"),
    "columns left out": Said("{shown} of {count} columns are shown.", "共 {count} 列，显示 {shown} 列。"),
    "attention": Said("Attention", "注意力"),
    "back": Said("all worked examples", "全部例子"),
    "footer": Said(
        "Computed and drawn by regard. This page is one file: no script, nothing loaded from elsewhere.",
        "由 regard 计算并绘制。本页是一个独立文件：没有脚本，不从别处加载任何东西。",
    ),
}

WHY_SIMILAR = {
    Dot.formula: "similarities dot",
    ScaledDot.formula: "similarities dot",
    Bilinear.formula: "similarities bilinear",
    Additive.formula: "similarities additive",
    Gaussian.formula: "similarities kernel",
    Boxcar.formula: "similarities kernel",
    Triangular.formula: "similarities kernel",
    Epanechnikov.formula: "similarities kernel",
    Uniform.formula: "similarities uniform",
}
"""Which sentence goes with which score, by its formula."""


def say(sentence: str, language: str, **parts: object) -> str:
    """A sentence of the table, with its parts filled in.

    >>> say("sample", "en", number=2), say("sample", "zh", number=2)
    ('sample 2', '样本 2')
    """
    return SENTENCES[sentence].to(language).format(**parts)
