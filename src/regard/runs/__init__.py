"""A run: settings become objects, and the pieces become a translator."""

from regard.runs.folder import RunFolder
from regard.runs.loading import Translator
from regard.runs.training import Preparation, Progress, Validation, prepare, train

__all__ = ["Preparation", "Progress", "RunFolder", "Translator", "Validation", "prepare", "train"]
