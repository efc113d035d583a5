"""``/rivals``: what else might stand in a place, and how the translation would then go on."""

import math
from itertools import islice
from typing import Any

from regard.serving.asked import Rivals
from regard.serving.looking import checked_text
from regard.serving.problems import refuse
from regard.serving.settings import Settings
from regard.serving.shelf import Served
from regard.text import END, Vocabulary
from regard.translation import Hypothesis, SearchSettings, rivals, search
from regard.translation.forcing import Rival

GREEDY = SearchSettings(beam=1)
MOST = 256
"""So many of the likeliest are looked through."""


def find_rivals(asked: Rivals, served: Served, settings: Settings) -> dict[str, Any]:
    """The likeliest first tokens of a place, each carried on to a word and to the end."""
    model, tokenizer = served.translator.model, served.translator.tokenizer
    text, target = (
        checked_text(field, getattr(asked, field), served, settings) for field in ("text", "target")
    )
    source, tokens = tokenizer.source.encode(text), tokenizer.target.encode(target)
    words = tokenizer.target.words(tokens)
    if asked.position > len(words):
        raise refuse(
            "position",
            f"position must be at most {len(words)}, one past the last word, but got {asked.position}.",
        )
    place = words[asked.position].tokens.start if asked.position < len(words) else len(tokens)
    standing = tokens[place] if place < len(tokens) else END
    found = rivals(model, source, tokens, MOST)[place]
    # A token that would go on with the word before is no rival of this one.
    fitting = (
        rival for rival in found if rival.token == END or _begins(tokenizer.target, tokens[:place], rival)
    )
    kept = [*islice(fitting, asked.count)]
    if standing not in {rival.token for rival in kept}:
        known = {rival.token: rival.probability for rival in found}
        kept = [*kept, Rival(standing, known.get(standing, 0.0))]
    open_ = [rival.token for rival in kept if rival.token != END]
    carried = dict(
        zip(
            open_,
            search(model, [source] * len(open_), GREEDY, prefixes=[[*tokens[:place], one] for one in open_]),
            strict=True,
        )
    )
    before = tokenizer.target.decode(tokens[:place])
    return {
        "model": served.name,
        "text": text,
        "target": target,
        "position": asked.position,
        "word": words[asked.position].text if asked.position < len(words) else "<end>",
        "before": before,
        "rivals": [
            {"probability": rival.probability, "chosen": rival.token == standing}
            | (
                {"word": "<end>", "piece": "<end>", "prefix": before, "text": before, "confidence": None}
                if rival.token == END
                else _carried(served, carried[rival.token][0], place)
            )
            for rival in kept
        ],
    }


def _begins(vocabulary: Vocabulary, before: list[int], rival: Rival) -> bool:
    return vocabulary.words([*before, rival.token])[-1].tokens.start == len(before)


def _carried(served: Served, best: Hypothesis, place: int) -> dict[str, Any]:
    vocabulary = served.translator.tokenizer.target
    word = next(word for word in vocabulary.words(best.tokens) if place in word.tokens)
    logs = best.token_log_probabilities
    return {
        "word": word.text,
        "piece": vocabulary.pieces([best.tokens[place]])[0],
        "prefix": vocabulary.decode(best.tokens[: word.tokens.stop]),
        "text": vocabulary.decode(best.tokens),
        "confidence": math.exp(math.fsum(logs) / max(len(logs), 1)),
    }
