"""A model and its tokenizer: text in, text out, and a look inside."""

import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from regard.attention.linear import QUANTIZATIONS
from regard.errors import DataError, RecipeError
from regard.models import TranslationModel
from regard.text import Layout, Tokenizer, Vocabulary
from regard.translation.forcing import rivals
from regard.translation.parting import parted, whole
from regard.translation.search import DEFAULT, Hypothesis, search
from regard.translation.settings import SearchSettings
from regard.translation.shortlist import Shortlist
from regard.translation.translation import (
    OFTEN,
    Alternative,
    Repetition,
    SureWord,
    Translation,
    joined,
    most_repeated,
    nth,
)
from regard.translation.workers import TOKENS_PER_BATCH, Workers
from regard.wording import counted

if TYPE_CHECKING:  # loaded when somebody looks, so that translating begins sooner
    from regard.translation.looking import Rows
    from regard.viewing import AttentionMaps
    from regard.viewing.page import Page
    from regard.viewing.words import Words

WINDOW, WINDOW_OF_AN_ENGINE = 2_000, 16_000
"""Lines of a file that are held at a time: by an engine more, which leaves fewer batches half empty."""
_FEWEST_BEGUN = 2_000
"""Lines that an engine begins with, so that the first are answered soon."""
_WINDOW_CHARACTERS = 256
"""Characters of a line, on average, beyond which fewer lines are held."""


class RivalPiece(NamedTuple):
    """A piece that might stand in a place, and its probability there."""

    piece: str
    probability: float


@runtime_checkable
class Engine(Protocol):
    """Another program that searches with a model's parameters, all sentences at once."""

    def begin(
        self, sources: Sequence[Sequence[int]], settings: SearchSettings, *, prefixes: Sequence[Sequence[int]]
    ) -> Callable[[], list[list[Hypothesis]]]:
        """Begin to search, and go on while others compute; who calls what is given waits for the end.

        That gives the best targets of each source, the best first, as the own search finds them.
        """


class _Asked(NamedTuple):
    """A sentence to translate, and how its translation is to begin."""

    sentence: str
    prefix: str


class _Sides(NamedTuple):
    """A pair to look at: its texts, their tokens, and the pieces these spell, ``<end>`` last."""

    source: str
    target: str
    source_tokens: Sequence[int]
    target_tokens: Sequence[int]
    source_pieces: Sequence[str]
    target_pieces: Sequence[str]


class Translator:
    """Translates texts of any length and any characters.

    ``longest_sentence`` is how many tokens are translated in one piece: no more than the model
    was trained on. A longer text, or one of several lines, is cut into sentences, and a
    sentence that is still longer into parts. Sentences of like length are translated
    together, ``tokens_per_batch`` at a time; that changes nothing but the speed. With
    ``quantization="int8"`` the search multiplies rounded numbers, and an ``engine`` searches in the
    model's place; what is looked at is still the model. ``processes`` is how many search many
    sentences, None as many as torch has threads: see :class:`Workers`. With a ``shortlist`` a sentence
    is written in the tokens that are likely for it.

    >>> from regard.models import Transformer
    >>> tokenizer = Tokenizer.train([("the cat", "le chat")] * 3)
    >>> model = Transformer(vocabulary=len(tokenizer.source), width=6, heads=2, layers=1, hidden_width=7)
    >>> translator = Translator(model, tokenizer)
    >>> [translation.source for translation in translator.translate(["the cat", ""], beam=2)]
    ['the cat', '']
    >>> translator.look("the cat", "le chat")["decoder.0.cross"]
    AttentionMap('decoder.0.cross', cross, 2 heads, 3 queries × 3 keys)
    """

    def __init__(
        self,
        model: TranslationModel[Any],
        tokenizer: Tokenizer,
        *,
        longest_sentence: int = 100,
        tokens_per_batch: int = TOKENS_PER_BATCH,
        engine: Engine | None = None,
        quantization: str | None = None,
        processes: int | None = 1,
        shortlist: Shortlist | None = None,
    ) -> None:
        for side, known, needed in (
            ("source", model.source_vocabulary, len(tokenizer.source)),
            ("target", model.target_vocabulary, len(tokenizer.target)),
        ):
            if known != needed:
                raise RecipeError(
                    f"the model knows {known} {side} tokens, but the tokenizer has {needed}. "
                    "Take both from one run."
                )
        if longest_sentence < 8:
            raise RecipeError(f"longest_sentence must be at least 8 tokens, but got {longest_sentence}.")
        if quantization not in (None, *QUANTIZATIONS):
            raise RecipeError(
                f"quantization must be one of {', '.join(QUANTIZATIONS)}, but got {quantization!r}."
            )
        if engine is not None and processes not in (None, 1):
            raise RecipeError(
                f"processes must be left out where another engine searches, but got {processes}: it has "
                "threads of its own."
            )
        if engine is not None and shortlist is not None:
            raise RecipeError(
                "a shortlist goes with regard's own search alone. Leave out the one or the other."
            )
        self.model = model
        self.tokenizer = tokenizer
        self.longest_sentence = longest_sentence
        self.tokens_per_batch = tokens_per_batch
        self.engine = engine
        self.quantization = quantization
        self._workers = Workers(model, processes=processes, quantization=quantization, shortlist=shortlist)
        self._known_characters = _characters_of(tokenizer.source)

    def translate(
        self,
        texts: Sequence[str],
        *,
        beam: int | None = None,
        alternatives: int = 0,
        prefixes: Sequence[str] | None = None,
        settings: SearchSettings = DEFAULT,
    ) -> list[Translation]:
        """Translate each text; white space around and between its sentences stays, a blank text stays blank.

        ``beam`` and ``alternatives``, how many others are wanted beside the best, are said
        here or in ``settings``. A translation begins with its prefix where one is given, and is
        then made in one piece. What is not valid Unicode is read as U+FFFD.
        """
        return self._begin(texts, _settled(settings, beam, alternatives), prefixes)()

    def _begin(
        self, texts: Sequence[str], settings: SearchSettings, prefixes: Sequence[str] | None = None
    ) -> Callable[[], list[Translation]]:
        """Prepare what is to be translated, and have an engine begin; what is given brings it to its end."""
        if isinstance(texts, str):
            raise DataError("texts must be a list of texts, but got one text. Write translate([text]).")
        texts = [_valid(text) for text in texts]
        prefixes = [""] * len(texts) if prefixes is None else [_valid(prefix).rstrip() for prefix in prefixes]
        if len(prefixes) != len(texts):
            raise DataError(
                f"prefixes must be one for each of {counted(len(texts), 'text')}, but got {len(prefixes)}."
            )
        stripped = [*dict.fromkeys(text.strip() for text in texts)]
        encoded = dict(zip(stripped, self.tokenizer.source.encode_batch(stripped), strict=True))
        layouts = [self._laid_out(*asked, encoded) for asked in zip(texts, prefixes, strict=True)]
        asked: dict[_Asked, int] = {}  # each once, and its place
        places = [
            [asked.setdefault(_Asked(sentence, prefix), len(asked)) for sentence in layout.sentences]
            for layout, prefix in zip(layouts, prefixes, strict=True)
        ]
        translated = self._translate_sentences([*asked], encoded, settings)

        def end() -> list[Translation]:
            found = translated()
            return [
                _put_together(text, layout, [found[place] for place in of_text])
                for text, layout, of_text in zip(texts, layouts, places, strict=True)
            ]

        return end

    def translate_lines(
        self,
        lines: Iterable[str],
        *,
        beam: int | None = None,
        settings: SearchSettings = DEFAULT,
        window: int | None = None,
    ) -> Iterator[Translation]:
        """Translate lines as they come: exactly one translation for each, in order, and each one line.

        At most ``window`` lines are held at a time: many go faster together, one answers at once. Left
        out it is 2,000, or 16,000 with an engine.
        """
        if window is None:
            window = WINDOW if self.engine is None else WINDOW_OF_AN_ENGINE
        if window < 1:
            raise RecipeError(f"window must be at least 1 line, but got {window}.")
        if self.engine is None or window == 1:
            for held in _windows(lines, first=window, most=window):
                yield from self.translate(held, beam=beam, settings=settings)
            return
        # An engine computes by itself: the next lines are read and prepared, and wait for it, while it does.
        settings = _settled(settings, beam, 0)
        begun: deque[Callable[[], list[Translation]]] = deque()
        half = window // 2
        for held in _windows(lines, first=min(_FEWEST_BEGUN, half), most=half):
            begun.append(self._begin(held, settings))
            if len(begun) == 2:
                yield from begun.popleft()()
        for end in begun:
            yield from end()

    def close(self) -> None:
        """End the processes that search, if there are any; otherwise they end with this program."""
        self._workers.close()

    def look(
        self,
        source: str,
        target: str | None = None,
        *,
        subwords: bool = False,
        rows: "Rows" = "produced",
        source_words: Sequence[str] | None = None,
        target_words: Sequence[str] | None = None,
    ) -> "AttentionMaps":
        """Every attention of the model as it writes the target, or its own translation if none is given.

        Subwords are merged into words, as the vocabulary cuts them or as ``source_words`` and
        ``target_words`` say. A row of the decoder is labelled by the token it produces, or,
        with ``rows="read"``, by the token read.
        """
        sides = self._sides(source, target)
        from regard.translation.looking import maps_of

        maps = maps_of(
            self.model,
            sides.source_tokens,
            sides.target_tokens,
            source_pieces=sides.source_pieces,
            target_pieces=sides.target_pieces,
            rows=rows,
        )
        if subwords:
            return maps
        return maps.to_words(
            source=_words(self.tokenizer.source, sides.source, sides.source_tokens, source_words),
            target=_words(self.tokenizer.target, sides.target, sides.target_tokens, target_words),
        )

    def page(self, source: str, target: str | None = None, **options: Any) -> "Page":
        """A page to explore what :meth:`look` sees, by words or by subwords, with heads that can be edited.

        ``options`` are those of :func:`regard.viewing.page.make`.
        """
        sides = self._sides(source, target)
        from regard.translation.looking import watched
        from regard.viewing import AttentionMaps

        with watched(self.model, sides.source_tokens, sides.target_tokens) as seen:
            maps = AttentionMaps.of(seen, source=sides.source_pieces, target=sides.target_pieces)
            return maps.page(
                source=_words(self.tokenizer.source, sides.source, sides.source_tokens, None),
                target=_words(self.tokenizer.target, sides.target, sides.target_tokens, None),
                seen=seen,
                **options,
            )

    def _sides(self, source: str, target: str | None) -> "_Sides":
        """A pair to look at; where no target is given, the translation."""
        source = _valid(source).strip()
        if not source:
            raise DataError("there is nothing to look at: the source is empty.")
        source_tokens = self.tokenizer.source.encode(source)
        if target is None:
            target_tokens = [*search(self.model, [source_tokens])[0][0].tokens]
            target = self.tokenizer.target.decode(target_tokens)
        else:
            target = _valid(target).strip()
            target_tokens = self.tokenizer.target.encode(target)
        return _Sides(
            source,
            target,
            source_tokens,
            target_tokens,
            [*self.tokenizer.source.pieces(source_tokens), "<end>"],
            [*self.tokenizer.target.pieces(target_tokens), "<end>"],
        )

    def rivals(self, source: str, target: str, *, count: int = 5) -> list[list[RivalPiece]]:
        """What else might have stood in each place of a target, ``<end>``'s last, the likeliest first."""
        target_tokens = self.tokenizer.target.encode(target)
        places = rivals(self.model, self.tokenizer.source.encode(source), target_tokens, count)
        return [
            [
                RivalPiece(self.tokenizer.target.pieces([token])[0], probability)
                for token, probability in place
            ]
            for place in places
        ]

    def _laid_out(self, text: str, prefix: str, encoded: dict[str, list[int]]) -> Layout:
        fits = len(encoded[text.strip()]) <= self.longest_sentence
        if prefix or (fits and "\n" not in text.strip()):
            return whole(text)
        return parted(text, self.tokenizer.source, self.longest_sentence)

    def _translate_sentences(
        self, asked: Sequence[_Asked], encoded: dict[str, list[int]], settings: SearchSettings
    ) -> Callable[[], list[Translation]]:
        sources = [encoded.get(one.sentence) or self.tokenizer.source.encode(one.sentence) for one in asked]
        prefixes = [self.tokenizer.target.encode(one.prefix) if one.prefix else () for one in asked]
        found = self._search(sources, prefixes, settings)
        return lambda: [
            self._translation(one.sentence, source, hypotheses)
            for one, source, hypotheses in zip(asked, sources, found(), strict=True)
        ]

    def _search(
        self, sources: list[list[int]], prefixes: Sequence[Sequence[int]], settings: SearchSettings
    ) -> Callable[[], list[list[Hypothesis]]]:
        if self.engine is not None and settings.sampling is None:
            return self.engine.begin(sources, settings, prefixes=prefixes)
        return partial(
            self._workers.search,
            sources,
            settings,
            prefixes=prefixes,
            tokens_per_batch=self.tokens_per_batch,
        )

    def _translation(
        self, source: str, source_tokens: Sequence[int], hypotheses: Sequence[Hypothesis]
    ) -> Translation:
        best = hypotheses[0]
        text = _one_line(self.tokenizer.target.decode(best.tokens))
        work_out = partial(self._in_full, source, source_tokens, text, hypotheses)
        return Translation.deferred(source=source, text=text, cut=best.cut, work_out=work_out)

    def _in_full(
        self, source: str, source_tokens: Sequence[int], text: str, hypotheses: Sequence[Hypothesis]
    ) -> Translation:
        vocabulary, best = self.tokenizer.target, hypotheses[0]
        # Two ways to spell a text in tokens are one alternative.
        others: dict[str, Alternative] = {}
        for hypothesis in hypotheses:
            other = _one_line(vocabulary.decode(hypothesis.tokens))
            others.setdefault(other, Alternative(other, hypothesis.log_probability))
        _, *alternatives = others.values()
        return Translation(
            source=source,
            text=text,
            log_probability=best.log_probability,
            pieces=tuple(vocabulary.pieces(best.tokens)),
            words=_sure_words(vocabulary, best),
            alternatives=tuple(alternatives),
            cut=best.cut,
            repeated=_repetition(vocabulary, best.tokens, source_tokens),
            unknown=tuple(dict.fromkeys(c for c in source if c > "\x7f" and c not in self._known_characters)),
        )


def _windows(lines: Iterable[str], *, first: int, most: int) -> Iterator[list[str]]:
    """So many lines first, each time twice as many and at most so many; fewer where they are long."""
    held: list[str] = []
    size, count = 0, first
    for line in lines:
        held.append(line.removesuffix("\n").replace("\n", " "))
        size += len(line)
        if len(held) >= count or size >= count * _WINDOW_CHARACTERS:
            yield held
            held, size, count = [], 0, min(2 * count, most)
    if held:
        yield held


def _settled(settings: SearchSettings, beam: int | None, alternatives: int) -> SearchSettings:
    if alternatives:
        settings = replace(settings, n_best=alternatives + 1, beam=max(settings.beam, alternatives + 1))
    return settings if beam is None else replace(settings, beam=beam)


def _valid(text: str) -> str:
    """The text with U+FFFD where it is no valid Unicode."""
    if not isinstance(text, str):
        raise DataError(f"a text must be a string, but got {text!r}.")
    return text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)


def _one_line(text: str) -> str:
    """A model may write any character, but a sentence is one line."""
    return re.sub(r"[\r\n]+", " ", text) if "\n" in text or "\r" in text else text


def _characters_of(vocabulary: Vocabulary) -> frozenset[str]:
    """The characters that stand whole in a token; of ASCII all do."""
    return frozenset(b"\n".join(vocabulary.learned).decode(errors="ignore"))


def _words(vocabulary: Vocabulary, text: str, tokens: Sequence[int], words: Sequence[str] | None) -> "Words":
    from regard.translation.looking import given_words, own_words

    if words is None:
        return own_words(vocabulary, tokens)
    return given_words(vocabulary, text, tokens, words)


def _sure_words(vocabulary: Vocabulary, hypothesis: Hypothesis) -> tuple[SureWord, ...]:
    words = []
    for word in vocabulary.words(hypothesis.tokens):
        of_tokens = hypothesis.token_log_probabilities[word.tokens.start : word.tokens.stop]
        words.append(SureWord(word.text, math.exp(math.fsum(of_tokens) / len(of_tokens))))
    return tuple(words)


def _repetition(vocabulary: Vocabulary, target: Sequence[int], source: Sequence[int]) -> Repetition | None:
    """What the target repeats in words more often than the source repeats anything."""
    run, times = most_repeated(target)
    text = vocabulary.decode(target[run.start : run.stop]).strip()
    if times < OFTEN or times <= most_repeated(source)[1] or not any(map(str.isalpha, text)):
        return None
    return Repetition(text, times)


def _put_together(text: str, layout: Layout, parts: Sequence[Translation]) -> Translation:
    if not parts:
        return Translation(source=text, text=text)
    if layout.separators == ("", ""):  # one sentence is the whole text
        return parts[0]
    together = layout.join([part.text for part in parts])
    cut = any(part.cut for part in parts)
    work_out = partial(_together_in_full, text, together, layout, parts)
    return Translation.deferred(source=text, text=together, cut=cut, work_out=work_out)


def _together_in_full(text: str, together: str, layout: Layout, parts: Sequence[Translation]) -> Translation:
    if len(parts) == 1:
        others = tuple(other._replace(text=layout.join([other.text])) for other in parts[0].alternatives)
        return replace(parts[0], source=text, text=together, alternatives=others)
    count = max(len(part.alternatives) for part in parts)
    texts = [layout.join([nth(part, number).text for part in parts]) for number in range(count)]
    return joined(text, together, parts, texts)
