"""Faults take minutes and are caused by ``make test-faults`` and ``make test-faults-quick`` alone."""

import os

import pytest

OFTEN = os.environ.get("REGARD_FAULTS") == "often"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/faults/" in item.path.as_posix():
            item.add_marker(pytest.mark.slow)
