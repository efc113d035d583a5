"""Kernel regression: attention over points on a line."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.scores import Gaussian, Score, Uniform
from regard.models.kernel_regression import KernelRegression
from regard.viewing import AttentionMap
from regard.viewing.colours import theme_called
from regard.viewing.drawn import Layout
from regard.viewing.explanation import Curve, Drawing, Plot, Said, Step, Table, Walkthrough
from regard.viewing.heatmap import Heatmap, Label, Scale, heatmap
from regard.worked.example import Example

POINTS = 50
NOISE = 0.5
REACH = 5.0
DARKEST = 0.2
"""Weight maps of many points are pale from 0 to 1; theirs ends here."""
LABELLED, CELL = 5, 6.5
"""One row and column in so many is labelled; the side of a cell."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitted:
    """One way to pool the points: its predictions, its errors, its weights."""

    name: Said
    formula: str
    predictions: Float[Tensor, " new"]
    weights: Float[Tensor, "new points"]
    left_out_error: float
    true_error: float
    bandwidth: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Kernel:
    """The points, the truth behind them, and three ways to find it again."""

    inputs: Float[Tensor, " points"]
    outputs: Float[Tensor, " points"]
    new: Float[Tensor, " new"]
    truth: Float[Tensor, " new"]
    fitted: tuple[Fitted, ...]


def truth(inputs: Float[Tensor, " points"]) -> Float[Tensor, " points"]:
    """y = 2 sin x + x^0.8, before the noise."""
    return 2 * inputs.sin() + inputs**0.8


@cache
def kernel() -> Kernel:
    """Average pooling, a Gaussian kernel, and a Gaussian kernel with a learned bandwidth."""
    generator = torch.Generator().manual_seed(1964)
    inputs = (torch.rand(POINTS, generator=generator) * REACH).sort().values
    outputs = truth(inputs) + NOISE * torch.randn(POINTS, generator=generator)
    new = torch.linspace(0.0, REACH, POINTS)
    ways: tuple[tuple[Said, str, Score], ...] = (
        (Said("average pooling", "平均汇聚"), "f(x) = Σᵢ yᵢ / n", Uniform()),
        (Said("Gaussian kernel", "高斯核"), "f(x) = Σᵢ softmaxᵢ(−(x − xᵢ)² / 2) yᵢ", Gaussian()),
        (
            Said("learned bandwidth", "学得的带宽"),
            "f(x) = Σᵢ softmaxᵢ(−((x − xᵢ) w)² / 2) yᵢ,  w = 1/b",
            Gaussian(learned=True),
        ),
    )
    fitted = []
    for name, formula, score in ways:
        regression = KernelRegression(score).fit(inputs, outputs)
        with torch.no_grad():
            predictions, weights = regression.predict(new), regression.weights(new)
        fitted.append(
            Fitted(
                name=name,
                formula=formula,
                predictions=predictions,
                weights=weights,
                left_out_error=regression.leave_one_out_error(),
                true_error=float((predictions - truth(new)).square().mean()),
                bandwidth=score.bandwidth.item() if isinstance(score, Gaussian) else None,
            )
        )
    return Kernel(inputs=inputs, outputs=outputs, new=new, truth=truth(new), fitted=tuple(fitted))


def _tell_kernel(language: str) -> Walkthrough:
    found = kernel()
    whys = (
        Said(
            "Whatever is asked, the answer is the mean of all outputs: every point has the same weight.",
            "无论问什么，答案都是全部输出的平均：每个点权重相同。",
        ),
        Said(
            "Points near the query count for more: Nadaraya–Watson regression, which is attention with the "
            "score −(x − xᵢ)²/2. With bandwidth 1 it smooths too much.",
            "离查询近的点更重要：这就是 Nadaraya–Watson 回归，即得分为 −(x − xᵢ)²/2 的注意力。"
            "带宽为 1 时过于平滑。",
        ),
        Said(
            "The bandwidth is learned by predicting each point from the others. Were its own key not left "
            "out, the best bandwidth would be zero.",
            "用其余的点来预测每一个点，由此学得带宽。若不去掉该点自己的键，最好的带宽将是零。",
        ),
    )
    steps = [_points(found, language)]
    steps += [
        Step(
            title=each.name.to(language)[:1].upper() + each.name.to(language)[1:],
            formula=each.formula,
            why=why.to(language),
            drawings=[
                Drawing(_curves(found, (each,), language)),
                Drawing(_map(found, each, language)),
            ],
            lines=[("b", f"= {each.bandwidth:.3f}")] if each.bandwidth else [],
        )
        for each, why in zip(found.fitted, whys, strict=True)
    ]
    return Walkthrough(
        title=_KERNEL.title.to(language),
        lead=_KERNEL.shows.to(language),
        steps=[*steps, _errors(found, language)],
        picture=Drawing(_curves(found, found.fitted, language, title=_KERNEL.title.to(language))),
        language=language,
    )


def _points(found: Kernel, language: str) -> Step:
    return Step(
        title=Said("The points", "数据点").to(language),
        formula="y = 2 sin x + x^0.8 + ε",
        why=Said(
            f"{POINTS} points with noise ε of standard deviation {NOISE}. Their inputs are keys, their "
            "outputs values; the x asked about is the query.",
            f"{POINTS} 个点，噪声 ε 的标准差为 {NOISE}。它们的输入是键，输出是值；所问的 x 是查询。",
        ).to(language),
        drawings=[Drawing(_curves(found, (), language))],
    )


def _errors(found: Kernel, language: str) -> Step:
    rows = [each.name.to(language) for each in found.fitted]
    return Step(
        title=Said("How well each does", "各自的好坏").to(language),
        why=Said(
            "Mean squared errors: of each point predicted from the others, and against the curve without "
            "noise.",
            "均方误差：用其余点预测每个点的，以及与无噪声曲线相比的。",
        ).to(language),
        tables=[
            Table(
                numbers=torch.tensor([[each.left_out_error, each.true_error] for each in found.fitted]),
                rows=rows,
                columns=(
                    Said("left out", "留一误差").to(language),
                    Said("true curve", "真实曲线").to(language),
                ),
            )
        ],
    )


def _curves(
    found: Kernel, ways: tuple[Fitted, ...], language: str, *, title: str = ""
) -> Callable[[str], Layout]:
    dots = Curve(
        name=Said("points", "数据点").to(language),
        points=_pairs(found.inputs, found.outputs),
        scattered=True,
        quiet=True,
    )
    true = Curve(
        name=Said("without noise", "无噪声").to(language),
        points=_pairs(found.new, found.truth),
        dashed=True,
        quiet=True,
    )
    curves = [Curve(name=way.name.to(language), points=_pairs(found.new, way.predictions)) for way in ways]

    def plot(theme: str) -> Layout:
        return Plot(
            title=title, notes=(), theme=theme_called(theme), curves=(dots, true, *curves), axes=("x", "y")
        )

    return plot


def _map(found: Kernel, way: Fitted, language: str) -> Callable[[str], Layout]:
    seen = AttentionMap(
        way.weights,
        query_labels=_labels(found.new),
        key_labels=_labels(found.inputs),
        name="",
        notes=[
            Said(f"weights of {DARKEST} and more are darkest", f"{DARKEST} 及以上的权重颜色最深").to(language)
        ],
        axes=(Said("x asked about", "所问的 x").to(language), Said("points seen", "数据点").to(language)),
    )

    def decide(theme: str) -> Layout:
        drawn = heatmap(seen, theme=theme)
        assert isinstance(drawn, Heatmap)
        return replace(
            drawn,
            scale=Scale(0.0, DARKEST),
            rows=_few(drawn.rows),
            columns=_few(drawn.columns),
            cell=(CELL, CELL),
            label_size=11.0,
            slant=0,
        )

    return decide


def _few(labels: tuple[Label | None, ...]) -> tuple[Label | None, ...]:
    return tuple(label if at % LABELLED == 0 else None for at, label in enumerate(labels))


def _labels(numbers: Tensor) -> list[str]:
    return [f"{number:.1f}" for number in numbers.tolist()]


def _pairs(left: Tensor, right: Tensor) -> tuple[tuple[float, float], ...]:
    return tuple(zip(left.tolist(), right.tolist(), strict=True))


_KERNEL = Example(
    name="kernel",
    title=Said("Attention on a line: kernel regression", "直线上的注意力：核回归"),
    shows=Said(
        "Long before Transformers, Nadaraya and Watson (1964) averaged what was seen, the near counting "
        "more. Three ways to weigh the points, each with its map.",
        "早在 Transformer 之前，Nadaraya 与 Watson（1964）就让近处的点更重要，对所见加权平均。"
        "三种加权方式，各有其权重图。",
    ),
    tell=_tell_kernel,
)
EXAMPLES = (_KERNEL,)
