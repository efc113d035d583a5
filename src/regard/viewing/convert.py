"""SVG to PNG and PDF, by typst: one wheel, nothing else to install (decision 0010)."""

import re
from pathlib import Path
from typing import Literal

from regard.errors import RegardError
from regard.viewing.typography import east_asian

# A page as large as the picture, without a date, so that the same figure is the same file.
PAGE = (
    "#set document(date: none)\n"
    "#set page(width: auto, height: auto, margin: 0pt, fill: none)\n"
    '#image(bytes(sys.inputs.svg), format: "svg")\n'
)
PIXELS_PER_INCH = 96  # what a unit of SVG is taken for
EAST_ASIAN_FONTS = re.compile(
    "cjk|han s|han mono|wenquanyi|sans fallback|pingfang|heiti|song|kai|yahei|simsun|simhei|dengxian"
    "|jhenghei|mingliu|ar pl|hiragino|arial unicode|gothic|mincho|nanum|noto (sans|serif) (sc|tc|hk|jp|kr)",
    re.IGNORECASE,
)


def convert(
    svg: str, kind: Literal["png", "pdf"], *, scale: float = 2.0, fonts: str | Path | None = None
) -> bytes:
    """Turn SVG text into the bytes of a PNG or a PDF, whose letters stay letters.

    ``fonts`` is a folder of fonts to use besides those installed.
    """
    try:
        import typst
    except ImportError:
        raise RegardError(
            "PNG and PDF need the figures extra, pip install 'regard[figures]'; .svg can be saved without it."
        ) from None
    if not scale > 0:
        raise RegardError(f"scale must be above 0, but got {scale}.")
    if fonts is not None and not Path(fonts).is_dir():
        raise RegardError(f"fonts must be a folder of fonts, but {fonts} is none.")
    found = typst.Fonts(font_paths=[] if fonts is None else [str(fonts)])
    if fonts is None:
        _ask_for_a_font(svg, found.families())
    drawn = typst.compile(
        PAGE.encode(), format=kind, ppi=PIXELS_PER_INCH * scale, sys_inputs={"svg": svg}, font_paths=found
    )
    assert isinstance(drawn, bytes)
    return drawn


def _ask_for_a_font(svg: str, families: list[str]) -> None:
    """Refuse to draw empty boxes."""
    letter = next((letter for letter in svg if east_asian(letter)), None)
    if letter and not any(EAST_ASIAN_FONTS.search(family) for family in families):
        raise RegardError(
            f"no font here has {letter}: install one such as Noto Sans CJK SC (Debian: fonts-noto-cjk), "
            "name a folder that holds one with fonts=, or save as .svg."
        )
