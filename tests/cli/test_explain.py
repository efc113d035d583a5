"""``regard explain``: examples, numbers, words and files, and what it says of each that does not fit."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from regard.cli import main

GOOD = "1,3,2; 1,1,3; 1,2,1"


def explain(*arguments: str | Path) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(main, ["explain", *map(str, arguments)])


def shown(*arguments: str | Path) -> str:
    result = explain(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_without_arguments_the_examples_are_listed() -> None:
    assert shown().splitlines()[:5] == [
        "Worked examples; follow one with: regard explain NAME",
        "",
        "  good       I am good: softmax(XXᵀ)X",
        "  tokens     Five tokens, scaled by √d",
        "  kitten     看 小猫 它 好 可爱: scores divided by √d",
    ]
    assert "直线上的注意力" in shown("--language", "zh")


def test_an_example_is_followed_to_its_numbers() -> None:
    text = shown("good")
    for number in ("2.957691", "2.011295", "1.540148", "2.722573", "2.864164", "0.975559"):
        assert number in text
    assert "by the path “fused”" in text


def test_numbers_on_the_command_line_give_what_the_example_gives() -> None:
    own = shown("--vectors", GOOD, "--words", "I am good", "--score", "dot", "--digits", "6")
    assert own.split(" 1  The vectors")[1] == shown("good").split(" 1  The vectors")[1]


def test_dot_products_are_scaled_unless_it_is_said_otherwise() -> None:
    scaled = shown("--vectors", GOOD)
    assert "S / √d = S / √3 = S / 1.732" in scaled
    assert scaled == shown("--vectors", GOOD, "--score", "dot", "--scale")
    assert shown("--vectors", GOOD, "--no-scale") == shown("--vectors", GOOD, "--score", "dot")


def test_masks_and_lengths_strike_out() -> None:
    assert "What a query may not see" not in shown("--vectors", GOOD)
    text = shown("--vectors", GOOD, "--score", "dot", "--mask", "causal", "--lengths", "2")
    assert text.split("Weights")[1].splitlines()[5:8] == [
        "    x1    1.0000        ·   ·",
        "    x2    0.2689   0.7311   ·",
        "    x3    0.9526   0.0474   ·",
    ]
    per_query = shown("--vectors", GOOD, "--lengths", "1,2,3")
    assert "x1    1.0000        ·        ·" in per_query
    assert "x2 ← 1.00 x2" in shown("--vectors", GOOD, "--mask", "window:0,0")


def test_words_alone_get_made_up_vectors_and_it_is_said_so() -> None:
    text = shown("--words", "the cat sat")
    assert "The vectors are made up from the spelling of each word" in text
    assert text == shown("--words", "the cat sat")
    assert "made up" not in shown("--words", "the cat", "--vectors", "1,2;3,4")
    assert "向量是由每个词的拼写编造的" in shown("--words", "小猫 可爱", "--language", "zh")


def test_words_can_look_at_other_words() -> None:
    text = shown("--words", "I love", "--key-words", "我 爱 猫")
    assert "K = V · keys = values" in text
    assert "I    ← " in text
    assert " 猫" in text
    numbers = shown("--vectors", "1,0;0,1", "--keys", "2,0;0,2;1,1", "--values", "1;2;3")
    assert "V · values" in numbers


def test_kernels_take_a_bandwidth() -> None:
    text = shown("--vectors", "0;1;2", "--score", "gaussian", "--bandwidth", "0.5")
    assert "s = −‖q − k‖² / 2b²" in text
    assert "−2" in text.split("Similarities")[1].split("Exponentials")[0]
    for score in ("boxcar", "triangular", "epanechnikov", "uniform"):
        assert "Weights" in shown("--vectors", "0;1;2", "--score", score)


def test_a_csv_file_holds_a_word_and_its_numbers_on_each_line(tmp_path: Path) -> None:
    path = tmp_path / "good.csv"
    path.write_text("I, 1, 3, 2\nam, 1, 1, 3\n\ngood, 1, 2, 1\n", encoding="utf-8")
    assert shown(path, "--score", "dot", "--digits", "6") == shown(
        "--vectors", GOOD, "--words", "I am good", "--score", "dot", "--digits", "6"
    )
    path.write_text("1,3,2\n1,1,3\n1,2,1\n", encoding="utf-8")
    assert shown(path) == shown("--vectors", GOOD)


def test_a_toml_file_holds_the_names_of_the_options(tmp_path: Path) -> None:
    path = tmp_path / "good.toml"
    path.write_text(
        'words = ["I", "am", "good"]\nvectors = [[1, 3, 2], [1, 1, 3], [1, 2, 1]]\n'
        'score = "dot"\nmask = "causal"\nlengths = 2\n',
        encoding="utf-8",
    )
    asked = ("--vectors", GOOD, "--words", "I am good", "--mask", "causal", "--lengths", "2")
    assert shown(path) == shown(*asked, "--score", "dot")
    assert shown(path, "--scale") == shown(*asked), "the command line has the last word"
    path.write_text('words = "I am good"\nscore = "gaussian"\nbandwidth = 2\n', encoding="utf-8")
    assert shown(path) == shown("--words", "I am good", "--score", "gaussian", "--bandwidth", "2")


def test_pages_and_pictures_are_saved(tmp_path: Path) -> None:
    page, picture = tmp_path / "page.html", tmp_path / "picture.svg"
    text = shown("tokens", "--save", page, "--save", picture)
    assert text == f"Wrote {page}\nWrote {picture}\n"
    assert "0.2976" in page.read_text(encoding="utf-8")
    assert picture.read_text(encoding="utf-8").startswith("<svg ")


MISTAKES = {
    ("goood",): "There is no example called 'goood'. Did you mean 'good'?",
    ("good", "--d", "4"): "The example 'good' has no d: it can vary scale.",
    ("kitten", "--d", "0"): "d must be 1 or more, but got 0.",
    ("good", "--language", "fr"): "language must be one of 'en', 'zh', but got 'fr'.",
    ("--words", "a b", "--language", "fr"): "language must be one of 'en', 'zh', but got 'fr'.",
    ("--vectors", "1,2;3"): ("--vectors must be rows of one length, but row 1 is 2 long and row 2 is 1."),
    ("--vectors", "1,x"): "--vectors, row 1: 'x' is not a number.",
    ("--vectors", "1,nan"): "--vectors, row 1: 'nan' is not a number.",
    ("--vectors", " ; "): 'There are no numbers in --vectors: write them as "1,3,2; 1,1,3".',
    ("--vectors", GOOD, "--words", "I am"): (
        "There must be as many words as vectors, but there are 2 and 3."
    ),
    ("--vectors", "1;2", "--keys", "1;2", "--key-words", "a"): (
        "There must be as many key words as keys, but there are 1 and 2."
    ),
    ("--words", " "): "--words holds no words.",
    ("--score", "dot"): "Nothing is asked yet: besides score, give words or vectors to explain.",
    ("--words", "a b", "--score", "dott"): (
        "score must be one of scaled-dot, dot, gaussian, boxcar, triangular, epanechnikov, uniform, "
        "but got 'dott'. Did you mean 'dot'?"
    ),
    ("--words", "a b", "--bandwidth", "2"): (
        "A bandwidth goes with gaussian, boxcar, triangular, epanechnikov, but the score is scaled-dot."
    ),
    ("--words", "a b", "--score", "gaussian", "--bandwidth", "0"): (
        "Gaussian's bandwidth must be positive, but got 0.0. "
        "It is the distance at which a key begins to fade."
    ),
    ("--words", "a b", "--score", "uniform", "--scale"): (
        "Only scaled-dot and dot can be scaled or not, but the score is uniform."
    ),
    ("--words", "a b", "--mask", "casual"): (
        "mask must be causal or window:BEFORE,AFTER, such as window:1,0, but got 'casual'."
    ),
    ("--words", "a b", "--lengths", "two"): "--lengths must be whole numbers of 0 or more, but one is 'two'.",
    ("--words", "a b", "--lengths", ","): (
        "--lengths must be one count, or one for each query, but there is none."
    ),
    ("--words", "a b", "--lengths", "9"): "lengths() counts 9 keys in one sample, but there are only 2.",
    (
        "--words",
        "a b",
        "--d",
        "9",
    ): "--d goes with the example kitten; your own vectors have their own width.",
    ("--words", "a b", "--digits", "99"): "digits must be at least 1 and at most 12, but got 99.",
    ("--words", "a b", "--save", "page.doc"): (
        "page.doc cannot be written: its name must end in .html, .svg, .png, .pdf."
    ),
    ("--words", "a b", "--save", "nowhere/page.html"): (
        "nowhere/page.html cannot be written: No such file or directory."
    ),
    ("numbers.toml",): "numbers.toml cannot be read: No such file or directory.",
    ("numbers.json",): "numbers.json cannot be read: its name must end in .toml or .csv.",
}


@pytest.mark.parametrize(("arguments", "message"), MISTAKES.items())
def test_a_mistake_is_told_in_one_sentence(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = explain(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"Error: {message}\n")


FILES = {
    ("a.toml", b"vectors = [[1, 2"): "a.toml is not TOML: Unclosed array (at end of document).",
    ("a.toml", b"vektors = [[1, 2]]"): "a.toml holds the unknown key 'vektors'. Did you mean 'vectors'?",
    ("a.toml", b"zzz = 1"): (
        "a.toml holds the unknown key 'zzz'. There are words, vectors, key_words, keys, values, score, "
        "scale, bandwidth, mask, lengths."
    ),
    ("a.toml", b"vectors = [[1, 2], [3]]"): (
        "vectors of a.toml must be rows of one length, but row 1 is 2 long and row 2 is 1."
    ),
    ("a.toml", b"vectors = [[1, true]]"): "vectors of a.toml, row 1: True is not a number.",
    ("a.toml", b"vectors = [1, 2]"): "vectors of a.toml must be a list of lists of numbers.",
    ("a.toml", b"words = [1, 2]"): "words of a.toml must be a list of words.",
    ("a.toml", b"words = 'a b'\nscore = 1"): "score of a.toml must be a word, but got 1.",
    ("a.toml", b"words = 'a b'\nscale = 'yes'"): "scale of a.toml must be true or false, but got 'yes'.",
    ("a.toml", b"words = 'a b'\nbandwidth = 'wide'"): "bandwidth of a.toml: 'wide' is not a number.",
    ("a.toml", b"words = 'a b'\nlengths = -1"): (
        "lengths of a.toml must be whole numbers of 0 or more, but one is -1."
    ),
    ("a.toml", b"\xff"): "a.toml is not UTF-8 text: byte 0 is not.",
    ("a.csv", b"I,1,3\nam,1\n"): ("a.csv must be rows of one length, but row 1 is 2 long and row 2 is 1."),
    ("a.csv", b"I,1,3\nam,1,x\n"): "a.csv, row 2: 'x' is not a number.",
    ("a.csv", b"\n"): 'There are no numbers in a.csv: write them as "1,3,2; 1,1,3".',
}


@pytest.mark.parametrize(("file", "message"), FILES.items())
def test_a_file_that_cannot_be_used_is_told_in_one_sentence(
    file: tuple[str, bytes], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, content = file
    Path(name).write_bytes(content)
    result = explain(name)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"Error: {message}\n")
