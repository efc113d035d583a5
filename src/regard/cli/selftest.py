"""``regard selftest``: does it work here?"""

from typing import TYPE_CHECKING

import click

from regard.wording import counted

if TYPE_CHECKING:
    from rich.console import Console


@click.command()
@click.option("--faults", is_flag=True, help="Cause faults too: kills, damage, hostile input.")
@click.option("--often", is_flag=True, help="As many times as is promised: half an hour and more.")
@click.option("--only", multiple=True, help="The name of a fault to cause; may be given again.")
def selftest(faults: bool, often: bool, only: tuple[str, ...]) -> None:
    """Try on this machine what regard promises; the exit code is 1 if a promise does not hold.

    Everything happens in a temporary folder. Without --faults a small run is trained, saved, loaded
    and used.

    \b
    Examples:
      regard selftest
      regard selftest --faults
      regard selftest --faults --only flipped-bits --often
    """
    import os

    from rich.console import Console

    from regard.errors import RegardError

    console = Console()
    if not (faults or only):
        _small_run(console)
        return
    if not hasattr(os, "fork"):
        raise RegardError("Faults are caused in forked processes, which this system does not have.")
    from regard.runs.faults import PROMISES, keep

    unknown = set(only) - {one.name for one in PROMISES}
    if unknown:
        known = ", ".join(one.name for one in PROMISES)
        raise RegardError(f"There is no fault {', '.join(sorted(unknown))}. There are: {known}.")
    broken = 0
    for promise in PROMISES:
        if only and promise.name not in only:
            continue
        outcome = keep(promise, promise.often if often else promise.few)
        held = outcome.held == outcome.times
        broken += not held
        console.print(
            f"{'held' if held else 'BROKEN'}  {outcome.held:>6,} of {outcome.times:<6,} "
            f"{outcome.seconds:>7.1f} s  {outcome.test}: {outcome.promise}",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )
        for failure in outcome.failures:
            console.print(f"        {failure}", highlight=False, markup=False, soft_wrap=True)
    if broken:
        raise SystemExit(1)


def _small_run(console: "Console") -> None:
    import tempfile
    from pathlib import Path

    from regard import runs
    from regard.runs.faults.toys import toy_recipe

    with tempfile.TemporaryDirectory() as place:
        steps = list(runs.train(toy_recipe(Path(place)), into=Path(place) / "run"))
        translation = runs.Translator.load(Path(place) / "run").translate(["alpha beta"])[0]
    console.print(
        f"Trained {counted(len(steps), 'step')}, saved, loaded, and translated {translation.source!r}: "
        "all is well.",
        highlight=False,
    )
