from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.attention import linear as linear_module
from regard.attention.linear import available, laid_out, linear, through

OUT, WIDTH, ROWS = 13, 7, 5


@pytest.fixture(autouse=True)
def _even_small_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_module, "LEAST", 1)


def a_layer() -> nn.Linear:
    return nn.Linear(WIDTH, OUT)


def read(layer: nn.Linear, vectors: Tensor) -> Tensor:
    with torch.no_grad(), laid_out(layer):
        return through(layer, vectors)


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


def test_what_is_packed_is_kept_and_goes_with_its_model() -> None:
    layer, vectors = a_layer(), torch.randn(ROWS, WIDTH)
    read(layer, vectors)
    kept = linear_module._kept[layer]
    (packed,) = kept._packed.values()
    read(layer, vectors)
    assert linear_module._kept[layer]._packed == {(id(layer.weight), 0, OUT): packed}
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
    monkeypatch.setattr(linear_module, "available", lambda: False)
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
    assert available() == torch.backends.mkldnn.is_available()


def test_inference_mode_packs_parameters_and_leaves_its_own_as_they_lie() -> None:
    layer, vectors = a_layer(), torch.randn(ROWS, WIDTH)
    with torch.inference_mode(), laid_out(layer):
        torch.testing.assert_close(through(layer, vectors), F.linear(vectors, layer.weight, layer.bias))
    assert len(linear_module._kept[layer]._packed) == 1
    with torch.inference_mode():
        other = a_layer()
        with laid_out(other):
            assert torch.equal(through(other, vectors), F.linear(vectors, other.weight, other.bias))
    assert not linear_module._kept[other]._packed


def test_a_small_matrix_is_read_as_it_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_module, "LEAST", OUT * WIDTH + 1)
    layer, vectors = a_layer(), torch.randn(ROWS, WIDTH)
    assert torch.equal(read(layer, vectors), layer(vectors))
    assert not linear_module._kept[layer]._packed
