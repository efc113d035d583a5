"""The one place where settings become objects."""

import math
import os
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from regard.attention.processor import multiplies_halves
from regard.errors import RunError
from regard.models import ConvolutionalTranslator, RecurrentTranslator, Transformer, TranslationModel
from regard.recipe import ModelSettings, Recipe
from regard.text import Tokenizer
from regard.training import Processes, StepSettings, check_parameters, load_parameters

if TYPE_CHECKING:
    from regard.training.sharding import Sharded


def build_model(settings: ModelSettings, tokenizer: Tokenizer) -> TranslationModel[Any]:
    """The model a complete recipe asks for, with fresh parameters."""
    assert settings.width is not None
    assert settings.layers is not None
    assert settings.dropout is not None
    vocabularies = {
        "vocabulary": len(tokenizer.source),
        "target_vocabulary": len(tokenizer.target),
        "share_embeddings": tokenizer.joint,
    }
    sizes: dict[str, Any] = {
        "width": settings.width,
        "layers": settings.layers,
        "dropout": settings.dropout,
        "tie_output": settings.tie_output,
        **vocabularies,
    }
    normalised = bool(settings.normalised)
    if settings.kind == "recurrent":
        return RecurrentTranslator(
            score=settings.score, both_ways=settings.both_ways, normalised=normalised, **sizes
        )
    if settings.kind == "convolutional":
        return ConvolutionalTranslator(
            kernel=settings.kernel, positions=settings.positions, normalised=normalised, **sizes
        )
    assert settings.heads is not None
    assert settings.hidden_width is not None
    return Transformer(
        heads=settings.heads,
        hidden_width=settings.hidden_width,
        positions=settings.positions,
        reach=settings.reach,
        norm=settings.norm,
        activation=settings.activation,
        key_heads=settings.key_heads,
        attention_dropout=settings.attention_dropout,
        hidden_dropout=settings.hidden_dropout,
        **sizes,
    )


def filled(
    build: Callable[[], TranslationModel[Any]], parameters: dict[str, Tensor], where: str
) -> TranslationModel[Any]:
    """A model with its parameters, built no further than they tell.

    A recipe from a stranger may ask for more memory than there is. Where a model would be larger than its
    parameters it is built in thought, to say what does not fit.
    """
    model = None
    with suppress(_Larger), _MadeFor(parameters):
        model = build()
    if model is None:
        with torch.device("meta"):  # for which torch imports its compiler: a second
            check_parameters(build(), parameters, where)
        model = build()
    load_parameters(model, parameters, where)
    return model


class _Larger(Exception):
    """A model asks for more than its parameters have."""


class _MadeFor(TorchFunctionMode):
    """Inside, a model is built for parameters that are known: nothing is drawn at random in their place.

    Tensors are made that have the shape of a parameter, for each one; beside these, few numbers.
    """

    _drawing = (Tensor.normal_, Tensor.uniform_, nn.init.normal_, nn.init.uniform_, nn.init.kaiming_uniform_)
    _making = (torch.empty, torch.zeros, torch.ones, torch.full, torch.rand, torch.randn)

    def __init__(self, parameters: dict[str, Tensor]) -> None:
        super().__init__()
        self._left = Counter(tuple(tensor.shape) for tensor in parameters.values())
        self._spare = 2**20

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if function in self._drawing:
            return args[0] if args else kwargs["tensor"]
        if function in self._making:
            sizes = args[0] if args else kwargs["size"]
            self._take(args if isinstance(sizes, int) else tuple(sizes))
        return function(*args, **kwargs)

    def _take(self, shape: tuple[int, ...]) -> None:
        if self._left[shape]:
            self._left[shape] -= 1
            return
        self._spare -= math.prod(shape)
        if self._spare < 0:
            raise _Larger


def step_settings(recipe: Recipe, device: torch.device) -> StepSettings:
    """How a step of a complete recipe learns on a device."""
    training = recipe.training
    assert training.steps is not None
    assert training.peak_learning_rate is not None
    assert training.warmup_steps is not None
    assert training.moving_average is not None
    assert training.schedule is not None
    return StepSettings(
        schedule=training.schedule,
        peak_learning_rate=training.peak_learning_rate,
        warmup_steps=training.warmup_steps,
        steps=training.steps,
        label_smoothing=training.label_smoothing,
        largest_gradient=training.largest_gradient,
        agreement=training.agreement,
        dropout_steps=training.dropout_steps or 0,  # as runs were that do not say
        moving_average=training.moving_average,
        average_last=training.average_last,
        mixed_precision=mixes(training.precision, device),
        seed=training.seed,
    )


def sharded_model(recipe: Recipe, model: TranslationModel[Any], processes: Processes) -> "Sharded | None":
    """The model dealt to the processes, where the recipe asks for it and there are several."""
    if recipe.training.sharding == "none" or processes.is_alone:
        return None
    from regard.training.sharding import Sharded  # takes a second to import

    return Sharded(model, processes)


def mixes(precision: str, device: torch.device) -> bool:
    """Whether products are taken in bfloat16: where it is wanted, and the device has instructions for it.

    >>> mixes("automatic", torch.device("cpu")), mixes("single", torch.device("cpu"))
    (False, False)
    """
    if precision == "single":
        return False
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    return device.type == "cpu" and precision == "mixed" and multiplies_halves()


def choose_device(wanted: str | None = None) -> torch.device:
    """The device asked for, or the fastest there is."""
    if wanted is None:
        if torch.cuda.is_available():
            return torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(wanted)
        torch.empty(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError, ImportError) as error:
        *most, last = _devices()
        there = f"There are {', '.join(most)} and {last}." if most else f"There is only {last}."
        raise RunError(f"The device {wanted!r} is not here. {there}") from error
    return device


def _devices() -> list[str]:
    """What there is to compute on, as ``--device`` names it."""
    found = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    return ["cpu", *found, *(["mps"] if torch.backends.mps.is_available() else [])]
