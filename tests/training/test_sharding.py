import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from regard.training import ALONE, Checkpoint
from tests.training.learning_together import STEPS
from tests.training.sharing_a_model import HALFWAY, MODELS, a_learner, load, save, saved, teach

SCRIPT = Path(__file__).with_name("sharing_a_model.py")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """What two processes under a real torchrun saw, each with half of the model; one alone came before."""
    folder = tmp_path_factory.mktemp("two")
    learner = teach(a_learner(ALONE), HALFWAY)
    save(learner, folder / "one")
    save(teach(learner), folder / "one")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
    }
    done = subprocess.run(
        [*command, str(SCRIPT), str(folder)], capture_output=True, text=True, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    return folder, [json.loads((folder / f"{rank}.json").read_text()) for rank in range(2)]


def assert_alike(found: Checkpoint, wanted: Checkpoint) -> None:
    for one, other in ((found.parameters(), wanted.parameters()), (found.optimizer(), wanted.optimizer())):
        assert one.keys() == other.keys()
        for name, tensor in one.items():
            torch.testing.assert_close(tensor, other[name], rtol=1e-6, atol=1e-9)


def test_each_process_holds_about_half(two: tuple[Path, list[dict[str, Any]]]) -> None:
    whole = sum(one.numel() for one in a_learner(ALONE).model.parameters())
    held = [one["held"] for one in two[1]]
    assert sum(held) == whole
    assert max(held) < 0.55 * whole


@pytest.mark.parametrize("kind", MODELS)
def test_two_halves_learn_what_one_whole_does(two: tuple[Path, list[dict[str, Any]]], kind: str) -> None:
    known = dict(teach(a_learner(ALONE, kind)).model.named_parameters())
    found = load_file(two[0] / f"{kind}.safetensors")
    assert found.keys() == known.keys()
    for name, tensor in found.items():
        torch.testing.assert_close(tensor, known[name].detach(), rtol=1e-6, atol=1e-9)


def test_their_checkpoint_is_that_of_one(two: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, _ = two
    for step in (HALFWAY, STEPS):
        assert_alike(saved(folder / "two", step), saved(folder / "one", step))


def test_one_goes_on_from_two_and_two_from_one(
    two: tuple[Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    folder, _ = two
    save(teach(load(a_learner(ALONE), folder / "two", HALFWAY)), tmp_path)
    assert_alike(saved(tmp_path, STEPS), saved(folder / "one", STEPS))
    assert_alike(saved(folder / "one then two", STEPS), saved(folder / "one", STEPS))


def test_a_number_that_is_none_in_one_half_is_skipped_by_both(
    two: tuple[Path, list[dict[str, Any]]],
) -> None:
    for one in two[1]:
        assert (one["skipped"], one["untouched"]) == (True, True)
        assert one["trouble"] == "the output of encoder.0.feed_forward.inner in batch 0 on process 1 of 2"


def test_no_thread_of_the_group_outlives_python(two: tuple[Path, list[dict[str, Any]]]) -> None:
    for rank in range(2):
        names = json.loads((two[0] / f"{rank}.threads.json").read_text())
        assert [name for name in names if "gloo" in name] == []
