"""A translator taught in seconds to put the adjective after the noun."""

from functools import cache
from itertools import product

import torch
import torch.nn.functional as F

from regard.models import Transformer
from regard.text import PADDING, AlignedPair, Batch, Tokenizer
from regard.translation import Translator
from tests.translation.some import Model

ADJECTIVES = {"red": "rouge", "calm": "calme", "young": "jeune", "sad": "triste", "thin": "mince"}
NOUNS = {"cat": "chat", "dog": "chien", "bird": "merle", "king": "roi", "child": "gosse", "boy": "gars"}
VERBS = {"sleeps": "dort", "reads": "lit", "laughs": "rit", "runs": "court", "sings": "chante"}


def every_pair() -> list[AlignedPair]:
    pairs = []
    for adjective, noun, verb in product(ADJECTIVES, NOUNS, VERBS):
        pairs.append(
            AlignedPair(
                source_words=("the", adjective, noun, verb, "."),
                target_words=("le", NOUNS[noun], ADJECTIVES[adjective], VERBS[verb], "."),
                sure=frozenset({(0, 0), (1, 2), (2, 1), (3, 3), (4, 4)}),
                possible=frozenset({(0, 0), (1, 2), (2, 1), (3, 3), (4, 4)}),
                combination=None,
            )
        )
    return pairs


@cache
def a_translator() -> Translator:
    pairs = every_pair()
    tokenizer = Tokenizer.train([(pair.source, pair.target) for pair in pairs], kind="words")
    with torch.random.fork_rng():
        torch.manual_seed(7)
        model = Transformer(vocabulary=len(tokenizer.source), width=32, heads=2, layers=1, hidden_width=32)
        teach(model, tokenizer, pairs)
    return Translator(model, tokenizer)


def teach(model: Model, tokenizer: Tokenizer, pairs: list[AlignedPair], steps: int = 100) -> None:
    batch = Batch.of(
        tokenizer.source.encode_batch(pair.source for pair in pairs),
        tokenizer.target.encode_batch(pair.target for pair in pairs),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(steps):
        some = torch.randperm(len(batch))[:32]
        logits = model(batch.source[some], batch.target_in[some], batch.source_lengths[some])
        expected = batch.target_out[some].flatten()
        loss = F.cross_entropy(logits.flatten(0, 1), expected, ignore_index=PADDING, label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
