"""Numbers and their nouns, as a sentence wants them."""


def counted(number: int, one: str, several: str | None = None) -> str:
    """A number with its noun; the plural takes an s unless it is given.

    >>> counted(1, "pair"), counted(1_200, "pair"), counted(0, "query", "queries")
    ('1 pair', '1,200 pairs', '0 queries')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"
