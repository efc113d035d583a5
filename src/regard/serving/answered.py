"""The shape of every answer, for the description at ``/openapi.json``; tests hold answers to it."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Numbers = list[float | None]
Matrix = list[Numbers]
Cube = list[Matrix]


class Answer(BaseModel):
    """What every answer has in common: no field but these."""

    model_config = ConfigDict(extra="forbid")


class ProblemTold(Answer):
    """What is wrong: a code, a sentence, the field."""

    version: Literal[1]
    code: str
    message: str
    field: str | None


class Error(Answer):
    """A problem."""

    error: ProblemTold


class LibreError(Answer):
    """A problem on a route of LibreTranslate, whose clients expect a sentence."""

    error: str
    problem: ProblemTold


class Head(Answer):
    """A head, and which of its rows speaks for a word."""

    name: str
    head: int
    rows: Literal["produced", "read"]


class AttentionTold(Answer):
    """An attention of a model."""

    name: str
    kind: Literal["self", "decoder self", "cross"]
    layer: int | None
    heads: int


class Sizes(Answer):
    """Two vocabularies."""

    source: int
    target: int


class ModelTold(Answer):
    """A model that is served."""

    name: str
    kind: str
    source: str
    target: str
    source_name: str
    target_name: str
    step: int
    bleu: float | None
    parameters: int
    layers: int
    heads: int
    width: int
    positions: str
    vocabulary: Sizes
    attentions: list[AttentionTold]
    aligning: Head | None


class Models(Answer):
    """Every model, and the limits of a request."""

    default: str | None
    models: list[ModelTold]
    limits: dict[str, int]


class Language(Answer):
    """A language, and into which it can be translated."""

    code: str
    name: str
    targets: list[str]


class Detected(Answer):
    """A language, and how sure that is, in percent."""

    language: str
    confidence: float


class SpacedWord(Answer):
    """A word of the source, and what stands before it."""

    space: str
    text: str


class WordTold(SpacedWord):
    """A word of a translation, how sure it is, and which source words it looked at."""

    confidence: float
    sources: list[float] | None


class Other(Answer):
    """Another translation."""

    text: str
    log_probability: float


class Details(Answer):
    """A translation word by word."""

    source: str
    text: str
    confidence: float
    log_probability: float
    words: list[WordTold]
    after: str
    source_words: list[SpacedWord]
    source_after: str
    aligning: Head | None
    alternatives: list[Other]
    warnings: list[str]
    cut: bool


class Translated(Answer):
    """Translations, as LibreTranslate tells them; ``model`` and ``details`` are ours."""

    translatedText: str | list[str]  # noqa: N815 - LibreTranslate's name
    model: str
    alternatives: list[str] | list[list[str]] = []
    detectedLanguage: Detected | list[Detected] | None = None  # noqa: N815
    details: list[Details] = []


class RivalTold(Answer):
    """A word that might stand in a place, and how the translation would go on."""

    word: str
    piece: str
    probability: float
    prefix: str
    text: str
    confidence: float | None
    chosen: bool


class RivalsTold(Answer):
    """The rivals of one place."""

    model: str
    text: str
    target: str
    position: int
    word: str
    before: str
    rivals: list[RivalTold]


class Short(Answer):
    """A translation in short."""

    text: str
    confidence: float
    log_probability: float


class KnockedOut(Short):
    """What becomes of it without some heads."""

    heads: dict[str, list[int]]
    target_log_probability: float


class Measures(Answer):
    """What one head does."""

    name: str
    entropy: float
    sharpness: float
    diagonality: float
    previous: float | None
    same: float | None
    next: float | None
    first: float
    end: float | None
    evenness: float


class MapTold(Answer):
    """One attention, its weights in levels of each row's largest."""

    name: str
    kind: Literal["self", "decoder self", "cross"]
    layer: int | None
    axes: list[str]
    heads: list[str]
    queries: list[str]
    keys: list[str]
    shape: list[int]
    steps: Literal[255, 65535]
    tops: list[list[float]]
    levels: str
    error: float
    mask: Literal["causal"] | list[list[bool]] | None
    notes: list[str]
    measures: list[Measures]


class Looked(Answer):
    """Every attention of a sentence."""

    model: str
    text: str
    target: str
    words: bool
    rows: Literal["produced", "read"]
    translation: Short
    target_log_probability: float
    knocked_out: KnockedOut | None
    maps: list[MapTold]
    drawn: str = ""


class ExampleTold(Answer):
    """A worked example by name."""

    name: str
    title: str
    shows: str
    settings: list[str]


class Examples(Answer):
    """The worked examples."""

    examples: list[ExampleTold]


class TableTold(Answer):
    """A matrix with its labels."""

    name: str
    rows: list[str]
    columns: list[str]
    numbers: Matrix
    keep: list[list[bool]] | None
    sums: Numbers | None
    shaded: bool
    digits: int


class StepTold(Answer):
    """One step of a worked example."""

    title: str
    formula: str
    why: str
    lines: list[list[str]]
    notes: list[str]
    drawings: list[str]
    tables: list[TableTold]


class WorkedTold(Answer):
    """A worked example."""

    kind: Literal["worked"]
    name: str
    title: str
    lead: str
    picture: str | None
    steps: list[StepTold]


class NumbersTold(Answer):
    """Every step of one attention; all but ``output`` lead with the heads."""

    kind: Literal["numbers"]
    formula: str
    heads: int
    query_labels: list[str]
    key_labels: list[str]
    queries: Cube
    keys: Cube
    values: Cube
    similarities: Cube
    scale: float
    scaled: Cube
    position: str | None
    scores: Cube
    temperature: float
    tempered: Cube
    keep: list[list[list[bool]]] | None
    exponentials: Cube
    totals: Matrix
    weights: Cube
    outputs: Cube
    output: Matrix
    path: str
    reason: str
    error: float | None


class OneQueryTold(Answer):
    """One query of one head of a model, and what the model itself computed."""

    kind: Literal["model"]
    model: str
    text: str
    target: str
    name: str
    head: int
    query: int
    query_label: str
    query_labels: list[str]
    key_labels: list[str]
    formula: str
    vector: Numbers
    keys: Matrix
    values: Matrix
    similarities: Numbers
    scale: float
    scaled: Numbers
    position: str | None
    scores: Numbers
    keep: list[bool] | None
    exponentials: Numbers
    total: float
    weights: Numbers
    output: Numbers
    model_output: Numbers
    error: float


class RunTold(Answer):
    """A run, as far as it has come."""

    name: str
    step: int
    steps: int | None
    state: Literal["running", "finished", "stopped"]
    age: float | None
    looks: list[int]
    history: list[dict[str, Any]]
    validations: list[dict[str, Any]]


class Training(Answer):
    """Every run."""

    runs: list[RunTold]


class LookTold(Answer):
    """The maps a run kept at a step."""

    name: str
    step: int
    maps: list[MapTold]


class Status(Answer):
    """How the server is."""

    status: str
