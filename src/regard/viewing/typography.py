"""What a label looks like: every character visible, its width known, its length bounded.

A token can be anything: markup, an order to write backwards, half a character. Shown
literally, it can do no harm and nobody need guess what it was.
"""

import unicodedata

NOTHING = "∅"

# Widths of Helvetica in thousandths of the size; most faces without serifs stay within a tenth of it.
_NARROW = {278: " !,./:;I[\\]ft", 222: "ijl'|", 333: "()-`r", 389: "*", 500: "ckszvxyJ", 355: '"', 469: "^"}
_BROAD = {
    584: "+<=>~",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    944: "W",
    1015: "@",
    889: "%",
}
_WIDTHS = {
    letter: width / 1000
    for table in (_NARROW, _BROAD)
    for width, letters in table.items()
    for letter in letters
}
_MARGIN = 1.14  # faces differ: better a little air than letters on one another


def visible(label: str) -> str:
    """Spell a label so that nothing in it is invisible, acts, or is forbidden in XML.

    What acts or cannot be seen becomes its number, a space at the rim becomes ``␣``.

    >>> visible("a\\tb"), visible("\\u202ecat"), visible(" the"), visible("")
    ('a‹U+0009›b', '‹U+202E›cat', '␣the', '∅')
    """
    if label.isascii() and label.isprintable() and label == label.strip() and "  " not in label:
        return label or NOTHING
    shown = "".join(_picture(letter, at, label) for at, letter in enumerate(label))
    if unicodedata.combining(shown[0]):
        shown = "◌" + shown
    return shown


def _picture(letter: str, at: int, label: str) -> str:
    code, category = ord(letter), unicodedata.category(letter)
    if category == "Zs":
        rim = at == 0 or at == len(label) - 1 or unicodedata.category(label[at - 1]) == "Zs"
        return "␣" if rim else " "
    if code in (0x200C, 0x200D) and 0 < at < len(label) - 1:
        return letter  # joiners inside a word are spelling, not disguise
    if category in ("Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"):
        return f"‹U+{code:04X}›"
    return letter


def east_asian(text: str) -> str | None:
    """Which language's letters a text needs, if those of East Asia.

    >>> east_asian("猫 <end>"), east_asian("ねこ"), east_asian("고양이"), east_asian("chat")
    ('Chinese', 'Japanese', 'Korean', None)
    """
    if text.isascii():
        return None
    scripts = {unicodedata.name(letter, "").split(" ")[0] for letter in text if letter >= "\u1100"}
    if scripts & {"HIRAGANA", "KATAKANA"}:
        return "Japanese"
    return (
        "Korean"
        if "HANGUL" in scripts
        else "Chinese"
        if scripts & {"CJK", "IDEOGRAPHIC", "FULLWIDTH"}
        else None
    )


def width(text: str, size: float) -> float:
    """Estimate how wide a text stands when set at a size.

    >>> width("猫", 10.0), width("mm", 10.0) > width("ii", 10.0)
    (10.0, True)
    """
    return round(sum(map(_width_of, text)) * size, 2)


def _width_of(letter: str) -> float:
    if letter in _WIDTHS:
        return _WIDTHS[letter] * _MARGIN
    if letter < "\x7f":
        return 0.556 * _MARGIN
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if unicodedata.combining(letter):
        return 0.0
    plain = unicodedata.normalize("NFD", letter)[0]
    return _width_of(plain) if plain < "\x7f" else 0.65


def shorten(text: str, size: float, limit: float) -> str:
    """Cut a text to a width, with an ellipsis where something is missing.

    >>> shorten("Donaudampfschifffahrt", 10.0, 60.0)
    'Donauda…'
    """
    if width(text, size) <= limit:
        return text
    kept, room = "", limit / size - 1.0
    for letter in text:
        room -= _width_of(letter)
        if room < 0:
            break
        kept += letter
    return kept.rstrip() + "…"
