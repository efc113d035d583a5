"""``regard demo``: from an embedded corpus to a translator one can look into, in minutes."""

import shutil
import sys
import time
from pathlib import Path

import click


@click.command()
@click.option("--pair", type=click.Choice(["en-fr", "en-zh"]), default="en-fr", show_default=True,
              help="Which embedded corpus.")  # fmt: skip
@click.option("--model", type=click.Choice(["transformer", "recurrent", "convolutional"]),
              default="transformer", show_default=True, help="Which model.")  # fmt: skip
@click.option("--into", type=click.Path(path_type=Path), help="The folder of the run; runs/demo if left out.")
@click.option("--anew", is_flag=True, help="Remove the run that is there and train again.")
@click.option("--worked", is_flag=True, help="Train nothing: compute and draw every worked example.")
@click.option("--language", default="en", show_default=True, help="Of the worked examples: en or zh.")
def demo(pair: str, model: str, into: Path | None, anew: bool, worked: bool, language: str) -> None:
    """Train a small translator on sentences this project generates, and look inside.

    Then it is scored on combinations of words it has not seen, and shows which source words it
    looked at for each word it wrote.

    \b
    Examples:
      regard demo
      regard demo --pair en-zh --model recurrent
      regard demo --worked --language zh
    """
    if worked:
        _draw_worked(Path("runs/worked") if into is None else into, language)
        return
    from rich.console import Console

    from regard import runs, translation
    from regard.cli.display import announce, follow
    from regard.runs.demo import SENTENCES, demo_recipe
    from regard.runs.looking import chosen

    console = Console(highlight=False)
    usual = Path("runs") / "-".join(
        ["demo", *(name for name in (pair, model) if name not in ("en-fr", "transformer"))]
    )
    into = usual if into is None else into
    if anew and (into / "recipe.toml").exists():
        shutil.rmtree(into)
    began = time.perf_counter()
    if runs.is_finished(into):
        console.print(f"{into} is trained already (--anew trains it again).")
    elif runs.is_begun(into):
        console.print(f"Going on with {into}.")
        recipe = runs.RunFolder(into).recipe()
        follow(console, runs.train(recipe, into=into, resume=True), total=recipe.training.steps or 0)
    else:
        prepared = runs.prepare(demo_recipe(pair, model), device="cpu")
        announce(console, prepared, str(into))
        follow(console, runs.train(prepared, into=into), total=prepared.recipe.training.steps or 0)
        console.print(f"Trained in {(time.perf_counter() - began) / 60:.1f} minutes.")
    translator = runs.Translator.load(into)
    corpus = runs.read_pairs([f"embedded:{pair}:test"])
    found = translation.evaluate(translator, corpus.pairs, beam=5, show=0)
    console.print(
        f"On {found.sentences:,} combinations it has not seen: BLEU {found.bleu.value:.1f}, "
        f"chrF {found.chrf.value:.1f} [dim]({found.bleu.signature})[/dim]"
    )
    sentence = SENTENCES[pair]
    translated = translator.translate([sentence])[0].text
    console.print(f"\n[bold]{sentence}[/bold]\n[bold]{translated}[/bold]\n")
    best = chosen(translator.look(sentence), "cross")
    best.show("heatmap")
    regard = called()
    figure = into / "attention.svg"
    best.save(figure, "flow")
    console.print(
        f"\nDrawn as {figure}; the progress of the training as {into / 'progress.svg'}.\nNext:\n"
        f'  {regard} translate {into} "{corpus.pairs[1].source}"\n'
        f'  {regard} look {into} "{corpus.pairs[2].source}"\n'
        f"  {regard} demo --worked          the arithmetic of attention, in ten pages\n"
        f"  {regard} train pairs.tsv --into runs/mine     your own sentences",
        soft_wrap=True,  # what is to be typed is not broken in two
    )


def called() -> str:
    """How this program is called from here, to be typed again: it may lie in an environment of its own."""
    if shutil.which("regard"):
        return "regard"
    return sys.argv[0] if Path(sys.argv[0]).name == "regard" else "python -m regard"


def _draw_worked(into: Path, language: str) -> None:
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
