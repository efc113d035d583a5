"""A few combinations out of very many, every member used about equally often."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count as endlessly
from itertools import cycle, islice, product
from math import prod
from random import Random
from typing import Any, TypeVar, overload

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")


@overload
def spread(count: int, seed: str, first: Sequence[A], /) -> Iterator[tuple[A]]: ...
@overload
def spread(count: int, seed: str, first: Sequence[A], second: Sequence[B], /) -> Iterator[tuple[A, B]]: ...
@overload
def spread(
    count: int, seed: str, first: Sequence[A], second: Sequence[B], third: Sequence[C], /
) -> Iterator[tuple[A, B, C]]: ...
@overload
def spread(
    count: int, seed: str, first: Sequence[A], second: Sequence[B], third: Sequence[C], fourth: Sequence[D], /
) -> Iterator[tuple[A, B, C, D]]: ...


def spread(count: int, seed: str, /, *factors: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Draw ``count`` different combinations of the factors, or all of them if there are no more.

    Each factor is dealt out like a pack of cards, shuffled anew whenever it runs out, so
    none of its members is drawn twice as often as another. The same seed deals the same cards.

    >>> list(spread(3, "example", "ab", [1, 2, 3]))
    [('b', 2), ('a', 3), ('a', 1)]
    """
    if count >= prod(len(factor) for factor in factors):
        yield from product(*factors)
        return
    dealers = [_deal(len(factor), f"{seed} {place}") for place, factor in enumerate(factors)]
    drawn: set[tuple[int, ...]] = set()
    while len(drawn) < count:
        places = tuple(next(dealer) for dealer in dealers)
        if places not in drawn:
            drawn.add(places)
            yield tuple(factor[place] for factor, place in zip(factors, places, strict=True))


def lift(members: Iterable[A], group: Callable[[A], object], *, to: int) -> list[A]:
    """Repeat the members of small groups until every group has at least ``to`` entries.

    A verb of one object would else be met far less often than a verb of fifty.

    >>> lift(["ant", "axe", "bee"], lambda word: word[0], to=2)
    ['ant', 'axe', 'bee', 'bee']
    """
    groups: dict[object, list[A]] = {}
    for member in members:
        groups.setdefault(group(member), []).append(member)
    return [member for some in groups.values() for member in islice(cycle(some), max(to, len(some)))]


def _deal(size: int, seed: str) -> Iterator[int]:
    for again in endlessly():
        # Of Random, only random() is promised to stay the same in later versions of Python.
        chance = Random(f"{seed} {again}")
        yield from sorted(range(size), key=lambda _: chance.random())
