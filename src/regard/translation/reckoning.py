"""The arithmetic of one query of a translator, with the model's own numbers."""

from typing import Any

from torch import Tensor, nn

from regard.attention import MultiHeadAttention, watch
from regard.errors import DataError
from regard.text import END, Batch
from regard.translation.inference import inferring
from regard.translation.search import search
from regard.translation.translator import Translator
from regard.viewing.arithmetic import Arithmetic
from regard.viewing.given import Place, find_places
from regard.viewing.reckoning import WRITTEN, Projection, arithmetic
from regard.viewing.recorded import BEGIN, kind_of
from regard.viewing.words import SPECIAL


def reckon(
    translator: Translator,
    source: str,
    target: str | None = None,
    *,
    name: str,
    head: int = 0,
    word: Place = 0,
    written: int = WRITTEN,
    theme: str = "light",
) -> Arithmetic:
    """Work out one head of one attention for one word, checked against what the model made of it.

    ``word`` is a word of the target, or of the source in the encoder; or the position of a
    piece. Of a word in several pieces the first is taken. A row of a decoder is named after what
    it produces.
    """
    source_tokens = translator.tokenizer.source.encode(source.strip())
    if not source_tokens:
        raise DataError("there is nothing to look at: the source is empty.")
    target_tokens = (
        [*search(translator.model, [source_tokens])[0][0].tokens]
        if target is None
        else translator.tokenizer.target.encode(target.strip())
    )
    source_pieces = [*translator.tokenizer.source.pieces(source_tokens), "<end>"]
    target_pieces = [*translator.tokenizer.target.pieces(target_tokens), "<end>"]
    kind = kind_of(name)
    queries = source_pieces if kind == "self" else target_pieces
    keys = {"self": source_pieces, "cross": source_pieces, "decoder self": [BEGIN, *target_pieces[:-1]]}[kind]
    side = translator.tokenizer.source if kind == "self" else translator.tokenizer.target
    tokens = source_tokens if kind == "self" else target_tokens
    words = side.words([*tokens, END])
    if isinstance(word, str):
        (number,) = find_places(word, tuple(each.text for each in words), "the words")
        row = words[number].tokens.start
    else:
        (row,) = find_places(word, tuple(queries), f"the pieces {' '.join(map(repr, queries))}")
    told = next(each.text for each in words if row in each.tokens)
    batch = Batch.of([source_tokens], [target_tokens])
    with inferring(translator.model) as device, watch(translator.model) as seen:
        with _Projected(translator.model, name) as projected:
            translator.model(batch.source.to(device), batch.target_in.to(device))
        records = seen.calls(name)
    stepwise = len(records) > 1
    record = records[row] if stepwise else records[0]
    return arithmetic(
        record,
        query=0 if stepwise else row,
        head=head,
        query_labels=_labels([queries[row]] if stepwise else queries),
        key_labels=_labels(keys),
        projection=projected.of(row),
        written=written,
        theme=theme,
        title=f"{name} · head {head} · {'reading' if kind == 'self' else 'writing'} {told}",
    )


def _labels(pieces: list[str]) -> list[str]:
    """The pieces, without the space that begins each where each is a word."""
    whole = all(piece.startswith(" ") or piece in SPECIAL for piece in pieces)
    return [piece.strip() or piece for piece in pieces] if whole else pieces


class _Projected:
    """What the output projection of one attention answers while the block lasts."""

    def __init__(self, model: nn.Module, name: str) -> None:
        module = dict(model.named_modules()).get(name)
        self.linear = module.output_projection if isinstance(module, MultiHeadAttention) else None
        self.output: Tensor | None = None

    def __enter__(self) -> "_Projected":
        if self.linear is not None:
            self._hook = self.linear.register_forward_hook(self._keep)
        return self

    def __exit__(self, *_: object) -> None:
        if self.linear is not None:
            self._hook.remove()

    def of(self, row: int) -> Projection | None:
        """The projection, and what came of it for one query."""
        if self.linear is None or self.output is None:
            return None
        return Projection(weight=self.linear.weight, bias=self.linear.bias, output=self.output[0, row])

    def _keep(self, linear: nn.Module, inputs: Any, output: Tensor) -> None:
        self.output = output.detach()
