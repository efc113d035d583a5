import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.text import BEGIN, END, PADDING, Batch, pad

sentence = st.lists(st.integers(4, 400), max_size=7)


@given(st.lists(st.tuples(sentence, sentence), max_size=5))
def test_the_sentences_stand_in_the_batch_between_begin_and_end(
    pairs: list[tuple[list[int], list[int]]],
) -> None:
    batch = Batch.of([source for source, _ in pairs], [target for _, target in pairs])
    assert len(batch) == len(pairs)
    for row, (source, target) in enumerate(pairs):
        source_length, target_length = batch.source_lengths[row], batch.target_lengths[row]
        assert batch.source[row, :source_length].tolist() == [*source, END]
        assert batch.target_in[row, :target_length].tolist() == [BEGIN, *target]
        assert batch.target_out[row, :target_length].tolist() == [*target, END]
        assert (batch.source[row, source_length:] == PADDING).all()
        assert (batch.target_in[row, target_length:] == PADDING).all()
        assert (batch.target_out[row, target_length:] == PADDING).all()
    assert batch.source_tokens == (batch.source != PADDING).sum() == batch.source_lengths.sum()
    assert batch.target_tokens == (batch.target_out != PADDING).sum() == batch.target_lengths.sum()


def test_an_empty_share_is_a_batch_without_rows() -> None:
    batch = Batch.of([], [])
    assert (batch.source.shape, batch.target_in.shape, batch.source_tokens) == ((0, 0), (0, 0), 0)


def test_tokens_are_long_integers() -> None:
    padded, lengths = pad([[7, 8, 9], []])
    assert (padded.dtype, lengths.dtype) == (torch.int64, torch.int64)
    assert padded.tolist() == [[7, 8, 9], [0, 0, 0]]


def test_a_batch_moves_as_a_whole() -> None:
    moved = Batch.of([[7]], [[8, 9]]).to("meta")
    tensors = (moved.source, moved.source_lengths, moved.target_in, moved.target_out, moved.target_lengths)
    assert all(tensor.device.type == "meta" for tensor in tensors)
    assert (moved.source_tokens, moved.target_tokens) == (2, 3)


@given(st.lists(st.tuples(sentence, sentence), min_size=1, max_size=9), st.integers(1, 40))
def test_parts_hold_the_same_pairs_in_no_more_room(
    pairs: list[tuple[list[int], list[int]]], tokens: int
) -> None:
    sources, targets = zip(*pairs, strict=True)
    whole = Batch.of(sources, targets)
    parts = whole.parts(tokens)
    kept = [
        (source[: length - 1].tolist(), target[: wide - 1].tolist())
        for part in parts
        for source, length, target, wide in zip(
            part.source, part.source_lengths, part.target_out, part.target_lengths, strict=True
        )
    ]
    assert kept == pairs
    assert sum(part.target_tokens for part in parts) == whole.target_tokens
    assert sum(part.source_tokens for part in parts) == whole.source_tokens
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    for part in parts:
        assert len(part) == 1 or max(part.source.numel(), part.target_in.numel()) <= tokens
        assert part.source.shape[1] == part.source_lengths.max()
        assert part.target_out.shape[1] == part.target_in.shape[1] == part.target_lengths.max()
