"""The command line: read arguments, call, print.

Commands import what they need when they run, so that asking for help costs little.
"""

from typing import Any

import click

from regard import __version__
from regard.cli.demo import demo
from regard.cli.explain import explain
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
      regard demo                 compute and draw every worked example
      regard explain              list the worked examples
      regard explain good         follow one, number by number
      regard explain --words "the cat sat"
    """


main.add_command(demo)
main.add_command(explain)
