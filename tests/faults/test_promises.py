from dataclasses import asdict

import pytest

from regard.runs.faults import PROMISES, Promise, keep
from tests.faults.conftest import OFTEN
from tests.faults.recording import record


@pytest.mark.parametrize("promise", PROMISES, ids=lambda one: one.name)
def test_a_promise_is_kept(promise: Promise) -> None:
    outcome = keep(promise, promise.often if OFTEN else promise.few)
    record("reliability", **asdict(outcome))
    assert (outcome.held, outcome.failures) == (outcome.times, ())
