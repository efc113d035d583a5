"""How good translations are: BLEU and chrF with their signatures, perplexity, and the worst of them."""

import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from regard.errors import DataError
from regard.text.cutting import HAN
from regard.translation.forcing import force
from regard.translation.grouping import groups_of
from regard.translation.search import DEFAULT
from regard.translation.settings import SearchSettings
from regard.translation.translator import Translator

TOKENIZATIONS = ("13a", "zh", "intl", "char", "none")
"""Those of sacreBLEU that need nothing else installed."""

_TOKENS_PER_BATCH = 1_024

_han = re.compile(f"[{HAN}]")
_kana = re.compile("[\u3041-\u30ff]")


@dataclass(frozen=True, kw_only=True)
class Score:
    """A number from 0 to 100, and the signature that says how it was computed.

    >>> print(Score(name="BLEU", value=41.02, signature="nrefs:1|case:mixed"))
    BLEU 41.02 (nrefs:1|case:mixed)
    """

    name: str
    value: float
    signature: str

    def __str__(self) -> str:
        return f"{self.name} {self.value:.2f} ({self.signature})"


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A translation beside its reference."""

    source: str
    translation: str
    reference: str
    chrf: float


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What a translator makes of sentence pairs."""

    bleu: Score
    chrf: Score
    loss: float
    """The mean of −log p over the references' tokens, ``<end>`` included."""
    sentences: int
    seconds: float
    """How long translating took; scoring not counted."""
    cut: int
    """How many translations were cut at their greatest length."""
    worst: tuple[Compared, ...]

    @property
    def perplexity(self) -> float:
        """exp(loss): among how many even chances the model is torn at each token."""
        return math.exp(self.loss) if self.loss < 700 else math.inf


def bleu(translations: Sequence[str], references: Sequence[str], *, tokenization: str | None = None) -> Score:
    """BLEU of a corpus (Papineni et al. 2002), computed by sacreBLEU (Post 2018).

    ``tokenization`` is one of :data:`TOKENIZATIONS`; left out, it is ``zh`` where the references are
    Chinese and ``13a`` elsewhere. The signature says which.

    >>> bleu(["the cat sleeps on the mat ."], ["the cat sleeps on the mat ."]).signature
    'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:...'
    """
    _check(translations, references)
    if tokenization not in (None, *TOKENIZATIONS):
        raise DataError(f"tokenization must be one of {', '.join(TOKENIZATIONS)}, but got {tokenization!r}.")
    # Forced, because sacreBLEU would advise against text that is tokenised already.
    metric = BLEU(tokenize=tokenization or tokenization_of(references), force=True)
    value = metric.corpus_score([*translations], [[*references]]).score
    return Score(name="BLEU", value=value, signature=str(metric.get_signature()))


def chrf(translations: Sequence[str], references: Sequence[str]) -> Score:
    """The F-score of character n-grams of a corpus (Popović 2015), computed by sacreBLEU.

    >>> chrf(["le chat dort"], ["le chat dort"]).value
    100.0
    """
    _check(translations, references)
    metric = CHRF()
    value = metric.corpus_score([*translations], [[*references]]).score
    return Score(name="chrF", value=value, signature=str(metric.get_signature()))


def worst(
    sources: Sequence[str], translations: Sequence[str], references: Sequence[str], *, count: int = 5
) -> tuple[Compared, ...]:
    """The translations with the lowest chrF, each by itself, the worst first."""
    _check(translations, references)
    _check(sources, references, "sources")
    metric = CHRF()
    compared = [
        Compared(
            source=source,
            translation=translation,
            reference=reference,
            chrf=metric.sentence_score(translation, [reference]).score,
        )
        for source, translation, reference in zip(sources, translations, references, strict=True)
    ]
    return tuple(sorted(compared, key=lambda pair: pair.chrf)[:count])


def loss(translator: Translator, sources: Sequence[str], references: Sequence[str]) -> float:
    """The mean of −log p over the tokens of the references, ``<end>`` included, by teacher forcing."""
    _check(sources, references, "sources")
    source_tokens = translator.tokenizer.source.encode_batch(sources)
    target_tokens = translator.tokenizer.target.encode_batch(references)
    lengths = [max(map(len, pair)) + 1 for pair in zip(source_tokens, target_tokens, strict=True)]
    total, count = 0.0, 0
    for group in groups_of(lengths, tokens=_TOKENS_PER_BATCH):
        forced = force(
            translator.model,
            [source_tokens[place] for place in group],
            [target_tokens[place] for place in group],
        )
        total -= math.fsum(math.fsum(chances) for chances in forced)
        count += sum(map(len, forced))
    return total / count


def evaluate(
    translator: Translator,
    pairs: Sequence[tuple[str, str]],
    *,
    beam: int | None = None,
    settings: SearchSettings = DEFAULT,
    tokenization: str | None = None,
    show: int = 5,
) -> Evaluation:
    """Translate the sources of sentence pairs and hold the translations to the references."""
    if not pairs:
        raise DataError("there is nothing to evaluate: no sentence pair is given.")
    sources, references = [source for source, _ in pairs], [reference for _, reference in pairs]
    begun = time.perf_counter()
    translations = translator.translate(sources, beam=beam, settings=settings)
    seconds = time.perf_counter() - begun
    texts = [translation.text for translation in translations]
    return Evaluation(
        bleu=bleu(texts, references, tokenization=tokenization),
        chrf=chrf(texts, references),
        loss=loss(translator, sources, references),
        sentences=len(texts),
        seconds=seconds,
        cut=sum(translation.cut for translation in translations),
        worst=worst(sources, texts, references, count=show),
    )


def tokenization_of(references: Sequence[str]) -> str:
    """``zh`` if most letters are Chinese and none is Japanese, else ``13a``.

    >>> tokenization_of(["看小猫，它好可爱"]), tokenization_of(["l'ami de 王"]), tokenization_of(["猫が好き"])
    ('zh', '13a', '13a')
    """
    text = "".join(references)
    letters = sum(map(str.isalpha, text))
    return "zh" if not _kana.search(text) and 2 * len(_han.findall(text)) > letters else "13a"


def _check(texts: Sequence[str], references: Sequence[str], what: str = "translations") -> None:
    if len(texts) != len(references):
        raise DataError(
            f"{what} and references must be as many lines, but there are {len(texts)} and {len(references)}: "
            "line by line they would not belong together."
        )
    if not references:
        raise DataError("there is nothing to score: no reference is given.")
