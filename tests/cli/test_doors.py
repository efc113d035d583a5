"""The doors on the command line: in from Marian, out to CTranslate2 and argos, and what they refuse."""

import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from regard.cli import main
from tests.runs.test_importing import original


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("doors")
    theirs = original(folder / "theirs")
    said = CliRunner().invoke(main, ["import", str(theirs.folder), "--into", str(folder / "run")])
    assert said.output.strip().splitlines()[-1] == (
        f'Wrote {folder / "run"}. Try it: regard translate {folder / "run"} "…"'
    )
    return folder / "run"


def test_an_imported_run_translates(run: Path) -> None:
    said = CliRunner().invoke(main, ["translate", str(run), "the cat sleeps"])
    assert said.exit_code == 0
    assert said.output.strip()


def test_a_run_is_written_for_ctranslate2_beside_it(run: Path) -> None:
    said = CliRunner().invoke(main, ["export", str(run), "--to", "ctranslate2", "--quantization", "int8"])
    written = run.with_name("run-ctranslate2")
    assert said.output == f"Wrote {written}.\n"
    assert {"model.bin", "config.json", "shared_vocabulary.json", "tokenizer.json"} == {
        one.name for one in written.iterdir()
    }


def test_a_run_is_written_for_argos(run: Path) -> None:
    package = run.with_name("x.argosmodel")
    command = ["export", str(run), "--to", "argos", "--into", str(package)]
    refused = CliRunner().invoke(main, command)
    assert refused.exit_code == 1
    assert refused.output == (
        "Error: The package must say which languages it translates between, and the run does not tell. "
        "Name them, as in: --languages en fr\n"
    )
    said = CliRunner().invoke(main, [*command, "--languages", "en", "fr"])
    assert said.output == f"Wrote {package}.\n"
    with zipfile.ZipFile(package) as file:
        names = {name.removeprefix("translate-en_fr-1_0/") for name in file.namelist()}
        card = file.read("translate-en_fr-1_0/README.md").decode()
    assert {"metadata.json", "sentencepiece.model", "model/model.bin", "README.md"} <= names
    assert card.startswith("# theirs: a Marian model")


def test_a_run_is_not_written_over(run: Path) -> None:
    said = CliRunner().invoke(main, ["import", str(run), "--into", str(run)])
    assert said.exit_code == 1
    assert said.output == (
        f"Error: {run} holds a run of 0 steps already. Go on with it by --resume (resume=True), or name "
        "another folder.\n"
    )


def test_another_engine_translates_on_request(run: Path) -> None:
    asked = [str(run), "the cat sleeps ."]
    own = CliRunner().invoke(main, ["translate", *asked])
    other = CliRunner().invoke(main, ["translate", *asked, "--engine", "ctranslate2"])
    assert (own.exit_code, other.exit_code) == (0, 0), other.output
    assert own.output == other.output


def test_eight_bits_are_asked_for_by_an_option(run: Path) -> None:
    asked = [str(run), "the cat sleeps .", "--quantization"]
    assert CliRunner().invoke(main, ["translate", *asked, "int8"]).exit_code == 0
    found = CliRunner().invoke(main, ["translate", *asked, "int4"])
    assert found.exit_code == 1
    assert found.output == (
        "Error: quantization must be one of int8, but got 'int4'. Others go with engine=\"ctranslate2\".\n"
    )
