"""What is seen of Hugging Face's models is what they say themselves, and looking changes nothing."""

import threading
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor, nn

from regard import RegardError, Seen, intervene, watch
from regard.attention import KnockOut
from tests.attention.foreign_models import (
    BACKENDS,
    BATCH,
    BERT,
    FAMILIES,
    GPT2,
    LLAMA,
    MARIAN,
    SOURCE,
    T5,
    TARGET,
    Family,
    made,
)

each_family = pytest.mark.parametrize("family", FAMILIES, ids=str)
each_backend = pytest.mark.parametrize("backend", BACKENDS)


def tensors(output: Any) -> list[Tensor]:
    return [tensor for tensor in output.to_tuple() if isinstance(tensor, Tensor)]


def seen_of(model: nn.Module, inputs: dict[str, Tensor]) -> Seen:
    with torch.no_grad(), watch(model) as seen:
        model(**inputs)
    return seen


def told_by(family: Family, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """The weights the model itself returns, by the names of its modules."""
    with torch.no_grad():
        output = made(family, "eager")(**inputs, output_attentions=True)
    return {
        name.format(layer): weights
        for key, name in family.told.items()
        for layer, weights in enumerate(output[key])
    }


@each_family
@each_backend
@pytest.mark.parametrize("training", [False, True], ids=["evaluation", "training"])
def test_a_watched_model_answers_the_same_bit_for_bit(family: Family, backend: str, training: bool) -> None:
    model, inputs = made(family, backend).train(training), family.inputs()
    answers = []
    for look in (False, True):
        torch.manual_seed(3)
        model.zero_grad()
        if look:
            with watch(model) as seen:
                output = model(**inputs)
            assert len(seen) > 0
        else:
            output = model(**inputs)
        tensors(output)[0].square().sum().backward()
        gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
        answers.append([*tensors(output), *gradients, torch.random.get_rng_state()])
    assert len(answers[0]) == len(answers[1]) > 5
    assert all(torch.equal(plain, watched) for plain, watched in zip(*answers, strict=True))


@each_family
@each_backend
@pytest.mark.parametrize("pad", ["right", "left"])
def test_what_is_seen_is_what_the_model_says_itself(family: Family, backend: str, pad: str) -> None:
    inputs = family.inputs(pad=pad)
    seen, told = seen_of(made(family, backend), inputs), told_by(family, inputs)
    assert set(seen) == set(told)
    for name, weights in told.items():
        heard = torch.ones_like(weights, dtype=torch.bool)
        if (
            pad == "left" and not family.has_target
        ):  # rows of padding hear nothing, or all alike: as they like
            heard = seen[name].keep.any(dim=-1, keepdim=True).expand_as(weights)
        torch.testing.assert_close(seen[name].weights[heard], weights[heard], rtol=0, atol=1e-6)


@each_family
@each_backend
def test_queries_keys_values_and_output_are_in_hand_and_fit(family: Family, backend: str) -> None:
    for name, record in seen_of(made(family, backend, torch.float64), family.inputs()).items():
        assert record.queries.shape[1] == record.keys.shape[1] == record.values.shape[1], name
        assert record.queries.shape[-1] == record.keys.shape[-1] > 0
        assert record.weights.shape == (BATCH, *record.queries.shape[1:3], record.keys.shape[2])
        assert record.output.shape == (*record.weights.shape[:3], record.values.shape[-1])
        torch.testing.assert_close(record.scores.softmax(dim=-1), record.weights)
        torch.testing.assert_close(record.weights @ record.values, record.output, rtol=0, atol=1e-6)
        assert torch.equal(record.scores.isneginf(), ~record.keep)
        assert (record.weights[~record.keep] == 0).all()
        torch.testing.assert_close(record.weights_of(head=1), record.weights[:, 1:2])
        torch.testing.assert_close(record.weights_of(query=3), record.weights[:, :, 3:4])
        torch.testing.assert_close(record.weights_of(head=2, query=0), record.weights[:, 2:3, :1])


@each_backend
def test_padding_and_the_future_are_marked_as_masked(backend: str) -> None:
    padding = BERT.inputs()["attention_mask"].bool()
    keep = seen_of(made(BERT, backend), BERT.inputs())["encoder.layer.0.attention.self"].keep
    assert torch.equal(keep, padding[:, None, None, :].expand_as(keep))
    early = torch.ones(SOURCE, SOURCE).tril().bool()
    for family, name in ((GPT2, "transformer.h.0.attn"), (LLAMA, "model.layers.0.self_attn")):
        whole = {"input_ids": family.inputs()["input_ids"]}
        keep = seen_of(made(family, backend), whole)[name].keep
        assert torch.equal(keep, early.expand_as(keep))
    seen = seen_of(made(T5, backend), T5.inputs())
    keep = seen["decoder.block.1.layer.0.SelfAttention"].keep
    assert torch.equal(keep, torch.ones(TARGET, TARGET).tril().bool().expand_as(keep))
    keep = seen["decoder.block.1.layer.1.EncDecAttention"].keep
    assert torch.equal(keep, padding[:, None, None, :].expand_as(keep))


@pytest.mark.parametrize("family", [LLAMA, MARIAN], ids=str)
@each_backend
def test_weights_are_those_before_dropout(family: Family, backend: str) -> None:
    model, inputs = made(family, backend), family.inputs()
    name = family.told[next(iter(family.told))].format(0)  # the first layer hears no dropout before it
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        if isinstance(getattr(module, "dropout", None), float) and not hasattr(module, "q_proj"):
            module.dropout = 0.0
    calm = seen_of(model, inputs)[name].weights
    torch.testing.assert_close(seen_of(model.train(), inputs)[name].weights, calm, rtol=0, atol=1e-6)


def test_half_precision_is_seen_too() -> None:
    model, inputs = made(LLAMA, "sdpa").bfloat16(), LLAMA.inputs()
    record = seen_of(model, inputs)["model.layers.0.self_attn"]
    assert record.weights.dtype == torch.bfloat16
    total = record.weights.float().sum(dim=-1)
    torch.testing.assert_close(total, torch.ones_like(total), rtol=0, atol=2e-2)


def test_inference_mode_may_end_before_anyone_reads() -> None:
    model = made(BERT, "sdpa")
    with watch(model) as seen:
        with torch.inference_mode():
            model(**BERT.inputs())
        with torch.no_grad():
            model(**BERT.inputs())
    first, second = seen.calls("encoder.layer.1.attention.self")
    assert torch.equal(first.weights, second.weights)


def test_nothing_is_left_behind() -> None:
    model = made(MARIAN, "sdpa")
    before = {name: set(vars(module)) for name, module in model.named_modules()}
    hooks = torch.nn.modules.module
    seen_of(model, MARIAN.inputs())
    assert {name: set(vars(module)) for name, module in model.named_modules()} == before
    assert not hooks._global_forward_hooks
    assert not hooks._global_forward_pre_hooks
    assert torch.overrides._get_current_function_mode_stack() == []


def test_another_thread_is_not_seen() -> None:
    model, inputs = made(BERT, "sdpa"), BERT.inputs()
    expected = model(**inputs)[0]
    answers: list[Tensor] = []
    with watch(model) as seen:
        other = threading.Thread(target=lambda: answers.append(model(**inputs)[0]))
        other.start()
        other.join()
    assert len(seen) == 0
    assert torch.equal(answers[0], expected)


def test_watches_nest() -> None:
    model, inputs = made(BERT, "sdpa"), BERT.inputs()
    with watch(model) as outer, watch(model.encoder.layer[0]) as inner:  # type: ignore[union-attr, index]
        model(**inputs)
    assert list(inner) == ["attention.self"]
    assert len(outer) == 2
    assert torch.equal(inner["attention.self"].weights, outer["encoder.layer.0.attention.self"].weights)
    assert all(len(outer.calls(name)) == 1 for name in outer)


def test_an_error_in_the_model_ends_the_watch_and_nothing_else() -> None:
    model = made(BERT, "sdpa")
    with watch(model) as seen:
        with pytest.raises(IndexError):
            model(torch.full((1, 3), 10**6))
        model(**BERT.inputs())
    assert len(seen) == 2
    assert torch.overrides._get_current_function_mode_stack() == []


def test_a_layer_that_is_used_again_has_a_call_for_each_time() -> None:
    config = transformers.AlbertConfig(
        vocab_size=53, embedding_size=5, hidden_size=12, num_hidden_layers=3, num_attention_heads=3
    )
    config.intermediate_size = 7
    seen = seen_of(transformers.AlbertModel(config).eval(), BERT.inputs())
    (name,) = seen
    assert len(seen.calls(name)) == 3


def refusal(model: nn.Module) -> str:
    with pytest.raises(RegardError) as caught, watch(model):
        pass
    return str(caught.value)


@pytest.mark.parametrize("backend", ["flash_attention_2", "flex_attention", "kernels-community/flash-attn3"])
def test_a_kernel_without_weights_is_refused_with_what_to_do(backend: str) -> None:
    model = made(LLAMA, "sdpa")
    model.config._attn_implementation = backend  # type: ignore[union-attr]
    assert refusal(model) == (
        f"watch() cannot see the attention of this LlamaForCausalLM: {backend} gives no weights. "
        'Call model.set_attn_implementation("sdpa") first.'
    )


def test_a_compiled_part_is_refused() -> None:
    model = made(BERT, "sdpa")
    model.encoder.compile(backend="eager")  # type: ignore[union-attr, operator]
    assert refusal(model) == (
        "watch() cannot look into a compiled model. Give it, and call, the model as it was before "
        "torch.compile."
    )


def test_a_model_built_elsewhere_can_only_be_watched() -> None:
    with pytest.raises(RegardError) as caught, intervene(made(BERT, "sdpa"), {"x": KnockOut(heads=[0])}):
        pass
    assert str(caught.value) == (
        "intervene() changes regard's own attentions, and this BertModel has none; a model built elsewhere "
        "can only be watched."
    )


def test_a_name_that_was_not_seen_is_refused_with_those_that_were() -> None:
    seen = seen_of(made(BERT, "sdpa"), BERT.inputs())
    with pytest.raises(RegardError) as caught:
        seen["layer.0"]
    assert str(caught.value) == (
        "There is no attention named 'layer.0' here, only encoder.layer.0.attention.self, "
        "encoder.layer.1.attention.self."
    )
