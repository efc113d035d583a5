"""Batched products where torch has two ways to take them."""

import pytest
import torch

from regard import masks
from regard.attention import multiplied
from regard.attention.attending import ask
from regard.attention.definition import attend_by_definition
from regard.attention.masks import Mask
from regard.attention.multiplied import FEWEST_PRODUCTS, attend_multiplied
from tests.attention.mechanisms import assert_nearly

HEAD_WIDTH = 61


@pytest.mark.parametrize("keys", [1, 6, 7, 23])
@pytest.mark.parametrize("mask", [None, masks.lengths([1, 2, 3])], ids=["all", "lengths"])
def test_one_query_of_few_keys_hears_what_the_definition_says(keys: int, mask: Mask | None) -> None:
    assert 6 * HEAD_WIDTH < FEWEST_PRODUCTS < 7 * HEAD_WIDTH
    queries, (others, values) = torch.randn(3, 5, 1, HEAD_WIDTH), torch.randn(2, 3, 5, keys, HEAD_WIDTH)
    mask = None if keys < 3 else mask
    with torch.no_grad():
        call = ask(queries, others, values, mask=mask)
        assert_nearly(attend_multiplied(call), attend_by_definition(call))


def test_few_keys_are_multiplied_without_batched_products(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a batched product")

    monkeypatch.setattr(multiplied.torch, "baddbmm", refused)
    queries, (keys, values) = torch.randn(3, 5, 1, HEAD_WIDTH), torch.randn(2, 3, 5, 7, HEAD_WIDTH)
    with torch.no_grad():
        attend_multiplied(ask(queries, keys[..., :6, :], values[..., :6, :]))
        with pytest.raises(AssertionError):
            attend_multiplied(ask(queries, keys, values))
