"""TRANSLATE: search, translators, their quality and their alignments."""

from importlib import import_module
from typing import TYPE_CHECKING

from regard.translation.forcing import Rival, force, rivals
from regard.translation.sampling import Sampling
from regard.translation.search import Hypothesis, search
from regard.translation.settings import SearchSettings
from regard.translation.shortlist import Shortlist
from regard.translation.translation import Alternative, Repetition, SureWord, Translation
from regard.translation.translator import RivalPiece, Translator
from regard.translation.workers import Workers

if TYPE_CHECKING:
    from regard.translation.aligning import Aligner, AligningHead, align, align_pairs
    from regard.translation.alignment import (
        Links,
        alignment_error_rate,
        contest,
        links_of,
        pharaoh,
        read_pharaoh,
        reverse,
        symmetrise,
    )
    from regard.translation.crossing import PlainPair, SpacedPair
    from regard.translation.judging import (
        aligner_by_gold,
        aligner_by_information,
        aligners_by_agreement,
        best_head,
        rank_heads,
    )
    from regard.translation.knocking import effects
    from regard.translation.quality import Compared, Evaluation, Score, bleu, chrf, evaluate, loss, worst
    from regard.translation.reckoning import reckon

__all__ = [
    "Aligner",
    "AligningHead",
    "Alternative",
    "Compared",
    "Evaluation",
    "Hypothesis",
    "Links",
    "PlainPair",
    "Repetition",
    "Rival",
    "RivalPiece",
    "Sampling",
    "Score",
    "SearchSettings",
    "Shortlist",
    "SpacedPair",
    "SureWord",
    "Translation",
    "Translator",
    "Workers",
    "align",
    "align_pairs",
    "aligner_by_gold",
    "aligner_by_information",
    "aligners_by_agreement",
    "alignment_error_rate",
    "best_head",
    "bleu",
    "chrf",
    "contest",
    "effects",
    "evaluate",
    "force",
    "links_of",
    "loss",
    "pharaoh",
    "rank_heads",
    "read_pharaoh",
    "reckon",
    "reverse",
    "rivals",
    "search",
    "symmetrise",
    "worst",
]

# Loaded when first named, so that translating begins sooner.
_LATER = {
    "aligning": ("Aligner", "AligningHead", "align", "align_pairs"),
    "alignment": (
        "Links",
        "alignment_error_rate",
        "contest",
        "links_of",
        "pharaoh",
        "read_pharaoh",
        "reverse",
        "symmetrise",
    ),
    "crossing": ("PlainPair", "SpacedPair"),
    "judging": (
        "aligner_by_gold",
        "aligner_by_information",
        "aligners_by_agreement",
        "best_head",
        "rank_heads",
    ),
    "knocking": ("effects",),
    "quality": ("Compared", "Evaluation", "Score", "bleu", "chrf", "evaluate", "loss", "worst"),
    "reckoning": ("reckon",),
}


def __getattr__(name: str) -> object:
    for module, names in _LATER.items():
        if name in names:
            return getattr(import_module(f"regard.translation.{module}"), name)
    raise AttributeError(f"module 'regard.translation' has no attribute {name!r}")
