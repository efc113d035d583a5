import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from regard.training import agreeing_loss, loss, smoothed_loss

TOKENS, WIDTH, VOCABULARY = 13, 5, 11


@pytest.fixture(autouse=True)
def _several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loss, "BLOCK", 5)


def some_tensors() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    first, second = (torch.randn(TOKENS, WIDTH, dtype=torch.float64, requires_grad=True) for _ in range(2))
    table = torch.randn(VOCABULARY, WIDTH, dtype=torch.float64, requires_grad=True)
    return first, second, table, torch.randint(VOCABULARY, (TOKENS,))


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.7])
def test_the_blocked_loss_and_its_gradients_are_those_of_the_whole_matrix(smoothing: float) -> None:
    hidden, _, table, targets = some_tensors()
    blocked = smoothed_loss(hidden, table, targets, smoothing=smoothing)
    whole = F.cross_entropy(hidden @ table.mT, targets, label_smoothing=smoothing, reduction="sum")

    torch.testing.assert_close(blocked, whole)
    for ours, theirs in zip(
        torch.autograd.grad(3 * blocked, (hidden, table)),
        torch.autograd.grad(3 * whole, (hidden, table)),
        strict=True,
    ):
        torch.testing.assert_close(ours, theirs)


def test_the_agreeing_loss_and_its_gradients_are_those_of_its_definition() -> None:
    first, second, table, targets = some_tensors()
    blocked = agreeing_loss(first, second, table, targets, smoothing=0.1, agreement=2.5)
    logits = [hidden @ table.mT for hidden in (first, second)]
    logs = [one.log_softmax(1) for one in logits]
    losses = [F.cross_entropy(one, targets, label_smoothing=0.1, reduction="sum") for one in logits]
    apart = sum(F.kl_div(logs[1 - one], logs[one], log_target=True, reduction="sum") for one in (0, 1))
    whole = (losses[0] + losses[1]) / 2 + 2.5 * apart / 2

    torch.testing.assert_close(blocked, whole)
    inputs = (first, second, table)
    for ours, theirs in zip(
        torch.autograd.grad(blocked, inputs), torch.autograd.grad(whole, inputs), strict=True
    ):
        torch.testing.assert_close(ours, theirs)


def test_two_passes_that_agree_have_the_loss_of_one() -> None:
    hidden, _, table, targets = some_tensors()
    torch.testing.assert_close(
        agreeing_loss(hidden, hidden, table, targets, smoothing=0.1, agreement=7.0),
        smoothed_loss(hidden, table, targets, smoothing=0.1),
    )


def test_scores_of_a_thousand_do_not_overflow() -> None:
    hidden, table = torch.full((2, 1), 1e3), torch.tensor([[1.0], [-1.0]])
    assert smoothed_loss(hidden, table, torch.tensor([0, 1])) == 2_000


def test_hidden_vectors_of_half_precision_are_multiplied_in_it_and_summed_in_the_tables_own() -> None:
    hidden, _, table, targets = some_tensors()
    narrow = hidden.detach().bfloat16().requires_grad_()
    table = table.detach().float().requires_grad_()
    blocked = smoothed_loss(narrow, table, targets, smoothing=0.1)
    exact = narrow.detach().float().requires_grad_()
    whole = smoothed_loss(exact, table, targets, smoothing=0.1)

    assert blocked.dtype == torch.float32
    torch.testing.assert_close(blocked, whole, rtol=0.02, atol=0.0)
    of_narrow, of_table = torch.autograd.grad(blocked, (narrow, table))
    of_exact, of_whole_table = torch.autograd.grad(whole, (exact, table))
    assert (of_narrow.dtype, of_table.dtype) == (torch.bfloat16, torch.float32)
    torch.testing.assert_close(of_narrow.float(), of_exact, rtol=0.05, atol=0.02)
    torch.testing.assert_close(of_table, of_whole_table, rtol=0.05, atol=0.05)
