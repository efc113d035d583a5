"""Sentence pairs of any number into tokens on disk, once, by all cores."""

import gc
import json
import math
import os
import shutil
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, islice, pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import IO, Any

import numpy as np

from regard.collecting import uncollected
from regard.errors import DataError
from regard.sealing import sealed
from regard.text.corpus import MOST_VALIDATION_PAIRS, MOST_VALIDATION_SHARE, Pair, Reading, drawn
from regard.text.prepared import (
    FORMAT,
    LENGTHS,
    MANIFEST,
    SHARDS,
    TOKENIZER,
    VALIDATION,
    VERSION,
    Prepared,
)
from regard.text.reading import DEFAULT, ReadingSettings, Source, read, stream
from regard.text.tokenizer import Tokenizer
from regard.wording import counted

PAIRS_PER_SHARD, MOST_SHARDS = 1 << 20, 256
LARGEST_SAMPLE = 1 << 19
"""Pairs that a tokenizer is learned from at most; at least half as many where there are more."""
_CHUNK = 20_000
_DEAL = 0x5EED


@uncollected()  # no objects hold each other here, but there are very many
def prepare_pairs(
    source: Source,
    into: str | Path,
    *,
    validation: Source | None = None,
    settings: ReadingSettings = DEFAULT,
    skip_bad: bool = False,
    share: float | None = None,
    kind: str = "byte-level",
    size: int | None = None,
    joint: bool = True,
    least_count: int = 3,
    tokenizer: Tokenizer | None = None,
    workers: int | None = None,
    tell: Callable[[str, int], None] = lambda stage, pairs: None,
) -> Prepared:
    """Turn sentence pairs into a folder that training reads from disk.

    The source is read twice: first to check every line, count, and learn a tokenizer from a sample
    spread evenly over it, then to cut it into tokens. The folder appears whole or not at all.
    ``tell`` hears how many pairs each stage has seen. Each worker takes a core.
    """
    into = Path(into)
    if into.exists():
        raise DataError(f"{into} is there already. Name another folder.")
    aside = into.with_name(f".{into.name}.aside")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        (aside / SHARDS).mkdir(parents=True)
        survey = _surveyed(source, settings, skip_bad, is_split=validation is None, tell=tell)
        share = survey.share(share) if validation is None else 0.0
        if tokenizer is None:
            kept = [pair for pair in survey.sample if not survey.is_aside(pair.source, share)]
            tell("learning a tokenizer from", len(kept))
            tokenizer = Tokenizer.train(kept, kind=kind, size=size, joint=joint, least_count=least_count)
        survey.sample.clear()
        tokenizer.save(aside / TOKENIZER)
        with (aside / VALIDATION).open("w", encoding="utf-8", newline="\n") as beside:
            if validation is not None:
                for pair in read(validation, settings, skip_bad=skip_bad).pairs:
                    _write_line(beside, pair)
            pairs = _learned_from(source, settings, survey, share, beside)
            written = _written(pairs, aside, survey.kept, tokenizer, workers, tell)
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            **written,
            "reading": {"kept": survey.kept, "dropped": dict(survey.dropped)},
        }
        for name in (TOKENIZER, VALIDATION):
            manifest["files"][name] = _seal(aside / name)
        (aside / MANIFEST).write_bytes(sealed(manifest))
        for name in (TOKENIZER, VALIDATION, MANIFEST):
            with (aside / name).open("rb") as file:
                os.fsync(file.fileno())
        os.rename(aside, into)
    except OSError as error:
        free = shutil.disk_usage(into.parent).free if into.parent.is_dir() else 0
        raise DataError(
            f"{into} could not be written: {error.strerror or error}; {free:,} bytes are free there."
        ) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return Prepared(into)


@dataclass
class _Survey:
    """What the first reading found."""

    kept: int
    dropped: Counter[str]
    sample: list[Pair]
    lowest: float
    highest: float

    def share(self, wanted: float | None) -> float:
        """As :meth:`regard.text.Corpus.split` divides."""
        if self.lowest == self.highest:
            raise DataError(
                f"the {counted(self.kept, 'pair holds', 'pairs hold')} fewer than two different source "
                "sentences, so none can be set aside for validation. Give more pairs."
            )
        return wanted or min(MOST_VALIDATION_SHARE, MOST_VALIDATION_PAIRS / max(1, self.kept))

    def is_aside(self, source: str, share: float) -> bool:
        if not share:
            return False
        draw = drawn(source)
        return draw == self.lowest or (draw < share and draw != self.highest)


def _surveyed(
    source: Source,
    settings: ReadingSettings,
    skip_bad: bool,
    *,
    is_split: bool,
    tell: Callable[[str, int], None],
) -> _Survey:
    """Read everything once: refuse what is bad, count, and keep every so many-th pair as a sample."""
    survey = _Survey(0, Counter(), [], math.inf, -math.inf)
    every = 1
    for item in stream(source, settings):
        if not isinstance(item, Pair):
            if item.is_bad and not skip_bad:
                raise DataError(f"{item} (--skip-bad, or skip_bad=True, drops such lines.)")
            survey.dropped[item.reason] += item.lines
            continue
        if is_split:
            draw = drawn(item.source)
            survey.lowest, survey.highest = min(survey.lowest, draw), max(survey.highest, draw)
        if survey.kept % every == 0:
            survey.sample.append(item)
            if len(survey.sample) > LARGEST_SAMPLE:
                survey.sample = survey.sample[::2]
                every *= 2
        survey.kept += 1
        if survey.kept % _CHUNK == 0:
            tell("checking", survey.kept)
    if not survey.kept:
        files = source if isinstance(source, str | Path) else " and ".join(map(str, source))
        reading = Reading(kept=0, dropped=survey.dropped)
        raise DataError(f"there is no sentence pair in {files}: {reading}.")
    return survey


def _learned_from(
    source: Source, settings: ReadingSettings, survey: _Survey, share: float, validation: IO[str]
) -> Iterator[Pair]:
    """The pairs to learn from; those set aside are written down on the way."""
    for item in stream(source, settings):
        if isinstance(item, Pair):
            if survey.is_aside(item.source, share):
                _write_line(validation, item)
            else:
                yield item


def _written(
    pairs: Iterator[Pair],
    folder: Path,
    expected: int,
    tokenizer: Tokenizer,
    workers: int | None,
    tell: Callable[[str, int], None],
) -> dict[str, Any]:
    """Write all shards; gives the manifest's part about them."""
    shards = min(max(1, -(-expected // PAIRS_PER_SHARD)), MOST_SHARDS)
    kind = "uint16" if max(len(tokenizer.source), len(tokenizer.target)) <= 1 << 16 else "uint32"
    digest, of_lengths = sha256(), np.zeros(0, dtype=np.int64)
    counts, tokens = [0] * shards, [0, 0]
    with ExitStack() as opened:
        parts = ("lengths", "source", "target")
        names = [[f"{SHARDS}/{number:05d}.{part}" for part in parts] for number in range(shards)]
        files = [[opened.enter_context(_Sealed(folder / name)) for name in shard] for shard in names]
        chunks = _chunks(pairs, digest)
        for encoded in _encoded(chunks, folder / TOKENIZER, shards, kind, workers):
            for number, contents in enumerate(encoded):
                for file, content in zip(files[number], contents, strict=True):
                    file.write(content)
                lengths = np.frombuffer(contents[0], LENGTHS).reshape(-1, 2)
                counts[number] += len(lengths)
                tokens = [tokens[side] + int(lengths[:, side].sum()) for side in (0, 1)]
                of_lengths = _added(of_lengths, np.bincount(lengths[:, 0]))
            tell("cutting", sum(counts))
        seals = {
            name: file.seal()
            for shard, of_shard in zip(names, files, strict=True)
            for name, file in zip(shard, of_shard, strict=True)
        }
    below = np.cumsum(of_lengths) <= 0.999 * of_lengths.sum()
    return {
        "shards": counts,
        "type": kind,
        "tokens": {"source": tokens[0], "target": tokens[1]},
        "longest_sentence": max(8, int(below.sum())),
        "sha256": digest.hexdigest(),
        "files": seals,
    }


def _chunks(pairs: Iterator[Pair], digest: Any) -> Iterator[bytes]:
    r"""Many pairs at once: the text of each sentence, ended by "\n", source before target.

    In one piece they reach a worker in a fraction of the time that as many strings take.
    """
    while chunk := list(islice(pairs, _CHUNK)):
        text = "".join([f"{source}\n{target}\n" for source, target in chunk]).encode()
        digest.update(text)
        yield text


def _encoded(
    chunks: Iterator[bytes], tokenizer: Path, shards: int, kind: str, workers: int | None
) -> Iterator[list[tuple[bytes, bytes, bytes]]]:
    """The chunks in tokens, in order, however many workers there are."""
    workers = workers or os.cpu_count() or 1
    first = list(islice(chunks, 2))
    numbered = enumerate(chain(first, chunks))
    ready = (tokenizer, shards, kind)
    if workers == 1 or len(first) < 2:  # to start others would take longer
        _be_ready(*ready)
        for number, chunk in numbered:
            yield _encode(number, chunk)
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_be_ready, initargs=ready) as pool:
        waiting: deque[Future[list[tuple[bytes, bytes, bytes]]]] = deque()
        for number, chunk in numbered:
            waiting.append(pool.submit(_encode, number, chunk))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


_ready: dict[str, Any] = {}
"""What a worker needs for every chunk; set once when it starts."""


def _be_ready(tokenizer: Path, shards: int, kind: str) -> None:
    gc.disable()  # as in uncollected: a worker does nothing else
    _ready.update(tokenizer=Tokenizer.load(tokenizer), shards=shards, kind=kind)


def _encode(number: int, chunk: bytes) -> list[tuple[bytes, bytes, bytes]]:
    """For each shard the lengths, source tokens and target tokens of the pairs it is dealt."""
    tokenizer, shards = _ready["tokenizer"], _ready["shards"]
    kind = np.dtype(_ready["kind"]).newbyteorder("<")
    sentences = chunk.decode().split("\n")[:-1]
    sources = tokenizer.source.encode_batch(sentences[0::2])
    targets = tokenizer.target.encode_batch(sentences[1::2])
    draws = np.random.Philox(key=np.array([_DEAL, number], dtype=np.uint64)).random_raw(len(sources))
    dealt = draws % np.uint64(shards)
    order = np.argsort(dealt, kind="stable").tolist()
    ends = np.cumsum(np.bincount(dealt.astype(np.int64), minlength=shards))
    lengths, flat = [], []
    for side in (sources, targets):
        ordered = [side[row] for row in order]
        lengths.append(np.fromiter(map(len, ordered), LENGTHS, len(order)))
        flat.append(np.fromiter(chain.from_iterable(ordered), kind, int(lengths[-1].sum())))
    by_pair = np.stack(lengths, axis=1)
    places = [np.concatenate([[0], np.cumsum(side, dtype=np.int64)]) for side in lengths]
    result = []
    for begin, end in pairwise([0, *ends.tolist()]):
        source, target = (tokens[at[begin] : at[end]] for tokens, at in zip(flat, places, strict=True))
        result.append((by_pair[begin:end].tobytes(), source.tobytes(), target.tobytes()))
    return result


class _Sealed:
    """A file that knows its hash and size as it is written."""

    def __init__(self, path: Path) -> None:
        self.file, self.digest, self.bytes = path.open("wb"), sha256(), 0

    def __enter__(self) -> "_Sealed":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()

    def write(self, content: bytes) -> None:
        self.file.write(content)
        self.digest.update(content)
        self.bytes += len(content)

    def seal(self) -> dict[str, Any]:
        return {"sha256": self.digest.hexdigest(), "bytes": self.bytes}


def _seal(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    return {"sha256": sha256(content).hexdigest(), "bytes": len(content)}


def _write_line(file: IO[str], pair: Pair) -> None:
    file.write(json.dumps({"source": pair.source, "target": pair.target}, ensure_ascii=False) + "\n")


def _added(counts: np.ndarray, more: np.ndarray) -> np.ndarray:
    longer, shorter = (counts, more) if len(counts) >= len(more) else (more, counts)
    longer = longer.copy()
    longer[: len(shorter)] += shorter
    return longer
