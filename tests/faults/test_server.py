"""Any characters through the studio: one answer for each text, and never a failure of the server."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from regard.runs.faults.reading import NASTY, any_text
from regard.runs.faults.toys import toy_recipe, training_on
from regard.serving import Shelf, Studio
from tests.faults.conftest import OFTEN
from tests.faults.recording import record

AT_ONCE = 50


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    training_on(toy_recipe(tmp_path), tmp_path / "run")
    with TestClient(Studio(Shelf.load([str(tmp_path / "run")])).app, base_url="http://localhost") as client:
        yield client


def test_any_characters_are_answered_by_the_server(client: TestClient) -> None:
    chance, times, began = random.Random(19), 10_000 if OFTEN else 300, time.perf_counter()
    texts = [*NASTY, *(any_text(chance) for _ in range(times))][:times]
    held, failures = 0, []
    for start in range(0, times, AT_ONCE):
        asked = texts[start : start + AT_ONCE]
        answer = client.post("/translate", json={"q": asked, "beam": 1})
        told = answer.json().get("translatedText") if answer.status_code == 200 else None
        if isinstance(told, list) and len(told) == len(asked) and all(isinstance(one, str) for one in told):
            held += len(asked)
        else:
            failures.append(f"{answer.status_code} {answer.text[:200]} for {asked!r}"[:600])
    record(
        "reliability",
        promise="Any characters through the server: one answer for each, and it lives on",
        test="hostile-requests",
        times=times,
        held=held,
        seconds=round(time.perf_counter() - began, 1),
        failures=tuple(failures[:5]),
    )
    assert (held, failures) == (times, [])
