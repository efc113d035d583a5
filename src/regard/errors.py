"""Errors raised on purpose.

Each is one sentence that says what is wrong, where, with which value, and the mend.
An error that is not a :class:`RegardError` is a defect of regard.
"""


class RegardError(ValueError):
    """A mistake in what was asked for, told in one sentence."""


class ShapeError(RegardError):
    """Tensors that do not fit together: their axes, types or devices."""


class MaskError(RegardError):
    """A mask that does not fit what it hides, or is not a mask."""


class MechanismError(RegardError):
    """A score, a position and a setting that do not go together."""


class DataError(RegardError):
    """Text that cannot be read as it stands: the file, the line, the byte."""


class RecipeError(RegardError):
    """Settings that cannot be used."""


class RunError(RegardError):
    """A run folder that is missing, incomplete or damaged."""
