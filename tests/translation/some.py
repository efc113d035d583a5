"""Small models with opinions of their own, and plain searches to hold the fast one to."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import torch

from regard.models import ConvolutionalTranslator, RecurrentTranslator, Transformer, TranslationModel
from regard.text import BEGIN, END
from regard.translation.forcing import force

Model = TranslationModel[Any]
Tokens = Sequence[int]

SEEDS = {"transformer": 20_171_206, "recurrent": 20_171_206, "convolutional": 2}
"""Such that some targets come to an end and some do not."""

KINDS = tuple(SEEDS)
USUAL = 4
"""The first token that is text."""


def a_model(kind: str, vocabulary: int = 23, *, dropout: float = 0.0, sharpness: float = 5.0) -> Model:
    """A random model whose answers are as decided as a trained one's, and differ from source to source."""
    torch.manual_seed(SEEDS[kind])
    sizes: dict[str, Any] = {"vocabulary": vocabulary, "width": 12, "dropout": dropout, "tie_output": False}
    model: Model
    if kind == "transformer":
        model = Transformer(heads=3, layers=2, hidden_width=17, **sizes)
    elif kind == "recurrent":
        model = RecurrentTranslator(**sizes)
    else:
        model = ConvolutionalTranslator(layers=2, **sizes)
    assert model.untied_output is not None
    with torch.no_grad():
        model.untied_output *= sharpness
    return model.eval()


def some_sources(count: int, vocabulary: int = 23, longest: int = 11) -> list[list[int]]:
    lengths = torch.randint(1, longest + 1, (count,)).tolist()
    return [torch.randint(USUAL, vocabulary, (length,)).tolist() for length in lengths]


def next_log_probabilities(model: Model, source: Tokens, written: Tokens) -> list[float]:
    """By the definition: everything is read anew for every token."""
    with torch.no_grad():
        logits = model(torch.tensor([[*source, END]]), torch.tensor([[BEGIN, *written]]))
    chances: list[float] = logits[0, -1].double().log_softmax(-1).tolist()
    for special in (0, 1, 3):
        chances[special] = -torch.inf
    return chances


def greedy(model: Model, source: Tokens, longest: int) -> list[int]:
    written: list[int] = []
    while len(written) < longest:
        chances = next_log_probabilities(model, source, written)
        token = chances.index(max(chances))
        if token == END:
            break
        written.append(token)
    return written


def beam_search(model: Model, source: Tokens, *, beam: int, power: float, longest: int) -> list[int]:
    """Beam search as it is told in words, one list at a time, with no thought for speed."""
    alive: list[tuple[float, list[int]]] = [(0.0, [])]
    ended: list[tuple[float, list[int]]] = []
    for length in range(1, longest + 2):
        grown = []
        for total, written in alive:
            for token, chance in enumerate(next_log_probabilities(model, source, written)):
                grown.append((total + chance, [*written, token]))
        grown.sort(key=lambda candidate: -candidate[0])
        longest_alive = alive[0][1]
        ended += [(total / length**power, row[:-1]) for total, row in grown[:beam] if row[-1] == END]
        alive = [candidate for candidate in grown if candidate[1][-1] != END][:beam]
        if len(ended) >= beam:
            break
    return max(ended, key=lambda candidate: candidate[0])[1] if ended else longest_alive


def every_target(vocabulary: int, longest: int) -> list[tuple[int, ...]]:
    usual = range(USUAL, vocabulary)
    return [target for length in range(longest + 1) for target in product(usual, repeat=length)]


def ranked(model: Model, source: Tokens, targets: Sequence[Tokens], power: float) -> list[tuple[int, ...]]:
    """Targets by the formula of the ranking, the best first."""
    forced = force(model, [source] * len(targets), targets)
    scored = [
        (sum(chances) / len(chances) ** power, tuple(t)) for chances, t in zip(forced, targets, strict=True)
    ]
    return [target for _, target in sorted(scored, reverse=True)]
