"""Compiled and exported attention gives the answers of plain attention."""

import itertools
import shutil
from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor, nn

from regard import MultiHeadAttention, attend, masks, positions
from tests.attention.mechanisms import (
    BATCH,
    EVERY_MECHANISM,
    HEAD_WIDTH,
    HEADS,
    Hiding,
    Mechanism,
    assert_nearly,
    every_mask,
    every_mechanism,
    some_inputs,
)

WIDTH = HEADS * HEAD_WIDTH


@pytest.fixture(autouse=True)
def _forget_what_was_compiled() -> None:
    torch._dynamo.reset()


def compiled(function: Callable[..., Tensor], backend: str = "eager") -> Callable[..., Tensor]:
    return torch.compile(function, backend=backend, fullgraph=True)


def check_answers(found: Tensor, expected: Tensor, learned: Sequence[Tensor]) -> None:
    """Forward and backward."""
    assert_nearly(found, expected)
    first, second = (
        torch.autograd.grad(output.sum(), learned, allow_unused=True, materialize_grads=True)
        for output in (found, expected)
    )
    for one, other in zip(first, second, strict=True):
        assert_nearly(one, other)


@every_mechanism
def test_compiled_attention_is_plain_attention(mechanism: Mechanism) -> None:
    inputs = some_inputs(mechanism, torch.float32)
    check_answers(compiled(attend)(**inputs.arguments), attend(**inputs.arguments), inputs.learned)


@every_mask
def test_every_mask_compiles(hiding: Hiding) -> None:
    inputs = some_inputs(EVERY_MECHANISM[1], torch.float32, hiding)
    found = compiled(attend)(**inputs.arguments, mask=hiding.mask)
    check_answers(found, attend(**inputs.arguments, mask=hiding.mask), inputs.learned)


POSITIONS: dict[str, Callable[[], positions.Position | None]] = {
    "none": lambda: None,
    "Rotary": lambda: positions.Rotary(HEAD_WIDTH),
    "Relative": lambda: positions.Relative(reach=2, head_width=HEAD_WIDTH),
    "Alibi": lambda: positions.Alibi(HEADS),
    "T5Bias": lambda: positions.T5Bias(HEADS),
}


SHARED_AND_NOT = list(zip(POSITIONS, itertools.cycle([1, HEADS]), strict=False))


class Decoder(nn.Module):
    """Heads that look back at their own sentence, and at another of which some is padding."""

    def __init__(self, position: str, key_heads: int = HEADS) -> None:
        super().__init__()
        self.itself = MultiHeadAttention(
            WIDTH, heads=HEADS, key_heads=key_heads, position=POSITIONS[position]()
        )
        self.other = MultiHeadAttention(WIDTH, heads=HEADS, key_heads=key_heads)

    def forward(self, target: Tensor, source: Tensor, lengths: Tensor) -> Tensor:
        target = target + self.itself(target, mask=masks.causal())
        return target + self.other(target, source, mask=masks.lengths(lengths))


def sentences(batch: int, queries: int, keys: int) -> tuple[Tensor, Tensor, Tensor]:
    target, source = torch.randn(batch, queries, WIDTH), torch.randn(batch, keys, WIDTH)
    return target, source, torch.arange(batch) % (keys + 1)


@pytest.mark.parametrize(("position", "key_heads"), SHARED_AND_NOT)
def test_a_compiled_module_in_training_without_dropout_is_the_plain_one_in_evaluation(
    position: str, key_heads: int
) -> None:
    decoder = Decoder(position, key_heads)
    inputs = sentences(BATCH, 5, 7)
    found = compiled(decoder.train(), "aot_eager")(*inputs)
    check_answers(found, decoder.eval()(*inputs), list(decoder.parameters()))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # torch's compiler, about torch
@pytest.mark.skipif(shutil.which("g++") is None, reason="inductor needs a C++ compiler")
def test_the_compiler_of_torch_itself_gives_the_same_answers() -> None:
    decoder = Decoder("Rotary")
    inputs = sentences(BATCH, 5, 7)
    check_answers(compiled(decoder, "inductor")(*inputs), decoder(*inputs), list(decoder.parameters()))


@pytest.mark.parametrize(("position", "key_heads"), SHARED_AND_NOT)
def test_an_exported_module_takes_any_batch_and_length(position: str, key_heads: int) -> None:
    decoder = Decoder(position, key_heads).eval()
    batch, queries, keys = (torch.export.Dim(name, min=2, max=64) for name in ("batch", "queries", "keys"))
    shapes = {"target": {0: batch, 1: queries}, "source": {0: batch, 1: keys}, "lengths": {0: batch}}
    exported = torch.export.export(decoder, sentences(BATCH, 5, 7), dynamic_shapes=shapes).module()
    for sizes in ((2, 5, 7), (3, 11, 2), (5, 2, 13)):
        inputs = sentences(*sizes)
        assert_nearly(exported(*inputs), decoder(*inputs))


def test_a_memory_compiles() -> None:
    attention = MultiHeadAttention(WIDTH, heads=HEADS, position=POSITIONS["Relative"]())

    def two_steps(first: Tensor, second: Tensor) -> Tensor:
        memory = attention.remember(second, after=attention.remember(first))
        return attention(second, memory, mask=masks.causal())

    first, second = torch.randn(BATCH, 5, WIDTH), torch.randn(BATCH, 2, WIDTH)
    check_answers(compiled(two_steps)(first, second), two_steps(first, second), list(attention.parameters()))
