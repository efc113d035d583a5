import pytest
import torch

from regard.errors import RegardError
from regard.translation import Aligner, AligningHead, align, align_pairs, links_of
from regard.translation.aligning import cross_heads
from regard.translation.crossing import SpacedPair, cross
from tests.translation.some import KINDS
from tests.translation.taught import a_translator, every_pair
from tests.translation.test_looking import untaught

HEAD = AligningHead(name="decoder.0.cross", head=1, rows="produced")


@pytest.mark.parametrize("kind", KINDS)
def test_many_pairs_are_seen_as_each_alone(kind: str) -> None:
    translator = untaught(kind)
    texts = [("the cat", "le chat"), ("the red cat reads .", "le chat rouge lit ."), ("a", "le le")]
    crossings = [*cross(translator, [SpacedPair(*text) for text in texts])]
    for (source, target), crossing in zip(texts, crossings, strict=True):
        for rows, offset in (("produced", 0), ("read", 1)):
            alone = translator.look(source, target, rows=rows)  # type: ignore[arg-type]
            for name, seen in alone.kind("cross").items():
                words = len(target.split())
                expected = seen.per_head[:, offset : offset + words, :-1].float()
                found = crossing.by_rows[rows][name]  # type: ignore[index]
                torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


def test_many_pairs_are_aligned_in_order() -> None:
    translator, pairs = a_translator(), every_pair()[:7]
    together = [*align_pairs(translator, pairs, Aligner(heads=(HEAD,)))]
    alone = [next(align_pairs(translator, [pair], Aligner(heads=(HEAD,)))) for pair in pairs]
    assert together == alone
    assert [*align_pairs(translator, [], Aligner(heads=(HEAD,)))] == []


def test_several_heads_are_averaged() -> None:
    translator, pair = a_translator(), every_pair()[3]
    other = AligningHead(name="decoder.0.cross", head=0, rows="read")
    (crossing,) = cross(translator, [pair])
    both = Aligner(heads=(HEAD, other)).weights(crossing)
    one, two = (Aligner(heads=(each,)).weights(crossing) for each in (HEAD, other))
    torch.testing.assert_close(both, (one + two) / 2)


def test_one_sentence_is_aligned_as_its_map_says() -> None:
    translator, pair = a_translator(), every_pair()[5]
    seen = translator.look(pair.source, pair.target)["decoder.0.cross"].head(1)
    assert align(translator, pair.source, pair.target, head=HEAD) == links_of(seen)


def test_a_head_says_which_it_is_and_is_found_by_its_name() -> None:
    head = AligningHead(name="decoder.2.cross", head=1, rows="produced")
    assert str(head) == "head 1 of decoder.2.cross, by the word produced"
    assert AligningHead.called("decoder.0.cross:1", a_translator()) == HEAD
    read = AligningHead.called("decoder.0.cross:0:read", a_translator())
    assert (read.rows, read.short) == ("read", "decoder.0.cross:0:read")
    assert cross_heads(a_translator()) == {"decoder.0.cross": 2}


@pytest.mark.parametrize("name", ["decoder.0.cross", "decoder.0.cross:2", "decoder.1.cross:0", "1", ""])
def test_a_head_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(RegardError) as caught:
        AligningHead.called(name, a_translator())
    assert str(caught.value) == f"a head is named as one of decoder.0.cross:0…1, but got {name!r}."


def test_a_share_that_is_none_is_refused() -> None:
    with pytest.raises(RegardError) as caught:
        Aligner(heads=(HEAD,), share=1.5)
    assert str(caught.value) == "share must be above 0 and at most 1, but got 1.5."
