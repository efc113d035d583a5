import xml.etree.ElementTree as ET

import pytest
import torch

import regard
from regard import masks, positions, scores
from regard.attention import Record
from regard.errors import RegardError
from regard.viewing import arithmetic
from regard.viewing.reckoning import Projection

WORDS = ["the", "cat", "<end>"]
POSITIONS = {
    "none": None,
    "rotary": positions.Rotary(4),
    "relative": positions.Relative(reach=2, head_width=4),
    "alibi": positions.Alibi(2),
}


def watched(position: str = "none", mask: masks.Mask | None = None) -> tuple[Record, Projection]:
    attention = regard.MultiHeadAttention(8, heads=2, position=POSITIONS[position]).eval()
    torch.nn.init.normal_(attention.output_projection.bias)
    with torch.no_grad(), regard.watch(attention) as seen:
        output = attention(torch.randn(1, 3, 8), mask=mask)
    linear = attention.output_projection
    return seen["attention"], Projection(weight=linear.weight, bias=linear.bias, output=output[0, 1])


@pytest.mark.parametrize("position", POSITIONS)
def test_what_is_worked_out_is_what_the_model_made(position: str) -> None:
    record, projection = watched(position)
    drawn = arithmetic(record, query="cat", head=1, query_labels=WORDS, projection=projection)
    assert drawn.difference is not None
    assert drawn.difference < 1e-5
    assert [result.name for result in drawn.results][-1] == "the model’s own output"
    weights = torch.tensor([line.weight for line in drawn.lines])
    torch.testing.assert_close(weights, record.weights[0, 1, 1])
    exponentials = torch.tensor([line.numbers[-1] for line in drawn.lines])
    torch.testing.assert_close(exponentials / exponentials.sum(), weights)


def test_an_answer_that_is_not_the_sum_is_told() -> None:
    record, projection = watched()
    wrong = Projection(weight=projection.weight, bias=projection.bias, output=projection.output + 0.5)
    drawn = arithmetic(record, query=1, query_labels=WORDS, projection=wrong)
    assert drawn.difference == pytest.approx(0.5, abs=1e-5)
    assert drawn.results[-1].note == "largest difference 5e−01"


def test_each_step_has_its_numbers() -> None:
    record, _ = watched()
    drawn = arithmetic(record, query=2, query_labels=WORDS)
    assert drawn.steps == ("q·k", "÷ √4", "e^(s − max)")
    first = drawn.lines[0]
    product = sum(q * k for q, k in zip(drawn.query_vector, first.key, strict=True))
    assert first.numbers[:2] == pytest.approx((product, product / 2), abs=1e-5)
    brought = [sum(line.weight * line.value[at] for line in drawn.lines) for at in range(4)]
    assert drawn.results[0].vector == pytest.approx(brought, abs=1e-5)


def test_positions_that_add_to_the_score_have_a_step_of_their_own() -> None:
    record, _ = watched("alibi")
    assert "with position" in arithmetic(record, query=2, query_labels=WORDS).steps
    turned, _ = watched("rotary")
    assert arithmetic(turned, query=2, query_labels=WORDS).steps == ("q·k", "÷ √4", "e^(s − max)")


def test_what_is_masked_says_so() -> None:
    record, _ = watched(mask=masks.causal())
    drawn = arithmetic(record, query="cat", query_labels=WORDS)
    assert [line.masked for line in drawn.lines] == [False, False, True]
    assert drawn.lines[2].weight == 0
    assert drawn.text(width=120).count("masked") == 1


def test_another_score_is_shown_as_it_is() -> None:
    attention = regard.attention.Attention(score=scores.Additive(query_width=4, key_width=4, hidden_width=5))
    with torch.no_grad(), regard.watch(attention) as seen:
        attention(torch.randn(1, 1, 4), torch.randn(1, 3, 4))
    drawn = arithmetic(seen["attention"], query=0, query_labels=["chat"], key_labels=WORDS)
    assert drawn.steps == ("score", "e^(s − max)")
    assert drawn.difference is not None
    assert drawn.difference < 1e-5


def test_as_many_numbers_are_written_as_asked() -> None:
    record, _ = watched()
    few = arithmetic(record, query=0, query_labels=WORDS, written=2).text(width=150)
    every = arithmetic(record, query=0, query_labels=WORDS, written=8).text(width=150)
    assert " …" in few
    assert " …" not in every


def test_words_are_escaped_in_the_drawing() -> None:
    record, projection = watched()
    labels = ["</svg><script>", "cat", "<end>"]
    drawn = arithmetic(record, query=1, query_labels=labels, projection=projection).svg()
    texts = [each.text for each in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert "</svg><script>" in texts
    assert {"q·k", "÷ √4", "weight", "z = Σ weight · v", "k, the keys"} <= set(texts)


def test_what_is_not_there_is_refused() -> None:
    record, _ = watched()

    def message(**asked: object) -> str:
        with pytest.raises(RegardError) as caught:
            arithmetic(record, query_labels=WORDS, **{"query": 0, **asked})  # type: ignore[arg-type]
        return str(caught.value)

    assert message(head=2) == "head must be one of 0…1 in 'attention', but got 2."
    assert message(written=-1) == "written must be 0 or more numbers, but got -1."
    assert message(query="dog") == ("queries of 'attention' are 'the' 'cat' '<end>', but 'dog' is asked for.")
