"""Deciding what a page shows: which tokens, in which words, beside what, and which heads can be edited."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import ceil
from typing import Any

from regard.errors import RegardError
from regard.viewing.maps import AttentionMap
from regard.viewing.page.arithmetic import Arithmetic, arithmetic_of
from regard.viewing.page.facts import Facts, Shown, colours, cut
from regard.viewing.page.packing import COARSE, FINE
from regard.viewing.page.writing import SPOKEN, Page, document
from regard.viewing.seen import AttentionMaps, layer_of
from regard.viewing.typography import east_asian, visible
from regard.viewing.words import SPECIAL, Words
from regard.wording import counted

VIEWS = ("heatmap", "flow", "table")
THEMES = ("auto", "light", "dark")
BUDGET = 14_500_000
"""How many bytes weights may take before long inputs are cut to a window."""
NOTEBOOK = 2_000_000
"""The same for a page in a notebook, which is saved with all its outputs."""
FEW = 250_000
"""So many weights may have two bytes each."""
EDITABLE = 3_000_000
"""How many bytes may go into heads that can be edited, where none is named."""
STILL = 20_000
"""How many cells a picture may have that stands in where no page may run."""
LONGEST_TITLE = 90

Window = tuple[int, int]


def make(
    maps: Mapping[str, AttentionMap],
    *,
    words: Mapping[str, Words | None] | None = None,
    beside: Mapping[str, Mapping[str, AttentionMap]] | None = None,
    seen: Mapping[str, Any] | None = None,
    edit: Iterable[tuple[str, int]] | None = None,
    sample: int = 0,
    window: Window | None = None,
    budget: int | None = BUDGET,
    title: str | None = None,
    first: tuple[str, int] | None = None,
    view: str | None = None,
    subwords: bool = False,
    language: str = "en",
    theme: str = "auto",
    embedded: bool = False,
) -> Page:
    """Make a page of maps.

    ``words`` are those of each axis; where none are given the pieces' own marks tell.
    ``beside`` are other maps by what they are called, to compare with. ``seen`` is what was
    watched, and lets heads be edited: those named in ``edit``, or as many as stay small.
    ``window`` is the first token shown and the first no longer shown, on both sides; left
    out, inputs are shown whole as long as the page stays within its budget of bytes.
    ``first`` names the map and the head that are shown first, and ``subwords`` begins with
    pieces where words are known too.
    """
    if language not in SPOKEN:
        raise RegardError(f"language must be one of {', '.join(map(repr, SPOKEN))}, but got {language!r}.")
    if theme not in THEMES:
        raise RegardError(f"theme must be one of {', '.join(map(repr, THEMES))}, but got {theme!r}.")
    if view not in (None, "grid", *VIEWS):
        raise RegardError(f"view must be one of {', '.join(map(repr, VIEWS))}, but got {view!r}.")
    sets: dict[str, Mapping[str, AttentionMap]] = {"": maps, **(beside or {})}
    every = [each for group in sets.values() for each in group.values()]
    longest = max(max(each.weights.shape[-2:]) for each in every)
    start, stop = _check(window, longest) if window else (0, _fitting(every, longest, budget))
    editable = _editable(maps, seen, edit, sample, (start, stop))
    shown = [
        _shown(each, name, words or {}, (start, stop), tuple(editable.get(each.name, ())) if not name else ())
        for name, group in sets.items()
        for each in group.values()
    ]
    few = sum(each.seen.per_head.numel() for each in shown) <= FEW
    facts = Facts(steps=FINE if few else COARSE)
    told: dict[str, Any] = {
        "title": visible(_title(next(iter(maps.values()), None), maps) if title is None else title),
        "language": language,
        "theme": theme,
        "view": view if view in VIEWS else "heatmap",
        "first": _place(maps, first),
        "subwords": subwords,
        "embedded": embedded,
        "maps": [facts.map(each) for each in shown],
        "steps": facts.steps,
        "window": [start, stop, longest] if (start, stop) != (0, longest) else None,
    }
    told |= {"sides": facts.sides, "error": _upwards(facts.error), "colours": colours()}
    return Page(
        html=document(told["title"], language, told, facts.blobs.packed),
        title=told["title"],
        summary=_summary(maps, told, sum(map(len, editable.values())), seen is not None),
        error=facts.error,
        still=_still(maps) if embedded else "",
    )


def _check(window: Window, longest: int) -> Window:
    start, stop = window
    if not 0 <= start < stop:
        raise RegardError(
            f"window must be the first token shown and the first no longer shown, but got {window}."
        )
    if start >= longest:
        raise RegardError(
            f"window must begin among the {counted(longest, 'token')} there are, but it begins at {start}."
        )
    return start, min(stop, longest)


def _place(maps: Mapping[str, AttentionMap], first: tuple[str, int] | None) -> tuple[int, int]:
    """The number of a map and of one of its heads."""
    name, head = first or (next(iter(maps)), 0)
    if name not in maps or not 0 <= head < maps[name].heads:
        raise RegardError(f"there is no head {head} of {name!r} to show first.")
    return list(maps).index(name), head


def _fitting(maps: Sequence[AttentionMap], longest: int, budget: int | None) -> int:
    """How many tokens of each side may be shown; bytes in base64 take a third more."""

    def size(tokens: int) -> int:
        shapes = [each.per_head.shape for each in maps]
        cells = sum(heads * min(queries, tokens) * (min(keys, tokens) + 4) for heads, queries, keys in shapes)
        return ceil(cells * 4 / 3)

    if budget is None or size(longest) <= budget:
        return longest
    least, most = 1, longest
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if size(middle) <= budget else (least, middle)
    return least


def _shown(
    each: AttentionMap,
    name: str,
    words: Mapping[str, Words | None],
    window: Window,
    editable: tuple[Arithmetic, ...],
) -> Shown:
    rows, columns = (_within(window, count) for count in each.weights.shape[-2:])
    query_words, key_words = (
        _checked(words.get(axis), labels)
        for axis, labels in zip(each.axes, (each.query_labels, each.key_labels), strict=True)
    )
    whole = (len(rows), len(columns)) == each.weights.shape[-2:]
    return Shown(
        seen=each if whole else each.at(queries=list(rows), keys=list(columns)),
        query_words=cut(query_words, rows.start, rows.stop),
        key_words=cut(key_words, columns.start, columns.stop),
        layer=layer_of(each.name),
        set=visible(name) if name else "",
        editable=editable,
    )


def _checked(words: Words | None, labels: tuple[str, ...]) -> Words:
    if words is None:
        return _own_words(labels)
    Words.of_groups(words.groups, labels)
    return words


@lru_cache(maxsize=8)
def _own_words(labels: tuple[str, ...]) -> Words:
    """Words by the pieces' marks; the layers of a model share their labels."""
    return Words.of_pieces(labels)


def _within(window: Window, count: int) -> range:
    """The part of a side that lies in the window; a short side that lies before it is shown whole."""
    start, stop = window
    return range(count) if start >= count else range(start, min(stop, count))


def _editable(
    maps: Mapping[str, AttentionMap],
    seen: Mapping[str, Any] | None,
    edit: Iterable[tuple[str, int]] | None,
    sample: int,
    window: Window,
) -> dict[str, list[Arithmetic]]:
    """The heads that can be edited: all keys must be on the page, for a softmax needs them all."""
    if seen is None:
        if edit is not None:
            raise RegardError("heads can be edited only if the page is given what was watched: seen=….")
        return {}
    named = None if edit is None else list(edit)
    wanted = (
        [(name, head) for name, each in maps.items() for head in range(each.heads)]
        if named is None
        else named
    )
    found: dict[str, list[Arithmetic]] = {}
    left = EDITABLE
    for name, head in wanted:
        if name not in maps or not 0 <= head < maps[name].heads:
            raise RegardError(f"there is no head {head} of {name!r} to edit.")
        if window[0] > 0 or window[1] < max(maps[name].weights.shape[-2:]):
            if named is None:
                continue
            raise RegardError(
                f"{name!r} cannot be edited: a softmax needs all its keys, but a window is shown."
            )
        taken = arithmetic_of(seen[name], maps[name], head, sample)
        left -= taken.size
        if named is None and left < 0:
            break
        found.setdefault(name, []).append(taken)
    return found


def _title(first: AttentionMap | None, maps: Mapping[str, AttentionMap]) -> str:
    """The sentences themselves, the source and then the target; long ones are named after the maps."""
    cross = next((each for each in maps.values() if each.kind == "cross"), None)
    one = cross or first
    assert one is not None
    sides = (one.key_labels, one.query_labels) if cross else (one.key_labels,)
    title = " → ".join(map(_sentence, sides))
    return title if 0 < len(title) <= LONGEST_TITLE else one.name if len(maps) == 1 else "attention"


def _sentence(labels: tuple[str, ...]) -> str:
    """Words as they are written: Chinese and Japanese without spaces between them.

    >>> _sentence(("他", "说", "：", "“", "你", "好", "”", "。")), _sentence(("say", "你", "好", "twice"))
    ('他说：“你好”。', 'say 你好 twice')
    """
    written = ""
    for word in Words.of_pieces(labels).labels:
        if word and word not in SPECIAL:
            written += word if not written or _touch(written[-1], word[0]) else f" {word}"
    return written


def _touch(*letters: str) -> bool:
    """Whether no space is written between: one is Chinese or Japanese, and both are, or signs that may be."""
    wide = [
        unicodedata.east_asian_width(letter) in "WFH"
        and unicodedata.category(letter)[0] in "LNP"
        and east_asian(letter) != "Korean"
        for letter in letters
    ]
    signs = [not letter.isascii() and unicodedata.category(letter)[0] == "P" for letter in letters]
    return any(wide) and all(one or sign for one, sign in zip(wide, signs, strict=True))


def _summary(maps: Mapping[str, AttentionMap], told: Mapping[str, Any], editable: int, watched: bool) -> str:
    heads = sum(each.heads for each in maps.values())
    queries, keys = (max(each.weights.shape[side] for each in maps.values()) for side in (-2, -1))
    said = [f"{counted(len(maps), 'attention')}, {counted(heads, 'head')}, {queries} × {keys} tokens; "]
    said.append(f"weights are right to ±{told['error']}.")
    if told["window"]:
        start, stop, longest = told["window"]
        said.append(f" Tokens {start + 1}–{stop} of {longest} are shown; window=(start, stop) shows others.")
    if watched:
        said.append(f" {counted(editable, 'head')} can be edited.")
    return "".join(said)


def _upwards(error: float) -> str:
    """An error as it is told, never too small.

    >>> _upwards(0.0019301), _upwards(0.0000071), _upwards(0.0)
    ('0.001931', '0.000008', '0')
    """
    return f"{ceil(error * 1e6) / 1e6:.6f}".rstrip("0").rstrip(".")


def _still(maps: Mapping[str, AttentionMap]) -> str:
    if sum(each.per_head.numel() for each in maps.values()) > STILL:
        return ""
    first, *others = maps.values()
    return (AttentionMaps(maps.values()) if others else first).svg()
