"""``regard compare``: encoders or mechanisms beside each other, stated and measured."""

from pathlib import Path
from typing import Any

import click


@click.command(short_help="Compare the encoders, or the mechanisms of attention, by measuring them here.")
@click.argument("what", type=click.Choice(["encoders", "mechanisms"]), default="encoders")
@click.option("--lengths", help='Lengths that grow, such as "256,512,1024".')
@click.option("--width", type=int, help="How wide the vectors are.")
@click.option("--kernel", type=int, help="How many neighbours a convolution sees (encoders).")
@click.option("--reach", type=int, help="How far a window and Relative positions reach (mechanisms).")
@click.option("--save", type=click.Path(path_type=Path), multiple=True,
              help="Draw it, too: .svg, .png or .pdf.")  # fmt: skip
def compare(what: str, lengths: str | None, save: tuple[Path, ...], **sizes: int | None) -> None:
    """Compare what is stated with what is measured here.

    ENCODERS (recurrent, convolutional, self-attention): operations, steps in a row and the
    longest path as formulas and numbers; beside them time for growing lengths with its
    power, memory, and after how many steps or layers the last position hears the first,
    found by gradients. MECHANISMS (plain, causal, window, Relative, Gaussian, Additive):
    time, memory, and the path by which attend() answers.

    \b
    Examples:
      regard compare
      regard compare encoders --kernel 3 --lengths 128,256,512
      regard compare mechanisms --save mechanisms.svg
    """
    from rich.console import Console

    from regard.cli.files import writing
    from regard.cli.reading import check_counts
    from regard.comparing import compare_encoders, compare_mechanisms
    from regard.errors import RegardError

    chosen: dict[str, Any] = {name: size for name, size in sizes.items() if size is not None}
    stranger = "reach" if what == "encoders" else "kernel"
    if stranger in chosen:
        raise RegardError(f"--{stranger} means nothing to {what}. Leave it out.")
    if lengths is not None:
        chosen["lengths"] = check_counts(lengths.replace(",", " ").split(), "lengths")
    comparison = compare_encoders(**chosen) if what == "encoders" else compare_mechanisms(**chosen)
    console = Console()
    for table in comparison.tables():
        console.print(table)
    for path in save:
        with writing(path):
            comparison.save(path)
        click.echo(f"Wrote {path}")
