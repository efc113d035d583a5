"""What is compared is measured, and the measures are right where the answer is known."""

import math
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from click.testing import CliRunner
from torch import Tensor

from regard.cli import main
from regard.comparing import Compared, Comparison, compare_encoders, compare_mechanisms
from regard.comparing.measuring import exponent, median_seconds, peak_bytes, rounds_until_heard
from regard.errors import RegardError


@pytest.fixture(scope="module")
def encoders() -> Comparison:
    return compare_encoders([8, 32], width=6, kernel=5, repeats=2)


@pytest.fixture(scope="module")
def mechanisms() -> Comparison:
    return compare_mechanisms([8, 32], width=6, heads=2, reach=3, repeats=2)


def test_the_exponent_of_a_power_is_that_power() -> None:
    sizes = [3, 7, 20, 100]
    for power in (0.0, 1.0, 2.5):
        assert exponent(sizes, [5 * size**power for size in sizes]) == pytest.approx(power)


def test_a_longer_work_takes_longer_and_threads_are_as_before() -> None:
    matrix, threads = torch.randn(300, 300), torch.get_num_threads()
    used = []
    works = {
        "short": lambda: used.append(torch.get_num_threads()),
        "long": lambda: [matrix @ matrix for _ in range(20)],
    }
    seconds = median_seconds(works, repeats=3)
    assert 0 < seconds["short"] < seconds["long"]
    assert set(used) == {1}
    assert len(used) == 4  # once to make ready, three times to measure
    assert torch.get_num_threads() == threads


def test_the_peak_counts_what_is_alive_at_one_time_and_no_more() -> None:
    megabyte = torch.zeros(2**18)

    def work() -> Tensor:
        first = megabyte + 1  # 1
        second = first + 1  # 2
        view = second.view(2, -1)  # still 2
        del first
        third = view * 2  # 2 again
        return third.add_(1)

    assert peak_bytes(work) == 2 * 2**20


def test_the_peak_counts_what_the_backward_pass_needs() -> None:
    given = torch.zeros(2**18, requires_grad=True)
    grown = peak_bytes(lambda: torch.autograd.grad(given.exp().exp().exp().sum(), given), besides=[given])
    # Three results are kept for three derivatives; then a gradient comes to them, and its product.
    assert 4 * 2**20 <= grown <= 5.01 * 2**20


def test_what_is_there_before_is_not_counted() -> None:
    given = torch.zeros(2**18)
    assert peak_bytes(lambda: given.view(-1), besides=[given]) == 0


def test_a_round_that_does_not_lead_back_is_not_the_last() -> None:
    first, other = (torch.randn(1, 1, 5, requires_grad=True) for _ in range(2))
    unheard = torch.cat([first, other], dim=1)
    heard = torch.cat([first, other * first], dim=1)
    normed = torch.nn.functional.layer_norm(heard, [5])
    assert rounds_until_heard([unheard, unheard, heard], first) == 3
    assert rounds_until_heard([unheard, normed], first) == 2


def test_each_encoder_hears_as_far_as_it_says(encoders: Comparison) -> None:
    recurrent, convolutional, attention = encoders.compared
    lengths = encoders.path_lengths
    assert recurrent.path == lengths
    assert convolutional.path == tuple(math.ceil((length - 1) / 2) for length in lengths)
    assert attention.path == (1,) * len(lengths)
    for each in encoders.compared:
        assert each.cost is not None
        assert len(each.seconds) == len(each.bytes) == 2


def test_memory_is_measured_not_computed(encoders: Comparison) -> None:
    for each in encoders.compared:
        shortest, longest = each.bytes
        assert 32 * 6 * 4 < shortest < longest  # more than the output alone


def test_each_mechanism_names_the_path_that_answers_it(mechanisms: Comparison) -> None:
    assert [each.name for each in mechanisms.compared] == [
        "plain",
        "causal",
        "window",
        "Relative",
        "Gaussian",
        "Additive",
    ]
    paths = {each.name: each.answered_by for each in mechanisms.compared}
    assert paths["plain"] == paths["causal"] == "fused"
    assert all(path and reason for path, reason in ((e.answered_by, e.reason) for e in mechanisms.compared))


def test_the_drawing_names_every_line_and_every_length(encoders: Comparison, tmp_path: Path) -> None:
    saved = encoders.save(tmp_path / "encoders.svg")
    drawn = ElementTree.parse(saved)
    words = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    for each in encoders.compared:
        assert f"{each.name} n^{each.exponent:.2f}" in words
        assert words.count(each.name) == 2  # memory and path
    assert {"8", "32", "Time", "Memory at most", "length n →"} <= set(words)
    assert words.count("33") == 1


def test_names_of_lines_that_end_together_stand_apart() -> None:
    alike = tuple(
        Compared(name=name, seconds=(1.0, 2.0), exponent=1.0, bytes=(8, 16), answered_by="fused")
        for name in ("one", "two", "three")
    )
    drawn = Comparison(title="Alike", subject="nothing", lengths=(1, 2), compared=alike).svg()
    texts = ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    heights = sorted(float(text.get("y", "0")) for text in texts if text.text in ("one", "two", "three"))
    assert [lower - upper for upper, lower in pairwise(heights)] == pytest.approx([13.0, 13.0])


def test_a_comparison_can_be_shown_in_the_terminal(mechanisms: Comparison) -> None:
    shown = mechanisms.text()
    assert "Mechanisms of attention" in shown
    assert "Additive  8: " in shown


@pytest.mark.parametrize(
    ("lengths", "sentence"),
    [
        ([8], "lengths must be two or more whole numbers of at least 1, but got [8]."),
        ([0, 8], "lengths must be two or more whole numbers of at least 1, but got [0, 8]."),
        ([8, 4], "lengths must grow from one to the next, but got [8, 4]."),
    ],
)
def test_lengths_along_which_nothing_grows_are_refused(lengths: list[int], sentence: str) -> None:
    for compare in (compare_encoders, compare_mechanisms):
        with pytest.raises(RegardError) as caught:
            compare(lengths)
        assert str(caught.value) == sentence


def test_the_command_prints_what_is_stated_and_what_is_measured(tmp_path: Path) -> None:
    drawing = tmp_path / "encoders.svg"
    done = CliRunner().invoke(
        main, ["compare", "--lengths", "8,16", "--width", "6", "--save", str(drawing)], env={"COLUMNS": "200"}
    )
    assert done.exit_code == 0, done.output
    for told in ("Stated, for length n = 16", "k·n·d²", "n²·d", "grows", "n=8", "33 steps"):
        assert told in done.output
    assert drawing.read_text().startswith("<svg")


def test_the_command_compares_mechanisms() -> None:
    done = CliRunner().invoke(
        main, ["compare", "mechanisms", "--lengths", "8, 16", "--width", "4"], env={"COLUMNS": "200"}
    )
    assert done.exit_code == 0, done.output
    assert "path taken" in done.output
    assert "Stated" not in done.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--reach", "3"], "--reach means nothing to encoders. Leave it out."),
        (["mechanisms", "--kernel", "3"], "--kernel means nothing to mechanisms. Leave it out."),
        (["--lengths", "a,b"], "lengths must be whole numbers of 0 or more, but one is 'a'."),
        (
            ["--kernel", "4"],
            "A kernel centred on its position has an odd width, but got 4. Nearest: 3 and 5.",
        ),
        (["--lengths", "8,4"], "lengths must grow from one to the next, but got [8, 4]."),
    ],
)
def test_the_command_refuses_in_one_line(arguments: list[str], sentence: str) -> None:
    done = CliRunner().invoke(main, ["compare", *arguments])
    assert done.exit_code == 1
    assert done.output == f"Error: {sentence}\n"
