"""``regard translate``: text in, text out."""

import os
import stat
import sys
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from regard.cli.starting import gathering
from regard.wording import counted

if TYPE_CHECKING:
    from regard.runs import Translator


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("texts", nargs=-1, metavar="[TEXT …]")
@click.option(
    "--beam",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="How many hypotheses are kept; 1 is greedy.",
)
@click.option(
    "--alternatives",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="How many other translations to show.",
)
@click.option("--checkpoint", default="best", show_default=True, help="best, last, or a step.")
@click.option("--device", default="cpu", show_default=True, help="cpu, cuda or mps.")
@click.option("--engine", default="regard", show_default=True, help="What searches: regard or ctranslate2.")
@click.option("--quantization", help="int8: faster on a CPU, at a small cost in quality.")
@click.option("--shortlist", is_flag=True, help="Write in likely tokens alone: faster, at a small cost.")
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    help="How many search where there are many lines; as many as torch has threads, if not given.",
)
@click.option("--confidence", is_flag=True, help="Show how sure the model is of each word.")
def translate(
    run: Path,
    texts: tuple[str, ...],
    beam: int,
    alternatives: int,
    checkpoint: str,
    device: str,
    engine: str,
    quantization: str | None,
    shortlist: bool,
    processes: int | None,
    confidence: bool,
) -> None:
    """Translate with a run: texts given as arguments, or else lines from standard input.

    Exactly one line comes out for each line that goes in, in order.

    \b
    Examples:
      regard translate runs/demo "i'm home ."
      regard translate runs/demo < source.txt > target.txt
      regard translate runs/demo "the cat is sleeping ." --alternatives 2 --confidence
    """
    if not texts and (alternatives or confidence):
        named = "--alternatives" if alternatives else "--confidence"
        raise click.UsageError(
            f"{named} is for texts given as arguments: of lines from standard input each gives one line."
        )
    with gathering():
        from regard.runs import Translator

    translator = Translator.load(
        run,
        checkpoint=checkpoint,
        device=device,
        engine=engine,
        quantization=quantization,
        processes=processes,
        shortlist=shortlist,
    )
    if not texts:
        _translate_lines(translator, beam)
        return
    for found in translator.translate(texts, beam=max(beam, alternatives + 1), alternatives=alternatives):
        click.echo(found.text)
        if confidence:
            click.echo("  " + "  ".join(f"{word.text} {word.confidence:.0%}" for word in found.words))
        for other in found.alternatives:
            click.echo(f"  or: {other.text}")
        for warning in found.warnings:
            click.echo(f"regard: {warning}", err=True)


def _translate_lines(translator: "Translator", beam: int) -> None:
    """Bytes in, bytes out: a line is what "\\n" ends; the last need not be ended."""
    out = sys.stdout.buffer
    window = 1 if sys.stdin.isatty() else None
    sizes: deque[int] = deque()
    bad = cut = done = 0

    def lines() -> Iterator[str]:
        nonlocal bad
        for number, line in enumerate(sys.stdin.buffer):
            sizes.append(len(line))
            if number == 0:
                line = line.removeprefix(BOM_UTF8)  # as in files that are learned from
            try:
                yield line.removesuffix(b"\n").decode("utf-8")
            except UnicodeDecodeError:
                bad += 1
                yield line.removesuffix(b"\n").decode("utf-8", errors="replace")

    with _progress() as tell:
        found = translator.translate_lines(lines(), beam=beam, window=window)
        for translation in found:
            done += 1
            out.write(translation.text.replace("\n", " ").encode("utf-8") + b"\n")
            cut += translation.cut
            tell(sizes.popleft())
            if window == 1:
                out.flush()
        out.flush()
    if bad:
        click.echo(
            f"regard: {bad:,} of {counted(done, 'line')} held bytes that are not UTF-8, read as U+FFFD.",
            err=True,
        )
    if cut:
        click.echo(
            f"regard: {cut:,} of {counted(done, 'translation')} had to be cut at the greatest length.",
            err=True,
        )


@contextmanager
def _progress() -> Iterator[Callable[[int], None]]:
    """A bar on standard error where somebody sees it and the input is a file, whose size is known."""
    try:
        given = os.fstat(sys.stdin.fileno())
    except OSError:  # not of the system, as in tests
        given = None
    if given is None or not stat.S_ISREG(given.st_mode) or not sys.stderr.isatty():
        yield lambda size: None
        return
    with click.progressbar(length=given.st_size, label="translating", file=sys.stderr) as bar:
        yield bar.update
