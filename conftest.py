"""What every test and doctest finds ready."""

import os

import pytest

if os.environ.get("REGARD_SHAPES"):  # every shape in a signature is checked: make test-shapes
    from jaxtyping import install_import_hook

    install_import_hook("regard", "beartype.beartype")

import torch
from hypothesis import HealthCheck, settings

import regard

settings.register_profile(
    "quick", max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "thorough", max_examples=5_000, deadline=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile(os.environ.get("REGARD_EXAMPLES", "quick"))


@pytest.fixture(autouse=True)
def _names_in_doctests(doctest_namespace: dict[str, object]) -> None:
    doctest_namespace.update(torch=torch, regard=regard)


@pytest.fixture(autouse=True)
def _the_same_random_numbers_every_time() -> None:
    torch.manual_seed(20_171_206)
