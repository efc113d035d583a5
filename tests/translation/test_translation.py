import math
import pickle
from copy import copy
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from regard.translation import Alternative, Repetition, SureWord, Translation
from regard.translation.translation import joined, most_repeated


def test_nothing_to_say_is_said_with_certainty() -> None:
    nothing = Translation(source=" ", text=" ")
    assert (nothing.confidence, nothing.warnings, str(nothing)) == (1.0, (), " ")


def test_confidence_is_the_geometric_mean_over_the_tokens_and_their_end() -> None:
    translation = Translation(source="a b", text="c d", log_probability=3 * math.log(0.5), pieces=("c", " d"))
    assert math.isclose(translation.confidence, 0.5)
    cut = Translation(
        source="a b", text="c d", log_probability=2 * math.log(0.5), pieces=("c", " d"), cut=True
    )
    assert math.isclose(cut.confidence, 0.5)


def test_every_warning_is_a_sentence() -> None:
    translation = Translation(
        source="猫\u00a0犬",
        text="la la la",
        cut=True,
        repeated=Repetition("la", 3),
        unknown=("猫", "\u00a0", "犬"),
    )
    assert translation.warnings == (
        "The translation was cut at its greatest length.",
        "'la' is written 3 times in a row.",
        "The vocabulary does not hold 猫, U+00A0, 犬.",
    )


def test_many_unknown_characters_are_counted() -> None:
    translation = Translation(source="", text="", unknown=tuple("一二三四五六七八九十百千"))
    assert translation.warnings == (
        "The vocabulary does not hold 一, 二, 三, 四, 五, 六, 七, 八, 九, 十 and 2 more.",
    )


def test_parts_are_put_together() -> None:
    parts = [
        Translation(
            source="a",
            text="x",
            log_probability=-1.0,
            pieces=("x",),
            words=(SureWord("x", 0.5),),
            alternatives=(Alternative("y", -2.0), Alternative("z", -3.0)),
            unknown=("é",),
        ),
        Translation(
            source="b", text="w", log_probability=-0.5, pieces=("w",), cut=True, repeated=Repetition("w", 4)
        ),
    ]
    whole = joined("a b", "x w", parts, ["y w", "z w"])
    assert whole.log_probability == -1.5
    assert whole.pieces == ("x", "w")
    assert whole.words == (SureWord("x", 0.5),)
    assert whole.alternatives == (Alternative("y w", -2.5), Alternative("z w", -3.5))
    assert math.isclose(whole.confidence, math.exp(-0.5))
    assert whole.warnings == (
        "The translation was cut at its greatest length in one of its parts.",
        "'w' is written 4 times in a row.",
        "The vocabulary does not hold é.",
    )


def test_what_was_deferred_is_worked_out_once_and_is_like_what_was_not() -> None:
    in_full = Translation(source="a", text="b", log_probability=-0.5, pieces=("b",), cut=True)
    asked = []

    def work_out() -> Translation:
        asked.append("all")
        return in_full

    brief = Translation.deferred(source="a", text="b", cut=True, work_out=work_out)
    assert (brief.text, brief.cut, asked) == ("b", True, [])
    assert (brief.pieces, brief.log_probability, brief.words) == (("b",), -0.5, ())
    assert brief == in_full
    assert replace(brief, text="c") == replace(in_full, text="c")
    assert asked == ["all"]


def test_what_was_deferred_goes_to_another_process_in_full() -> None:
    in_full = Translation(source="a", text="b", alternatives=(Alternative("c", -2.0),))
    brief = Translation.deferred(source="a", text="b", cut=False, work_out=lambda: in_full)
    assert pickle.loads(pickle.dumps(brief)) == in_full
    assert copy(brief) == in_full


@given(
    st.lists(st.integers(4, 6), max_size=9),
    st.lists(st.integers(7, 9), min_size=1, max_size=3),
    st.integers(2, 5),
)
def test_what_is_written_in_succession_is_counted(before: list[int], run: list[int], times: int) -> None:
    place, most = most_repeated([*before, *run * times])
    assert most >= times
    tokens = [*before, *run * times]
    found = tokens[place.start : place.stop]
    assert tokens[place.start : place.start + len(found) * most] == found * most
