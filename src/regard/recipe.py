"""Recipes: frozen settings, and the one TOML file they are read from and written to.

None means *chosen from the data*; a run folder holds the recipe with everything chosen. All that is
wrong with a recipe is told at once.
"""

import difflib
import json
import sys
import tomllib
import types
from collections.abc import Iterable
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self, Union, get_args, get_origin, get_type_hints

from regard.errors import RecipeError

MODELS = ("transformer", "recurrent", "convolutional")
TOKENS = ("byte-level", "byte-fallback", "words", "characters")
BROUGHT_TOKENS = "sentencepiece"
"""What a token is of an imported model: such tokens are brought along, never learned here."""
OPTIMIZERS = ("adam", "muon")
POSITIONS = ("sinusoidal", "learned", "relative", "rotary", "alibi", "t5", "none")
LARGEST_FILE = 1 << 20
MOST_LAYERS, WIDEST = 1_000, 1 << 16
"""Deeper and wider than any translator; without an end a few bytes could ask for all memory."""


def _positive(section: str, settings: object, *names: str) -> list[str]:
    return [
        f"{section}.{name} must be at least 1, but got {value}."
        for name in names
        if (value := getattr(settings, name)) is not None and value < 1
    ]


def _share(section: str, settings: object, *names: str) -> list[str]:
    return [
        f"{section}.{name} must be at least 0 and less than 1, but got {value}."
        for name in names
        if (value := getattr(settings, name)) is not None and not 0 <= value < 1
    ]


def _choice(section: str, settings: object, name: str, choices: tuple[str, ...]) -> list[str]:
    value = getattr(settings, name)
    if value is None or value in choices:
        return []
    return [
        f"{section}.{name} must be one of {', '.join(choices)}, but got {value!r}.{_meant(value, choices)}"
    ]


def _meant(word: object, known: tuple[str, ...] | list[str]) -> str:
    close = difflib.get_close_matches(str(word), known, n=1)
    return f" Did you mean {close[0]}?" if close else ""


def _refuse(faults: list[str]) -> None:
    if faults:
        raise RecipeError(" ".join(faults))


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """Which sentence pairs to learn from, and which to judge by."""

    train: tuple[str, ...] = ()
    """One file of pairs, two parallel files, ``embedded:en-fr``, or a folder that was prepared."""
    validation: tuple[str, ...] = ()
    """As ``train``; a share of the training pairs where left out."""
    validation_share: float | None = None
    source_language: str = ""
    target_language: str = ""
    columns: tuple[int, ...] = (1, 2)
    keys: tuple[str, ...] = ("source", "target")
    """The names of both sentences in JSON lines."""
    longest: int = 2_000
    ratio: float = 5.0
    skip_bad: bool = False

    def __post_init__(self) -> None:
        faults = _positive("data", self, "longest", "ratio")
        for name in ("train", "validation"):
            if len(getattr(self, name)) > 2:
                faults.append(f"data.{name} names one file of pairs or two parallel files, but got more.")
        if len(self.columns) != 2:
            faults.append(f"data.columns names two columns, but got {list(self.columns)}.")
        if len(self.keys) != 2:
            faults.append(f"data.keys names two keys, but got {list(self.keys)}.")
        _refuse(faults + _share("data", self, "validation_share"))


@dataclass(frozen=True, kw_only=True)
class TokenizerSettings:
    """What a token is."""

    kind: str = "byte-level"
    size: int | None = None
    joint: bool = True
    least_count: int = 3
    dropout: float = 0.0
    """BPE-dropout: the chance that a merge is left out, in training."""

    def __post_init__(self) -> None:
        faults = [] if self.kind == BROUGHT_TOKENS else _choice("tokenizer", self, "kind", TOKENS)
        faults += _positive("tokenizer", self, "size", "least_count")
        _refuse(faults + _share("tokenizer", self, "dropout"))


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """Which model, and how large."""

    kind: str = "transformer"
    width: int | None = None
    layers: int | None = None
    dropout: float | None = None
    heads: int | None = None
    hidden_width: int | None = None
    positions: str = "sinusoidal"
    reach: int = 16
    norm: str = "pre"
    activation: str = "relu"
    key_heads: int | None = None
    attention_dropout: float = 0.0
    hidden_dropout: float = 0.0
    score: str = "additive"
    both_ways: bool = True
    kernel: int = 3
    normalised: bool | None = None
    """Whether parts of a recurrent or convolutional model hand on vectors of one size, as in Transformers."""
    tie_output: bool = True

    def __post_init__(self) -> None:
        faults = _choice("model", self, "kind", MODELS)
        faults += _choice("model", self, "positions", POSITIONS)
        faults += _choice("model", self, "norm", ("post", "pre"))
        faults += _choice("model", self, "activation", ("relu", "gelu", "swish", "gated"))
        faults += _choice("model", self, "score", ("additive", "dot", "bilinear"))
        sizes = ("width", "layers", "heads", "hidden_width", "reach", "key_heads", "kernel")
        faults += _positive("model", self, *sizes)
        for name in sizes:
            most, value = MOST_LAYERS if name == "layers" else WIDEST, getattr(self, name)
            if value is not None and value > most:
                faults.append(f"model.{name} must be at most {most:,}, but got {value}.")
        faults += _share("model", self, "dropout", "attention_dropout", "hidden_dropout")
        width, heads = self.width, self.heads
        if width and heads and width > 0 and heads > 0 and width % heads:
            below = max(width // heads, 1) * heads
            faults.append(
                f"model.width must be a multiple of model.heads, but {width} is not a multiple of {heads}. "
                f"Nearest widths: {below} and {below + heads}."
            )
        _refuse(faults)


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """How long and how fast to learn."""

    steps: int | None = None
    tokens_per_batch: int | None = None
    accumulate: int = 1
    peak_learning_rate: float | None = None
    warmup_steps: int | None = None
    schedule: str | None = None
    optimizer: str | None = None
    """Adam, or Muon for the hidden matrices, which learns as much in fewer steps."""
    label_smoothing: float = 0.1
    weight_decay: float | None = None
    """What a step takes away from the parameters themselves, times the learning rate."""
    largest_gradient: float = 1.0
    agreement: float = 0.0
    """R-Drop: how much two passes should agree."""
    dropout_steps: int | None = None
    """Steps over which dropout grows from nothing to model.dropout: what is new is learned sooner whole."""
    moving_average: float | None = None
    """Of the parameters: translate with an average over about 1/(1 - this) steps."""
    average_last: int = 0
    """Translate with the mean of the last so many checkpoints instead; 0 for none."""
    precision: str = "automatic"
    """Single, or mixed: products in bfloat16, where the device has them. Automatic is mixed on GPUs, where it
    is the custom, and single on CPUs, where every number of processes then takes the same steps."""
    sharding: str = "none"
    """Full: of several processes each holds a part of the model, for what one device cannot hold."""
    validate_every: int | None = None
    validation_pairs: int = 500
    """How many pairs are translated for BLEU at each validation; the loss is taken over all."""
    patience: int = 10
    """Validations without a better one before training stops."""
    seed: int = 1

    def __post_init__(self) -> None:
        faults = _choice("training", self, "schedule", ("inverse-square-root", "cosine", "constant"))
        sizes = ("steps", "tokens_per_batch", "accumulate", "warmup_steps", "validate_every", "patience")
        faults += _positive("training", self, *sizes)
        faults += _share("training", self, "label_smoothing", "moving_average")
        for name in ("peak_learning_rate", "largest_gradient"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                faults.append(f"training.{name} must be positive, but got {value}.")
        for name in (
            "weight_decay",
            "agreement",
            "dropout_steps",
            "validation_pairs",
            "average_last",
            "seed",
        ):
            value = getattr(self, name)
            if value is not None and value < 0:
                faults.append(f"training.{name} must be at least 0, but got {value}.")
        faults += _choice("training", self, "precision", ("automatic", "mixed", "single"))
        faults += _choice("training", self, "sharding", ("none", "full"))
        faults += _choice("training", self, "optimizer", OPTIMIZERS)
        if self.optimizer == "muon" and self.sharding == "full":
            faults.append(
                "training.optimizer muon needs whole matrices, but training.sharding is full. Choose adam, "
                "or sharding none."
            )
        if self.average_last and self.moving_average:
            faults.append(
                f"training.average_last = {self.average_last} and training.moving_average = "
                f"{self.moving_average} cannot both choose what to translate with. Leave one out."
            )
        _refuse(faults)


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything that decides a run.

    >>> Recipe.parse("[model]\\nwidth = 64")
    Recipe(...ModelSettings(kind='transformer', width=64, ...)
    """

    data: DataSettings = field(default_factory=DataSettings)
    tokenizer: TokenizerSettings = field(default_factory=TokenizerSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    training: TrainingSettings = field(default_factory=TrainingSettings)
    written: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    """What a file said, as ``model.width``: a default that is written down is meant."""

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The recipe in a file; file names in it are relative to it."""
        path = Path(path)
        try:
            if path.stat().st_size > LARGEST_FILE:
                raise RecipeError(f"{path} is larger than any recipe ({path.stat().st_size:,} bytes).")
            text = path.read_bytes().decode("utf-8")
        except OSError as error:
            raise RecipeError(f"The recipe {path} cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise RecipeError(f"The recipe {path} is not UTF-8 at byte {error.start}.") from error
        try:
            return cls.parse(text).beside(path.parent)
        except RecipeError as error:
            raise RecipeError(f"{path}: {error}") from error

    @classmethod
    def parse(cls, text: str) -> Self:
        """The recipe in a text of TOML."""
        try:
            content = tomllib.loads(text)
        except RecursionError:
            raise RecipeError("This is not TOML that can be read: it is nested too deeply.") from None
        except ValueError as error:  # also for a number of thousands of digits
            raise RecipeError(f"This is not TOML: {error}.") from error
        faults: list[str] = []
        sections: dict[str, Any] = {}
        known = {one.name: one.default_factory for one in _sections(cls)}
        for section, values in content.items():
            if section not in known:
                faults.append(f"There is no section [{section}].{_meant(section, list(known))}")
            elif not isinstance(values, dict):
                faults.append(f"[{section}] must be a section of settings, but got {values!r}.")
            else:
                try:
                    sections[section] = _made(section, known[section], values)  # type: ignore[arg-type]
                except RecipeError as error:
                    faults.append(str(error))
        _refuse(faults)
        written = (f"{section}.{name}" for section, values in content.items() for name in values)
        return cls(**sections, written=frozenset(written))

    def said(self, section: str) -> dict[str, Any]:
        """The settings of a section that somebody chose: written in a file, or other than the default.

        >>> Recipe.parse("[model]\\nkind = 'transformer'\\nwidth = 64").said("model")
        {'kind': 'transformer', 'width': 64}
        >>> Recipe(model=ModelSettings(width=64)).said("model")
        {'width': 64}
        """
        settings = getattr(self, section)
        values = {one.name: (getattr(settings, one.name), one.default) for one in fields(settings)}
        return {
            name: value
            for name, (value, default) in values.items()
            if value != default or f"{section}.{name}" in self.written
        }

    def anywhere(self) -> Self:
        """The same recipe with its files named from the root, to be kept elsewhere."""
        return self.beside(Path.cwd())

    def beside(self, folder: Path) -> Self:
        """The same recipe with its files looked for in a folder."""

        def placed(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name if name.startswith("embedded:") else str(folder / name) for name in names)

        data = replace(self.data, train=placed(self.data.train), validation=placed(self.data.validation))
        return replace(self, data=data)

    def changed(self, changes: Iterable[str]) -> Self:
        """The same recipe but for some settings, each written ``section.name=value``.

        A value is written as in TOML; text needs no quotes and a list no brackets. Without a value a
        setting is left open, to be chosen from the data. File names are not looked for beside the
        recipe, but taken as they stand.

        >>> Recipe().changed(["model.positions=relative", "data.columns=2,1"]).data.columns
        (2, 1)
        >>> Recipe.parse("[model]\\nwidth = 64").changed(["model.width="]).model.width is None
        True
        """
        kinds = {one.name: type(getattr(self, one.name)) for one in _sections(type(self))}
        changed, faults = _read_changes(changes, {name: get_type_hints(kind) for name, kind in kinds.items()})
        made: dict[str, Any] = {}
        for section, kind in kinds.items():
            values = _values(getattr(self, section)) | changed[section]
            try:
                made[section] = _made(section, kind, {n: v for n, v in values.items() if v is not None})
            except RecipeError as error:
                faults.append(str(error))
        _refuse(faults)
        said = {f"{section}.{name}": value for section, new in changed.items() for name, value in new.items()}
        chosen = {name for name, value in said.items() if value is not None}
        return replace(self, **made, written=self.written - said.keys() | chosen)

    def dumps(self) -> str:
        """The recipe as TOML; what is None is left out."""
        lines = []
        for section in _sections(type(self)):
            lines.append(f"[{section.name}]")
            settings = getattr(self, section.name)
            for one in fields(settings):
                value = getattr(settings, one.name)
                if value is not None and value != ():
                    lines.append(f"{one.name} = {_toml(value)}")
            lines.append("")
        return "\n".join(lines)


def _sections(kind: type[Recipe]) -> list[Field[Any]]:
    return [one for one in fields(kind) if one.name != "written"]


def _made(section: str, kind: type, values: dict[str, Any]) -> Any:
    hints = get_type_hints(kind)
    faults, given = [], {}
    for name, value in values.items():
        if name not in hints:
            faults.append(f"{section} has no setting {name!r}.{_meant(name, list(hints))}")
            continue
        fitted = _fitted(value, hints[name])
        if fitted is None:
            faults.append(f"{section}.{name} must be {_described(hints[name])}, but got {value!r}.")
        else:
            given[name] = fitted
    try:
        made = kind(**given)
    except RecipeError as error:
        faults.append(str(error))
    _refuse(faults)
    return made


def _values(settings: Any) -> dict[str, Any]:
    """Settings as TOML would hold them."""
    values = {one.name: getattr(settings, one.name) for one in fields(settings)}
    return {name: [*value] if isinstance(value, tuple) else value for name, value in values.items()}


def _read_changes(
    changes: Iterable[str], known: dict[str, dict[str, Any]]
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The new values by section and name, None for what is left open, and all that is wrong with them."""
    read: dict[str, dict[str, Any]] = {section: {} for section in known}
    faults: list[str] = []
    written: dict[str, str] = {}
    for change in changes:
        place, equals, text = (part.strip() for part in change.partition("="))
        section, _, name = place.partition(".")
        if not equals or not name:
            near = [f"{one}.{place}" for one, hints in known.items() if place in hints]
            mend = f" Did you mean {near[0]}?" if near else ""
            faults.append(f"A setting is written section.name=value, but got {change!r}.{mend}")
        elif section not in known:
            faults.append(f"There is no section [{section}].{_meant(section, list(known))}")
        elif place in written:
            faults.append(f"{place} is set twice, to {written[place]!r} and {text!r}. Leave one out.")
        else:
            hint = known[section].get(name)
            is_open = not text and hint is not None
            if is_open and type(None) not in get_args(hint):
                faults.append(f"{place} cannot be left open. Write a value after the equals sign.")
                continue
            written[place] = text
            read[section][name] = None if is_open else _read_value(text, hint)
    return read, faults


def _read_value(text: str, hint: Any) -> Any:
    """What TOML reads in a text that stands for a value; the text itself where that fits better."""
    is_list = get_origin(hint) is tuple
    for spelled in (text, f"[{text}]") if is_list else (text,):
        try:
            found = tomllib.loads(f"value = {spelled}")
        except tomllib.TOMLDecodeError:
            continue
        if set(found) == {"value"} and _fitted(found["value"], hint) is not None:
            return found["value"]
    return text


def _fitted(value: Any, hint: Any) -> Any:
    """The value as the setting wants it, or None where it does not fit."""
    if get_origin(hint) in (Union, types.UnionType):
        wanted = next(one for one in get_args(hint) if one is not type(None))
        return _fitted(value, wanted)
    if get_origin(hint) is tuple:
        item = get_args(hint)[0]
        values = value if isinstance(value, list) else [value]
        return tuple(values) if all(type(one) is item for one in values) else None
    if hint is float:
        is_number = type(value) in (int, float) and -sys.float_info.max <= value <= sys.float_info.max
        return float(value) if is_number else None
    return value if type(value) is hint else None


def _described(hint: Any) -> str:
    if get_origin(hint) in (Union, types.UnionType):
        return _described(next(one for one in get_args(hint) if one is not type(None)))
    if get_origin(hint) is tuple:
        return "one or several of " + _described(get_args(hint)[0])
    return {int: "a whole number", float: "a number", str: "text", bool: "true or false"}[hint]


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for DEL.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(one) for one in value)}]"
    return repr(value)
