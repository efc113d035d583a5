"""``regard explain``: the arithmetic of one attention, number by number."""

from pathlib import Path

import click


@click.command(short_help="Show the arithmetic of one attention, number by number.")
@click.argument("what", required=False, metavar="[EXAMPLE|FILE]")
@click.option("--words", help='Words to explain, such as "I am good".')
@click.option("--vectors", help='Their vectors, such as "1,3,2; 1,1,3; 1,2,1"; made up if left out.')
@click.option("--key-words", help="Words that are looked at, if others than those that look.")
@click.option("--keys", help="Vectors that are looked at, if others than those that look.")
@click.option("--values", help="Vectors that are brought back, if others than the keys.")
@click.option(
    "--score", help="dot, scaled-dot (as attend does), gaussian, boxcar, triangular, epanechnikov, uniform."
)
@click.option("--scale/--no-scale", default=None, help="Divide dot products by √d, or not.")
@click.option("--bandwidth", type=float, help="How far a kernel such as gaussian reaches.")
@click.option("--mask", help="causal, or window:BEFORE,AFTER.")
@click.option("--lengths", help="How many keys may be seen: one count, or one for each query.")
@click.option("--d", type=int, help="The width by whose root the example kitten divides.")
@click.option("--digits", type=int, help="How many digits behind the point.  [default: 4]")
@click.option("--save", type=click.Path(path_type=Path), multiple=True,
              help="Write a page (.html) or the picture (.svg, .png, .pdf) instead of printing.")  # fmt: skip
@click.option("--language", default="en", show_default=True, help="en or zh.")
def explain(what: str | None, save: tuple[Path, ...], language: str, **options: object) -> None:
    """Show the arithmetic of one attention: similarities, scaling, mask, softmax, weighted sum.

    Without arguments, lists the worked examples. A FILE is TOML with the names of the
    options below (vectors = [[1, 3, 2], …]), or CSV with a word and its numbers on each line.

    \b
    Examples:
      regard explain
      regard explain good
      regard explain kitten --d 256 --language zh
      regard explain --words "the cat sat" --mask causal
      regard explain --vectors "1,3,2; 1,1,3; 1,2,1" --words "I am good" --score dot
      regard explain numbers.csv --score gaussian --bandwidth 0.5 --save page.html
    """
    from regard.cli.answering import answer, list_examples
    from regard.cli.files import writing

    said = {name: value for name, value in options.items() if value is not None}
    if what is None and not said:
        click.echo(list_examples(language))
        return
    told = answer(what, said, language)
    if not save:
        told.show()
    for path in save:
        with writing(path):
            told.save(path)
        click.echo(f"Wrote {path}")
