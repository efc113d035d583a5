"""One search for every model: it knows nothing but ``start``, ``step`` and ``select``.

It never sees attention weights: translate first, look afterwards.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.attention.linear import multiplier
from regard.errors import DataError, RegardError
from regard.models import TranslationModel
from regard.text import BEGIN, END, PADDING, UNKNOWN, pad
from regard.translation.inference import inferring
from regard.translation.sampling import chances_of, draw
from regard.translation.settings import SearchSettings
from regard.translation.shortlist import Shortlist
from regard.wording import counted

Tokens = Sequence[int]
DEFAULT = SearchSettings()
BLOCK = 100
"""Numbers that are passed over together where the highest of many are looked for."""
FEW = 20_000
"""Numbers that are looked at one by one sooner than in blocks."""


@dataclass(frozen=True, kw_only=True)
class Hypothesis:
    """A target the search found: its tokens, and the model's own probability of each.

    ``token_log_probabilities`` has one more than ``tokens``, that of ``<end>``, unless the
    target was ``cut`` at its greatest length before it came to an end.
    """

    tokens: tuple[int, ...]
    token_log_probabilities: tuple[float, ...]
    cut: bool = False

    @property
    def log_probability(self) -> float:
        """The log-probability of the whole."""
        return math.fsum(self.token_log_probabilities)


def search(
    model: TranslationModel[Any],
    sources: Sequence[Tokens],
    settings: SearchSettings = DEFAULT,
    *,
    prefixes: Sequence[Tokens] | None = None,
    quantization: str | None = None,
    shortlist: Shortlist | None = None,
) -> list[list[Hypothesis]]:
    """The best targets of each source, the best first.

    Sources are tokens without ``<end>``; all are searched at once, and none depends on the
    others. A target begins with its prefix, if one is given. ``<begin>``, ``<padding>`` and
    ``<unknown>`` are never written. ``quantization="int8"`` multiplies rounded numbers, which is
    faster on a CPU; the probabilities are then of the rounded model. With a ``shortlist`` a sentence is
    written in its likely tokens alone, and these share the whole probability.

    A beam stops when as many hypotheses have ended as it is wide, or when none still open could
    rank among the best even if all its further tokens were certain.

    >>> from regard.models import Transformer
    >>> model = Transformer(vocabulary=11, width=6, heads=2, layers=1, hidden_width=7)
    >>> ((best,), _) = search(model, [[5, 6, 7], [8]])
    >>> len(best.token_log_probabilities) - len(best.tokens) == (not best.cut)
    True
    """
    prefixes = [()] * len(sources) if prefixes is None else prefixes
    _check(prefixes, len(sources))
    if not sources:
        return []
    with inferring(model, quantization) as device:
        writing = _Writing(model, sources, prefixes, settings, device, shortlist)
        while writing.step():
            pass
    found = [results.best() for results in writing.results]
    if settings.sampling is None:
        return found
    drawn = [hypothesis for results in found for hypothesis in results]
    return [drawn[first : first + settings.n_best] for first in range(0, len(drawn), settings.n_best)]


def _check(prefixes: Sequence[Tokens], sources: int) -> None:
    if len(prefixes) != sources:
        raise DataError(
            f"prefixes must be one for each of {counted(sources, 'source')}, but got {len(prefixes)}."
        )
    for number, prefix in enumerate(prefixes):
        if special := [token for token in prefix if token <= UNKNOWN]:
            raise DataError(
                f"prefix {number} holds the special token {special[0]}. A prefix is the tokens of text alone."
            )


class _Candidates(NamedTuple):
    """Next tokens of each sentence, the likeliest first; ``parents`` are rows of the sentence."""

    totals: Float[Tensor, "sentences candidates"]
    parents: Int[Tensor, "sentences candidates"]
    tokens: Int[Tensor, "sentences candidates"]
    log_probabilities: Float[Tensor, "sentences candidates"]


class _Sentences(NamedTuple):
    """What is known of each sentence that is still open."""

    numbers: Int[Tensor, " sentences"]
    longest: Int[Tensor, " sentences"]
    reach: Float[Tensor, " sentences"]
    """What the log-probability of the longest target would be divided by."""
    ended: Int[Tensor, " sentences"]
    """How many hypotheses have ended."""
    bar: Float[Tensor, " sentences"]
    """What a new hypothesis must surpass to count among the best."""
    forced: Int[Tensor, "sentences prefix"]
    """The tokens of the prefix, and -1 after it."""
    chances: Float[Tensor, "sentences longest"]
    """For each draw, a number between 0 and 1."""
    barred: Bool[Tensor, "sentences listed"]
    """Which tokens of a shortlist each may not use; no tokens where there is no such list."""

    def at(self, places: Tensor) -> "_Sentences":
        return _Sentences(*(tensor[places] for tensor in self))


class _Listed(NamedTuple):
    """The tokens of a shortlist in order, and the logits of each that a hidden vector has."""

    tokens: Int[Tensor, " listed"]
    logits: Callable[[Tensor], Tensor]


class _Results:
    """The hypotheses of one sentence."""

    def __init__(self, settings: SearchSettings, wanted: int) -> None:
        self.settings, self.wanted = settings, wanted
        self.ended: list[tuple[float, Hypothesis]] = []
        self.cut: list[Hypothesis] = []

    def end(self, hypothesis: Hypothesis) -> float:
        """Take a whole sentence in; gives the bar for the next."""
        length = len(hypothesis.token_log_probabilities)
        share = hypothesis.log_probability / length**self.settings.length_normalisation
        self.ended.append((share, hypothesis))
        self.ended.sort(key=lambda scored: -scored[0])
        return self.ended[self.wanted - 1][0] if len(self.ended) >= self.wanted else -math.inf

    def best(self) -> list[Hypothesis]:
        """The best that came to an end; cut ones only where there are too few."""
        best = [hypothesis for _, hypothesis in self.ended[: self.wanted]]
        known = {hypothesis.tokens for hypothesis in best}
        return (best + [hypothesis for hypothesis in self.cut if hypothesis.tokens not in known])[
            : self.wanted
        ]


class _Writing:
    """Sentences half written: ``width`` rows for each, one under the other."""

    def __init__(
        self,
        model: TranslationModel[Any],
        sources: Sequence[Tokens],
        prefixes: Sequence[Tokens],
        settings: SearchSettings,
        device: torch.device,
        shortlist: Shortlist | None,
    ) -> None:
        self.model, self.settings = model, settings
        tokens, lengths = pad([[*source, END] for source in sources])
        self.state = model.start(tokens.to(device), lengths.to(device))
        copies, self.beam, wanted = 1, settings.beam, settings.n_best
        if settings.sampling is not None:  # each draw is a search of its own, for the one it finds
            copies, self.beam, wanted = wanted, 1, 1
            rows = torch.arange(len(sources), device=device).repeat_interleave(copies)
            self.state = model.select(self.state, rows)
        self.listed: _Listed | None = None
        barred = torch.zeros(len(sources), 0, dtype=torch.bool)
        if shortlist is not None:
            listed, keep = shortlist.of(sources, prefixes)
            barred = ~keep
            self.listed = _Listed(listed.to(device), multiplier(model.output_table[listed.to(device)]))
            # From here on a token is its place in the list, where the special ones have their own.
            prefixes = [torch.searchsorted(listed, torch.tensor([*one])).tolist() for one in prefixes]
        known = _sentences(sources, prefixes, settings, copies, barred)
        self.sentences = _Sentences(*(tensor.to(device) for tensor in known))
        self.soonest = int(self.sentences.longest.min())
        count = len(sources) * copies
        self.results = [_Results(settings, wanted) for _ in range(count)]
        self.totals = torch.zeros(count, 1, device=device)
        self.tokens = torch.full((count, 1), BEGIN, device=device)
        self.log_probabilities = torch.zeros(count, 0, device=device)
        self.hopeless = torch.tensor(-math.inf, device=device)
        self.never = torch.tensor([PADDING, BEGIN, UNKNOWN], device=device)

    def step(self) -> bool:
        """Write one token more in every row; False when every sentence is finished."""
        candidates = self._choose(self._allowed(self._read(self.tokens[:, -1:])))
        if self.beam == 1 and self._all_go_on(candidates):
            self._write(candidates.totals, candidates.tokens, candidates.log_probabilities)
            return True
        if bool(candidates.totals.isnan().any()):
            raise RegardError(
                "the model answers with NaN where probabilities should be. Its parameters are damaged: "
                "load them again."
            )
        self._end(candidates)
        return self._go_on(candidates)

    def _read(self, tokens: Int[Tensor, "rows 1"]) -> Float[Tensor, "rows vocabulary"]:
        """The logits after one token more, of the whole vocabulary or of what is listed."""
        if self.listed is None:
            logits, self.state = self.model.step(tokens, self.state)
            return logits[:, -1]
        hidden, self.state = self.model.read_on(self.listed.tokens[tokens], self.state)
        logits = self.listed.logits(hidden[:, -1])
        logits.view(*self.totals.shape, -1).masked_fill_(self.sentences.barred[:, None], -torch.inf)
        return logits

    @property
    def written(self) -> int:
        return self.log_probabilities.shape[1]

    def _allowed(self, logits: Float[Tensor, "rows vocabulary"]) -> Float[Tensor, "rows vocabulary"]:
        """The log-probability of each token, minus infinity where it may not follow."""
        precise = logits.dtype if logits.dtype == torch.float64 else torch.float32
        if logits.dtype == precise and logits.is_contiguous() and logits.device.type == "cpu":
            allowed = torch.log_softmax(logits, dim=-1, out=logits)  # a large matrix: one is enough
        else:
            allowed = logits.log_softmax(dim=-1, dtype=precise)
        allowed.index_fill_(1, self.never, -math.inf)
        only = None
        if self.written < self.sentences.forced.shape[1]:
            forced = self.sentences.forced[:, self.written].repeat_interleave(self.totals.shape[1])[:, None]
            token = forced.clamp(min=0)
            only = torch.full_like(allowed, -torch.inf).scatter_(1, token, allowed.gather(1, token))
        if self.settings.no_repeat:
            _forbid_repeats(allowed, self.tokens[:, 1:], self.settings.no_repeat)
        return allowed if only is None else torch.where(forced >= 0, only, allowed)

    def _choose(self, allowed: Float[Tensor, "rows vocabulary"]) -> _Candidates:
        sentences, width = self.totals.shape
        if self.settings.sampling is not None:
            tokens = draw(allowed, self.sentences.chances[:, self.written], self.settings.sampling)
            drawn = allowed.gather(1, tokens)
            return _Candidates(self.totals + drawn, torch.zeros_like(tokens), tokens, drawn)
        if self.beam == 1:
            likeliest, tokens = most_likely(allowed, 1)
            return _Candidates(self.totals + likeliest, torch.zeros_like(tokens), tokens, likeliest)
        # One row may end, so that a beam needs one token more from each to stay as wide as it is.
        each = min(self.beam + 1, allowed.shape[1])
        likeliest, tokens = most_likely(allowed, each)
        likeliest, tokens = likeliest.view(sentences, -1), tokens.view(sentences, -1)
        totals = self.totals.repeat_interleave(each, dim=1) + likeliest
        totals, places = totals.topk(min(2 * self.beam, width * each))
        return _Candidates(totals, places // each, tokens.gather(1, places), likeliest.gather(1, places))

    def _all_go_on(self, candidates: _Candidates) -> bool:
        """Whether one token more stands in every row, and none of them is the last."""
        tokens, totals = candidates.tokens.flatten().tolist(), candidates.totals.flatten().tolist()
        return self.written < self.soonest and END not in tokens and all(map(math.isfinite, totals))

    def _end(self, candidates: _Candidates) -> None:
        """Take out what ended among the best of its sentence, and what may grow no longer."""
        width = self.totals.shape[1]
        ended = candidates.tokens[:, : self.beam] == END
        ended &= candidates.totals[:, : self.beam] > self.hopeless
        for place, candidate in ended.nonzero().tolist():
            hypothesis = self._hypothesis(
                place * width + int(candidates.parents[place, candidate]),
                candidates.log_probabilities[place, candidate].item(),
            )
            results = self.results[self.sentences.numbers[place]]
            self.sentences.bar[place] = results.end(hypothesis)
            self.sentences.ended[place] += 1
        for place in (self.sentences.longest <= self.written).nonzero().flatten().tolist():
            totals, rows = self.totals[place].sort(descending=True, stable=True)
            for row in rows[totals > self.hopeless].tolist():
                self.results[self.sentences.numbers[place]].cut.append(self._hypothesis(place * width + row))

    def _hypothesis(self, row: int, end: float | None = None) -> Hypothesis:
        log_probabilities = self.log_probabilities[row].tolist()
        return Hypothesis(
            tokens=tuple(self._named(self.tokens[row, 1:]).tolist()),
            token_log_probabilities=tuple(log_probabilities if end is None else [*log_probabilities, end]),
            cut=end is None,
        )

    def _named(self, tokens: Tensor) -> Tensor:
        return tokens if self.listed is None else self.listed.tokens[tokens]

    def _go_on(self, candidates: _Candidates) -> bool:
        """Keep the best open rows of each sentence that is not finished."""
        totals, parents, tokens, log_probabilities = self._open(candidates) if self.beam > 1 else candidates
        totals = totals.where(tokens != END, self.hopeless)
        finished = self._finished(totals.amax(dim=1))
        sentences, width = self.totals.shape
        everyone = torch.arange(sentences, device=totals.device)
        rows = everyone[:, None] * width + parents
        if bool(finished.any()):
            kept = everyone[~finished]
            if len(kept) == 0:
                return False
            self.sentences = self.sentences.at(kept)
            self.soonest = int(self.sentences.longest.min())
            totals, tokens, log_probabilities, rows = (
                tensor[kept] for tensor in (totals, tokens, log_probabilities, rows)
            )
        rows = rows.flatten()
        if not torch.equal(rows, torch.arange(sentences * width, device=rows.device)):
            self.state = self.model.move(self.state, rows)
            self.tokens, self.log_probabilities = self.tokens[rows], self.log_probabilities[rows]
        self._write(totals, tokens, log_probabilities)
        return True

    def _write(self, totals: Tensor, tokens: Tensor, log_probabilities: Tensor) -> None:
        self.totals = totals
        self.tokens = torch.cat([self.tokens, tokens.view(-1, 1)], dim=1)
        self.log_probabilities = torch.cat([self.log_probabilities, log_probabilities.view(-1, 1)], dim=1)

    def _open(self, candidates: _Candidates) -> _Candidates:
        """The best that may go on, each where its parent stood, if it can: then nothing need be copied."""
        ends = candidates.tokens == END
        kept = ends.byte().argsort(dim=1, stable=True)[:, : self.beam]
        parents, order = candidates.parents.gather(1, kept).sort(dim=1, stable=True)
        if self.totals.shape[1] == self.beam == kept.shape[1]:
            order = order.scatter(1, _places(parents), order)
        kept = kept.gather(1, order)
        return _Candidates(*(tensor.gather(1, kept) for tensor in candidates))

    def _finished(self, best_open: Float[Tensor, " sentences"]) -> Bool[Tensor, " sentences"]:
        """Further tokens can only lower a total, so its reach bounds what a row may come to."""
        known = self.sentences
        surpassed = best_open / known.reach <= known.bar
        return (known.ended >= self.beam) | surpassed | (known.longest <= self.written)


def most_likely(
    allowed: Float[Tensor, "rows vocabulary"], count: int
) -> tuple[Float[Tensor, "rows count"], Int[Tensor, "rows count"]]:
    """The highest numbers of each row, the highest first, and where they are.

    As ``topk``, which looks at every number as closely as at the best: here whole blocks are passed
    over whose highest is lower than that of as many others as are wanted.

    >>> most_likely(torch.tensor([[0.1, 0.7, 0.2]]), 2)
    (tensor([[0.7000, 0.2000]]), tensor([[1, 2]]))
    """
    rows, size = allowed.shape
    blocks = size // BLOCK
    if blocks <= 2 * count or allowed.numel() <= FEW:
        found = allowed.max(dim=1, keepdim=True) if count == 1 else allowed.topk(count)
        return found.values, found.indices
    of_blocks = allowed[:, : blocks * BLOCK].view(rows, blocks, BLOCK)
    highest = of_blocks.amax(dim=2)
    if count == 1:
        best, block = highest.max(dim=1, keepdim=True)
        place = block * BLOCK + of_blocks.gather(1, block.unsqueeze(2).expand(-1, -1, BLOCK)).argmax(dim=2)
        if blocks * BLOCK < size:
            of_rest, in_rest = allowed[:, blocks * BLOCK :].max(dim=1, keepdim=True)
            place = place.where(best >= of_rest, blocks * BLOCK + in_rest)
            best = best.maximum(of_rest)
        return best, place
    chosen = highest.topk(count, sorted=False).indices
    within = torch.arange(BLOCK, device=allowed.device)
    places = (chosen.unsqueeze(2) * BLOCK + within).flatten(1)
    rest = torch.arange(blocks * BLOCK, size, device=allowed.device).expand(rows, -1)
    places = torch.cat([places, rest], dim=1)
    found = allowed.gather(1, places).topk(count)
    return found.values, places.gather(1, found.indices)


def _places(parents: Int[Tensor, "sentences width"]) -> Int[Tensor, "sentences width"]:
    """Where rows should stand, given their parents in order: the first child of each where it stood."""
    first = torch.ones_like(parents, dtype=torch.bool)
    first[:, 1:] = parents[:, 1:] != parents[:, :-1]
    taken = torch.zeros_like(parents).scatter_(1, parents, 1)
    free_first = taken.argsort(dim=1, stable=True)
    further = (~first).cumsum(dim=1) - 1
    return parents.where(first, free_first.gather(1, further.clamp(min=0)))


def _sentences(
    sources: Sequence[Tokens],
    prefixes: Sequence[Tokens],
    settings: SearchSettings,
    copies: int,
    barred: Bool[Tensor, "sources listed"],
) -> _Sentences:
    longest = [
        max(settings.longest(len(source)), len(prefix) + settings.longest_slack)
        for source, prefix in zip(sources, prefixes, strict=True)
    ]
    forced, _ = pad([[token + 1 for token in prefix] for prefix in prefixes])
    chances = torch.zeros(len(sources) * copies, 0)
    if settings.sampling is not None:
        chances = chances_of(sources, longest, settings.sampling, copies)
    limits = torch.tensor(longest).repeat_interleave(copies)
    return _Sentences(
        numbers=torch.arange(len(limits)),
        longest=limits,
        reach=(limits + 1.0) ** settings.length_normalisation,
        ended=torch.zeros_like(limits),
        bar=torch.full(limits.shape, -math.inf),
        forced=(forced - 1).repeat_interleave(copies, dim=0),
        chances=chances,
        barred=barred.repeat_interleave(copies, dim=0),
    )


def _forbid_repeats(
    allowed: Float[Tensor, "rows vocabulary"], written: Int[Tensor, "rows written"], size: int
) -> None:
    """Forbid, in place, each token that would complete a run of tokens written before."""
    if written.shape[1] < size:
        return
    runs = written.unfold(1, size, 1)
    begun = written[:, written.shape[1] - size + 1 :]
    again = (runs[..., :-1] == begun[:, None]).all(dim=-1)
    allowed.scatter_(1, runs[..., -1].where(again, PADDING), -torch.inf)
