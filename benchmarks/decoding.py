"""How long does a sentence of twenty tokens, its end among them, take to write, by each engine?

    python -m benchmarks.decoding            some half an hour, a line of JSON
    python -m benchmarks.decoding --check    fewer turns and lines, and fail above a bar

All write with parameters drawn at random, ``<end>`` made unlikely, so that every sentence takes its twenty
steps: regard writes nineteen tokens and asks for the end, the others, which do not ask once a sentence is
as long as it may be, write twenty. CTranslate2 has the very parameters of regard's model, as ``regard
export`` writes them. Each engine has a process of its own, and they are asked in turn, each after a pause
in which the threads of the one before go to sleep; a ratio is the median of the ratios of its turns.
Recurrent and convolutional translators of regard write beside them. CTranslate2 may use its threads on one
batch or, as *workers*, on a part of the batch each; regard likewise, by threads or by *processes*: the faster
of the one is held against the faster of the other. JoeyNMT keeps no
past and is asked fewer times. `make bench-peers` makes the environment that has it; a peer that is absent
is said to be.

Last, a file of 10,000 lines through CTranslate2: by ``Translator.translate_lines``, which ``regard
translate`` calls, and from text to text by one call of ``translate_batch`` on as many workers, which
sorts the lines and cuts them into batches by itself: of 32 lines, as its own files are by default, of
1,024 tokens, or of 2,048. The fastest of these is what regard is held against. For all of them Python's
search for garbage passes over what was there before the first line, as it does in ``regard translate``.
"""

import argparse
import gc
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from itertools import islice, product
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import torch

from benchmarks.measuring import (
    ROOT,
    Bar,
    Case,
    about,
    conclude,
    elsewhere,
    in_turn,
    installed,
    ratio,
    seconds,
    spread,
    timed,
)
from benchmarks.peers import MIDDLING, SMALL, JoeyTranslator, Size, marian, ours, silence_the_end
from regard.models import ConvolutionalTranslator, RecurrentTranslator, Transformer
from regard.runs.engine import CTranslate2Engine
from regard.runs.exporting import export_ctranslate2, names_of
from regard.text import BEGIN, PADDING, UNKNOWN, Tokenizer, Vocabulary
from regard.translation import SearchSettings, Translator, Workers, search
from regard.wording import counted

RESULTS = Path(__file__).parent / "results" / "decoding.jsonl"
PACKAGES = ("torch", "transformers", "ctranslate2", "joeynmt")
WRITTEN = 20
BATCHES = ((32, "examples"), (1_024, "tokens"), (2_048, "tokens"))
"""How CTranslate2 is told to cut a file."""
PAUSE = 0.3
"""Seconds: threads of OpenMP look out for more work for 0.2 s before they sleep."""
SIZES = {str(size): size for size in (SMALL, MIDDLING)}
CELLS = [(SMALL, 1, 1), (SMALL, 1, 5), *((MIDDLING, batch, beam) for batch in (1, 64) for beam in (1, 5))]
"""A size, how many sentences, how wide a beam."""
OURS = ("regard", "regard, processes")
THEIRS = ("CTranslate2", "CTranslate2, workers")
BARRED = (*OURS, "Marian", *THEIRS)
"""Engines that a bar speaks of."""
Make = Callable[[Size, int, int], Case]


def sources(size: Size, count: int) -> list[list[int]]:
    """Tokens of so many sentences."""
    generator = torch.Generator().manual_seed(0)
    return torch.randint(260, size.vocabulary, (64, WRITTEN), generator=generator)[:count].tolist()


def settings(beam: int) -> SearchSettings:
    """The last of the steps asks for the end."""
    return SearchSettings(beam=beam, longest_ratio=0.0, longest_slack=WRITTEN - 1)


@cache
def tokenizer(size: Size) -> Tokenizer:
    """As many tokens as the model has: the bytes, and invented words of three letters."""
    words = (f" {''.join(letters)}".encode() for letters in product(ascii_lowercase, repeat=3))
    vocabulary = Vocabulary("words", learned=[*islice(words, size.vocabulary - len(Vocabulary("words")))])
    return Tokenizer(vocabulary, vocabulary)


@cache
def untaught(size: Size) -> Transformer:
    """regard's model, which never ends by itself."""
    torch.manual_seed(0)
    model = ours(size).eval()
    silence_the_end(model.source_embedding)
    return model


@cache
def exported(size: Size, quantization: str | None, into: Path) -> Path:
    """The same for CTranslate2."""
    folder = into / f"{size.layers}-{size.width}-{quantization}"
    export_ctranslate2(untaught(size), tokenizer(size), folder, quantization=quantization)
    return folder


def by_regard(size: Size, count: int, beam: int, quantization: str | None = None) -> Case:
    model, read = untaught(size), sources(size, count)
    return lambda: search(model, read, settings(beam), quantization=quantization)


def by_processes(threads: int, quantization: str | None) -> Make:
    """A part of the batch for each of as many processes as there are threads."""

    def make(size: Size, count: int, beam: int) -> Case:
        workers, read = (
            Workers(untaught(size), processes=threads, quantization=quantization),
            sources(size, count),
        )
        return lambda: workers.search(read, settings(beam))

    return make


def by_recurrent(size: Size, count: int, beam: int) -> Case:
    torch.manual_seed(0)
    model = RecurrentTranslator(vocabulary=size.vocabulary, width=size.width, layers=1).eval()
    silence_the_end(model.source_embedding)
    return lambda: search(model, sources(size, count), settings(beam))


def by_convolutional(size: Size, count: int, beam: int) -> Case:
    torch.manual_seed(0)
    model = ConvolutionalTranslator(vocabulary=size.vocabulary, width=size.width, layers=size.layers).eval()
    silence_the_end(model.source_embedding)
    return lambda: search(model, sources(size, count), settings(beam))


def by_marian(size: Size, count: int, beam: int) -> Case:
    torch.manual_seed(0)
    model, read = marian(size).eval(), torch.tensor(sources(size, count))
    silence_the_end(model.get_input_embeddings())
    limits = {"max_new_tokens": WRITTEN, "min_new_tokens": WRITTEN, "do_sample": False}
    return lambda: model.generate(read, attention_mask=torch.ones_like(read), num_beams=beam, **limits)


def by_joey(size: Size, count: int, beam: int) -> Case:
    torch.manual_seed(0)
    model, read = JoeyTranslator(size).eval(), torch.tensor(sources(size, count))
    return lambda: model.write(read, tokens=WRITTEN, beam=beam)


def by_ctranslate2(quantization: str | None, threads: int, workers: int, into: Path) -> Make:
    """CTranslate2 as it is called directly, on tokens that are spelled already."""

    def make(size: Size, count: int, beam: int) -> Case:
        library = loaded(exported(size, quantization, into), threads=threads, workers=workers)
        names = names_of(tokenizer(size).source)
        spelled = [[names[token] for token in source] for source in sources(size, count)]
        return lambda: library.translate_batch(
            spelled,
            max_batch_size=math.ceil(count / workers),
            beam_size=beam,
            max_decoding_length=WRITTEN,
            min_decoding_length=WRITTEN,
        )

    return make


def loaded(folder: Path, *, threads: int, workers: int) -> Any:
    """CTranslate2's own translator, on so many threads in all."""
    import ctranslate2

    return ctranslate2.Translator(
        str(folder), device="cpu", inter_threads=workers, intra_threads=threads // workers
    )


def through_regard(quantization: str | None, into: Path) -> Make:
    """CTranslate2 as regard's engine, from tokens to tokens."""

    def make(size: Size, count: int, beam: int) -> Case:
        folder = exported(size, quantization, into)
        engine, read = CTranslate2Engine(folder, tokenizer(size)), sources(size, count)
        return lambda: engine.search(read, settings(beam), prefixes=[()] * count)

    return make


def engines(threads: int, into: Path) -> dict[str, tuple[str, Make]]:
    """Every engine by name, with the package it needs."""
    found: dict[str, tuple[str, Make]] = {
        "regard": ("torch", by_regard),
        "regard int8": ("torch", partial(by_regard, quantization="int8")),
        "recurrent": ("torch", by_recurrent),
        "convolutional": ("torch", by_convolutional),
        "Marian": ("transformers", by_marian),
        "JoeyNMT": ("joeynmt", by_joey),
    }
    for quantization, named in ((None, ""), ("int8", " int8")):
        if threads > 1:
            found[f"regard{named}, processes"] = ("torch", by_processes(threads, quantization))
        direct = by_ctranslate2(quantization, threads, 1, into)
        found[f"CTranslate2{named}"] = ("ctranslate2", direct)
        if threads > 1:
            parted = by_ctranslate2(quantization, threads, threads, into)
            found[f"CTranslate2{named}, workers"] = ("ctranslate2", parted)
        found[f"regard with CTranslate2{named}"] = ("ctranslate2", through_regard(quantization, into))
    return found


def answer(name: str, threads: int) -> None:
    """Take the cells that are asked for on standard input, and answer each with its seconds."""
    torch.set_num_threads(threads)
    with tempfile.TemporaryDirectory(prefix="regard-") as into:
        make = cache(engines(threads, Path(into))[name][1])
        for line in sys.stdin:
            size, count, beam = json.loads(line)
            case = make(SIZES[size], count, beam)
            time.sleep(PAUSE)
            with torch.inference_mode():
                print("took", seconds(case), flush=True)


@contextmanager
def asking(name: str, threads: int) -> Iterator[Callable[[Size, int, int], float]]:
    """An engine in a process of its own: ask it for a cell, and it says how many seconds that took."""
    program = f"from benchmarks.decoding import answer; answer({name!r}, {threads})"
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        asked, told = process.stdin, process.stdout
        assert asked is not None
        assert told is not None

        def ask(size: Size, count: int, beam: int) -> float:
            print(json.dumps([str(size), count, beam]), file=asked, flush=True)
            for line in told:
                if line.startswith("took "):
                    return float(line.split()[1])
            raise RuntimeError(f"{name} ended with {process.wait()} before it answered.")

        yield ask
        asked.close()


def writing(
    names: list[str], threads: int, rounds: int
) -> dict[tuple[Size, int, int], dict[str, list[float]]]:
    """Milliseconds a sentence, of every cell by every engine."""
    found = {}
    with ExitStack() as stack:
        ask = {name: stack.enter_context(asking(name, threads)) for name in names}
        for size, count, beam in CELLS:
            cases = {name: partial(one, size, count, beam) for name, one in ask.items()}
            times = in_turn(cases, rounds, fewer={"JoeyNMT": 3})
            found[size, count, beam] = {name: [1e3 * t / count for t in took] for name, took in times.items()}
            shown = {
                name: round(statistics.median(took), 2) for name, took in found[size, count, beam].items()
            }
            print(
                f"{size}, {counted(threads, 'thread')}, batch {count}, beam {beam}, ms: {shown}", flush=True
            )
    return found


def file_times(lines: int, quantization: str | None, beam: int, rounds: int, threads: int) -> dict[str, Any]:
    """Seconds to translate so many lines, in turn, and how many came out otherwise."""
    torch.set_num_threads(threads)
    draw, model, both = random.Random(0), untaught(MIDDLING), tokenizer(MIDDLING)
    vocabulary, names = both.source, names_of(both.source)
    numbers = {name: number for number, name in enumerate(names)}
    words = [data.decode().strip() for data in vocabulary.learned]
    texts = [" ".join(draw.choices(words, k=draw.randint(8, 32))) for _ in range(lines)]
    with tempfile.TemporaryDirectory(prefix="regard-") as into:
        folder = exported(MIDDLING, quantization, Path(into))
        translator = Translator(model, both, engine=CTranslate2Engine(folder, both))
        library = loaded(folder, threads=threads, workers=threads)

    def directly(count: int, kind: str) -> list[str]:
        found = library.translate_batch(
            [[names[token] for token in tokens] for tokens in vocabulary.encode_batch(texts)],
            max_batch_size=count,
            batch_type=kind,
            beam_size=beam,
            max_decoding_length=WRITTEN,  # as regard asks, to see whether an end would have come
            suppress_sequences=[[names[token]] for token in (PADDING, BEGIN, UNKNOWN)],
        )
        written = (one.hypotheses[0][: WRITTEN - 1] for one in found)
        return [vocabulary.decode([numbers[name] for name in one]) for one in written]

    def through() -> list[str]:
        return [one.text for one in translator.translate_lines(texts, settings=settings(beam))]

    direct = {f"directly, {count:,} {kind}": partial(directly, count, kind) for count, kind in BATCHES}
    gc.collect()
    gc.freeze()
    times = timed({"regard": through, **direct}, rounds)
    otherwise = sum(a != b for a, b in zip(through(), directly(*BATCHES[0]), strict=True))
    return {"seconds": times, "otherwise": otherwise}


def bars_of(
    cell: tuple[Size, int, int], threads: int, times: dict[str, list[float]], names: list[str]
) -> Iterator[Bar]:
    """What a cell must come to."""
    size, count, beam = cell

    def fastest(ways: tuple[str, ...]) -> str:
        return min((name for name in ways if name in names), key=lambda name: statistics.median(times[name]))

    own = fastest(OURS)
    what = f"writing, {size}, {counted(threads, 'thread')}, batch {count}, beam {beam}: time of {own}"
    if "Marian" in names:
        yield Bar(what=f"{what} / Marian", found=ratio(times, own, "Marian"), most=0.6)
    if size == MIDDLING and any(name in names for name in THEIRS):
        other = fastest(THEIRS)
        found = ratio(times, own, other)
        yield Bar(what=f"{what} / {other}", found=found, most=2.5 if count == 1 else 1.15)


def main() -> None:
    """Measure, judge, and append one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--threads", type=int, nargs="+", help="1 2 unless said, to check 2")
    parser.add_argument("--rounds", type=int, help="9 unless said, to check 5")
    parser.add_argument("--lines", type=int, help="of the file: 10,000 unless said, to check 1,000")
    parser.add_argument("--beams", type=int, nargs="+", help="of the file: 1 5 unless said, to check 1")
    parser.add_argument("--without", nargs="*", default=[], metavar="ENGINE", help="'JoeyNMT', for instance")
    parser.add_argument("--only", choices=("writing", "file"), help="the one part or the other")
    options = parser.parse_args()
    rounds = options.rounds or (5 if options.check else 9)
    lines = options.lines or (1_000 if options.check else 10_000)
    threads = options.threads or ([2] if options.check else [1, 2])
    known = {name: package for name, (package, _) in engines(max(threads), Path()).items()}
    absent = sorted({package for package in known.values() if installed(package) is None})
    if absent:
        print(f"absent: {', '.join(absent)}. `make bench-peers` installs them.", flush=True)
    # To check, only those that have a bar.
    left_out = {*options.without}
    if options.check:
        left_out |= {name for name in known if name not in BARRED}
    names = [name for name, package in known.items() if package not in absent and name not in left_out]
    bars: list[Bar] = []
    milliseconds: dict[str, dict[str, dict[str, list[float]]]] = {}
    for count in threads if options.only != "file" else []:
        playing = [name for name in names if name in engines(count, Path())]
        for cell, times in writing(playing, count, rounds).items():
            size, batch, beam = cell
            milliseconds.setdefault(str(count), {})[f"{size}, batch {batch}, beam {beam}"] = {
                name: spread(took) for name, took in times.items()
            }
            bars += bars_of(cell, count, times, playing)
    files: dict[str, Any] = {}
    beams = options.beams or ([1] if options.check else [1, 5])
    asked = [("int8", beam, 5 if beam == 1 else 3) for beam in beams]
    if "ctranslate2" not in absent and options.only != "writing":
        for quantization, beam, turns in asked:
            call = f"file_times({lines}, {quantization!r}, {beam}, {turns}, {max(threads)})"
            found = elsewhere("benchmarks.decoding", call)
            case = f"{lines:,} lines, {quantization}, beam {beam}"
            files[case] = {name: spread(took) for name, took in found["seconds"].items()}
            files[case]["otherwise"] = found["otherwise"]
            print(f"{case}, {counted(max(threads), 'thread')}, seconds: {files[case]}", flush=True)
            direct = [name for name in found["seconds"] if name != "regard"]
            fastest = min(direct, key=lambda name: statistics.median(found["seconds"][name]))
            over = ratio(found["seconds"], "regard", fastest)
            what = f"{case}: time of regard / CTranslate2 {fastest}"
            bars.append(Bar(what=what, found=over, most=1.0))
    line = about("decoding", PACKAGES) | {
        "threads": threads,
        "written": WRITTEN,
        "absent": absent,
        "milliseconds_per_sentence": milliseconds,
        "seconds_per_file": files,
    }
    conclude(line, bars, RESULTS, check=options.check)


if __name__ == "__main__":
    main()
