from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from starlette.testclient import TestClient

from regard import runs
from regard.recipe import DataSettings, ModelSettings, Recipe, TrainingSettings
from regard.serving import Settings, Shelf, Studio
from tests.runs.test_training import pairs_file
from tests.serving.calling import Server, serving


def a_run(folder: Path, name: str, kind: str = "transformer", source: str = "en") -> Path:
    recipe = Recipe(
        data=DataSettings(train=(str(pairs_file(folder)),), source_language=source, target_language="fr"),
        model=ModelSettings(kind=kind, width=8, layers=1, heads=2, hidden_width=8),
        training=TrainingSettings(steps=2, tokens_per_batch=256, validate_every=1, validation_pairs=1),
    )
    for _ in runs.train(recipe, into=folder / name):
        pass
    return folder / name


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("studio")
    a_run(folder, "small")
    a_run(folder, "spiral", kind="recurrent", source="de")
    return folder


@pytest.fixture(scope="session")
def shelf(folder: Path) -> Shelf:
    return Shelf.load([f"{folder}/small", f"{folder}/spiral", f"{folder}/small@1"])


@pytest.fixture(scope="session")
def client(shelf: Shelf) -> Iterator[TestClient]:
    with TestClient(Studio(shelf).app, base_url="http://localhost") as client:
        yield client


@pytest.fixture(scope="session")
def server(shelf: Shelf) -> Iterator[Server]:
    """A real server on a real socket, with short deadlines."""
    quick = Settings(port=0, header_seconds=1.0, body_seconds=1.0, work_seconds=20.0)
    with serving(Studio(shelf, quick)) as server:
        yield server
