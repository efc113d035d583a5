from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.attention import linear as linear_module
from regard.attention.linear import (
    Blocks,
    Imprint,
    Layouts,
    Turned,
    laid_out,
    linear,
    multiplier,
    packable,
    prepared,
    quantizable,
    through,
    whole,
)

OUT, WIDTH, ROWS = 13, 7, 5
PACKABLE = pytest.mark.skipif(not packable(), reason="nothing is packed here")
WAYS = [
    pytest.param(Turned, 400, id="turned"),
    pytest.param(Turned, 4, id="strips"),
    pytest.param(Blocks, 400, id="blocks", marks=PACKABLE),
]


@pytest.fixture(autouse=True)
def _even_small_matrices(monkeypatch: pytest.MonkeyPatch, kind: type[Layouts], strip: int) -> None:
    monkeypatch.setattr(linear_module, "whole", lambda: kind)
    monkeypatch.setattr(linear_module, "STRIP", strip)
    monkeypatch.setattr(linear_module, "LEAST", 1)
    monkeypatch.setattr(linear_module, "LARGE", 1)
    monkeypatch.setattr(linear_module, "LARGE_FOR_SEVERAL", 1)


pytestmark = pytest.mark.parametrize(("kind", "strip"), WAYS)


def a_layer() -> nn.Linear:
    return nn.Linear(WIDTH, OUT)


def read(layer: nn.Linear, vectors: Tensor, quantization: str | None = None) -> Tensor:
    with torch.no_grad(), laid_out(layer, quantization):
        return through(layer, vectors)


def packed_of(layer: nn.Linear, quantization: str | None = None) -> dict[tuple[int, int, int], Any]:
    return linear_module._kept[layer][quantization]._packed


def test_a_packed_matrix_multiplies_as_it_did() -> None:
    layer = a_layer()
    for shape in ((1, WIDTH), (ROWS, WIDTH), (2, 3, WIDTH), (0, WIDTH)):
        vectors = torch.randn(shape)
        torch.testing.assert_close(read(layer, vectors), layer(vectors).detach())


def test_some_rows_of_a_matrix_are_packed_by_themselves() -> None:
    layer, vectors = a_layer(), torch.randn(ROWS, WIDTH)
    with torch.no_grad(), laid_out(layer):
        found = linear(vectors, layer.weight, layer.bias, (3, 8))
        whole = linear(vectors, layer.weight)
    torch.testing.assert_close(found, layer(vectors).detach()[:, 3:8])
    torch.testing.assert_close(whole, (layer(vectors) - layer.bias).detach())


def learn(layer: nn.Linear) -> None:
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.1, fused=True)
    layer(torch.ones(1, WIDTH)).sum().backward()
    optimizer.step()


def load(layer: nn.Linear) -> None:
    layer.load_state_dict(a_layer().state_dict())


def change_behind_its_back(layer: nn.Linear) -> None:
    layer.weight.data.mul_(2.0)


def put_another_in_its_place(layer: nn.Linear) -> None:
    layer.weight.data = torch.randn(OUT, WIDTH)


@pytest.mark.parametrize("change", [learn, load, change_behind_its_back, put_another_in_its_place])
def test_a_matrix_that_has_changed_is_packed_anew(change: Callable[[nn.Linear], None]) -> None:
    layer, vectors = a_layer(), torch.randn(ROWS, WIDTH)
    before = read(layer, vectors)
    change(layer)
    after = read(layer, vectors)
    torch.testing.assert_close(after, layer(vectors).detach())
    assert not torch.allclose(after, before)


def test_a_tensor_that_does_not_lie_in_order_is_known_by_all_its_numbers() -> None:
    tensor = torch.randn(OUT, WIDTH).mT
    imprint = Imprint.of(tensor)
    assert imprint.is_of(tensor)
    tensor.data[1, 1] += 1.0
    assert not imprint.is_of(tensor)


def test_what_is_packed_is_kept_and_goes_with_its_model() -> None:
    layer, vectors = a_layer(), torch.randn(ROWS, WIDTH)
    read(layer, vectors)
    (packed,) = packed_of(layer).values()
    read(layer, vectors)
    assert packed_of(layer) == {(id(layer.weight), 0, OUT): packed}
    count = len(linear_module._kept)
    del layer
    assert len(linear_module._kept) == count - 1


def test_a_layer_that_somebody_listens_to_is_called_itself() -> None:
    layer, heard = a_layer(), []
    layer.register_forward_hook(lambda *call: heard.append(call[2]))
    read(layer, torch.randn(ROWS, WIDTH))
    assert len(heard) == 1


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_other_precisions_are_multiplied_as_they_lie(dtype: torch.dtype) -> None:
    layer, vectors = a_layer().to(dtype), torch.randn(ROWS, WIDTH).to(dtype)
    assert torch.equal(read(layer, vectors), layer(vectors))


def test_where_nothing_can_be_packed_all_is_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_module, "whole", lambda: None)
    layer, vectors = a_layer(), torch.randn(ROWS, WIDTH)
    assert torch.equal(read(layer, vectors), layer(vectors))


def test_outside_gradients_flow_as_ever() -> None:
    layer, vectors = a_layer(), torch.randn(ROWS, WIDTH)
    with laid_out(layer):
        output = through(layer, vectors)
    output.sum().backward()
    assert layer.weight.grad is not None
    assert torch.equal(output, F.linear(vectors, layer.weight, layer.bias))


def test_packing_is_to_be_had_where_onednn_is() -> None:
    assert packable() == torch.backends.mkldnn.is_available()


@pytest.mark.parametrize(
    ("mkl", "slow", "packs", "expected"),
    [
        (True, False, True, Turned),
        (True, True, True, Blocks),
        (False, False, True, Blocks),
        (True, True, False, None),
        (False, False, False, None),
    ],
)
def test_matrices_are_turned_where_mkl_is_fast_and_packed_where_it_is_not(
    monkeypatch: pytest.MonkeyPatch, mkl: bool, slow: bool, packs: bool, expected: type[Layouts] | None
) -> None:
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: mkl)
    monkeypatch.setattr(linear_module, "slows_mkl", lambda: slow)
    monkeypatch.setattr(linear_module, "packable", lambda: packs)
    assert whole() is expected


def test_inference_mode_packs_parameters_and_leaves_its_own_as_they_lie() -> None:
    layer, vectors = a_layer(), torch.randn(ROWS, WIDTH)
    with torch.inference_mode(), laid_out(layer):
        torch.testing.assert_close(through(layer, vectors), F.linear(vectors, layer.weight, layer.bias))
    assert len(packed_of(layer)) == 1
    with torch.inference_mode():
        other = a_layer()
        with laid_out(other):
            assert torch.equal(through(other, vectors), F.linear(vectors, other.weight, other.bias))
    assert not packed_of(other)


def test_a_small_matrix_is_packed_for_several_vectors_at_most_and_never_rounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(linear_module, "whole", lambda: Blocks)
    monkeypatch.setattr(linear_module, "LARGE", OUT * WIDTH + 1)
    layer, vectors = a_layer(), torch.randn(ROWS, WIDTH)
    for slow, several in ((False, 0), (True, 1)):
        monkeypatch.setattr(linear_module, "slows_mkl", lambda slow=slow: slow)
        assert torch.equal(read(layer, vectors[:1]), layer(vectors[:1]))
        assert not packed_of(layer)
        torch.testing.assert_close(read(layer, vectors), layer(vectors).detach())
        assert len(packed_of(layer)) == several
    assert not torch.equal(read(layer, vectors, "int8"), layer(vectors))
    monkeypatch.setattr(linear_module, "LEAST", OUT * WIDTH + 1)
    assert torch.equal(read(layer, vectors, "int8"), layer(vectors))


@pytest.mark.parametrize("slow", [True, False])
@pytest.mark.parametrize("large", [1, OUT * WIDTH + 1])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rectified", [True, False])
@pytest.mark.parametrize("shape", [(), (1,), (5,), (4, 1), (2, 3), (0,), (2, 0)])
def test_every_way_to_ask_brings_the_same_answer(
    monkeypatch: pytest.MonkeyPatch,
    shape: tuple[int, ...],
    rectified: bool,
    bias: bool,
    large: int,
    slow: bool,
) -> None:
    monkeypatch.setattr(linear_module, "LARGE", large)
    monkeypatch.setattr(linear_module, "slows_mkl", lambda: slow)
    layer, vectors = nn.Linear(WIDTH, OUT, bias=bias), torch.randn(*shape, WIDTH)
    with torch.no_grad():
        expected = F.relu(layer(vectors)) if rectified else layer(vectors)
        part = linear(vectors, layer.weight, layer.bias, (3, 8), rectified=rectified)
        with laid_out(layer):
            found = through(layer, vectors, rectified=rectified)
            rows = linear(vectors, layer.weight, layer.bias, (3, 8), rectified=rectified)
            again = prepared(layer, rectified=rectified)(vectors)
            asked_once = prepared(layer, (3, 8), rectified=rectified)(vectors)
            no_parameter = multiplier(layer.weight.detach())(vectors)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(rows, part)
    torch.testing.assert_close(no_parameter, F.linear(vectors, layer.weight).detach())
    assert torch.equal(again, found)
    assert torch.equal(asked_once, rows)


def test_rounded_numbers_are_off_by_half_a_step_each() -> None:
    layer = a_layer()
    for shape in ((1, WIDTH), (ROWS, WIDTH), (2, 3, WIDTH), (0, WIDTH)):
        vectors, matrix = torch.randn(shape), layer.weight.detach()
        half = vectors.abs().amax(dim=-1, keepdim=True) / 254 if len(vectors) else vectors
        halves = matrix.abs().amax(dim=1, keepdim=True) / 254
        most = F.linear(vectors.abs(), halves.expand_as(matrix)) + F.linear(
            half.expand_as(vectors), matrix.abs() + halves
        )
        found = read(layer, vectors, "int8")
        assert ((found - layer(vectors)).abs() <= most + 1e-6).all()
        assert found.shape == (*shape[:-1], OUT)
        assert len(vectors) == 0 or not torch.allclose(found, layer(vectors))  # it was rounded


def test_whole_numbers_of_eight_bits_are_multiplied_exactly() -> None:
    layer, vectors = a_layer(), torch.randint(-127, 128, (ROWS, WIDTH)).float()
    with torch.no_grad():
        layer.weight.copy_(torch.randint(-127, 128, (OUT, WIDTH)))
        layer.weight[:, 0], layer.bias[:] = 127, torch.arange(OUT)
    vectors[:, -1] = -127
    assert torch.equal(read(layer, vectors, "int8"), layer(vectors))
    with torch.no_grad(), laid_out(layer, "int8"):
        found = linear(vectors, layer.weight, rows=(3, 8))
    assert torch.equal(found, F.linear(vectors, layer.weight[3:8]))


def test_a_rounded_vector_does_not_depend_on_its_companions() -> None:
    layer, vectors = a_layer(), torch.randn(ROWS, WIDTH)
    alone = read(layer, vectors[:1], "int8")
    vectors[1:] *= 1e3
    assert torch.equal(read(layer, vectors, "int8")[:1], alone)


def test_rounded_zeros_are_silent_and_what_is_no_number_is_heard() -> None:
    layer = a_layer()
    assert torch.equal(read(layer, torch.zeros(ROWS, WIDTH), "int8"), layer.bias.expand(ROWS, -1))
    with torch.no_grad():
        layer.weight[0] = 0.0
    assert torch.equal(read(layer, torch.ones(ROWS, WIDTH), "int8")[:, 0], layer.bias[0].expand(ROWS))
    for value in (torch.nan, torch.inf):
        assert not read(layer, torch.full((1, WIDTH), value), "int8").isfinite().any()


def test_a_matrix_is_kept_rounded_and_whole_and_both_are_packed_anew() -> None:
    layer, vectors = a_layer(), torch.randn(ROWS, WIDTH)
    read(layer, vectors), read(layer, vectors, "int8")
    assert len(packed_of(layer)) == len(packed_of(layer, "int8")) == 1
    before = read(layer, vectors, "int8")
    learn(layer)
    after = read(layer, vectors, "int8")
    torch.testing.assert_close(after, layer(vectors).detach(), atol=0.05, rtol=0)
    assert not torch.allclose(after, before, atol=0.05)


def test_where_rounded_numbers_cannot_be_multiplied_they_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    layer, vectors = a_layer(), torch.randn(ROWS, WIDTH)
    monkeypatch.setattr(linear_module, "quantizable", lambda: False)
    assert torch.equal(read(layer, vectors, "int8"), read(layer, vectors))
    monkeypatch.setattr(linear_module, "whole", lambda: None)
    assert torch.equal(read(layer, vectors, "int8"), layer(vectors))


def test_a_processor_that_adds_in_sixteen_bits_gets_vectors_of_seven(monkeypatch: pytest.MonkeyPatch) -> None:
    multiply = linear_module._rounded_product

    def overflowing(vectors: Tensor, matrix: Any, bias: Tensor | None, steps: int) -> Tensor:
        product = multiply(vectors, matrix, bias, steps)
        return product if 2 * 127 * (2 * steps + 1) < 2**15 else product / 2

    linear_module._steps.cache_clear()
    monkeypatch.setattr(linear_module, "_rounded_product", overflowing)
    assert linear_module._steps() == 63
    layer, vectors = a_layer(), torch.randn(ROWS, WIDTH)
    torch.testing.assert_close(read(layer, vectors, "int8"), layer(vectors).detach(), atol=0.1, rtol=0)
    linear_module._steps.cache_clear()


def test_a_torch_without_the_product_is_known_by_trying(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any) -> Tensor:
        raise AttributeError("no such operator")

    linear_module._steps.cache_clear()
    monkeypatch.setattr(linear_module, "_rounded_product", missing)
    assert not quantizable()
    linear_module._steps.cache_clear()
