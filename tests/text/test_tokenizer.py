import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer as Library

from regard.errors import DataError
from regard.text import Tokenizer, Vocabulary
from regard.text import tokenizer as module
from regard.text.vocabulary import KINDS

PAIRS = [("the cat sleeps", "le chat dort"), ("the dog is home", "le chien été"), ("小猫", "chat")] * 3


def test_a_joint_vocabulary_serves_both_sides() -> None:
    joint = Tokenizer.train(PAIRS)
    assert joint.joint
    assert joint.source is joint.target
    assert joint.source.pieces(joint.source.encode("le cat")) == [" le", " cat"]


def test_separate_vocabularies_know_their_own_side() -> None:
    separate = Tokenizer.train(PAIRS, joint=False)
    assert not separate.joint
    assert separate.source.pieces(separate.source.encode("chien")) == [" ", "c", "h", "i", "e", "n"]
    assert separate.target.pieces(separate.target.encode("chien")) == [" chien"]


def test_two_kinds_do_not_make_a_tokenizer() -> None:
    with pytest.raises(DataError) as caught:
        Tokenizer(Vocabulary("words"), Vocabulary("characters"))
    assert str(caught.value) == "source and target must be of one kind, but got words and characters."


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("joint", [True, False])
def test_what_is_saved_is_loaded(kind: str, joint: bool, tmp_path: Path) -> None:
    saved = Tokenizer.train(PAIRS, kind=kind, joint=joint)
    saved.save(tmp_path / "tokenizer.json")
    loaded = Tokenizer.load(tmp_path / "tokenizer.json")

    assert (loaded.kind, loaded.joint) == (kind, joint)
    for text in ("the dog sleeps", "chien", "<end> 猫"):
        assert loaded.source.encode(text) == saved.source.encode(text)
        assert loaded.target.encode(text) == saved.target.encode(text)
    assert [path.name for path in tmp_path.iterdir()] == ["tokenizer.json"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_pairs_make_the_same_file(kind: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        Tokenizer.train(PAIRS, kind=kind).save(tmp_path / name)
    Tokenizer.load(tmp_path / "one").save(tmp_path / "three")
    assert len({(tmp_path / name).read_bytes() for name in ("one", "two", "three")}) == 1


def test_the_library_reads_its_part_of_the_file(tmp_path: Path) -> None:
    tokenizer = Tokenizer.train(PAIRS)
    tokenizer.save(tmp_path / "tokenizer.json")
    library = Library.from_str(json.dumps(json.loads((tmp_path / "tokenizer.json").read_text())["source"]))
    assert library.encode(" the cat").ids == tokenizer.source.encode("the cat")


def swap_two_tokens(content: dict[str, Any]) -> None:
    names = content["source"]["model"]["vocab"]
    first, second = [*names][-2:]
    names[first], names[second] = names[second], names[first]


def reorder_two_tokens(content: dict[str, Any]) -> None:
    names = [*content["source"]["model"]["vocab"]]
    names[-2:] = names[:-3:-1]
    content["source"]["model"]["vocab"] = {name: token for token, name in enumerate(names)}


def rename_a_special_token(content: dict[str, Any]) -> None:
    names = [*content["source"]["model"]["vocab"]]
    names[2] = "<end>"
    content["source"]["model"]["vocab"] = {name: token for token, name in enumerate(names)}


def set_at(*path: str | int, to: object) -> Callable[[dict[str, Any]], None]:
    def change(content: Any) -> None:
        for key in path[:-1]:
            content = content[key]
        content[path[-1]] = to

    return change


def remove(key: str) -> Callable[[dict[str, Any]], None]:
    return lambda content: content.pop(key)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (set_at("format", to="other"), "its format is 'other', not 'regard.tokenizer'"),
        (set_at("version", to=2), "its version is 2, and this regard reads version 1"),
        (
            set_at("kind", to="bpe"),
            "its kind is 'bpe', not one of byte-level, byte-fallback, words, characters, sentencepiece",
        ),
        (
            set_at("kind", to=[]),
            "its kind is [], not one of byte-level, byte-fallback, words, characters, sentencepiece",
        ),
        (set_at("joint", to=1), "its joint is 1, not true or false"),
        (
            set_at("joint", to=False),
            "it must hold format, joint, kind, source, target, version, "
            "but holds format, joint, kind, source, version",
        ),
        (
            set_at("more", to=0),
            "it must hold format, joint, kind, source, version, "
            "but holds format, joint, kind, more, source, version",
        ),
        (
            remove("source"),
            "it must hold format, joint, kind, source, version, but holds format, joint, kind, version",
        ),
        (set_at("source", to=[]), "its source has no model"),
        (set_at("source", "model", to=7), "its source has no model"),
        (set_at("source", "model", "vocab", to=[]), "its source has no vocabulary or no merges"),
        (set_at("source", "model", "merges", to=None), "its source has no vocabulary or no merges"),
        (rename_a_special_token, "its source does not begin with the special tokens and the bytes"),
        (swap_two_tokens, "token 272 of its source is 'Ġcat' with the number 273: the order is wrong"),
        (reorder_two_tokens, "the merges of its source do not give its tokens in order"),
        (
            set_at("source", "model", "vocab", "a", to=True),
            "token 101 of its source is 'a' with the number True: the order is wrong",
        ),
        (
            set_at("source", "model", "vocab", "⟨more⟩", to=274),
            "a token or merge of its source does not spell bytes",
        ),
        (
            set_at("source", "model", "vocab", "more", to=274),
            "the merges of its source do not give its tokens in order",
        ),
        (
            set_at("source", "model", "merges", 0, to="ab"),
            "a token or merge of its source does not spell bytes",
        ),
        (
            set_at("source", "model", "merges", 0, to=["a"]),
            "a token or merge of its source does not spell bytes",
        ),
        (
            set_at("source", "model", "merges", 0, to=[7, 8]),
            "a token or merge of its source does not spell bytes",
        ),
        (
            set_at("source", "model", "merges", 0, to=["zz", "y"]),
            "merge b'zz' b'y' of its source joins unknown tokens",
        ),
        (set_at("kind", to="words"), "its source has merges, but its kind is words"),
    ],
)
def test_a_file_that_is_no_tokenizer_is_refused(
    change: Callable[[dict[str, Any]], None], wrong: str, tmp_path: Path
) -> None:
    path = tmp_path / "tokenizer.json"
    Tokenizer.train([("the cat and the dog", "the hat and the dog")] * 3).save(path)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(DataError) as caught:
        Tokenizer.load(path)
    assert str(caught.value) == (
        f"{path} is not a tokenizer of regard: {wrong}. Copy the file again from its run folder."
    )


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        (b"", "it is not JSON in UTF-8"),
        (b"{", "it is not JSON in UTF-8"),
        (b"\xff{}", "it is not JSON in UTF-8"),
        (b"[" * 100_000, "it is not JSON in UTF-8"),
        (b"[]", "it is not a JSON object"),
        (pickle.dumps({"format": "regard.tokenizer"}), "it is not JSON in UTF-8"),
    ],
)
def test_a_file_that_is_not_even_json_is_refused(data: bytes, wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(data)
    with pytest.raises(DataError) as caught:
        Tokenizer.load(path)
    assert str(caught.value) == (
        f"{path} is not a tokenizer of regard: {wrong}. Copy the file again from its run folder."
    )


def test_an_oversize_file_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_FILE", 3 << 20)
    path = tmp_path / "tokenizer.json"
    path.write_bytes(b" " * ((3 << 20) + 1))
    with pytest.raises(DataError) as caught:
        Tokenizer.load(path)
    assert str(caught.value) == (
        f"{path} is not a tokenizer of regard: it is larger than 3 MiB. "
        "Copy the file again from its run folder."
    )


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        Tokenizer.load(tmp_path / "tokenizer.json")
    assert str(caught.value) == f"{tmp_path / 'tokenizer.json'} cannot be read: No such file or directory."
