"""A run: settings become objects, and the pieces become a translator."""

from regard.runs.folder import RunFolder
from regard.runs.lessons import read_pairs
from regard.runs.loading import Translator
from regard.runs.training import Preparation, Progress, Validation, is_begun, is_finished, prepare, train

__all__ = [
    "Preparation",
    "Progress",
    "RunFolder",
    "Translator",
    "Validation",
    "is_begun",
    "is_finished",
    "prepare",
    "read_pairs",
    "train",
]
