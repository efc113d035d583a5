"""What each head is worth: how much likelier or unlikelier a translation becomes without it."""

import math
from collections.abc import Sequence

from regard.attention import KnockOut, intervene, watch
from regard.errors import DataError
from regard.text import Batch
from regard.translation.forcing import force
from regard.translation.inference import inferring
from regard.translation.search import search
from regard.translation.translator import Translator


def effects(translator: Translator, source: str, target: str | None = None) -> dict[str, tuple[float, ...]]:
    """The change in the log-probability of a translation when each head is knocked out, by attention.

    Below zero the head helps; at −0.69 the translation is half as likely without it. The
    translation is the model's own if none is given.

    >>> from regard.models import Transformer
    >>> from regard.text import Tokenizer
    >>> tokenizer = Tokenizer.train([("the cat", "le chat")] * 3)
    >>> model = Transformer(vocabulary=len(tokenizer.source), width=6, heads=2, layers=1, hidden_width=7)
    >>> {name: len(of_heads) for name, of_heads in effects(Translator(model, tokenizer), "the cat").items()}
    {'encoder.0.self': 2, 'decoder.0.self': 2, 'decoder.0.cross': 2}
    """
    source_tokens = translator.tokenizer.source.encode(source.strip())
    if not source_tokens:
        raise DataError("there is nothing to look at: the source is empty.")
    target_tokens = (
        [*search(translator.model, [source_tokens])[0][0].tokens]
        if target is None
        else translator.tokenizer.target.encode(target.strip())
    )
    whole = _log_probability(translator, source_tokens, target_tokens)
    found: dict[str, tuple[float, ...]] = {}
    for name, heads in _heads(translator, source_tokens, target_tokens).items():
        without = []
        for head in range(heads):
            with intervene(translator.model, {name: KnockOut(heads=[head])}):
                without.append(_log_probability(translator, source_tokens, target_tokens))
        found[name] = tuple(each - whole for each in without)
    return found


def _log_probability(translator: Translator, source: Sequence[int], target: Sequence[int]) -> float:
    return math.fsum(force(translator.model, [source], [target])[0])


def _heads(translator: Translator, source: Sequence[int], target: Sequence[int]) -> dict[str, int]:
    batch = Batch.of([source], [target])
    with inferring(translator.model) as device, watch(translator.model) as seen:
        translator.model(batch.source.to(device), batch.target_in.to(device))
        return {name: record.output.shape[1] for name, record in seen.items()}
