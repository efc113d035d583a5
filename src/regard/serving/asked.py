"""What may be asked: the body of each route, checked to the letter.

JSON is read strictly: ``1`` is no ``true``, ``"5"`` is no ``5``, nothing is infinite, and a field
nobody knows is refused. How much of everything is allowed is a matter of settings, not of these
shapes; what stands here only keeps absurdities out.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(max_length=200)]
Number = Annotated[float, Field(ge=-1e4, le=1e4)]
Vector = Annotated[list[Number], Field(min_length=1, max_length=1_024)]
Rows = Annotated[list[Vector], Field(min_length=1, max_length=1_024)]
Labels = Annotated[list[Name], Field(min_length=1, max_length=1_024)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Positive = Annotated[float, Field(ge=1e-3, le=1e3)]


class Asked(BaseModel):
    """What every body has in common."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)

    @property
    def key(self) -> str | None:
        """The API key, where the body may hold one."""
        return None


class Translate(Asked):
    """A text or a list of texts to translate, as LibreTranslate asks; the last four fields are ours."""

    model_config = ConfigDict(extra="ignore")

    q: str | Annotated[list[str], Field(min_length=1)]
    source: Name | None = None
    target: Name | None = None
    format: Literal["text", "html"] = "text"
    alternatives: Count = 0
    api_key: Name | None = None
    model: Name | None = None
    beam: Annotated[int, Field(ge=1, le=1_000)] = 5
    prefix: str = ""
    details: bool = False

    @property
    def key(self) -> str | None:
        """The API key."""
        return self.api_key

    @property
    def texts(self) -> list[str]:
        """Always a list."""
        return [self.q] if isinstance(self.q, str) else self.q


class Detect(Asked):
    """A text whose language is asked for."""

    model_config = ConfigDict(extra="ignore")

    q: str
    api_key: Name | None = None

    @property
    def key(self) -> str | None:
        """The API key."""
        return self.api_key


class Rivals(Asked):
    """Which other words might stand in a place of a translation."""

    model: Name | None = None
    text: str
    target: str
    position: Count
    count: Annotated[int, Field(ge=1, le=20)] = 5


class Draw(Asked):
    """A finished picture or page of what is looked at."""

    as_: Annotated[Literal["svg", "html"], Field(alias="as")]
    name: Name | None = None
    head: Count | None = None
    view: Literal["heatmap", "flow", "grid"] | None = None
    theme: Literal["light", "dark"] = "light"
    language: Literal["en", "zh"] = "en"


class Attention(Asked):
    """Every attention of a model while it writes a target; some heads may be knocked out."""

    model: Name | None = None
    text: str
    target: str | None = None
    words: bool = True
    rows: Literal["produced", "read"] = "produced"
    knock_out: Annotated[
        dict[Name, Annotated[list[Count], Field(max_length=256)]] | None, Field(max_length=256)
    ] = None
    draw: Draw | None = None


class Worked(Asked):
    """One of the worked examples."""

    worked: Name
    language: Literal["en", "zh"] = "en"
    settings: dict[Name, bool | Annotated[int, Field(ge=1, le=1_000_000)]] = {}


class Causal(Asked):
    """No query sees a key after it."""

    kind: Literal["causal"]


class Window(Asked):
    """A query sees so many keys before and after it."""

    kind: Literal["window"]
    before: Count
    after: Count


class Lengths(Asked):
    """So many keys may be seen: one count for all queries, or one for each."""

    kind: Literal["lengths"]
    counts: Annotated[list[Count], Field(min_length=1, max_length=1_024)]


class Keep(Asked):
    """True where a query may attend."""

    kind: Literal["keep"]
    keep: Annotated[
        list[Annotated[list[bool], Field(min_length=1, max_length=1_024)]],
        Field(min_length=1, max_length=1_024),
    ]


class Place(Asked):
    """A position without settings of its own."""

    kind: Literal["sinusoidal", "rotary", "alibi"]


class RelativePlace(Asked):
    """A vector for each distance up to a reach."""

    kind: Literal["relative"]
    reach: Annotated[int, Field(ge=1, le=64)] = 2
    key_table: Rows | None = None
    value_table: Rows | None = None


class AdditiveParts(Asked):
    """W, U and v of v · tanh(W q + U k)."""

    queries: Rows | None = None
    keys: Rows | None = None
    vector: Vector | None = None


class Numbers(Asked):
    """One attention on numbers of one's own."""

    queries: Rows
    keys: Rows | None = None
    values: Rows | None = None
    query_labels: Labels | None = None
    key_labels: Labels | None = None
    score: Literal[
        "scaled-dot", "dot", "additive", "gaussian", "boxcar", "triangular", "epanechnikov", "uniform"
    ] = "scaled-dot"
    scale: bool | None = None
    bandwidth: Positive = 1.0
    temperature: Positive = 1.0
    heads: Annotated[int, Field(ge=1, le=64)] = 1
    mask: Annotated[Causal | Window | Lengths | Keep, Field(discriminator="kind")] | None = None
    position: Annotated[Place | RelativePlace, Field(discriminator="kind")] | None = None
    additive: AdditiveParts | None = None


class OneQuery(Asked):
    """One query of one head of a real model."""

    model: Name | None = None
    text: str
    target: str | None = None
    name: Name
    head: Count = 0
    query: Count = 0


EXPLAINED: dict[str, type[Asked]] = {"worked": Worked, "queries": Numbers, "text": OneQuery}
"""The field that tells which of the three explanations is asked for."""

Shape = type[Asked]
Json = dict[str, Any]
