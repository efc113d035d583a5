import math
from pathlib import Path

import pytest
import torch

from regard.errors import RegardError, RunError
from regard.models import ConvolutionalTranslator, RecurrentTranslator, Transformer
from regard.models.dropping import eased
from regard.text import Batch
from regard.training import (
    Learner,
    StepSettings,
    checkpoints_in,
    load_parameters,
    loop,
    loss_of,
    make_optimizer,
    progress,
    restore,
    save_checkpoint,
    train_steps,
    training_state,
)

VOCABULARY = 13


def a_learner(dropout: float = 0.3, optimizer: str = "adam", **settings: float) -> Learner:
    torch.manual_seed(5)
    model = Transformer(vocabulary=VOCABULARY, width=6, heads=2, layers=1, hidden_width=7, dropout=dropout)
    made = make_optimizer(model, kind=optimizer)
    return Learner(model, made, StepSettings(warmup_steps=3, steps=11, **settings))


def a_batch(step: int) -> Batch:
    drawn = torch.Generator().manual_seed(step)
    sentences = torch.randint(4, VOCABULARY, (5, 4), generator=drawn).tolist()
    return Batch.of(sentences, [sentence[::-1] for sentence in sentences])


def learn(learner: Learner, steps: int) -> list[float]:
    return [
        learner.learn([a_batch(learner.step)], epoch=0, names=[f"batch {learner.step}"]).loss
        for _ in range(steps)
    ]


@pytest.mark.parametrize("optimizer", ["adam", "muon"])
@pytest.mark.parametrize("moving_average", [0.0, 0.9])
def test_a_learner_restored_goes_on_bit_for_bit(
    tmp_path: Path, moving_average: float, optimizer: str
) -> None:
    undisturbed, first, second = (
        a_learner(moving_average=moving_average, optimizer=optimizer) for _ in range(3)
    )
    losses = learn(undisturbed, 7)
    assert learn(first, 4) == losses[:4]
    save_checkpoint(
        tmp_path,
        step=first.step,
        score=None,
        progress=progress(first),
        parameters=first.parameters_to_keep(),
        optimizer=training_state(first),
    )

    (checkpoint,) = checkpoints_in(tmp_path)
    restore(second, checkpoint.parameters(), checkpoint.optimizer(), "here")
    second.step = checkpoint.step

    assert learn(second, 3) == losses[4:]
    for name, kept in undisturbed.parameters_to_keep().items():
        assert torch.equal(second.parameters_to_keep()[name], kept)


def test_two_half_batches_teach_what_the_whole_does() -> None:
    whole, halves = a_learner(dropout=0.0), a_learner(dropout=0.0)
    one, other = a_batch(0), a_batch(1)
    both = Batch.of(
        [row[:4] for row in (*one.source.tolist(), *other.source.tolist())],
        [row[1:] for row in (*one.target_in.tolist(), *other.target_in.tolist())],
    )
    whole.learn([both], epoch=0, names=["both"])
    halves.learn([one, other], epoch=0, names=["one", "other"])
    for ours, theirs in zip(whole.model.parameters(), halves.model.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-4, atol=1e-6)


def test_a_batch_is_gone_over_in_parts_where_that_saves_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parted = a_learner(dropout=0.0), a_learner(dropout=0.0)
    told = whole.learn([a_batch(0)], epoch=0, names=["batch 0"])
    seen: list[int] = []
    monkeypatch.setattr(loop, "NUMBERS_AT_ONCE", 2 * 5 * 6)  # two sentences of five tokens, width 6
    monkeypatch.setattr(
        loop,
        "loss_of",
        lambda model, batch, settings: seen.append(len(batch)) or loss_of(model, batch, settings),
    )
    report = parted.learn([a_batch(0)], epoch=0, names=["batch 0"])
    assert seen == [1, 2, 2]
    assert report.tokens == told.tokens
    assert report.loss == pytest.approx(told.loss, rel=1e-5)
    for ours, theirs in zip(whole.model.parameters(), parted.model.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-4, atol=1e-6)


def test_dropout_grows_with_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = a_learner(dropout=0.3, dropout_steps=4)
    seen: list[float] = []

    def noted(model: Transformer, batch: Batch, settings: StepSettings) -> torch.Tensor:
        seen.append(model.dropout)
        return loss_of(model, batch, settings)

    monkeypatch.setattr(loop, "loss_of", noted)
    learn(learner, 6)
    assert seen == pytest.approx([0.075, 0.15, 0.225, 0.3, 0.3, 0.3])


@pytest.mark.parametrize("kind", [Transformer, RecurrentTranslator, ConvolutionalTranslator])
def test_all_of_a_model_is_eased_and_gets_its_dropout_back(kind: type) -> None:
    sizes = (
        {"heads": 2, "hidden_width": 7, "attention_dropout": 0.2, "hidden_dropout": 0.2}
        if kind is Transformer
        else {}
    )
    model = kind(vocabulary=VOCABULARY, width=6, layers=2, dropout=0.3, **sizes).train()
    batch, settings = a_batch(0), StepSettings()
    without = loss_of(model.eval(), batch, settings)
    model.train()
    assert loss_of(model, batch, settings) != without
    with eased(model, 0.0):
        torch.testing.assert_close(loss_of(model, batch, settings), without)
    assert loss_of(model, batch, settings) != without


def test_padding_costs_nothing() -> None:
    model = a_learner().model.eval()
    short, long = Batch.of([[5, 6]], [[7]]), Batch.of([[5, 6], [4] * 5], [[7], [8] * 5])
    settings = StepSettings()
    alone = loss_of(model, short, settings) + loss_of(model, Batch.of([[4] * 5], [[8] * 5]), settings)
    torch.testing.assert_close(loss_of(model, long, settings), alone)


def test_a_step_that_is_not_finite_changes_nothing_and_is_counted() -> None:
    learner = a_learner()
    learn(learner, 2)
    parameter = next(learner.model.parameters())
    before = {name: one.detach().clone() for name, one in learner.model.named_parameters()}
    hook = parameter.register_hook(lambda gradient: gradient * math.nan)
    report = learner.learn([a_batch(2)], epoch=0, names=["batch 2"])
    hook.remove()

    assert report.skipped
    assert (learner.skipped, learner.step) == (1, 3)
    for name, one in learner.model.named_parameters():
        assert torch.equal(one, before[name])
    assert math.isfinite(learn(learner, 1)[0])


def test_many_such_steps_stop_the_run_and_name_the_batch() -> None:
    learner = a_learner()
    next(learner.model.parameters()).register_hook(lambda gradient: gradient * math.inf)
    with pytest.raises(RegardError) as caught:
        learn(learner, 9)
    assert str(caught.value).startswith(
        "5 steps in a row were not finite; the last was step 5 on batch 4 with "
    )


def test_the_loop_ends_with_its_steps() -> None:
    learner = a_learner()
    plan = ((0, [a_batch(step)], [f"batch {step}"]) for step in range(100))
    assert [report.step for report in train_steps(learner, plan)] == list(range(1, 12))


def test_parameters_that_do_not_fit_are_refused_by_name() -> None:
    model = a_learner().model
    parameters = {name: one.detach() for name, one in model.named_parameters()}
    name = next(iter(parameters))
    with pytest.raises(RunError) as caught:
        load_parameters(model, {**parameters, "more": torch.zeros(1)}, "here")
    assert str(caught.value) == "here holds a parameter more that the model does not have."
    with pytest.raises(RunError) as caught:
        load_parameters(model, {**parameters, name: torch.zeros(2, 2)}, "here")
    assert str(caught.value) == f"here holds {name} of shape (2, 2), but the model's is (13, 6)."
    del parameters[name]
    with pytest.raises(RunError) as caught:
        load_parameters(model, parameters, "here")
    assert str(caught.value) == f"here lacks the parameter {name}."


def test_mixed_precision_learns_nearly_the_same_and_keeps_its_parameters_whole() -> None:
    single, mixed = a_learner(dropout=0.0), a_learner(dropout=0.0, mixed_precision=True)
    losses, mixed_losses = learn(single, 3), learn(mixed, 3)
    assert mixed_losses == pytest.approx(losses, rel=0.02)
    assert mixed_losses != losses
    assert {one.dtype for one in mixed.model.parameters()} == {torch.float32}
