"""The command line: read arguments, call, print.

Commands import what they need when they run, so that asking for help costs little.
"""

from typing import Any

import click

from regard import __version__
from regard.cli.align import align
from regard.cli.compare import compare
from regard.cli.demo import demo
from regard.cli.evaluate import evaluate
from regard.cli.explain import explain
from regard.cli.export import export
from regard.cli.importing import import_
from regard.cli.look import look
from regard.cli.prepare import prepare
from regard.cli.selftest import selftest
from regard.cli.serve import serve
from regard.cli.train import train
from regard.cli.translate import translate
from regard.errors import RegardError

__all__ = ["main"]


class Commands(click.Group):
    """Commands whose errors on purpose are one line; a bug keeps its traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except RegardError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="regard %(version)s")
def main() -> None:
    """Attention you can build with, train and see.

    \b
    Examples:
      regard demo                 train a small translator and look inside
      regard train pairs.tsv --into runs/mine
      regard translate runs/mine "the cat sleeps ."
      regard look runs/mine "the cat sleeps ."
      regard serve runs/mine      the studio, in the browser
      regard explain              list the worked examples
      regard explain good         follow one, number by number
      regard explain --words "the cat sat"
    """


main.add_command(align)
main.add_command(compare)
main.add_command(demo)
main.add_command(evaluate)
main.add_command(explain)
main.add_command(export)
main.add_command(import_)
main.add_command(look)
main.add_command(serve)
main.add_command(prepare)
main.add_command(selftest)
main.add_command(train)
main.add_command(translate)
