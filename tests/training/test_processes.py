import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from regard.text import Batch
from regard.training import ALONE, SharedError, join
from regard.training.trouble import first_trouble
from tests.training.learning_together import a_learner, gradients, parameters, some_batches, taught

SCRIPT = Path(__file__).with_name("learning_together.py")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """What two processes under a real torchrun saw."""
    folder = tmp_path_factory.mktemp("two")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
        "REGARD_TIMEOUT": "60",
    }
    done = subprocess.run(
        [*command, str(SCRIPT), str(folder)], capture_output=True, text=True, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    return folder, [json.loads((folder / f"{rank}.json").read_text()) for rank in range(2)]


@pytest.mark.parametrize("optimizer", ["adam", "muon"])
def test_two_processes_learn_what_one_does(two: tuple[Path, list[dict[str, Any]]], optimizer: str) -> None:
    folder, _ = two
    one = parameters(taught(ALONE, optimizer=optimizer))
    first, second = (load_file(folder / f"{optimizer}.{rank}.safetensors") for rank in range(2))
    for name, found in first.items():
        torch.testing.assert_close(found, one[name], rtol=1e-6, atol=1e-9)
        assert torch.equal(found, second[name])


def test_in_single_precision_their_gradients_agree_to_a_millionth(
    two: tuple[Path, list[dict[str, Any]]],
) -> None:
    folder, _ = two
    single = a_learner(ALONE, double=False)
    single.learn([some_batches(ALONE)[0]], epoch=0, names=["batch 0"])
    known = gradients(single)
    for name, found in load_file(folder / "gradients.safetensors").items():
        torch.testing.assert_close(found, known[name], rtol=0, atol=1e-6)


def test_a_gradient_that_is_no_number_anywhere_is_skipped_everywhere(
    two: tuple[Path, list[dict[str, Any]]],
) -> None:
    _, seen = two
    assert [one["skipped"] for one in seen] == [True, True]
    assert [one["untouched"] for one in seen] == [True, True]
    assert {one["trouble"] for one in seen} == {
        "the gradient of encoder.0.feed_forward.inner.weight in batch 0 on process 1 of 2"
    }


def test_processes_drop_different_features(two: tuple[Path, list[dict[str, Any]]]) -> None:
    first, second = (one["drawn"] for one in two[1])
    assert first != second
    alone = a_learner(ALONE)
    alone.step = 1
    alone._seed()
    assert float(torch.rand(1)) == pytest.approx(first)


def test_when_one_is_asked_to_stop_all_know(two: tuple[Path, list[dict[str, Any]]]) -> None:
    assert [one["leaving"] for one in two[1]] == [True, True]


def test_words_and_bytes_arrive(two: tuple[Path, list[dict[str, Any]]]) -> None:
    for one in two[1]:
        assert one["texts"] == ["", "été 1"]
        assert one["from_first"] == "first"
        assert (one["world"], one["alone"]) == (2, False)


def test_the_error_of_one_is_the_error_of_all(two: tuple[Path, list[dict[str, Any]]]) -> None:
    assert {one["shared"] for one in two[1]} == {"Process 1 of 2: there is no bread."}
    assert {one["differs"] for one in two[1]} == {
        "Process 1 of 2 has other bread than the first: give every machine the same files under the same "
        "names."
    }


def test_a_defect_in_one_is_told_by_all_and_keeps_its_kind(two: tuple[Path, list[dict[str, Any]]]) -> None:
    assert [one["defect"] for one in two[1]] == [
        "SharedError: Process 1 of 2: ZeroDivisionError: there is nothing to divide by",
        "ZeroDivisionError: there is nothing to divide by",
    ]


def test_without_torchrun_a_process_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    assert join(torch.device("cpu")) is ALONE
    ALONE.check_same("bread", "white")
    with pytest.raises(ValueError, match="as it was"), ALONE.together():
        raise ValueError("as it was")


@pytest.mark.parametrize("where", ["parameter", "output", "loss", "gradient"])
def test_what_is_not_finite_is_found(where: str) -> None:
    learner = a_learner(ALONE)
    model, batch = learner.model, some_batches(ALONE)[0]
    named = dict(model.named_parameters())
    name = "encoder.0.feed_forward.inner.weight"

    def loss() -> torch.Tensor:
        total = model(batch.source, batch.target_in, batch.source_lengths).sum()
        return total * torch.inf if where == "loss" else total

    if where == "parameter":
        with torch.no_grad():
            named[name][0, 0] = torch.nan
    if where == "output":
        model.get_submodule("encoder.0.feed_forward.inner").register_forward_hook(
            lambda module, inputs, output: output / 0
        )
    if where == "gradient":
        named[name].register_hook(lambda gradient: gradient * torch.nan)
    assert (
        first_trouble(model, loss)
        == {
            "parameter": f"the parameter {name}",
            "output": "the output of encoder.0.feed_forward.inner",
            "loss": "the loss",
            "gradient": f"the gradient of {name}",
        }[where]
    )


def test_five_steps_with_nothing_finite_stop_with_what_and_where() -> None:
    learner = a_learner(ALONE, double=False)
    with torch.no_grad():
        dict(learner.model.named_parameters())["encoder.0.feed_forward.inner.weight"][0, 0] = torch.nan
    batch = Batch.of([[5, 6]], [[7]])
    for number in range(4):
        assert learner.learn([batch], epoch=0, names=[f"batch {number}"]).skipped
    with pytest.raises(SharedError) as caught:
        learner.learn([batch], epoch=0, names=["batch 4"])
    assert str(caught.value) == (
        "5 steps in a row were not finite; the last was step 5 on batch 4 with loss nan and gradient norm "
        "nan: the parameter encoder.0.feed_forward.inner.weight in batch 4. Lower "
        "training.peak_learning_rate, or look at these sentences; the last checkpoint is sound."
    )
