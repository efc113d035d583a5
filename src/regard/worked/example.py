"""What every worked example has: a name, a title, what it shows, and the walkthrough itself."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from regard.errors import RegardError
from regard.viewing.explanation import Said, Walkthrough


@dataclass(frozen=True, kw_only=True)
class Example:
    """A computation small enough to be followed by hand.

    ``tell`` takes a language and, where it can be varied, settings of its own.
    """

    name: str
    title: Said
    shows: Said
    tell: Callable[..., Walkthrough]

    @property
    def settings(self) -> tuple[str, ...]:
        """What can be varied."""
        return tuple(name for name in inspect.signature(self.tell).parameters if name != "language")

    def walk(self, language: str = "en", **settings: object) -> Walkthrough:
        """Compute it and tell it."""
        for name in settings:
            if name not in self.settings:
                can = f"can vary {' and '.join(self.settings)}" if self.settings else "cannot be varied"
                raise RegardError(f"The example {self.name!r} has no {name}: it {can}.")
        return self.tell(language, **settings)
