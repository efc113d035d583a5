"""``regard evaluate``: how good a run is on pairs it has not seen."""

import json
from pathlib import Path

import click

from regard.wording import counted


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("data", nargs=-1, required=True)
@click.option(
    "--beam",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="How many hypotheses are kept; 1 is greedy.",
)
@click.option("--checkpoint", default="best", show_default=True, help="best, last, or a step.")
@click.option("--engine", default="regard", show_default=True, help="What searches: regard or ctranslate2.")
@click.option("--quantization", help="int8: faster on a CPU, at a small cost in quality.")
@click.option("--shortlist", is_flag=True, help="Write in likely tokens alone: faster, at a small cost.")
@click.option(
    "--worst",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="How many of the worst translations to show.",
)
@click.option("--tokenize", help="How BLEU cuts words, as sacreBLEU calls it: 13a, zh, none, …")
@click.option("--skip-bad", is_flag=True, help="Drop and count lines that cannot be read.")
@click.option("--save", type=click.Path(path_type=Path), help="Append the result to this file, as JSON.")
def evaluate(
    run: Path,
    data: tuple[str, ...],
    beam: int,
    checkpoint: str,
    engine: str,
    quantization: str | None,
    shortlist: bool,
    worst: int,
    tokenize: str | None,
    skip_bad: bool,
    save: Path | None,
) -> None:
    """Score a run on sentence pairs: BLEU and chrF with their signatures, perplexity, time.

    \b
    Examples:
      regard evaluate runs/demo embedded:en-fr:test
      regard evaluate runs/mine test.en test.de --beam 1
      regard evaluate runs/mine test.en test.de --quantization int8
    """
    from regard import translation
    from regard.cli.files import writing
    from regard.runs import RunFolder, Translator
    from regard.runs.lessons import read_pairs

    corpus = read_pairs(data, skip_bad=skip_bad)
    translator = Translator.load(
        run,
        checkpoint=checkpoint,
        engine=engine,
        quantization=quantization,
        processes=None,
        shortlist=shortlist,
    )
    if save is not None:
        with writing(save):
            save.open("a").close()  # to learn at once whether the result can be kept
    found = translation.evaluate(translator, corpus.pairs, beam=beam, tokenization=tokenize, show=worst)
    step = RunFolder(run).checkpoint(checkpoint).step
    click.echo(f"BLEU        {found.bleu.value:6.2f}   {found.bleu.signature}")
    click.echo(f"chrF        {found.chrf.value:6.2f}   {found.chrf.signature}")
    click.echo(f"perplexity  {found.perplexity:6.3f}   per target token")
    click.echo(f"{counted(found.sentences, 'pair')} in {found.seconds:.1f} s with beam {beam}, step {step}")
    if corpus.reading.dropped:
        click.echo(str(corpus.reading))
    if found.cut:
        click.echo(f"{counted(found.cut, 'translation')} had to be cut at the greatest length.")
    others = [one for one in found.worst if one.translation != one.reference]
    if others:
        click.echo("\nThe worst, by chrF:")
    for one in others:
        click.echo(
            f"\n  source     {one.source}\n  reference  {one.reference}\n  found      {one.translation}"
        )
    if save is not None:
        line = {
            "run": str(run),
            "data": list(data),
            "step": step,
            "beam": beam,
            "engine": engine,
            "quantization": quantization,
            "shortlist": shortlist,
            "pairs": found.sentences,
            "seconds": found.seconds,
            "bleu": found.bleu.value,
            "bleu_signature": found.bleu.signature,
            "chrf": found.chrf.value,
            "chrf_signature": found.chrf.signature,
            "perplexity": found.perplexity,
        }
        with writing(save), save.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
