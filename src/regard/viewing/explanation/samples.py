"""Which samples of a batch are shown, one after another, and what each is called."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product

from torch import Tensor

from regard.viewing.explanation.language import say

MOST = 4


@dataclass(frozen=True)
class Sample:
    """One place in the batch axes; it has no name where it is the only one."""

    place: tuple[int, ...]
    name: str

    def of(self, tensor: Tensor) -> Tensor:
        """This sample's part of a tensor, as numbers to be read."""
        return tensor[self.place].detach().cpu()


def samples_of(batch: Sequence[int], language: str) -> list[Sample]:
    """The samples to be shown; the first batch axis is the sample, what follows are heads.

    >>> [sample.name for sample in samples_of((2, 2), "en")]
    ['sample 1, head 1', 'sample 1, head 2', 'sample 2, head 1', 'sample 2, head 2']
    >>> samples_of((), "en")
    [Sample(place=(), name='')]
    """
    places = list(islice(product(*map(range, batch)), MOST))
    if len(places) == 1:
        return [Sample(places[0], "")]
    kinds = ["sample", *["head"] * len(batch)]
    return [
        Sample(
            place,
            ", ".join(say(kind, language, number=at + 1) for kind, at in zip(kinds, place, strict=False)),
        )
        for place in places
    ]
