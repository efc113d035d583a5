"""``regard align``: which word stands for which, in the links of Pharaoh."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from regard.wording import counted

if TYPE_CHECKING:
    from regard.text import AlignedPair
    from regard.translation import Aligner, Links, Translator
    from regard.translation.crossing import InWords


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("data", nargs=-1, required=True)
@click.option(
    "--reverse", type=click.Path(path_type=Path), help="A run of the other direction, to agree with."
)
@click.option("--head", "names", multiple=True, metavar="NAME",
              help="A head, as decoder.1.cross:0; several are averaged. The best if left out.")  # fmt: skip
@click.option("--most", default=5, show_default=True, help="How many heads may be averaged; 1 is the best.")
@click.option(
    "--choose-on",
    "chosen_on",
    multiple=True,
    metavar="DATA",
    help="Choose the heads on other pairs than those to align; twice for parallel files.",
)
@click.option(
    "--gold", type=click.Path(path_type=Path), help="Links to compare with: i-j sure, ipj possible."
)
@click.option(
    "--join",
    type=click.Choice(["intersection", "union", "grow-diag", "grow-diag-final-and"]),
    default="grow-diag-final-and",
    show_default=True,
    help="How the links of both directions become one.",
)
@click.option("--share", default=1.0, show_default=True,
              help="Of what two words need of each other to be linked: less draws more links.")  # fmt: skip
@click.option("--spaced", is_flag=True, help="White space parts the words of Chinese and Japanese too.")
@click.option("--checkpoint", default="best", show_default=True, help="best, last, or a step.")
@click.option("--skip-bad", is_flag=True, help="Leave an empty line for lines that cannot be read.")
@click.option("--save", type=click.Path(path_type=Path), help="Write the links to this file.")
def align(
    run: Path,
    data: tuple[str, ...],
    reverse: Path | None,
    names: tuple[str, ...],
    most: int,
    chosen_on: tuple[str, ...],
    gold: Path | None,
    join: str,
    share: float,
    spaced: bool,
    checkpoint: str,
    skip_bad: bool,
    save: Path | None,
) -> None:
    """Write links i-j from source word i to target word j, one line for each pair.

    DATA is a file of tab-separated pairs, two parallel files, or an embedded corpus. Words are what white
    space parts, and are counted from 0. In Chinese, and where else words are written without spaces, each
    character counts as a word, while letters and digits in between stay whole; if your sentences are cut
    into words already, say --spaced. Where there is gold for other pairs of an embedded corpus, the heads
    are chosen by it; else by agreement with --reverse; else by what linked words tell of each other, on the
    pairs to align themselves unless --choose-on names others.

    \b
    Examples:
      regard align runs/demo embedded:en-fr:test
      regard align runs/mine pairs.tsv --save links.txt
      regard align runs/en-de test.en test.de --reverse runs/de-en --gold test.gold
      regard align runs/mine pairs.tsv --head decoder.1.cross:3
      regard align runs/en-fr test.en test.fr --reverse runs/fr-en --choose-on dev.tsv --most 1
    """
    from dataclasses import replace

    from regard import translation
    from regard.cli.pairing import gold_of, held_back, read_to_align, with_gold
    from regard.runs import Translator
    from regard.translation.crossing import turned

    pairs = [*read_to_align(data, skip_bad=skip_bad, spaced=spaced)]
    readable = [pair for pair in pairs if pair is not None]
    judged = [*read_to_align(chosen_on, skip_bad=skip_bad, spaced=spaced)] if chosen_on else pairs
    development = [pair for pair in judged if pair is not None]
    known = with_gold(development) if chosen_on else held_back(data)
    expected = gold_of(gold, pairs)
    translator = Translator.load(run, checkpoint=checkpoint)
    back = None if reverse is None else Translator.load(reverse, checkpoint=checkpoint)
    aligner, other = _aligners(translator, back, development, known, names, most)
    aligner, other = replace(aligner, share=share), other and replace(other, share=share)
    click.echo(f"Aligned by {aligner}.", err=True)
    links: Iterator[Links] = translation.align_pairs(translator, readable, aligner)
    if back is not None and other is not None:
        click.echo(f"And by {other} of {reverse}, joined by {join}.", err=True)
        links_back = translation.align_pairs(back, map(turned, readable), other)
        links = (
            translation.symmetrise(there, translation.reverse(here), join)
            for there, here in zip(links, links_back, strict=True)
        )
    found: list[Links] = []
    with _opened(save) as file:
        for pair in pairs:
            found.append(frozenset() if pair is None else next(links))
            file.write(translation.pharaoh(found[-1]) + "\n")
    if expected is not None:
        kept = [place for place, pair in enumerate(pairs) if pair is not None]
        rate = translation.alignment_error_rate(
            [found[place] for place in kept],
            [expected[place][0] for place in kept],
            [expected[place][1] for place in kept],
        )
        click.echo(f"Alignment error rate {rate:.1%} on {counted(len(kept), 'pair')}.", err=True)
    if save is not None:
        click.echo(f"Saved {save}.", err=True)


@contextmanager
def _opened(path: Path | None) -> Iterator[IO[str]]:
    from regard.cli.files import writing

    if path is None:
        yield sys.stdout
    else:
        with writing(path), path.open("w", encoding="ascii") as file:
            yield file


def _aligners(
    translator: "Translator",
    back: "Translator | None",
    pairs: "list[InWords]",
    gold: "Sequence[AlignedPair]",
    names: tuple[str, ...],
    most: int,
) -> "tuple[Aligner, Aligner | None]":
    """The heads asked for, or the best there are of each direction."""
    from regard import translation
    from regard.translation.crossing import turned

    aligner = None
    if names:
        heads = tuple(translation.AligningHead.called(name, translator) for name in names)
        aligner = translation.Aligner(heads=heads)
    if gold:
        other = None if back is None else translation.aligner_by_gold(back, [*map(turned, gold)], most=most)
        return aligner or translation.aligner_by_gold(translator, gold, most=most), other
    if back is not None:
        agreed, other = translation.aligners_by_agreement(translator, back, pairs, most=most)
        return aligner or agreed, other
    return aligner or translation.aligner_by_information(translator, pairs, most=most), None
