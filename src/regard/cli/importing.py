"""``regard import``: a model made elsewhere becomes a run."""

from pathlib import Path

import click


@click.command("import")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--into", type=click.Path(path_type=Path), required=True, help="The run folder to write.")
def import_(folder: Path, into: Path) -> None:
    """Make a run of a Marian or OPUS-MT model, in the folder Hugging Face keeps it in.

    The folder holds config.json, model.safetensors, source.spm, target.spm and vocab.json.

    \b
    Examples:
      regard import opus-mt-en-de --into runs/en-de
      regard translate runs/en-de "The cat sleeps."
    """
    from regard.runs.importing import import_marian

    run = import_marian(folder, into)
    click.echo(f'Wrote {run.path}. Try it: regard translate {run.path} "…"')
