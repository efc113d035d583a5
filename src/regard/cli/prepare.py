"""``regard prepare``: pairs of any number into tokens on disk, once."""

from pathlib import Path

import click

from regard.wording import counted


@click.command()
@click.argument("data", nargs=-1, required=True, metavar="DATA_OR_RECIPE")
@click.option("--into", required=True, type=click.Path(path_type=Path), help="The folder to make.")
@click.option("--validation", multiple=True, help="Pairs to judge by; a share of DATA if left out.")
@click.option("--tokenizer", "run", type=click.Path(path_type=Path), help="Cut as this run does.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes; one for each core if left out.")
@click.option("--skip-bad", is_flag=True, help="Drop and count lines that cannot be read.")
def prepare(
    data: tuple[str, ...],
    into: Path,
    validation: tuple[str, ...],
    run: Path | None,
    workers: int | None,
    skip_bad: bool,
) -> None:
    """Cut sentence pairs into tokens on disk, so that training starts at once and needs little memory.

    DATA is what `regard train` takes, or a recipe; of a recipe the data and tokenizer count. Name
    the folder made in place of the data afterwards.

    \b
    Examples:
      regard prepare train.en.gz train.de.gz --into prepared/en-de
      regard prepare recipe.toml --into prepared/mine
      regard train prepared/en-de --into runs/en-de
    """
    import time
    from dataclasses import replace

    from rich.console import Console

    from regard import runs
    from regard.recipe import DataSettings, Recipe
    from regard.runs.lessons import reading_settings, source_of
    from regard.runs.preparing import as_recipe
    from regard.text.prepared_writing import prepare_pairs

    recipe = as_recipe(data[0]) if len(data) == 1 else Recipe(data=DataSettings(train=data))
    settings = replace(recipe.data, validation=validation or recipe.data.validation)
    cut = recipe.tokenizer
    console = Console(markup=False, emoji=False)
    began = time.perf_counter()
    with console.status("reading …") as status:
        prepared = prepare_pairs(
            source_of(settings.train),
            into,
            validation=source_of(settings.validation) if settings.validation else None,
            settings=reading_settings(settings),
            skip_bad=skip_bad or settings.skip_bad,
            share=settings.validation_share,
            kind=cut.kind,
            size=cut.size,
            joint=cut.joint,
            least_count=cut.least_count,
            tokenizer=None if run is None else runs.RunFolder(run).tokenizer(),
            workers=workers,
            tell=lambda stage, pairs: status.update(f"{stage} {counted(pairs, 'pair')}"),
        )
    seconds = time.perf_counter() - began
    tokens = sum(prepared.manifest["tokens"].values())
    console.print(
        f"{prepared.reading}; {len(prepared):,} to learn from in {counted(len(prepared.shards), 'shard')}, "
        f"{len(prepared.validation.pairs):,} set aside.\n"
        f"{counted(tokens, 'token')} in {seconds:,.1f} s: {tokens / seconds:,.0f} a second.\n"
        f"Next: regard train {into} --into runs/mine",
        highlight=False,
        soft_wrap=True,
    )
