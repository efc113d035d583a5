"""Text that nobody expects, and files that do not belong together."""

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import torch

from regard.errors import DataError
from regard.models import Transformer
from regard.recipe import DataSettings, Recipe
from regard.runs.preparing import prepare
from regard.text import Tokenizer, read
from regard.translation import Translator
from regard.translation.settings import SearchSettings

_AT_ONCE = 100
NASTY = (
    "",
    " ",
    "\t",
    "\r",
    "\r\n",
    "\x00",
    "\x0b\x0c\x1c\x85\u2028\u2029",
    "\ufeffbyte order mark",
    "\u202eright to left\u202c",
    "<begin> <end> <padding> <unknown>",
    "⟨end⟩",
    "Ġ▁@@",
    "e\u0301 é",
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "\U0010ffff\ud7ff\ue000",
    "a" * 300,
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \ufdfd \u202e \u200b \u00ad",
    "看小猫，它好可爱",
    "</script><script>alert(1)</script>",
    "'; DROP TABLE pairs; --",
    "../../etc/passwd",
    "%s %d {0} ${x}",
)


def hostile_strings(folder: Path, times: int) -> Iterator[str]:
    """Any characters: through the tokenizer and back, into training data and out, one line for one line."""
    chance = random.Random(17)
    plain = [("the cat sleeps .", "le chat dort .")] * 3
    tokenizers = [Tokenizer.train(plain, kind=kind) for kind in ("byte-level", "byte-fallback", "words")]
    torch.manual_seed(1)
    size = len(tokenizers[0].source)
    model = Transformer(vocabulary=size, width=6, heads=2, layers=1, hidden_width=7)
    translator = Translator(model.eval(), tokenizers[0])
    settings = SearchSettings(beam=1)
    for start in range(0, times, _AT_ONCE):
        count = min(_AT_ONCE, times - start)
        texts = [
            NASTY[number] if number < len(NASTY) else any_text(chance)
            for number in range(start, start + count)
        ]
        lines = [text.replace("\n", " ") for text in texts]
        answers = [one.text for one in translator.translate_lines(lines, settings=settings)]
        in_step = len(answers) == count and not any("\n" in answer for answer in answers)
        kept = _read_back(folder, texts)
        for text, is_kept in zip(texts, kept, strict=True):
            lost = [one.kind for one in tokenizers if one.source.decode(one.source.encode(text)) != text]
            if lost:
                yield f"{text!r} does not come back from {lost}"
            elif not is_kept:
                yield f"{text!r} is not read as it was written"
            else:
                yield "" if in_step else "there is not one line for each"


def any_text(chance: random.Random) -> str:
    """Some characters from anywhere in Unicode."""
    ends = chance.choice([0x7F, 0x2FF, 0x3000, 0xFFFF, 0x10FFFF])
    points = [chance.randrange(ends + 1) for _ in range(chance.randrange(1, 16))]
    return "".join(chr(point) for point in points if not 0xD800 <= point <= 0xDFFF)


def _read_back(folder: Path, texts: list[str]) -> list[bool]:
    """Whether each text, as training data, is read as it stands or left out by the stated rule."""
    path = folder / "hostile.jsonl"
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for text in [*texts, "a sound one"]:
            file.write(json.dumps({"source": text, "target": text}) + "\n")
    found = {pair.source for pair in read(path, skip_bad=True).pairs}
    return [text in found or not text.strip() or "\0" in text or "\n" in text for text in texts]


Files = tuple[bytes, bytes]

CORRUPTIONS: dict[str, Callable[[bytes, bytes], Files]] = {
    "the target is short": lambda source, target: (source, target.rsplit(b"\n", 2)[0] + b"\n"),
    "the source is short": lambda source, target: (source.rsplit(b"\n", 2)[0] + b"\n", target),
    "a line was lost in the middle": lambda source, target: (
        source,
        b"\n".join(line for number, line in enumerate(target.split(b"\n")) if number != 20),
    ),
    "one file ends its lines otherwise": lambda source, target: (source, target.replace(b"\n", b"\r\n")),
    "an empty line": lambda source, target: (source, _line(target, b"")),
    "a blank line": lambda source, target: (source, _line(target, b" \xc2\xa0 ")),
    "a NUL": lambda source, target: (source, _line(target, b"le \x00 chat")),
    "a lone surrogate": lambda source, target: (source, _line(target, b"le \xed\xa0\x80 chat")),
    "Latin-1": lambda source, target: (source, target.decode().encode("latin-1")),
    "UTF-16": lambda source, target: (source, target.decode().encode("utf-16")),
    "cut in the middle of a character": lambda source, target: (source, target.rstrip(b"\n") + b" \xc3"),
    "an endless line": lambda source, target: (source, _line(target, b"x" * (1 << 21))),
}


def _line(data: bytes, line: bytes) -> bytes:
    lines = data.split(b"\n")
    lines[20] = line
    return b"\n".join(lines)


def corrupted_files(folder: Path, times: int) -> Iterator[str]:
    """Parallel files that do not fit: refused before the first step, with file, line and byte."""
    source = "".join(f"the cat {number} is here .\n" for number in range(40)).encode()
    target = "".join(f"le chat {number} est là .\n" for number in range(40)).encode()
    names = list(CORRUPTIONS)
    for number in range(times):
        name = names[number % len(names)]
        packed = number // len(names) % 2 == 1
        files = []
        for side, content in zip(("source", "target"), CORRUPTIONS[name](source, target), strict=True):
            path = folder / f"{number}.{side}{'.gz' if packed else ''}"
            path.write_bytes(gzip.compress(content) if packed else content)
            files.append(str(path))
        try:
            prepare(Recipe(data=DataSettings(train=tuple(files))), device="cpu")
        except DataError as error:
            told = re.match(rf"{re.escape(str(folder))}/\S+, line \d+, byte \d+: ", str(error))
            yield "" if told else f"{name}: {error}"
        else:
            yield f"{name} was taken"
