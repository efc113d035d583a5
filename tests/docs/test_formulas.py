"""Every formula of the guide, worked out by hand beside the code that implements it."""

import math
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import regard
from regard import masks, models, positions, scores
from regard.models.blocks import EncoderBlock, FeedForward
from regard.training.loss import smoothed_loss
from regard.translation import alignment_error_rate
from tests.docs.pages import formulas

CHECKS: dict[str, Callable[[], tuple[Tensor, Tensor]]] = {}
"""What each formula gives, and what the code gives, by the formula's label."""


def formula(check: Callable[[], tuple[Tensor, Tensor]]) -> Callable[[], tuple[Tensor, Tensor]]:
    """Register a check under the label that its name spells."""
    CHECKS[check.__name__.replace("_", "-")] = check
    return check


def some(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64)


def softmax(row: Tensor) -> Tensor:
    return row.exp() / row.exp().sum(-1, keepdim=True)


@formula
def dot_product() -> tuple[Tensor, Tensor]:
    x = some(5, 3)
    by_hand = torch.stack(
        [torch.stack([sum(a * b for a, b in zip(i, j, strict=True)) for j in x]) for i in x]
    )
    return by_hand, scores.Dot()(x, x)


@formula
def self_attention() -> tuple[Tensor, Tensor]:
    x = some(5, 3)
    return softmax(x @ x.T) @ x, regard.attend(x, score=scores.Dot())


@formula
def cross_attention() -> tuple[Tensor, Tensor]:
    x, y = some(3, 4), some(5, 4)
    return softmax(x @ y.T) @ y, regard.attend(x, y, score=scores.Dot())


@formula
def average_pooling() -> tuple[Tensor, Tensor]:
    values = some(7, 3)
    return values.sum(0, keepdim=True) / 7, regard.attend(
        some(1, 2), some(7, 2), values, score=scores.Uniform()
    )


@formula
def attention() -> tuple[Tensor, Tensor]:
    query, keys, values = some(1, 3), some(5, 3), some(5, 2)
    weights = softmax(torch.stack([query[0] @ key / math.sqrt(3) for key in keys]))
    return sum(w * v for w, v in zip(weights, values, strict=True))[None], regard.attend(query, keys, values)


@formula
def projections() -> tuple[Tensor, Tensor]:
    head = regard.MultiHeadAttention(6, heads=1, bias=False).double()
    x = some(1, 5, 6)
    with regard.watch(head) as seen:
        head(x)
    by_hand = torch.stack([x @ matrix.T for matrix in head.projection.weight.split(6)])
    record = seen["attention"]
    return by_hand, torch.stack([record.queries[:, 0], record.keys[:, 0], record.values[:, 0]])


@formula
def nadaraya_watson() -> tuple[Tensor, Tensor]:
    x, y, new = some(11), some(11), some(3)
    kernel = torch.clamp(1 - ((new[:, None] - x) / 4.0) ** 2, min=0)  # Epanechnikov's
    by_hand = (kernel * y).sum(-1) / kernel.sum(-1)
    return by_hand, models.KernelRegression(scores.Epanechnikov(bandwidth=4.0)).fit(x, y).predict(new)


@formula
def gaussian_softmax() -> tuple[Tensor, Tensor]:
    x, new = some(11), some(3)
    kernel = torch.exp(-((new[:, None] - x) ** 2) / (2 * 0.7**2))
    return kernel / kernel.sum(-1, keepdim=True), regard.weigh(
        new[:, None], x[:, None], score=scores.Gaussian(0.7)
    )


@formula
def learned_bandwidth() -> tuple[Tensor, Tensor]:
    x, y, new = some(11), some(11), some(3)
    regression = models.KernelRegression(scores.Gaussian(learned=True).double()).fit(x, y, steps=5)
    w = 1 / regression.score.bandwidth
    with torch.no_grad():
        return (softmax(-0.5 * ((new[:, None] - x) * w) ** 2) * y).sum(-1), regression.predict(new)


@formula
def scaled_dot() -> tuple[Tensor, Tensor]:
    q, k = some(2, 7), some(3, 7)
    return (q[:, None] * k).sum(-1) / math.sqrt(7), scores.ScaledDot()(q, k)


@formula
def softmax_gradient() -> tuple[Tensor, Tensor]:
    row = some(1, 5).requires_grad_()
    weights = regard.masked_softmax(row)
    slopes = [torch.autograd.grad(weights[0, at], row, retain_graph=True)[0][0, at] for at in range(5)]
    return (weights * (1 - weights))[0].detach(), torch.stack(slopes)


@formula
def additive() -> tuple[Tensor, Tensor]:
    score = scores.Additive(query_width=3, key_width=5, hidden_width=7).double()
    q, k = some(2, 3), some(4, 5)
    with torch.no_grad():
        projected = [score.query_projection.weight @ query for query in q]
        rows = [
            torch.stack([score.to_score @ torch.tanh(p + score.key_projection.weight @ key) for key in k])
            for p in projected
        ]
        return torch.stack(rows), score(q, k)


@formula
def masked_softmax() -> tuple[Tensor, Tensor]:
    row, keep = some(2, 5), torch.rand(2, 5) < 0.6
    keep[:, 0] = True
    kept = keep * row.exp()
    return kept / kept.sum(-1, keepdim=True), regard.masked_softmax(row, keep)


CHECKS["softmax"] = lambda: (
    (row := some(3, 5)).exp() / row.exp().sum(-1, keepdim=True),
    regard.masked_softmax(row),
)


def a_recurrent_step() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The context and the state of one step by hand, and as the model computes them."""
    model = models.RecurrentTranslator(vocabulary=11, width=6).double().eval()
    with torch.no_grad():
        before = model.start(torch.tensor([[5, 6, 7, 2]]))
        last, embedded = before.layers[:, -1], model.target_embedding(torch.tensor([1])) * math.sqrt(6)
        score = model.decoder.cross.score
        energies = torch.tanh(score.query_projection(last)[:, None] + before.source.keys) @ score.to_score
        by_hand = (softmax(energies)[..., None] * before.source.values).sum(1)
        stepped = model.decoder.cells[0](torch.cat([by_hand, embedded], -1), last)
        context, layers = model.decoder(embedded, before.layers, before.source)
    return by_hand, context, stepped, layers[:, -1]


CHECKS["context"] = lambda: a_recurrent_step()[:2]
CHECKS["recurrent-step"] = lambda: a_recurrent_step()[2:]


@formula
def multi_head() -> tuple[Tensor, Tensor]:
    module = regard.MultiHeadAttention(6, heads=3, bias=False).double()
    x, y = some(1, 5, 6), some(1, 4, 6)
    q, k, v = (matrix.T for matrix in module.projection.weight.split(6))
    heads = [
        softmax((x @ q[:, at]) @ (y @ k[:, at]).mT / math.sqrt(2)) @ (y @ v[:, at])
        for at in (slice(0, 2), slice(2, 4), slice(4, 6))
    ]
    return torch.cat(heads, -1) @ module.output_projection.weight.T, module(x, y)


@formula
def three_ways() -> tuple[Tensor, Tensor]:
    """Which inputs each output depends on: those before it, its neighbours, all."""
    places = torch.arange(7)
    distance = places - places[:, None]
    stated = torch.stack([distance <= 0, distance.abs() <= 1, torch.ones(7, 7, dtype=torch.bool)])
    encoders = (
        models.RecurrentEncoder(4),
        models.ConvolutionalEncoder(4, kernel=3),
        models.SelfAttentionEncoder(4),
    )
    found = []
    for encoder in encoders:
        x = some(1, 7, 4).requires_grad_()
        outputs = encoder.double()(x)
        direction = some(4)
        slopes = [torch.autograd.grad(outputs[0, at] @ direction, x, retain_graph=True)[0] for at in range(7)]
        found.append(torch.stack([slope[0].abs().sum(-1) > 0 for slope in slopes]))
    return stated.double(), torch.stack(found).double()


@formula
def sinusoidal() -> tuple[Tensor, Tensor]:
    table = torch.zeros(5, 6, dtype=torch.float64)
    for i in range(5):
        for j in range(3):
            table[i, 2 * j] = math.sin(i / 10000 ** (2 * j / 6))
            table[i, 2 * j + 1] = math.cos(i / 10000 ** (2 * j / 6))
    return table, positions.Sinusoidal(6)(torch.zeros(5, 6, dtype=torch.float64))


@formula
def rotation() -> tuple[Tensor, Tensor]:
    table = positions.Sinusoidal(6)(torch.zeros(9, 6, dtype=torch.float64))
    turned = []
    for j in range(3):
        angle = 4 * 10000 ** (-2 * j / 6)
        turn = torch.tensor(
            [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]], dtype=torch.float64
        )
        turned.append(table[3, 2 * j : 2 * j + 2] @ turn.T)
    return torch.cat(turned), table[7]


def shaw(length: int = 9) -> tuple[positions.Relative, Tensor, Tensor, Tensor, Tensor]:
    q, k, v = some(3, length, 4)
    distances = torch.tensor([[max(-2, min(2, j - i)) + 2 for j in range(length)] for i in range(length)])
    return positions.Relative(reach=2, head_width=4).double(), q, k, v, distances


@formula
def relative() -> tuple[Tensor, Tensor]:
    position, q, k, v, rows = shaw()
    weights = softmax((q[:, None] * (k + position.key_table[rows])).sum(-1) / 2)
    by_hand = (weights[..., None] * (v + position.value_table[rows])).sum(1)
    return by_hand, regard.attend(q, k, v, position=position)


@formula
def relative_expanded() -> tuple[Tensor, Tensor]:
    position, q, k, v, rows = shaw()
    key_table, value_table = position.key_table, position.value_table
    by_hand = []
    for i in range(9):
        weights = softmax(torch.stack([(q[i] @ k[j] + q[i] @ key_table[rows[i, j]]) / 2 for j in range(9)]))
        shared = [weights[rows[i] == row].sum() * value_table[row] for row in range(5)]
        by_hand.append(weights @ v + torch.stack(shared).sum(0))
    return torch.stack(by_hand), regard.attend(q, k, v, position=position)


@formula
def merge() -> tuple[Tensor, Tensor]:
    length = 709  # long enough for attend to go through the three regions
    position, q, k, v, rows = shaw(length)
    powers = ((q[:, None] * (k + position.key_table[rows])).sum(-1) / 2).exp()
    offsets = torch.arange(length) - torch.arange(length)[:, None]
    above, below = torch.zeros(length, 4), torch.zeros(length, 1)
    for region in (offsets <= -2, offsets.abs() < 2, offsets >= 2):
        inside = powers * region
        total = inside.sum(-1, keepdim=True)  # e^L; zero in rows without a key in this region
        mixed = (inside[..., None] * (v + position.value_table[rows])).sum(1) / total.clamp(min=1e-300)
        above, below = above + total * mixed, below + total
    assert regard.explain(q, k, v, position=position).path == "merged"
    return above / below, regard.attend(q, k, v, position=position)


@formula
def relative_matrix() -> tuple[Tensor, Tensor]:
    position, q, k, v, rows = shaw()
    weights = softmax((q @ k.T + (q @ position.key_table.T).gather(1, rows)) / 2)
    by_distance = torch.stack([weights.masked_fill(rows != row, 0).sum(1) for row in range(5)], dim=1)
    return weights @ v + by_distance @ position.value_table, regard.attend(q, k, v, position=position)


@formula
def feed_forward() -> tuple[Tensor, Tensor]:
    network = FeedForward(3, hidden_width=7).double()
    x = some(5, 3)
    inner = torch.clamp(x @ network.inner.weight.T + network.inner.bias, min=0)
    return inner @ network.outer.weight.T + network.outer.bias, network(x)


@formula
def add_and_norm() -> tuple[Tensor, Tensor]:
    block = EncoderBlock(6, heads=2, hidden_width=7).double().eval()
    x = some(1, 5, 6)
    half = F.layer_norm(x + block.self(x), (6,))
    return F.layer_norm(half + block.feed_forward(half), (6,)), block(x)


@formula
def layer_norm() -> tuple[Tensor, Tensor]:
    norm = EncoderBlock(6, heads=2, hidden_width=7).double().around_self.norm
    with torch.no_grad():
        norm.weight.copy_(some(6))
        norm.bias.copy_(some(6))
    x = some(5, 6)
    mean = x.sum(1, keepdim=True) / 6
    variance = ((x - mean) ** 2).sum(1, keepdim=True) / 6
    return norm.weight * (x - mean) / (variance + norm.eps).sqrt() + norm.bias, norm(x)


@formula
def loss() -> tuple[Tensor, Tensor]:
    model = models.Transformer(vocabulary=11, width=6, heads=2, layers=1, hidden_width=7).double().eval()
    source, target = torch.tensor([[5, 6, 2]]), torch.tensor([[1, 7, 8, 2]])
    steps, state = [], model.start(source)
    for token, wanted in zip(target[0, :-1], target[0, 1:], strict=True):
        logits, state = model.step(token.reshape(1, 1), state)
        steps.append(softmax(logits[0, -1])[wanted].log())
    hidden = model.hidden(source, target[:, :-1])[0]
    return -torch.stack(steps).sum(), smoothed_loss(hidden, model.output_table, target[0, 1:])


@formula
def alignment_error() -> tuple[Tensor, Tensor]:
    found, sure = frozenset({(0, 0), (1, 1), (2, 0)}), frozenset({(0, 0), (1, 2)})
    possible = sure | {(1, 1)}
    by_hand = 1 - (len(found & sure) + len(found & possible)) / (len(found) + len(sure))
    return torch.tensor(by_hand), torch.tensor(alignment_error_rate([found], [sure], [possible]))


@pytest.mark.parametrize("label", sorted(CHECKS))
def test_a_formula_is_what_the_code_computes(label: str) -> None:
    by_hand, by_code = CHECKS[label]()
    torch.testing.assert_close(by_hand, by_code, check_dtype=False)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_formula_of_the_guide_is_checked(language: str) -> None:
    assert set(formulas(language)) == set(CHECKS)


def test_both_languages_print_the_same_formulas() -> None:
    assert formulas("en") == formulas("zh")


def test_a_mask_of_lengths_is_the_mask_of_the_formula() -> None:
    row = some(1, 2, 5)
    keep = masks.lengths([3]).keep((1, 2, 5))
    assert keep.expand(1, 2, 5).sum(-1).tolist() == [[3, 3]]
    assert regard.masked_softmax(row, keep)[..., 3:].count_nonzero() == 0
