import inspect

import regard.translation


def test_the_exported_names_are_exactly_the_public_ones() -> None:
    public = {
        name
        for name, value in vars(regard.translation).items()
        if not name.startswith("_") and not inspect.ismodule(value)
    }
    assert public == set(regard.translation.__all__)
    assert regard.translation.__all__ == sorted(regard.translation.__all__)
