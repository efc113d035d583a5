import os
import signal
from pathlib import Path

import pytest
import torch

from regard import runs
from regard.errors import RecipeError
from regard.recipe import TrainingSettings
from regard.runs import building
from regard.runs.building import mixes, step_settings
from regard.runs.choosing import complete
from regard.training import Checkpoint, checkpoints_in
from tests.runs.test_training import a_recipe, digest


def own_parameters(checkpoint: Checkpoint) -> dict[str, torch.Tensor]:
    """Those that training goes on with, not those to translate with."""
    state = checkpoint.optimizer()
    return {
        name.removeprefix("parameter."): one for name, one in state.items() if name.startswith("parameter.")
    }


def test_a_run_translates_with_the_mean_of_its_last_checkpoints(tmp_path: Path) -> None:
    list(runs.train(a_recipe(tmp_path, average_last=3, steps=16), into=tmp_path / "run"))
    found = checkpoints_in(tmp_path / "run" / "checkpoints")
    assert {one.step for one in found} >= {8, 12, 16}
    last = [own_parameters(one) for one in found if one.step >= 8]
    for name, parameter in found[-1].parameters().items():
        mean = (last[0][name] + last[1][name] + last[2][name]) / 3
        torch.testing.assert_close(parameter, mean)
        assert not torch.equal(mean, last[2][name])


def test_an_interrupt_does_not_show_in_the_mean(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path, average_last=2)
    list(runs.train(recipe, into=tmp_path / "whole"))
    steps = runs.train(recipe, into=tmp_path / "parts")
    while next(steps).step < 6:
        pass
    os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        next(steps)
    list(runs.train("", into=tmp_path / "parts", resume=True))
    assert digest(tmp_path / "parts") == digest(tmp_path / "whole")


def test_two_averages_are_one_too_many() -> None:
    with pytest.raises(RecipeError) as caught:
        TrainingSettings(average_last=3, moving_average=0.9)
    assert str(caught.value) == (
        "training.average_last = 3 and training.moving_average = 0.9 cannot both choose what to translate "
        "with. Leave one out."
    )


def test_the_moving_average_gives_way_to_the_last_checkpoints(tmp_path: Path) -> None:
    recipe = complete(a_recipe(tmp_path, average_last=3, steps=1_000), pairs=60, batches=9)
    assert recipe.training.moving_average == 0.0


def test_a_cpu_multiplies_in_single_precision_unless_asked_and_able(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = torch.device("cpu")
    recipe = complete(a_recipe(tmp_path), pairs=60, batches=9)
    assert not step_settings(recipe, device).mixed_precision
    for able in (False, True):
        monkeypatch.setattr(building, "multiplies_halves", lambda able=able: able)
        assert mixes("mixed", device) is able
        assert not mixes("automatic", device)
        assert not mixes("single", device)
    with pytest.raises(RecipeError) as caught:
        TrainingSettings(precision="mixd")
    assert str(caught.value) == (
        "training.precision must be one of automatic, mixed, single, but got 'mixd'. Did you mean mixed?"
    )


def test_a_translator_knows_how_long_its_sentences_were(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path, steps=2)
    prepared = runs.prepare(recipe)
    longest = max(len(tokens) for tokens in prepared.lessons.sources)  # type: ignore[union-attr]
    list(runs.train(prepared, into=tmp_path / "run"))
    assert runs.Translator.load(tmp_path / "run").longest_sentence == max(8, longest)
