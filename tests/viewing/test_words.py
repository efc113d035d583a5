import pytest

from regard.errors import RegardError, ShapeError
from regard.viewing import Words


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([" un", "able", " to", "<end>"], ["unable", "to", "<end>"]),
        (["▁un", "able", "▁to", "<end>"], ["unable", "to", "<end>"]),
        (["un", "##able", "to", "[SEP]"], ["unable", "to", "[SEP]"]),
        (["un@@", "able", "to"], ["unable", "to"]),
        (["un", "able</w>", "to</w>"], ["unable", "to"]),
        (["un", "able", "Ġto", "<|endoftext|>"], ["unable", "to", "<|endoftext|>"]),
        (["unable", "to"], ["unable", "to"]),
    ],
)
def test_each_convention_is_recognised(pieces: list[str], words: list[str]) -> None:
    assert list(Words.of_pieces(pieces).labels) == words


def test_a_word_keeps_its_apostrophe_and_gives_up_its_full_stop() -> None:
    assert Words.of_pieces(["▁don", "'", "t", "▁go", "."]).labels == ("don't", "go", ".")


def test_special_tokens_never_join_a_word() -> None:
    assert Words.of_pieces(["<s>", "▁go", "</s>", "ing"]).labels == ("<s>", "go", "</s>", "ing")


def test_chinese_pieces_stand_for_themselves() -> None:
    assert Words.of_pieces(["▁", "我们", "不", "睡觉", "。"]).labels == ("", "我们", "不", "睡觉", "。")


def test_korean_pieces_join_since_korean_has_spaces() -> None:
    assert Words.of_pieces(["▁고양", "이", "▁가"]).labels == ("고양이", "가")


def test_bytes_become_whole_characters() -> None:
    byte_level = ["çĮ", "«", "çĿ", "¡"]  # 猫 and 睡, each cut in two
    assert Words.of_pieces(byte_level).labels == ("猫", "睡")
    fallback = ["▁a", "<0xE7>", "<0x8C>", "<0xAB>", "▁b"]
    assert Words.of_pieces(fallback) == Words(("a", "猫", "b"), ((0,), (1, 2, 3), (4,)))
    assert Words.of_pieces(["<0xE7>", "<0x8C>", "<0xAB>", "<0xF0>", "<0x9F>", "<0x90>", "<0x88>"]).labels == (
        "猫",
        "🐈",
    )


def test_half_a_character_at_the_end_is_shown_as_damage() -> None:
    assert Words.of_pieces(["Ġa", "ĠçĮ", "<end>"]).labels == ("a", "�", "<end>")


def test_accents_are_not_mistaken_for_bytes() -> None:
    assert Words.of_pieces(["été", "à", "Noël"]).labels == ("été", "à", "Noël")


def test_an_unknown_convention_is_refused() -> None:
    with pytest.raises(RegardError) as caught:
        Words.of_pieces(["a"], convention="_")
    assert str(caught.value) == "convention must be one of ' ', '▁', 'Ġ', '##', '@@', '</w>', but got '_'."


def test_offsets_group_what_touches_and_part_what_does_not() -> None:
    text = "can't stop, 我爱你"
    offsets = [(0, 3), (3, 4), (4, 5), (6, 10), (10, 11), (12, 14), (14, 15), (14, 15), (0, 0)]
    pieces = ["can", "'", "t", "stop", ",", "我爱", "x", "y", "<end>"]
    words = Words.of_offsets(text, offsets, pieces)
    assert words.labels == ("can't", "stop", ",", "我爱", "你", "<end>")
    assert words.groups == ((0, 1, 2), (3,), (4,), (5,), (6, 7), (8,))


def test_offsets_may_hold_the_space_before_a_word() -> None:
    assert Words.of_offsets("un able", [(0, 2), (2, 7)], ["un", " able"]).labels == ("un", "able")


def test_offsets_must_be_one_per_piece() -> None:
    with pytest.raises(ShapeError) as caught:
        Words.of_offsets("ab", [(0, 1)], ["a", "b"])
    assert str(caught.value) == "offsets must be one span per piece, but got 1 span for 2 pieces."


def test_what_a_decoder_reads_is_one_behind_what_it_produces() -> None:
    produced = Words(("chat", "dort"), ((0, 1), (2, 3)))
    assert produced.read() == Words(("<begin>", "chat", "dort"), ((0,), (1, 2), (3,)))
