"""Kernel regression: attention before it had the name."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Attention, masks, weigh
from regard.attention.masks import Mask
from regard.attention.scores import Boxcar, Gaussian, Kernel, Score
from regard.errors import MechanismError, RegardError, ShapeError


class KernelRegression(nn.Module):
    """prediction(x) = Σ K(x - xᵢ) yᵢ / Σ K(x - xᵢ): what was seen, the near counting more.

    Nadaraya (1964) and Watson (1964). The inputs seen are keys, their outputs values, a
    new input is a query, and ``score`` is the logarithm of the kernel K. A score with
    parameters, such as ``Gaussian(learned=True)``, learns them in :meth:`fit` by
    predicting each point from all others: were its own key not left out, the best
    bandwidth would be none at all. Where no key is within the kernel's reach, the
    prediction is zero.

    >>> regression = KernelRegression(Gaussian(bandwidth=0.5))
    >>> seen = regression.fit(torch.tensor([0.0, 1.0, 2.0]), torch.tensor([0.0, 10.0, 40.0]))
    >>> seen.predict(torch.tensor([0.0, 1.5]))
    tensor([ 1.2035, 24.7731])
    """

    inputs: Tensor | None
    outputs: Tensor | None

    def __init__(self, score: Score | None = None) -> None:
        super().__init__()
        self.attention = Attention(score=Gaussian() if score is None else score)
        self.register_buffer("inputs", None, persistent=False)
        self.register_buffer("outputs", None, persistent=False)

    @property
    def score(self) -> Score:
        """The logarithm of the kernel."""
        return self.attention.score

    def fit(
        self,
        inputs: Float[Tensor, "points ..."],
        outputs: Float[Tensor, "points ..."],
        *,
        steps: int = 200,
        learning_rate: float = 0.1,
    ) -> "KernelRegression":
        """Remember the points and, where the score has parameters, learn them; returns itself."""
        _check("inputs", inputs)
        _check("outputs", outputs)
        if len(inputs) != len(outputs):
            raise ShapeError(
                f"Each input needs its output, but there are {len(inputs)} inputs and {len(outputs)} outputs."
            )
        self.inputs, self.outputs = inputs.detach(), outputs.detach()
        if parameters := list(self.score.parameters()):
            self._check_learning(len(inputs))
            self._start_from_the_best_of_a_few()
            optimizer = torch.optim.Adam(parameters, lr=learning_rate)
            for _ in range(steps):
                optimizer.zero_grad()
                self._leave_one_out_loss().backward()
                optimizer.step()
        return self

    def predict(self, inputs: Float[Tensor, "new ..."]) -> Float[Tensor, "new ..."]:
        """The prediction for each input: of the outputs' shape, with one row for each input."""
        _, outputs = self._seen()
        predictions = self._attend(inputs)
        return predictions.squeeze(-1) if outputs.dim() == 1 else predictions

    def weights(self, inputs: Float[Tensor, "new ..."]) -> Float[Tensor, "new points"]:
        """How much each point seen counts in the prediction for each input."""
        keys = _columns(self._seen()[0])
        return weigh(self._queries(inputs), keys, score=self.score)

    def leave_one_out_error(self) -> float:
        """The mean squared error of predicting each point seen from all the others."""
        with torch.no_grad():
            return self._leave_one_out_loss().item()

    def _leave_one_out_loss(self) -> Float[Tensor, ""]:
        inputs, outputs = self._seen()
        others = masks.where(keep=~torch.eye(len(inputs), dtype=torch.bool, device=inputs.device))
        return F.mse_loss(self._attend(inputs, mask=others), _columns(outputs))

    @torch.no_grad()
    def _start_from_the_best_of_a_few(self) -> None:
        """The error is flat far above the best bandwidth, where a gradient would not find its way down."""
        if not isinstance(self.score, Kernel):
            return
        inputs = _columns(self._seen()[0])
        span = float((inputs.amax(dim=0) - inputs.amin(dim=0)).norm())
        parameter = self.score.log_bandwidth
        starts = [parameter.clone(), *(parameter.new_tensor(span).log() - math.log(2) * k for k in range(10))]
        errors = []
        for start in starts:
            parameter.copy_(start)
            errors.append(self.leave_one_out_error() if start.isfinite() else math.inf)
        parameter.copy_(starts[errors.index(min(errors))])

    def _attend(self, inputs: Tensor, mask: Mask | None = None) -> Float[Tensor, "new width"]:
        keys, values = self._seen()
        return self.attention(self._queries(inputs), _columns(keys), _columns(values), mask=mask)

    def _queries(self, inputs: Tensor) -> Float[Tensor, "new width"]:
        _check("inputs", inputs)
        seen, _ = self._seen()
        if inputs.shape[1:] != seen.shape[1:]:
            raise ShapeError(
                f"inputs must be like those seen, {_spelled(seen)}, but they are {_spelled(inputs)}."
            )
        return _columns(inputs)

    def _seen(self) -> tuple[Tensor, Tensor]:
        if self.inputs is None or self.outputs is None:
            raise RegardError(
                "This KernelRegression has seen no points yet. Call fit(inputs, outputs) first."
            )
        return self.inputs, self.outputs

    def _check_learning(self, points: int) -> None:
        if points < 2:
            raise ShapeError(
                f"Learning predicts each point from the others, so it needs at least 2, but got {points}."
            )
        if isinstance(self.score, Boxcar):
            raise MechanismError(
                "Boxcar weighs all keys within its bandwidth alike, so no gradient says whether to widen it. "
                "Learn a Gaussian, Triangular or Epanechnikov, or give Boxcar a fixed bandwidth."
            )


def _check(name: str, points: Tensor) -> None:
    if not isinstance(points, Tensor) or not points.dtype.is_floating_point or points.dim() not in (1, 2):
        got = (
            f"{points.dtype} of shape {tuple(points.shape)}"
            if isinstance(points, Tensor)
            else type(points).__name__
        )
        raise ShapeError(
            f"{name} must be a floating point tensor (points,) or (points, width), but got {got}."
        )
    if not points.isfinite().all():
        raise ShapeError(f"{name} must be finite, but {int((~points.isfinite()).sum())} of them are not.")


def _columns(points: Tensor) -> Float[Tensor, "points width"]:
    return points.unsqueeze(-1) if points.dim() == 1 else points


def _spelled(points: Tensor) -> str:
    return "(points,)" if points.dim() == 1 else f"(points, {points.shape[1]})"
