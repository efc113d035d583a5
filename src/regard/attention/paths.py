"""The one place that chooses how a question is answered, and can say why."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from regard.attention.banded import attend_banded, why_not_banded
from regard.attention.blocked import attend_blocked, why_not_blocked
from regard.attention.definition import Call, attend_by_definition
from regard.attention.fused import attend_fused, why_not_fused
from regard.attention.gaussian import attend_gaussian, why_not_gaussian
from regard.attention.merging import attend_merged, why_not_merged
from regard.attention.multiplied import attend_multiplied, why_not_multiplied
from regard.attention.packed import attend_packed, why_not_packed
from regard.attention.streaming import attend_streamed, why_not_streamed


@dataclass(frozen=True)
class Path:
    """A way to answer: its name, what it is good at, what speaks against it, and the doing.

    ``why_not`` is None where nothing speaks against it, and empty where the path is for
    something else altogether.
    """

    name: str
    merit: str
    why_not: Callable[[Call], str | None]
    attend: Callable[[Call], Tensor]


@dataclass(frozen=True)
class Choice:
    """The path taken, and the reasons against each path that was preferred to it."""

    path: Path
    against: tuple[tuple[str, str], ...]

    @property
    def reason(self) -> str:
        """One sentence: why this path."""
        refused = "; ".join(f"not {name}: {why}" for name, why in self.against)
        return f"{self.path.merit}{f' ({refused})' if refused else ''}"


# The first that nothing speaks against is taken.
PATHS = (
    Path("banded", "a window costs only what it sees", why_not_banded, attend_banded),
    Path("packed", "each packed segment is attended to by itself", why_not_packed, attend_packed),
    Path(
        "multiplied",
        "batched products go through many short heads faster than the fused kernel",
        why_not_multiplied,
        attend_multiplied,
    ),
    Path("fused", "one pass of torch's fused kernel", why_not_fused, attend_fused),
    Path("gaussian", "the Gaussian rides on the fused kernel", why_not_gaussian, attend_gaussian),
    Path(
        "merged", "both tails run on the fused kernel, and merge with a band", why_not_merged, attend_merged
    ),
    Path(
        "blocked",
        "blocks that stay in cache, formed again in the backward pass",
        why_not_blocked,
        attend_blocked,
    ),
    Path("streamed", "the definition in blocks, in linear memory", why_not_streamed, attend_streamed),
    Path("definition", "the definition serves every mechanism", lambda call: None, attend_by_definition),
)


def choose(call: Call) -> Choice:
    """The first path that nothing speaks against."""
    against: list[tuple[str, str]] = []
    for path in PATHS:
        obstacle = path.why_not(call)
        if obstacle is None:
            return Choice(path, tuple(against))
        if obstacle:
            against.append((path.name, obstacle))
    raise AssertionError("the definition takes every question")
