"""Dropout forgets weights at random: on average nothing, never in evaluation, and the same again by seed."""

import pytest
import torch

from regard import Attention, MultiHeadAttention, attend
from regard.attention.positions import Relative
from tests.attention.mechanisms import (
    HEADS,
    KEYS,
    QUERIES,
    Hiding,
    Mechanism,
    every_mask,
    every_mechanism,
    every_path,
    gradients,
    short_paths,
    some_inputs,
)

SHARE = 0.3


@every_mechanism
def test_what_is_dropped_averages_out_on_every_path(mechanism: Mechanism) -> None:
    times = 2_000
    once = some_inputs(mechanism, batch=(1, HEADS))
    many = once.with_(
        **{name: getattr(once, name).expand(times, -1, -1, -1) for name in ("queries", "keys", "values")}
    )
    expected = attend(**once.arguments)[0]
    paths = list(every_path(many.call(None, dropout=SHARE)))
    assert paths
    for path in paths:
        outputs = path.attend(many.call(None, dropout=SHARE))
        error = outputs.std(dim=0) / times**0.5
        assert ((outputs.mean(dim=0) - expected).abs() <= 6 * error).all(), path.name
        assert (outputs.std(dim=0) > 0.01).any(), f"{path.name} dropped nothing"


@every_mechanism
@every_mask
def test_dropout_repeats_by_seed_and_leaves_silence_silent(mechanism: Mechanism, hiding: Hiding) -> None:
    silent = ~hiding.allowed.any(dim=-1)
    unheard = ~hiding.allowed.any(dim=-2).unsqueeze(-1)
    inputs = some_inputs(mechanism, torch.float32, hiding)
    poisoned = inputs.with_(
        keys=inputs.keys.masked_fill(unheard, torch.nan), values=inputs.values.masked_fill(unheard, torch.nan)
    )
    with short_paths():
        for path in every_path(inputs.call(hiding.mask, dropout=SHARE)):
            outputs = []
            for asked, seed in ((inputs, 1), (poisoned, 1), (inputs, 2)):
                torch.manual_seed(seed)
                outputs.append(path.attend(asked.call(hiding.mask, dropout=SHARE)))
            assert torch.equal(outputs[0], outputs[1]), path.name
            assert silent.all() or not torch.equal(outputs[0], outputs[2]), path.name
            assert (outputs[0][silent] == 0).all(), path.name


@every_mechanism
def test_the_backward_pass_drops_what_the_forward_pass_dropped(mechanism: Mechanism) -> None:
    """The output is linear in the values, so they times their gradient give it back."""
    inputs = some_inputs(mechanism)
    upstream = torch.randn(2, HEADS, QUERIES, mechanism.value_width).double()
    with short_paths():
        for path in every_path(inputs.call(None, dropout=SHARE)):
            output = path.attend(inputs.call(None, dropout=SHARE))
            by_name = dict(zip(map(id, inputs.learned), gradients(output, inputs, upstream), strict=True))
            given_back = (inputs.values * by_name[id(inputs.values)]).sum()
            if isinstance(inputs.position, Relative) and inputs.position.value_table is not None:
                table = inputs.position.value_table
                given_back = given_back + (table * by_name[id(table)]).sum()
            torch.testing.assert_close(given_back, (output * upstream).sum(), msg=path.name)


@pytest.mark.parametrize("several", [False, True])
def test_nothing_is_dropped_in_evaluation(several: bool) -> None:
    attention = MultiHeadAttention(6, heads=2, dropout=SHARE) if several else Attention(dropout=SHARE)
    x = torch.randn(2, KEYS, 6)
    attention.eval()
    assert torch.equal(attention(x), attention(x))
    attention.train()
    assert not torch.equal(attention(x), attention(x))
