"""What a page knows: maps, words, measures and colours as JSON, weights as blobs beside it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from regard.viewing.colours import DARK, LIGHT, Theme, ramp
from regard.viewing.heatmap import notes_of
from regard.viewing.maps import AttentionMap
from regard.viewing.measures import measure
from regard.viewing.page.arithmetic import Arithmetic
from regard.viewing.page.packing import Blobs, quantise
from regard.viewing.typography import visible
from regard.viewing.words import SPECIAL, Words

DIGITS = 4
PALETTES: dict[str, dict[str, tuple[str, ...]]] = {
    "blue": {"light": LIGHT.weights, "dark": DARK.weights},
    "sand": {
        "light": ("#fbf7e9", "#dcc876", "#83805f", "#12294d"),
        "dark": ("#1a2230", "#4a5876", "#a89a66", "#fff3b8"),
    },
    "grey": {
        "light": ("#fafafa", "#bdbdbd", "#717171", "#141414"),
        "dark": ("#1e2024", "#55585e", "#9ea1a8", "#fafafa"),
    },
}
"""Stops of each ramp; lightness runs one way, so all of them read without colour."""
ROLES: dict[str, dict[str, str]] = {
    "light": {"query": "#1f5fa6", "key": "#a3470d", "output": "#6d3f9c"},
    "dark": {"query": "#8cbcf5", "key": "#f0a878", "output": "#c9a6ee"},
}
"""What has a role keeps its colour wherever it stands."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One map as a page shows it: which part, in which words, and which heads can be edited."""

    seen: AttentionMap
    """What is left of the map in the window."""
    query_words: Words
    key_words: Words
    layer: int | None
    set: str = ""
    """Which of several sets of maps it belongs to."""
    editable: tuple[Arithmetic, ...] = ()


@dataclass
class Facts:
    """Facts of a page while it is made."""

    steps: int
    """How finely weights are told."""
    blobs: Blobs = field(default_factory=Blobs)
    sides: list[dict[str, Any]] = field(default_factory=list)
    error: float = 0.0

    def side(self, labels: Sequence[str], words: Words) -> int:
        """The words of one side, kept once; their number."""
        side: dict[str, Any] = {
            "labels": [*map(visible, labels)],
            "special": [at for at, label in enumerate(labels) if label in SPECIAL],
            "words": None,
        }
        if len(words.groups) < len(labels):
            side["words"] = {"labels": [*map(visible, words.labels)], "groups": words.groups}
        if side not in self.sides:
            self.sides.append(side)
        return self.sides.index(side)

    def map(self, shown: Shown) -> dict[str, Any]:
        """One map, its weights among the blobs."""
        seen = shown.seen
        quantised = quantise(
            seen.per_head.numpy(), None if seen.keep is None else seen.kept.numpy(), self.steps
        )
        self.error = max(self.error, quantised.error)
        return {
            "name": visible(seen.name),
            "set": shown.set,
            "kind": seen.kind,
            "layer": shown.layer,
            "axes": [*map(visible, seen.axes)],
            "heads": [visible(name) if name else "" for name in seen.head_names],
            "notes": [*map(visible, notes_of(seen))],
            "measures": [
                {
                    name: None if value is None else round(value, DIGITS)
                    for name, value in asdict(each).items()
                }
                | {"name": each.name}
                for each in measure(seen)
            ],
            "queries": self.side(seen.query_labels, shown.query_words),
            "keys": self.side(seen.key_labels, shown.key_words),
            "weights": self.blobs.add(quantised.pack()),
            "masks": self._masks(seen),
            "editable": [each.facts(self.blobs) for each in shown.editable],
        }

    def _masks(self, seen: AttentionMap) -> list[int]:
        """Bits of what may be attended to: none, one for all heads, or one for each."""
        if seen.keep is None:
            return []
        heads = seen.kept.numpy()
        different = heads if (heads != heads[:1]).any() else heads[:1]
        return [self.blobs.share(np.packbits(each).tobytes()) for each in different]


def colours() -> dict[str, Any]:
    """Each theme's colours, and its ramps as 256 colours without their hashes."""
    return {theme.name: _colours_of(theme) for theme in (LIGHT, DARK)}


def cut(words: Words, start: int, stop: int) -> Words:
    """The words of a window, counted from its start.

    >>> cut(Words(("the", "unseen", "cat"), ((0,), (1, 2), (3,))), 2, 4)
    Words(labels=('unseen', 'cat'), groups=((0,), (1,)))
    """
    groups = [tuple(at - start for at in group if start <= at < stop) for group in words.groups]
    kept: Iterable[tuple[str, tuple[int, ...]]] = zip(words.labels, groups, strict=True)
    return Words.of((label, group) for label, group in kept if group)


def _colours_of(theme: Theme) -> dict[str, Any]:
    stops: Mapping[str, tuple[str, ...]] = {name: by[theme.name] for name, by in PALETTES.items()}
    return {
        **{name: getattr(theme, name) for name in ("ink", "paper", "masked", "link")},
        **ROLES[theme.name],
        "ramps": {
            **{name: _joined(ramp(each)) for name, each in stops.items()},
            "signed": _joined(theme.signed_ramp()),
        },
    }


def _joined(colours: Sequence[str]) -> str:
    return "".join(colour.removeprefix("#") for colour in colours)
