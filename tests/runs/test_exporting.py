"""CTranslate2 given a run's parameters answers as the run does."""

import itertools
import sys
from pathlib import Path
from typing import Any

import ctranslate2
import pytest
import torch

from regard.errors import RunError
from regard.models import RecurrentTranslator, Transformer
from regard.runs.engine import CTranslate2Engine
from regard.runs.exporting import export_ctranslate2
from regard.text import END, Tokenizer
from regard.translation import Hypothesis, SearchSettings, Translator, search
from tests.translation.taught import a_translator, every_pair

PAIRS = [("the cat sleeps", "le chat dort"), ("a dog sees the bird", "un chien voit l'oiseau")] * 3
TOKENIZER = Tokenizer.train(PAIRS, size=283, least_count=2)
SENTENCES = [
    " ".join(words).strip()
    for words in itertools.product(
        ("the", "a"), ("cat", "dog", "bird"), ("sees", "sleeps"), ("", "the", "dog")
    )
]


def some_model(**settings: Any) -> Transformer:
    """A model without sense, whose sentences differ and are of various lengths."""
    torch.manual_seed(7)
    sizes = {"width": 12, "heads": 2, "layers": 2, "hidden_width": 17}
    model = Transformer(vocabulary=len(TOKENIZER.source), **{**sizes, **settings})
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.3)
        model.target_embedding.weight[END] *= 0.5
    return model.eval()


def engine_of(model: Transformer, folder: Path, quantization: str | None = None) -> CTranslate2Engine:
    export_ctranslate2(model, TOKENIZER, folder / "exported", quantization=quantization)
    return CTranslate2Engine(folder / "exported", TOKENIZER)


def asked(settings: SearchSettings, prefix: str = "") -> dict[str, Any]:
    sources = TOKENIZER.source.encode_batch(SENTENCES)
    prefixes = [TOKENIZER.target.encode(prefix) if prefix else []] * len(sources)
    return {"sources": sources, "settings": settings, "prefixes": prefixes}


def tokens_of(found: list[list[Hypothesis]]) -> list[list[tuple[tuple[int, ...], bool]]]:
    return [[(one.tokens, one.cut) for one in of_one] for of_one in found]


@pytest.mark.parametrize(
    "settings",
    [
        {"norm": "post"},
        {"norm": "pre"},
        {"norm": "pre", "positions": "relative", "reach": 3},
        {"norm": "post", "positions": "relative", "reach": 3, "decoder_layers": 1},
        {"norm": "pre", "positions": "rotary"},
        {"norm": "post", "positions": "rotary", "decoder_layers": 1},
        {"positions": "learned", "longest": 101, "activation": "gelu"},
        {"positions": "none", "activation": "swish", "tie_output": False},
        {"activation": "gated", "output_bias": True},
    ],
    ids=str,
)
def test_greedy_translations_are_the_same(settings: dict[str, Any], tmp_path: Path) -> None:
    model = some_model(**settings)
    question = asked(SearchSettings(beam=1, no_repeat=2))
    own = search(model, **question)
    assert len({one.tokens for (one,) in own}) > 11
    found = engine_of(model, tmp_path).search(**question)
    assert tokens_of(found) == tokens_of(own)
    for (mine,), (theirs,) in zip(own, found, strict=True):
        assert theirs.token_log_probabilities == pytest.approx(mine.token_log_probabilities, abs=1e-4)


def test_beams_find_the_same_best(tmp_path: Path) -> None:
    model = some_model(norm="pre")
    question = asked(SearchSettings(beam=3, n_best=2), prefix="le chat")
    own, found = search(model, **question), engine_of(model, tmp_path).search(**question)
    begun = tuple(TOKENIZER.target.encode("le chat"))
    assert all(one.tokens[: len(begun)] == begun for of_one in found for one in of_one)
    same = [mine[0].tokens == theirs[0].tokens for mine, theirs in zip(own, found, strict=True)]
    assert sum(same) >= 0.9 * len(same)


def test_eight_bits_translate_as_well_in_less_room(tmp_path: Path) -> None:
    taught = a_translator()
    sources = [pair.source for pair in every_pair()]
    own = [translation.text for translation in taught.translate(sources, beam=1)]
    for name, quantization in (("whole", None), ("small", "int8")):
        export_ctranslate2(taught.model, taught.tokenizer, tmp_path / name, quantization=quantization)
        engine = CTranslate2Engine(tmp_path / name, taught.tokenizer)
        found = Translator(taught.model, taught.tokenizer, engine=engine).translate(sources, beam=1)
        same = sum(one.text == expected for one, expected in zip(found, own, strict=True))
        assert same == len(own) if quantization is None else same >= 0.98 * len(own)
    assert [translation.text for translation in taught.translate(sources, beam=1)] == own
    whole, small = ((tmp_path / name / "model.bin").stat().st_size for name in ("whole", "small"))
    assert small < 0.9 * whole  # positions and norms stay whole


def test_the_tokenizer_lies_beside_and_names_the_tokens(tmp_path: Path) -> None:
    model = some_model()
    export_ctranslate2(model, TOKENIZER, tmp_path / "exported")
    tokenizer = Tokenizer.load(tmp_path / "exported" / "tokenizer.json")
    library = ctranslate2.Translator(str(tmp_path / "exported"))
    names = tokenizer.source.library
    spelled = [names.id_to_token(token) for token in tokenizer.source.encode("the cat sees")]
    (result,) = library.translate_batch([spelled], beam_size=1, min_decoding_length=0, max_decoding_length=5)
    settings = SearchSettings(beam=1, longest_ratio=0, longest_slack=5)
    ((own,),) = search(model, [tokenizer.source.encode("the cat sees")], settings)
    assert [names.token_to_id(name) for name in result.hypotheses[0]] == [*own.tokens]


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (
            RecurrentTranslator(vocabulary=len(TOKENIZER.source), width=6, layers=1),
            "CTranslate2 runs Transformers, but this run's model is a RecurrentTranslator. "
            'Train one with model.kind = "transformer".',
        ),
        (
            some_model(positions="alibi"),
            "CTranslate2 has no counterpart of this model's Alibi positions. "
            "Train with model.positions sinusoidal, relative, rotary, learned or none.",
        ),
        (
            some_model(key_heads=1),
            "CTranslate2 wants as many key heads as heads, but this model has 1 for 2. "
            "Train without model.key_heads.",
        ),
    ],
)
def test_what_ctranslate2_cannot_run_is_refused(model: Any, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(RunError) as caught:
        export_ctranslate2(model, TOKENIZER, tmp_path / "exported")
    assert str(caught.value) == sentence
    assert not any(tmp_path.iterdir())


def test_an_unknown_quantization_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError) as caught:
        export_ctranslate2(some_model(), TOKENIZER, tmp_path / "exported", quantization="int4")
    assert str(caught.value) == (
        "quantization must be one of int8, int16, float16, bfloat16, but got 'int4'."
    )


def test_a_folder_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(RunError) as caught:
        export_ctranslate2(some_model(), TOKENIZER, tmp_path)
    assert str(caught.value) == f"{tmp_path} is there already. Remove it, or name another folder."


def test_without_the_library_its_installation_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    with pytest.raises(RunError) as caught:
        export_ctranslate2(some_model(), TOKENIZER, tmp_path / "exported")
    assert str(caught.value) == "CTranslate2 is not installed. Install it with: pip install 'regard[fast]'"
