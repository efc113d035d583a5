from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import RegardError
from regard.viewing import AttentionMap
from regard.viewing.drawn import Facets
from regard.viewing.flow import THICKEST, THINNEST, Flow, Link, kept_links
from tests.viewing.some import by_hand, several_heads


def decided(seen: AttentionMap, **options: object) -> Flow:
    layout = seen.layout("flow", **options)
    assert isinstance(layout, Flow)
    return layout


def test_the_links_kept_hold_the_share_of_each_row() -> None:
    links = decided(by_hand(), share=0.9).links
    assert {(link.query, link.key) for link in links} == {(0, 0), (0, 1), (1, 1), (1, 2)}
    assert {(link.query, link.key) for link in decided(by_hand(), share=0.5).links} == {(0, 0), (1, 1)}
    assert len(decided(by_hand(), share=1.0).links) == 5


def test_a_share_counts_of_what_the_row_has() -> None:
    assert kept_links([[0.2, 0.1, 0.01]], share=0.9) == (Link(0, 1, 0.1), Link(0, 0, 0.2))


def test_a_silent_row_has_no_links() -> None:
    assert kept_links([[0.0, 0.0]], share=0.9) == ()


@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=9), st.floats(0.05, 1.0))
def test_no_link_could_be_left_out(row: list[float], share: float) -> None:
    kept = [link.weight for link in kept_links([row], share)]
    assert sum(kept) >= share * sum(row) - 1e-5
    assert sum(kept) - min(kept) < share * sum(row)
    assert kept == sorted(kept), "the strongest is drawn last, on top"


def test_width_and_opacity_go_by_weight() -> None:
    faint, strong = Link(0, 0, 0.0), Link(0, 0, 1.0)
    assert (faint.width, strong.width) == (THINNEST, THICKEST)
    assert faint.opacity < strong.opacity < 1.0


def test_keys_stand_above_if_they_fit_in_a_line_else_left() -> None:
    assert decided(by_hand()).side == "above"
    many = AttentionMap([[1.0] + [0.0] * 46], query_labels=["x"], key_labels=["word"] * 47)
    assert decided(many).side == "left"
    assert decided(by_hand(), side="left").side == "left"


def test_words_do_not_stand_on_one_another() -> None:
    layout = decided(several_heads().head(0))
    gaps = [right - left for left, right in pairwise(layout.key_places)]
    assert min(gaps) > 20
    assert 0 < layout.key_places[0] < layout.key_places[-1] < layout.extent


def test_the_share_is_said() -> None:
    assert decided(by_hand()).notes == ("links that hold 90% of each row",)
    assert decided(by_hand(), share=1.0).notes == ("all links",)


def test_several_heads_are_drawn_one_under_the_other() -> None:
    layout = several_heads().layout("flow")
    assert isinstance(layout, Facets)
    assert len(layout.panels) == 3


@pytest.mark.parametrize("share", [0.0, -0.5, 1.5, float("nan")])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(RegardError) as caught:
        by_hand().svg("flow", share=share)
    assert str(caught.value) == f"share must lie above 0 and at most at 1, but got {share}."


def test_an_unknown_side_is_refused() -> None:
    with pytest.raises(RegardError) as caught:
        by_hand().svg("flow", side="below")
    assert str(caught.value) == 'side must be "above" or "left", but got \'below\'.'
