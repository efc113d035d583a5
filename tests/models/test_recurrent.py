"""The recurrent translator is Bahdanau's, step by step, and its networks are torch's."""

import math

import pytest
import torch
from torch import Tensor, nn

from regard.models import RecurrentTranslator
from tests.models.translators import LENGTHS, WIDTH, Kind, assert_same, normed, some_sources, some_targets


def made(score: str, both_ways: bool = True, normalised: bool = False) -> RecurrentTranslator:
    settings = {"score": score, "both_ways": both_ways, "normalised": normalised}
    model = Kind("", RecurrentTranslator, settings).make()
    assert isinstance(model, RecurrentTranslator)
    return model


def compare(model: RecurrentTranslator, query: Tensor, key: Tensor) -> Tensor:
    score = model.decoder.cross.score
    if model.key_projection.__class__ is nn.Linear:
        return torch.tanh(score.query_projection(query) + model.key_projection(key)) @ score.to_score  # type: ignore[operator]
    matrix = getattr(score, "matrix", torch.eye(WIDTH, dtype=query.dtype) / math.sqrt(WIDTH))
    return query @ matrix @ key


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("score", ["additive", "dot", "bilinear"])
@pytest.mark.parametrize("both_ways", [False, True])
def test_each_step_looks_with_the_last_state_and_steps_with_what_it_found(
    score: str, both_ways: bool, normalised: bool
) -> None:
    model, source, target = made(score, both_ways, normalised), some_sources(), some_targets()
    found = model(source, target, LENGTHS)
    (cell,) = model.decoder.cells
    scale = math.sqrt(WIDTH)
    for row, length in enumerate(LENGTHS):
        encoded = model.encoder.network(model.source_embedding(source[row : row + 1, :length]) * scale)[0][0]
        encoded = normed(model.encoded_norm, encoded)
        state = torch.tanh(model.bridge(encoded.mean(dim=0)))
        for place, token in enumerate(target[row]):
            embedded = model.target_embedding(token) * scale
            weights = torch.stack([compare(model, state, key) for key in encoded]).softmax(dim=0)
            context = weights @ encoded
            state = cell(normed(model.decoder.norm, torch.cat([context, embedded])), state)
            joined = normed(model.joined_norm, torch.cat([state, context, embedded]))
            hidden = model.readout(joined)
            hidden = normed(model.output_norm, hidden) if normalised else torch.tanh(hidden)
            assert_same(found[row, place], model.output_table @ hidden)


def test_what_is_normalised_has_parameters_for_it_and_what_is_not_has_none() -> None:
    names = {name for name, _ in made("additive", normalised=True).named_parameters()}
    norms = {"encoded_norm", "decoder.norm", "joined_norm", "output_norm"}
    assert names - {name for name, _ in made("additive").named_parameters()} == {
        f"{norm}.{part}" for norm in norms for part in ("weight", "bias")
    }


def test_the_decoder_is_torchs_gru_where_there_is_one_word_to_look_at() -> None:
    """Then every context is that word's vector, and the inputs of the network are known beforehand."""
    model, target = made("additive"), some_targets()
    state = model.start(some_sources(1))
    (cell,) = model.decoder.cells
    network = nn.GRU(2 * WIDTH, WIDTH, batch_first=True).double()
    network.load_state_dict({f"{name}_l0": parameter for name, parameter in cell.state_dict().items()})
    embedded = model.target_embedding(target) * math.sqrt(WIDTH)
    contexts = state.source.values.expand(-1, target.shape[1], -1)
    states, last = network(torch.cat([contexts, embedded], dim=-1), state.layers.transpose(0, 1).contiguous())

    hidden, after = model.read_on(target, state)

    assert_same(after.layers, last.transpose(0, 1))
    assert_same(hidden, torch.tanh(model.readout(torch.cat([states, contexts, embedded], dim=-1))))


def test_keys_are_projected_once_for_a_sentence() -> None:
    model = made("additive")
    calls = []
    model.key_projection.register_forward_hook(lambda *_: calls.append(1))
    model(some_sources(), some_targets())
    assert len(calls) == 1
