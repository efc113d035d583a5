from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.viewing import AttentionMaps
from tests.viewing.some import by_hand, several_heads


def test_one_head_is_a_heatmap_and_several_are_a_grid() -> None:
    assert by_hand().svg() == by_hand().svg("heatmap")
    assert several_heads().svg() == several_heads().svg("grid")


def test_a_layout_draws_itself_and_takes_no_more_options() -> None:
    layout = by_hand().layout("flow")
    assert layout.svg() == by_hand().svg("flow")
    with pytest.raises(RegardError) as caught:
        layout.svg("heatmap")
    assert str(caught.value) == "this drawing is decided already: give its options to what draws it."


def test_a_map_saves_itself_as_picture_or_as_numbers(tmp_path: Path) -> None:
    for name in ("a.svg", "a.json", "a.npz"):
        assert by_hand().save(tmp_path / name).exists()
        assert AttentionMaps([by_hand()]).save(tmp_path / f"maps-{name}").exists()
    assert list(AttentionMaps.load(tmp_path / "a.npz")) == ["decoder.0.cross"]


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RegardError) as caught:
        by_hand().save(tmp_path / "a.gif")
    assert str(caught.value) == "a.gif cannot be saved: a picture's name ends in .svg, .png, .pdf."
