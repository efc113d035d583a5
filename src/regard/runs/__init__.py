"""A run: settings become objects, and the pieces become a translator."""

from importlib import import_module
from typing import TYPE_CHECKING

from regard.runs.folder import RunFolder
from regard.runs.loading import Translator

if TYPE_CHECKING:
    from regard.runs.judging import Validation
    from regard.runs.lessons import read_pairs
    from regard.runs.preparing import Preparation, prepare
    from regard.runs.training import Progress, goes_on, is_begun, is_finished, train

__all__ = [
    "Preparation",
    "Progress",
    "RunFolder",
    "Translator",
    "Validation",
    "goes_on",
    "is_begun",
    "is_finished",
    "prepare",
    "read_pairs",
    "train",
]

# Loaded when first named, so that translating begins sooner.
_LATER = {
    "judging": ("Validation",),
    "lessons": ("read_pairs",),
    "preparing": ("Preparation", "prepare"),
    "training": ("Progress", "goes_on", "is_begun", "is_finished", "train"),
}


def __getattr__(name: str) -> object:
    for module, names in _LATER.items():
        if name in names:
            return getattr(import_module(f"regard.runs.{module}"), name)
    raise AttributeError(f"module 'regard.runs' has no attribute {name!r}")
