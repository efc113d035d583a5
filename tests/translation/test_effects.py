import math

import pytest

from regard.attention import KnockOut, intervene
from regard.errors import DataError
from regard.translation import effects, force, reckon
from tests.translation.some import KINDS
from tests.translation.taught import a_translator
from tests.translation.test_looking import PAIR, untaught


def test_an_effect_is_the_change_in_log_probability_without_the_head() -> None:
    translator = a_translator()
    found = effects(translator, *PAIR)
    assert {name: len(of_heads) for name, of_heads in found.items()} == {
        "encoder.0.self": 2,
        "decoder.0.self": 2,
        "decoder.0.cross": 2,
    }
    tokens = [translator.tokenizer.source.encode(PAIR[0])], [translator.tokenizer.target.encode(PAIR[1])]
    whole = math.fsum(force(translator.model, *tokens)[0])
    with intervene(translator.model, {"decoder.0.cross": KnockOut(heads=[1])}):
        without = math.fsum(force(translator.model, *tokens)[0])
    assert found["decoder.0.cross"][1] == pytest.approx(without - whole)
    assert min(found["decoder.0.cross"]) < -1  # what it was taught comes through these heads
    assert effects(translator, PAIR[0]) == found  # its own translation is this one


@pytest.mark.parametrize("kind", KINDS)
def test_every_model_has_effects_and_arithmetic(kind: str) -> None:
    translator = untaught(kind)
    found = effects(translator, *PAIR)
    for name in found:
        drawn = reckon(translator, *PAIR, name=name, word=1)
        assert drawn.difference is not None
        assert drawn.difference < 1e-4


def test_the_arithmetic_of_a_word_is_that_of_the_row_that_writes_it() -> None:
    translator = a_translator()
    drawn = reckon(translator, *PAIR, name="decoder.0.cross", head=1, word="chat")
    seen = translator.look(*PAIR)["decoder.0.cross"].head(1).at(queries="chat")
    assert [line.weight for line in drawn.lines] == pytest.approx(seen.weights[0].tolist(), abs=1e-6)
    assert [line.label.shown for line in drawn.lines] == ["the", "red", "cat", "reads", ".", "<end>"]
    assert drawn.title == "decoder.0.cross · head 1 · writing chat"
    assert drawn.results[-1].name == "the model’s own output"
    assert drawn.difference is not None
    assert drawn.difference < 1e-5
    read = reckon(translator, *PAIR, name="encoder.0.self", word="cat")
    assert read.title == "encoder.0.self · head 0 · reading cat"


def test_there_must_be_something_to_look_at() -> None:
    for ask in (lambda: effects(a_translator(), " "), lambda: reckon(a_translator(), "", name="x")):
        with pytest.raises(DataError) as caught:
            ask()
        assert str(caught.value) == "there is nothing to look at: the source is empty."
