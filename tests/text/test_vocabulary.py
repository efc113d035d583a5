import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import DataError, RecipeError
from regard.text import END, Tokenizer, Vocabulary, Word
from regard.text.vocabulary import KINDS, SPECIAL_NAMES, spelled, unspelled

PAIRS = [
    ("the little cat sleeps on the red sofa .", "le petit chat dort sur le canapé rouge ."),
    ("i'm home , she said .", "je suis chez moi , a-t-elle dit ."),
    ("看小猫，它好可爱", "regarde le petit chat, il est si mignon"),
] * 3
VOCABULARIES = {kind: Tokenizer.train(PAIRS, kind=kind, size=400).source for kind in KINDS}
SUBWORDS = ("byte-level", "byte-fallback")

any_text = st.text(st.characters(exclude_categories=["Cs"]))
FRAGMENTS = (
    *("the", "little", "cat", "canapé", "猫", "小", "，", ".", "'", "-", "1", "é", " "),
    *("\t", "\r", "\u2028", "\x00", "🙂", "<end>", "</s>", "[UNK]", "⟨end⟩", "Ġ"),
)
likely_text = st.lists(st.sampled_from(FRAGMENTS)).map("".join)

spaced_text = st.lists(st.sampled_from((*FRAGMENTS, *" " * 12, *"\n" * 12, "\u00a0", "l'", "n't", "’s"))).map(
    "".join
)

HOSTILE = [
    "",
    " ",
    "   ",
    "\x00",
    "\n",
    "\r\n",
    "\ufeff",
    "\u0085\u2028\u2029\u00a0",
    "<end>",
    "</s>",
    "[UNK]",
    "<padding><begin><end><unknown>",
    "⟨padding⟩⟨begin⟩⟨end⟩⟨unknown⟩",
    "<0x41>",
    "Ġthe Ċ",
    "▁the@@ ##ing</w>",
    "👩\u200d👩\u200d👧\u200d👦 🏳️\u200d🌈",
    "\u202eright to left\u202c עברית العربية",
    "cafe\u0301 ≠ café",
    "Z̸̢̛͎̈́a̷l̶g̵o̶",
    "\U0010ffff\ufffe\uffff",
    "ｆｕｌｌ　ｗｉｄｔｈ",
    "a" * 10_000,
    "猫" * 3_000,
    "é" * 65,
    " " * 5_000,
]


@pytest.mark.parametrize("kind", KINDS)
@given(text=spaced_text)
def test_what_stands_between_spaces_is_cut_as_in_the_whole_text(kind: str, text: str) -> None:
    # White space that is cut apart is told from white space that is not.
    spaces = [(left, right) for left in (b" ", b"\n") for right in (b" ", b"\n")]
    if kind in SUBWORDS:
        vocabulary = Vocabulary(kind, merges=spaces)
    else:
        vocabulary = Vocabulary(kind, learned=[left + right for left, right in spaces])
    assert vocabulary.encode(text) == [
        token for word in vocabulary.cut(text) for token in vocabulary._spell(word)
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_comes_back_unchanged(kind: str, text: str) -> None:
    vocabulary = VOCABULARIES[kind]
    assert vocabulary.decode(vocabulary.encode(text)) == text


@pytest.mark.parametrize("kind", KINDS)
@given(text=any_text | likely_text)
def test_every_text_comes_back_unchanged(kind: str, text: str) -> None:
    vocabulary = VOCABULARIES[kind]
    assert vocabulary.decode(vocabulary.encode(text)) == text


@pytest.mark.parametrize("kind", KINDS)
@given(text=any_text | likely_text)
def test_no_text_is_read_as_a_special_token(kind: str, text: str) -> None:
    assert all(token >= len(SPECIAL_NAMES) for token in VOCABULARIES[kind].encode(text))


@pytest.mark.parametrize("name", SPECIAL_NAMES)
def test_no_bytes_spell_the_name_of_a_special_token(name: str) -> None:
    with pytest.raises(KeyError):
        unspelled(name)


@pytest.mark.parametrize("kind", KINDS)
@given(text=any_text | likely_text)
def test_tokens_are_those_of_the_library(kind: str, text: str) -> None:
    vocabulary = VOCABULARIES[kind]
    assert vocabulary.encode(text) == vocabulary.library.encode(vocabulary.led(text)).ids


@pytest.mark.parametrize("kind", KINDS)
@given(texts=st.lists(any_text | likely_text, max_size=5))
def test_a_text_is_encoded_alike_alone_and_among_others(kind: str, texts: list[str]) -> None:
    vocabulary = VOCABULARIES[kind]
    assert vocabulary.encode_batch(texts) == [vocabulary.encode(text) for text in texts]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["a\ud800b", "\udcffthe"])
def test_a_lone_surrogate_is_refused(kind: str, text: str) -> None:
    with pytest.raises(DataError) as caught:
        VOCABULARIES[kind].encode(text)
    place = 1 if text.startswith("a") else 0
    assert str(caught.value) == (
        f"character {place} of the text is the lone surrogate U+{ord(text[place]):04X}, "
        "which is not valid Unicode. Remove it, or write U+FFFD in its place."
    )


@pytest.mark.parametrize("token", [-1, 400, 10**9])
def test_a_token_outside_the_vocabulary_is_refused(token: int) -> None:
    with pytest.raises(DataError) as caught:
        Vocabulary("characters", learned=[b"x" * width for width in range(2, 142)]).decode([5, token])
    assert str(caught.value) == (
        f"token {token} is not in this vocabulary of 400. "
        "Decode with the tokenizer the model was trained with."
    )


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(RecipeError) as caught:
        Vocabulary("syllables")
    assert str(caught.value) == (
        "kind must be one of byte-level, byte-fallback, words, characters, but got 'syllables'."
    )


@given(st.lists(st.integers(0, 399)))
def test_any_tokens_decode_to_valid_text(tokens: list[int]) -> None:
    for vocabulary in VOCABULARIES.values():
        vocabulary.decode([token % len(vocabulary) for token in tokens]).encode()


def test_bytes_are_spelled_as_the_library_spells_them() -> None:
    library = Vocabulary("characters").library.pre_tokenizer
    for character in map(chr, range(0x100)):
        assert [word for word, _ in library.pre_tokenize_str(character)] == [spelled(character.encode())]


@given(st.binary())
def test_spelled_bytes_are_read_again(data: bytes) -> None:
    assert unspelled(spelled(data)) == data


@pytest.mark.parametrize("kind", KINDS)
@given(text=any_text | likely_text)
def test_pieces_of_whole_characters_join_to_the_text(kind: str, text: str) -> None:
    vocabulary = VOCABULARIES[kind]
    pieces = vocabulary.pieces(vocabulary.encode(text))
    if all("\\x" not in piece for piece in pieces):
        assert "".join(pieces) == vocabulary.led(text)


@pytest.mark.parametrize("kind", KINDS)
@given(text=any_text | likely_text)
def test_spans_cover_the_text_from_left_to_right(kind: str, text: str) -> None:
    vocabulary = VOCABULARIES[kind]
    spans = vocabulary.spans([*vocabulary.encode(text), END])
    reached = 0
    for start, end in spans:
        assert start <= reached <= end or start == end == reached
        reached = end
    assert reached == len(text)
    assert spans[-1] == (len(text), len(text))


def test_spans_say_where_a_token_stands() -> None:
    vocabulary = VOCABULARIES["words"]
    tokens = vocabulary.encode("the cat 鱼")
    assert vocabulary.pieces(tokens) == [" the", " cat", " ", "\\xe9", "\\xb1", "\\xbc"]
    assert vocabulary.spans(tokens) == [(0, 3), (3, 7), (7, 8), (8, 9), (8, 9), (8, 9)]


@pytest.mark.parametrize("kind", KINDS)
@given(text=any_text | likely_text)
def test_each_token_belongs_to_exactly_one_word(kind: str, text: str) -> None:
    vocabulary = VOCABULARIES[kind]
    tokens = vocabulary.encode(text)
    words = vocabulary.words(tokens)
    assert [place for word in words for place in word.tokens] == [*range(len(tokens))]


@pytest.mark.parametrize("kind", KINDS)
@given(words=st.lists(st.text("abécđ'-.!", min_size=1), min_size=1))
def test_words_are_what_stands_between_spaces(kind: str, words: list[str]) -> None:
    vocabulary = VOCABULARIES[kind]
    found = vocabulary.words(vocabulary.encode("  ".join(words) + " "))
    assert [word.text for word in found] == words


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.text("猫看小，。它鱼𠀀", min_size=1))
def test_each_chinese_character_is_a_word(kind: str, text: str) -> None:
    vocabulary = VOCABULARIES[kind]
    found = [word.text for word in vocabulary.words(vocabulary.encode(text))]
    assert "".join(found) == text
    assert all(len(word) == 1 or set(word) <= set("，。") for word in found)


def test_special_tokens_are_words_of_their_own() -> None:
    vocabulary = VOCABULARIES["words"]
    assert vocabulary.words([1, *vocabulary.encode("the cat "), 2, 0]) == [
        Word("<begin>", range(1)),
        Word("the", range(1, 2)),
        Word("cat", range(2, 4)),
        Word("<end>", range(4, 5)),
        Word("<padding>", range(5, 6)),
    ]


def test_a_word_spelled_like_a_special_token_is_text() -> None:
    vocabulary = VOCABULARIES["byte-level"]
    tokens = vocabulary.encode("the <end>")
    assert END not in tokens
    assert [word.text for word in vocabulary.words(tokens)] == ["the", "<end>"]


def test_a_combining_mark_stays_with_its_letter() -> None:
    vocabulary = VOCABULARIES["characters"]
    assert [word.text for word in vocabulary.words(vocabulary.encode("กี่"))] == ["กี่"]


def test_the_first_word_is_the_same_token_as_further_on() -> None:
    vocabulary = VOCABULARIES["byte-level"]
    assert vocabulary.encode("the the") == vocabulary.encode("the") * 2


@pytest.mark.parametrize("kind", SUBWORDS)
@given(
    text=any_text | likely_text, draw=st.tuples(st.integers(), st.integers()), dropout=st.floats(0.01, 1.0)
)
def test_dropout_changes_the_pieces_and_not_the_text(
    kind: str, text: str, draw: tuple[int, int], dropout: float
) -> None:
    vocabulary = VOCABULARIES[kind]
    tokens = vocabulary.encode(text, dropout=dropout, draw=draw)
    assert vocabulary.decode(tokens) == text
    assert tokens == vocabulary.encode(text, dropout=dropout, draw=draw)


@pytest.mark.parametrize("kind", SUBWORDS)
def test_full_dropout_leaves_whole_characters(kind: str) -> None:
    vocabulary = VOCABULARIES[kind]
    tokens = vocabulary.encode("le canapé", dropout=1.0, draw=(0,))
    assert vocabulary.pieces(tokens) == [*" le canapé"]


@pytest.mark.parametrize("kind", SUBWORDS)
def test_dropout_depends_on_seed_epoch_and_sentence(kind: str) -> None:
    vocabulary = VOCABULARIES[kind]
    text = PAIRS[0][0]
    spellings = {
        tuple(vocabulary.encode(text, dropout=0.3, draw=draw))
        for draw in [(7, 0, 0), (7, 0, 1), (7, 1, 0), (8, 0, 0)]
    }
    assert len(spellings) == 4


def test_dropout_of_what_has_no_merges_is_refused() -> None:
    with pytest.raises(RecipeError) as caught:
        VOCABULARIES["words"].encode("the", dropout=0.1, draw=(0,))
    assert str(caught.value) == "dropout needs merges to leave out, but a vocabulary of words has none."


@pytest.mark.parametrize("dropout", [-0.1, 1.1])
def test_a_dropout_that_is_no_share_is_refused(dropout: float) -> None:
    with pytest.raises(RecipeError) as caught:
        VOCABULARIES["byte-level"].encode("the", dropout=dropout, draw=(0,))
    assert str(caught.value) == f"dropout must lie between 0 and 1, but got {dropout}."
