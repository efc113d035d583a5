"""BUILD: models made of attention."""

from regard.models.kernel_regression import KernelRegression

__all__ = ["KernelRegression"]
