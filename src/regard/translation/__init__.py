"""TRANSLATE: search, translators, their quality and their alignments."""

from regard.translation.aligning import AligningHead, align, best_head, rank_heads
from regard.translation.alignment import (
    Links,
    alignment_error_rate,
    links_of,
    pharaoh,
    read_pharaoh,
    reverse,
    symmetrise,
)
from regard.translation.forcing import Rival, force, rivals
from regard.translation.quality import Compared, Evaluation, Score, bleu, chrf, evaluate, loss, worst
from regard.translation.sampling import Sampling
from regard.translation.search import Hypothesis, search
from regard.translation.settings import SearchSettings
from regard.translation.translation import Alternative, Repetition, SureWord, Translation
from regard.translation.translator import RivalPiece, Translator

__all__ = [
    "AligningHead",
    "Alternative",
    "Compared",
    "Evaluation",
    "Hypothesis",
    "Links",
    "Repetition",
    "Rival",
    "RivalPiece",
    "Sampling",
    "Score",
    "SearchSettings",
    "SureWord",
    "Translation",
    "Translator",
    "align",
    "alignment_error_rate",
    "best_head",
    "bleu",
    "chrf",
    "evaluate",
    "force",
    "links_of",
    "loss",
    "pharaoh",
    "rank_heads",
    "read_pharaoh",
    "reverse",
    "rivals",
    "search",
    "symmetrise",
    "worst",
]
