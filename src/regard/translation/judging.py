"""Which heads align best: judged by gold, by another run, or by the words they join.

Every head of every cross-attention is a candidate, by the word it produces and by the word
it reads. The best is taken first, then whichever helps it most, as long as one helps.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar, get_args

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.errors import DataError, RegardError
from regard.translation.aligning import Aligner, AligningHead
from regard.translation.alignment import Links, contest, strongest
from regard.translation.crossing import Crossing, InGold, InWords, cross, turned
from regard.translation.looking import Rows
from regard.translation.translator import Translator
from regard.wording import counted

MOST_PAIRS = 1_000
"""More are not looked at to choose a head."""
MOST_HEADS = 5

SomePair = TypeVar("SomePair", bound=InWords)
Linked = Bool[Tensor, "pairs target source"]
Judge = Callable[[Linked], float]
"""How wrong links are: less is better."""


class Candidates:
    """Every head's weights over all the pairs of a development set, padded with zeros."""

    def __init__(self, translator: Translator, pairs: Sequence[InWords]) -> None:
        if not pairs:
            raise DataError("no head can be chosen: no pair is given.")
        self.pairs = pairs
        crossings = [*cross(translator, pairs)]
        self.heads = [
            AligningHead(name=name, head=head, rows=rows)
            for rows in get_args(Rows)
            for name, weights in crossings[0].by_rows[rows].items()
            for head in range(len(weights))
        ]
        self.target = max(len(pair.target_words) for pair in pairs)
        self.source = max(len(pair.source_words) for pair in pairs)
        self.weights: Float[Tensor, "candidates pairs target source"] = torch.stack(
            [self._padded(crossing) for crossing in crossings], dim=1
        )

    def linked(self, heads: Sequence[int]) -> Linked:
        """The links that the mean of some heads draws."""
        return contest(self.weights[[*heads]].mean(dim=0))

    def choose(
        self, judge: Judge, *, most: int = MOST_HEADS, first: Sequence[int] = ()
    ) -> tuple[list[int], float]:
        """The heads whose mean is least wrong, the best first, and how wrong it is; ``first`` are given."""
        if most < 1:
            raise RegardError(f"one head or more must be chosen, but got {most}.")
        chosen = [*first]
        wrong = judge(self.linked(chosen)) if chosen else math.inf
        while len(chosen) < min(most, len(self.heads)):
            others = (head for head in range(len(self.heads)) if head not in chosen)
            tried = [(judge(self.linked([*chosen, head])), head) for head in others]
            least, head = min(tried)
            if least >= wrong:
                break
            wrong = least
            chosen.append(head)
        return chosen, wrong

    def mask(self, links: Sequence[Links]) -> Linked:
        """Links of every pair as one table."""
        table = torch.zeros(self.weights.shape[1:], dtype=torch.bool)
        for pair, each in enumerate(links):
            for source, target in each:
                table[pair, target, source] = True
        return table

    def aligner(self, heads: Sequence[int], reason: str) -> Aligner:
        """These heads as an aligner."""
        return Aligner(heads=tuple(self.heads[head] for head in heads), reason=reason)

    def _padded(self, crossing: Crossing) -> Float[Tensor, "candidates target source"]:
        every = torch.cat([weights for rows in crossing.by_rows.values() for weights in rows.values()])
        down, right = self.target - every.shape[1], self.source - every.shape[2]
        return torch.nn.functional.pad(every, (0, right, 0, down))


def rank_heads(translator: Translator, pairs: Iterable[InGold], *, share: float = 1.0) -> list[AligningHead]:
    """Every head of every cross-attention by its error rate on these pairs, the best first.

    The links are plain, each target word to where it looks most: this is a measure of heads.
    """
    gold = [*pairs]
    if not gold:
        raise DataError("no head can be chosen: no aligned pair is given.")
    candidates = Candidates(translator, gold)
    judge = error_rate(candidates, gold)
    heads = [
        AligningHead(
            name=one.name, head=one.head, rows=one.rows, error_rate=judge(strongest(weights, share=share))
        )
        for one, weights in zip(candidates.heads, candidates.weights, strict=True)
    ]
    return sorted(heads, key=lambda head: head.error_rate or 0.0)


def best_head(translator: Translator, pairs: Iterable[InGold], *, share: float = 1.0) -> AligningHead:
    """The head whose links are nearest to the gold ones of a development set."""
    return rank_heads(translator, pairs, share=share)[0]


def aligner_by_gold(translator: Translator, pairs: Iterable[InGold], *, most: int = MOST_HEADS) -> Aligner:
    """The heads whose links are nearest to the gold ones of a development set."""
    gold = _spread([*pairs])
    candidates = Candidates(translator, gold)
    heads, wrong = candidates.choose(error_rate(candidates, gold), most=most)
    return candidates.aligner(heads, f"alignment error rate {wrong:.1%} on {len(gold):,} gold pairs")


def aligner_by_information(
    translator: Translator, pairs: Iterable[InWords], *, most: int = MOST_HEADS
) -> Aligner:
    """The heads whose links tell most about which word stands for which: no gold is needed."""
    some = _spread([*pairs])
    candidates = Candidates(translator, some)
    heads, wrong = candidates.choose(_ignorance(candidates), most=most)
    return candidates.aligner(
        heads, f"mutual information of linked words {-wrong:.2f} on {counted(len(some), 'pair')}"
    )


def aligners_by_agreement(
    forward: Translator, backward: Translator, pairs: Iterable[InWords], *, most: int = MOST_HEADS
) -> tuple[Aligner, Aligner]:
    """The heads of two runs, one for each direction, whose links agree best.

    The first of each direction is that whose links tell most, and another is added only where they tell
    no less by it: heads that have a habit in common agree well, and align badly.
    """
    some = _spread([*pairs])
    there = Candidates(forward, some)
    back = Candidates(backward, [turned(pair) for pair in some])
    first, _ = there.choose(_ignorance(there), most=1)
    first_back, _ = back.choose(_ignorance(back), most=1)
    heads, apart = first, 1.0
    for _ in range(3):  # each follows the other; it settles at once or nearly so
        judge_back = _disagreement(back, first_back, there.linked(heads).transpose(-1, -2))
        back_heads, _ = back.choose(judge_back, most=most, first=first_back)
        judge = _disagreement(there, first, back.linked(back_heads).transpose(-1, -2))
        heads, apart = there.choose(judge, most=most, first=first)
    reason = f"agreement of the two directions {1 - apart:.1%} on {counted(len(some), 'pair')}"
    return there.aligner(heads, reason), back.aligner(back_heads, reason)


def error_rate(candidates: Candidates, gold: Sequence[InGold]) -> Judge:
    """The alignment error rate (Och and Ney 2003) over a development set."""
    sure = candidates.mask([pair.sure for pair in gold])
    possible = candidates.mask([pair.possible | pair.sure for pair in gold])

    def judge(linked: Linked) -> float:
        counted = int(linked.sum() + sure.sum())
        right = int((linked & sure).sum() + (linked & possible).sum())
        return 1 - right / counted if counted else 0.0

    return judge


def _disagreement(candidates: Candidates, first: Sequence[int], other: Linked) -> Judge:
    """The share of links that only one direction has; all of them where the first heads tell more."""
    ignorance = _ignorance(candidates)
    most = ignorance(candidates.linked(first))

    def judge(linked: Linked) -> float:
        if ignorance(linked) > most:
            return 1.0
        counted = int(linked.sum() + other.sum())
        return 1 - 2 * int((linked & other).sum()) / counted if counted else 0.0

    return judge


def _ignorance(candidates: Candidates) -> Judge:
    """Minus the mutual information of the words at both ends of a link, in nats for each target word."""
    sources, targets = (
        _numbered([getattr(pair, side) for pair in candidates.pairs], most)
        for side, most in (("source_words", candidates.source), ("target_words", candidates.target))
    )
    every = sum(len(pair.target_words) for pair in candidates.pairs)

    def judge(linked: Linked) -> float:
        pair, target, source = linked.nonzero(as_tuple=True)
        if len(pair) == 0:
            return 0.0
        heads, tails = sources[pair, source], targets[pair, target]
        joint = _counts(heads * (int(targets.max()) + 1) + tails)
        expected = _counts(heads) * _counts(tails) / len(pair)
        # One count is taken off: words that met once tell nothing.
        return -float(((joint - 1) / joint * (joint / expected).log()).sum()) / every

    return judge


def _counts(numbers: Int[Tensor, " links"]) -> Float[Tensor, " links"]:
    """For each number, how often it occurs."""
    _, places, counts = numbers.unique(return_inverse=True, return_counts=True)
    return counts[places].double()


def _numbered(sentences: Sequence[Sequence[str]], most: int) -> Int[Tensor, "pairs words"]:
    known: dict[str, int] = {}
    table = torch.zeros(len(sentences), most, dtype=torch.int64)
    for row, words in enumerate(sentences):
        for place, word in enumerate(words):
            table[row, place] = known.setdefault(word, len(known))
    return table


def _spread(pairs: list[SomePair]) -> list[SomePair]:
    """Enough of them, taken evenly."""
    return pairs if len(pairs) <= MOST_PAIRS else pairs[:: -(-len(pairs) // MOST_PAIRS)]
