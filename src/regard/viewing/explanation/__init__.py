"""How an explanation is shown to people: step by step, in the terminal or on a page."""

from regard.viewing.explanation.language import LANGUAGES, Said
from regard.viewing.explanation.plots import Curve, Drawing, Plot
from regard.viewing.explanation.steps import Step
from regard.viewing.explanation.tables import Table
from regard.viewing.explanation.walkthrough import Walkthrough

__all__ = ["LANGUAGES", "Curve", "Drawing", "Plot", "Said", "Step", "Table", "Walkthrough"]
