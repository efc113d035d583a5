import xml.etree.ElementTree as ET

from regard.viewing import NOT_EXPLANATION, AttentionMap, head_table
from tests.viewing.some import by_hand, several_heads, triangle


def test_every_head_has_its_line_in_the_order_of_a_measure() -> None:
    maps = {"decoder.1.cross": several_heads(), "decoder.0.self": triangle()}
    table = head_table(maps, by="entropy")
    assert [head.value for head in table.heads] == sorted((h.value for h in table.heads), reverse=True)
    assert len(table.heads) == 4
    assert table.title == "4 heads, by entropy"
    lines = table.text(width=120).split("\n")
    assert lines[1] == NOT_EXPLANATION
    assert lines[2].split()[:3] == ["head", "does", "sharpness"]
    assert len(lines) == 3 + 4


def test_effects_are_a_column_where_they_are_known() -> None:
    maps = {"decoder.0.cross": by_hand()}
    assert "effect" not in head_table(maps).columns
    table = head_table(maps, by="effect", effects={"decoder.0.cross": [-0.7]})
    assert table.columns[-1] == "effect"
    assert table.text(width=120).split("\n")[4].endswith("−0.70")
    assert table.notes[1] == "effect: how the log-probability of the answer changes without the head"


def test_a_measure_without_a_column_gets_one() -> None:
    assert head_table({"decoder.0.cross": by_hand()}, by="evenness").columns[-1] == "evenness"


def test_a_table_is_drawn_with_its_words_escaped() -> None:
    drawn = head_table({"<b>&": by_hand()}, effects={"<b>&": [-0.7]}).svg()
    texts = [each.text for each in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert "<b>&:0" in texts
    assert "−0.70" in texts


def test_heads_that_a_measure_does_not_fit_come_last() -> None:
    words = ["a", "b"]
    own = AttentionMap([[0.9, 0.1], [0.8, 0.2]], query_labels=words, name="encoder.0.self")
    across = AttentionMap(
        [[0.9, 0.1]], query_labels=["c"], key_labels=words, kind="cross", name="decoder.0.cross"
    )
    table = head_table({"decoder.0.cross": across, "encoder.0.self": own}, by="previous")
    assert [head.map_name for head in table.heads] == ["encoder.0.self", "decoder.0.cross"]
