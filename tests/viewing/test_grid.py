import pytest
import torch

from regard.errors import RegardError
from regard.viewing import AttentionMap, AttentionMaps
from regard.viewing.grid import Grid
from tests.viewing.some import by_hand, several_heads, triangle


def decided(seen: AttentionMap | AttentionMaps, **options: object) -> Grid:
    layout = seen.layout("grid", **options)
    assert isinstance(layout, Grid)
    return layout


def three_sharpnesses() -> AttentionMap:
    even, halved, sharp = [0.25] * 4, [0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]
    return AttentionMap(
        torch.tensor([[even], [sharp], [halved]]), query_labels=["x"], key_labels=list("abcd")
    )


def test_heads_stand_in_order_of_the_measure() -> None:
    (strip,) = decided(three_sharpnesses()).strips
    assert [each.name for each in strip.thumbnails] == ["head 1", "head 2", "head 0"]
    assert [each.number for each in strip.thumbnails] == ["1.00", "0.50", "0.25"]
    (strip,) = decided(three_sharpnesses(), order="entropy").strips
    assert [each.name for each in strip.thumbnails] == ["head 0", "head 2", "head 1"]


def test_heads_may_keep_their_order() -> None:
    layout = decided(three_sharpnesses(), order=None)
    assert [each.name for each in layout.strips[0].thumbnails] == ["head 0", "head 1", "head 2"]
    assert layout.notes == ()


def test_the_order_is_said_and_so_is_what_a_head_does() -> None:
    layout = decided(three_sharpnesses())
    assert layout.notes == ("heads in order of sharpness, the number beside each",)
    assert [each.caption for each in layout.strips[0].thumbnails] == ["sharp", "first token", "even"]


def test_every_attention_has_its_row() -> None:
    layout = decided(AttentionMaps([by_hand(), several_heads(), triangle()]))
    assert [strip.name for strip in layout.strips] == ["decoder.0.cross", "decoder.1.cross", "decoder.0.self"]
    assert layout.title == "3 attentions, 5 heads"
    assert layout.strips[2].thumbnails[0].values[0] == (1.0, None, None)


def test_an_order_that_is_no_measure_is_refused() -> None:
    with pytest.raises(RegardError) as caught:
        several_heads().svg("grid", order="beauty")
    assert str(caught.value) == (
        "a measure must be one of entropy, sharpness, diagonality, previous, same, next, first, end, "
        "evenness, or effect where it was tried, but got 'beauty'."
    )
    with pytest.raises(RegardError) as caught:
        several_heads().svg("grid", order="previous")
    assert str(caught.value) == (
        "'previous' cannot be measured in 'decoder.1.cross': it has no such place among its keys."
    )


def test_no_columns_are_refused() -> None:
    with pytest.raises(RegardError) as caught:
        several_heads().svg("grid", columns=0)
    assert str(caught.value) == "columns must be 1 or more, but got 0."
