import struct
import sys
from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.viewing import AttentionMap, convert
from tests.viewing.some import by_hand

typst = pytest.importorskip("typst")


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    wide, high = struct.unpack(">II", png[16:24])
    return wide, high


def size_of_svg(svg: str) -> tuple[int, int]:
    wide, high = svg.split('width="')[1].split('"')[0], svg.split('height="')[1].split('"')[0]
    return int(wide), int(high)


def test_a_png_has_scale_pixels_for_each_unit(tmp_path: Path) -> None:
    wide, high = size_of_svg(by_hand().svg())
    assert size_of(by_hand().save(tmp_path / "a.png").read_bytes()) == (2 * wide, 2 * high)
    assert size_of(by_hand().save(tmp_path / "a.PNG", scale=1).read_bytes()) == (wide, high)


def test_a_pdf_is_a_pdf_and_the_same_each_time(tmp_path: Path) -> None:
    first = by_hand().save(tmp_path / "a.pdf", view="flow").read_bytes()
    assert first.startswith(b"%PDF")
    assert b"CreationDate" not in first
    assert by_hand().save(tmp_path / "b.pdf", view="flow").read_bytes() == first


def test_an_svg_is_written_as_it_is(tmp_path: Path) -> None:
    assert by_hand().save(tmp_path / "a.svg").read_text(encoding="utf-8") == by_hand().svg()


def test_svg_needs_no_converter_and_the_others_say_what_they_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    by_hand().save(tmp_path / "a.svg")
    with pytest.raises(RegardError) as caught:
        by_hand().save(tmp_path / "a.png")
    assert str(caught.value) == (
        "PNG and PDF need the figures extra, pip install 'regard[figures]'; .svg can be saved without it."
    )


def test_a_missing_chinese_font_is_asked_for_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class NoChineseFonts:
        def __init__(self, font_paths: list[str]) -> None: ...

        def families(self) -> list[str]:
            return ["DejaVu Sans", "Liberation Sans"]

    seen = AttentionMap([[1.0]], query_labels=["chat"], key_labels=["猫"])
    monkeypatch.setattr(typst, "Fonts", NoChineseFonts)
    with pytest.raises(RegardError) as caught:
        seen.save(tmp_path / "a.png")
    assert str(caught.value) == (
        "no font here has 猫: install one such as Noto Sans CJK SC (Debian: fonts-noto-cjk), "
        "name a folder that holds one with fonts=, or save as .svg."
    )


@pytest.mark.parametrize(
    "family",
    [
        "Noto Sans CJK SC",
        "Noto Serif SC",
        "Source Han Sans CN",
        "WenQuanYi Zen Hei",
        "Microsoft YaHei",
        "PingFang SC",
        "SimSun",
    ],
)
def test_a_font_that_has_chinese_is_found(family: str) -> None:
    convert._ask_for_a_font("猫", ["DejaVu Sans", family])


def test_a_folder_of_fonts_must_be_one(tmp_path: Path) -> None:
    with pytest.raises(RegardError) as caught:
        by_hand().save(tmp_path / "a.png", fonts=tmp_path / "none")
    assert str(caught.value) == f"fonts must be a folder of fonts, but {tmp_path / 'none'} is none."


def test_a_scale_must_be_positive(tmp_path: Path) -> None:
    with pytest.raises(RegardError) as caught:
        by_hand().save(tmp_path / "a.png", scale=0)
    assert str(caught.value) == "scale must be above 0, but got 0."
