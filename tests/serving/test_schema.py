"""Answers are as the description says, whatever the description allows to be asked, and what it forbids."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from regard.serving.operations import OPERATIONS, Operation
from tests.serving.calling import Server

FEW, MANY = 4, 2_000
MODES = {"allowed": GenerationMode.POSITIVE, "forbidden": GenerationMode.NEGATIVE}
# A well-formed request may still ask for a model or a language that is not there, and no key is set.
NOT_OURS = [positive_data_acceptance, ignored_auth]
ASKED = [
    pytest.param(operation, mode, id=f"{name}-{mode}")
    for name, operation in OPERATIONS.items()
    for mode in MODES
    if mode == "allowed" or operation.asks
]


@pytest.fixture(scope="session")
def description(server: Server) -> Any:
    return schemathesis.openapi.from_url(f"{server.address}openapi.json")


def ask(description: Any, operation: Operation, mode: str, examples: int) -> None:
    described = description[operation.path][operation.method]

    @given(case=described.as_strategy(generation_mode=MODES[mode]))
    @settings(deadline=None, max_examples=examples, suppress_health_check=[*HealthCheck], database=None)
    def each(case: schemathesis.Case) -> None:
        case.call_and_validate(excluded_checks=NOT_OURS)

    each()


@pytest.mark.parametrize(("operation", "mode"), ASKED)
def test_what_is_asked_is_answered_as_described(description: Any, operation: Operation, mode: str) -> None:
    ask(description, operation, mode, FEW)


@pytest.mark.slow
@pytest.mark.parametrize(("operation", "mode"), ASKED)
def test_two_thousand_are_answered_as_described(description: Any, operation: Operation, mode: str) -> None:
    ask(description, operation, mode, MANY)
