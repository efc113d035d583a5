"""Side by side: what encoders and mechanisms say they cost, and what they cost here."""

from regard.comparing.comparison import Compared, Comparison
from regard.comparing.encoders import compare_encoders
from regard.comparing.mechanisms import compare_mechanisms

__all__ = ["Compared", "Comparison", "compare_encoders", "compare_mechanisms"]
