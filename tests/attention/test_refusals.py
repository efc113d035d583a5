"""What cannot be answered is refused in one sentence: what is wrong, with which value, and the mend."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from regard import (
    Attention,
    KnockOut,
    MaskKeys,
    MultiHeadAttention,
    RegardError,
    ReplaceWeights,
    Temperature,
    attend,
    explain,
    intervene,
    masks,
    positions,
    scores,
    watch,
    weigh,
)
from regard.errors import MaskError, MechanismError, ShapeError

Case = tuple[Callable[[], object], type[RegardError], str]

x = torch.zeros(2, 3, 4)
y = torch.zeros(2, 7, 4)
four_axes = torch.zeros(2, 5, 3, 4)
ids = torch.zeros(2, 3, dtype=torch.long)
heads = MultiHeadAttention(6, heads=2)
sentence = torch.zeros(2, 3, 6)


SHAPES: dict[str, Case] = {
    "not a tensor": (
        lambda: attend([[1.0]]),
        ShapeError,
        "queries must be a tensor, but got list. Make one with torch.tensor(…).",
    ),
    "whole numbers": (
        lambda: attend(x, torch.zeros(2, 7, 4, dtype=torch.long)),
        ShapeError,
        "keys must be floating point, but got torch.int64. Cast them with .float().",
    ),
    "one axis": (
        lambda: attend(x, x, torch.zeros(4)),
        ShapeError,
        "values must be (*batch, keys, width), but their shape is (4,). Add an axis with unsqueeze(0).",
    ),
    "mixed dtypes": (
        lambda: attend(x, y.double()),
        ShapeError,
        "queries, keys and values must share their dtype, but they have torch.float32, torch.float64 and "
        "torch.float64. Cast them to one.",
    ),
    "mixed devices": (
        lambda: attend(x, y.to("meta")),
        ShapeError,
        "queries, keys and values must share their device, but they have cpu, meta and meta. "
        "Move them to one.",
    ),
    "other batches": (
        lambda: attend(x, y[:1]),
        ShapeError,
        "queries, keys and values must share their batch axes, but they have (2,), (1,) and (1,). "
        "Expand them to one shape.",
    ),
    "other numbers of keys and values": (
        lambda: attend(x, y, x),
        ShapeError,
        "Each key needs its value, but there are 7 keys and 3 values.",
    ),
    "other widths": (
        lambda: attend(x, torch.zeros(2, 7, 5)),
        ShapeError,
        "ScaledDot compares queries and keys of one width, but queries are 4 wide and keys 5. "
        "Use Bilinear or Additive, which take two widths.",
    ),
    "widths of a kernel": (
        lambda: weigh(x, torch.zeros(2, 7, 5), score=scores.Gaussian()),
        ShapeError,
        "Gaussian compares queries and keys of one width, but queries are 4 wide and keys 5. "
        "Use Bilinear or Additive, which take two widths.",
    ),
    "widths of Bilinear": (
        lambda: attend(x, y, score=scores.Bilinear(query_width=5, key_width=4)),
        ShapeError,
        "This Bilinear was made for queries of width 5, but they are 4 wide.",
    ),
    "widths of Additive": (
        lambda: attend(x, y, score=scores.Additive(query_width=4, key_width=5, hidden_width=3)),
        ShapeError,
        "This Additive was made for keys of width 5, but they are 4 wide.",
    ),
    "parameters of another dtype": (
        lambda: attend(x.double(), score=scores.Bilinear(query_width=4, key_width=4)),
        ShapeError,
        "Bilinear's parameters are torch.float32 on cpu, but the queries are torch.float64 on cpu. "
        "Move one with .to(…).",
    ),
    "a past before the beginning": (
        lambda: attend(x, past=-1),
        ShapeError,
        "past must be a whole number of positions before the first query, but got -1.",
    ),
    "a past between two places": (
        lambda: explain(x, past=0.5),
        ShapeError,
        "past must be a whole number of positions before the first query, but got 0.5.",
    ),
    "heads of one width for Rotary": (
        lambda: attend(x, position=positions.Rotary(6)),
        ShapeError,
        "This Rotary was made for heads of width 6, but they are 4 wide.",
    ),
    "queries for Relative": (
        lambda: attend(x, position=positions.Relative(reach=2, head_width=6)),
        ShapeError,
        "This Relative was made with head_width=6, but the queries are 4 wide.",
    ),
    "values for Relative": (
        lambda: attend(x, y, torch.zeros(2, 7, 5), position=positions.Relative(reach=2, head_width=4)),
        ShapeError,
        "This Relative was made with head_width=4, but the values are 5 wide.",
    ),
    "heads for Alibi": (
        lambda: attend(four_axes, position=positions.Alibi(8)),
        ShapeError,
        "This Alibi was made for 8 heads, but there are 5. Tensors with heads are "
        "(batch, heads, queries, head_width).",
    ),
    "no heads for T5Bias": (
        lambda: attend(x[0], position=positions.T5Bias(8)),
        ShapeError,
        "This T5Bias was made for 8 heads, but these tensors have no axis of heads. Tensors with heads are "
        "(batch, heads, queries, head_width).",
    ),
    "places that were not learned": (
        lambda: positions.Learned(4, longest=5)(x, past=3),
        ShapeError,
        "Learned positions reach 5 places, but place 5 was asked for. Make them with longest=6 or more, "
        "or use Sinusoidal.",
    ),
}

MASKS: dict[str, Case] = {
    "a naked tensor of booleans": (
        lambda: attend(x, mask=torch.ones(3, 3, dtype=torch.bool)),
        MaskError,
        "mask must come from regard.masks, but got a naked torch.bool tensor of shape (3, 3). Say which "
        "entries may be attended to: masks.where(keep=tensor), or masks.lengths(counts).",
    ),
    "a naked tensor of numbers": (
        lambda: attend(x, mask=torch.zeros(3, 3)),
        MaskError,
        "mask must come from regard.masks, but got a naked torch.float32 tensor of shape (3, 3). Say which "
        "entries may be attended to: masks.where(keep=tensor == 0), or masks.lengths(counts).",
    ),
    "a naked tensor for many heads": (
        lambda: heads(sentence, mask=torch.ones(3, 3, dtype=torch.bool)),
        MaskError,
        "mask must come from regard.masks, but got a naked torch.bool tensor of shape (3, 3). Say which "
        "entries may be attended to: masks.where(keep=tensor), or masks.lengths(counts).",
    ),
    "a mask and a tensor": (
        lambda: masks.causal() & torch.ones(3, 3, dtype=torch.bool),
        MaskError,
        "mask must come from regard.masks, but got a naked torch.bool tensor of shape (3, 3). Say which "
        "entries may be attended to: masks.where(keep=tensor), or masks.lengths(counts).",
    ),
    "a tensor or a mask": (
        lambda: torch.ones(3, 3, dtype=torch.bool) | masks.causal(),
        MaskError,
        "mask must come from regard.masks, but got a naked torch.bool tensor of shape (3, 3). Say which "
        "entries may be attended to: masks.where(keep=tensor), or masks.lengths(counts).",
    ),
    "something else altogether": (
        lambda: attend(x, mask="causal"),
        MaskError,
        "mask must come from regard.masks, such as masks.causal(), but got str.",
    ),
    "where of numbers": (
        lambda: masks.where(keep=torch.zeros(3, 3)),
        MaskError,
        "where(keep=…) takes a boolean tensor, True where a query may attend, but got a torch.float32 "
        "tensor. Compare first: keep=(tensor == 1), or keep=(bias > -torch.inf) for an additive mask.",
    ),
    "where of a list": (
        lambda: masks.where(keep=[[True]]),
        MaskError,
        "where(keep=…) takes a boolean tensor, True where a query may attend, but got a list. "
        "Compare first: keep=(tensor == 1), or keep=(bias > -torch.inf) for an additive mask.",
    ),
    "where of another shape": (
        lambda: attend(x, mask=masks.where(keep=torch.ones(2, 3, dtype=torch.bool))),
        MaskError,
        "where(keep=…) must be (queries, keys) = (3, 3) or the full rank of the scores (2, 3, 3), "
        "but its shape is (2, 3).",
    ),
    "where of half a rank": (
        lambda: attend(four_axes, mask=masks.where(keep=torch.ones(2, 3, 3, dtype=torch.bool))),
        MaskError,
        "where(keep=…) must be (queries, keys) = (3, 3) or the full rank of the scores (2, 5, 3, 3), "
        "but its shape is (2, 3, 3).",
    ),
    "causal without its past": (
        lambda: attend(x, y, mask=masks.causal()),
        MaskError,
        "causal() needs as many keys as past + queries, but there are 7 keys, past=0 and 3 queries. "
        "Pass past=4 if the queries are the last of the keys.",
    ),
    "causal with too much past": (
        lambda: attend(x, mask=masks.causal(), past=1),
        MaskError,
        "causal() needs as many keys as past + queries, but there are 3 keys, past=1 and 3 queries. "
        "Pass past=0 if the queries are the last of the keys.",
    ),
    "lengths below nothing": (
        lambda: masks.lengths([2, -1]),
        MaskError,
        "lengths() takes counts of 0 or more, but got -1.",
    ),
    "lengths beyond the keys": (
        lambda: attend(x, mask=masks.lengths([3, 4])),
        MaskError,
        "lengths() counts 4 keys in one sample, but there are only 3.",
    ),
    "lengths between two keys": (
        lambda: masks.lengths([1.5, 2.0]),
        MaskError,
        "lengths() takes whole numbers, one per sample or one per sample and query, but got torch.float32 "
        "of shape (2,).",
    ),
    "ragged lengths": (
        lambda: masks.lengths([[1, 2], [3]]),
        MaskError,
        "lengths() takes one count per sample, or one per sample and query, but got [[1, 2], [3]].",
    ),
    "one length": (
        lambda: masks.lengths(3),
        MaskError,
        "lengths() takes one count per sample, or one per sample and query, but got 3.",
    ),
    "lengths of other samples": (
        lambda: attend(x, mask=masks.lengths([1, 2, 3])),
        MaskError,
        "lengths() describes 3 samples, but the first batch axis holds 2.",
    ),
    "lengths of other queries": (
        lambda: attend(x, mask=masks.lengths([[1, 2], [1, 2]])),
        MaskError,
        "lengths() holds counts for 2 queries, but there are 3.",
    ),
    "lengths without samples": (
        lambda: attend(x[0], mask=masks.lengths([1])),
        MaskError,
        "lengths() describes 1 sample, but these scores (3, 3) have no batch axis. "
        "Add one with unsqueeze(0), or use masks.where(keep=…).",
    ),
    "a window inside out": (
        lambda: masks.window(before=-1, after=2),
        MaskError,
        "window() takes whole numbers of 0 or more, but got before=-1 and after=2.",
    ),
    "half a window": (
        lambda: masks.window(before=0.5, after=2),
        MaskError,
        "window() takes whole numbers of 0 or more, but got before=0.5 and after=2.",
    ),
    "segments of one axis": (
        lambda: masks.segments(torch.zeros(3, dtype=torch.long)),
        MaskError,
        "segments() takes query_ids as whole numbers of shape (batch, count), but got torch.int64 of "
        "shape (3,).",
    ),
    "segments of a list": (
        lambda: masks.segments(ids, [[1, 2]]),
        MaskError,
        "segments() takes key_ids as whole numbers of shape (batch, count), but got [[1, 2]].",
    ),
    "segments of other keys": (
        lambda: attend(x, y, mask=masks.segments(ids)),
        MaskError,
        "segments() holds ids for 3 queries and 3 keys, but there are 3 and 7.",
    ),
    "padding of vectors": (
        lambda: masks.padding(x),
        MaskError,
        "padding() takes tokens as whole numbers of shape (batch, keys), but got torch.float32 of shape "
        "(2, 3, 4).",
    ),
    "padding of other keys": (
        lambda: attend(x, y, mask=masks.padding(ids)),
        MaskError,
        "padding() holds 3 tokens, but there are 7 keys.",
    ),
    "no scores": (
        lambda: masks.causal().keep((3,)),
        MaskError,
        "scores_shape must be (*batch, queries, keys), but got (3,).",
    ),
}

MECHANISMS: dict[str, Case] = {
    "no score": (
        lambda: attend(x, score="dot"),
        MechanismError,
        "score must be an object from regard.scores, such as scores.Dot(), but got 'dot'.",
    ),
    "a class for a score": (
        lambda: attend(x, score=scores.Dot),
        MechanismError,
        "score must be an object from regard.scores, such as scores.Dot(), but got the class Dot; call it.",
    ),
    "a class for a position": (
        lambda: attend(x, position=positions.Rotary),
        MechanismError,
        "position must be an object from regard.positions, such as positions.Rotary(head_width), but got "
        "the class Rotary; call it.",
    ),
    "positions that are added": (
        lambda: attend(x, position=positions.Sinusoidal(4)),
        MechanismError,
        "Sinusoidal is added to embeddings, not used inside attention: write attend(position(x)) and leave "
        "position out.",
    ),
    "positions that are learned and added": (
        lambda: MultiHeadAttention(4, heads=1, position=positions.Learned(4, longest=5)),
        MechanismError,
        "Learned is added to embeddings, not used inside attention: write attend(position(x)) and leave "
        "position out.",
    ),
    "Rotary without a dot product": (
        lambda: attend(x, score=scores.Gaussian(), position=positions.Rotary(4)),
        MechanismError,
        "Rotary goes with Dot and ScaledDot, but the score is Gaussian. Use Alibi or T5Bias, which go with "
        "any score.",
    ),
    "Relative without a dot product": (
        lambda: attend(
            x,
            score=scores.Bilinear(query_width=4, key_width=4),
            position=positions.Relative(reach=2, head_width=4),
        ),
        MechanismError,
        "Relative goes with Dot and ScaledDot, but the score is Bilinear. Use Alibi or T5Bias, which go with "
        "any score.",
    ),
    "no bandwidth": (
        lambda: scores.Gaussian(bandwidth=0.0),
        MechanismError,
        "Gaussian's bandwidth must be positive, but got 0.0. It is the distance at which a key begins to "
        "fade.",
    ),
    "a bandwidth below nothing": (
        lambda: scores.Epanechnikov(-1.0, learned=True),
        MechanismError,
        "Epanechnikov's bandwidth must be positive, but got -1.0. It is the distance at which a key begins "
        "to fade.",
    ),
    "an endless bandwidth": (
        lambda: scores.Boxcar(float("inf")),
        MechanismError,
        "Boxcar's bandwidth must be positive, but got inf. It is the distance at which a key begins to fade.",
    ),
    "more dropped than there is": (
        lambda: attend(x, dropout=1.0),
        MechanismError,
        "dropout must be at least 0 and less than 1, but got 1.0.",
    ),
    "less dropped than nothing": (
        lambda: Attention(dropout=-0.1),
        MechanismError,
        "dropout must be at least 0 and less than 1, but got -0.1.",
    ),
    "a width for nobody": (
        lambda: scores.Additive(query_width=4, key_width=4, hidden_width=0),
        MechanismError,
        "Additive's hidden_width must be at least 1, but got 0.",
    ),
    "a matrix of nothing": (
        lambda: scores.Bilinear(query_width=-4, key_width=4),
        MechanismError,
        "Bilinear's query_width must be at least 1, but got -4.",
    ),
    "a reach of nothing": (
        lambda: positions.Relative(reach=0, head_width=4),
        MechanismError,
        "Relative's reach must be at least 1, but got 0.",
    ),
    "tables for no heads": (
        lambda: positions.Relative(reach=2, head_width=4, heads=0),
        MechanismError,
        "Relative's heads must be at least 1, but got 0.",
    ),
    "an odd width to turn": (
        lambda: positions.Rotary(5),
        MechanismError,
        "Rotary turns pairs of features, but head_width=5 is odd. Take an even width such as 6.",
    ),
    "slopes for nobody": (
        lambda: positions.Alibi(0),
        MechanismError,
        "Alibi's heads must be at least 1, but got 0.",
    ),
    "places for nothing": (
        lambda: positions.Learned(4, longest=0),
        MechanismError,
        "Learned's longest must be at least 1, but got 0.",
    ),
    "odd buckets": (
        lambda: positions.T5Bias(2, buckets=7),
        MechanismError,
        "T5Bias needs at least 4 buckets, an even number, but got 7.",
    ),
    "too few buckets": (
        lambda: positions.T5Bias(2, buckets=1, both_ways=False),
        MechanismError,
        "T5Bias needs at least 2 buckets, but got 1.",
    ),
    "buckets for distances beyond the furthest": (
        lambda: positions.T5Bias(2, buckets=32, furthest=8),
        MechanismError,
        "T5Bias's furthest=8 must lie beyond its exact distances, 8 for 32 buckets.",
    ),
}

HEADS: dict[str, Case] = {
    "a width that heads cannot share": (
        lambda: MultiHeadAttention(100, heads=8),
        MechanismError,
        "width must be a multiple of heads, but 100 is not a multiple of 8. Nearest widths: 96 and 104.",
    ),
    "no heads": (
        lambda: MultiHeadAttention(6, heads=0),
        MechanismError,
        "heads must be at least 1, but got 0.",
    ),
    "keys that heads cannot share": (
        lambda: MultiHeadAttention(12, heads=6, key_heads=4),
        MechanismError,
        "key_heads must divide heads, but 6 heads cannot share 4. Take one of 1, 2, 3, 6.",
    ),
    "dropout of everything": (
        lambda: MultiHeadAttention(6, heads=2, dropout=1.5),
        MechanismError,
        "dropout must be at least 0 and less than 1, but got 1.5.",
    ),
    "a score of another width": (
        lambda: MultiHeadAttention(
            6, heads=2, score=scores.Additive(query_width=6, key_width=6, hidden_width=5)
        ),
        ShapeError,
        "This Additive was made for queries of width 6, but they are 3 wide.",
    ),
    "tables of another width": (
        lambda: MultiHeadAttention(6, heads=2, position=positions.Relative(reach=2, head_width=6)),
        ShapeError,
        "This Relative was made with head_width=6, but the queries are 3 wide.",
    ),
    "tables for values of another width": (
        lambda: MultiHeadAttention(
            6, heads=2, position=positions.Relative(reach=2, head_width=6, keys=False)
        ),
        ShapeError,
        "This Relative was made with head_width=6, but the values are 3 wide.",
    ),
    "slopes for other heads": (
        lambda: MultiHeadAttention(6, heads=2, position=positions.Alibi(3)),
        ShapeError,
        "This Alibi was made for 3 heads, but there are 2. Tensors with heads are "
        "(batch, heads, queries, head_width).",
    ),
    "vectors of another width": (
        lambda: heads(x),
        ShapeError,
        "queries must be (batch, queries, 6) for this attention of width 6, but got shape (2, 3, 4).",
    ),
    "no vectors": (
        lambda: heads(sentence, "keys"),
        ShapeError,
        "keys must be (batch, keys, 6) for this attention of width 6, but got str.",
    ),
    "vectors of another dtype": (
        lambda: heads(sentence, sentence.double()),
        ShapeError,
        "keys are torch.float64 on cpu, but this attention's parameters are torch.float32 on cpu. "
        "Move one with .to(…).",
    ),
    "vectors on another device": (
        lambda: heads(sentence.to("meta")),
        ShapeError,
        "queries are torch.float32 on meta, but this attention's parameters are torch.float32 on cpu. "
        "Move one with .to(…).",
    ),
    "other samples": (
        lambda: heads(sentence, torch.zeros(3, 5, 6)),
        ShapeError,
        "queries and keys must hold the same samples, but they hold 2 and 3.",
    ),
    "keys without values": (
        lambda: heads(sentence, torch.zeros(2, 5, 6), torch.zeros(2, 4, 6)),
        ShapeError,
        "Each key needs its value, but keys are (2, 5, 6) and values (2, 4, 6).",
    ),
    "a past before the beginning": (
        lambda: heads(sentence, past=-2),
        ShapeError,
        "past must be a whole number of positions before the first query, but got -2.",
    ),
    "values beside a memory": (
        lambda: heads(sentence, heads.remember(sentence), sentence),
        ShapeError,
        "A memory holds its values already. Call attention(queries, memory).",
    ),
    "a memory of other samples": (
        lambda: heads(sentence, heads.remember(sentence[:1])),
        ShapeError,
        "queries and memory must hold the same samples, but they hold 2 and 1. "
        "Choose rows of a memory with memory.select(rows).",
    ),
    "another's memory": (
        lambda: heads(sentence, MultiHeadAttention(6, heads=3).remember(sentence)),
        ShapeError,
        "The memory holds 3 key heads of width 2, but this attention has 2 of width 3. "
        "Attend to it with the attention that made it.",
    ),
    "a memory that goes on with others": (
        lambda: heads.remember(sentence[:1], after=heads.remember(sentence)),
        ShapeError,
        "A memory of (2, 2, 3, 3) cannot go on with keys of (1, 2, 3, 3).",
    ),
}


def changed(change: object) -> object:
    with intervene(heads, {"attention": change}):
        return heads(sentence)


def seen_nothing() -> object:
    with watch(heads) as seen:
        pass
    return seen["attention"]


def looked_for(name: str) -> object:
    with watch(heads) as seen:
        heads(sentence)
    return seen.calls(name)


def watched(model: object) -> None:
    with watch(model):
        pass


def intervened(model: nn.Module, changes: dict[str, object]) -> None:
    with intervene(model, changes):
        pass


WATCHING: dict[str, Case] = {
    "nothing that attends": (
        lambda: watched(nn.Linear(2, 3)),
        RegardError,
        "watch() found no attention in this Linear.",
    ),
    "no model": (
        lambda: watched("model"),
        RegardError,
        "watch() takes a model, but got str.",
    ),
    "a compiled model": (
        lambda: watched(torch.compile(heads, backend="eager")),
        RegardError,
        "watch() cannot look into a compiled model. Give it, and call, the model as it was before "
        "torch.compile.",
    ),
    "a name that is not there": (
        lambda: looked_for("decoder.0"),
        RegardError,
        "There is no attention named 'decoder.0' here, only attention.",
    ),
    "a name that was not called": (
        seen_nothing,
        RegardError,
        "attention was not called while it was watched. Call the model inside the with block.",
    ),
    "a change to nobody": (
        lambda: intervened(heads, {"decoder": KnockOut(heads=[0])}),
        RegardError,
        "There is no attention named 'decoder' here, only attention.",
    ),
    "no change": (
        lambda: intervened(heads, {"attention": "off"}),
        RegardError,
        "The change to attention must be an intervention such as KnockOut(heads=[0]), but got 'off'.",
    ),
    "a head that is not there": (
        lambda: changed(KnockOut(heads=[2])),
        RegardError,
        "KnockOut names heads from 0 to 1 here, but got 2.",
    ),
    "a key that is not there": (
        lambda: changed(MaskKeys(keys=[-1])),
        RegardError,
        "MaskKeys names keys from 0 to 2 here, but got -1.",
    ),
    "weights of another shape": (
        lambda: changed(ReplaceWeights(torch.zeros(3, 4))),
        RegardError,
        "ReplaceWeights holds weights of shape (3, 4), which do not spread to (2, 2, 3, 3).",
    ),
    "no temperature": (
        lambda: changed(Temperature(0.0)),
        RegardError,
        "Temperature must be positive, but got 0.0.",
    ),
}

EVERY_CASE = {
    f"{family}: {name}": case
    for family, cases in {
        "shapes": SHAPES,
        "masks": MASKS,
        "mechanisms": MECHANISMS,
        "heads": HEADS,
        "watching": WATCHING,
    }.items()
    for name, case in cases.items()
}


@pytest.mark.parametrize(("mistake", "error", "sentence"), EVERY_CASE.values(), ids=EVERY_CASE)
def test_a_mistake_is_refused_in_one_sentence(
    mistake: Callable[[], object], error: type[RegardError], sentence: str
) -> None:
    with pytest.raises(error) as caught:
        mistake()
    assert str(caught.value) == sentence


@pytest.mark.parametrize("score", [scores.ScaledDot(), scores.Gaussian(9.0), scores.Boxcar(9.0)], ids=str)
@pytest.mark.parametrize(
    "mask",
    [
        masks.lengths([1, 2, 3]),
        masks.lengths([1, 601]),
        masks.window(before=3, after=3) & masks.padding(torch.ones(2, 599, dtype=torch.long)),
        masks.segments(torch.arange(600).reshape(2, 300) // 20),
        masks.where(keep=torch.ones(600, 599, dtype=torch.bool)),
    ],
    ids=str,
)
def test_a_mask_that_does_not_fit_is_refused_on_the_paths_of_long_inputs_too(
    score: scores.Score, mask: masks.Mask
) -> None:
    with pytest.raises(MaskError):
        attend(torch.zeros(2, 600, 4), score=score, mask=mask)
