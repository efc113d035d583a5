"""A walkthrough: steps in order, for the terminal, a notebook or a page of its own."""

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TextIO

from jaxtyping import Float
from torch import Tensor

from regard.attention import Explanation
from regard.errors import RegardError
from regard.viewing.drawn import PICTURES, Drawn
from regard.viewing.explanation.language import check_language, say
from regard.viewing.explanation.steps import Step, Telling, same
from regard.viewing.given import read_labels
from regard.viewing.typography import visible

FILES = (".html", *PICTURES)


@dataclass(frozen=True, kw_only=True)
class Walkthrough:
    """Steps under a title; ``picture`` is the one drawing that stands for the whole.

    >>> x = torch.tensor([[1.0, 3.0, 2.0], [1.0, 1.0, 3.0], [1.0, 2.0, 1.0]])
    >>> steps = regard.explain(x, score=regard.scores.Dot())
    >>> told = Walkthrough.of(steps, query_labels=["I", "am", "good"], title="I am good")
    >>> [step.title for step in told.steps]
    ['The vectors', 'Similarities', 'Exponentials', 'Weights', 'The weighted sum', 'The path attend() takes']
    """

    title: str
    lead: str = ""
    steps: Sequence[Step]
    picture: Drawn | None = None
    language: str = "en"

    def __post_init__(self) -> None:
        check_language(self.language)

    @classmethod
    def of(
        cls,
        explanation: Explanation,
        *,
        query_labels: Sequence[str] | None = None,
        key_labels: Sequence[str] | None = None,
        title: str = "",
        lead: str = "",
        language: str = "en",
        digits: int = 4,
        given_scores: Float[Tensor, "*batch queries keys"] | None = None,
    ) -> "Walkthrough":
        """The steps of an explanation; with ``given_scores`` they begin there, not at vectors.

        Labels are words for the queries and keys; the keys take those of the queries in
        self-attention. ``digits`` stand behind the point where numbers are not whole.
        """
        title = visible(title) if title else say("attention", check_language(language))
        weights = explanation.weights
        if weights.numel() == 0:
            raise RegardError(f"There is nothing to explain: the weights are {tuple(weights.shape)}.")
        if not 1 <= digits <= 12:
            raise RegardError(f"digits must be at least 1 and at most 12, but got {digits}.")
        queries, keys = weights.shape[-2:]
        is_self = same(explanation.queries, explanation.keys)
        if query_labels is None:
            query_labels = [f"{'x' if is_self else 'q'}{i + 1}" for i in range(queries)]
        if key_labels is None:
            key_labels = query_labels if is_self else [f"k{i + 1}" for i in range(keys)]
        telling = Telling(
            explanation=explanation,
            queries=[visible(word) for word in read_labels(query_labels, "query_labels", queries, title)],
            keys=[visible(word) for word in read_labels(key_labels, "key_labels", keys, title)],
            language=language,
            digits=digits,
            given=given_scores,
        )
        return cls(
            title=title,
            lead=lead,
            steps=telling.steps(),
            picture=telling.maps(title)[0],
            language=language,
        )

    def text(self, *, width: int = 100, colours: str = "none", theme: str = "dark") -> str:
        """The walkthrough in characters; ``colours`` are "none", "256" or "24-bit"."""
        from regard.viewing.explanation import printing

        return printing.text(self, width=width, colours=colours, theme=theme)

    def show(self, *, file: TextIO | None = None) -> None:
        """Print it, in colour where the terminal has it."""
        from regard.viewing import terminal

        stream = sys.stdout if file is None else file
        text = self.text(
            width=min(shutil.get_terminal_size((100, 24)).columns, 120),
            colours=terminal.colours_of_terminal(os.environ, is_terminal=stream.isatty()),
            theme=terminal.theme_of_terminal(),
        )
        encoding = stream.encoding or "utf-8"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))

    def html(self, *, back: str = "") -> str:
        """A page of its own: no script, nothing loaded, light or dark as the reader's machine is.

        ``back`` is the address of a page that lists this one.
        """
        from regard.viewing.explanation import page

        return page.html(self, back=back)

    def save(self, path: str | Path) -> Path:
        """Write the page (``.html``) or the picture alone (``.svg``, ``.png``, ``.pdf``)."""
        path = Path(path)
        if path.suffix not in FILES:
            raise RegardError(f"{path.name} cannot be written: its name must end in {', '.join(FILES)}.")
        if path.suffix != ".html":
            if self.picture is None:
                raise RegardError(f"{self.title!r} has no picture: save it as .html.")
            return self.picture.save(path)
        path.write_text(self.html(), encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        # A frame, so that the page's style and the notebook's do not meet.
        return f'<iframe srcdoc="{escape(self.html())}" width="100%" height="640" sandbox></iframe>'
