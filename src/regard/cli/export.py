"""``regard export``: a run in the files of other programs."""

from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--to", "form", type=click.Choice(["ctranslate2", "argos"]), required=True, help="For whom.")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    help="The folder or file to write; beside the run if left out.",
)
@click.option(
    "--quantization",
    type=click.Choice(["int8", "int16", "float16", "bfloat16", "none"]),
    help="Fewer bits for each parameter; argos packages have int8 unless told otherwise.",
)
@click.option(
    "--languages", nargs=2, metavar="FROM TO", help="For argos: their codes, where the run does not tell."
)
@click.option("--checkpoint", default="best", show_default=True, help="best, last, or a step.")
def export(
    run: Path,
    form: str,
    into: Path | None,
    quantization: str | None,
    languages: tuple[str, str] | None,
    checkpoint: str,
) -> None:
    """Write a run as a model of CTranslate2, or as a package that Argos Translate installs.

    \b
    Examples:
      regard export runs/demo --to ctranslate2 --quantization int8
      regard export runs/demo --to argos --into en_fr.argosmodel
    """
    from regard.runs import RunFolder, Translator
    from regard.runs.exporting import export_ctranslate2
    from regard.runs.exporting_argos import export_argos
    from regard.runs.folder import CARD

    translator = Translator.load(run, checkpoint=checkpoint)
    model, tokenizer = translator.model, translator.tokenizer
    bits = None if quantization == "none" else quantization
    if form == "ctranslate2":
        into = into or run.with_name(f"{run.resolve().name}-ctranslate2")
        export_ctranslate2(model, tokenizer, into, quantization=bits)
    else:
        into = into or run.with_name(f"{run.resolve().name}.argosmodel")
        data = RunFolder(run).recipe().data
        card = run / CARD
        export_argos(
            model,
            tokenizer,
            into,
            languages=languages or (data.source_language, data.target_language),
            card=card.read_text(encoding="utf-8") if card.exists() else "",
            quantization=bits if quantization else "int8",
        )
    click.echo(f"Wrote {into}.")
