import torch

import regard
from regard import scores
from regard.worked.dot_products import cross, good, identity, tokens


def close(found: torch.Tensor, expected: list[list[float]], places: int) -> None:
    torch.testing.assert_close(found, torch.tensor(expected).to(found), rtol=0.0, atol=0.5 * 10**-places)


def test_i_am_good_becomes_the_numbers_of_the_text() -> None:
    close(
        good().output,
        [[1.0, 2.957691, 2.011295], [1.0, 1.540148, 2.722573], [1.0, 2.864164, 2.000000]],
        places=6,
    )
    close(good().weights, [[0.976, 0.018, 0.007], [0.268, 0.727, 0.005], [0.909, 0.045, 0.045]], places=3)
    torch.testing.assert_close(regard.attend(good().queries, score=scores.Dot()), good().output)


def test_five_tokens_get_the_weights_of_the_text() -> None:
    close(tokens().weights[:1], [[0.2976, 0.1095, 0.1805, 0.1805, 0.2318]], places=4)
    close(tokens().weights[-1:], [[0.2374, 0.1440, 0.2374, 0.1440, 0.2374]], places=4)


def test_the_fifth_token_looks_equally_at_the_first_third_and_fifth() -> None:
    last = tokens().weights[-1]
    torch.testing.assert_close(last[[0, 2, 4]], last[[0, 0, 0]])
    assert last[0] > last[1]


def test_each_english_word_becomes_mostly_the_chinese_word_of_its_meaning() -> None:
    explanation = cross()
    assert explanation.weights.shape == (3, 3)
    assert explanation.weights.argmax(dim=-1).tolist() == [0, 1, 2]
    by_hand = (explanation.queries @ explanation.keys.mT).softmax(dim=-1) @ explanation.keys
    torch.testing.assert_close(explanation.output, by_hand)


def test_one_head_with_identity_projections_is_plain_attention() -> None:
    plain, head = identity()
    torch.testing.assert_close(head, plain, rtol=0.0, atol=1e-15)
    assert plain.abs().sum() > 1
