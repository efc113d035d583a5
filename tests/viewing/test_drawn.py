from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.viewing import AttentionMaps, film, head_table
from regard.viewing.colours import DARK, LIGHT
from tests.viewing.some import by_hand, several_heads, triangle


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


def test_an_unknown_ending_is_refused() -> None:
    with pytest.raises(RegardError) as caught:
        by_hand().save("a.gif")
    assert str(caught.value) == (
        "a.gif cannot be saved: its name must end in .svg, .png, .pdf, .html, .json or .npz."
    )
    with pytest.raises(RegardError) as caught:
        by_hand().layout().save("a.html")
    assert str(caught.value) == "a.html cannot be saved: its name must end in .svg, .png or .pdf."


def test_an_ending_may_be_in_capitals(tmp_path: Path) -> None:
    for name in ("A.SVG", "A.JSON", "A.NPZ", "A.HTML"):
        assert by_hand().save(tmp_path / name).exists()
    assert list(AttentionMaps.load(tmp_path / "A.JSON")) == ["decoder.0.cross"]


def test_what_is_decided_can_still_take_the_colours_of_another_theme() -> None:
    for light in (
        by_hand().layout("heatmap"),
        AttentionMaps([by_hand(), triangle()]).layout("heatmap"),
        film([(3, by_hand())]),
        head_table({"decoder.0.cross": by_hand()}),
    ):
        dark = light.layout(theme="dark")
        assert f'fill="{LIGHT.ink}"' in light.svg()
        assert f'fill="{LIGHT.ink}"' not in dark.svg()
        assert f'fill="{DARK.paper}"' in dark.svg()
        assert light.layout(theme="light") is light
