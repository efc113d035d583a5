"""``/translate``: texts that wait with the same model and settings are translated together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from regard.serving.asked import Translate
from regard.serving.markup import Markup
from regard.serving.problems import Problem, refuse
from regard.serving.settings import Settings
from regard.serving.shelf import Served, Shelf, told_head
from regard.serving.work import Workshop
from regard.translation import Translation
from regard.wording import counted


class Wanted(NamedTuple):
    """A text, how its translation is to begin, and whether its words are wanted."""

    text: str
    prefix: str
    details: bool


class Found(NamedTuple):
    """A translation, and the other texts and the details of its words where they were wanted."""

    text: str
    others: list[str]
    details: dict[str, Any] | None


@dataclass(frozen=True)
class Translating:
    """Translating with one model, one beam, so many alternatives and no other way of searching."""

    served: Served
    beam: int
    alternatives: int
    look_tokens: int

    def run(self, items: list[Wanted]) -> list[Found]:
        """Translate all in one go, then look at those whose words are wanted."""
        translations = self.served.translator.translate(
            [item.text for item in items],
            beam=max(self.beam, self.alternatives + 1),
            alternatives=self.alternatives,
            prefixes=[item.prefix for item in items],
        )
        return [
            Found(
                translation.text,
                [other.text for other in translation.alternatives] if self.alternatives else [],
                self._details(translation) if item.details else None,
            )
            for item, translation in zip(items, translations, strict=True)
        ]

    def _details(self, found: Translation) -> dict[str, Any]:
        source = self.served.translator.tokenizer.source
        source_words = [word.text for word in source.words(source.encode(found.source.strip()))]
        weights = self._weights(found, len(source_words))
        words = [word.text for word in found.words]
        spaces, after = spaced(found.text, words) or ([" "] * len(words), "")
        placed = spaced(found.source, source_words)
        if placed is None:  # a vocabulary that normalises: the words are not the text's own
            source_words, weights = found.source.split(), None
            placed = spaced(found.source, source_words)
        source_spaces, source_after = placed or ([], found.source)
        return {
            "source": found.source,
            "text": found.text,
            "confidence": found.confidence,
            "log_probability": found.log_probability,
            "words": [
                {
                    "space": spaces[number],
                    "text": word.text,
                    "confidence": word.confidence,
                    "sources": None if weights is None else weights[number],
                }
                for number, word in enumerate(found.words)
            ],
            "after": after,
            "source_words": [
                {"space": space, "text": word}
                for space, word in zip(source_spaces, source_words, strict=True)
            ],
            "source_after": source_after,
            "aligning": None if weights is None else told_head(self.served.aligning),
            "alternatives": [other._asdict() for other in found.alternatives],
            "warnings": [*found.warnings],
            "cut": found.cut,
        }

    def _weights(self, found: Translation, source_words: int) -> list[list[float]] | None:
        """How much each word looked at each source word: by the head that aligns, or all of a layer."""
        source, head = self.served.translator.tokenizer.source, self.served.aligning
        if len(found.parts) > 1 or not found.words or not found.source.strip():
            return None
        if len(source.encode(found.source)) > self.look_tokens or len(found.pieces) > 2 * self.look_tokens:
            return None
        maps = self.served.translator.look(
            found.source, found.text, rows="produced" if head is None else head.rows
        )
        last = [*maps.kind("cross").values()][-1]
        seen = last.mean() if head is None else maps[head.name].head(head.head)
        rows = seen.per_head[0]
        rows = rows[1:] if seen.query_labels[0] == "<begin>" else rows
        if len(rows) < len(found.words) or rows.shape[1] != source_words + 1:
            return None  # the words of a text read anew may be cut otherwise than they were written
        return [row[:-1] for row in rows[: len(found.words)].tolist()]


async def translate(asked: Translate, shelf: Shelf, workshop: Workshop, settings: Settings) -> dict[str, Any]:
    """Answer as LibreTranslate does, and with more for those who ask for more."""
    check(asked, settings)
    detected = None
    if asked.source == "auto" and asked.model is None:
        sources = {one.source for one in shelf.models.values() if asked.target in (None, one.target)}
        detected = [shelf.detector.detect(text, sources or None)[:1] for text in asked.texts]
    served = _served(asked, shelf, detected)
    markups = [Markup(text) for text in asked.texts] if asked.format == "html" else []
    texts = [text for markup in markups for text in markup.texts] if markups else asked.texts
    kind = Translating(served, asked.beam, asked.alternatives, settings.look_tokens)
    encode = served.translator.tokenizer.source.encode
    beam = max(asked.beam, asked.alternatives + 1)
    found: list[Found] = await workshop.do(
        kind,
        [Wanted(text, asked.prefix, asked.details) for text in texts],
        [(len(encode(text)) + 1) * beam for text in texts],
    )
    translated = [one.text for one in found]
    if markups:
        left = iter(translated)
        translated = [markup.filled([next(left) for _ in markup.texts]) for markup in markups]
    is_one = isinstance(asked.q, str)
    answer: dict[str, Any] = {"translatedText": translated[0] if is_one else translated, "model": served.name}
    if asked.alternatives:
        answer["alternatives"] = found[0].others if is_one else [one.others for one in found]
    if detected is not None:
        told = [{"language": code, "confidence": sure} for ((code, sure),) in detected]
        answer["detectedLanguage"] = told[0] if is_one else told
    if asked.details:
        answer["details"] = [one.details for one in found]
    return answer


def check(asked: Translate, settings: Settings) -> None:
    """Refuse what goes beyond the limits."""
    if len(asked.texts) > settings.texts:
        raise refuse(
            "q", f"q must have at most {counted(settings.texts, 'text')}, but has {len(asked.texts)}."
        )
    check_characters("q", sum(map(len, asked.texts)) + len(asked.prefix), settings)
    if asked.beam > settings.beam:
        raise refuse("beam", f"beam must be at most {settings.beam}, but got {asked.beam}.")
    if asked.alternatives > settings.alternatives:
        raise refuse(
            "alternatives",
            f"alternatives must be at most {settings.alternatives}, but got {asked.alternatives}.",
        )
    if asked.format == "html" and (asked.details or asked.prefix or asked.alternatives):
        raise refuse("format", "html goes without details, prefix and alternatives. Send the text alone.")


def check_characters(field: str, characters: int, settings: Settings) -> None:
    """Refuse longer texts than are allowed."""
    if characters > settings.characters:
        raise Problem(
            413,
            "too_large",
            f"{field} must have at most {counted(settings.characters, 'character')}, but has {characters:,}.",
            field=field,
        )


def spaced(text: str, words: Sequence[str]) -> tuple[list[str], str] | None:
    """What stands before each word in the text, and what stands after the last; None if they do not spell it.

    >>> spaced(" le chat. ", ["le", "chat", "."])
    ([' ', ' ', ''], ' ')
    """
    spaces, place = [], 0
    for word in words:
        start = text.find(word, place)
        if start < 0 or text[place:start].strip():
            return None
        spaces.append(text[place:start])
        place = start + len(word)
    return None if text[place:].strip() else (spaces, text[place:])


def _served(asked: Translate, shelf: Shelf, detected: Any) -> Served:
    """The model that is named, or the first between the languages."""
    if asked.model is not None:
        return shelf.called(asked.model)
    default = shelf.default()
    if asked.source is None and asked.target is None:
        return default
    target = asked.target or default.target
    if detected is not None:
        return shelf.between(detected[0][0][0], target)
    return shelf.between(asked.source or default.source, target)
