"""``regard demo``: every worked example, computed and drawn."""

from pathlib import Path

import click


@click.command()
@click.option("--into", type=click.Path(path_type=Path), default=Path("runs/worked"), show_default=True,
              help="The folder for the pages and pictures.")  # fmt: skip
@click.option("--language", default="en", show_default=True, help="en or zh.")
def demo(into: Path, language: str) -> None:
    """Compute and draw every worked example.

    Writes a page (HTML) and a picture (SVG) for each, and one page that lists them all.

    \b
    Examples:
      regard demo
      regard demo --into pages --language zh
    """
    from regard import worked
    from regard.cli.files import writing

    with writing(into):
        index = worked.write(into, language)
    for name, example in worked.EXAMPLES.items():
        click.echo(f"  {name:<10} {example.title.to(language)}")
    click.echo(
        f"\nOpen {index} in a browser; each example has its page and its picture beside it.\n"
        "Next, in the terminal:\n"
        "  regard explain good                       three words, number by number\n"
        "  regard explain kitten --d 256             why scores are divided by √d\n"
        '  regard explain --words "the cat sat"      your own words\n'
        '  regard explain --vectors "1,3,2; 1,1,3"   your own numbers'
    )
