"""A command begins with what it needs, and no more."""

import gc
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from regard import runs
from regard.cli.starting import gathering
from tests.runs.test_training import a_recipe

LATE = "torch._dynamo", "sympy", "sacrebleu", "rich", "transformers", "starlette", "ctranslate2"
"""What takes long to import, and a sentence is translated without."""


@pytest.fixture(scope="module", params=["transformer", "recurrent", "convolutional"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    recipe = a_recipe(folder, steps=1).changed([f"model.kind={request.param}", "model.layers=1"])
    list(runs.train(recipe, into=folder / "run"))
    return folder / "run"


def test_a_sentence_is_translated_without_what_takes_long_to_import(run: Path) -> None:
    program = (
        "import sys\n"
        "from regard.cli import main\n"
        f"main(['translate', {str(run)!r}, 'alpha beta'], standalone_mode=False)\n"
        f"print([name for name in {LATE!r} if name in sys.modules], file=sys.stderr)"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert printed.stderr.splitlines()[-1] == "[]"


def test_nothing_is_drawn_at_random_for_a_model_that_is_loaded(run: Path) -> None:
    before = torch.get_rng_state()
    runs.Translator.load(run)
    assert torch.equal(torch.get_rng_state(), before)


def test_garbage_is_looked_for_again_after_gathering_and_what_was_there_is_left_alone() -> None:
    gc.unfreeze()
    try:
        with gathering():
            assert not gc.isenabled()
            assert gc.get_freeze_count() == 0
        assert gc.isenabled()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
