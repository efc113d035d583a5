import json

import pytest
import torch

from regard.attention import watch
from regard.errors import DataError
from regard.text import END, Batch, Tokenizer, Vocabulary
from regard.translation import SearchSettings, Translator, search
from regard.translation.looking import given_words, maps_of
from tests.translation.some import KINDS, a_model
from tests.translation.taught import a_translator

PAIR = ("the red cat reads .", "le chat rouge lit .")


def untaught(kind: str) -> Translator:
    tokenizer = Tokenizer.train([PAIR] * 3, least_count=4)
    return Translator(a_model(kind, len(tokenizer.source)), tokenizer)


def test_a_row_is_named_after_the_word_it_produces() -> None:
    maps = a_translator().look(*PAIR)
    assert [*maps] == ["encoder.0.self", "decoder.0.self", "decoder.0.cross"]
    cross = maps["decoder.0.cross"]
    assert cross.query_labels == ("le", "chat", "rouge", "lit", ".", "<end>")
    assert cross.key_labels == ("the", "red", "cat", "reads", ".", "<end>")
    assert maps["decoder.0.self"].key_labels == ("<begin>", "le", "chat", "rouge", "lit", ".")


def test_a_row_is_named_after_the_word_read_if_asked() -> None:
    cross = a_translator().look(*PAIR, rows="read")["decoder.0.cross"]
    assert cross.query_labels == ("<begin>", "le", "chat", "rouge", "lit", ".")


def test_a_target_left_out_is_translated_first() -> None:
    translator = a_translator()
    alone, given = translator.look(PAIR[0]), translator.look(*PAIR)
    assert alone["decoder.0.cross"].query_labels == given["decoder.0.cross"].query_labels
    assert torch.equal(alone["decoder.0.cross"].weights, given["decoder.0.cross"].weights)


@pytest.mark.parametrize("kind", KINDS)
def test_words_are_merged_from_subwords_and_every_row_sums_to_one(kind: str) -> None:
    translator = untaught(kind)
    pieces, words = translator.look(*PAIR, subwords=True), translator.look(*PAIR)
    for name in pieces:
        assert words[name].sums_to_one
        assert pieces[name].sums_to_one
    name = [*words.kind("cross")][-1]
    assert pieces[name].key_labels[:4] == (" ", "t", "h", "e")
    assert words[name].key_labels == ("the", "red", "cat", "reads", ".", "<end>")
    assert words[name].query_labels == ("le", "chat", "rouge", "lit", ".", "<end>")
    rows = len(translator.tokenizer.target.encode("le"))
    summed = pieces[name].weights[..., :rows, :4].sum(-1).mean(-1)
    torch.testing.assert_close(words[name].weights[..., 0, 0], summed)


@pytest.mark.parametrize("kind", KINDS)
def test_a_look_shows_what_the_model_did_and_changes_nothing(kind: str) -> None:
    translator = untaught(kind)
    source, target = (translator.tokenizer.source.encode(text) for text in PAIR)
    batch = Batch.of([source], [target])
    with torch.no_grad():
        before = translator.model(batch.source, batch.target_in)
    maps = translator.look(*PAIR, subwords=True)
    with torch.no_grad():
        after = translator.model(batch.source, batch.target_in)
    assert torch.equal(before, after)
    for seen in maps.kind("cross").values():
        assert seen.weights.shape[-2:] == (len(target) + 1, len(source) + 1)


def test_the_recurrent_translator_is_seen_at_every_step() -> None:
    translator = untaught("recurrent")
    (seen,) = translator.look(*PAIR, subwords=True).values()
    rows = seen.weights.reshape(-1, seen.weights.shape[-1])
    assert not torch.allclose(rows[0], rows[3])


def test_words_somebody_else_cut_are_taken() -> None:
    translator = untaught("transformer")
    maps = translator.look(
        "看小猫，它好可爱", "le petit chat", source_words=["看", "小猫", "，", "它", "好", "可爱"]
    )
    cross = maps["decoder.1.cross"]
    assert cross.key_labels == ("看", "小猫", "，", "它", "好", "可爱", "<end>")
    assert cross.sums_to_one


def test_words_that_do_not_spell_the_text_are_refused() -> None:
    vocabulary = Vocabulary("words", learned=[b" the", b"\xe7\x8c\xab", b" cat"])

    def message(text: str, words: list[str]) -> str:
        with pytest.raises(DataError) as caught:
            given_words(vocabulary, text, vocabulary.encode(text), words)
        return str(caught.value)

    assert message("the cat", ["the", "dog"]) == (
        "the words must spell the text in order, but 'dog' does not stand at character 4 of 'the cat'."
    )
    assert message("the cat", ["the"]) == "the words must spell the whole text, but 'cat' is left over."
    assert message("the cat", ["the", "c", "at"]) == (
        "'c' has no token of its own in 'the cat': it shares one with its neighbour. Join the two."
    )
    assert message("the cat", ["the", "", "cat"]) == (
        "the words must spell the text in order, but '' does not stand at character 4 of 'the cat'."
    )


def test_white_space_goes_with_the_word_after_it() -> None:
    vocabulary = Vocabulary("byte-level")
    words = given_words(vocabulary, "a  b", vocabulary.encode("a  b"), ["a", "b"])
    assert words.groups == ((0, 1), (2, 3, 4), (5,))
    assert vocabulary.pieces([*vocabulary.encode("a  b"), END])[2:] == [" ", " ", "b", "<end>"]


def test_there_must_be_something_to_look_at() -> None:
    with pytest.raises(DataError) as caught:
        a_translator().look(" \n")
    assert str(caught.value) == "there is nothing to look at: the source is empty."
    cross = a_translator().look("the cat", "")["decoder.0.cross"]
    assert cross.query_labels == ("<end>",)


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_a_look_shows_what_decoding_step_by_step_saw(kind: str, beam: int) -> None:
    translator = untaught(kind)
    tokens = translator.tokenizer.source.encode(PAIR[0])
    settings = SearchSettings(beam=beam, longest_ratio=0.5)
    with torch.no_grad(), watch(translator.model) as seen:
        (hypotheses,) = search(translator.model, [tokens], settings)
        written = [*hypotheses[0].tokens]
        source = [*translator.tokenizer.source.pieces(tokens), "<end>"]
        target = [*translator.tokenizer.target.pieces(written), "<end>"]
        looked = maps_of(
            translator.model, tokens, written, source_pieces=source, target_pieces=target, rows="produced"
        )
    # A hypothesis that was cut has not been asked for its end.
    steps = len(written) + (not hypotheses[0].cut)
    assert steps > 3
    for name, one in looked.items():
        if one.kind == "self":
            continue
        calls = seen.calls(name)
        for step in range(steps):
            kept = calls[step].weights[..., -1, : one.weights.shape[-1]]
            expected = one.per_head[:, step, : kept.shape[-1]].float()
            apart = (kept - expected).abs().amax(dim=(-1, -2))
            assert apart.min() < 1e-5  # one of the beam is the hypothesis
            assert beam > 1 or len(apart) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_has_words_and_subwords_and_every_head_can_be_edited(kind: str) -> None:
    translator = untaught(kind)
    translator.model.train()
    page = translator.page(*PAIR)
    facts = json.loads(page.html.partition('id="facts">')[2].partition("</script>")[0])
    assert page.title == "the red cat reads . → le chat rouge lit ."
    assert {each["name"] for each in facts["maps"]} == set(translator.look(*PAIR))
    assert all(len(each["editable"]) == len(each["heads"]) for each in facts["maps"])
    words = [side["words"]["labels"] for side in facts["sides"]]
    assert ["the", "red", "cat", "reads", ".", "<end>"] in words
    assert ["le", "chat", "rouge", "lit", ".", "<end>"] in words
    assert translator.model.training
