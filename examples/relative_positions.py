"""Shaw's relative positions in memory that grows with the length alone.

Written as in the paper, the tensor of n × n × d numbers grows with the square.
"""

import torch

import regard
from regard import positions
from regard.comparing.measuring import peak_bytes
from regard.viewing.colours import theme_called
from regard.viewing.explanation import Curve, Plot

position = positions.Relative(reach=16, head_width=16)
lengths = (512, 768, 1024, 1536)
ours, theirs = [], []
for n in lengths:
    x = torch.randn(1, 1, n, 16)
    ours.append((float(n), peak_bytes(lambda x=x: regard.attend(x, position=position)) / 2**20))
    theirs.append((float(n), n * n * 16 * 4 / 2**20))
    print(f"n = {n}: {ours[-1][1]:.1f} MiB, as in the paper {theirs[-1][1]:.0f} MiB and more")

curves = (Curve(name="regard", points=tuple(ours)), Curve(name="n × n × d alone", points=tuple(theirs)))
plot = Plot(title="", notes=(), theme=theme_called("light"), curves=curves, axes=("n", "MiB"))
plot.save("relative_positions.svg")
