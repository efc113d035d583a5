"""oneDNN's products in place of torch's own, as on a processor where MKL is slow."""

import inspect
from collections.abc import Callable, Iterator

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd import forward_ad

from regard.attention import products
from regard.attention.linear import through
from regard.attention.products import product, times

OUT, WIDTH, ROWS = 13, 7, 5

pytestmark = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch has no oneDNN here")


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, ...]]]:
    """Every product is worth handing over; the shapes of what was."""
    found: list[tuple[int, ...]] = []
    multiply = products._by_onednn

    def counted(vectors: Tensor, matrix: Tensor, bias: Tensor | None) -> Tensor:
        found.append((*vectors.shape, *matrix.shape))
        return multiply(vectors, matrix, bias)

    products.hands_over.cache_clear()
    monkeypatch.setattr(products, "slows_mkl", lambda: True)
    monkeypatch.setattr(products, "FEWEST", 1)
    monkeypatch.setattr(products, "FEWEST_LEARNING", 1)
    assert products.hands_over()
    monkeypatch.setattr(products, "_by_onednn", counted)
    yield found
    products.hands_over.cache_clear()


def some(*shape: int, learned: bool = False) -> Tensor:
    return torch.randn(*shape, requires_grad=learned)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("out", [OUT, 3])
@pytest.mark.parametrize("shape", [(ROWS,), (1,), (2, 3)])
def test_products_and_their_gradients_are_those_of_torch(
    handed: list[tuple[int, ...]], shape: tuple[int, ...], out: int, bias: bool
) -> None:
    vectors, matrix = some(*shape, WIDTH, learned=True), some(out, WIDTH, learned=True)
    added = some(out, learned=True) if bias else None
    inputs = [one for one in (vectors, matrix, added) if one is not None]
    weight = torch.randn(*shape, out)

    found, expected = times(vectors, matrix, added), F.linear(vectors, matrix, added)

    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(
        torch.autograd.grad((found * weight).sum(), inputs),
        torch.autograd.grad((expected * weight).sum(), inputs),
    )
    assert len(handed) == 3  # forward, and one for each of both factors


@pytest.mark.parametrize("learned", [(True, False), (False, True)])
def test_a_factor_that_learns_nothing_costs_no_product(
    handed: list[tuple[int, ...]], learned: tuple[bool, bool]
) -> None:
    vectors, matrix = some(ROWS, WIDTH, learned=learned[0]), some(OUT, WIDTH, learned=learned[1])
    times(vectors, matrix).sum().backward()
    assert len(handed) == 2
    assert (vectors.grad is not None, matrix.grad is not None) == learned


def test_gradients_have_gradients(handed: list[tuple[int, ...]]) -> None:
    vectors, matrix = some(ROWS, WIDTH, learned=True), some(OUT, WIDTH, learned=True)

    def curvature(multiply: Callable[[Tensor, Tensor], Tensor]) -> tuple[Tensor, ...]:
        answer = multiply(vectors, matrix).tanh().sum()
        first = torch.autograd.grad(answer, (vectors, matrix), create_graph=True)
        return torch.autograd.grad(sum(one.square().sum() for one in first), (vectors, matrix))

    torch.testing.assert_close(curvature(times), curvature(F.linear))
    assert len(handed) > 3


def test_where_no_gradients_are_wanted_the_answer_has_none(handed: list[tuple[int, ...]]) -> None:
    vectors, matrix = some(ROWS, WIDTH), some(OUT, WIDTH, learned=True)
    with torch.no_grad():
        found = times(vectors, matrix)
    assert not found.requires_grad
    assert handed == [(ROWS, WIDTH, OUT, WIDTH)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("added", [True, False])
def test_a_product_goes_to_its_place(handed: list[tuple[int, ...]], dtype: torch.dtype, added: bool) -> None:
    left, right = some(ROWS, WIDTH), some(OUT, WIDTH).mT
    before = torch.randn(ROWS, OUT, dtype=dtype)
    place = before.clone()

    assert product(left, right, place, added=added) is place

    torch.testing.assert_close(place, (left @ right).to(dtype) + (before if added else 0.0))
    assert len(handed) == (dtype is torch.float32)


@pytest.mark.parametrize("rows", [ROWS, 50])
def test_a_factor_that_lies_in_columns_is_multiplied_as_well(
    handed: list[tuple[int, ...]], rows: int
) -> None:
    left, right = some(WIDTH, rows).mT, some(WIDTH, OUT)
    found = product(left, right, torch.empty(rows, OUT))
    torch.testing.assert_close(found, left @ right)
    # Of two factors that must be copied the smaller one is the one that oneDNN copies.
    assert handed == [(ROWS, WIDTH, OUT, WIDTH) if rows == ROWS else (OUT, WIDTH, rows, WIDTH)]


def test_a_product_that_may_stand_elsewhere_leaves_its_place_alone(handed: list[tuple[int, ...]]) -> None:
    left, right, place = some(ROWS, WIDTH), some(WIDTH, OUT), torch.full((ROWS, OUT), 3.0)
    found = product(left, right, place, elsewhere=True)
    torch.testing.assert_close(found, left @ right)
    assert (place == 3.0).all()
    double = product(left.double(), right.double(), place.double(), elsewhere=True)
    torch.testing.assert_close(double, left.double() @ right.double())


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")  # by forward_ad
def test_what_stands_between_keeps_products_where_they_are(handed: list[tuple[int, ...]]) -> None:
    vectors, matrix = some(ROWS, WIDTH), some(OUT, WIDTH)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert times(vectors, matrix).dtype is torch.bfloat16
    torch.testing.assert_close(torch.vmap(lambda one: times(one, matrix))(vectors), vectors @ matrix.mT)
    with forward_ad.dual_level():
        dual = times(forward_ad.make_dual(vectors, torch.ones_like(vectors)), matrix)
        torch.testing.assert_close(forward_ad.unpack_dual(dual).tangent, torch.ones_like(vectors) @ matrix.mT)
    assert times(vectors.double(), matrix.double()).dtype is torch.float64
    assert times(vectors[0], matrix).shape == (OUT,)
    assert handed == []


def test_small_products_stay_where_they_are(
    handed: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(products, "FEWEST", ROWS * WIDTH * OUT)
    monkeypatch.setattr(products, "FEWEST_LEARNING", ROWS * WIDTH * OUT + 1)
    vectors, matrix = some(ROWS, WIDTH), some(OUT, WIDTH, learned=True)
    times(vectors, matrix)
    assert handed == []
    with torch.no_grad():
        times(vectors, matrix)
    assert len(handed) == 1


def test_a_layer_hands_its_product_over_while_it_learns(handed: list[tuple[int, ...]]) -> None:
    layer, vectors, heard = nn.Linear(WIDTH, OUT), some(ROWS, WIDTH), []
    torch.testing.assert_close(through(layer, vectors), F.linear(vectors, layer.weight, layer.bias))
    assert len(handed) == 1
    layer.register_forward_hook(lambda *call: heard.append(call[2]))
    through(layer, vectors)
    assert (len(handed), len(heard)) == (1, 1)


def test_where_mkl_is_fast_everything_is_torchs_own(monkeypatch: pytest.MonkeyPatch) -> None:
    products.hands_over.cache_clear()
    monkeypatch.setattr(products, "slows_mkl", lambda: False)
    assert not products.hands_over()
    products.hands_over.cache_clear()


@pytest.mark.parametrize("wrong", [AttributeError, RuntimeError, TypeError, NotImplementedError, None])
def test_an_operator_that_is_missing_or_answers_otherwise_is_not_asked(
    monkeypatch: pytest.MonkeyPatch, wrong: type[Exception] | None
) -> None:
    def broken(vectors: Tensor, matrix: Tensor, bias: Tensor | None) -> Tensor:
        if wrong is not None:
            raise wrong("no such operator")
        return F.linear(vectors, matrix)

    assert [*inspect.signature(broken).parameters] == [*inspect.signature(products._by_onednn).parameters]
    products.hands_over.cache_clear()
    monkeypatch.setattr(products, "slows_mkl", lambda: True)
    monkeypatch.setattr(products, "_by_onednn", broken)
    assert not products.hands_over()
    products.hands_over.cache_clear()
