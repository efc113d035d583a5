"""Packed sentences without paying for the blocks between them.

Where each segment is one run of neighbours, the runs are cut out, laid beside each other in groups
of about one length, and attended to as a batch; then their outputs are laid back.
"""

from collections import defaultdict
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.attention.definition import Call
from regard.attention.fused import dot_product_form, with_four_axes
from regard.attention.masks import Causal, Segments, parts_of
from regard.attention.positions import Turning
from regard.attention.scores import Bilinear, DotProduct


@dataclass(frozen=True)
class _Run:
    """One segment: where its queries and its keys stand in which sample."""

    sample: int
    query: int
    queries: int
    key: int
    keys: int


def why_not_packed(call: Call) -> str | None:
    """What keeps this question from being unpacked, or None."""
    parts = list(parts_of(call.mask))
    segments = [part for part in parts if isinstance(part, Segments)]
    if len(segments) != 1:
        return ""
    if not isinstance(call.score, DotProduct | Bilinear):
        return f"{type(call.score).__name__} is not a dot product"
    if call.position is not None and not isinstance(call.position, Turning):
        return f"{type(call.position).__name__} positions are not turned into queries and keys"
    if any(not isinstance(part, Segments | Causal) for part in parts):
        return "segments are joined with a mask other than causal()"
    causal = len(parts) > 1
    if causal and (call.past or segments[0].query_ids is not segments[0].key_ids):
        return "causal() here does not begin anew with each segment"
    if call.dropout or torch.compiler.is_compiling() or 0 in call.scores_shape:
        return "cutting depends on the ids, and the fused kernel has no dropout"
    runs = _runs(segments[0])
    if runs is None:
        return "a segment stands in more than one run"
    paid = sum(len(group) * queries * keys for (queries, keys), group in _grouped(runs).items())
    if 2 * paid > call.scores_shape[0] * call.scores_shape[-2] * call.scores_shape[-1]:
        return "the segments cover about as much as the whole"
    return None


def attend_packed(call: Call) -> Tensor:
    """The answer, segment by segment."""
    parts = list(parts_of(call.mask))
    (segments,) = (part for part in parts if isinstance(part, Segments))
    segments.check(call.scores_shape)
    runs = _runs(segments)
    assert runs is not None
    call = call.unshared()
    queries, keys, scale = dot_product_form(call)
    # (batch, places, heads, width): so that a run is one slice of places.
    queries, keys, values = (with_four_axes(t).transpose(1, 2) for t in (queries, keys, call.values))
    batch, count, heads, _ = queries.shape
    outputs, places = [], []
    for (longest_queries, longest_keys), group in _grouped(runs).items():
        samples = torch.tensor([run.sample for run in group], device=queries.device)[:, None]
        rows, row_there = _places(
            [(run.query, run.queries) for run in group], longest_queries, queries.device
        )
        columns, column_there = _places([(run.key, run.keys) for run in group], longest_keys, queries.device)
        output = F.scaled_dot_product_attention(
            queries[samples, rows].transpose(1, 2),
            keys[samples, columns].transpose(1, 2),
            # Places beyond a run repeat its last key, which is finite or heard anyway.
            values[samples, columns].transpose(1, 2),
            attn_mask=column_there[:, None, None] if len(parts) == 1 else _causal(row_there, column_there),
            scale=scale,
        )
        outputs.append(output.transpose(1, 2)[row_there])
        places.append((samples * count + rows)[row_there])
    whole = queries.new_zeros(batch * count, heads, values.shape[-1])
    if outputs:
        whole = whole.index_copy(0, torch.cat(places), torch.cat(outputs))
    else:  # silence, of which gradients may be asked all the same
        whole = whole + values[:, :0].sum()
    whole = whole.unflatten(0, (batch, count)).transpose(1, 2)
    return whole.reshape(*call.queries.shape[:-1], values.shape[-1])


def _causal(row_there: Tensor, column_there: Tensor) -> Tensor:
    size = column_there.shape[1]
    lower = torch.ones(row_there.shape[1], size, dtype=torch.bool, device=column_there.device).tril()
    return column_there[:, None, None] & lower


def _places(runs: list[tuple[int, int]], longest: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Where each run's members stand, (runs, longest), and which of these there are."""
    starts, counts = torch.tensor(runs, device=device).T[:, :, None]
    step = torch.arange(longest, device=device)
    return starts + torch.minimum(step, counts - 1), step < counts


def _runs(segments: Segments) -> list[_Run] | None:
    """Every segment that has both queries and keys; None where one is torn apart."""
    runs: list[_Run] = []
    for sample, (query_ids, key_ids) in enumerate(
        zip(segments.query_ids.tolist(), segments.key_ids.tolist(), strict=True)
    ):
        of_queries, of_keys = _spans(query_ids), _spans(key_ids)
        if of_queries is None or of_keys is None:
            return None
        for segment, (query, queries) in of_queries.items():
            if segment in of_keys:
                runs.append(_Run(sample, query, queries, *of_keys[segment]))
    return runs


def _spans(ids: list[int]) -> dict[int, tuple[int, int]] | None:
    """Start and count of each id's run."""
    spans: dict[int, tuple[int, int]] = {}
    start = 0
    for place in range(1, len(ids) + 1):
        if place == len(ids) or ids[place] != ids[start]:
            if ids[start] in spans:
                return None
            spans[ids[start]] = (start, place - start)
            start = place
    return spans


def _grouped(runs: list[_Run]) -> dict[tuple[int, int], list[_Run]]:
    """Runs of about one length together, under the sizes of the longest among them."""
    alike: dict[tuple[int, int], list[_Run]] = defaultdict(list)
    for run in runs:
        alike[run.queries.bit_length(), run.keys.bit_length()].append(run)
    return {
        (max(run.queries for run in group), max(run.keys for run in group)): group for group in alike.values()
    }
