import torch

import regard
from regard import masks
from regard.worked.masking import additive, lengths, scores_2_2_4


def test_beyond_its_length_a_sample_has_weights_of_zero_and_rows_still_sum_to_one() -> None:
    weights = lengths().weights
    assert weights.shape == (2, 2, 4)
    assert weights[0, :, 2:].eq(0).all()
    assert weights[1, :, 3:].eq(0).all()
    assert weights[0, :, :2].gt(0).all()
    assert weights[1, :, :3].gt(0).all()
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 2).double())


def test_the_masked_softmax_by_itself_gives_these_weights() -> None:
    keep = masks.lengths([2, 3]).keep((2, 2, 4))
    torch.testing.assert_close(lengths().weights, regard.masked_softmax(scores_2_2_4(), keep))


def test_equal_keys_bring_back_the_mean_of_the_values_that_may_be_seen() -> None:
    expected = torch.tensor([[[2.0, 3.0, 4.0, 5.0]], [[10.0, 11.0, 12.0, 13.0]]]).double()
    torch.testing.assert_close(additive().output, expected, rtol=1e-15, atol=0.0)
    assert additive().output.round(decimals=12).equal(expected)


def test_working_it_out_leaves_the_callers_random_numbers_alone() -> None:
    before = torch.random.get_rng_state()
    additive()
    assert torch.equal(torch.random.get_rng_state(), before)
