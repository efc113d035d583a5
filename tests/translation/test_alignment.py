import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import DataError, RegardError
from regard.translation import (
    Links,
    alignment_error_rate,
    contest,
    links_of,
    pharaoh,
    read_pharaoh,
    reverse,
    symmetrise,
)
from regard.translation.alignment import strongest, to_links
from regard.viewing import AttentionMap

some_links = st.frozensets(st.tuples(st.integers(0, 6), st.integers(0, 6)))


def a_map(weights: list[list[float]], target: list[str], source: list[str]) -> AttentionMap:
    return AttentionMap(weights, query_labels=target, key_labels=source, kind="cross")


def test_a_word_is_linked_to_where_it_looks_most_and_the_end_to_nothing() -> None:
    seen = a_map(
        [[0.2, 0.7, 0.1], [0.1, 0.3, 0.6], [0.9, 0.1, 0.0]],
        ["chat", "noir", "<end>"],
        ["black", "cat", "<end>"],
    )
    assert links_of(seen) == {(1, 0), (1, 1)}


def test_rows_named_after_the_word_read_begin_after_begin() -> None:
    seen = a_map([[1.0, 0.0], [0.3, 0.7], [0.8, 0.2]], ["<begin>", "chat", "noir"], ["black", "cat"])
    assert links_of(seen) == {(1, 0), (0, 1)}


def test_a_word_that_spells_end_in_the_middle_is_a_word() -> None:
    seen = a_map([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], ["fin", "<end>"], ["<end>", "end", "<end>"])
    assert links_of(seen) == {(1, 0)}


def test_a_weaker_look_counts_if_it_has_its_share() -> None:
    seen = a_map([[0.4, 0.3, 0.2, 0.1]], ["du"], ["of", "the", "a", "b"])
    assert links_of(seen) == {(0, 0)}
    assert links_of(seen, share=0.7) == {(0, 0), (1, 0)}
    assert links_of(seen, share=0.2) == {(0, 0), (1, 0), (2, 0), (3, 0)}


def test_a_word_that_hears_nothing_is_linked_to_nothing() -> None:
    assert links_of(a_map([[0.0, 0.0]], ["chat"], ["the", "cat"])) == frozenset()
    assert links_of(a_map([[1.0]], ["<end>"], ["<end>"])) == frozenset()


def test_links_that_cannot_be_drawn_are_refused() -> None:
    with pytest.raises(RegardError) as caught:
        links_of(a_map([[1.0]], ["chat"], ["cat"]), share=0.0)
    assert str(caught.value) == "share must be above 0 and at most 1, but got 0.0."
    two = AttentionMap([[[1.0]], [[1.0]]], query_labels=["chat"], key_labels=["cat"], name="decoder.0.cross")
    with pytest.raises(RegardError) as caught:
        links_of(two)
    assert str(caught.value) == (
        "links are drawn by one head, but 'decoder.0.cross' has 2. Choose one with .head(number), or .mean()."
    )
    with pytest.raises(RegardError) as caught:
        symmetrise(frozenset(), frozenset(), "grow")
    assert str(caught.value) == (
        "links are joined by one of intersection, union, grow-diag, grow-diag-final-and, but got 'grow'."
    )


def test_a_source_word_wanted_by_many_counts_for_less() -> None:
    weights = torch.tensor([[0.3, 0.0, 0.4], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]])
    assert to_links(strongest(weights)) == {(2, 0), (1, 1), (2, 2)}
    assert to_links(contest(weights)) == {(0, 0), (1, 1), (2, 2)}


def test_a_source_word_that_nobody_else_wants_is_linked_too() -> None:
    weights = torch.tensor([[0.5, 0.4, 0.1], [0.0, 0.1, 0.9]])
    assert to_links(contest(weights)) == {(0, 0), (1, 0), (2, 1)}
    faint = torch.tensor([[0.999, 0.001, 0.0], [0.0, 0.0, 1.0]])
    assert to_links(contest(faint)) == {(0, 0), (2, 1)}


def test_a_word_that_holds_little_of_what_it_looks_at_is_linked_to_nothing() -> None:
    weights = torch.tensor([[0.1, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert to_links(contest(weights)) == {(0, 1), (1, 2)}


def test_fewer_links_are_drawn_the_more_words_must_have_of_each_other() -> None:
    weights = torch.rand(5, 7, 11).softmax(dim=-1)
    counts = [int(contest(weights, share=share).sum()) for share in (0.1, 0.5, 1.0)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[2]


@given(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3))
def test_padding_changes_no_link(target: int, source: int, more: int) -> None:
    weights = torch.rand(2, target, source)
    padded = torch.nn.functional.pad(weights, (0, more, 0, more))
    for draw in (strongest, contest):
        whole = draw(padded)
        assert torch.equal(whole[:, :target, :source], draw(weights))
        assert whole.sum() == draw(weights).sum()


def test_grow_diag_takes_in_neighbours_that_bring_a_new_word() -> None:
    forward = frozenset({(0, 0), (1, 1), (2, 1), (5, 5)})
    backward = frozenset({(0, 0), (1, 1), (1, 2), (3, 2), (0, 1)})
    # (0,1) touches (0,0) but both its words are taken; (5,5) touches nothing.
    assert symmetrise(forward, backward, "grow-diag") == {(0, 0), (1, 1), (2, 1), (1, 2), (3, 2)}
    # (5,5) brings in two new words.
    assert symmetrise(forward, backward) == {(0, 0), (1, 1), (2, 1), (1, 2), (3, 2), (5, 5)}


@given(some_links, some_links)
def test_grow_diag_lies_between_intersection_and_union(forward: Links, backward: Links) -> None:
    common = symmetrise(forward, backward, "intersection")
    grown = symmetrise(forward, backward, "grow-diag")
    assert common == forward & backward
    assert common <= grown <= symmetrise(forward, backward, "union") == forward | backward
    assert grown == symmetrise(backward, forward, "grow-diag")
    final = symmetrise(forward, backward, "grow-diag-final-and")
    assert grown <= final <= forward | backward
    for source, target in final - grown:
        assert all(source != other for other, _ in grown)
        assert all(target != other for _, other in grown)


def test_the_error_rate_is_that_of_the_formula() -> None:
    found = [frozenset({(0, 0), (1, 1), (2, 2)}), frozenset({(0, 1)})]
    sure = [frozenset({(0, 0), (3, 3)}), frozenset({(0, 0)})]
    possible = [frozenset({(1, 1)}), frozenset({(0, 1)})]
    # |A∩S| = 1, |A∩P| = 2 + 1, |A| = 4, |S| = 3
    assert alignment_error_rate(found, sure, possible) == pytest.approx(1 - 4 / 7)


@given(st.lists(some_links, max_size=3), st.data())
def test_the_sure_links_are_without_error(sure: list[Links], data: st.DataObject) -> None:
    possible = [data.draw(some_links) for _ in sure]
    assert alignment_error_rate(sure, sure, possible) == 0
    assert alignment_error_rate(sure, sure) == 0


def test_alignments_must_be_as_many_as_the_gold_ones() -> None:
    with pytest.raises(DataError) as caught:
        alignment_error_rate([frozenset()], [], [])
    assert str(caught.value) == (
        "alignments must be as many as the gold ones, but there are 1 with 0 sure and 0 possible."
    )


@given(some_links)
def test_pharaoh_is_read_as_it_is_written(links: Links) -> None:
    assert read_pharaoh(pharaoh(links)) == (links, links)
    assert reverse(reverse(links)) == links


def test_what_is_not_a_link_is_refused() -> None:
    with pytest.raises(DataError) as caught:
        read_pharaoh("0-0 1:2")
    assert str(caught.value) == "a link is written i-j, or ipj where it is only possible, but got '1:2'."
