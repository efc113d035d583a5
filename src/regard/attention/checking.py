"""Refuse a question that cannot be answered, before any computation."""

from collections.abc import Sequence

from torch import SymInt, Tensor

from regard.attention.definition import Call
from regard.attention.masks import as_mask
from regard.attention.positions import Added, Position, Relative, Turning
from regard.attention.scores import DotProduct, Score
from regard.errors import MechanismError, ShapeError
from regard.wording import counted


def check(call: Call) -> None:
    """Raise one sentence about the first thing that does not fit."""
    _check_tensors(call)
    check_mechanism(call.score, call.position, tuple(call.queries.shape))
    call.score.check_widths(call.queries.shape[-1], call.keys.shape[-1])
    if isinstance(call.position, Relative):
        call.position.check_values(call.values.shape[-1])
    for module in (call.score, call.position):
        _check_place(module, call.queries)
    if call.mask is not None:
        as_mask(call.mask)
    check_past(call.past)
    check_dropout(call.dropout)


def check_past(past: int) -> None:
    """Refuse a number of positions that cannot lie before the first query."""
    if not isinstance(past, int | SymInt) or past < 0:
        raise ShapeError(
            f"past must be a whole number of positions before the first query, but got {past!r}."
        )


def check_dropout(dropout: float) -> None:
    """Refuse a share of weights that cannot be dropped."""
    if not 0.0 <= dropout < 1.0:
        raise MechanismError(f"dropout must be at least 0 and less than 1, but got {dropout}.")


def _check_tensors(call: Call) -> None:
    named = {"queries": call.queries, "keys": call.keys, "values": call.values}
    for name, tensor in named.items():
        if not isinstance(tensor, Tensor):
            raise ShapeError(
                f"{name} must be a tensor, but got {type(tensor).__name__}. Make one with torch.tensor(…)."
            )
        if not tensor.dtype.is_floating_point:
            raise ShapeError(
                f"{name} must be floating point, but got {tensor.dtype}. Cast them with .float()."
            )
        if tensor.dim() < 2:
            axis = "queries" if name == "queries" else "keys"
            raise ShapeError(
                f"{name} must be (*batch, {axis}, width), but their shape is {tuple(tensor.shape)}. "
                "Add an axis with unsqueeze(0)."
            )
    _agree("dtype", [tensor.dtype for tensor in named.values()], "Cast them to one.")
    _agree("device", [tensor.device for tensor in named.values()], "Move them to one.")
    _agree("batch axes", [tuple(tensor.shape[:-2]) for tensor in named.values()], "Expand them to one shape.")
    if call.keys.shape[-2] != call.values.shape[-2]:
        raise ShapeError(
            f"Each key needs its value, but there are {counted(call.keys.shape[-2], 'key')} and "
            f"{counted(call.values.shape[-2], 'value')}."
        )


def _agree(what: str, found: Sequence[object], mend: str) -> None:
    if len(set(found)) > 1:
        raise ShapeError(
            f"queries, keys and values must share their {what}, but they have "
            f"{', '.join(str(one) for one in found[:-1])} and {found[-1]}. {mend}"
        )


def check_mechanism(score: Score, position: Position | None, queries: tuple[int, ...]) -> None:
    """Refuse a score and a position that do not go together, or not with queries of this shape."""
    if not isinstance(score, Score):
        raise MechanismError(
            f"score must be an object from regard.scores, such as scores.Dot(), but got {_spelled(score)}."
        )
    if position is None:
        return
    if not isinstance(position, Position):
        raise MechanismError(
            "position must be an object from regard.positions, such as positions.Rotary(head_width), "
            f"but got {_spelled(position)}."
        )
    name = type(position).__name__
    if isinstance(position, Added):
        raise MechanismError(
            f"{name} is added to embeddings, not used inside attention: write attend(position(x)) "
            "and leave position out."
        )
    if isinstance(position, Turning | Relative) and not isinstance(score, DotProduct):
        raise MechanismError(
            f"{name} goes with Dot and ScaledDot, but the score is {type(score).__name__}. "
            "Use Alibi or T5Bias, which go with any score."
        )
    position.check_queries(queries)


def _check_place(module: Score | Position | None, queries: Tensor) -> None:
    parameter = None if module is None else next(module.parameters(), None)
    if parameter is not None and (parameter.dtype, parameter.device) != (queries.dtype, queries.device):
        raise ShapeError(
            f"{type(module).__name__}'s parameters are {parameter.dtype} on {parameter.device}, but the "
            f"queries are {queries.dtype} on {queries.device}. Move one with .to(…)."
        )


def _spelled(thing: object) -> str:
    return f"the class {thing.__name__}; call it" if isinstance(thing, type) else repr(thing)
