import json
from pathlib import Path

import numpy as np
import pytest
import torch

from regard.errors import DataError
from regard.viewing import AttentionMap, AttentionMaps, stored

ODD = ["猫", "\ud800", "</script>", "\u202e", "\x00"]


def some_maps() -> list[AttentionMap]:
    weights = torch.rand(3, 5, 5, generator=torch.Generator().manual_seed(3)).tril()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    first = AttentionMap(
        weights, query_labels=ODD, name="decoder.0.self", kind="decoder self", value_norms=weights[0, :3]
    )
    second = AttentionMap(
        weights[0].double(), query_labels=ODD, key_labels=ODD[::-1], name="b", notes=["hand-made"]
    )
    return [first, second]


@pytest.mark.parametrize("ending", [".json", ".npz"])
def test_maps_come_back_exactly_as_they_were_saved(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"maps{ending}"
    stored.save(some_maps(), path)
    back = AttentionMaps.load(path)
    for before, after in zip(some_maps(), back.values(), strict=True):
        for part in ("name", "kind", "query_labels", "key_labels", "head_names", "axes", "notes"):
            assert getattr(after, part) == getattr(before, part)
        for part in ("weights", "keep", "value_norms"):
            a, b = getattr(after, part), getattr(before, part)
            assert (a is None and b is None) or (torch.equal(a, b) and a.dtype == b.dtype)


@pytest.mark.parametrize("ending", [".json", ".npz"])
def test_the_same_maps_are_the_same_bytes(tmp_path: Path, ending: str) -> None:
    first, second = tmp_path / f"1{ending}", tmp_path / f"2{ending}"
    stored.save(some_maps(), first)
    stored.save(some_maps(), second)
    assert first.read_bytes() == second.read_bytes()


def test_json_that_is_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for content in ("", "[]", "{}", '{"format": "regard attention maps 1", "maps": [{}]}', "null", "\xff"):
        path.write_text(content, encoding="latin-1")
        with pytest.raises(DataError) as caught:
            stored.load(path)
        assert str(caught.value) == f"{path} does not hold attention maps as regard writes them."


def test_json_with_labels_that_do_not_fit_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    content = json.loads(stored.to_json(some_maps()[:1]))
    content["maps"][0]["query_labels"].pop()
    path.write_text(json.dumps(content))
    with pytest.raises(DataError) as caught:
        stored.load(path)
    assert str(caught.value) == (
        f"{path} does not hold attention maps: "
        "query_labels of 'decoder.0.self' must be 5, one for each query, but got 4."
    )


class Trap:
    """Unpickling it would leave a trace."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.trace,)


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    path, trace = tmp_path / "x.npz", tmp_path / "trace"
    np.savez(path, texts=np.array([Trap(trace)], dtype=object), allow_pickle=True)
    with pytest.raises(DataError) as caught:
        stored.load(path)
    assert str(caught.value) == f"{path} does not hold attention maps as regard writes them."
    assert not trace.exists()


def test_a_file_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    stored.save(some_maps(), path)
    whole = path.read_bytes()
    for kept in (0, 10, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:kept])
        with pytest.raises(DataError) as caught:
            stored.load(path)
        assert str(caught.value) == f"{path} does not hold attention maps as regard writes them."


def test_a_missing_file_and_a_strange_ending_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        stored.load(tmp_path / "none.npz")
    assert str(caught.value) == f"{tmp_path / 'none.npz'} does not exist."
    with pytest.raises(DataError) as caught:
        stored.load(tmp_path / "x.pkl")
    assert str(caught.value) == (
        f"{tmp_path / 'x.pkl'} cannot be read as attention maps: its name must end in .json or .npz."
    )
