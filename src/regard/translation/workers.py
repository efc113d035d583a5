"""Sentences dealt to processes: each searches with one thread, and none waits for another.

Threads of one process share Python's lock, and a batch that is parted among them gains nothing. Processes
are copies of this one (``fork``), made when there is first enough to do and kept for the next time. The
model and its packed matrices are in memory once for all of them; tokens go out and hypotheses come back
through pipes. A copy of parameters that have changed since is not asked again: new ones are made.
"""

import ctypes
import gc
import os
import signal
import sys
import threading
import traceback
import warnings
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection, Pipe, wait
from types import TracebackType
from typing import Any, NamedTuple, Self

import torch
from torch.nn.modules.module import _global_forward_hooks, _global_forward_pre_hooks

from regard.attention.linear import Imprint
from regard.attention.watching import nobody_looks
from regard.errors import RecipeError, RegardError
from regard.models import TranslationModel
from regard.translation.grouping import groups_of
from regard.translation.search import DEFAULT, Hypothesis, search
from regard.translation.settings import SearchSettings
from regard.translation.shortlist import Shortlist
from regard.wording import counted

Tokens = Sequence[int]
TOKENS_PER_BATCH = 2_048
"""Tokens that are searched together, with their padding."""
USUAL_ROWS = 16
"""Hypotheses of a sentence beyond which fewer sentences are searched at a time, to hold no more memory."""
FEWEST = 32
"""Sentences that a process must have to do, or all are searched here."""
MOST = 8
"""Processes that are made where nobody says how many."""
_MOST_MAPPED, _TRIMMED_ABOVE = -4, -1
"""What glibc calls M_MMAP_MAX and M_TRIM_THRESHOLD."""
GLANCE = 1.0
"""Seconds after which a process that waits looks whether anybody is left to wait for."""


class Workers:
    """Searches sentences of like length together, in this process or in several.

    ``processes`` is how many; left out, as many as torch has threads here, at most eight. What is found does
    not depend on it. Where copies cannot safely be made all is searched here, and likewise where there is
    little to do: copies need ``fork``, a model on the CPU that nobody watches or changes, and a program
    without other threads of Python.

    >>> from regard.models import Transformer
    >>> model = Transformer(vocabulary=11, width=6, heads=2, layers=1, hidden_width=7)
    >>> with Workers(model, processes=2) as workers:
    ...     len(workers.search([[5, 6, 7], [8]]))
    2
    """

    def __init__(
        self,
        model: TranslationModel[Any],
        *,
        processes: int | None = None,
        quantization: str | None = None,
        shortlist: Shortlist | None = None,
    ) -> None:
        if processes is not None and processes < 1:
            raise RecipeError(f"processes must be at least 1, but got {processes}.")
        self.model, self.processes = model, processes
        self.quantization, self.shortlist = quantization, shortlist
        self._team: _Team | None = None
        self._asked = threading.Lock()

    def search(
        self,
        sources: Sequence[Tokens],
        settings: SearchSettings = DEFAULT,
        *,
        prefixes: Sequence[Tokens] | None = None,
        tokens_per_batch: int = TOKENS_PER_BATCH,
    ) -> list[list[Hypothesis]]:
        """The best targets of each source, the best first, as :func:`search` finds them."""
        tokens = tokens_per_batch * USUAL_ROWS // max(USUAL_ROWS, settings.rows)
        with self._team_for(len(sources)) as team:
            lengths = [len(source) + 1 for source in sources]
            groups = [*groups_of(lengths, tokens=tokens, parts=1 if team is None else len(team.members))]
            tasks = [
                _Task(
                    [sources[place] for place in group],
                    None if prefixes is None else [prefixes[place] for place in group],
                    settings,
                )
                for group in groups
            ]
            answers = map(self._do, tasks) if team is None else team.do(tasks)
            found = {
                place: hypotheses
                for group, answer in zip(groups, answers, strict=True)
                for place, hypotheses in zip(group, answer, strict=True)
            }
        return [found[place] for place in range(len(sources))]

    def close(self) -> None:
        """End the processes; the next search makes new ones, if it needs them."""
        team, self._team = self._team, None
        if team is not None:
            team.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, or what is written of it, makes processes of its own."""
        make = partial(
            Workers, processes=self.processes, quantization=self.quantization, shortlist=self.shortlist
        )
        return make, (self.model,)

    @contextmanager
    def _team_for(self, sentences: int) -> Iterator["_Team | None"]:
        """The processes that may be asked now, or None; they are ended if what they do is broken off."""
        count = min(cores(), automatic() if self.processes is None else self.processes)
        worth_it = count > 1 and sentences >= count * FEWEST
        if not worth_it or not _alone(self.model) or not self._asked.acquire(blocking=False):
            yield None
            return
        try:
            if self._team is not None and not self._team.is_as(self.model, count):
                self.close()
            if self._team is None:
                self._team = _team_of(self.model, count, self._do)
            try:
                yield self._team
            except BaseException:
                self.close()
                raise
        finally:
            self._asked.release()

    def _do(self, task: "_Task") -> list[list[Hypothesis]]:
        return search(
            self.model,
            task.sources,
            task.settings,
            prefixes=task.prefixes,
            quantization=self.quantization,
            shortlist=self.shortlist,
        )


def automatic() -> int:
    """How many processes are made where nobody says: a thread of torch becomes a process."""
    return min(torch.get_num_threads(), MOST)


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def threads() -> int:
    """Threads of Python in this program: a lock that another holds would be held in a copy for ever."""
    return threading.active_count()


class _Task(NamedTuple):
    """Sentences to search together."""

    sources: list[Tokens]
    prefixes: list[Tokens] | None
    settings: SearchSettings


class _Broken(NamedTuple):
    """An error in another process, as it goes through a pipe."""

    error: BaseException


class _Team:
    """Processes made at one time, of one state of a model."""

    def __init__(self, model: TranslationModel[Any], count: int, do: Any) -> None:
        self.modules = [*model.modules()]
        self.imprints = [Imprint.of(tensor) for tensor in _tensors(model)]
        self.members: list[_Member] = []
        self.end = weakref.finalize(self, _end, self.members, os.getpid())
        try:
            for _ in range(count):
                self.members.append(_Member(do, self.members))
        except OSError:
            self.end()
            raise

    def is_as(self, model: TranslationModel[Any], count: int) -> bool:
        """Whether there are so many processes, of this one, and the model is still what they have of it."""
        tensors, modules = _tensors(model), [*model.modules()]
        return (
            self.end.alive
            and len(self.members) == count
            and all(member.owner == os.getpid() for member in self.members)
            and len(modules) == len(self.modules)
            and all(one is other for one, other in zip(modules, self.modules, strict=True))
            and len(tensors) == len(self.imprints)
            and all(made.is_of(tensor) for made, tensor in zip(self.imprints, tensors, strict=True))
        )

    def do(self, tasks: Sequence[_Task]) -> Iterator[list[list[Hypothesis]]]:
        """What comes of the tasks, in order; whoever is free gets the next."""
        found: dict[int, list[list[Hypothesis]]] = {}
        waiting = iter(enumerate(tasks))
        busy: dict[Connection, tuple[_Member, int]] = {}
        free = [*self.members]
        while True:
            for number, task in waiting:
                member = free.pop()
                member.ask(task)
                busy[member.pipe] = member, number
                if not free:
                    break
            if not busy:
                break
            for pipe in wait([*busy]):
                assert isinstance(pipe, Connection)
                member, number = busy.pop(pipe)
                found[number] = member.answer(tasks[number])
                free.append(member)
        return iter([found[number] for number in range(len(tasks))])


class _Member:
    """A copy of this process that searches what it is asked for, until nobody is left to ask."""

    def __init__(self, do: Any, others: Sequence["_Member"]) -> None:
        self.owner = os.getpid()
        self.pipe, there = Pipe()
        with warnings.catch_warnings():
            # Threads of Python there are none, and those that compute are not used in the copy.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process = os.fork()
        if self.process == 0:
            _live(do, there, (self.pipe, *(other.pipe for other in others)), self.owner)
        there.close()

    def ask(self, task: _Task) -> None:
        """Give it something to do."""
        try:
            self.pipe.send(task)
        except OSError as error:
            raise self._lost(task) from error

    def answer(self, task: _Task) -> list[list[Hypothesis]]:
        """What came of it."""
        try:
            answer: list[list[Hypothesis]] | _Broken = self.pipe.recv()
        except (EOFError, OSError) as error:
            raise self._lost(task) from error
        if isinstance(answer, _Broken):
            raise answer.error
        return answer

    def _lost(self, task: _Task) -> RegardError:
        with suppress(ChildProcessError):
            _, status = os.waitpid(self.process, 0)
            code = os.waitstatus_to_exitcode(status)
            how = f"was ended by {_name(-code)}" if code < 0 else f"ended with {code}"
            return RegardError(
                f"a worker process {how} before it had searched {counted(len(task.sources), 'sentence')}, as "
                "happens where memory runs out. Ask for fewer processes, or for 1."
            )
        return RegardError("a worker process ended before it answered. Ask for fewer processes, or for 1.")


def _name(number: int) -> str:
    known = {one.value: one.name for one in signal.Signals}
    return known.get(number, f"signal {number}")


def _team_of(model: TranslationModel[Any], count: int, do: Any) -> _Team | None:
    """Processes with everything packed that they will read; None where they cannot safely be made."""
    if threads() > 1 or sys.platform == "darwin" or not hasattr(os, "fork"):
        return None
    # All that will be laid out is so now, for one sentence and for several, or each copy would do it again.
    do(_Task([[], []], None, replace(DEFAULT, beam=1, longest_ratio=0.0, longest_slack=1)))
    try:
        return _Team(model, count, do)
    except OSError:  # no room for another process
        return None


def _alone(model: TranslationModel[Any]) -> bool:
    """Whether a copy of the model would answer as it does, and nobody here would miss what is seen there."""
    return (
        nobody_looks()
        and not (_global_forward_hooks or _global_forward_pre_hooks)
        and all(tensor.device.type == "cpu" and not tensor.is_inference() for tensor in _tensors(model))
        and not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    )


def _tensors(model: TranslationModel[Any]) -> list[torch.Tensor]:
    return [*model.parameters(), *model.buffers()]


def _live(do: Any, pipe: Connection, not_mine: Sequence[Connection], owner: int) -> None:
    """The life of a copy; it ends here, whatever happens."""
    try:
        torch.set_num_threads(1)  # threads do not survive a fork
        _keep_memory()
        gc.freeze()  # what was garbage there must not be disposed of twice
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asks is interrupted, and ends this
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for other in not_mine:
            other.close()
        while True:
            while not pipe.poll(GLANCE):
                if os.getppid() != owner:
                    return
            task = pipe.recv()
            try:
                answer = do(task)
            except BaseException as error:  # noqa: BLE001  it is raised where it was asked for
                answer = _Broken(_told(error))
            pipe.send(answer)
    except (EOFError, OSError):
        pass  # nobody is left to ask
    finally:
        os._exit(0)


def _keep_memory() -> None:
    """What one step gives back the next takes again; asked of the kernel anew, it would be cleared anew."""
    with suppress(AttributeError, OSError):  # another library than glibc
        library = ctypes.CDLL(None)
        library.mallopt(_MOST_MAPPED, 0)
        library.mallopt(_TRIMMED_ABOVE, 1 << 30)


def _told(error: BaseException) -> BaseException:
    """An error that goes through a pipe: a user's mistake as it is, a defect as text, with its place."""
    if isinstance(error, RegardError):
        return error
    return RuntimeError("In a worker process:\n" + "".join(traceback.format_exception(error)))


def _end(members: list[_Member], owner: int) -> None:
    """End processes and wait for their end; in a copy of this process only let go of the pipes."""
    for member in members:
        member.pipe.close()
        if os.getpid() == owner:
            with suppress(ProcessLookupError):
                os.kill(member.process, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(member.process, 0)
    members.clear()
