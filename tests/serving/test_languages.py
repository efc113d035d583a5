import pytest

from regard.serving.languages import SMALL_WORDS, Detector

DETECTOR = Detector({code: [] for code in (*SMALL_WORDS, "ru", "zh", "ja", "ko", "el")})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("where is the cat that you have with you?", "en"),
        ("je ne sais pas où est le chat de mon frère", "fr"),
        ("ich weiß nicht, wo die Katze ist", "de"),
        ("no está en la casa de los niños", "es"),
        ("non è nella casa della mia amica", "it"),
        ("ik weet niet waar het boek van mijn vriend is", "nl"),
        ("я не знаю, где кошка", "ru"),
        ("我不知道猫在哪里", "zh"),
        ("猫はどこにいますか", "ja"),
        ("고양이는 어디에 있습니까", "ko"),
        ("πού είναι η γάτα", "el"),
    ],
)
def test_a_sentence_is_known_by_its_script_and_its_letters(text: str, code: str) -> None:
    assert DETECTOR.detect(text)[0][0] == code


def test_confidences_are_percent_and_every_language_is_told() -> None:
    for text in ("the cat", "", "12 %", "\x00", "é" * 5_000):
        found = DETECTOR.detect(text)
        assert len(found) == len(SMALL_WORDS) + 5
        assert sum(sure for _, sure in found) == pytest.approx(100, abs=1)


def test_only_those_named_are_considered() -> None:
    found = DETECTOR.detect("the cat is not here", among=["de", "zh"])
    assert [code for code, _ in found] == ["de", "zh"]
