"""What lets a command begin sooner, and end sooner."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from regard.collecting import uncollected


@contextmanager
def gathering() -> Iterator[None]:
    """Inside, Python does not look for garbage; what is there at the end is left out of later searches.

    Torch brings some half a million objects that stay. To look through them while they come, and once more
    when the program ends, takes as long as a third of all that ``regard translate`` does for a sentence.
    """
    with uncollected():
        yield
        if not gc.get_freeze_count():  # in a program that goes on, once: what is garbage by then is kept
            gc.freeze()
