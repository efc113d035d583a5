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
    found = [sentence.best() for sentence in writing.found]
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


class _Column(NamedTuple):
    """What one step wrote, in one row after the other."""

    origins: list[int]
    """The rows of the step before that these go on from."""
    tokens: list[int]
    log_probabilities: list[float]


class _Listed(NamedTuple):
    """The tokens of a shortlist in order, and the logits of each that a hidden vector has."""

    tokens: Int[Tensor, " listed"]
    logits: Callable[[Tensor], Tensor]


class _Sentence:
    """One sentence: what was found of it, and when that is enough."""

    def __init__(self, settings: SearchSettings, *, beam: int, wanted: int, longest: int) -> None:
        self.beam, self.wanted, self.longest = beam, wanted, longest
        self.normalisation = settings.length_normalisation
        self.reach = (longest + 1.0) ** self.normalisation
        """What the log-probability of the longest target would be divided by."""
        self.bar = -math.inf
        """What a new hypothesis must surpass to count among the best."""
        self.ended: list[tuple[float, Hypothesis]] = []
        self.cut: list[Hypothesis] = []

    def end(self, hypothesis: Hypothesis) -> None:
        """Take a whole target in."""
        length = len(hypothesis.token_log_probabilities)
        self.ended.append((hypothesis.log_probability / length**self.normalisation, hypothesis))
        self.ended.sort(key=lambda scored: -scored[0])
        if len(self.ended) >= self.wanted:
            self.bar = self.ended[self.wanted - 1][0]

    def is_finished(self, best_open: float) -> bool:
        """Further tokens can only lower a total, so its reach bounds what a row may come to."""
        return len(self.ended) >= self.beam or best_open / self.reach <= self.bar

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
        self.model, self.settings, self.device = model, settings, device
        tokens, lengths = pad([[*source, END] for source in sources])
        self.state = model.start(tokens.to(device), lengths.to(device))
        longest = [
            max(settings.longest(len(source)), len(prefix) + settings.longest_slack)
            for source, prefix in zip(sources, prefixes, strict=True)
        ]
        copies, self.beam, wanted = 1, settings.beam, settings.n_best
        self.chances: Float[Tensor, "sentences longest"] | None = None
        """For each draw, a number between 0 and 1."""
        if settings.sampling is not None:  # each draw is a search of its own, for the one it finds
            copies, self.beam, wanted = wanted, 1, 1
            rows = torch.arange(len(sources), device=device).repeat_interleave(copies)
            self.state = model.select(self.state, rows)
            self.chances = chances_of(sources, longest, settings.sampling, copies).to(device)
        self.listed: _Listed | None = None
        self.barred: Bool[Tensor, "sentences listed"] | None = None
        """Which tokens of a shortlist each sentence may not use."""
        if shortlist is not None:
            listed, keep = shortlist.of(sources, prefixes)
            self.barred = ~keep.repeat_interleave(copies, dim=0).to(device)
            self.listed = _Listed(listed.to(device), multiplier(model.output_table[listed.to(device)]))
            # From here on a token is its place in the list, where the special ones have their own.
            prefixes = [torch.searchsorted(listed, torch.tensor([*one])).tolist() for one in prefixes]
        forced, _ = pad([[token + 1 for token in prefix] for prefix in prefixes])
        self.forced = (forced - 1).repeat_interleave(copies, dim=0).to(device)
        """The tokens of each prefix, and -1 after it."""
        self.found = [
            _Sentence(settings, beam=self.beam, wanted=wanted, longest=most)
            for most in longest
            for _ in range(copies)
        ]
        self.open = self.found
        """The sentences that are not finished."""
        self.soonest = min(longest)
        """How long the first of them may be that is cut."""
        self.columns: list[_Column] = []
        self.history: Int[Tensor, "rows written"] | None = None
        """The tokens of each row, where they must not repeat."""
        if settings.no_repeat:
            self.history = torch.zeros(len(self.open), 0, dtype=torch.long, device=device)
        self.totals = torch.zeros(len(self.open), 1, device=device)
        self.tokens = torch.full((len(self.open), 1), BEGIN, device=device)
        self.never = torch.tensor([PADDING, BEGIN, UNKNOWN], device=device)

    @property
    def written(self) -> int:
        """Tokens of a row."""
        return len(self.columns)

    def step(self) -> bool:
        """Write one token more in every row; False when every sentence is finished."""
        found = self._choose(self._allowed(self._read(self.tokens)))
        if self.beam == 1 and self._all_go_on(found):
            return True
        kept, width = [], self.totals.shape[1]
        totals, column = [], _Column([], [], [])
        for place, candidates in enumerate(zip(*(each.tolist() for each in found), strict=True)):
            ranks = self._going_on(place, *candidates)
            if ranks is not None:
                kept.append(place)
                of_one, parents, tokens, log_probabilities = candidates
                totals.extend([of_one[rank] for rank in ranks])
                column.origins.extend([place * width + parents[rank] for rank in ranks])
                column.tokens.extend([tokens[rank] for rank in ranks])
                column.log_probabilities.extend([log_probabilities[rank] for rank in ranks])
        if not kept:
            return False
        if len(kept) < len(self.open):
            self._keep(kept)
        if column.origins != [*range(len(self.tokens))]:
            origins = torch.tensor(column.origins, device=self.device)
            self.state = self.model.move(self.state, origins)
            self.history = None if self.history is None else self.history[origins]
        tokens_of_rows = torch.tensor(column.tokens, device=self.device).unsqueeze(1)
        totals_of_rows = torch.tensor(totals, dtype=found.totals.dtype, device=self.device)
        self._write(column, tokens_of_rows, totals_of_rows.view(len(kept), -1))
        return True

    def _write(self, column: _Column, tokens: Int[Tensor, "rows 1"], totals: Tensor) -> None:
        self.columns.append(column)
        self.tokens, self.totals = tokens, totals
        if self.history is not None:
            self.history = torch.cat([self.history, tokens], dim=1)

    def _all_go_on(self, found: _Candidates) -> bool:
        """Write the likeliest in every row, if none ends: then no sentence need be looked at by itself."""
        totals, tokens, log_probabilities = (
            each.flatten().tolist() for each in (found.totals, found.tokens, found.log_probabilities)
        )
        if END in tokens or self.written >= self.soonest or not all(map(math.isfinite, totals)):
            return False
        self._write(_Column([*range(len(tokens))], tokens, log_probabilities), found.tokens, found.totals)
        return True

    def _going_on(
        self,
        place: int,
        totals: list[float],
        parents: list[int],
        tokens: list[int],
        log_probabilities: list[float],
    ) -> list[int] | None:
        """Which candidates become the rows of a sentence; None if it is finished.

        Those that end are taken in. Where there are too few, others are added that only take a place: to the
        lists that are given.
        """
        sentence, beam, width = self.open[place], self.beam, self.totals.shape[1]
        if math.isnan(totals[0]):
            raise RegardError(
                "the model answers with NaN where probabilities should be. Its parameters are damaged: "
                "load them again."
            )
        ranks = [*range(beam)]
        if len(totals) < beam or totals[beam - 1] == -math.inf or END in tokens:
            ranks = []
            for rank, (total, token) in enumerate(zip(totals, tokens, strict=True)):
                if total == -math.inf or len(ranks) == beam:
                    break
                if token != END:
                    ranks.append(rank)
                elif rank < beam:
                    sentence.end(self._hypothesis(place * width + parents[rank], log_probabilities[rank]))
        if self.written >= sentence.longest:
            of_rows = self.totals[place].tolist()
            for row in sorted(range(width), key=lambda row: -of_rows[row]):
                if of_rows[row] > -math.inf:
                    sentence.cut.append(self._hypothesis(place * width + row))
            return None
        if sentence.is_finished(totals[ranks[0]] if ranks else -math.inf):
            return None
        going_on = []
        for row, number in enumerate(in_place([parents[rank] for rank in ranks], beam)):
            if number is None:
                going_on.append(len(totals))
                totals.append(-math.inf)
                parents.append(row if row < width else 0)
                tokens.append(tokens[ranks[0]])
                log_probabilities.append(0.0)
            else:
                going_on.append(ranks[number])
        return going_on

    def _hypothesis(self, row: int, end: float | None = None) -> Hypothesis:
        """A target, found from its end."""
        tokens: list[int] = []
        log_probabilities = [] if end is None else [end]
        for column in reversed(self.columns):
            tokens.append(column.tokens[row])
            log_probabilities.append(column.log_probabilities[row])
            row = column.origins[row]
        tokens.reverse()
        log_probabilities.reverse()
        if self.listed is not None:
            tokens = self.listed.tokens[tokens].tolist()
        return Hypothesis(
            tokens=tuple(tokens),
            token_log_probabilities=tuple(log_probabilities),
            cut=end is None,
        )

    def _keep(self, places: list[int]) -> None:
        """Only the sentences at these places are still open."""
        self.open = [self.open[place] for place in places]
        self.soonest = min(sentence.longest for sentence in self.open)
        kept = torch.tensor(places, device=self.device)
        self.forced = self.forced[kept]
        if self.chances is not None:
            self.chances = self.chances[kept]
        if self.barred is not None:
            self.barred = self.barred[kept]

    def _read(self, tokens: Int[Tensor, "rows 1"]) -> Float[Tensor, "rows vocabulary"]:
        """The logits after one token more, of the whole vocabulary or of what is listed."""
        if self.listed is None:
            logits, self.state = self.model.step(tokens, self.state)
            return logits[:, -1]
        hidden, self.state = self.model.read_on(self.listed.tokens[tokens], self.state)
        logits = self.listed.logits(hidden[:, -1])
        assert self.barred is not None
        logits.view(*self.totals.shape, -1).masked_fill_(self.barred[:, None], -torch.inf)
        return logits

    def _allowed(self, logits: Float[Tensor, "rows vocabulary"]) -> Float[Tensor, "rows vocabulary"]:
        """The log-probability of each token, minus infinity where it may not follow."""
        precise = logits.dtype if logits.dtype == torch.float64 else torch.float32
        if logits.dtype == precise and logits.is_contiguous() and logits.device.type == "cpu":
            allowed = torch.log_softmax(logits, dim=-1, out=logits)  # a large matrix: one is enough
        else:
            allowed = logits.log_softmax(dim=-1, dtype=precise)
        allowed.index_fill_(1, self.never, -math.inf)
        only = None
        if self.written < self.forced.shape[1]:
            forced = self.forced[:, self.written].repeat_interleave(self.totals.shape[1])[:, None]
            token = forced.clamp(min=0)
            only = torch.full_like(allowed, -torch.inf).scatter_(1, token, allowed.gather(1, token))
        if self.history is not None:
            _forbid_repeats(allowed, self.history, self.settings.no_repeat)
        return allowed if only is None else torch.where(forced >= 0, only, allowed)

    def _choose(self, allowed: Float[Tensor, "rows vocabulary"]) -> _Candidates:
        if self.beam > 1:
            return best_continuations(self.totals, allowed, 2 * self.beam)  # of each row one may end
        if self.settings.sampling is None:
            chosen, tokens = likeliest(allowed)
        else:
            assert self.chances is not None
            tokens = draw(allowed, self.chances[:, self.written], self.settings.sampling)
            chosen = allowed.gather(1, tokens).where(~allowed.isnan().any(dim=1, keepdim=True), math.nan)
        return _Candidates(self.totals + chosen, torch.zeros_like(tokens), tokens, chosen)


def in_place(parents: Sequence[int], beam: int) -> list[int | None]:
    """For each row of a beam, which of the new ones comes to stand there: the first child of each where
    it stood, so that little is copied; None where there are too few.

    >>> in_place([2, 0, 2], 4)
    [1, 2, 0, None]
    """
    standing: list[int | None] = [None] * beam
    further = []
    for number, parent in enumerate(parents):
        if standing[parent] is None:
            standing[parent] = number
        else:
            further.append(number)
    if further:
        free = [row for row, number in enumerate(standing) if number is None]
        for row, number in zip(free, further, strict=False):
            standing[row] = number
    return standing


def likeliest(
    allowed: Float[Tensor, "rows vocabulary"],
) -> tuple[Float[Tensor, "rows 1"], Int[Tensor, "rows 1"]]:
    """The highest number of each row, and where it is.

    As ``max``, which looks at every number and remembers where it was: here the highest of each block is
    found first, which takes less.

    >>> likeliest(torch.tensor([[0.1, 0.7, 0.2]]))
    (tensor([[0.7000]]), tensor([[1]]))
    """
    rows, size = allowed.shape
    blocks = size // BLOCK
    if blocks <= 2 or allowed.numel() <= FEW:
        found = allowed.max(dim=1, keepdim=True)
        return found.values, found.indices
    of_blocks = allowed[:, : blocks * BLOCK].view(rows, blocks, BLOCK)
    best, block = of_blocks.amax(dim=2).max(dim=1, keepdim=True)
    place = block * BLOCK + of_blocks.gather(1, block.unsqueeze(2).expand(-1, -1, BLOCK)).argmax(dim=2)
    if blocks * BLOCK < size:
        of_rest, in_rest = allowed[:, blocks * BLOCK :].max(dim=1, keepdim=True)
        place = place.where(best >= of_rest, blocks * BLOCK + in_rest)
        best = best.maximum(of_rest)
    return best, place


def best_continuations(
    totals: Float[Tensor, "sentences width"], allowed: Float[Tensor, "rows vocabulary"], count: int
) -> _Candidates:
    """The highest sums, over all rows of a sentence, of a row's total and its tokens' log-probabilities.

    As ``topk`` of all sums, which looks at every one as closely as at the best: here whole blocks are passed
    over whose highest is lower than that of as many others as are wanted.

    >>> found = best_continuations(torch.tensor([[0.0, -3.0]]), torch.tensor([[-9.0, -1.0], [-2.0, -0.5]]), 2)
    >>> found.totals.tolist(), found.parents.tolist(), found.tokens.tolist()
    ([[-1.0, -3.5]], [[0, 1]], [[1, 1]])
    """
    sentences, width = totals.shape
    size = allowed.shape[1]
    blocks, together = size // BLOCK, allowed.view(sentences, -1)
    if width * blocks <= 2 * count or allowed.numel() <= FEW:
        sums = together.unflatten(1, (width, size)) + totals.unsqueeze(2)
        best, places = sums.flatten(1).topk(min(count, width * size))
        parents = places // size
    else:
        highest = allowed[:, : blocks * BLOCK].view(sentences, width, blocks, BLOCK).amax(dim=3)
        chosen = highest.add_(totals.unsqueeze(2)).flatten(1).topk(count, sorted=False).indices
        parents, left = chosen // blocks, size - blocks * BLOCK
        # After the blocks of a row come those numbers that fill no block.
        begins = (chosen * BLOCK).add_(parents, alpha=left)
        looked_at = (begins.unsqueeze(2) + torch.arange(BLOCK, device=allowed.device)).flatten(1)
        added = totals.gather(1, parents).repeat_interleave(BLOCK, dim=1)
        if left:
            rest = torch.arange(width * size, device=allowed.device).view(width, size)[:, blocks * BLOCK :]
            looked_at = torch.cat([looked_at, rest.reshape(1, -1).expand(sentences, -1)], dim=1)
            added = torch.cat([added, totals.repeat_interleave(left, dim=1)], dim=1)
        best, of_these = together.gather(1, looked_at).add_(added).topk(count)
        places = looked_at.gather(1, of_these)
        parents = places // size
    return _Candidates(best, parents, places - parents * size, together.gather(1, places))


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
