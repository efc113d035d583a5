import math

import pytest

from regard.errors import DataError
from regard.translation import bleu, chrf, evaluate, force, loss, worst
from tests.translation.taught import a_translator, every_pair

PAIRS = [(pair.source, pair.target) for pair in every_pair()[::7]]


def test_bleu_is_that_of_the_formula() -> None:
    """Precisions 4/5 and 2/4; then none of 3 and none of 2, smoothed to 1/2 and 1/4 of one."""
    expected = 100 * (4 / 5 * 2 / 4 * 1 / 2 / 3 * 1 / 4 / 2) ** 0.25
    assert bleu(["the red cat reads ."], ["the red dog reads ."]).value == pytest.approx(expected)


def test_a_score_carries_its_signature() -> None:
    score = bleu(["le chat dort"], ["le chat dort"])
    assert score.signature.startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")
    assert str(chrf(["le chat"], ["le chat"])).startswith(
        "chrF 100.00 (nrefs:1|case:mixed|eff:yes|nc:6|nw:0|"
    )


def test_chinese_is_scored_by_characters_and_says_so() -> None:
    score = bleu(["看小猫，它很可爱"], ["看小猫，它好可爱"])
    assert "|tok:zh|" in score.signature
    assert 0 < score.value < 100
    assert "|tok:char|" in bleu(["猫"], ["猫"], tokenization="char").signature


def test_an_unknown_tokenization_is_refused() -> None:
    with pytest.raises(DataError) as caught:
        bleu(["a"], ["a"], tokenization="13b")
    assert str(caught.value) == ("tokenization must be one of 13a, zh, intl, char, none, but got '13b'.")


def test_lines_that_do_not_belong_together_are_refused() -> None:
    for score in (bleu, chrf):
        with pytest.raises(DataError) as caught:
            score(["a", "b"], ["a"])
        assert str(caught.value) == (
            "translations and references must be as many lines, but there are 2 and 1: "
            "line by line they would not belong together."
        )
        with pytest.raises(DataError) as caught:
            score([], [])
        assert str(caught.value) == "there is nothing to score: no reference is given."
    with pytest.raises(DataError) as caught:
        worst(["a"], ["a", "b"], ["a", "b"])
    assert str(caught.value) == (
        "sources and references must be as many lines, but there are 1 and 2: "
        "line by line they would not belong together."
    )


def test_the_worst_are_shown_side_by_side() -> None:
    shown = worst(
        ["1", "2", "3"], ["le chat dort", "??", "le chien"], ["le chat dort", "le roi", "le chat"], count=2
    )
    assert [compared.source for compared in shown] == ["2", "3"]
    assert (shown[0].translation, shown[0].reference, shown[0].chrf) == ("??", "le roi", 0.0)


def test_the_loss_is_the_mean_over_all_tokens_whatever_the_batches() -> None:
    translator = a_translator()
    sources, references = zip(*[*PAIRS, ("the cat", "le chat")], strict=True)
    encode = translator.tokenizer.source.encode
    chances = [
        chance
        for source, reference in zip(sources, references, strict=True)
        for chance in force(translator.model, [encode(source)], [encode(reference)])[0]
    ]
    assert loss(translator, sources, references) == pytest.approx(-sum(chances) / len(chances), rel=1e-5)


def test_an_evaluation_holds_translations_to_references() -> None:
    evaluation = evaluate(a_translator(), PAIRS, show=3)
    assert evaluation.bleu.value == pytest.approx(100)
    assert evaluation.chrf.value == pytest.approx(100)
    assert evaluation.sentences == len(PAIRS)
    assert evaluation.perplexity == pytest.approx(math.exp(evaluation.loss))
    assert evaluation.perplexity < 1.5
    assert evaluation.cut == 0
    assert evaluation.seconds > 0
    assert len(evaluation.worst) == 3
    wrong = evaluate(a_translator(), [("the red cat reads .", "il pleut ."), *PAIRS], show=1)
    assert wrong.worst[0].reference == "il pleut ."
    assert wrong.bleu.value < 100


def test_without_pairs_there_is_nothing_to_evaluate() -> None:
    with pytest.raises(DataError) as caught:
        evaluate(a_translator(), [])
    assert str(caught.value) == "there is nothing to evaluate: no sentence pair is given."
