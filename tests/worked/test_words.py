import pytest
import torch

from regard.errors import RegardError
from regard.worked import made_up_vectors


def test_a_word_has_the_same_vector_wherever_it_stands() -> None:
    first = made_up_vectors(["the", "cat"])
    second = made_up_vectors(["cat", "sees", "the"])
    assert torch.equal(first[0], second[2])
    assert torch.equal(first[1], second[0])


def test_different_words_have_different_vectors() -> None:
    vectors = made_up_vectors(["the", "cat", "小猫", "可爱", "\ud800", ""], width=7)
    assert vectors.shape == (6, 7)
    assert len({tuple(vector) for vector in vectors.tolist()}) == 6
    assert vectors.abs().max() <= 2


def test_a_width_that_no_hash_fills_is_refused() -> None:
    with pytest.raises(RegardError) as caught:
        made_up_vectors(["cat"], width=33)
    assert str(caught.value) == "made-up vectors are 1 to 32 wide, but 33 was asked for."
