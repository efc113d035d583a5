"""Every command line in the docs names a command and options that exist."""

import re
import shlex
from pathlib import Path

import pytest

from regard.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / "docs" / "how-to").glob("*.md"),
    *(ROOT / "docs" / "guide").glob("*/*.md"),
    *ROOT.glob("README*.md"),
]
COMMAND = re.compile(r"(?:^ {4}|`)((?:\.venv/bin/|torchrun .*?-m )?regard [a-z].*?)(?:`|$)", re.MULTILINE)


def commands(page: Path) -> list[str]:
    """The command lines of a page, those that go over two lines joined."""
    text = re.sub(r"\\\n +", " ", page.read_text(encoding="utf-8"))
    text = re.sub(r"`(regard [^`\n]*)\n([^`\n]*)`", r"`\1 \2`", text)
    return [re.sub(r"\s+#.*|^.*(?=regard )", "", found) for found in COMMAND.findall(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: "/".join(page.parts[-2:]))
def test_every_command_exists_with_its_options(page: Path) -> None:
    for line in commands(page):
        _, name, *rest = shlex.split(line.replace("…", "x"))
        assert name in main.commands, f"{line}: there is no regard {name}"
        known = {"--help", *(option for parameter in main.commands[name].params for option in parameter.opts)}
        known |= {option for parameter in main.commands[name].params for option in parameter.secondary_opts}
        for option in rest:
            if option.startswith("--"):
                assert option in known, f"{line}: regard {name} has no {option}"


def test_commands_are_found() -> None:
    assert sum(len(commands(page)) for page in PAGES) > 40
