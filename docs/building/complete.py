"""The reference holds every public name: one that is missing is a warning, and so fails a strict build."""

import pkgutil
from importlib import import_module
from types import ModuleType

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.logging import getLogger

import regard

LOG = getLogger(__name__)
TOLD_ELSEWHERE = ("cli",)
"""Parts whose names are not for Python: the commands have a page of their own."""


def public() -> list[ModuleType]:
    """The parts of regard that say which of their names are public."""
    names = (found.name for found in pkgutil.iter_modules(regard.__path__))
    parts = [import_module(f"regard.{name}") for name in names if name not in (*TOLD_ELSEWHERE, "__main__")]
    return [part for part in (regard, *parts) if hasattr(part, "__all__")]


def load() -> None:
    """Load what is loaded when first named: the tool asks a module only for what it holds already."""
    for part in public():
        for name in part.__all__:
            setattr(part, name, getattr(part, name))


def missing(told: set[str]) -> list[str]:
    """The public names that none of the told ones stands for, under whichever door.

    >>> missing({f"{part.__name__}.{name}" for part in public() for name in part.__all__})
    []
    >>> "regard.text.BEGIN" in missing(set())
    True
    """
    same = {id(thing) for thing in map(_found, told) if hasattr(thing, "__module__")}
    return [
        full
        for part in public()
        for name in part.__all__
        if (full := f"{part.__name__}.{name}") not in told
        and id(getattr(part, name)) not in same
        and not isinstance(getattr(part, name), ModuleType)
    ]


def _found(name: str) -> object:
    """What a full name stands for, if it is at the top of a module."""
    module, _, last = name.rpartition(".")
    try:
        return getattr(import_module(module), last, None)
    except ModuleNotFoundError:  # a member of a class
        return None


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of every public name without a place in the reference."""
    told = set(env.domains.python_domain.objects)
    for name in missing(told):
        LOG.warning("%s is public, but not in docs/reference.", name)


def setup(app: Sphinx) -> dict[str, bool]:
    """Load everything first, look for what is missing last."""
    load()
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": True}
