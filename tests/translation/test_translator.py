import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.errors import DataError, RecipeError
from regard.text import Tokenizer
from regard.translation import Sampling, SearchSettings, Translator, force, search
from tests.translation.some import a_model
from tests.translation.taught import ADJECTIVES, NOUNS, VERBS, a_translator, every_pair

SHORT = SearchSettings(beam=2, longest_ratio=1.0, longest_slack=3)
ANYTHING = st.text() | st.text("the cat.\n 猫。é\r\u2028\ud800<end>")


def an_untaught_one(**settings: int) -> Translator:
    """It writes bytes at random, which is what a caller must be protected from."""
    tokenizer = Tokenizer.train([("the cat", "le chat")] * 3)
    return Translator(a_model("transformer", len(tokenizer.source)), tokenizer, **settings)


def test_texts_are_translated_in_order() -> None:
    pairs = every_pair()[::3]
    translations = a_translator().translate([pair.source for pair in pairs])
    assert [translation.text for translation in translations] == [pair.target for pair in pairs]
    assert [translation.source for translation in translations] == [pair.source for pair in pairs]


def test_a_translation_says_how_sure_each_word_is() -> None:
    (translation,) = a_translator().translate(["the sad king sings ."], beam=1)
    assert [word.text for word in translation.words] == ["le", "roi", "triste", "chante", "."]
    assert translation.pieces == (" le", " roi", " triste", " chante", " .")
    assert all(0.5 < word.confidence <= 1 for word in translation.words)
    encode = a_translator().tokenizer.source.encode
    forced = force(a_translator().model, [encode("the sad king sings .")], [encode(translation.text)])[0]
    assert translation.log_probability == pytest.approx(sum(forced), abs=1e-5)
    assert [word.confidence for word in translation.words] == pytest.approx(
        torch.tensor(forced[:-1]).exp().tolist(), abs=1e-5
    )
    assert translation.warnings == ()


def test_a_word_of_several_tokens_has_their_geometric_mean() -> None:
    translator = an_untaught_one()
    (translation,) = translator.translate(["the cat"], settings=SHORT)
    vocabulary = translator.tokenizer.target
    (best,) = search(translator.model, [translator.tokenizer.source.encode("the cat")], SHORT)[0]
    grouped = vocabulary.words(best.tokens)
    assert any(len(word.tokens) > 1 for word in grouped)
    for word, sure in zip(grouped, translation.words, strict=True):
        probability = math.exp(sum(best.token_log_probabilities[place] for place in word.tokens))
        assert sure.confidence == pytest.approx(probability ** (1 / len(word.tokens)))


def test_alternatives_are_other_texts_the_likeliest_first() -> None:
    (translation,) = a_translator().translate(["the red dog reads ."], alternatives=4)
    texts = [translation.text, *(other.text for other in translation.alternatives)]
    assert len(texts) == len({*texts}) == 5
    chances = [translation.log_probability, *(other.log_probability for other in translation.alternatives)]
    means = [chance / (len(text.split()) + 1) for chance, text in zip(chances, texts, strict=True)]
    assert means == sorted(means, reverse=True)


def test_a_translation_begins_as_asked() -> None:
    translator = a_translator()
    (translation,) = translator.translate(["the red dog reads ."], prefixes=["le chat "])
    assert translation.text.startswith("le chat ")
    (free,) = translator.translate(["the red dog reads ."], prefixes=[""])
    assert free.text == "le chien rouge lit ."


def test_a_sentence_is_one_line_whatever_the_model_writes() -> None:
    (translation,) = a_translator().translate(["the red dog reads ."], prefixes=["le\r\n\nchat\rchat"])
    assert translation.text.startswith("le chat chat")


def test_white_space_around_a_text_stays_and_a_blank_text_stays_blank() -> None:
    translator = a_translator()
    texts = ["", " \t ", "\n\n", "  the red dog reads . \r"]
    translations = translator.translate(texts)
    assert [translation.text for translation in translations] == [*texts[:3], "  le chien rouge lit . \r"]
    assert all(translation.pieces == () for translation in translations[:3])
    assert translator.translate([]) == []


def test_several_lines_are_translated_line_by_line() -> None:
    (translation,) = a_translator().translate(["the red dog reads .\n\n\tthe sad king sings .\n"])
    assert translation.text == "le chien rouge lit .\n\n\tle roi triste chante .\n"
    assert [part.text for part in translation.parts] == ["le chien rouge lit .", "le roi triste chante ."]
    assert [word.text for word in translation.words[:3]] == ["le", "chien", "rouge"]


def test_a_long_text_is_translated_sentence_by_sentence() -> None:
    taught = a_translator()
    translator = Translator(taught.model, taught.tokenizer, longest_sentence=8)
    texts = ["the red dog reads .", "the red dog reads .  the sad king sings . the calm cat runs ."]
    short, long = translator.translate(texts, alternatives=2)
    assert short.parts == ()
    assert long.text == "le chien rouge lit .  le roi triste chante . le chat calme court ."
    assert len(long.parts) == 3
    assert long.alternatives[1].text.split("  ")[0] == long.parts[0].alternatives[1].text
    assert long.log_probability == pytest.approx(sum(part.log_probability for part in long.parts))


def test_a_sentence_that_goes_on_and_on_is_cut_in_parts() -> None:
    taught = a_translator()
    translator = Translator(taught.model, taught.tokenizer, longest_sentence=8)
    (translation,) = translator.translate(["the red dog reads " * 20])
    assert [part.source for part in translation.parts] == ["the red dog reads the red dog reads"] * 10


def test_a_translation_does_not_depend_on_the_texts_beside_it() -> None:
    translator = an_untaught_one(tokens_per_batch=50)
    texts = [f"{'the ' * (number % 5)}cat {number}" for number in range(40)]
    for asked in (SHORT, SearchSettings(sampling=Sampling(seed=5), longest_ratio=1.0)):
        together = translator.translate(texts, settings=asked)
        for number in range(0, 40, 9):
            (alone,) = translator.translate([texts[number]], settings=asked)
            assert alone.pieces == together[number].pieces
            assert alone.log_probability == pytest.approx(together[number].log_probability, abs=1e-3)


def test_another_engine_goes_without_processes() -> None:
    class Silent:
        def search(self, sources: Any, settings: Any, *, prefixes: Any) -> Any:
            raise AssertionError

    with pytest.raises(RecipeError) as caught:
        Translator(a_translator().model, a_translator().tokenizer, engine=Silent(), processes=2)
    assert str(caught.value) == (
        "processes must be left out where another engine searches, but got 2: it has threads of its own."
    )


def test_a_wide_beam_searches_fewer_sentences_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    translator = an_untaught_one(tokens_per_batch=50)
    held: list[int] = []

    def counting(model: Any, sources: list[list[int]], settings: SearchSettings, **others: Any) -> Any:
        held.append(len(sources))
        return search(model, sources, settings, **others)

    monkeypatch.setattr("regard.translation.workers.search", counting)
    texts = [f"cat {number}" for number in range(40)]
    translator.translate(texts, settings=replace(SHORT, beam=2))
    usual = max(held)
    held.clear()
    translator.translate(texts, settings=replace(SHORT, beam=64))
    assert 3 * max(held) <= usual


def test_five_hundred_sentences_do_not_depend_on_one_another_in_a_taught_model() -> None:
    taught = a_translator()
    words = ["the", *ADJECTIVES, *NOUNS, *VERBS, "."]
    drawn = torch.randint(len(words), (500, 9)).tolist()
    texts = [" ".join(words[word] for word in row[: 2 + place % 8]) for place, row in enumerate(drawn)]
    together = taught.translate(texts)
    few = Translator(taught.model, taught.tokenizer, tokens_per_batch=200)
    order = torch.randperm(500).tolist()
    apart = few.translate([texts[place] for place in order])
    for place, translation in zip(order, apart, strict=True):
        assert translation.text == together[place].text
        assert translation.log_probability == pytest.approx(together[place].log_probability, abs=1e-4)
    for place in order[:20]:
        assert taught.translate([texts[place]])[0].text == together[place].text


def test_a_sentence_asked_twice_is_translated_once() -> None:
    translator = an_untaught_one()
    first, second, third = translator.translate(["the cat", "a dog", " the cat"], settings=SHORT)
    assert third.text == f" {first.text}"
    assert first != second


@settings(max_examples=12)
@given(st.lists(ANYTHING, max_size=5))
def test_any_text_gets_one_translation_and_a_line_stays_a_line(texts: list[str]) -> None:
    translator = an_untaught_one(longest_sentence=20)
    assert len(translator.translate(texts, settings=SHORT)) == len(texts)
    lines = [*translator.translate_lines(texts, settings=SHORT, window=2)]
    assert len(lines) == len(texts)
    assert not any("\n" in line.text for line in lines)


def test_lines_are_taken_only_as_fast_as_they_are_translated() -> None:
    taken = []

    def lines() -> Iterator[str]:
        for number in range(10):
            taken.append(number)
            yield f"the cat {number}\n"

    stream = an_untaught_one().translate_lines(lines(), settings=SHORT, window=3)
    next(stream)
    assert taken == [0, 1, 2]
    assert len([*stream]) == 9


def test_a_line_and_its_end_stay_together() -> None:
    lines = ["the red dog reads .\n", "\n", "the sad king sings .\r\n", "the calm cat runs ."]
    translations = a_translator().translate_lines(lines)
    assert [translation.text for translation in translations] == [
        "le chien rouge lit .",
        "",
        "le roi triste chante .\r",
        "le chat calme court .",
    ]


def test_characters_the_vocabulary_does_not_hold_are_named() -> None:
    (translation,) = a_translator().translate(["the red 猫 reads é\ud800 ."])
    assert translation.unknown == ("猫", "é", "\ufffd")
    assert translation.source == "the red 猫 reads é\ufffd ."


def test_what_is_written_again_and_again_is_named_unless_the_source_does_so() -> None:
    translator = a_translator()
    prefix = "le chat chat chat chat"
    at_once = SearchSettings(beam=1, longest_ratio=0.1, longest_slack=0)
    sources = ["the red cat reads .", "the cat cat cat reads .", "the cat cat cat cat reads ."]
    translations = translator.translate(sources, prefixes=[prefix] * 3, settings=at_once)
    assert [translation.repeated for translation in translations] == [("chat", 4), ("chat", 4), None]


def test_a_translation_that_was_cut_says_so() -> None:
    (translation,) = a_translator().translate(
        ["the red cat reads ."], settings=SearchSettings(beam=1, longest_ratio=0.0, longest_slack=2)
    )
    assert translation.cut
    assert translation.text == "le chat"
    assert translation.warnings == ("The translation was cut at its greatest length.",)


def test_rivals_are_told_as_pieces() -> None:
    places = a_translator().rivals("the red cat reads .", "le chat rouge lit .", count=2)
    assert [place[0].piece for place in places] == [" le", " chat", " rouge", " lit", " .", "<end>"]
    assert all(first.probability > second.probability for first, second in places)


def test_what_cannot_be_translated_is_refused() -> None:
    translator = a_translator()
    with pytest.raises(DataError) as caught:
        translator.translate("the cat")
    assert str(caught.value) == "texts must be a list of texts, but got one text. Write translate([text])."
    with pytest.raises(DataError) as caught:
        translator.translate(["the cat", None])  # type: ignore[list-item]
    assert str(caught.value) == "a text must be a string, but got None."
    with pytest.raises(DataError) as caught:
        translator.translate(["the cat"], prefixes=[])
    assert str(caught.value) == "prefixes must be one for each of 1 text, but got 0."
    with pytest.raises(RecipeError) as caught:
        [*translator.translate_lines([], window=0)]
    assert str(caught.value) == "window must be at least 1 line, but got 0."


def test_a_model_and_a_tokenizer_of_different_runs_are_refused() -> None:
    tokenizer = a_translator().tokenizer
    with pytest.raises(RecipeError) as caught:
        Translator(a_model("transformer", 23), tokenizer)
    assert str(caught.value) == (
        f"the model knows 23 source tokens, but the tokenizer has {len(tokenizer.source)}. "
        "Take both from one run."
    )
    with pytest.raises(RecipeError) as caught:
        Translator(a_translator().model, tokenizer, longest_sentence=7)
    assert str(caught.value) == "longest_sentence must be at least 8 tokens, but got 7."
