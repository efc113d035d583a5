"""Faults, caused on purpose: what regard promises, tried on this machine.

    regard selftest --faults

Each promise is tried many times, and each time it holds or it does not.
"""

from regard.runs.faults.promises import PROMISES, Outcome, Promise, keep

__all__ = ["PROMISES", "Outcome", "Promise", "keep"]
