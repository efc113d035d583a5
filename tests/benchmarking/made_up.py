"""Corpora made up for tests, under the names that recipes give them."""

import gzip
import lzma
from pathlib import Path

from regard.recipe import Recipe

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
HAN = "猫狗看吃喝大小好"


def a_sentence(number: int, language: str = "") -> str:
    """Another for each number; the same words for each language but Chinese."""
    chosen = [(number * step + step) % len(WORDS) for step in (1, 3, 5)]
    if language == "zh":
        return "".join(HAN[place] for place in chosen) + f"{number}。"
    return " ".join(WORDS[place] for place in chosen) + f" n{number}"


def write(path: Path, lines: list[str]) -> Path:
    """A file of lines, packed as its name says."""
    content = "".join(f"{line}\n" for line in lines).encode()
    pack = {".gz": gzip.compress, ".xz": lzma.compress}.get(path.suffix, bytes)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pack(content))
    return path


def furnish(folder: Path, names: tuple[str, ...], recipe: Recipe, *, first: int, pairs: int) -> None:
    """The files of a source beside a recipe: one of pairs with a column to spare, or two parallel ones."""
    data = recipe.data
    numbers = range(first, first + pairs)
    sides = [
        [a_sentence(one, language) for one in numbers]
        for language in (data.source_language, data.target_language)
    ]
    if len(names) == 2:
        for name, side in zip(names, sides, strict=True):
            write(folder / name, side)
        return
    rows = [["", "", "spare"] for _ in numbers]
    for column, side in zip(data.columns, sides, strict=True):
        for row, sentence in zip(rows, side, strict=True):
            row[column - 1] = sentence
    write(folder / names[0], ["\t".join(row) for row in rows])
