"""``regard look``: the attention of one sentence, in the terminal or as a figure."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from regard.cli.starting import gathering

if TYPE_CHECKING:
    from regard.runs import Translator
    from regard.viewing.drawn import Drawn
    from regard.viewing.maps import Kind
    from regard.viewing.page import Page


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("text", required=False)
@click.option("--target", help="A translation to look at, even one the model did not write.")
@click.option("--layer", type=int, help="One layer, counting from 0.")
@click.option("--head", type=int, help="One head, counting from 0; the sharpest if left out.")
@click.option(
    "--kind",
    type=click.Choice(["cross", "self", "decoder self"]),
    default="cross",
    show_default=True,
    help="Which attention.",
)
@click.option("--pieces", is_flag=True, help="Subwords as the model sees them, not words.")
@click.option("--view", type=click.Choice(["heatmap", "flow", "grid"]), help="How to draw it.")
@click.option("--heads", is_flag=True, help="Every head in a table: what it does, and what it is worth.")
@click.option("--order", default="effect", show_default=True, help="The measure that orders the table.")
@click.option("--arithmetic", metavar="NAME", help="The numbers of one head, as decoder.1.cross.")
@click.option("--word", help="The word whose numbers are shown; the first if left out.")
@click.option("--numbers", default=4, show_default=True, help="How many numbers of a vector are written.")
@click.option("--rollout", is_flag=True, help="What reaches each word through all layers.")
@click.option("--value-norms", is_flag=True, help="Weigh what is looked at by the length of its value.")
@click.option("--film", is_flag=True, help="One head over the training of the run; needs no TEXT.")
@click.option("--checkpoint", default="best", show_default=True, help="best, last, or a step.")
@click.option(
    "--save", type=click.Path(path_type=Path), help="A .svg, .png, .pdf, .html, .json or .npz file."
)
def look(
    run: Path,
    text: str | None,
    target: str | None,
    layer: int | None,
    head: int | None,
    kind: "Kind",
    pieces: bool,
    view: str | None,
    heads: bool,
    order: str,
    arithmetic: str | None,
    word: str | None,
    numbers: int,
    rollout: bool,
    value_norms: bool,
    film: bool,
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
      regard look runs/demo "i'm home ." --heads
      regard look runs/demo "i'm home ." --arithmetic decoder.1.cross --head 2 --word chez
      regard look runs/demo --film --save film.html
    """
    asked = [name for name, on in (("--heads", heads), ("--arithmetic", arithmetic), ("--rollout", rollout),
                                   ("--film", film)) if on]  # fmt: skip
    if len(asked) > 1:
        raise click.UsageError(f"{asked[0]} and {asked[1]} are two pictures: ask for one of them.")
    if film:
        _deliver(_film(run, kind, layer, head), save)
        return
    if text is None:
        raise click.UsageError("Name the TEXT to look at.")
    with gathering():
        from regard.runs import Translator

    translator = Translator.load(run, checkpoint=checkpoint)
    if heads:
        _deliver(_table(translator, text, target, order), save)
    elif arithmetic is not None:
        from regard.translation import reckon

        _deliver(
            reckon(
                translator, text, target, name=arithmetic, head=head or 0, word=word or 0, written=numbers
            ),
            save,
        )
    else:
        _look(
            translator,
            text,
            target,
            (kind, layer, head),
            view,
            save,
            pieces=pieces,
            rollout=rollout,
            value_norms=value_norms,
        )


def _look(
    translator: "Translator",
    text: str,
    target: str | None,
    which: "tuple[Kind, int | None, int | None]",
    view: str | None,
    save: Path | None,
    *,
    pieces: bool,
    rollout: bool,
    value_norms: bool,
) -> None:
    from regard import viewing
    from regard.runs.looking import chosen, of_interest
    from regard.viewing.maps import MORE_FILES

    ending = None if save is None else viewing.AttentionMaps.ending(save)
    changed = rollout or value_norms
    maps = translator.look(text, target, subwords=pieces or changed)
    if rollout:
        maps = viewing.rollout(maps, value_norms=value_norms)
    elif value_norms:
        maps = viewing.AttentionMaps(each.by_value_norm() for each in maps.values())
    maps = maps.to_words() if changed and not pieces else maps
    best = chosen(maps, *which)
    if ending == ".html" and not changed:
        first = best.name, maps[best.name].head_names.index(best.head_names[0])
        _deliver(translator.page(text, target, first=first, view=view, subwords=pieces), save)
    elif ending in MORE_FILES:
        _deliver(maps, save)
    elif view == "grid":
        _deliver(of_interest(maps, *which), save, view)
    else:
        _deliver(best, save, view)
        heads = sum(each.heads for each in of_interest(maps, *which).values())
        if save is None and heads > 1:
            click.echo(
                f"The sharpest of {heads} heads: --view grid shows all, --layer and --head others.", err=True
            )


def _deliver(drawn: "Drawn | Page", save: Path | None, view: str | None = None) -> None:
    """Show a drawing, or save it; a page can only be saved."""
    from regard.cli.files import writing
    from regard.viewing.page import Page

    if save is None:
        assert not isinstance(drawn, Page)
        drawn.show(view)
        return
    with writing(save):
        drawn.save(save) if view is None or isinstance(drawn, Page) else drawn.save(save, view)
    click.echo(f"Saved {save}.")


def _table(translator: "Translator", text: str, target: str | None, order: str) -> "Drawn":
    from regard.translation import effects
    from regard.viewing.heads import head_table

    maps = translator.look(text, target)
    return head_table(maps, by=order, effects=effects(translator, text, target))


def _film(run: Path, kind: "Kind", layer: int | None, head: int | None) -> "Drawn":
    from regard.runs.looking import chosen
    from regard.viewing.film import film, read_looks

    looks = read_looks(run / "looks")
    best = chosen(looks[-1][1], kind, layer, head)
    number = looks[-1][1][best.name].head_names.index(best.head_names[0])
    return film((step, maps[best.name].head(number)) for step, maps in looks)
