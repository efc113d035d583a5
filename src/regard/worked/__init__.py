"""Worked examples: attention small enough to be followed by hand, computed and drawn.

>>> from regard import worked
>>> list(worked.EXAMPLES)
['good', 'tokens', 'kitten', 'lengths', 'additive', 'kernel', 'cross', 'identity', 'order', 'positions']
>>> worked.example("good").walk().steps[0].title
'The vectors'
"""

from difflib import get_close_matches
from pathlib import Path

from regard.errors import RegardError
from regard.viewing.explanation import Said
from regard.viewing.explanation.page import Card, gallery
from regard.worked import dot_products, masking, order, regression, scaling
from regard.worked.example import Example
from regard.worked.words import made_up_vectors

__all__ = ["EXAMPLES", "Example", "example", "made_up_vectors", "write"]

_ORDER = (
    "good",
    "tokens",
    "kitten",
    "lengths",
    "additive",
    "kernel",
    "cross",
    "identity",
    "order",
    "positions",
)
_FOUND = {
    each.name: each
    for module in (dot_products, scaling, masking, regression, order)
    for each in module.EXAMPLES
}
EXAMPLES = {name: _FOUND[name] for name in _ORDER}
"""Every example by its name, in the order in which they are best read."""

_TITLE = Said("Attention, worked by hand", "手算注意力")
_LEAD = Said(
    "Ten computations small enough to be followed number by number, from dot products to positions.",
    "十个小到可以逐个数字跟着算的计算，从点积到位置。",
)


def example(name: str) -> Example:
    """The example of that name."""
    if name in EXAMPLES:
        return EXAMPLES[name]
    near = get_close_matches(name, EXAMPLES, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(EXAMPLES)}."
    raise RegardError(f"There is no example called {name!r}. {hint}")


def write(folder: str | Path, language: str = "en") -> Path:
    """Write every example as a page and a picture, and the page that lists them, which is returned."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    cards = []
    for each in EXAMPLES.values():
        told = each.walk(language)
        (folder / f"{each.name}.html").write_text(told.html(back="index.html"), encoding="utf-8")
        told.save(folder / f"{each.name}.svg")
        cards.append(
            Card(name=each.name, address=f"{each.name}.html", about=each.shows.to(language), told=told)
        )
    index = folder / "index.html"
    index.write_text(gallery(_TITLE.to(language), _LEAD.to(language), cards, language), encoding="utf-8")
    return index
