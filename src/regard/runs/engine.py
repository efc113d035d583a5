"""CTranslate2 as the engine of a translator: it searches with the parameters of a run."""

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import torch

from regard.attention.linear import QUANTIZATIONS, quantizable
from regard.errors import RunError
from regard.models import TranslationModel
from regard.runs.exporting import ctranslate2, export_ctranslate2, names_of
from regard.text import BEGIN, END, PADDING, UNKNOWN, Tokenizer
from regard.training import Checkpoint
from regard.training.checkpoints import PARAMETERS
from regard.translation import Hypothesis, SearchSettings
from regard.translation.grouping import groups_of

ENGINES = ("regard", "ctranslate2")
TOKENS_PER_BATCH = 1_536
"""Source tokens that are computed together."""
ROWS_PER_BATCH = (32, 96)
"""Hypotheses that are computed together: few or many, whichever a machine is sooner with."""
ROWS_TRIED = 192
"""Hypotheses for each thread by which that is found out, twice few and twice many."""
TOKENS_PER_READING = 2_048
"""Target tokens whose probabilities are learnt together."""
Tokens = Sequence[int]


class _Reading:
    """Targets of CTranslate2, read once more, all together, when one is first asked for its probabilities."""

    def __init__(self, library: Any, names: list[str]) -> None:
        self._library, self._names = library, names
        self.sources: list[list[str]] = []
        self.targets: list[tuple[int, ...]] = []

    @cached_property
    def log_probabilities(self) -> list[list[float]]:
        """Of each target, of its tokens and of ``<end>``."""
        scores = self._library.score_batch(
            self.sources,
            [[self._names[token] for token in target] for target in self.targets],
            max_batch_size=TOKENS_PER_READING,
            batch_type="tokens",
            max_input_length=0,
        )
        return [score.log_probs for score in scores]


class _Unread(Hypothesis):
    """A target whose probabilities are learnt when somebody asks."""

    def __init__(self, tokens: tuple[int, ...], cut: bool, reading: _Reading, source: list[str]) -> None:
        vars(self).update(tokens=tokens, cut=cut, _reading=reading, _place=len(reading.targets))
        reading.sources.append(source)
        reading.targets.append(tokens)

    @property
    def token_log_probabilities(self) -> tuple[float, ...]:
        reading: _Reading = vars(self)["_reading"]
        return tuple(reading.log_probabilities[vars(self)["_place"]][: len(self.tokens) + (not self.cut)])


class _Asked(NamedTuple):
    """A group of sentences, and their answers, for which one can wait."""

    group: list[int]
    answers: list[Any]


class CTranslate2Engine:
    """Searches with CTranslate2, as many sentences at a time as there are threads.

    What CTranslate2 cannot do, drawing samples that come again, a translator leaves to the model itself.
    Probabilities are the model's own: a target that was found is read once more to learn them,
    if somebody asks for them.
    """

    def __init__(self, folder: Path, tokenizer: Tokenizer) -> None:
        self._source, self._target = names_of(tokenizer.source), names_of(tokenizer.target)
        self._numbers = {name: number for number, name in enumerate(self._target)}
        # A thread for each batch beats many threads for one.
        self._threads = torch.get_num_threads()
        self._library = ctranslate2().Translator(
            str(folder),
            device="cpu",
            inter_threads=self._threads,
            intra_threads=1,
            max_queued_batches=-1,  # as many as are asked for: nobody waits to ask
        )
        self._rows: dict[int, int] = {}
        """Hypotheses that are computed together, by how many a sentence has, as far as it was found out."""
        torch.set_num_threads(self._threads)  # CTranslate2 has told OpenMP that here, too, one is to be used

    def search(
        self, sources: Sequence[Tokens], settings: SearchSettings, *, prefixes: Sequence[Tokens]
    ) -> list[list[Hypothesis]]:
        """The best targets of each source, the best first."""
        return self.begin(sources, settings, prefixes=prefixes)()

    def begin(
        self, sources: Sequence[Tokens], settings: SearchSettings, *, prefixes: Sequence[Tokens]
    ) -> Callable[[], list[list[Hypothesis]]]:
        """Begin to search on threads of CTranslate2's own; what is given waits for what they find.

        What was begun comes to its end, whether somebody waits or not.
        """
        assert settings.sampling is None, "draws that come again are the model's own"
        spelled = [[self._source[token] for token in source] for source in sources]
        longest = [settings.longest(len(source)) for source in sources]
        begun = None
        if any(prefixes):
            begun = [[self._target[token] for token in prefix] for prefix in prefixes]
            longest = [
                max(most, len(prefix) + settings.longest_slack)
                for most, prefix in zip(longest, prefixes, strict=True)
            ]

        def ask(places: Sequence[int], rows: int) -> list[_Asked]:
            groups = groups_of(
                [len(spelled[place]) for place in places],
                tokens=TOKENS_PER_BATCH,
                sentences=max(rows // settings.rows, 1),
                parts=self._threads,
            )
            cut = [[places[place] for place in group] for group in groups]
            return [_Asked(group, self._ask(group, spelled, begun, longest, settings)) for group in cut]

        asked, places = self._try(ask, range(len(sources)), settings.rows)
        # All are asked for before the first is waited for: no thread is without work while there is any.
        asked += ask(places, self._rows.get(settings.rows, ROWS_PER_BATCH[0]))

        def end() -> list[list[Hypothesis]]:
            reading = _Reading(self._library, self._target)
            found: list[list[Hypothesis]] = [[] for _ in sources]
            # The last first: who waits once wakes up once, and takes no thread of CTranslate2's its core.
            for group, answers in reversed(asked):
                for place, answer in zip(group, answers, strict=True):
                    found[place] = [
                        self._hypothesis(names, longest[place], reading, spelled[place])
                        for names in answer.result().hypotheses
                    ]
            return found

        return end

    def _try(
        self, ask: Callable[[Sequence[int], int], list["_Asked"]], places: Sequence[int], rows: int
    ) -> tuple[list["_Asked"], Sequence[int]]:
        """Find out how many rows are soonest together, where enough are asked for; and what is left."""
        asked: list[_Asked] = []
        each = max(ROWS_TRIED // rows, 1) * self._threads
        order = (*ROWS_PER_BATCH, *reversed(ROWS_PER_BATCH))  # so that a slope counts for neither
        if rows in self._rows or len(places) < each * len(order):
            return asked, places
        seconds = dict.fromkeys(ROWS_PER_BATCH, 0.0)
        for together in order:
            tried, places = places[:each], places[each:]
            began = time.perf_counter()
            trial = ask(tried, together)
            for _, answers in reversed(trial):
                for answer in answers:
                    answer.result()
            seconds[together] += time.perf_counter() - began
            asked += trial
        self._rows[rows] = min(ROWS_PER_BATCH, key=seconds.__getitem__)
        return asked, places

    def _ask(
        self,
        group: list[int],
        sources: list[list[str]],
        prefixes: list[list[str]] | None,
        longest: list[int],
        settings: SearchSettings,
    ) -> list[Any]:
        """Have a group of sentences translated together; its answers can be waited for."""
        return self._library.translate_batch(
            [sources[place] for place in group],
            None if prefixes is None else [prefixes[place] for place in group],
            beam_size=settings.beam,
            num_hypotheses=settings.n_best,
            length_penalty=settings.length_normalisation,
            no_repeat_ngram_size=settings.no_repeat,
            suppress_sequences=[[self._target[token]] for token in (PADDING, BEGIN, UNKNOWN)],
            max_input_length=0,
            max_decoding_length=max(longest[place] for place in group) + 1,
            min_decoding_length=0,
            return_end_token=True,
            asynchronous=True,
        )

    def _hypothesis(self, names: list[str], longest: int, reading: _Reading, source: list[str]) -> Hypothesis:
        """A target without ``<end>``, cut where it is too long."""
        tokens = tuple([self._numbers[name] for name in names])
        ended = tokens[-1:] == (END,)
        tokens = tokens[:-1] if ended else tokens
        return _Unread(tokens[:longest], not ended or len(tokens) > longest, reading, source)


def engine_for(
    name: str,
    quantization: str | None,
    model: TranslationModel[Any],
    tokenizer: Tokenizer,
    checkpoint: Checkpoint,
    *,
    kept_in: Path,
) -> CTranslate2Engine | None:
    """The engine called by name; what it needs is kept in a folder of the run, or aside if that is closed."""
    if name not in ENGINES:
        raise RunError(f"engine must be one of {', '.join(ENGINES)}, but got {name!r}.")
    if name == "regard":
        _check_quantization(quantization, model)
        return None
    ctranslate2()  # which says how to get it
    called = (name, f"{checkpoint.step:08d}", checkpoint.files[PARAMETERS]["sha256"][:12], quantization)
    folder = kept_in / "-".join(filter(None, called))
    if folder.is_dir():
        return CTranslate2Engine(folder, tokenizer)
    with suppress(OSError):
        kept_in.mkdir(exist_ok=True)
    if os.access(kept_in, os.W_OK):
        export_ctranslate2(model, tokenizer, folder, quantization=quantization)
        return CTranslate2Engine(folder, tokenizer)
    with tempfile.TemporaryDirectory(prefix="regard-") as aside:
        folder = Path(aside) / folder.name
        export_ctranslate2(model, tokenizer, folder, quantization=quantization)
        return CTranslate2Engine(folder, tokenizer)


def _check_quantization(quantization: str | None, model: TranslationModel[Any]) -> None:
    """Whether regard's own search can round numbers so, here."""
    if quantization not in QUANTIZATIONS:
        raise RunError(
            f"quantization must be one of {', '.join(QUANTIZATIONS)}, but got {quantization!r}. "
            'Others go with engine="ctranslate2".'
        )
    device = next(model.parameters()).device.type
    if device != "cpu":
        raise RunError(
            f"quantization = {quantization!r} goes with the CPU, but the model is on {device}. "
            'Leave it out, or say device="cpu".'
        )
    if not quantizable():
        raise RunError(
            f"quantization = {quantization!r} needs a product that torch does not have on this processor. "
            'Leave it out, or add engine="ctranslate2".'
        )
