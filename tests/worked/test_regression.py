import torch

from regard.worked.regression import kernel, truth


def test_the_truth_is_the_curve_of_the_text() -> None:
    assert truth(torch.tensor([0.0, 1.0])).tolist() == [0.0, 2 * torch.tensor(1.0).sin().item() + 1]


def test_average_pooling_says_the_mean_wherever_it_is_asked() -> None:
    found = kernel()
    torch.testing.assert_close(found.fitted[0].predictions, found.outputs.mean().expand(50))


def test_each_way_does_better_than_the_one_before() -> None:
    pooling, fixed, learned = kernel().fitted
    assert pooling.left_out_error > fixed.left_out_error > learned.left_out_error
    assert pooling.true_error > fixed.true_error > learned.true_error


def test_the_learned_bandwidth_looks_nearer_than_the_fixed_one() -> None:
    _, fixed, learned = kernel().fitted
    assert fixed.bandwidth == 1.0
    assert learned.bandwidth is not None
    assert learned.bandwidth < 0.5
    assert learned.weights.amax(dim=-1).mean() > 2 * fixed.weights.amax(dim=-1).mean()


def test_every_row_of_every_weight_map_sums_to_one() -> None:
    for way in kernel().fitted:
        torch.testing.assert_close(way.weights.sum(dim=-1), torch.ones(50))
        torch.testing.assert_close(way.weights @ kernel().outputs, way.predictions)
