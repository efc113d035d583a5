from itertools import groupby, pairwise
from math import atan2, degrees, hypot

import pytest

from regard.errors import RegardError
from regard.viewing.colours import (
    DARK,
    LIGHT,
    STEPS,
    Theme,
    _the_256,
    _to_oklab,
    channels,
    ink_on,
    of_256,
    theme_called,
)


def lightness(colour: str) -> float:
    """Luminance as the web's guidelines define it."""
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (c / 255 for c in channels(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((lightness(one), lightness(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize(("theme", "sign"), [(LIGHT, -1), (DARK, 1)])
def test_more_weight_is_always_further_from_the_paper(theme: Theme, sign: int) -> None:
    steps = [lightness(colour) * sign for colour in theme.weight_ramp()]
    assert len(steps) == STEPS
    assert all(later >= earlier - 1e-3 for earlier, later in pairwise(steps))
    assert steps[-1] - steps[0] > 0.6


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_signed_numbers_are_faintest_at_zero(theme: Theme) -> None:
    ramp = theme.signed_ramp()
    assert (
        contrast(ramp[0], theme.paper)
        > contrast(ramp[STEPS // 2], theme.paper)
        < contrast(ramp[-1], theme.paper)
    )


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_words_can_be_read(theme: Theme) -> None:
    assert contrast(theme.ink, theme.paper) >= 7.0
    assert contrast(theme.faint, theme.paper) >= 4.0
    assert min(contrast(ink_on(colour), colour) for colour in theme.weight_ramp()) >= 3.5


def test_masked_is_grey_and_none_of_the_ramp() -> None:
    for theme in (LIGHT, DARK):
        red, green, blue = channels(theme.masked)
        assert max(red, green, blue) - min(red, green, blue) <= 8
        assert theme.masked not in theme.weight_ramp()


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(RegardError) as caught:
        theme_called("sepia")
    assert str(caught.value) == "theme must be one of 'light', 'dark', but got 'sepia'."


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_ramp_in_256_colours_is_still_one_hue_from_end_to_end(theme: Theme) -> None:
    numbers = [number for number, _ in groupby(map(of_256, theme.weight_ramp()))]
    assert len(numbers) == len(set(numbers)) > 10
    known = [_the_256()[number] for number in numbers]
    assert [each[0] for each in known] == sorted((each[0] for each in known), reverse=theme is LIGHT)
    blue = degrees(atan2(*reversed(_to_oklab(theme.weights[2])[1:])))
    hues = [degrees(atan2(b, a)) for _, a, b in known if hypot(a, b) > 0.01]
    assert len(hues) > 5
    assert all(abs(hue - blue) < 20 for hue in hues)
