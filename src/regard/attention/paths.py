"""The one place that chooses how a question is answered, and can say why."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from regard.attention.definition import Call, attend_by_definition
from regard.attention.fused import attend_fused, why_not_fused


@dataclass(frozen=True)
class Path:
    """A way to answer: its name, what it is good at, what speaks against it, and the doing."""

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


PATHS = (
    Path("fused", "one pass of torch's fused kernel", why_not_fused, attend_fused),
    Path("definition", "the definition serves every mechanism", lambda call: None, attend_by_definition),
)


def choose(call: Call) -> Choice:
    """The first path that nothing speaks against."""
    against: list[tuple[str, str]] = []
    for path in PATHS:
        obstacle = path.why_not(call)
        if obstacle is None:
            return Choice(path, tuple(against))
        against.append((path.name, obstacle))
    raise AssertionError("the definition takes every question")
