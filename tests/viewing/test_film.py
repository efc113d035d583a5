import pytest

from regard.errors import RegardError
from regard.viewing import AttentionMap, film
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
