"""Languages: their names, and which of those served a text is written in.

Two things tell: the script, and which runs of letters are common. What is common is learned at
start from the runs themselves and from the small words every text of a language is full of.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

NAMES = {
    "ar": "Arabic",
    "bg": "Bulgarian",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "eo": "Esperanto",
    "es": "Spanish",
    "et": "Estonian",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "ga": "Irish",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
    "zh": "Chinese",
    "x-source": "Source",
    "x-target": "Target",
}
SCRIPTS = {
    **dict.fromkeys(("bg", "ru", "uk"), ("CYRILLIC",)),
    **dict.fromkeys(("ar", "fa"), ("ARABIC",)),
    "el": ("GREEK",),
    "he": ("HEBREW",),
    "hi": ("DEVANAGARI",),
    "ko": ("HANGUL", "CJK"),
    "th": ("THAI",),
    "zh": ("CJK",),
    "ja": ("HIRAGANA", "KATAKANA", "CJK"),
}
LATIN = ("LATIN",)
SMALL_WORDS = {
    "de": "der die das und ist nicht ein eine ich du er sie es wir ihr den dem mit auf für von zu auch",
    "en": "the a an and is are was not i you he she it we they of to in on with for that this have has do",
    "es": "el la los las un una y es son no yo tú él ella nosotros de en con para que por su mi",
    "fr": "le la les un une et est sont ne pas je tu il elle nous vous de du des dans avec pour que qui ce",
    "it": "il lo la gli le un una e è sono non io tu lui lei noi di del della in con per che questo",
    "nl": "de het een en is zijn niet ik je jij hij zij wij van in op met voor dat die dit mijn heeft",
    "pl": "i w nie na się z do to jest że jak ale co ja ty on ona my oni był dla tak przez już tylko mój",
    "pt": "o a os as um uma e é são não eu tu ele ela nós de do da em com para que por seu meu está muito",
    "sv": "och är inte en ett jag du han hon vi de det den som på i med för av till att min har var också",
}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]*)?")
_SMOOTHING, _ENOUGH, _MOST = 0.1, 30, 2_000


def name_of(code: str) -> str:
    """The English name of a language.

    >>> name_of("fr"), name_of("tlh")
    ('French', 'tlh')
    """
    return NAMES.get(code.split("-")[0], NAMES.get(code, code))


class Detector:
    """Tells which of some languages a text is written in.

    >>> detector = Detector({"en": ["the cat sleeps"], "fr": ["le chat dort"], "zh": []})
    >>> [code for code, _ in detector.detect("where is the dog ?")]
    ['en', 'fr', 'zh']
    >>> detector.detect("狗在哪里？")[0]
    ('zh', 100.0)
    """

    def __init__(self, samples: Mapping[str, Iterable[str]]) -> None:
        self._grams: dict[str, Counter[str]] = {}
        for code, sentences in samples.items():
            words = Counter(SMALL_WORDS.get(code, "").split() * 20)
            for sentence in sentences:
                words.update(_words(sentence))
            grams: Counter[str] = Counter()
            for word, count in words.items():
                for gram in _grams(word):
                    grams[gram] += count
            self._grams[code] = grams
        self._known = len(set().union(*self._grams.values())) + 1

    def detect(self, text: str, among: Iterable[str] | None = None) -> list[tuple[str, float]]:
        """Every language served, or those named, with its confidence in percent, the surest first."""
        codes = [code for code in self._grams if among is None or code in {*among}]
        text = text[:_MOST]
        letters = Counter(_script(letter) for letter in text if letter.isalpha())
        grams = [gram for word in _words(text) for gram in _grams(word)]
        scores = {}
        for code in codes:
            own = sum(letters[script] for script in SCRIPTS.get(code.split("-")[0], LATIN))
            share = own / letters.total() if letters else 1.0
            scores[code] = math.log(max(share, 1e-6)) * _ENOUGH + self._likelihood(code, grams)
        best = max(scores.values(), default=0.0)
        odds = {code: math.exp(score - best) for code, score in scores.items()}
        found = [(code, round(100 * one / sum(odds.values()), 1)) for code, one in odds.items()]
        return sorted(found, key=lambda pair: -pair[1])

    def _likelihood(self, code: str, grams: list[str]) -> float:
        """The mean log-probability of the runs of letters, as if there were at most so many."""
        counts = self._grams[code]
        if not grams:
            return 0.0
        total = counts.total() + _SMOOTHING * self._known
        logs = [math.log((counts[gram] + _SMOOTHING) / total) for gram in grams]
        return math.fsum(logs) / len(logs) * min(len(logs), _ENOUGH)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _grams(word: str) -> list[str]:
    """Runs of one to three letters, the word's edges among them.

    >>> _grams("le")
    ['l', 'e', '⟨l', 'le', 'e⟩', '⟨le', 'le⟩', '⟨le⟩']
    """
    edged = f"⟨{word}⟩"
    short = [edged[at : at + size] for size in (2, 3) for at in range(len(edged) - size + 1)]
    return [*word, *short, edged]


@cache
def _script(letter: str) -> str:
    return unicodedata.name(letter, "").split(" ")[0]
