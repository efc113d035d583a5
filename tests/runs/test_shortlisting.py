"""A run learns its shortlist once, from the pairs it was trained on."""

from dataclasses import replace
from pathlib import Path

import pytest

from regard.errors import RunError
from regard.recipe import DataSettings
from regard.runs import RunFolder, Translator, shortlisting
from regard.runs.shortlisting import SHORTLIST, shortlist_of
from tests.runs.test_engine import SOURCES
from tests.runs.test_engine import run as run  # a fixture
from tests.translation.taught import a_translator, every_pair


@pytest.fixture
def with_pairs(run: Path) -> Path:
    """The run of a translator that was taught with these pairs."""
    pairs = run.parent / "pairs.tsv"
    pairs.write_text("".join(f"{pair.source}\t{pair.target}\n" for pair in every_pair()))
    folder = RunFolder(run)
    data = DataSettings(train=(str(pairs),), validation=(str(pairs),))
    (run / "recipe.toml").write_text(replace(folder.recipe(), data=data).dumps())
    return run


def test_a_list_is_learned_at_first_use_and_kept(with_pairs: Path) -> None:
    expected = [one.text for one in Translator.load(with_pairs).translate(SOURCES, beam=1)]
    found = Translator.load(with_pairs, shortlist=True).translate(SOURCES, beam=1)
    assert [one.text for one in found] == expected
    written = (with_pairs / SHORTLIST).read_bytes()
    (with_pairs.parent / "pairs.tsv").unlink()  # it is needed no longer
    again = Translator.load(with_pairs, shortlist=True).translate(SOURCES, beam=1)
    assert [one.text for one in again] == expected
    assert (with_pairs / SHORTLIST).read_bytes() == written


def test_of_many_pairs_some_evenly_spaced_are_learned_from(
    with_pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shortlisting, "MOST_PAIRS", 40)
    monkeypatch.setattr(shortlisting, "_AT_ONCE", 7)
    tokenizer = a_translator().tokenizer
    found = [*shortlisting._pairs(RunFolder(with_pairs), tokenizer)]
    assert [tokenizer.source.decode(source) for source, _ in found] == SOURCES[:: -(-len(SOURCES) // 40)]
    assert 30 < len(found) <= 40


def test_a_run_whose_pairs_are_gone_is_told_so(with_pairs: Path) -> None:
    pairs = with_pairs.parent / "pairs.tsv"
    pairs.unlink()
    with pytest.raises(RunError) as caught:
        Translator.load(with_pairs, shortlist=True)
    assert str(caught.value).startswith(
        f"{with_pairs} has no {SHORTLIST}, and what it would be learned from cannot be read: "
    )
    assert str(pairs) in str(caught.value)


def test_a_run_that_names_no_pairs_is_told_so(run: Path) -> None:
    with pytest.raises(RunError, match=r"cannot be read: data\.train is missing"):
        Translator.load(run, shortlist=True)


def test_a_list_that_cannot_be_kept_is_used_all_the_same(
    with_pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(shortlisting, "write_whole", closed)
    found = Translator.load(with_pairs, shortlist=True).translate(SOURCES[:3], beam=1)
    assert [one.text for one in found] == [pair.target for pair in every_pair()[:3]]
    assert not (with_pairs / SHORTLIST).exists()


def test_a_list_of_another_run_is_refused(with_pairs: Path) -> None:
    made = shortlist_of(RunFolder(with_pairs), a_translator().tokenizer)
    (with_pairs / SHORTLIST).write_bytes(made.saved(made_for="another"))
    with pytest.raises(RunError, match="was made for another tokenizer"):
        Translator.load(with_pairs, shortlist=True)
