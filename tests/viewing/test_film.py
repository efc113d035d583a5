from pathlib import Path

import pytest

from regard.errors import DataError, RegardError
from regard.viewing import AttentionMap, AttentionMaps, film, read_looks
from tests.viewing.some import by_hand, several_heads, triangle


def frames(count: int) -> list[tuple[int, AttentionMap]]:
    return [(100 * number, by_hand()) for number in range(count)]


def test_frames_stand_in_order_of_their_steps() -> None:
    layout = film(reversed(frames(3)))
    assert [frame.name for frame in layout.frames] == ["step 0", "step 100", "step 200"]
    assert layout.title == "decoder.0.cross"


def test_each_frame_tells_its_measure() -> None:
    assert film(frames(1)).frames[0].caption == "sharpness 0.60"
    assert film(frames(1), by="first").frames[0].caption == "first 0.35"


def test_words_are_written_once_for_each_row_of_frames() -> None:
    svg = film(frames(7), across=5).svg()
    assert svg.count(">chat<") == 2
    assert svg.count(">cat<") == 1


def test_masked_cells_stay_masked() -> None:
    assert film([(1, triangle())]).frames[0].values[0] == (1.0, None, None)


def test_what_is_no_film_is_refused() -> None:
    with pytest.raises(RegardError) as caught:
        film([])
    assert str(caught.value) == "a film needs one or more (step, map) pairs, but got none."
    with pytest.raises(RegardError) as caught:
        film([(31, several_heads())])
    assert str(caught.value) == "a film shows one head, but step 31 has 3: take one by .head(0), or .mean()."
    with pytest.raises(RegardError) as caught:
        film([(0, by_hand()), (7, triangle())])
    assert str(caught.value) == "a film shows the same words throughout, but step 7 has others than step 0."
    with pytest.raises(RegardError) as caught:
        film(frames(1), across=0)
    assert str(caught.value) == "across must be 1 or more, but got 0."


def test_a_page_steps_through_the_frames_without_a_script(tmp_path: Path) -> None:
    hostile = by_hand().replace(query_labels=["</style><script>", "chat"], name="<b>")
    page = film([(1, hostile), (2000, hostile)]).save(tmp_path / "film.html").read_text(encoding="utf-8")
    assert page.count('type="radio"') == 2
    assert page.count(" checked>") == 1
    assert '<label for="step1">step 2,000</label>' in page
    assert "<script" not in page
    assert "<b>" not in page
    assert "default-src 'none'" in page
    assert "http://www.w3.org" in page
    assert "src=" not in page.replace("default-src=", "")


def test_a_film_is_read_from_the_looks_of_a_run(tmp_path: Path) -> None:
    for step in (500, 1000, 20):
        AttentionMaps([by_hand()]).save(tmp_path / f"{step:08}.npz")
    looks = read_looks(tmp_path)
    assert [step for step, _ in looks] == [20, 500, 1000]
    assert looks[0][1]["decoder.0.cross"].query_labels == ("le", "chat")
    with pytest.raises(DataError) as caught:
        read_looks(tmp_path / "none")
    assert str(caught.value) == (
        f"there is no look in {tmp_path / 'none'}: a run keeps one at each validation."
    )
