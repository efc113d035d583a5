"""An argos package cuts and translates as the run it was made from does."""

import json
import zipfile
from pathlib import Path
from typing import Any

import ctranslate2
import pytest
import sentencepiece
import torch

from regard.errors import RunError
from regard.models import Transformer
from regard.runs.exporting_argos import export_argos
from regard.text import Tokenizer
from regard.translation import Translator
from tests.translation.taught import every_pair, teach

ROOT = "translate-en_fr-1_0"


def taught(kind: str) -> tuple[Transformer, Tokenizer]:
    pairs = every_pair()
    tokenizer = Tokenizer.train([(pair.source, pair.target) for pair in pairs], kind=kind, size=420)
    torch.manual_seed(7)
    model = Transformer(vocabulary=len(tokenizer.source), width=32, heads=2, layers=1, hidden_width=32)
    teach(model, tokenizer, pairs)
    return model, tokenizer


def opened(package: Path, into: Path) -> tuple[Any, Any, dict[str, str]]:
    """What Argos Translate makes of a package: its way to cut and its way to translate."""
    with zipfile.ZipFile(package) as file:
        file.extractall(into)
    metadata = json.loads((into / ROOT / "metadata.json").read_text(encoding="utf-8"))
    processor = sentencepiece.SentencePieceProcessor(model_file=str(into / ROOT / "sentencepiece.model"))
    return processor, ctranslate2.Translator(str(into / ROOT / "model")), metadata


def test_a_package_translates_as_the_model_does(tmp_path: Path) -> None:
    model, tokenizer = taught("byte-level")
    export_argos(model, tokenizer, tmp_path / "x.argosmodel", languages=("en", "fr"), card="# A card\n")
    processor, engine, metadata = opened(tmp_path / "x.argosmodel", tmp_path)
    assert (metadata["from_code"], metadata["to_name"]) == ("en", "French")
    sources = [pair.source for pair in every_pair()]
    cut = [processor.encode(source, out_type=str) for source in sources]
    found = engine.translate_batch(cut, replace_unknowns=True, beam_size=4, length_penalty=0.2)
    texts = [processor.decode_pieces(result.hypotheses[0]) for result in found]
    own = [one.text for one in Translator(model, tokenizer).translate(sources, beam=4)]
    assert sum(one == expected for one, expected in zip(texts, own, strict=True)) >= 0.95 * len(own)


FRENCH = [
    "l'été, l'élève était là où il pêche .",
    "« C'est ça ! », dit-elle à son frère aîné .",
    "le garçon n'a pas 25 ans , il en a 32 .",
    "I don't know the teacher's name — it's n° 7 .",
]
CHINESE = ["小猫在花园里睡觉。", "看，它好可爱！", "我妹妹有3只小狗和12本书。", "他说：“你好”，OK！"]


@pytest.mark.parametrize("kind", ["byte-level", "byte-fallback"])
@pytest.mark.parametrize(("language", "texts"), [("fr", FRENCH), ("zh", CHINESE)])
def test_text_is_cut_as_by_the_vocabulary(kind: str, language: str, texts: list[str], tmp_path: Path) -> None:
    # Each character so often that it is a token, as in any corpus of some size.
    often = [9 * character for character in sorted({*"".join(texts)}) if character > "\x7f"]
    tokenizer = Tokenizer.train([(text, text) for text in [*texts, *often]], kind=kind, size=900)
    model = Transformer(vocabulary=len(tokenizer.source), width=6, heads=2, layers=1, hidden_width=7)
    export_argos(model, tokenizer, tmp_path / "x.argosmodel", languages=(language, "en"))
    with zipfile.ZipFile(tmp_path / "x.argosmodel") as package:
        content = package.read(f"translate-{language}_en-1_0/sentencepiece.model")
        listed = json.loads(package.read(f"translate-{language}_en-1_0/model/shared_vocabulary.json"))
    processor = sentencepiece.SentencePieceProcessor(model_proto=content)
    numbers = {name: number for number, name in enumerate(listed)}
    for text in texts:
        tokens = [numbers[piece] for piece in processor.encode(text, out_type=str)]
        assert tokens == tokenizer.source.encode(text)
    rare = "Ω≈ç 😀 <unk> </s>"
    pieces = processor.encode(rare, out_type=str)
    assert processor.decode_pieces(pieces).strip() == rare
    assert tokenizer.source.decode([numbers[piece] for piece in pieces]).strip() == rare


def test_parts_of_characters_are_never_written(tmp_path: Path) -> None:
    pairs = [("the cat", "小猫")] * 3
    tokenizer = Tokenizer.train([*pairs, *[("a dog", "小狗")] * 3], size=300)
    model = Transformer(vocabulary=len(tokenizer.source), width=6, heads=2, layers=1, hidden_width=7)
    export_argos(model, tokenizer, tmp_path / "x.argosmodel", languages=("en", "fr"), quantization=None)
    processor, engine, _ = opened(tmp_path / "x.argosmodel", tmp_path)
    vocabulary = tokenizer.source
    parts = [
        number for number, data in enumerate(vocabulary.learned, 260) if not data.decode(errors="ignore")
    ]
    assert parts
    (scored,) = engine.score_batch(
        [processor.encode("the cat", out_type=str)], [[f"<part {number}>" for number in parts]]
    )
    assert max(scored.log_probs[: len(parts)]) < -5_000


@pytest.mark.parametrize("kind", ["words", "characters"])
def test_other_tokens_are_refused_with_those_that_work(kind: str, tmp_path: Path) -> None:
    tokenizer = Tokenizer.train([("the cat", "le chat")] * 3, kind=kind)
    model = Transformer(vocabulary=len(tokenizer.source), width=6, heads=2, layers=1, hidden_width=7)
    with pytest.raises(RunError) as caught:
        export_argos(model, tokenizer, tmp_path / "x.argosmodel", languages=("en", "fr"))
    assert str(caught.value) == (
        f"An argos package needs subwords, but this run's tokens are {kind}. "
        'Train with tokenizer.kind = "byte-level" or "byte-fallback".'
    )
    assert not any(tmp_path.iterdir())


def test_a_package_without_languages_is_refused(tmp_path: Path) -> None:
    model, tokenizer = (
        Transformer(vocabulary=260, width=6, heads=2, layers=1, hidden_width=7),
        Tokenizer.train([]),
    )
    with pytest.raises(RunError) as caught:
        export_argos(model, tokenizer, tmp_path / "x.argosmodel", languages=("en", ""))
    assert str(caught.value) == (
        "The package must say which languages it translates between, and the run does not tell. "
        "Name them, as in: --languages en fr"
    )


def test_the_real_package_installs_and_translates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "ARGOS_PACKAGES_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    installer = pytest.importorskip("argostranslate.package", reason="argostranslate is not installed")
    from argostranslate import sbd, translate  # type: ignore[import-not-found]

    model, tokenizer = taught("byte-level")
    export_argos(model, tokenizer, tmp_path / "x.argosmodel", languages=("en", "fr"))
    installer.install_from_path(tmp_path / "x.argosmodel")
    # Its model of sentence boundaries would be fetched from afar: one sentence needs none.
    monkeypatch.setattr(sbd.MiniSBDSentencizer, "split_sentences", lambda _, text: [text])
    assert translate.translate("the red cat sleeps .", "en", "fr") == "le chat rouge dort ."
