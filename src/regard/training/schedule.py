"""How fast to learn at each step, and how much to drop."""

import math

SCHEDULES = ("inverse-square-root", "cosine", "constant")


def learning_rate(step: int, *, schedule: str, peak: float, warmup: int, steps: int) -> float:
    """The learning rate of a step, counting from 1: up in a line, then down by the schedule.

    ``inverse-square-root`` falls as 1/√step (Vaswani et al. 2017); ``cosine`` falls to nothing
    at the last step.

    >>> settings = dict(schedule="inverse-square-root", peak=1.0, warmup=4, steps=100)
    >>> [learning_rate(step, **settings) for step in (1, 2, 4, 16)]
    [0.25, 0.5, 1.0, 0.5]
    """
    if step <= warmup:
        return peak * step / warmup
    if schedule == "inverse-square-root":
        return peak * math.sqrt(max(warmup, 1) / step)
    if schedule == "cosine":
        done = min((step - warmup) / max(steps - warmup, 1), 1.0)
        return peak * (1 + math.cos(math.pi * done)) / 2
    return peak


def grown(step: int, steps: int) -> float:
    """The share of its dropout that a model has come to at a step, growing in a line over so many steps.

    A model that knows little yet overfits nothing, and learns sooner with all of its features; what it
    has gone through many times it should see through gaps.

    >>> [grown(step, 4) for step in (1, 2, 4, 16)]
    [0.25, 0.5, 1.0, 1.0]
    >>> grown(1, 0)
    1.0
    """
    return min(step / steps, 1.0) if steps else 1.0
