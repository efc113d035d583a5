"""The command line as a person meets it: help, version, one line for a mistake, a traceback for a bug."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

import regard
from regard import worked
from regard.cli import main


def test_the_version_is_told() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"regard {regard.__version__}\n")


def test_every_command_has_an_example_in_its_help() -> None:
    for name in main.commands:
        result = CliRunner().invoke(main, [name, "--help"])
        assert result.exit_code == 0
        assert f"Examples:\n    regard {name}" in result.stdout


def test_every_command_is_listed_with_what_it_does() -> None:
    shown = CliRunner().invoke(main, ["--help"]).stdout
    for name, command in main.commands.items():
        assert f"  {name}" in shown
        assert not command.get_short_help_str(100).endswith("...")


def test_a_mistake_is_one_line_on_the_error_stream_and_exit_code_1() -> None:
    result = CliRunner().invoke(main, ["explain", "goood"])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == "Error: There is no example called 'goood'. Did you mean 'good'?\n"


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise KeyError(name)

    monkeypatch.setattr(worked, "example", broken)
    result = CliRunner().invoke(main, ["explain", "good"])
    assert isinstance(result.exception, KeyError)


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["train", "--help"], ["explain", "--help"]])
def test_asking_for_help_loads_nothing_that_computes_or_draws(words: list[str]) -> None:
    code = (
        f"import sys; from regard.cli import main; main({words}, standalone_mode=False);"
        "heavy = ('torch', 'numpy', 'rich', 'regard.attention', 'regard.viewing', 'regard.models');"
        "print([name for name in sys.modules if name.startswith(heavy)])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


def test_the_package_itself_can_be_run() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "regard", "explain", "--vectors", "1;2,3"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == (
        "Error: --vectors must be rows of one length, but row 1 is 1 long and row 2 is 2.\n"
    )
