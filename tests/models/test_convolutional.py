"""The convolutional translator is Gehring's, layer by layer, and its convolutions are torch's."""

import math
from typing import Any

import pytest
import torch.nn.functional as F
from torch import Tensor

from regard.models import ConvolutionalTranslator
from regard.models.encoders import GatedConvolution
from tests.models.translators import LENGTHS, WIDTH, Kind, assert_same, normed, some_sources, some_targets

HALF = math.sqrt(0.5)


def convolved(gated: GatedConvolution, vectors: Tensor, before: int, after: int) -> Tensor:
    """A gated convolution of one sentence, by torch's own."""
    weight = gated.linear.weight.view(2 * WIDTH, WIDTH, gated.kernel)
    padded = normed(gated.norm, F.pad(vectors, (0, 0, before, after))).T
    return F.glu(F.conv1d(padded, weight, gated.linear.bias).T)


@pytest.mark.parametrize("normalised", [False, True])
def test_every_layer_convolves_looks_and_adds(normalised: bool) -> None:
    kernel = 3
    settings = {"layers": 2, "kernel": kernel, "normalised": normalised}
    model: Any = Kind("", ConvolutionalTranslator, settings).make()
    source, target = some_sources(), some_targets()
    found = model(source, target, LENGTHS)
    positions = model.target_positions
    for row, length in enumerate(LENGTHS):
        entered = positions(model.source_embedding(source[row, :length]) * math.sqrt(WIDTH))
        encoded = entered
        for layer in model.encoder.convolutions:
            encoded = (encoded + convolved(layer, encoded, kernel // 2, kernel // 2)) * HALF
        encoded = normed(model.encoder.norm, encoded)
        embedded = positions(model.target_embedding(target[row]) * math.sqrt(WIDTH))
        vectors = embedded
        for block in model.decoder:
            hidden = convolved(block.convolution, vectors, kernel - 1, 0)
            queries = (block.query_projection(hidden) + embedded) * HALF
            weights = (queries @ encoded.T / math.sqrt(WIDTH)).softmax(dim=-1)
            context = weights @ ((encoded + entered) * HALF)
            vectors = ((hidden + block.output_projection(context)) * HALF + vectors) * HALF
        hidden = normed(model.output_norm, model.readout(normed(model.decoded_norm, vectors)))
        assert_same(found[row], hidden @ model.output_table.T)
    norms = {name.split(".")[-2] for name, _ in model.named_parameters() if "norm" in name}
    assert norms == ({"norm", "decoded_norm", "output_norm"} if normalised else set())
