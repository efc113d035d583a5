"""What is true of the state of every translator: it can be chosen from, joined and left behind."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from regard import KnockOut, ReplaceWeights, intervene, watch
from regard.models import Transformer, TranslationModel
from regard.models.transformer import TransformerState
from tests.models.translators import (
    BATCH,
    LENGTHS,
    TARGET,
    VOCABULARY,
    Kind,
    assert_same,
    every_translator,
    in_steps,
    some_sources,
    some_targets,
)

AGE = 3  # how many tokens have been read before something happens


@pytest.fixture(autouse=True)
def _only_decoding() -> Any:
    with torch.no_grad():
        yield


def begun(model: TranslationModel[Any], source: Tensor, target: Tensor, lengths: Tensor = LENGTHS) -> Any:
    """The state after reading these, or before reading anything."""
    state = model.start(source, lengths)
    return in_steps(model, target, state)[1] if target.shape[1] else state


@every_translator
@pytest.mark.parametrize("rows", [[1, 1, 0, 2, 2], [2, 2, 0, 0], [2, 0], []], ids=str)
def test_a_selected_row_continues_as_itself(kind: Kind, rows: list[int]) -> None:
    model, source, target = kind.make(), some_sources(), some_targets()
    chosen = torch.tensor(rows, dtype=torch.long)
    further = torch.randint(VOCABULARY, (len(rows), TARGET - AGE))
    state = model.select(begun(model, source, target[:, :AGE]), chosen)
    continued, _ = in_steps(model, further, state)
    whole = model(source[chosen], torch.cat([target[chosen, :AGE], further], dim=1), LENGTHS[chosen])
    assert_same(continued, whole[:, AGE:])


@every_translator
def test_rows_that_share_a_sentence_go_on_alone_and_together(kind: Kind) -> None:
    """As a beam does whose rows read one by one, are chosen from, and read several tokens at once."""
    model, source, target = kind.make(), some_sources(), some_targets()
    rows = torch.arange(BATCH).repeat_interleave(2)
    further = torch.randint(VOCABULARY, (len(rows), TARGET - AGE))
    state = model.select(begun(model, source, target[:, :AGE]), rows)
    first, state = model.step(further[:, :1], state)
    chosen = torch.tensor([4, 5, 1, 1])
    rest, _ = model.step(further[chosen, 1:3], model.select(state, chosen))
    joined, _ = model.step(further[:, 1:2].repeat(2, 1), model.join([state, state]))
    whole = model(source[rows], torch.cat([target[rows, :AGE], further], dim=1), LENGTHS[rows])
    assert_same(first, whole[:, AGE : AGE + 1])
    assert_same(rest, whole[chosen, AGE + 1 : AGE + 3])
    assert_same(joined, whole[:, AGE + 1 : AGE + 2].repeat(2, 1, 1))


@every_translator
@pytest.mark.parametrize("gradients", [False, True])
def test_rows_that_are_moved_are_those_that_would_be_selected(kind: Kind, gradients: bool) -> None:
    """As a beam does: several rows of each sentence, which change places among themselves, then some go."""
    with torch.set_grad_enabled(gradients):
        model, source, target = kind.make(), some_sources(), some_targets()
        twice = torch.arange(BATCH).repeat_interleave(2)
        states = [model.select(begun(model, source, target[:, :AGE]), twice) for _ in range(2)]
        swapped = torch.arange(2 * BATCH).view(BATCH, 2).flip(1).flatten()
        copied = torch.arange(BATCH).repeat_interleave(2) * 2
        for rows in (swapped, copied, torch.arange(2 * BATCH), torch.tensor([3, 1])):
            moved, selected = model.move(states[0], rows), model.select(states[1], rows)
            further = torch.randint(VOCABULARY, (len(rows), 1))
            (found, states[0]), (expected, states[1]) = (
                model.step(further, moved),
                model.step(further, selected),
            )
            assert torch.equal(found, expected)


@every_translator
def test_selections_of_one_state_are_independent_of_it_and_of_each_other(kind: Kind) -> None:
    """As a beam does: rows of one sentence go on differently, and change places on the way."""
    model, source, target = kind.make(), some_sources(), some_targets()
    state = begun(model, source, target[:, :AGE])
    everyone = torch.arange(BATCH)
    branches = [model.select(state, everyone), model.select(state, everyone.flip(0)), state]
    orders = [everyone, everyone.flip(0), everyone]
    endings = [some_targets(TARGET - AGE) for _ in branches]
    logits: list[list[Tensor]] = [[] for _ in branches]
    for place in range(TARGET - AGE):
        for number, ending in enumerate(endings):
            next_logits, branches[number] = model.step(ending[:, place : place + 1], branches[number])
            logits[number].append(next_logits)
    for order, ending, found in zip(orders, endings, logits, strict=True):
        whole = model(source[order], torch.cat([target[order, :AGE], ending], dim=1), LENGTHS[order])
        assert_same(torch.cat(found, dim=1), whole[:, AGE:])


@every_translator
def test_a_state_used_up_disturbs_nobody_who_goes_on_from_it(kind: Kind) -> None:
    """The contract promises nothing for a state used twice; all the same it harms no other."""
    model, source, target = kind.make(), some_sources(), some_targets()
    old = begun(model, source, target[:, :AGE])
    first, new = in_steps(model, target[:, AGE : AGE + 2], old)
    again, _ = in_steps(model, some_targets(3), old)
    rest, _ = in_steps(model, target[:, AGE + 2 :], new)
    whole = model(source, target, LENGTHS)
    assert_same(torch.cat([first, rest], dim=1), whole[:, AGE:])
    assert again.isfinite().all()


@every_translator
@pytest.mark.parametrize("ages", [(3, 0, 5), (0, 0), (2, 2)], ids=str)
def test_joined_rows_continue_as_themselves(kind: Kind, ages: tuple[int, ...]) -> None:
    model = kind.make()
    sources = [some_sources(count) for count in (7, 5, 11)[: len(ages)]]
    lengths = [torch.randint(1, source.shape[1] + 1, (BATCH,)) for source in sources]
    written = [some_targets(age) for age in ages]
    states = [begun(model, *each) for each in zip(sources, written, lengths, strict=True)]
    further = torch.randint(VOCABULARY, (BATCH * len(ages), 3))
    continued, _ = in_steps(model, further, model.join(states), (1, 2))
    for number, (source, before, counts) in enumerate(zip(sources, written, lengths, strict=True)):
        mine = slice(number * BATCH, (number + 1) * BATCH)
        whole = model(source, torch.cat([before, further[mine]], dim=1), counts)
        assert_same(continued[mine], whole[:, before.shape[1] :])


@every_translator
def test_rows_joined_chosen_and_joined_again_continue_as_themselves(kind: Kind) -> None:
    """As in a server: sentences come, end and are followed by others."""
    model = kind.make()
    sources, targets = [some_sources() for _ in range(3)], [some_targets() for _ in range(3)]
    state = model.join([begun(model, sources[0], targets[0][:, :3]), model.start(sources[1], LENGTHS)])
    running = [(0, 1, 3), (1, 2, 0)]  # sentence, row, age
    state = model.select(state, torch.tensor([1, 5]))
    for place in range(2):
        tokens = torch.stack([targets[s][row, age + place] for s, row, age in running])[:, None]
        _, state = model.step(tokens, state)
    state = model.join([state, model.start(sources[2], LENGTHS)])
    running = [(s, row, age + 2) for s, row, age in running] + [(2, row, 0) for row in range(BATCH)]
    tokens = torch.stack([targets[s][row, age : age + 2] for s, row, age in running])
    logits, _ = model.step(tokens, state)
    for found, (s, row, age) in zip(logits, running, strict=True):
        whole = model(sources[s], targets[s], LENGTHS)
        assert_same(found, whole[row, age : age + 2])


class Projected(TorchFunctionMode):
    """Counts the rows that are projected: by linear maps and by recurrent cells."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = 0

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if function in (torch.nn.functional.linear, torch.gru_cell):
            self.rows += args[0].shape[:-1].numel()
        return function(*args, **kwargs or {})


@every_translator
def test_a_step_projects_its_own_tokens_and_nothing_it_has_read_before(kind: Kind) -> None:
    model, target = kind.make(), some_targets()
    state = model.start(some_sources(), LENGTHS)
    counts = []
    for place in range(TARGET):
        with Projected() as projected:
            _, state = model.step(target[:, place : place + 1], state)
        counts.append(projected.rows)
    assert counts == [counts[0]] * TARGET
    with Projected() as projected:
        model.step(target[:, :3], state)
    assert projected.rows == 3 * counts[0]


def addresses(state: TransformerState) -> list[int]:
    return [
        tensor.data_ptr()
        for memory in (*state.source, *(memory for memory in state.written if memory is not None))
        for tensor in (memory.keys, memory.values)
    ]


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_what_is_written_stays_where_it_is_while_there_is_room(norm: str) -> None:
    model = Transformer(vocabulary=VOCABULARY, width=12, heads=2, layers=2, hidden_width=17, norm=norm)
    steps = 64
    state = model.start(some_sources(), LENGTHS)
    moves, before = 0, None
    for _ in range(steps):
        _, state = model.step(some_targets(1), state)
        moves += before is not None and addresses(state) != before
        before = addresses(state)
    assert moves <= steps.bit_length()  # room is doubled, not added to


def test_the_source_is_not_copied_where_rows_stay_with_their_sentence() -> None:
    model = Transformer(vocabulary=VOCABULARY, width=12, heads=2, layers=2, hidden_width=17).eval()
    begun = model.start(some_sources(), LENGTHS)
    state = model.select(begun, torch.tensor([0, 0, 1, 1, 2, 2]))
    _, state = model.step(torch.randint(VOCABULARY, (6, 1)), state)
    swapped = model.select(state, torch.tensor([1, 0, 2, 2, 5, 5]))
    for later in (state, swapped):
        assert [memory.keys.data_ptr() for memory in later.source] == [
            memory.keys.data_ptr() for memory in begun.source
        ]
    dropped = model.select(state, torch.tensor([0, 1, 4, 5]))
    assert len(dropped.source[0].keys) == 2


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_rows_that_share_a_sentence_are_seen_and_changed_each_by_itself(norm: str) -> None:
    model = Transformer(vocabulary=VOCABULARY, width=12, heads=2, layers=2, hidden_width=17, norm=norm)
    model = model.eval().double()
    rows = torch.arange(BATCH).repeat_interleave(2)
    source, target = some_sources(), torch.randint(VOCABULARY, (2 * BATCH, TARGET))
    width = source.shape[1]
    changes = {"decoder.1.cross": ReplaceWeights(torch.rand(2 * BATCH, 1, 1, width).softmax(-1))}
    for change in ({}, changes, {"decoder.0.cross": KnockOut(heads=[1])}):
        with watch(model) as by_steps, intervene(model, change):
            found, _ = in_steps(model, target, model.select(model.start(source, LENGTHS), rows))
        with watch(model) as at_once, intervene(model, change):
            expected = model(source[rows], target, LENGTHS[rows])
        assert_same(found, expected)
        stitched = by_steps.stitched()
        for name in ("decoder.0.self", "decoder.0.cross", "decoder.1.cross"):
            assert_same(stitched[name].weights, at_once[name].weights)
            assert_same(stitched[name].output, at_once[name].output)
