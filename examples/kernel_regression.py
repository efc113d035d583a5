"""Nadaraya–Watson: attention before it had the name.

The bandwidth is learned by predicting each point from all the others.
"""

import torch

from regard import models, scores
from regard.viewing.colours import theme_called
from regard.viewing.explanation import Curve, Plot

torch.manual_seed(1964)
x = (torch.rand(40) * 5).sort().values
y = 2 * x.sin() + x**0.8 + 0.5 * torch.randn(40)
new = torch.linspace(0, 5, 100)

curves = [
    Curve(name="points", points=tuple(zip(x.tolist(), y.tolist(), strict=True)), scattered=True, quiet=True)
]
for name, score in {"average": scores.Uniform(), "learned": scores.Gaussian(learned=True)}.items():
    regression = models.KernelRegression(score).fit(x, y)
    with torch.no_grad():
        line = regression.predict(new).tolist()
    curves.append(Curve(name=name, points=tuple(zip(new.tolist(), line, strict=True))))
    print(f"{name}: error {regression.leave_one_out_error():.3f}")

plot = Plot(title="", notes=(), theme=theme_called("light"), curves=tuple(curves), axes=("x", "y"))
plot.save("kernel_regression.svg")
