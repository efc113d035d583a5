"""``regard look``: the attention of one sentence, in the terminal or as a figure."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from regard.viewing.maps import Kind


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("text")
@click.option("--target", help="A translation to look at, even one the model did not write.")
@click.option("--layer", type=int, help="One layer, counting from 0; the last if left out.")
@click.option("--head", type=int, help="One head, counting from 0; the mean of all if left out.")
@click.option(
    "--kind",
    type=click.Choice(["cross", "self", "decoder self"]),
    default="cross",
    show_default=True,
    help="Which attention.",
)
@click.option("--pieces", is_flag=True, help="Subwords as the model sees them, not words.")
@click.option("--view", type=click.Choice(["heatmap", "flow", "grid"]), help="How to draw it.")
@click.option("--checkpoint", default="best", show_default=True, help="best, last, or a step.")
@click.option(
    "--save", type=click.Path(path_type=Path), help="A .svg, .png, .pdf, .html, .json or .npz file."
)
def look(
    run: Path,
    text: str,
    target: str | None,
    layer: int | None,
    head: int | None,
    kind: "Kind",
    pieces: bool,
    view: str | None,
    checkpoint: str,
    save: Path | None,
) -> None:
    """Translate a sentence, then look where the model looked while writing each word.

    \b
    Examples:
      regard look runs/demo "i'm home ."
      regard look runs/demo "i'm home ." --save home.svg --view flow
      regard look runs/demo "i'm home ." --target "je suis à la maison ."
      regard look runs/demo "i'm home ." --save home.html
    """
    from regard.runs import Translator
    from regard.runs.looking import chosen

    translator = Translator.load(run, checkpoint=checkpoint)
    maps = translator.look(text, target, subwords=pieces)
    if save is not None:
        drawn = maps if save.suffix in (".html", ".json", ".npz") else chosen(maps, kind, layer, head)
        options = {} if view is None or save.suffix in (".html", ".json", ".npz") else {"view": view}
        drawn.save(save, **options)
        click.echo(f"Saved {save}.")
        return
    chosen(maps, kind, layer, head).show(view)
