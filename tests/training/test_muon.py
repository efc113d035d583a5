import pytest
import torch
from torch import Tensor, nn

from regard.models import ConvolutionalTranslator, RecurrentTranslator, Transformer
from regard.training.muon import MOMENTUM, Muon, adam, hidden_matrices, squares, straightened

RATE = 0.01


def stepped(model: nn.Module, optimizer: torch.optim.Optimizer, gradients: list[Tensor]) -> None:
    """Take one step with these gradients."""
    for parameter, gradient in zip(model.parameters(), gradients, strict=True):
        parameter.grad = gradient.clone()
    for group in optimizer.param_groups:
        group["lr"] = RATE
    optimizer.step()


def test_every_direction_of_a_step_is_as_long_as_any_other() -> None:
    torch.manual_seed(3)
    # Singular values from one to a hundredth, as the slopes of a real matrix have.
    left, right = (torch.linalg.qr(torch.randn(7, size, size, dtype=torch.float64)).Q for size in (5, 11))
    values = torch.logspace(0, -2, 5, dtype=torch.float64)
    slopes = left @ torch.diag(values) @ right[:, :5]
    found = straightened(slopes)
    lengths = torch.linalg.svdvals(found)
    assert lengths.min() > 0.6
    assert lengths.max() < 1.3
    # The same directions as before: between the old ones, the new matrix is diagonal.
    between = left.mT @ found @ right[:, :5].mT
    torch.testing.assert_close(between, torch.diag_embed(between.diagonal(dim1=1, dim2=2)), rtol=0, atol=1e-9)


def test_half_precision_keeps_the_directions() -> None:
    torch.manual_seed(5)
    slopes = torch.randn(3, 13, 17)
    exact, rough = straightened(slopes), straightened(slopes, half=True)
    assert rough.dtype == slopes.dtype
    assert (exact - rough).norm() < 0.05 * exact.norm()


def test_a_slope_of_zeros_moves_nothing() -> None:
    assert not straightened(torch.zeros(2, 3, 5)).any()


def test_the_first_step_is_the_straightened_gradient_of_known_size() -> None:
    torch.manual_seed(7)
    model = nn.Linear(3, 3, bias=False)
    before, gradient = model.weight.detach().clone(), torch.randn(3, 3)
    optimizer = Muon(nn.ModuleList([model, nn.LayerNorm(2)]))
    model.weight.grad = gradient
    optimizer.param_groups[0]["lr"] = RATE
    optimizer.step()
    momentum = (1 - MOMENTUM) * gradient
    slope = (1 - MOMENTUM) * gradient + MOMENTUM * momentum
    expected = before - RATE * 0.5 * 3**0.5 * straightened(slope[None])[0]
    torch.testing.assert_close(model.weight.detach(), expected)


def test_matrices_that_stand_in_one_parameter_step_as_if_they_stood_alone() -> None:
    torch.manual_seed(11)
    parts = [torch.randn(5, 5) for _ in range(3)]
    together = nn.ModuleList([nn.Linear(5, 15, bias=False), nn.LayerNorm(2)])
    apart = nn.ModuleList([*(nn.Linear(5, 5, bias=False) for _ in range(3)), nn.LayerNorm(2)])
    with torch.no_grad():
        together[0].weight.copy_(torch.cat([one.weight for one in apart[:3]]))
    zeros = [torch.zeros(2), torch.zeros(2)]
    stepped(together, Muon(together), [torch.cat(parts), *zeros])
    stepped(apart, Muon(apart), [*parts, *zeros])
    torch.testing.assert_close(together[0].weight, torch.cat([one.weight for one in apart[:3]]))


@pytest.mark.parametrize(
    "model",
    [
        Transformer(vocabulary=11, width=6, heads=2, layers=1, hidden_width=7, positions="relative"),
        RecurrentTranslator(vocabulary=11, width=6, normalised=True),
        ConvolutionalTranslator(vocabulary=11, width=6, layers=1, normalised=True),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_what_is_no_hidden_matrix_is_left_to_adam(model: nn.Module, weight_decay: float) -> None:
    torch.manual_seed(13)
    start = [one.detach().clone() for one in model.parameters()]
    gradients = [torch.randn_like(one) for one in start]
    found = []
    for make in (Muon, lambda model, weight_decay: adam(model.parameters(), weight_decay=weight_decay)):
        with torch.no_grad():
            for parameter, value in zip(model.parameters(), start, strict=True):
                parameter.copy_(value)
        stepped(model, make(model, weight_decay=weight_decay), gradients)
        found.append([one.detach().clone() for one in model.parameters()])
    matrices = {id(one) for one in hidden_matrices(model)}
    assert matrices
    for parameter, by_muon, by_adam in zip(model.parameters(), *found, strict=True):
        assert torch.equal(by_muon, by_adam) == (id(parameter) not in matrices)


def test_decay_takes_a_share_of_a_matrix_before_its_step() -> None:
    plain, decayed = nn.Linear(5, 5, bias=False), nn.Linear(5, 5, bias=False)
    with torch.no_grad():
        decayed.weight.copy_(plain.weight)
    before, gradient = plain.weight.detach().clone(), torch.randn(5, 5)
    for layer, decay in ((plain, 0.0), (decayed, 0.3)):
        model = nn.ModuleList([layer, nn.LayerNorm(2)])
        stepped(model, Muon(model, weight_decay=decay), [gradient, torch.zeros(2), torch.zeros(2)])
    torch.testing.assert_close(plain.weight - decayed.weight, RATE * 0.3 * before)


def test_tables_are_no_hidden_matrices() -> None:
    model = Transformer(
        vocabulary=11, width=6, heads=2, layers=1, hidden_width=7, positions="relative", tie_output=False
    )
    named = {
        name for name, one in model.named_parameters() if any(one is two for two in hidden_matrices(model))
    }
    assert named == {
        f"{block}.{layer}.weight"
        for block in ("encoder.0", "decoder.0")
        for layer in (
            "self.projection",
            "self.output_projection",
            "feed_forward.inner",
            "feed_forward.outer",
            *(("cross.projection", "cross.output_projection") if block == "decoder.0" else ()),
        )
    }


def test_pieces_of_a_matrix_are_views_of_all_of_it() -> None:
    for rows, columns in ((7, 3), (3, 7), (5, 5)):
        matrix = torch.zeros(rows, columns)
        for piece in squares(matrix):
            assert piece.shape[0] <= piece.shape[1]
            piece += 1
        assert torch.equal(matrix, torch.ones(rows, columns))


def test_a_state_saved_by_torchs_own_way_comes_back_whole() -> None:
    torch.manual_seed(17)
    model = Transformer(vocabulary=11, width=6, heads=2, layers=1, hidden_width=7)
    gradients = [torch.randn_like(one) for one in model.parameters()]
    first = Muon(model)
    stepped(model, first, gradients)
    second = Muon(model)
    second.load_state_dict(first.state_dict())
    before = [one.detach().clone() for one in model.parameters()]
    for group in second.param_groups:
        group["lr"] = 0.0
    second.step()
    assert all(torch.equal(now, then) for now, then in zip(model.parameters(), before, strict=True))
    assert all(second.state[one] for one in model.parameters())
