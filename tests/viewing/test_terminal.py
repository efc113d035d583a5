import io
import re

import pytest
import torch
from rich.cells import cell_len

from regard.errors import RegardError
from regard.viewing import AttentionMap, AttentionMaps, film, positions
from regard.viewing.terminal import colours_of_terminal, theme_of_terminal
from tests.viewing.hostile import HOSTILE
from tests.viewing.some import by_hand, several_heads, triangle

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_plain_text_is_a_table_of_numbers() -> None:
    assert by_hand().text().split("\n") == [
        "decoder.0.cross",
        "       the  cat <end>",
        "le     .70  .25   .05",
        "chat   .00  .50   .50",
    ]


def test_a_masked_cell_is_a_dot() -> None:
    assert triangle().text().split("\n") == [
        "decoder.0.self",
        "      <begin>   le chat",
        "le       1.00    ·    ·",
        "chat      .50  .50    ·",
        "dort      .33  .33  .33",
    ]


def test_chinese_stands_two_columns_wide() -> None:
    lines = AttentionMap(torch.eye(3), query_labels=["我", "喜欢", "cat"]).text().split("\n")
    assert lines[1:] == [
        "        我 喜欢  cat",
        "我    1.00  .00  .00",
        "喜欢   .00 1.00  .00",
        "cat    .00  .00 1.00",
    ]
    assert len({cell_len(line) for line in lines[1:]}) == 1


def test_a_map_too_broad_for_numbers_is_shaded_and_its_words_written_downwards() -> None:
    many = AttentionMap(torch.eye(11), query_labels=["ab"] * 11)
    lines = many.text(width=27).split("\n")
    assert lines[1:3] == ["   " + " ".join("a" * 11), "   " + " ".join("b" * 11)]
    assert lines[3] == "ab ██"
    assert lines[4] == "ab   ██"


@pytest.mark.parametrize("width", [20, 40, 80])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    words = ["supercalifragilistic", "我们", "b", "cat", "<end>"] * 5
    seen = AttentionMap(torch.eye(25), query_labels=words)
    assert max(cell_len(line) for line in seen.text(width=width).split("\n")[1:]) <= max(width, 27)


def test_colours_depend_on_the_terminal() -> None:
    assert colours_of_terminal({"TERM": "xterm-256color"}, is_terminal=True) == "256"
    assert colours_of_terminal({"TERM": "xterm", "COLORTERM": "24bit"}, is_terminal=True) == "24-bit"
    assert colours_of_terminal({"TERM": "dumb", "COLORTERM": "24bit"}, is_terminal=True) == "none"
    assert colours_of_terminal({"TERM": "vt100"}, is_terminal=True) == "none"
    assert colours_of_terminal({"COLORTERM": "truecolor", "NO_COLOR": "1"}, is_terminal=True) == "none"
    assert colours_of_terminal({"COLORTERM": "truecolor", "NO_COLOR": ""}, is_terminal=True) == "24-bit"
    assert colours_of_terminal({"COLORTERM": "truecolor"}, is_terminal=False) == "none"


def test_colours_change_nothing_but_the_colour() -> None:
    seen = by_hand()
    for colours, mark in (("24-bit", "\x1b[48;2;"), ("256", "\x1b[48;5;")):
        coloured = seen.text(colours=colours)
        assert mark in coloured
        assert ESCAPES.sub("", coloured) == seen.text()


def test_equal_weights_have_equal_colours() -> None:
    row = by_hand().text(colours="24-bit").split("\n")[-1]
    grounds = re.findall(r"48;2;(\d+;\d+;\d+)m", row)
    assert grounds[1] == grounds[2] != grounds[0]


def test_showing_prints_in_colour_to_a_terminal_and_plainly_to_a_pipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal, pipe = Terminal(), io.StringIO()
    by_hand().show(file=terminal)
    by_hand().show(file=pipe)
    assert "\x1b[48;2;" in terminal.getvalue()
    assert pipe.getvalue() == by_hand().text() + "\n"
    monkeypatch.setenv("NO_COLOR", "1")
    silent = Terminal()
    by_hand().show(file=silent)
    assert silent.getvalue() == pipe.getvalue()


def test_showing_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    by_hand().show()
    assert capsys.readouterr().out == by_hand().text() + "\n"


def test_a_stream_that_knows_only_ascii_is_written_all_the_same() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", write_through=True)
    AttentionMap([[1.0]], query_labels=["猫"]).show(file=stream)
    assert b"\\u732b" in raw.getvalue()


def test_the_ground_is_dark_unless_said_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLORFGBG", raising=False)
    assert theme_of_terminal() == "dark"
    monkeypatch.setenv("COLORFGBG", "0;15")
    assert theme_of_terminal() == "light"


def test_a_flow_is_told_link_by_link() -> None:
    assert by_hand().text("flow").split("\n") == [
        "decoder.0.cross",
        "links that hold 90% of each row",
        "le   ← the .70  cat .25",
        "chat ← <end> .50  cat .50",
    ]


def test_a_grid_stands_in_as_many_columns_as_fit() -> None:
    broad = several_heads().text("grid", width=100).split("\n")
    assert all(f"head {head}" in broad[3] for head in range(3))
    narrow = several_heads().text("grid", width=20).split("\n")
    assert sum("head" in line for line in narrow[2:]) == 3


def test_films_positions_and_many_maps_have_a_plain_form() -> None:
    seen = by_hand()
    assert "step 1,000" in film([(0, seen), (1000, seen)]).text()
    assert positions(torch.eye(3)).text().split("\n")[1:] == [
        "     0  █▒▒",
        "     1  ▒█▒",
        "     2  ▒▒█",
        "        −1 … 1",
    ]
    both = AttentionMaps([by_hand(), triangle()])
    assert "decoder.0.self" in both.text()
    assert both.text("heatmap").split("\n")[:2] == ["", "decoder.0.cross"]


def test_hostile_tokens_send_no_escape_to_the_terminal() -> None:
    seen = AttentionMap(torch.eye(len(HOSTILE)), query_labels=HOSTILE, name="\x1b[2J", notes=["\x07"])
    for view in ("heatmap", "flow", "grid"):
        text = seen.text(view)
        assert all(letter == "\n" or letter.isprintable() for letter in text)


def test_unknown_colours_are_refused() -> None:
    with pytest.raises(RegardError) as caught:
        by_hand().text(colours="cmyk")
    assert str(caught.value) == "colours must be one of 'none', '256', '24-bit', but got 'cmyk'."
