from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import RecipeError
from regard.recipe import DataSettings, ModelSettings, Recipe, TrainingSettings


def message(text: str) -> str:
    with pytest.raises(RecipeError) as caught:
        Recipe.parse(text)
    return str(caught.value)


def test_a_width_the_heads_cannot_share_is_told_beside_what_else_is_wrong() -> None:
    with pytest.raises(RecipeError) as caught:
        ModelSettings(kind="transfomer", width=100, heads=8)
    assert str(caught.value) == (
        "model.kind must be one of transformer, recurrent, convolutional, but got 'transfomer'. Did you mean "
        "transformer? model.width must be a multiple of model.heads, but 100 is not a multiple of 8. "
        "Nearest widths: 96 and 104."
    )


def test_a_width_the_heads_cannot_share_is_refused_with_widths_that_work() -> None:
    with pytest.raises(RecipeError) as caught:
        ModelSettings(width=100, heads=8)
    assert str(caught.value) == (
        "model.width must be a multiple of model.heads, but 100 is not a multiple of 8. "
        "Nearest widths: 96 and 104."
    )


def test_all_that_is_wrong_is_told_at_once() -> None:
    assert message(
        '[modle]\nx = 1\n[model]\nwidht = 3\nlayers = "two"\npositions = "rotari"\n[training]\nsteps = 0'
    ) == (
        "There is no section [modle]. Did you mean model? "
        "model has no setting 'widht'. Did you mean width? "
        "model.layers must be a whole number, but got 'two'. "
        "model.positions must be one of sinusoidal, learned, relative, rotary, alibi, t5, none, but got "
        "'rotari'. Did you mean rotary? "
        "training.steps must be at least 1, but got 0."
    )


def test_true_is_not_a_number_and_a_whole_number_is_one() -> None:
    assert message("[training]\npeak_learning_rate = true") == (
        "training.peak_learning_rate must be a number, but got True."
    )
    assert Recipe.parse("[training]\npeak_learning_rate = 1").training.peak_learning_rate == 1.0


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_no_setting_is_endless_or_no_number(value: str) -> None:
    assert message(f"[training]\npeak_learning_rate = {value}") == (
        f"training.peak_learning_rate must be a number, but got {value}."
    )


def test_two_keys_name_the_sentences_of_json_lines() -> None:
    assert Recipe.parse('[data]\nkeys = ["en", "fr"]').data.keys == ("en", "fr")
    assert message('[data]\nkeys = ["en"]') == "data.keys names two keys, but got ['en']."


def test_what_is_not_toml_says_where() -> None:
    assert message("[model\nwidth = 3").startswith("This is not TOML: ")


@given(
    st.text(),
    st.integers(1, 99),
    st.floats(0, 0.99),
    st.booleans(),
)
def test_a_recipe_written_is_the_recipe_read(name: str, layers: int, dropout: float, skip: bool) -> None:
    recipe = Recipe(
        data=DataSettings(train=(name,) if name else (), skip_bad=skip),
        model=ModelSettings(layers=layers, dropout=dropout),
    )
    assert Recipe.parse(recipe.dumps()) == recipe


def test_files_are_looked_for_beside_the_recipe(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[data]\ntrain = ["a.en", "a.fr"]\nvalidation = "embedded:en-fr:test"')
    data = Recipe.load(path).data
    assert data.train == (str(tmp_path / "a.en"), str(tmp_path / "a.fr"))
    assert data.validation == ("embedded:en-fr:test",)


def test_a_recipe_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecipeError) as caught:
        Recipe.load(tmp_path / "none.toml")
    assert str(caught.value) == (
        f"The recipe {tmp_path / 'none.toml'} cannot be read: No such file or directory."
    )


def test_the_file_is_named_with_what_is_wrong_in_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[training]\nseed = -1")
    with pytest.raises(RecipeError) as caught:
        Recipe.load(path)
    assert str(caught.value) == f"{path}: training.seed must be at least 0, but got -1."


def test_defaults_are_themselves_in_order() -> None:
    assert TrainingSettings().label_smoothing == 0.1
    assert Recipe.parse("") == Recipe()


def refusal(*changes: str) -> str:
    with pytest.raises(RecipeError) as caught:
        Recipe.parse("[model]\nwidth = 12").changed(changes)
    return str(caught.value)


def test_a_change_touches_one_setting_and_leaves_the_others() -> None:
    recipe = Recipe.parse('[data]\ntrain = ["a.en", "a.fr"]\n[model]\nwidth = 64\nlayers = 2')
    changed = recipe.changed(["model.layers = 3"])
    assert changed == Recipe.parse('[data]\ntrain = ["a.en", "a.fr"]\n[model]\nwidth = 64\nlayers = 3')
    assert recipe.changed([]) == recipe


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("model.positions=relative", "relative"),
        ('model.positions="relative"', "relative"),
        ("training.weight_decay=1", 1.0),
        ("training.peak_learning_rate=1e-3", 0.001),
        ("model.both_ways=false", False),
        ("data.columns=2,1", (2, 1)),
        ("data.columns=[2, 1]", (2, 1)),
        ("data.train=my pairs.tsv", ("my pairs.tsv",)),
        ('data.train=["a.en", "a.fr"]', ("a.en", "a.fr")),
        ("data.train=2019", ("2019",)),
        ("data.source_language=true", "true"),
        ("data.source_language=a=b", "a=b"),
        ("model.width=", None),
    ],
)
def test_a_change_is_read_as_its_setting_is_written(change: str, value: object) -> None:
    section, _, name = change.partition("=")[0].partition(".")
    found = getattr(getattr(Recipe.parse("[model]\nwidth = 64").changed([change]), section), name)
    assert found == value
    assert type(found) is type(value)


def test_all_that_is_wrong_with_changes_is_told_at_once() -> None:
    assert refusal(
        "positions=relative", "layers", "modle.x=1", "model.widht=", "model.layers=two", "model.heads=5",
        "training.steps=0", "training.seed=1", "training.seed=2", "model.norm=",
    ) == (
        "A setting is written section.name=value, but got 'positions=relative'. "
        "Did you mean model.positions? "
        "A setting is written section.name=value, but got 'layers'. Did you mean model.layers? "
        "There is no section [modle]. Did you mean model? "
        "training.seed is set twice, to '1' and '2'. Leave one out. "
        "model.norm cannot be left open. Write a value after the equals sign. "
        "model.layers must be a whole number, but got 'two'. "
        "model has no setting 'widht'. Did you mean width? "
        "model.width must be a multiple of model.heads, but 12 is not a multiple of 5. "
        "Nearest widths: 10 and 15. "
        "training.steps must be at least 1, but got 0."
    )  # fmt: skip


def test_settings_are_checked_together_after_all_changes() -> None:
    changed = Recipe.parse("[model]\nwidth = 12\nheads = 4").changed(["model.width=10", "model.heads=5"])
    assert (changed.model.width, changed.model.heads) == (10, 5)


def test_what_is_changed_was_said_and_what_is_left_open_was_not() -> None:
    recipe = Recipe.parse("[model]\nwidth = 64\nnorm = 'pre'")
    changed = recipe.changed(["model.kind=transformer", "model.width="])
    assert changed.said("model") == {"kind": "transformer", "norm": "pre"}
