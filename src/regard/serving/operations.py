"""Every route of the API in one table: from it come the routes, their description and the metrics."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from regard.serving import answered, asked
from regard.serving.asked import Asked

Handler = Callable[[Any, Any], Awaitable[Any]]
"""Takes the studio and what was asked: a body, or the parameters of the path and query."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A number or word in the path or the query."""

    name: str
    where: str
    schema: dict[str, Any]
    default: Any = None


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One thing that can be asked."""

    method: str
    path: str
    summary: str
    example: str = ""
    """A body to begin with, for people."""
    asks: Sequence[type[Asked]] = ()
    """Bodies it may take; with several, a field tells which."""
    answers: Sequence[type[BaseModel]] = ()
    many: bool = False
    """Whether the answer is a list of these."""
    form: bool = False
    libre: bool = False
    """Whether errors are told as LibreTranslate's clients expect."""
    is_open: bool = False
    """Whether it needs no key."""
    works: bool = False
    """Whether it goes through the queue."""
    parameters: Sequence[Parameter] = ()
    text: str = ""
    """The media type, where the answer is not JSON."""
    statuses: Sequence[int] = field(default=())
    """What it may answer besides 200."""


AFTER = Parameter(
    name="after", where="query", schema={"type": "integer", "minimum": 0, "maximum": 10**9}, default=0
)
LANGUAGE = Parameter(
    name="language", where="query", schema={"type": "string", "enum": ["en", "zh"]}, default="en"
)
RUN = Parameter(name="name", where="path", schema={"type": "string", "minLength": 1})
STEP = Parameter(name="step", where="path", schema={"type": "integer", "minimum": 0, "maximum": 10**9})

OPERATIONS = {
    "translate": Operation(
        method="POST",
        path="/translate",
        summary="Translate a text or a list of texts.",
        example='{"q": "i am home .", "source": "en", "target": "fr"}',
        asks=[asked.Translate],
        answers=[answered.Translated],
        form=True,
        libre=True,
        works=True,
    ),
    "detect": Operation(
        method="POST",
        path="/detect",
        summary="Which of the languages served a text is written in.",
        example='{"q": "la maison rouge"}',
        asks=[asked.Detect],
        answers=[answered.Detected],
        many=True,
        form=True,
        libre=True,
    ),
    "languages": Operation(
        method="GET",
        path="/languages",
        summary="The languages served.",
        answers=[answered.Language],
        many=True,
        libre=True,
        is_open=True,
    ),
    "rivals": Operation(
        method="POST",
        path="/rivals",
        summary="What else might stand in a place of a translation.",
        example='{"text": "i am home .", "target": "je suis chez moi .", "position": 2}',
        asks=[asked.Rivals],
        answers=[answered.RivalsTold],
        works=True,
    ),
    "attention": Operation(
        method="POST",
        path="/attention",
        summary="Every attention of a model on a sentence, with heads knocked out if asked.",
        example='{"text": "i am home ."}',
        asks=[asked.Attention],
        answers=[answered.Looked],
        works=True,
    ),
    "explain": Operation(
        method="POST",
        path="/explain",
        summary="The arithmetic: a worked example, numbers of one's own, or one query of a model.",
        example='{"queries": [[1, 0], [0, 2]], "score": "gaussian", "mask": {"kind": "causal"}}',
        asks=[asked.Worked, asked.Numbers, asked.OneQuery],
        answers=[answered.WorkedTold, answered.NumbersTold, answered.OneQueryTold],
        works=True,
    ),
    "examples": Operation(
        method="GET",
        path="/explain",
        summary="The worked examples.",
        answers=[answered.Examples],
        parameters=[LANGUAGE],
    ),
    "models": Operation(
        method="GET",
        path="/models",
        summary="Every model, and the limits of a request.",
        answers=[answered.Models],
    ),
    "training": Operation(
        method="GET",
        path="/training",
        summary="Runs in progress.",
        answers=[answered.Training],
        parameters=[AFTER],
    ),
    "look": Operation(
        method="GET",
        path="/training/{name}/looks/{step}",
        summary="The maps a run kept at a step.",
        answers=[answered.LookTold],
        parameters=[RUN, STEP],
    ),
    "health": Operation(
        method="GET", path="/health", summary="Whether it lives.", answers=[answered.Status], is_open=True
    ),
    "ready": Operation(
        method="GET",
        path="/ready",
        summary="Whether it takes new work.",
        answers=[answered.Status],
        is_open=True,
        statuses=[503],
    ),
    "metrics": Operation(method="GET", path="/metrics", summary="Counts for Prometheus.", text="text/plain"),
}
