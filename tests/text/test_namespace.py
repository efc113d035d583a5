import inspect
import sys

import regard.text


def test_the_exported_names_are_exactly_the_public_ones() -> None:
    public = {
        name
        for name, value in vars(regard.text).items()
        if not name.startswith("_") and not inspect.ismodule(value)
    }
    assert public == set(regard.text.__all__)
    assert regard.text.__all__ == sorted(regard.text.__all__, key=lambda name: (not name.isupper(), name))


def test_embedded_is_the_function_and_its_package_is_still_imported() -> None:
    from regard.text.embedded import embedded

    assert regard.text.embedded is embedded
    assert inspect.ismodule(sys.modules["regard.text.embedded"])
