"""``regard translate``: text in, text out."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("texts", nargs=-1, metavar="[TEXT …]")
@click.option("--beam", default=5, show_default=True, help="How many hypotheses are kept; 1 is greedy.")
@click.option("--alternatives", default=0, show_default=True, help="How many other translations to show.")
@click.option("--checkpoint", default="best", show_default=True, help="best, last, or a step.")
@click.option("--device", default="cpu", show_default=True, help="cpu, cuda or mps.")
@click.option("--confidence", is_flag=True, help="Show how sure the model is of each word.")
def translate(
    run: Path,
    texts: tuple[str, ...],
    beam: int,
    alternatives: int,
    checkpoint: str,
    device: str,
    confidence: bool,
) -> None:
    """Translate with a run: texts given as arguments, or else lines from standard input.

    Exactly one line comes out for each line that goes in, in order.

    \b
    Examples:
      regard translate runs/demo "i'm home ."
      regard translate runs/demo < source.txt > target.txt
      regard translate runs/demo "the cat sleeps ." --alternatives 2 --confidence
    """
    from regard.runs import Translator

    translator = Translator.load(run, checkpoint=checkpoint, device=device)
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


def _translate_lines(translator: "Translator", beam: int) -> None:  # type: ignore[name-defined] # noqa: F821
    """Bytes in, bytes out: a line is what "\\n" ends; the last need not be ended."""
    out = sys.stdout.buffer
    window = 1 if sys.stdin.isatty() else 1_000
    ended = True

    def lines() -> Iterator[str]:
        nonlocal ended
        for line in sys.stdin.buffer:
            ended = line.endswith(b"\n")
            yield line.removesuffix(b"\n").decode("utf-8", errors="replace")

    done = 0
    for done, found in enumerate(translator.translate_lines(lines(), beam=beam, window=window), start=1):
        out.write(found.text.replace("\n", " ").encode("utf-8") + b"\n")
        if window == 1:
            out.flush()
        elif done % 100 == 0 and sys.stderr.isatty():
            click.echo(f"\r{done:,} lines", nl=False, err=True)
    if done >= 100 and sys.stderr.isatty():
        click.echo(err=True)
    out.flush()
