"""From what was asked on the command line to a walkthrough."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regard import worked
from regard.cli.question import Question
from regard.cli.reading import read_file, read_options
from regard.errors import RegardError
from regard.viewing.explanation import Said, Walkthrough

HEADING = Said(
    "Worked examples; follow one with: regard explain NAME", "例子；用 regard explain 名字 来看其中一个"
)
OWN = Said("Or explain your own:", "或者解释你自己的：")


def answer(what: str | None, said: Mapping[str, Any], language: str) -> Walkthrough:
    """Tell an example, or answer the question that a file and the options put."""
    if what is not None and not _is_file(what):
        return worked.example(what).walk(language, **said)
    asked = dict(said)
    if "d" in asked:
        raise RegardError("--d goes with the example kitten; your own vectors have their own width.")
    digits = asked.pop("digits", 4)
    options = read_options(asked)
    question = Question(**options) if what is None else Question(**{**read_file(Path(what)).said, **options})
    return question.walk(language=language, digits=digits)


def list_examples(language: str) -> str:
    """Every example's name and title, and how to explain one's own."""
    rows = [f"  {name:<11}{each.title.to(language)}" for name, each in worked.EXAMPLES.items()]
    return "\n".join(
        (
            HEADING.to(language),
            "",
            *rows,
            "",
            OWN.to(language),
            '  regard explain --words "the cat sat"',
            '  regard explain --vectors "1,3,2; 1,1,3; 1,2,1" --words "I am good" --score dot',
        )
    )


def _is_file(what: str) -> bool:
    return what not in worked.EXAMPLES and (bool(Path(what).suffix) or Path(what).exists())
