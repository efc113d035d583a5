"""Every recipe is in order, and so is every command of the plan."""

import doctest
import shlex
import shutil
from pathlib import Path

import pytest
from benchmarks import alignment, draw_minutes, draw_results, minutes, minutes_peers, plan, tatoeba
from benchmarks.plan import ALIGNED, ASKED, PLAN, RECIPES, Planned, one_called

from regard.errors import RegardError
from regard.recipe import Recipe
from tests.benchmarking.made_up import furnish
from tests.cli.test_runs import regard

FILES = sorted(RECIPES.glob("*.toml"))


@pytest.mark.parametrize("recipe", FILES, ids=lambda path: path.stem)
def test_every_recipe_parses_and_says_how_it_is_used(recipe: Path) -> None:
    Recipe.load(recipe)
    said = [
        line.removeprefix("# ") for line in recipe.read_text(encoding="utf-8").split("\n") if line[:1] == "#"
    ]
    assert f"regard train recipes/{recipe.name} --into runs/{recipe.stem}" in " ".join(said)


def test_the_plan_names_every_recipe_and_nothing_twice() -> None:
    assert {one.recipe for one in PLAN} == {path.name for path in FILES}
    assert len({one.name for one in PLAN}) == len(PLAN)
    assert {one.asked for one in PLAN} == set(ASKED)
    assert {name for one in ALIGNED for name in (one.forward, one.backward)} <= {one.name for one in PLAN}


def test_no_two_of_the_plan_are_the_same_translator() -> None:
    recipes = [one.settings() for one in PLAN]
    assert len({recipe.dumps() for recipe in recipes}) == len(recipes)


def test_the_recipes_of_one_corpus_differ_only_in_its_files() -> None:
    german, cased, french = (
        Recipe.load(RECIPES / f"multi30k-{name}.toml") for name in ("en-de", "raw-en-de", "en-fr")
    )
    assert (cased.tokenizer, cased.model, cased.training) == (german.tokenizer, german.model, german.training)
    assert (french.tokenizer, french.model, french.training) == (
        german.tokenizer,
        german.model,
        german.training,
    )
    there, back = (Recipe.load(RECIPES / f"hansards-{name}.toml") for name in ("en-fr", "fr-en"))
    assert back == there.changed(["data.columns=2,1", "data.source_language=fr", "data.target_language=en"])


def test_what_is_not_planned_is_named() -> None:
    with pytest.raises(RegardError) as caught:
        one_called("multi30k")
    assert str(caught.value).startswith(
        "'multi30k' is not planned; there are multi30k-en-de, multi30k-en-de-"
    )


@pytest.mark.parametrize("planned", PLAN, ids=lambda planned: planned.name)
def test_every_command_of_the_plan_passes_a_dry_run_on_made_up_pairs(
    planned: Planned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "recipes").mkdir()
    shutil.copy(RECIPES / planned.recipe, tmp_path / "recipes")
    recipe = Recipe.parse((RECIPES / planned.recipe).read_text(encoding="utf-8"))
    furnish(tmp_path / "recipes", recipe.data.train, recipe, first=0, pairs=60)
    furnish(tmp_path / "recipes", recipe.data.validation, recipe, first=60, pairs=7)
    monkeypatch.chdir(tmp_path)
    if planned.begins_with:
        _, *words = shlex.split(one_called(planned.begins_with).command())
        assert regard(*words, "--set", "training.steps=1").exit_code == 0
    there = sorted(one.name for one in tmp_path.iterdir())
    _, *words = shlex.split(planned.command())
    result = regard(*words, "--dry-run")
    assert result.exit_code == 0, result.output
    assert "Everything is in order." in result.output
    assert "60 to learn from" in result.output
    assert sorted(one.name for one in tmp_path.iterdir()) == there
    assert ("runs" in there) == bool(planned.begins_with)


# Reads whole corpora and learns a tokenizer from each.
@pytest.mark.slow
@pytest.mark.parametrize("recipe", FILES, ids=lambda path: path.stem)
def test_every_recipe_passes_a_dry_run_on_its_own_corpus(recipe: Path, tmp_path: Path) -> None:
    data = Recipe.load(recipe).data
    missing = [name for name in (*data.train, *data.validation) if not Path(name).exists()]
    if missing:
        pytest.skip(
            f"{Path(missing[0]).relative_to(RECIPES.parent)} is not here; the recipe says where to get it"
        )
    result = regard("train", str(recipe), "--into", str(tmp_path / "run"), "--dry-run")
    assert result.exit_code == 0, result.output
    assert "Everything is in order." in result.output


def test_the_page_says_what_the_result_files_say_and_no_more() -> None:
    assert draw_results.DOCUMENT.read_text(encoding="utf-8") == draw_results.text()


@pytest.mark.parametrize(
    "module",
    [alignment, draw_minutes, draw_results, minutes, minutes_peers, plan, tatoeba],
    ids=lambda module: module.__name__,
)
def test_examples_in_the_benchmarks_hold(module: object) -> None:
    found = doctest.testmod(module)  # type: ignore[arg-type]
    assert found.attempted > 0
    assert found.failed == 0
