from xml.etree import ElementTree

from regard.viewing.colours import DARK, LIGHT, theme_called
from regard.viewing.explanation import Curve, Drawing, Plot
from regard.viewing.explanation.plots import round_ticks

CURVES = (
    Curve(name="seen <b>", points=((0.0, 1.0), (2.0, 3.0)), scattered=True, quiet=True),
    Curve(name="曲线", points=((0.0, 0.0), (1.0, 4.0), (2.0, 0.0))),
    Curve(name="other", points=((0.0, 2.0), (2.0, 2.0)), dashed=True),
)


def plot(theme: str = "light") -> Plot:
    return Plot(title="a plot", notes=(), theme=theme_called(theme), curves=CURVES, axes=("x", "y"))


def test_ticks_are_round_and_within_bounds() -> None:
    assert [word for _, word in round_ticks(-0.31, 0.52)] == ["−0.2", "0", "0.2", "0.4"]
    assert [word for _, word in round_ticks(0.0, 1000.0)] == ["0", "200", "400", "600", "800", "1,000"]


def test_every_curve_is_drawn_and_named() -> None:
    drawn = ElementTree.fromstring(plot().svg())
    names = ["".join(element.itertext()) for element in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"seen <b>", "曲线", "other", "x →", "y ↑"} <= set(names)
    dots = list(drawn.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(dots) == 2 + 1, "two points and one in the legend"


def test_curves_have_colours_of_their_own_and_quiet_ones_none() -> None:
    light, dark = plot(), plot("dark")
    assert light.ink(0) == LIGHT.faint
    assert dark.ink(0) == DARK.faint
    assert light.ink(1) != light.ink(2)


def test_a_higher_point_stands_higher_in_the_terminal() -> None:
    lines = plot().text(width=60).split("\n")
    assert lines[0] == "a plot"
    assert lines[1] == "• seen <b>   ━━ 曲线   ━━ other"
    columns = [line.partition("┤")[2] for line in lines[2:-1]]
    top = next(row for row, line in enumerate(columns) if line[20:28].strip())
    bottom = max(row for row, line in enumerate(columns) if line[:2].strip())
    assert top == 0, "the curve peaks in the middle"
    assert bottom == len(columns) - 1, "and begins at the bottom left"
    assert max(map(len, lines)) <= 60


def test_a_flat_line_can_be_drawn() -> None:
    flat = Plot(
        title="",
        notes=(),
        theme=LIGHT,
        curves=(Curve(name="one", points=((0.0, 1.0), (1.0, 1.0))),),
        axes=("x", "y"),
    )
    assert "nan" not in flat.svg()
    assert "┤" in flat.text()


def test_a_drawing_is_decided_for_the_theme_it_is_asked_for() -> None:
    drawing = Drawing(plot)
    assert DARK.paper in drawing.svg(theme="dark")
    assert LIGHT.paper in drawing.svg()
    assert "\x1b[38;2;" in drawing.text(colours="24-bit")
    assert "\x1b[38;5;" in drawing.text(colours="256")
