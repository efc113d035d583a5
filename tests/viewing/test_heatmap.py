import pytest
import torch

from regard.errors import RegardError
from regard.viewing import AttentionMap
from regard.viewing.colours import DARK, LIGHT
from regard.viewing.drawn import Facets
from regard.viewing.heatmap import Heatmap, Label, Scale, cell_for
from tests.viewing.some import by_hand, several_heads, triangle


def decided(seen: AttentionMap, **options: object) -> Heatmap:
    layout = seen.layout("heatmap", **options)
    assert isinstance(layout, Heatmap)
    return layout


def numbered(count: int) -> AttentionMap:
    return AttentionMap(torch.eye(count), query_labels=[f"t{i}" for i in range(count)])


def test_queries_go_down_and_keys_across() -> None:
    layout = decided(by_hand())
    assert [label.shown for label in layout.rows if label] == ["le", "chat"]
    assert [label.shown for label in layout.columns if label] == ["the", "cat", "<end>"]
    assert layout.axes == ("target", "source")
    assert layout.title == "decoder.0.cross"


def test_the_scale_is_fixed_whatever_the_weights() -> None:
    assert decided(by_hand()).scale == decided(several_heads().head(0)).scale == Scale(0.0, 1.0)
    assert [written for _, written in Scale(0.0, 1.0).ticks()] == ["0", "0.5", "1"]


def test_colour_goes_by_weight() -> None:
    layout = decided(by_hand())
    assert layout.colour(1, 0) == LIGHT.weight_ramp()[0]
    assert layout.colour(1, 1) == layout.colour(1, 2) == LIGHT.weight_ramp()[128]
    assert decided(by_hand(), theme="dark").colour(1, 0) == DARK.weight_ramp()[0]


def test_masked_cells_are_grey() -> None:
    layout = decided(triangle())
    assert layout.masked == "masked"
    assert layout.values[0] == (1.0, None, None)
    assert layout.colour(0, 1) == LIGHT.masked
    assert decided(by_hand()).masked == ""
    assert ">masked</text>" in layout.svg()


def test_a_figure_speaks_the_language_of_its_axes() -> None:
    chinese = decided(triangle().replace(axes=("查询", "键")))
    assert chinese.masked == "已掩码"
    assert ">已掩码</text>" in chinese.svg()
    assert ">masked</text>" not in chinese.svg()


def test_rows_that_do_not_sum_to_one_are_marked() -> None:
    halved = by_hand().replace(weights=by_hand().weights * torch.tensor([[0.5], [0.25]]))
    assert decided(halved).notes == ("rows sum to 0.25 … 0.50",)
    assert decided(by_hand().without("<end>")).notes == ("<end> hidden", "rows sum to 0.50 … 0.95")
    assert decided(by_hand().replace(weights=by_hand().weights / 4)).notes == ("rows sum to 0.25",)
    assert decided(by_hand()).notes == ()


def test_the_title_names_the_head_and_may_be_chosen() -> None:
    assert decided(several_heads().head(2)).title == "decoder.1.cross · head 2"
    assert decided(several_heads().mean()).title == "decoder.1.cross · mean of 3 heads"
    assert decided(by_hand(), title="Figure 3").title == "Figure 3"
    assert decided(by_hand(), title="").title == ""


def test_several_heads_stand_beside_one_another() -> None:
    layout = several_heads().layout("heatmap")
    assert isinstance(layout, Facets)
    assert [panel.title for panel in layout.panels] == ["head 0", "head 1", "head 2"]
    assert several_heads().layout("heatmap", head=1).title == "decoder.1.cross · head 1"


def test_words_that_fit_stand_upright_others_are_turned() -> None:
    def slant(*words: str) -> int:
        return decided(AttentionMap(torch.eye(len(words)), query_labels=words)).slant

    assert slant("我", "爱", "你") == 0
    assert slant("je", "comprends") == 45
    assert slant("je", "Rindfleischetikettierung") == 90
    assert decided(numbered(60)).slant == 90


def test_a_long_word_is_cut_but_known_in_full() -> None:
    word = "Donaudampfschifffahrtsgesellschaft"
    label = decided(AttentionMap([[1.0]], query_labels=[word])).rows[0]
    assert label == Label("Donaudampfschifffahrtsges…", word)


def test_cells_shrink_and_labels_thin_out_as_maps_grow() -> None:
    assert [cell_for(count) for count in (1, 14, 23)] == [30.0, 30.0, pytest.approx(26.96, abs=0.05)]
    shown = [label is not None for label in decided(numbered(211)).rows]
    assert shown[:6] == [True, False, False, False, False, True]
    assert all(label is not None for label in decided(numbered(64)).rows)


def test_numbers_are_written_only_where_they_fit() -> None:
    assert decided(by_hand(), numbers=True).numbers
    assert not decided(numbered(64), numbers=True).numbers
    assert not decided(by_hand()).numbers


def test_an_unknown_view_is_refused() -> None:
    with pytest.raises(RegardError) as caught:
        by_hand().svg("pie")
    assert str(caught.value) == "view must be one of 'heatmap', 'flow', 'grid', but got 'pie'."
