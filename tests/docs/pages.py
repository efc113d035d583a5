"""The chapters of the guide, by number and language."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
LANGUAGES = ("en", "zh")
NUMBERS = range(1, 11)

FORMULA = re.compile(
    r"^```\{math\}\n:label: (?P<label>[a-z-]+)\n(?P<formula>.*?)^```$", re.MULTILINE | re.DOTALL
)


def chapter(number: int, language: str) -> Path:
    """The file of a chapter."""
    (found,) = (DOCS / "guide" / language).glob(f"{number:02d}-*.md")
    return found


def text(number: int, language: str) -> str:
    """What a chapter says."""
    return chapter(number, language).read_text(encoding="utf-8")


def formulas(language: str) -> dict[str, str]:
    """Every formula of the guide by its label, without the language in front."""
    found: dict[str, str] = {}
    for number in NUMBERS:
        for match in FORMULA.finditer(text(number, language)):
            spoken, _, label = match["label"].partition("-")
            assert spoken == language
            assert label not in found
            found[label] = match["formula"]
    return found
