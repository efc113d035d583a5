"""From an explanation to steps that a person can follow: titles, formulas, tables, a picture."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.attention import Explanation
from regard.attention.scores import Dot, ScaledDot
from regard.viewing.drawn import Drawn
from regard.viewing.explanation.language import WHY_SIMILAR, say
from regard.viewing.explanation.samples import Sample, samples_of
from regard.viewing.explanation.tables import HIDDEN, Table, spell
from regard.viewing.maps import AttentionMap

WIDEST_EXAMPLE = 6
"""Vectors up to this width are multiplied out in full."""
MOST_PARTS, LEAST_PART = 6, 0.005
MOST_MIXTURES = 8


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step: what is done, why, and what comes of it.

    ``lines`` spell single results out, each on its left with what it comes from on its right;
    ``notes`` are said below.
    """

    title: str
    formula: str = ""
    why: str = ""
    tables: Sequence[Table] = ()
    drawings: Sequence[Drawn] = ()
    lines: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Telling:
    """How an explanation is told: with which words, in which language, how precisely."""

    explanation: Explanation
    queries: Sequence[str]
    keys: Sequence[str]
    language: str
    digits: int
    given: Tensor | None = None
    """Scores that did not come from vectors; queries, keys and values are then not spoken of."""

    @property
    def is_self(self) -> bool:
        """Whether the queries look at themselves."""
        return same(self.explanation.queries, self.explanation.keys)

    @property
    def is_one(self) -> bool:
        """Whether queries, keys and values are all the same."""
        return self.is_self and self.brings_back_keys

    @property
    def brings_back_keys(self) -> bool:
        """Whether what is looked at is also what is brought back."""
        return same(self.explanation.keys, self.explanation.values)

    def steps(self) -> list[Step]:
        """All steps in order."""
        told = [self.vectors(), self.similarities()] if self.given is None else [self.scores()]
        if self.explanation.scale != 1.0:
            told += [self.scale()]
        if self.explanation.position is not None and not self._turned():
            told += [self.position()]
        if self.explanation.keep is not None:
            told += [self.mask()]
        told += [self.exponentials(), self.weights(), self.output()]
        return told if self.given is not None else [*told, self.path()]

    def vectors(self) -> Step:
        """What everything begins with."""
        given = self.explanation
        if self.is_one:
            parts = [("X", given.queries, self.queries)]
        else:
            parts = [(f"Q · {self._say('queries')}", given.queries, self.queries)]
            if self.brings_back_keys:
                parts += [(f"K = V · {self._say('keys and values')}", given.keys, self.keys)]
            else:
                parts += [(f"K · {self._say('keys')}", given.keys, self.keys)]
                parts += [(f"V · {self._say('values')}", given.values, self.keys)]
        count = given.weights.shape[:-2].numel()
        shown = len(self._samples())
        left_out = [self._say("samples left out", shown=shown, count=count)] if shown < count else []
        return Step(
            title=self._say("vectors"),
            formula="Q = K = V = X" if self.is_one else "",
            why=self._say("vectors self" if self.is_one else "vectors cross"),
            tables=[table for name, tensor, rows in parts for table in self._tables(tensor, rows, name=name)],
            notes=left_out,
        )

    def scores(self) -> Step:
        """What is given in place of vectors."""
        assert self.given is not None
        return Step(
            title=self._say("scores"),
            formula="sᵢⱼ",
            why=self._say("scores why"),
            tables=self._tables(self.given, self.queries, self.keys),
        )

    def similarities(self) -> Step:
        """Every query compared with every key."""
        given = self.explanation
        dot = given.formula in (Dot.formula, ScaledDot.formula)
        matrices = "S = X Xᵀ" if self.is_self else "S = Q Kᵀ"
        short = given.position is None and 1 <= given.queries.shape[-1] <= WIDEST_EXAMPLE
        return Step(
            title=self._say("similarities"),
            formula=f"{matrices},  sᵢⱼ = qᵢ·kⱼ" if dot else f"s = {given.formula.replace('-', '−')}",
            why=self._say(WHY_SIMILAR.get(given.formula, "similarities other")),
            tables=self._tables(given.similarities, self.queries, self.keys),
            lines=self._multiplied_out() if dot and short else [],
            notes=[
                *([self._say("turned", position=given.position)] if self._turned() else []),
            ],
        )

    def scale(self) -> Step:
        """The similarities divided by √d."""
        width, root = self.explanation.queries.shape[-1], spell([1 / self.explanation.scale], 3)[0]
        return Step(
            title=self._say("scale"),
            formula=f"S / √d = S / √{width} = S / {root}",
            why=self._say("scale why"),
            tables=self._tables(self.explanation.scaled, self.queries, self.keys),
        )

    def position(self) -> Step:
        """The scores with what the positions add."""
        name = self.explanation.position
        return Step(
            title=self._say("position"),
            formula=f"S + {name}",
            why=self._say("position why", position=name),
            tables=self._tables(self.explanation.scores, self.queries, self.keys),
        )

    def mask(self) -> Step:
        """The scores that are left."""
        given = self.explanation
        return Step(
            title=self._say("mask"),
            formula=f"sᵢⱼ = −∞  ({HIDDEN})",
            why=self._say("mask why", hidden=HIDDEN),
            tables=self._tables(given.scores, self.queries, self.keys, keep=given.keep),
        )

    def exponentials(self) -> Step:
        """The numerators and the denominator of the softmax."""
        given = self.explanation
        return Step(
            title=self._say("exponentials"),
            formula="eᵢⱼ = exp(sᵢⱼ − maxⱼ sᵢⱼ)",
            why=self._say("exponentials why"),
            tables=self._tables(
                given.exponentials, self.queries, self.keys, keep=given.keep, sums=given.totals
            ),
        )

    def weights(self) -> Step:
        """How each query spreads its attention."""
        weights = self.explanation.weights
        silent = bool((weights.sum(dim=-1) == 0).any())
        return Step(
            title=self._say("weights"),
            formula="wᵢⱼ = eᵢⱼ / Σⱼ eᵢⱼ",
            why=self._say("weights why"),
            tables=self._tables(weights, self.queries, self.keys, keep=self.explanation.keep, shaded=True),
            drawings=self.maps(),
            notes=[self._say("silence")] if silent else [],
        )

    def output(self) -> Step:
        """What each query brings back."""
        given = self.explanation
        return Step(
            title=self._say("output"),
            formula=f"Z = W {'X' if self.is_one else 'V'},  zᵢ = Σⱼ wᵢⱼ vⱼ",
            why=self._say("output why"),
            tables=[] if self.given is not None else self._tables(given.output, self.queries, name="Z"),
            lines=self._mixtures(),
            notes=[self._say("relative")] if given.position == "Relative" else [],
        )

    def path(self) -> Step:
        """Which way attend() goes, and why."""
        given = self.explanation
        return Step(title=self._say("path"), why=self._say("path why", path=given.path, reason=given.reason))

    def maps(self, name: str = "") -> list[AttentionMap]:
        """The weights of each sample, to be drawn under a name."""
        keep = self.explanation.keep
        return [
            AttentionMap(
                sample.of(self.explanation.weights),
                query_labels=self.queries,
                key_labels=self.keys,
                name=_joined(name, sample.name),
                keep=None if keep is None else sample.of(keep),
                axes=(self._say("queries"), self._say("keys")),
            )
            for sample in self._samples()
        ]

    def _tables(
        self,
        tensor: Tensor,
        rows: Sequence[str],
        columns: Sequence[str] | None = None,
        *,
        name: str = "",
        keep: Tensor | None = None,
        sums: Tensor | None = None,
        shaded: bool = False,
    ) -> list[Table]:
        samples = self._samples()
        if all(same(samples[0].of(tensor), each.of(tensor)) for each in samples) and keep is None:
            samples = [Sample(samples[0].place, "")]  # what is shared by all is shown once
        return [
            Table(
                numbers=sample.of(tensor),
                rows=rows,
                columns=[str(i + 1) for i in range(tensor.shape[-1])] if columns is None else columns,
                name=_joined(name, sample.name),
                keep=None if keep is None else sample.of(keep),
                sums=None if sums is None else sample.of(sums),
                shaded=shaded,
                digits=self.digits,
            )
            for sample in samples
        ]

    def _multiplied_out(self) -> list[tuple[str, str]]:
        """One dot product in full: the first query with the second key, or the only one."""
        given, first = self.explanation, self._samples()[0]
        key = min(1, len(self.keys) - 1)
        vectors = first.of(given.queries)[0].tolist(), first.of(given.keys)[key].tolist()
        products = " + ".join(f"{_factor(q)}×{_factor(k)}" for q, k in zip(*vectors, strict=True))
        answer = spell([first.of(given.similarities)[0, key].item()], self.digits)[0]
        return [(f"{self.queries[0]} · {self.keys[key]}", f"= {products} = {answer}")]

    def _mixtures(self) -> list[tuple[str, str]]:
        """Each query as a mixture of values, such as I ← 0.98 I + 0.02 am."""
        lines = []
        for sample in self._samples():
            rows = sample.of(self.explanation.weights).tolist()
            for query, row in zip(self.queries, rows, strict=True):
                heard = [key for key, weight in enumerate(row) if weight >= LEAST_PART]
                named = sorted(sorted(heard, key=lambda key: -row[key])[:MOST_PARTS])
                parts = [f"{row[key]:.2f} {self.keys[key]}" for key in named]
                parts += ["…"] if len(heard) > len(named) else []
                lines.append((_joined(sample.name, query), f"← {' + '.join(parts) or '0'}"))
        return lines[:MOST_MIXTURES]

    def _turned(self) -> bool:
        """Whether a position acted before the comparison, so that nothing is left to add."""
        given = self.explanation
        return given.position is not None and torch.equal(given.scores, given.scaled)

    def _samples(self) -> list[Sample]:
        return samples_of(self.explanation.weights.shape[:-2], self.language)

    def _say(self, sentence: str, **parts: object) -> str:
        return say(sentence, self.language, **parts)


def same(left: Tensor, right: Tensor) -> bool:
    """Whether two tensors are one."""
    return left is right or (left.shape == right.shape and torch.equal(left, right))


def _joined(*names: str) -> str:
    return " · ".join(filter(None, names))


def _factor(value: float) -> str:
    spelled = f"{value:.4g}".replace("-", "−")
    return f"({spelled})" if value < 0 else spelled
