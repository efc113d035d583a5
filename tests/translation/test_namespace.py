"""What ``regard.translation`` offers, though some of it is loaded only when it is named."""

import pytest

import regard.translation


def test_every_exported_name_is_there_and_in_its_place() -> None:
    assert all(hasattr(regard.translation, name) for name in regard.translation.__all__)
    assert regard.translation.__all__ == sorted(regard.translation.__all__)
    later = [name for names in regard.translation._LATER.values() for name in names]
    assert set(later) <= set(regard.translation.__all__)


def test_a_name_that_is_not_there_is_told() -> None:
    with pytest.raises(AttributeError, match=r"^module 'regard.translation' has no attribute 'bleo'$"):
        _ = regard.translation.bleo
