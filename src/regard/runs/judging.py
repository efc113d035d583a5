"""How well a learner does on pairs it has not learned from."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.models import TranslationModel
from regard.runs.folder import RunFolder
from regard.text import Batch, Corpus, Pair, Tokenizer
from regard.training import Learner, StepSettings, loss_of
from regard.translation import Translator, bleu, chrf


@dataclass(frozen=True, kw_only=True)
class Validation:
    """How well the model does on pairs it has not learned from."""

    step: int
    loss: float
    """Nats per target token, without smoothing."""
    bleu: float | None
    chrf: float | None
    source: str
    target: str
    translation: str
    seconds: float
    is_best: bool
    signature: str = ""
    """Of BLEU, as sacreBLEU says how it was computed."""

    @property
    def score(self) -> float:
        """More is better: BLEU, or minus the loss where nothing was translated."""
        return -self.loss if self.bleu is None else self.bleu


class Judge:
    """Validates a learner with the parameters it would translate with."""

    def __init__(
        self, corpus: Corpus, tokenizer: Tokenizer, *, pairs: int, longest_sentence: int, device: torch.device
    ) -> None:
        self.corpus, self.tokenizer, self.device = corpus, tokenizer, device
        self.pairs, self.longest_sentence = pairs, longest_sentence
        self.batches = _validation_batches(corpus, tokenizer)
        self.sample = _sample(corpus)

    def validate(self, learner: Learner, best: float) -> Validation:
        """Loss on all validation pairs, BLEU and chrF on the first of them."""
        began = time.perf_counter()
        with self._translating(learner) as translator:
            loss = self._loss(learner)
            pairs = self.corpus.pairs[: self.pairs]
            in_bleu = in_chrf = None
            signature = ""
            if pairs:
                found = [one.text for one in translator.translate([pair.source for pair in pairs], beam=1)]
                wanted = [pair.target for pair in pairs]
                scored = bleu(found, wanted)
                in_bleu, in_chrf, signature = scored.value, chrf(found, wanted).value, scored.signature
            translation = translator.translate([self.sample.source], beam=1)[0].text
        score = -loss if in_bleu is None else in_bleu
        return Validation(
            step=learner.step,
            loss=loss,
            bleu=in_bleu,
            chrf=in_chrf,
            source=self.sample.source,
            target=self.sample.target,
            translation=translation,
            seconds=time.perf_counter() - began,
            is_best=score > best,
            signature=signature,
        )

    def keep_look(self, folder: RunFolder, learner: Learner) -> None:
        """The attention on one sentence, at this step, for a film of the training."""
        with self._translating(learner) as translator:
            maps = translator.look(self.sample.source, self.sample.target)
        folder.looks.mkdir(exist_ok=True)
        maps.save(folder.looks / f"{learner.step:08d}.npz")

    @contextmanager
    def _translating(self, learner: Learner) -> Iterator[Translator]:
        """A translator with the parameters to keep, in a model that gets its own back afterwards."""
        model, kept = learner.model, learner.averaged
        own = {name: one.detach().clone() for name, one in model.named_parameters()} if kept else {}
        model.eval()
        try:
            _put(model, kept or {})
            yield Translator(model, self.tokenizer, longest_sentence=self.longest_sentence)
        finally:
            _put(model, own)
            model.train()

    def _loss(self, learner: Learner) -> float:
        plain = StepSettings(label_smoothing=0.0)
        total, tokens = 0.0, 0
        with torch.no_grad():
            for batch in self.batches:
                total += float(loss_of(learner.model, batch.to(self.device), plain))
                tokens += batch.target_tokens
        return total / max(tokens, 1)


def _put(model: TranslationModel[Any], parameters: dict[str, Tensor]) -> None:
    own = dict(model.named_parameters())
    with torch.no_grad():
        for name, value in parameters.items():
            own[name].copy_(value)


def _validation_batches(corpus: Corpus, tokenizer: Tokenizer) -> list[Batch]:
    """All validation pairs in batches of like length."""
    sources = tokenizer.source.encode_batch(pair.source for pair in corpus.pairs)
    targets = tokenizer.target.encode_batch(pair.target for pair in corpus.pairs)
    order = sorted(range(len(sources)), key=lambda one: (len(targets[one]), len(sources[one])))
    chunks = [order[start : start + 64] for start in range(0, len(order), 64)]
    return [Batch.of([sources[one] for one in chunk], [targets[one] for one in chunk]) for chunk in chunks]


def _sample(corpus: Corpus) -> Pair:
    """The pair to show while training: the first of middling length."""
    lengths = sorted(len(pair.source) for pair in corpus.pairs)
    middle = lengths[len(lengths) // 2]
    return next(pair for pair in corpus.pairs if len(pair.source) == middle)
