"""Order: attention by itself cannot see it, and what sines and cosines do about that."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention import attend, weigh
from regard.attention.positions import Sinusoidal
from regard.viewing import AttentionMap
from regard.viewing.colours import theme_called
from regard.viewing.drawn import Facets, Layout
from regard.viewing.explanation import Curve, Drawing, Plot, Said, Step, Table, Walkthrough
from regard.viewing.heatmap import Scale
from regard.viewing.positions import positions as draw_positions
from regard.worked.example import Example
from regard.worked.words import made_up_vectors

FORWARDS = ("dog", "bites", "man")
BACKWARDS = FORWARDS[::-1]
WIDTH = 4

PLACES, BITS = 16, 4
TABLE_PLACES, TABLE_WIDTH, TABLE_BITS = 32, 32, 5
WIDE = 300.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Order:
    """What each word brings back in a sentence and in the sentence reversed, rows in one order."""

    forwards: Float[Tensor, "words width"]
    backwards: Float[Tensor, "words width"]

    @property
    def difference(self) -> float:
        """The largest difference that the order makes."""
        return float((self.forwards - self.backwards).abs().max())


def order(*, positions: bool) -> Order:
    """Attend to a sentence and to its words reversed, with or without positions added.

    >>> order(positions=False).difference < 1e-12 < order(positions=True).difference
    True
    """
    add = Sinusoidal(WIDTH) if positions else torch.nn.Identity()
    forwards, backwards = (
        attend(add(made_up_vectors(sentence, WIDTH))) for sentence in (FORWARDS, BACKWARDS)
    )
    return Order(forwards=forwards, backwards=backwards.flip(0))


def sinusoids(places: int = TABLE_PLACES, width: int = TABLE_WIDTH) -> Float[Tensor, "places width"]:
    """The encoding of each place."""
    return Sinusoidal(width).encoding(torch.arange(places), torch.float64)


def binary(places: int = PLACES, bits: int = BITS) -> Float[Tensor, "places bits"]:
    """Counting in binary, the fastest bit first, as the fastest wave comes first.

    >>> binary(4, 2)
    tensor([[0., 0.],
            [1., 0.],
            [0., 1.],
            [1., 1.]])
    """
    return ((torch.arange(places)[:, None] >> torch.arange(bits)) & 1).float()


def likeness(place: int, distances: int = 24) -> Float[Tensor, " distances"]:
    """The dot product of a place's encoding with those at distances 0, 1, 2, …"""
    table = sinusoids(place + distances)
    return table[place:] @ table[place] / (TABLE_WIDTH / 2)


def _tell_order(language: str) -> Walkthrough:
    blind, seeing = order(positions=False), order(positions=True)
    sentences = " ".join(FORWARDS), " ".join(BACKWARDS)
    columns = [str(i + 1) for i in range(WIDTH)]

    def tables(found: Order) -> list[Table]:
        return [
            Table(numbers=numbers, rows=FORWARDS, columns=columns, name=sentence)
            for sentence, numbers in zip(sentences, (found.forwards, found.backwards), strict=True)
        ]

    difference = Said("largest difference", "最大差").to(language)
    vectors = made_up_vectors(FORWARDS, WIDTH)
    seen = AttentionMap(
        weigh(Sinusoidal(WIDTH)(vectors)), query_labels=FORWARDS, name=_ORDER.title.to(language)
    )
    steps = (
        Step(
            title=Said("The words", "词").to(language),
            why=Said("Vectors made up from the spelling of each word.", "由每个词的拼写编造的向量。").to(
                language
            ),
            tables=[Table(numbers=vectors, rows=FORWARDS, columns=columns, name="X")],
        ),
        Step(
            title=Said("Without positions", "没有位置").to(language),
            formula="softmax(X Xᵀ / √d) X",
            why=Said(
                "Reverse the sentence and each word brings back the same: a sum does not know in which order "
                "it was added up. Dog bites man is man bites dog.",
                "把句子倒过来，每个词取回的完全一样：求和不知道相加的次序。狗咬人就是人咬狗。",
            ).to(language),
            tables=tables(blind),
            lines=[(difference, "= " + f"{blind.difference:.1g}".replace("-", "−"))],
        ),
        Step(
            title=Said("With positions added", "加上位置").to(language),
            formula="X + P",
            why=Said(
                "Add to each word the encoding of its place, and the order matters.",
                "给每个词加上它所在位置的编码，次序就有了意义。",
            ).to(language),
            tables=tables(seeing),
            lines=[(difference, f"= {seeing.difference:.2f}")],
        ),
    )
    return Walkthrough(
        title=_ORDER.title.to(language),
        lead=_ORDER.shows.to(language),
        steps=steps,
        picture=seen,
        language=language,
    )


def _tell_positions(language: str) -> Walkthrough:
    place, bit, wave = (
        Said("place", "位置").to(language),
        Said("bit", "位").to(language),
        Said("wave", "波").to(language),
    )
    binary_title = Said("counting in binary", "二进制计数").to(language)
    wave_title = Said("sines and cosines", "正弦与余弦").to(language)

    def bits(theme: str) -> Layout:
        table = draw_positions(binary(TABLE_PLACES, TABLE_BITS), theme=theme, title=binary_title)
        wide = WIDE / TABLE_BITS, table.cell[1]
        return replace(table, scale=Scale(0.0, 1.0), axes=(place, bit), cell=wide)

    def waves(theme: str) -> Layout:
        table = draw_positions(sinusoids(), theme=theme, title=wave_title)
        return replace(table, axes=(place, wave), cell=(WIDE / TABLE_WIDTH, table.cell[1]))

    steps = (
        Step(
            title=Said("Counting in binary", "二进制计数").to(language),
            formula=f"0 … {PLACES - 1}",
            why=Said(
                "The lowest bit changes at every step, the next at every second, the next at every fourth: "
                "a few wheels of different speed number every place.",
                "最低位每步变一次，下一位每两步，再下一位每四步：几个快慢不同的轮子就给每个位置编了号。",
            ).to(language),
            tables=[
                Table(
                    numbers=binary(),
                    rows=[str(i) for i in range(PLACES)],
                    columns=[f"{bit} {i}" for i in range(BITS)],
                    shaded=True,
                )
            ],
        ),
        Step(
            title=Said("The same with waves", "换成波").to(language),
            formula="sin(i / 10000^(2j/d)),  cos(i / 10000^(2j/d))",
            why=Said(
                "Sines and cosines do the same with real numbers: fast waves on the left, slow ones on the "
                "right, and each row is one place's code.",
                "正弦与余弦用实数做同样的事：左边的波快，右边的波慢，每一行是一个位置的编码。",
            ).to(language),
            drawings=[Drawing(bits), Drawing(waves)],
        ),
        Step(
            title=Said("Distance is a turn", "距离即旋转").to(language),
            formula="pᵢ · pᵢ₊ₖ",
            why=Said(
                "Each pair of sine and cosine is a clock hand. Moving by k turns every hand by a fixed "
                "angle, wherever one starts, so likeness depends on the distance alone: what is found from "
                "place 20 lies on the curve from place 0.",
                "每对正弦余弦是一根钟针。移动 k，每根针都转过固定的角，与起点无关；"
                "所以相似度只取决于距离：从位置 20 量得的点都落在从位置 0 量得的曲线上。",
            ).to(language),
            drawings=[Drawing(_likeness(language))],
        ),
    )
    return Walkthrough(
        title=_POSITIONS.title.to(language),
        lead=_POSITIONS.shows.to(language),
        steps=steps,
        picture=Drawing(
            lambda theme: Facets(
                title=_POSITIONS.title.to(language),
                notes=(),
                theme=theme_called(theme),
                panels=(bits(theme), waves(theme)),
                columns=2,
            )
        ),
        language=language,
    )


def _likeness(language: str) -> Callable[[str], Layout]:
    distance, like = Said("distance k", "距离 k").to(language), Said("likeness", "相似度").to(language)
    curves = tuple(
        Curve(
            name=Said(f"from place {start}", f"从位置 {start}").to(language),
            points=tuple((float(k), float(value)) for k, value in enumerate(likeness(start))),
            scattered=start > 0,
        )
        for start in (0, 20)
    )

    def plot(theme: str) -> Layout:
        return Plot(
            title="",
            notes=(),
            theme=theme_called(theme),
            curves=curves,
            axes=(distance, like),
        )

    return plot


_ORDER = Example(
    name="order",
    title=Said("Dog bites man: attention is blind to order", "狗咬人：注意力看不见次序"),
    shows=Said(
        "Without positions self-attention cannot tell a sentence from its words reversed; with them it can.",
        "没有位置，自注意力分不清一句话与倒过来的词；有了位置就能分清。",
    ),
    tell=_tell_order,
)
_POSITIONS = Example(
    name="positions",
    title=Said("Where a word stands, in sines and cosines", "用正弦与余弦表示词的位置"),
    shows=Said(
        "The sinusoidal table beside binary counting: wheels of different speed number every place.",
        "正弦位置表与二进制计数并排：几个快慢不同的轮子给每个位置编号。",
    ),
    tell=_tell_positions,
)
EXAMPLES = (_ORDER, _POSITIONS)
