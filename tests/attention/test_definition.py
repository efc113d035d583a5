"""The definition itself, step by step."""

import torch

from regard import masked_softmax, masks, scores
from regard.attention.definition import Call, attend_by_definition, weigh_by_definition
from tests.attention.mechanisms import assert_nearly


def test_masked_softmax_leaves_its_scores_alone() -> None:
    given = torch.randn(2, 3, 5)
    before = given.clone()
    masked_softmax(given, torch.zeros(3, 5, dtype=torch.bool))
    assert torch.equal(given, before)


def test_a_constant_added_to_a_row_of_scores_changes_nothing() -> None:
    given = torch.randn(2, 3, 5, dtype=torch.float64)
    assert_nearly(masked_softmax(given + torch.randn(2, 3, 1, dtype=torch.float64)), masked_softmax(given))


def test_what_is_kept_may_spread_over_any_axis() -> None:
    given = torch.randn(2, 3, 5)
    column = torch.tensor([True, False, True, True, False])
    row = torch.tensor([[True], [False], [True]])
    assert (masked_softmax(given, column)[..., ~column] == 0).all()
    assert (masked_softmax(given, row)[:, 1] == 0).all()


def test_shared_key_heads_are_repeated_for_neighbouring_queries() -> None:
    keys, values = torch.randn(2, 7, 2, 5, 4).unbind(dim=2)[0], torch.randn(2, 7, 5, 4)
    queries = torch.randn(2, 14, 3, 4)
    call = Call(queries=queries, keys=keys, values=values, score=scores.Dot())
    assert call.sharing == 2
    for head in range(14):
        one = Call(
            queries=queries[:, head], keys=keys[:, head // 2], values=values[:, head // 2], score=scores.Dot()
        )
        assert_nearly(attend_by_definition(call)[:, head], attend_by_definition(one))
        assert_nearly(weigh_by_definition(call)[:, head], weigh_by_definition(one))


def test_the_unheard_are_zeros_and_the_heard_as_they_were() -> None:
    keys = torch.randn(2, 5, 4)
    call = Call(
        queries=torch.randn(2, 3, 4), keys=keys, values=keys, score=scores.Dot(), mask=masks.lengths([2, 5])
    )
    heard = call.without_the_unheard(call.keep())
    assert (heard.keys[0, 2:] == 0).all()
    assert torch.equal(heard.keys[0, :2], keys[0, :2])
    assert torch.equal(heard.values[1], keys[1])
