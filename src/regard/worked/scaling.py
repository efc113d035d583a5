"""Why scores are divided by √d: the softmax of large numbers has no gradient left."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.attention import Explanation, explain, masked_softmax
from regard.attention.scores import Dot, ScaledDot
from regard.errors import RegardError
from regard.viewing.colours import theme_called
from regard.viewing.explanation import Curve, Drawing, Plot, Said, Step, Table, Walkthrough
from regard.worked.example import Example

WORDS = ("看", "小猫", "它", "好", "可爱")
SCORES = (7.0, 5.0, 4.0, 9.0, 11.0)
WIDTHS = (1, 4, 16, 64, 256, 1024)
DRAWS = 400


@dataclass(frozen=True)
class Gradient:
    """The mean gradient s(1 − s) of the largest weight at one width, without and with the division."""

    width: int
    plain: float
    scaled: float


def kitten(width: int = 64, *, scale: bool = True) -> Explanation:
    """The first word's scores 7, 5, 4, 9, 11, divided by √width, as weights.

    Only the scores are given, so the vectors are the simplest that have these products.

    >>> kitten(4).scaled
    tensor([[3.5000, 2.5000, 2.0000, 4.5000, 5.5000]], dtype=torch.float64)
    """
    if width < 1:
        raise RegardError(f"d must be 1 or more, but got {width}.")
    query, keys = torch.zeros(1, width).double(), torch.zeros(len(SCORES), width).double()
    query[0, 0] = 1.0
    keys[:, 0] = torch.tensor(SCORES)
    values = torch.eye(len(SCORES)).double()
    return explain(query, keys, values, score=ScaledDot() if scale else Dot())


def gradients(widths: Sequence[int] = WIDTHS, *, draws: int = DRAWS) -> list[Gradient]:
    """s(1 − s) for random queries and five random keys whose parts have variance one."""
    generator = torch.Generator().manual_seed(20_170_612)
    found = []
    for width in widths:
        queries = torch.randn(draws, 1, width, generator=generator)
        keys = torch.randn(draws, len(SCORES), width, generator=generator)
        scores = queries @ keys.mT
        found.append(Gradient(width, _gradient(scores), _gradient(scores / math.sqrt(width))))
    return found


def _gradient(scores: Tensor) -> float:
    largest = masked_softmax(scores).amax(dim=-1)
    return float((largest * (1 - largest)).mean())


def _tell_kitten(language: str, d: int = 64, scale: bool = True) -> Walkthrough:
    steps = kitten(d, scale=scale)
    told = Walkthrough.of(
        steps,
        query_labels=WORDS[:1],
        key_labels=WORDS,
        title=_KITTEN.title.to(language),
        lead=_KITTEN.shows.to(language),
        language=language,
        given_scores=steps.similarities,
    )
    return Walkthrough(
        title=told.title,
        lead=told.lead,
        steps=[*told.steps, _one_softmax_many_widths(language), _vanishing(language)],
        picture=told.picture,
        language=language,
    )


def _one_softmax_many_widths(language: str) -> Step:
    weights = torch.cat([kitten(width).weights for width in WIDTHS])
    largest = weights.amax(dim=-1)
    return Step(
        title=Said("The same scores, other widths", "同样的得分，不同的宽度").to(language),
        formula="softmax(s / √d)",
        why=Said(
            "The larger the divisor, the more evenly attention is spread; s(1 − s), last, is the gradient "
            "of the largest weight.",
            "除数越大，注意力分得越均匀；最后一列 s(1 − s) 是最大权重的梯度。",
        ).to(language),
        tables=[
            Table(
                numbers=torch.cat([weights, (largest * (1 - largest))[:, None]], dim=-1),
                rows=[f"d = {width}" for width in WIDTHS],
                columns=[*WORDS, "s(1 − s)"],
            )
        ],
    )


def _vanishing(language: str) -> Step:
    found = gradients()
    plain, scaled = (
        Said("not divided", "不除").to(language),
        Said("divided by √d", "除以 √d").to(language),
    )

    def plot(theme: str) -> Plot:
        return Plot(
            title="",
            notes=(),
            theme=theme_called(theme),
            curves=(
                Curve(name=scaled, points=tuple((math.log2(each.width), each.scaled) for each in found)),
                Curve(name=plain, points=tuple((math.log2(each.width), each.plain) for each in found)),
            ),
            axes=("d", "s(1 − s)"),
            ticks=tuple((math.log2(width), str(width)) for width in WIDTHS),
        )

    return Step(
        title=Said("Why divide", "为什么要除").to(language),
        formula="∂s/∂x = s(1 − s)",
        why=Said(
            "Random queries and keys with parts of variance one: q·k has variance d, so as d grows one "
            "weight nears 1, the others 0, and the gradient s(1 − s) of the largest dies. Divided by √d it "
            f"lives at every width. Each number is the mean over {DRAWS} draws of five keys.",
            "随机的查询与键，各分量方差为一：q·k 的方差为 d。d 增大时，一个权重趋于 1，其余趋于 0，"
            "最大权重的梯度 s(1 − s) 便消失。除以 √d，则任何宽度下梯度都在。"
            f"每个数是 {DRAWS} 次抽样（各五个键）的平均。",
        ).to(language),
        tables=[
            Table(
                numbers=torch.tensor([[each.plain, each.scaled] for each in found]).double(),
                rows=[f"d = {each.width}" for each in found],
                columns=(plain, scaled),
            )
        ],
        drawings=[Drawing(plot)],
    )


_KITTEN = Example(
    name="kitten",
    title=Said("看 小猫 它 好 可爱: scores divided by √d", "看 小猫 它 好 可爱：得分除以 √d"),
    shows=Said(
        "The scores 7, 5, 4, 9, 11 of the first word become weights; and why they are divided by √d first.",
        "第一个词的得分 7、5、4、9、11 变成权重；以及为什么要先除以 √d。",
    ),
    tell=_tell_kitten,
)
EXAMPLES = (_KITTEN,)
