"""Why scores are divided by √d: the softmax of large numbers has no gradient left."""

import math

from regard.viewing.colours import theme_called
from regard.viewing.explanation import Curve, Plot
from regard.worked.scaling import WIDTHS, gradients

found = gradients()
curves = (
    Curve(name="divided by √d", points=tuple((math.log2(each.width), each.scaled) for each in found)),
    Curve(name="not divided", points=tuple((math.log2(each.width), each.plain) for each in found)),
)
for each in found:
    print(f"d = {each.width:5}   gradient {each.plain:.4f} not divided, {each.scaled:.4f} divided")
ticks = tuple((math.log2(width), str(width)) for width in WIDTHS)
plot = Plot(
    title="", notes=(), theme=theme_called("light"), curves=curves, axes=("d", "s(1 − s)"), ticks=ticks
)
plot.save("why_divide.svg")
