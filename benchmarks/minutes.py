"""How many minutes of training until Multi30k, English to German, is translated with BLEU 35, and 39?

    python -m benchmarks.minutes                                         what is measured, and what is not
    python -m benchmarks.minutes regard --threads 2 --limit 90           one system; a line of JSON
    python -m benchmarks.minutes regard --run runs/multi30k-en-de        the same, of a run that has ended
    .venv/peers/bin/python -m benchmarks.minutes joeynmt --threads 2 --limit 90

`make bench-peers` makes the environment that has the peers (``benchmarks/minutes_peers.py``). All learn
from the pairs that the recipe reads, with a joint vocabulary of the recipe's size. Twice in each pass
over them, or as often as ``--passes`` says, the 1,014 pairs of validation are translated greedily, and one
function scores the plain texts of every system: sacreBLEU, not tokenised again, since the files are.

Minutes are those of training: batches are made and learned from. Reading the data, learning subwords
and building the model come before; validating, and saving what was validated, does not count, for
anyone. ``processor`` in a line is the processor time in a second of training: much less than the
threads means that the machine did something else, too, and that ``processor_minutes``, which go with
the points of the curve, are nearer to what a quiet machine needs. ``kill -TSTP`` stops a measurement and
its clock, ``kill -CONT`` lets both go on; ``kill -INT``, or Ctrl-C, ends it as its limit would, and what was
found is kept.
"""

import argparse
import json
import os
import signal
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import torch

from benchmarks.measuring import about, installed, spread
from benchmarks.plan import RECIPES, one_called
from benchmarks.results import Line, check_planned, lines_in, trained_on
from regard import runs
from regard.errors import RegardError
from regard.recipe import Recipe
from regard.runs import RunFolder, Translator
from regard.runs.lessons import source_of
from regard.text import Corpus, ReadingSettings, read
from regard.translation import bleu
from regard.wording import counted

RESULTS = Path(__file__).parent / "results" / "minutes.jsonl"
WORK = Path("runs/minutes")
PLANNED = one_called("multi30k-en-de")
GOALS = (35.0, 39.0)
TOKENIZATION = "none"
PASSES = 0.5
"""Validate as often as this share of the training pairs was learned from."""
NEAR = 0.1
"""The BLEU that a run noted itself may differ by from ours."""


class Point(NamedTuple):
    """What a validation found, and when."""

    minutes: float
    step: int
    bleu: float


@dataclass(frozen=True, kw_only=True)
class System:
    """Something that trains."""

    name: str
    title: str
    whence: str
    """Where its settings come from."""
    packages: tuple[str, ...]
    """Without these it cannot be measured."""

    @property
    def command(self) -> str:
        """How it is measured."""
        python = "python" if self.packages == ("torch",) else ".venv/peers/bin/python"
        return f"{python} -m benchmarks.minutes {self.name}"


SYSTEMS = {
    one.name: one
    for one in (
        System(
            name="regard",
            title="regard",
            whence="`recipes/multi30k-en-de.toml`, but for how often it validates",
            packages=("torch",),
        ),
        System(
            name="joeynmt",
            title="JoeyNMT, as it recommends",
            whence="`configs/iwslt14_deen_bpe.yaml` of its repository: its FAQ refers to the settings of the "
            "translators it reports, and this one is for the least data",
            packages=("joeynmt", "subword-nmt"),
        ),
        System(
            name="joeynmt-small",
            title="JoeyNMT, a model of the recipe's size",
            whence="the same, with layers, widths and heads of the recipe",
            packages=("joeynmt", "subword-nmt"),
        ),
        System(
            name="huggingface",
            title="Hugging Face's Seq2SeqTrainer and Marian",
            whence="layers, widths, heads, dropout and smoothing of the recipe; a learning rate that a model "
            "with its norms after the sum, as Marian, bears; the trainer's defaults for all that is not told",
            packages=("transformers", "accelerate"),
        ),
    )
}


class Watch:
    """A training that is timed and judged: its clock stands still while it is judged."""

    def __init__(
        self,
        judge: Callable[[Sequence[str]], float],
        *,
        limit: float,
        passes: float = PASSES,
        goals: Sequence[float] = GOALS,
        told: Callable[[Point], object] = lambda point: None,
    ) -> None:
        self.judge, self.limit, self.passes, self.goals, self.told = judge, limit, passes, goals, told
        self.curve: list[Point] = []
        self.steps: list[float] = []
        """Seconds of each."""
        self.tokens, self.validating, self._next = 0, 0.0, passes
        self.processor_minutes: list[float] = []
        """Of training until each point of the curve."""
        self._due, self._processor, self._timed, self._stopped = False, 0.0, 0.0, 0.0
        self.begin()

    def begin(self) -> None:
        """Whatever was prepared until now does not count."""
        self._wall, self._cpu = self._clock(), time.process_time()

    def stepped(self, *, passes: float, tokens: int, seconds: float | None = None) -> None:
        """A step is done. It took all the time since the last, or ``seconds`` and validating the rest."""
        passed = self._clock() - self._wall
        if seconds is None:
            seconds = passed
            self._processor += time.process_time() - self._cpu
            self._timed += seconds
        else:
            self.validating += passed - seconds
        self.steps.append(seconds)
        self.tokens += tokens
        self._due = passes >= self._next
        if self._due:
            self._next = passes + self.passes
        self.begin()

    @property
    def minutes(self) -> float:
        """Of training, so far."""
        return sum(self.steps) / 60

    @property
    def is_due(self) -> bool:
        """Whether it is time to judge: also when the limit is reached."""
        return self._due or self.minutes >= self.limit

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be learned from going on."""
        best = max((point.bleu for point in self.curve), default=0.0)
        return self.minutes >= self.limit or best >= max(self.goals)

    @contextmanager
    def pausing(self) -> Iterator[None]:
        """What happens meanwhile is not training."""
        wall, processor = self._clock(), time.process_time()
        yield
        paused = self._clock() - wall
        self.validating += paused
        self._wall += paused
        self._cpu += time.process_time() - processor

    def end(self, *_: object) -> None:
        """No more steps, as if the limit were reached."""
        self.limit = min(self.limit, self.minutes)

    def wait_to_go_on(self, *_: object) -> None:
        """Stop this process until it is told to go on; the clock stands still."""
        stopped = time.perf_counter()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._stopped += time.perf_counter() - stopped

    def _clock(self) -> float:
        return time.perf_counter() - self._stopped

    def judged(self, texts: Sequence[str]) -> Point:
        """The validation after the last step."""
        self._due = False
        point = Point(round(self.minutes, 3), len(self.steps), round(self.judge(texts), 2))
        self.curve.append(point)
        self.processor_minutes.append(round(self.processor * self.minutes, 3))
        self.told(point)
        return point

    @property
    def processor(self) -> float:
        """Seconds of the processor in a second of training."""
        return self._processor / max(self._timed, 1e-9)

    def effort(self) -> Line:
        """How long it all took."""
        return {
            "minutes": round(self.minutes, 3),
            "validating_minutes": round(self.validating / 60, 3),
            "steps": len(self.steps),
            "seconds_a_step": spread(self.steps, 3),
            "tokens_per_second": round(self.tokens / max(sum(self.steps), 1e-9)),
            "processor": round(self.processor, 2),
            "processor_minutes": self.processor_minutes,
        }


def reached(curve: Sequence[Point], goal: float) -> float | None:
    """Minutes at the first validation with such a BLEU; None where there is none.

    >>> reached([Point(2.0, 64, 31.0), Point(4.0, 128, 35.5), Point(6.0, 192, 34.0)], 35.0)
    4.0
    >>> reached([Point(2.0, 64, 31.0)], 35.0)
    """
    return next((point.minutes for point in curve if point.bleu >= goal), None)


def found(line: Line, goal: float) -> str:
    """What a line says of a goal.

    >>> found({"curve": [[2.0, 64, 31.04]], "minutes": 20.04}, 35.0)
    'not reached in 20 minutes (best 31.0)'
    """
    curve = [Point(*point) for point in line["curve"]]
    when = reached(curve, goal)
    if when is not None:
        return f"{when:.1f}"
    best = f"best {max(point.bleu for point in curve):.1f}" if curve else "never validated"
    return f"not reached in {line['minutes']:.0f} minutes ({best})"


def newest(system: str, results: Path | None = None) -> Line | None:
    """The last line of a system."""
    return next((line for line in reversed(lines_in(results or RESULTS)) if line["system"] == system), None)


def validation_pairs(recipe: Recipe) -> Corpus:
    """All pairs of validation, none dropped."""
    first, second = recipe.data.columns
    settings = ReadingSettings(longest=None, ratio=None, columns=(first, second))
    return read(source_of(recipe.data.validation), settings)


def scored(texts: Sequence[str], validation: Corpus) -> float:
    """BLEU of plain texts, the same for every system."""
    return bleu(texts, [pair.target for pair in validation.pairs], tokenization=TOKENIZATION).value


def by_regard(watch: Watch, recipe: Recipe, validation: Corpus, into: Path) -> Line:
    """As ``regard train`` does it."""
    prepared = runs.prepare(recipe, device="cpu")
    a_pass = prepared.lessons.batches_per_epoch / recipe.training.accumulate
    every = max(1, round(watch.passes * a_pass))
    # As many steps without a better validation end it as before.
    usual = prepared.recipe.training.validate_every or every
    patience = -(-prepared.recipe.training.patience * usual // every)
    changes = [f"training.validate_every={every}", f"training.patience={patience}"]
    prepared = replace(prepared, recipe=prepared.recipe.changed(changes))
    sources = [pair.source for pair in validation.pairs]
    own: list[float] = []
    watch.begin()
    for progress in runs.train(prepared, into=into):
        report = progress.report
        seconds = None if progress.validation is None else report.seconds
        watch.stepped(passes=progress.step / a_pass, tokens=report.tokens, seconds=seconds)
        if progress.validation is not None:
            with watch.pausing():
                translator = Translator.load(into, checkpoint="last")
                watch.judged([one.text for one in translator.translate(sources, beam=1)])
            own.append(progress.validation.bleu or 0.0)
        if watch.is_over:
            break
    differences = [abs(a - point.bleu) for a, point in zip(own, watch.curve, strict=True)]
    return {
        "parameters": prepared.parameters,
        "vocabulary": len(prepared.tokenizer.target),
        "pairs": len(prepared.parts.train.pairs),
        "settings": {"recipe": PLANNED.recipe, "changes": changes, "seed": recipe.training.seed},
        "greatest_difference_from_13a": round(max(differences, default=0.0), 3),
    }


def by_history(run: Path, recipe: Recipe, validation: Corpus, threads: int, recipes: Path = RECIPES) -> Line:
    """What the history of a run tells, if the BLEU it notes is that of our function.

    The run scores itself on text that it tokenises again. So its best checkpoint translates once more.
    """
    check_planned(PLANNED, run, recipes)
    folder = RunFolder(run)
    machine = trained_on(folder)
    if counted(threads, "thread") not in machine.split(", "):
        raise RegardError(f"{run} was trained on {machine}: not with {counted(threads, 'thread')}.")
    history = [*folder.read_history()]
    steps = [line for line in history if line["kind"] == "step" and not line["skipped"]]
    validations = [line for line in history if line["kind"] == "validation"]
    best = folder.checkpoint("best").step
    translator = Translator.load(run)
    texts = [one.text for one in translator.translate([pair.source for pair in validation.pairs], beam=1)]
    ours = scored(texts, validation)
    noted = next((line["bleu"] for line in validations if line["step"] == best), None)
    if noted is None or abs(noted - ours) > NEAR:
        raise RegardError(
            f"{run} noted BLEU {noted} at step {best}, but its translations score {ours:.2f} here: its "
            f"history does not answer the question. Train anew with: {SYSTEMS['regard'].command}"
        )
    seconds = statistics.median(line["seconds"] for line in steps)
    curve = [
        Point(round(line["step"] * seconds / 60, 3), line["step"], round(line["bleu"], 2))
        for line in validations
    ]
    last = folder.checkpoint("last").step
    return {
        "curve": curve,
        "minutes": round(last * seconds / 60, 3),
        "validating_minutes": round(sum(line["seconds"] for line in validations) / 60, 3),
        "steps": last,
        "seconds_a_step": spread([line["seconds"] for line in steps], 3),
        "tokens_per_second": round(statistics.median(line["tokens"] / line["seconds"] for line in steps)),
        "processor": None,
        "parameters": sum(one.numel() for one in translator.model.parameters()),
        "vocabulary": len(translator.tokenizer.target),
        "pairs": None,
        "settings": {"recipe": PLANNED.recipe, "changes": [], "seed": folder.recipe().training.seed},
        "of_a_run": {
            "trained_on": machine,
            "signature": validations[-1]["signature"],
            "step": best,
            "bleu_noted": round(noted, 3),
            "bleu_scored_here": round(ours, 3),
            "minutes": "the step times the median step: only some steps are in a history",
        },
    }


def check_present(system: System) -> None:
    """Refuse what is not installed here."""
    absent = [package for package in system.packages if installed(package) is None]
    if absent:
        raise RegardError(
            f"{system.title} cannot be measured here: {', '.join(absent)} is not installed. "
            f"Make its place with: make bench-peers, then: {system.command}"
        )


def measure(
    system: System,
    *,
    threads: int,
    limit: float,
    run: Path | None = None,
    passes: float = PASSES,
    work: Path = WORK,
    recipes: Path = RECIPES,
    results: Path = RESULTS,
) -> Line:
    """Train one system until both goals or the limit are reached, and keep what came of it."""
    if run is not None and system.name != "regard":
        raise RegardError(f"--run names a run of regard, but {system.title} is asked for.")
    if limit <= 0 or passes <= 0 or threads <= 0:
        raise RegardError("--limit, --passes and --threads must be more than 0.")
    check_present(system)
    into = work / system.name
    if run is None and into.exists():
        raise RegardError(f"{into} is there already: remove it, or name another place with --work.")
    torch.set_num_threads(threads)
    recipe = PLANNED.settings(recipes)
    validation = validation_pairs(recipe)
    signature = bleu(["a"], ["a"], tokenization=TOKENIZATION).signature
    line: Line = about("minutes", ("torch", *(p for p in system.packages if p != "torch"))) | {
        "system": system.name,
        "whence": system.whence,
        "threads": threads,
        "limit": limit,
        "validation": {"pairs": len(validation.pairs), "sha256": validation.sha256, "search": "greedy"},
        "bleu_signature": signature,
    }
    if run is not None:
        line |= by_history(run, recipe, validation, threads, recipes)
    else:

        def told(point: Point) -> None:
            """A measurement that is cut short is not lost."""
            print(f"{point.minutes:7.1f} minutes, step {point.step:5}: BLEU {point.bleu:.2f}", flush=True)
            into.mkdir(parents=True, exist_ok=True)
            (into / "so_far.json").write_text(json.dumps(line | watch.effort() | {"curve": watch.curve}))

        watch = Watch(lambda texts: scored(texts, validation), limit=limit, passes=passes, told=told)
        signal.signal(signal.SIGTSTP, watch.wait_to_go_on)
        interrupted = signal.signal(signal.SIGINT, watch.end)
        try:
            line |= _trainer(system.name)(watch, recipe, validation, into)
        finally:
            signal.signal(signal.SIGINT, interrupted)
        line |= watch.effort() | {"curve": watch.curve, "passes": passes}
    line["reached"] = {f"{goal:.0f}": reached(line["curve"], goal) for goal in GOALS}
    results.parent.mkdir(exist_ok=True)
    with results.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    return line


def _trainer(name: str) -> Callable[[Watch, Recipe, Corpus, Path], Line]:
    if name == "regard":
        return by_regard
    from benchmarks import minutes_peers

    return {
        "joeynmt": minutes_peers.by_joeynmt,
        "joeynmt-small": minutes_peers.by_small_joeynmt,
        "huggingface": minutes_peers.by_huggingface,
    }[name]


def main(words: Sequence[str] | None = None) -> None:
    """Measure a system, or say which are measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system", nargs="?", choices=SYSTEMS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=float, default=90.0, metavar="MINUTES", help="of training")
    parser.add_argument("--run", type=Path, help="of regard, that has ended: its history is read")
    parser.add_argument("--passes", type=float, default=PASSES, help="over the data, between validations")
    parser.add_argument("--work", type=Path, default=WORK, help="where checkpoints go")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the line goes")
    options = parser.parse_args(words)
    if options.system is None:
        for system in SYSTEMS.values():
            line = newest(system.name)
            state = "not measured yet" if line is None else "; ".join(_told(line, goal) for goal in GOALS)
            print(f"{system.title}: {state}\n    {system.command}")
        return
    given = {name: value for name, value in vars(options).items() if name != "system"}
    try:
        line = measure(SYSTEMS[options.system], **given)
    except RegardError as error:
        raise SystemExit(f"Error: {error}") from error
    for goal in GOALS:
        print(_told(line, goal))


def _told(line: Line, goal: float) -> str:
    said = found(line, goal)
    return f"BLEU {goal:.0f} {said}" if said.startswith("not") else f"BLEU {goal:.0f} after {said} minutes"


if __name__ == "__main__":
    main()
