"""A run translates with CTranslate2 as it does by itself."""

import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from regard.attention import linear
from regard.errors import RunError
from regard.recipe import ModelSettings, Recipe, TokenizerSettings
from regard.runs import RunFolder, Translator, engine, loading, train
from regard.runs.demo import demo_recipe
from regard.runs.engine import CTranslate2Engine
from regard.text import embedded
from regard.training import save_checkpoint
from regard.translation import Sampling, SearchSettings, bleu
from tests.translation.taught import a_translator, every_pair

SOURCES = [pair.source for pair in every_pair()]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    taught = a_translator()
    folder = RunFolder(tmp_path / "run")
    model = ModelSettings(width=32, layers=1, heads=2, hidden_width=32, norm="post", dropout=0.0)
    folder.begin(Recipe(model=model, tokenizer=TokenizerSettings(kind="words")), taught.tokenizer)
    save_checkpoint(
        folder.checkpoints,
        step=100,
        score=None,
        progress={},
        parameters=dict(taught.model.named_parameters()),
        optimizer={},
    )
    return folder.path


def test_the_engine_translates_as_the_model_does_and_is_kept(run: Path) -> None:
    own = Translator.load(run).translate(SOURCES, beam=1)
    found = Translator.load(run, engine="ctranslate2").translate(SOURCES, beam=1)
    assert [one.text for one in found] == [one.text for one in own]
    for mine, theirs in zip(own, found, strict=True):
        assert theirs.log_probability == pytest.approx(mine.log_probability, abs=1e-4)
        assert theirs.words[0].confidence == pytest.approx(mine.words[0].confidence, abs=1e-4)
    (kept,) = (run / "engines").iterdir()
    written = (kept / "model.bin").stat().st_mtime_ns
    Translator.load(run, engine="ctranslate2")
    assert (kept / "model.bin").stat().st_mtime_ns == written


def test_what_is_drawn_by_lot_is_drawn_as_without_the_engine(run: Path) -> None:
    drawing = SearchSettings(sampling=Sampling(temperature=2.0, seed=3), n_best=2)
    own, found = (
        [one.text for one in translator.translate(SOURCES, settings=drawing)]
        for translator in (Translator.load(run), Translator.load(run, engine="ctranslate2"))
    )
    assert found == own
    assert own != [one.text for one in Translator.load(run).translate(SOURCES, beam=1)]


def test_lines_go_through_the_engine_in_order(run: Path) -> None:
    translator = Translator.load(run, engine="ctranslate2", quantization="int8")
    lines = [*SOURCES[:7], "", *SOURCES[7:11]]
    found = [one.text for one in translator.translate_lines(lines, beam=2, window=5)]
    assert found == [one.text for one in translator.translate(lines, beam=2)]
    assert found[7] == ""


def test_targets_are_read_again_only_for_those_who_ask_and_then_once(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    translator = Translator.load(run, engine="ctranslate2")
    assert isinstance(translator.engine, CTranslate2Engine)
    library = Reader(translator.engine._library)
    monkeypatch.setattr(translator.engine, "_library", library)
    found = translator.translate(SOURCES[:5], beam=2, alternatives=1)
    assert [one.text for one in found] == [
        one.text for one in a_translator().translate(SOURCES[:5], beam=2, alternatives=1)
    ]
    assert library.read == 0
    for one in found:
        assert one.confidence == pytest.approx(math.exp(one.log_probability / (len(one.pieces) + 1)))
        assert one.alternatives[0].log_probability < one.log_probability
    assert library.read == 1


class Reader:
    """Counts how often CTranslate2 is asked to read a target."""

    def __init__(self, library: Any) -> None:
        self.library, self.read = library, 0

    def translate_batch(self, *asked: Any, **how: Any) -> Any:
        return self.library.translate_batch(*asked, **how)

    def score_batch(self, *asked: Any, **how: Any) -> Any:
        self.read += 1
        return self.library.score_batch(*asked, **how)


@pytest.mark.parametrize("beam", [1, 2])
@pytest.mark.parametrize("few_are_slow", [True, False])
def test_it_finds_out_how_many_sentences_are_soonest_together(
    run: Path, monkeypatch: pytest.MonkeyPatch, few_are_slow: bool, beam: int
) -> None:
    translator = Translator.load(run, engine="ctranslate2")
    assert isinstance(translator.engine, CTranslate2Engine)
    few, many = 2 * beam, 6 * beam
    monkeypatch.setattr(engine, "ROWS_PER_BATCH", (few, many))
    monkeypatch.setattr(engine, "ROWS_TRIED", 12 * beam)
    library = Slowed(translator.engine._library, lambda sentences: (sentences <= 2) is few_are_slow)
    monkeypatch.setattr(translator.engine, "_library", library)
    lines = [SOURCES[place % len(SOURCES)] for place in range(4 * 12 * torch.get_num_threads() + 7)]

    translator.translate(lines[:-8], beam=beam)
    assert translator.engine._rows == {}
    found = [one.text for one in translator.translate(lines, beam=beam)]

    assert translator.engine._rows == {beam: many if few_are_slow else few}
    assert found == [one.text for one in a_translator().translate(lines, beam=beam)]
    library.asked.clear()
    translator.translate(lines, beam=beam)
    assert max(library.asked) == (6 if few_are_slow else 2)


class Slowed:
    """Some groups take longer."""

    def __init__(self, library: Any, is_slow: Callable[[int], bool]) -> None:
        self.library, self.is_slow, self.asked = library, is_slow, []

    def translate_batch(self, sources: list[list[str]], *asked: Any, **how: Any) -> Any:
        self.asked.append(len(sources))
        if self.is_slow(len(sources)):
            time.sleep(0.05)
        return self.library.translate_batch(sources, *asked, **how)


def test_lines_are_taken_one_window_ahead_and_an_error_comes_out(run: Path) -> None:
    translator = Translator.load(run, engine="ctranslate2")
    taken = []

    def lines() -> Iterator[str]:
        for number, source in enumerate(SOURCES[:10]):
            taken.append(number)
            yield source
        raise OSError("the file went away")

    stream = translator.translate_lines(lines(), beam=1, window=4)
    next(stream)
    assert taken == [0, 1, 2, 3]
    with pytest.raises(OSError, match="the file went away"):
        list(stream)
    single = translator.translate_lines(iter(lines()), beam=1, window=1)
    taken.clear()
    next(single)
    assert taken == [0]


def test_searches_that_were_begun_may_be_waited_for_in_any_order(run: Path) -> None:
    translator = Translator.load(run, engine="ctranslate2")
    engine, vocabulary = translator.engine, translator.tokenizer.source
    assert isinstance(engine, CTranslate2Engine)
    sources = [vocabulary.encode(source)[:length] for length, source in enumerate(SOURCES[:7], start=1)]
    halves = [sources[:3], sources[3:]]
    first, second = (engine.begin(half, SearchSettings(beam=2), prefixes=[()] * len(half)) for half in halves)
    later, sooner = second(), first()
    together = engine.search(sources, SearchSettings(beam=2), prefixes=[()] * 7)
    assert [found[0].tokens for found in sooner + later] == [found[0].tokens for found in together]


def test_a_target_is_cut_by_the_length_of_its_own_source_in_whatever_company(run: Path) -> None:
    engine = Translator.load(run, engine="ctranslate2").engine
    assert isinstance(engine, CTranslate2Engine)
    sources = [[9], [9] * 5, [9] * 23]
    short = SearchSettings(beam=1, longest_ratio=1.0, longest_slack=0)
    found = engine.search(sources, short, prefixes=[()] * 3)
    alone = [engine.search([source], short, prefixes=[()])[0] for source in sources]
    assert [(best.tokens, best.cut) for (best,) in found] == [(best.tokens, best.cut) for (best,) in alone]
    assert all(len(best.tokens) <= len(source) for source, (best,) in zip(sources, found, strict=True))
    assert found[0][0].cut


def test_what_is_looked_at_is_still_the_model(run: Path) -> None:
    maps = Translator.load(run, engine="ctranslate2").look("the red cat sleeps .")
    assert "decoder.0.cross" in maps


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_run_that_cannot_be_written_has_its_engine_aside(run: Path) -> None:
    run.chmod(0o500)
    try:
        found = Translator.load(run, engine="ctranslate2").translate(SOURCES[:2], beam=1)
    finally:
        run.chmod(0o700)
    assert found[0].text == a_translator().translate(SOURCES[:1], beam=1)[0].text
    assert not (run / "engines").exists()


def test_an_unknown_engine_is_refused(run: Path) -> None:
    with pytest.raises(RunError) as caught:
        Translator.load(run, engine="onnx")
    assert str(caught.value) == "engine must be one of regard, ctranslate2, but got 'onnx'."


def test_eight_bits_are_a_setting_of_the_own_engine_too(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "LEAST", 1)
    own = Translator.load(run).translate(SOURCES, beam=2)
    rounded = Translator.load(run, quantization="int8")
    found = rounded.translate(SOURCES, beam=2)
    same = sum(one.text == other.text for one, other in zip(own, found, strict=True))
    assert same >= 0.98 * len(own)
    assert not (run / "engines").exists()
    off = [
        abs(one.log_probability - other.log_probability)
        for one, other in zip(own, found, strict=True)
        if one.text == other.text
    ]
    assert 0 < max(off) < 0.2
    (alone,) = rounded.translate(SOURCES[:1], beam=2)
    # Products do not depend on companions; other sums may in a last bit, by which a number rounds otherwise.
    assert alone.log_probability == pytest.approx(found[0].log_probability, abs=2e-3)
    (maps, plain) = (one.look(SOURCES[0], own[0].text) for one in (rounded, Translator.load(run)))
    assert torch.equal(maps["decoder.0.cross"].weights, plain["decoder.0.cross"].weights)


def test_a_quantization_that_cannot_be_is_refused(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RunError) as caught:
        Translator.load(run, quantization="int4")
    assert str(caught.value) == (
        "quantization must be one of int8, but got 'int4'. Others go with engine=\"ctranslate2\"."
    )
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(loading, "choose_device", lambda _: torch.device("meta"))
        with pytest.raises(RunError) as caught:
            Translator.load(run, quantization="int8")
    assert str(caught.value) == (
        "quantization = 'int8' goes with the CPU, but the model is on meta. "
        'Leave it out, or say device="cpu".'
    )
    monkeypatch.setattr(engine, "quantizable", lambda: False)
    with pytest.raises(RunError) as caught:
        Translator.load(run, quantization="int8")
    assert str(caught.value) == (
        "quantization = 'int8' needs a product that torch does not have on this processor. "
        'Leave it out, or add engine="ctranslate2".'
    )


@pytest.mark.slow
def test_a_thousand_sentences_are_the_same_and_eight_bits_cost_little(tmp_path: Path) -> None:
    recipe = demo_recipe("en-fr", "transformer")
    short = replace(recipe, training=replace(recipe.training, steps=400, validate_every=400))
    for _ in train(short, into=tmp_path / "run"):
        pass
    pairs = embedded("en-fr").test[:1_000]
    sources, references = [pair.source for pair in pairs], [pair.target for pair in pairs]
    own = [one.text for one in Translator.load(tmp_path / "run").translate(sources, beam=1)]
    other = Translator.load(tmp_path / "run", engine="ctranslate2")
    assert [one.text for one in other.translate(sources, beam=1)] == own
    for name in ("ctranslate2", "regard"):
        small = Translator.load(tmp_path / "run", engine=name, quantization="int8")
        found = [one.text for one in small.translate(sources, beam=1)]
        assert bleu(found, references).value == pytest.approx(bleu(own, references).value, abs=0.2)


def test_the_first_lines_are_answered_before_many_more_are_taken(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("regard.translation.translator._FEWEST_BEGUN", 2)
    translator = Translator.load(run, engine="ctranslate2")
    taken: list[int] = []

    def lines() -> Iterator[str]:
        for number in range(60):
            taken.append(number)
            yield SOURCES[number % len(SOURCES)]

    stream, held = translator.translate_lines(lines(), beam=1, window=16), []
    for number, _ in enumerate(stream):
        held.append(len(taken) - number)
    assert held[0] == 2 + 4
    assert max(held) == 16
    assert len(held) == 60


def test_an_engine_leaves_torch_its_threads(run: Path) -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        first, second = (Translator.load(run, engine="ctranslate2").engine for _ in range(2))
        assert torch.get_num_threads() == 2
        assert isinstance(first, CTranslate2Engine)
        assert isinstance(second, CTranslate2Engine)
        assert first._library.num_translators == second._library.num_translators == 2
    finally:
        torch.set_num_threads(before)
