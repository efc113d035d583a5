"""What lets a command begin sooner, and end sooner."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gathering() -> Iterator[None]:
    """Inside, Python does not look for garbage, nor ever again among what is there at the end of it.

    Torch brings some half a million objects that stay. To look through them while they come, and once more
    when the program ends, takes as long as a third of all that ``regard translate`` does for a sentence.
    """
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():  # in a program that goes on, only once
            gc.freeze()
        gc.enable()
