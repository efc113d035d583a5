"""Colours: one hue from nothing to one, two hues from minus to plus, grey for what is masked.

Ramps are straight lines in OKLab (Ottosson, 2020), so that equal steps of weight look like
equal steps of colour; lightness alone carries the value, hence they read in print and by
colour-blind readers.
"""

from dataclasses import dataclass
from functools import cache
from math import atan2, degrees, dist, hypot

from regard.errors import RegardError

STEPS = 256
GREY, NEARLY_GREY = 0.005, 0.075
"""How much colour, in OKLab, a grey has; and how much one may lose where there are few to choose from."""
SAME_HUE = 15.0
"""Degrees."""

Triple = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Theme:
    """The colours of a figure."""

    name: str
    paper: str
    ink: str
    faint: str
    rule: str
    masked: str
    link: str
    weights: tuple[str, ...]
    """Stops of the ramp for weights, from 0 to 1."""
    signed: tuple[str, ...]
    """Stops of the ramp for signed numbers, from the least to the most, zero in the middle."""

    def weight_ramp(self) -> tuple[str, ...]:
        """Colours for weights in even steps from 0 to 1."""
        return ramp(self.weights)

    def signed_ramp(self) -> tuple[str, ...]:
        """Colours for signed numbers in even steps, zero in the middle."""
        return ramp(self.signed)


LIGHT = Theme(
    name="light",
    paper="#ffffff",
    ink="#22262e",
    faint="#767d8a",
    rule="#d5d9e0",
    masked="#e3e3e1",
    link="#1f4e86",
    weights=("#f5f8fc", "#8fb2da", "#2f68a8", "#0b2c56"),
    signed=("#8a3b0c", "#d98a4a", "#f6f5f3", "#6b9fd0", "#17477e"),
)
DARK = Theme(
    name="dark",
    paper="#14171d",
    ink="#e6e9ef",
    faint="#949caa",
    rule="#343a46",
    masked="#3a3c40",
    link="#8cbcf5",
    weights=("#1b212b", "#2c5286", "#6ba3e6", "#eaf3ff"),
    signed=("#ffc189", "#a65a20", "#1d2027", "#33679f", "#a6d0ff"),
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


def theme_called(name: str) -> Theme:
    """The theme of that name."""
    if name not in THEMES:
        raise RegardError(f"theme must be one of {', '.join(map(repr, THEMES))}, but got {name!r}.")
    return THEMES[name]


@cache
def ramp(stops: tuple[str, ...]) -> tuple[str, ...]:
    """Colours in even steps through the stops.

    >>> ramp(("#000000", "#ffffff"))[::255]
    ('#000000', '#ffffff')
    """
    points = [_to_oklab(stop) for stop in stops]
    colours = []
    for step in range(STEPS):
        along = step / (STEPS - 1) * (len(points) - 1)
        left = min(int(along), len(points) - 2)
        share = along - left
        mixed = [a + (b - a) * share for a, b in zip(points[left], points[left + 1], strict=True)]
        colours.append(_to_hex((mixed[0], mixed[1], mixed[2])))
    return tuple(colours)


def ink_on(colour: str) -> str:
    """Black or white, whichever is read more easily on a colour.

    >>> ink_on("#0b2c56"), ink_on("#f5f8fc")
    ('#ffffff', '#1a1d23')
    """
    return "#1a1d23" if _to_oklab(colour)[0] > 0.62 else "#ffffff"


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue from 0 to 255.

    >>> channels("#0b2c56")
    (11, 44, 86)
    """
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


@cache
def of_256(colour: str) -> int:
    """The colour of a terminal's 256 that comes nearest and keeps the hue, so that a ramp stays one.

    >>> of_256("#2f68a8"), of_256("#3a3c40")
    (25, 237)
    """
    wanted = _to_oklab(colour)
    may_be_grey = hypot(wanted[1], wanted[2]) < NEARLY_GREY
    fitting = [
        number
        for number, known in _the_256().items()
        if (may_be_grey if hypot(known[1], known[2]) < GREY else _turned(wanted, known) <= SAME_HUE)
    ]
    return min(fitting, key=lambda number: dist(_the_256()[number], wanted))


@cache
def _the_256() -> dict[int, Triple]:
    """A cube of six steps and a ladder of greys; the sixteen before them look different everywhere."""
    steps = (0, 95, 135, 175, 215, 255)
    cube = [(red, green, blue) for red in steps for green in steps for blue in steps]
    greys = [(level, level, level) for level in range(8, 248, 10)]
    return {
        number: _to_oklab("#{:02x}{:02x}{:02x}".format(*each)) for number, each in enumerate(cube + greys, 16)
    }


def _turned(one: Triple, other: Triple) -> float:
    """How far apart two hues are, in degrees."""
    apart = degrees(atan2(one[2], one[1]) - atan2(other[2], other[1]))
    return abs((apart + 180) % 360 - 180)


def _to_oklab(colour: str) -> Triple:
    r, g, b = (_to_linear(channel / 255) for channel in channels(colour))
    l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)  # noqa: E741
    m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    )


def _to_hex(oklab: Triple) -> str:
    lightness, a, b = oklab
    l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3  # noqa: E741
    m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
    )
    return "#" + "".join(f"{round(min(max(_from_linear(value), 0.0), 1.0) * 255):02x}" for value in linear)


def _to_linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def _from_linear(value: float) -> float:
    return value * 12.92 if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
