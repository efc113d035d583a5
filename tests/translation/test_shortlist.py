from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save

from regard.errors import DataError, RunError
from regard.text import END, Tokenizer
from regard.translation import Sampling, SearchSettings, Shortlist, Translator, Workers, search, shortlist
from tests.translation.some import KINDS, a_model, some_sources
from tests.translation.taught import a_translator, every_pair

VOCABULARY = 331
SHORT = SearchSettings(beam=3, n_best=2, longest_ratio=1.0, longest_slack=3)


def everything(vocabulary: int) -> Shortlist:
    """A list that leaves nothing out."""
    return Shortlist(
        torch.arange(vocabulary, dtype=torch.int32),
        torch.full((vocabulary, 1), -1, dtype=torch.int32),
        vocabulary,
    )


def a_list(vocabulary: int = VOCABULARY, seed: int = 3) -> Shortlist:
    """Three tokens at random for each."""
    generator = torch.Generator().manual_seed(seed)
    likely = torch.randint(4, vocabulary, (vocabulary, 3), generator=generator, dtype=torch.int32)
    return Shortlist(torch.arange(4, dtype=torch.int32), likely, vocabulary)


def learned() -> Shortlist:
    tokenizer = a_translator().tokenizer
    pairs = [(tokenizer.source.encode(p.source), tokenizer.target.encode(p.target)) for p in every_pair()]
    return Shortlist.learn(
        pairs,
        source_vocabulary=len(tokenizer.source),
        target_vocabulary=len(tokenizer.target),
        usual=2,  # "le" and ".", which stand beside every word
        each=1,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_of_everything_changes_nothing(kind: str) -> None:
    model, sources = a_model(kind, VOCABULARY), some_sources(7, VOCABULARY)
    for settings in (SHORT, SearchSettings(beam=1), SearchSettings(no_repeat=2)):
        whole = search(model, sources, settings)
        listed = search(model, sources, settings, shortlist=everything(VOCABULARY))
        assert [[one.tokens for one in found] for found in listed] == [
            [one.tokens for one in found] for found in whole
        ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "settings",
    [
        SHORT,
        SearchSettings(beam=1),
        SearchSettings(n_best=2, sampling=Sampling(seed=3)),
        SearchSettings(no_repeat=1),
    ],
    ids=["beam", "greedy", "sampling", "no repeat"],
)
def test_only_what_is_listed_for_a_sentence_is_written_whatever_goes_with_it(
    kind: str, settings: SearchSettings
) -> None:
    model, sources, some = a_model(kind, VOCABULARY), some_sources(7, VOCABULARY), a_list()
    prefixes = [[5, 11] if number % 2 else [] for number in range(7)]
    together = search(model, sources, settings, prefixes=prefixes, shortlist=some)
    for source, prefix, found in zip(sources, prefixes, together, strict=True):
        (alone,) = search(model, [source], settings, prefixes=[prefix], shortlist=some)
        assert [one.tokens for one in found] == [one.tokens for one in alone]
        for one, other in zip(found, alone, strict=True):
            assert one.token_log_probabilities == pytest.approx(other.token_log_probabilities, abs=1e-4)
        may = {*some.likely[torch.tensor(source)].flatten().tolist(), *prefix}
        for one in found:
            assert one.tokens[: len(prefix)] == tuple(prefix)
            assert {*one.tokens} <= may


def test_the_listed_share_the_whole_probability() -> None:
    """One step, by the definition: softmax over the listed alone."""
    model, (source,), some = a_model("transformer", VOCABULARY), some_sources(1, VOCABULARY), a_list()
    settings = SearchSettings(beam=1, longest_ratio=0.0, longest_slack=1)
    ((found,),) = search(model, [source], settings, shortlist=some)
    listed, keep = some.of([source])
    assert bool(keep.all())
    with torch.no_grad():
        logits = model(torch.tensor([[*source, END]]), torch.tensor([[1]]))[0, 0]
    chances = logits[listed].log_softmax(0)
    chances[[0, 1, 3]] = -torch.inf
    expected = END if found.tokens == () else found.tokens[0]
    assert int(listed[chances.argmax()]) == expected
    assert found.token_log_probabilities[0] == pytest.approx(float(chances.max()), abs=1e-5)


def test_words_are_listed_with_their_translations() -> None:
    shortlisted, tokenizer = learned(), a_translator().tokenizer
    for pair in every_pair():
        for place in (1, 2, 3):
            ((target,),) = ([t for s, t in pair.sure if s == place],)
            (token,) = tokenizer.source.encode(pair.source_words[place])
            (listed,) = shortlisted.likely[token].tolist()
            assert tokenizer.target.encode(pair.target_words[target]) == [listed]


def test_a_translator_with_a_list_of_translations_translates_the_same() -> None:
    taught = a_translator()
    texts = [pair.source for pair in every_pair()]
    listed = Translator(taught.model, taught.tokenizer, shortlist=learned())
    assert [one.text for one in listed.translate(texts, beam=1)] == [pair.target for pair in every_pair()]
    tokens, _ = learned().of([taught.tokenizer.source.encode("the red cat sleeps .")])
    assert len(tokens) == shortlist.ALWAYS + 5


def test_processes_have_the_list_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regard.translation.workers.cores", lambda: 2)
    model, sources, some = a_model("transformer", VOCABULARY), some_sources(70, VOCABULARY), a_list()
    with Workers(model, processes=2, shortlist=some) as two:
        found = two.search(sources, SHORT)
    expected = search(model, sources, SHORT, shortlist=some)
    assert [[best.tokens for best in one] for one in found] == [
        [best.tokens for best in one] for one in expected
    ]


def test_eight_bits_go_with_a_list() -> None:
    torch.manual_seed(0)
    from regard.models import Transformer

    model = Transformer(vocabulary=3001, width=64, heads=4, layers=1, hidden_width=64).eval()
    sources, whole = some_sources(5, 3001), everything(3001)
    settings = SearchSettings(beam=1, longest_slack=3)
    assert [found[0].tokens for found in search(model, sources, settings, quantization="int8")] == [
        found[0].tokens for found in search(model, sources, settings, quantization="int8", shortlist=whole)
    ]


def test_a_token_of_the_source_may_be_copied_where_both_sides_are_one() -> None:
    pairs = [([270, 271], [280, 281]), ([272], [282])]
    sizes = {"source_vocabulary": 290, "target_vocabulary": 290, "usual": 0}
    for copied in (False, True):
        made = Shortlist.learn(pairs, copied=copied, **sizes)
        tokens, _ = made.of([[270, 275]])
        assert ({270, 275} <= {*tokens.tolist()}) == copied


def test_the_most_frequent_go_with_every_sentence() -> None:
    pairs = [([270], [280, 281]), ([271], [280, 282]), ([272], [280, 281])]
    made = Shortlist.learn(pairs, source_vocabulary=290, target_vocabulary=290, usual=2, each=1)
    assert made.always.tolist() == [*range(260), 280, 281]
    tokens, keep = made.of([[289], [289]])
    assert tokens.tolist() == made.always.tolist()
    assert bool(keep.all())


@given(
    st.lists(
        st.tuples(st.lists(st.integers(4, 28), max_size=7), st.lists(st.integers(4, 30), max_size=7)),
        min_size=1,
        max_size=9,
    ).filter(lambda pairs: any(source and target for source, target in pairs))
)
def test_what_is_listed_for_a_token_was_met_beside_it(pairs: list[tuple[list[int], list[int]]]) -> None:
    made = Shortlist.learn(pairs, source_vocabulary=29, target_vocabulary=31, each=5)
    met = {(s, t) for source, target in pairs for s in source for t in target}
    for source, row in enumerate(made.likely.tolist()):
        listed = [target for target in row if target >= 0]
        assert {(source, target) for target in listed} <= met
        assert len(listed) == min(5, len({t for s, t in met if s == source}))


def test_where_too_many_pairs_of_tokens_are_met_the_lightest_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shortlist, "MOST_KEPT", 2)
    monkeypatch.setattr(shortlist, "AT_ONCE", 2)
    pairs = [([270], [280]), ([270], [280]), ([271], [281]), ([271], [281]), ([272], [282]), ([270], [280])]
    made = Shortlist.learn(pairs, source_vocabulary=290, target_vocabulary=290, usual=0, each=1)
    assert made.likely[270:273].flatten().tolist() == [280, 281, -1]


def test_nothing_is_learned_from_nothing() -> None:
    with pytest.raises(DataError) as caught:
        Shortlist.learn([], source_vocabulary=5, target_vocabulary=5)
    assert str(caught.value) == "a shortlist is learned from sentence pairs, but there are none."


SIZES = {"source_vocabulary": VOCABULARY, "target_vocabulary": VOCABULARY}


def test_a_list_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "shortlist.safetensors"
    path.write_bytes(a_list().saved(made_for="some"))
    found = Shortlist.load(path, made_for="some", **SIZES)
    assert torch.equal(found.likely, a_list().likely)
    assert torch.equal(found.always, a_list().always)
    assert not found.copied


def test_a_list_for_another_tokenizer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "shortlist.safetensors"
    path.write_bytes(a_list().saved(made_for="some"))
    with pytest.raises(RunError) as caught:
        Shortlist.load(path, made_for="other", **SIZES)
    assert str(caught.value) == (f"{path} was made for another tokenizer. Delete it, and it is made anew.")


def damaged(change: str) -> bytes:
    """A file that is not what it says."""
    good = a_list()
    whole = good.saved(made_for="some")
    if change == "cut":
        return whole[:-7]
    if change == "turned":
        return whole[:-4] + bytes([whole[-4] ^ 1]) + whole[-3:]
    if change == "emptied":
        return b""
    if change == "another file":
        return save({"parameters": torch.zeros(3)}, {"tokenizer": "some", "version": "1"})
    if change == "too large":
        return whole + bytes(4 * VOCABULARY * VOCABULARY + (1 << 17))
    likely = {"beyond": good.likely + VOCABULARY, "below": good.likely - VOCABULARY, "short": good.likely[1:]}
    if change in likely:
        return Shortlist(good.always, likely[change], VOCABULARY).saved(made_for="some")
    if change == "numbers":
        return Shortlist(good.always, good.likely.double(), VOCABULARY).saved(made_for="some")
    first = {"without the special tokens": 1, "without any that always go": len(good.always)}[change]
    return Shortlist(good.always[first:], good.likely, VOCABULARY).saved(made_for="some")


@pytest.mark.parametrize(
    "change",
    [
        "cut",
        "turned",
        "emptied",
        "another file",
        "too large",
        "beyond",
        "below",
        "short",
        "numbers",
        "without the special tokens",
        "without any that always go",
    ],
)
def test_a_damaged_file_is_refused_in_a_sentence(tmp_path: Path, change: str) -> None:
    path = tmp_path / "shortlist.safetensors"
    path.write_bytes(damaged(change))
    with pytest.raises(RunError, match=r"shortlist\.safetensors (is|was|has)") as caught:
        Shortlist.load(path, made_for="some", **SIZES)
    assert "\n" not in str(caught.value)


def test_another_engine_goes_without_a_list() -> None:
    class Silent:
        def search(self, sources: object, settings: object, *, prefixes: object) -> list[list[object]]:
            raise AssertionError

    with pytest.raises(ValueError, match="a shortlist goes with regard's own search alone"):
        Translator(a_translator().model, a_translator().tokenizer, engine=Silent(), shortlist=learned())  # type: ignore[arg-type]


def test_a_tokenizer_is_not_needed_to_learn() -> None:
    tokenizer = Tokenizer.train([("the cat", "le chat")] * 3)
    encoded = (tokenizer.source.encode("the cat"), tokenizer.target.encode("le chat"))
    made = Shortlist.learn(
        [encoded] * 3, source_vocabulary=len(tokenizer.source), target_vocabulary=len(tokenizer.target)
    )
    assert {*encoded[1]} <= {*made.of([encoded[0]])[0].tolist()}
