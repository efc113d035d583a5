"""``regard train``: sentence pairs in, a translator out."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

    from regard.recipe import Recipe
    from regard.runs import Preparation, RunFolder
    from regard.training import Processes


@click.command()
@click.argument("data", nargs=-1, metavar="DATA_OR_RECIPE")
@click.option("--into", required=True, type=click.Path(path_type=Path), help="The folder of the run.")
@click.option("--from", "start_from", type=click.Path(path_type=Path), help="Fine-tune: begin with this run.")
@click.option("--resume", is_flag=True, help="Go on where the run in --into stands.")
@click.option(
    "--model", type=click.Choice(["transformer", "recurrent", "convolutional"]), help="Which model."
)
@click.option("--steps", type=int, help="How many steps.")
@click.option("--seed", type=int, help="Another seed, another run.")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="SECTION.NAME=VALUE",
    help="Change a setting of the recipe; say it again for another. Without a value it is left open.",
)
@click.option("--skip-bad", is_flag=True, help="Drop and count lines that cannot be read.")
@click.option("--device", help="cpu, cuda, mps; the fastest there is if left out.")
@click.option("--dry-run", is_flag=True, help="Check everything, estimate the time, write nothing.")
def train(
    data: tuple[str, ...],
    into: Path,
    start_from: Path | None,
    resume: bool,
    model: str | None,
    steps: int | None,
    seed: int | None,
    changes: tuple[str, ...],
    skip_bad: bool,
    device: str | None,
    dry_run: bool,
) -> None:
    """Train a translator on sentence pairs.

    DATA is a file of tab-separated pairs (also .gz, .xz, .jsonl), two parallel files, embedded:en-fr or
    embedded:en-zh; or a recipe, a .toml file with every setting. What is not set is chosen from the data.

    \b
    Examples:
      regard train pairs.tsv --into runs/mine
      regard train train.en train.de --into runs/en-de
      regard train recipe.toml --into runs/mine --dry-run
      regard train recipe.toml --set model.positions=relative --set model.layers=3 --into runs/other
      regard train --into runs/mine --resume
      regard train more.tsv --from runs/mine --into runs/tuned
      torchrun --nproc-per-node 2 -m regard train pairs.tsv --into runs/mine
    """
    from regard.runs.building import choose_device
    from regard.training import SharedError, join

    processes = join(choose_device(device))
    if start_from is not None and model is not None:
        raise click.UsageError("--from brings its own model: leave out --model.")
    if resume:
        _refuse_changes(
            data, start_from, changes, model=model, steps=steps, seed=seed, bad=skip_bad, dry=dry_run
        )
    shortcuts = {"model.kind": model, "training.steps": steps, "training.seed": seed}
    said = [f"{name}={value}" for name, value in shortcuts.items() if value is not None]
    chosen = None if resume else _chosen(data, [*said, *changes], skip_bad=skip_bad)
    try:
        _train(chosen, into=into, start_from=start_from, device=device, dry_run=dry_run, processes=processes)
    except SharedError:
        if processes.is_first:
            raise
        raise SystemExit(1) from None  # the first tells it for all


def _train(
    chosen: "Recipe | None",
    *,
    into: Path,
    start_from: Path | None,
    device: str | None,
    dry_run: bool,
    processes: "Processes",
) -> None:
    from rich.console import Console

    from regard import runs
    from regard.cli.display import about, announce, follow
    from regard.wording import counted

    quiet = not processes.is_first
    console = Console(markup=False, emoji=False, quiet=quiet, force_terminal=False if quiet else None)
    total = done = 0
    if chosen is None or runs.goes_on(into, processes):
        with processes.together():
            if processes.is_first:
                folder = runs.RunFolder(into)
                done, total = folder.checkpoint("last").step, folder.recipe().training.steps or 0
                is_over = runs.is_finished(into)
                said = f"{into} is finished." if is_over else f"Going on with {into} after step {done}."
                console.print(said, highlight=False, soft_wrap=True)
        reports = runs.train("", into=into, resume=True, device=device)
    else:
        with processes.together():
            if processes.is_first:
                runs.RunFolder(into).check_free()
        prepared = runs.prepare(chosen, start_from=start_from, device=device)
        announce(console, prepared, str(into))
        _announce_more(console, prepared)
        total = prepared.recipe.training.steps or 0
        if dry_run:
            estimated = about(total * prepared.seconds_per_step())
            console.print(
                f"Everything is in order. {counted(total, 'step')} will take about {estimated} here, and "
                "validations a little more. Nothing was written.",
                highlight=False,
                soft_wrap=True,
            )
            return
        reports = runs.train(prepared, into=into)
    try:
        follow(console, reports, total=total, done=done)
    except KeyboardInterrupt:
        console.print(
            f"\nSaved. Go on with: regard train --into {quote(str(into))} --resume",
            highlight=False,
            soft_wrap=True,
        )
        raise SystemExit(130) from None
    if processes.is_first:
        console.print(_ended(into), highlight=False, soft_wrap=True)


def _ended(into: Path) -> str:
    """Why the run ended where it did, which step was the best, and what to type now."""
    from regard.runs import RunFolder
    from regard.wording import counted

    folder, said = RunFolder(into), ""
    last, best, training = folder.checkpoint("last"), folder.checkpoint("best"), folder.recipe().training
    if last.step < (training.steps or 0):
        tried = counted(training.patience, "validation")
        said = f"Stopped after step {last.step} of {training.steps}: nothing better in {tried}.\n"
    for line in folder.read_history():
        if line.get("kind") == "validation" and line["step"] == best.step:
            scored = "" if line["bleu"] is None else f", BLEU {line['bleu']:.1f}"
            said += f"Best at step {best.step}: validation loss {line['loss']:.3f}{scored}.\n"
    return said + _next(folder)


def _next(folder: "RunFolder") -> str:
    """What to type now, as a shell takes it."""
    run, aside = quote(str(folder.path)), folder.validation_file()
    pairs = "PAIRS" if aside is None else quote(str(aside))
    return f'Next:\n  regard translate {run} "…"\n  regard look {run} "…"\n  regard evaluate {run} {pairs}'


def _refuse_changes(
    data: tuple[str, ...],
    start_from: Path | None,
    changes: tuple[str, ...],
    *,
    model: str | None,
    steps: int | None,
    seed: int | None,
    bad: bool,
    dry: bool,
) -> None:
    """Refuse what a run that goes on would pass over."""
    said = {
        "DATA": bool(data),
        "--from": start_from is not None,
        "--model": model is not None,
        "--steps": steps is not None,
        "--seed": seed is not None,
        "--set": bool(changes),
        "--skip-bad": bad,
        "--dry-run": dry,
    }
    if any(said.values()):
        named = " and ".join(name for name, is_said in said.items() if is_said)
        raise click.UsageError(
            f"--resume goes on with everything as the run began: leave out {named}. "
            "To change something, begin another run with --from."
        )


def _announce_more(console: "Console", prepared: "Preparation") -> None:
    """How the arithmetic is done and by how many, where that is not plain."""
    from regard.runs.building import step_settings

    if step_settings(prepared.recipe, prepared.device).mixed_precision:
        console.print("Multiplying in bfloat16; parameters and loss are kept in float32.", highlight=False)
    if prepared.pace is not None and prepared.pace.tried:
        console.print(str(prepared.pace), highlight=False, soft_wrap=True)
    if not prepared.processes.is_alone:
        shared = "every batch" if prepared.recipe.training.sharding == "none" else "every batch and the model"
        console.print(f"{prepared.processes.world} processes share {shared}.", highlight=False)


def _chosen(data: tuple[str, ...], changes: list[str], *, skip_bad: bool) -> "Recipe":
    from dataclasses import replace

    from regard.errors import RecipeError
    from regard.recipe import DataSettings, Recipe
    from regard.runs.preparing import as_recipe

    if not data:
        raise RecipeError("Name the sentence pairs: a file, two parallel files, a recipe, or embedded:en-fr.")
    recipe = as_recipe(data[0]) if len(data) == 1 else Recipe(data=DataSettings(train=data))
    recipe = recipe.changed(changes)
    return replace(recipe, data=replace(recipe.data, skip_bad=True)) if skip_bad else recipe
