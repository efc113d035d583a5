"""The rules of the house: layers, public names, a light import, a sentence at each door."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "regard"
LAYERS = (
    {"collecting", "errors", "sealing", "wording"},
    {"recipe"},
    {"attention", "text"},
    {"models", "viewing"},
    {"training", "translation"},
    {"runs", "worked", "comparing"},
    {"serving"},
    {"cli"},
    {"__main__"},
)
"""From the ground up. A part imports from the layers below it and from itself, nothing else."""
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}

MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))
PACKAGES = [module.parent for module in MODULES if module.name == "__init__.py"]


def tree(module: Path) -> ast.Module:
    return ast.parse((SOURCE / module).read_text(encoding="utf-8"))


def part_of(module: Path) -> str:
    return module.parts[0].removesuffix(".py")


def imported_parts(module: Path) -> Iterator[tuple[int, str]]:
    """Each import from regard: its line, and the part it names."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno} imports relatively; say regard.…"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [f"{alias.name}." for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("regard.") and name != "regard.__version__":
                yield node.lineno, name.split(".")[1]


def test_every_part_has_its_layer() -> None:
    assert {part_of(module) for module in MODULES} - {"__init__"} <= set(LEVEL)


@pytest.mark.parametrize("module", [one for one in MODULES if one != Path("__init__.py")], ids=str)
def test_imports_point_down(module: Path) -> None:
    own = part_of(module)
    for line, part in imported_parts(module):
        assert part in LEVEL, (
            f"{module}:{line} imports {part or 'regard'} from the front door, not from its home"
        )
        assert part == own or LEVEL[part] < LEVEL[own], f"{module}:{line}: {own} may not import {part}"


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_every_module_says_what_it_is_for(module: Path) -> None:
    assert ast.get_docstring(tree(module)), f"{module} has no docstring"


def bound_and_used(package: Path) -> tuple[set[str], set[str]]:
    """The public names that a package's own file defines or takes from regard, and those that it uses."""
    bound, used = set(), set()
    for node in ast.walk(tree(package / "__init__.py")):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "regard":
            bound |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            used.add(node.id)
    for node in tree(package / "__init__.py").body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            bound |= {target.id for target in targets if isinstance(target, ast.Name)}
    return {name for name in bound if not name.startswith("_")}, used


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_what_a_package_makes_public_it_exports_or_uses_itself(package: Path) -> None:
    module = importlib.import_module(".".join(["regard", *package.parts]))
    exported = list(getattr(module, "__all__", []))
    bound, used = bound_and_used(package)
    assert bound - used <= set(exported) <= bound
    assert len(set(exported)) == len(exported)
    assert all(hasattr(module, name) for name in exported)


def optional_modules() -> set[str]:
    """The import names of everything that only an extra brings."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    def names(requirements: list[str]) -> set[str]:
        return {re.split(r"[\[<>=~! ;]", one)[0].lower().replace("-", "_") for one in requirements}

    extras = set().union(*(names(extra) for extra in project["optional-dependencies"].values()))
    extras -= names(project["dependencies"]) | {"regard"}
    installed = {
        module
        for module, distributions in packages_distributions().items()
        if {one.lower().replace("-", "_") for one in distributions} & extras
    }
    return {module for module in extras | installed if not module.startswith("_")}


def test_every_public_name_is_found_and_listed_though_it_is_loaded_later() -> None:
    program = (
        "import sys, regard; assert 'torch' not in sys.modules;"
        "assert set(regard.__all__) <= set(dir(regard));"
        "assert all(getattr(regard, name) is getattr(regard, name) for name in regard.__all__);"
        "print(regard.attention.attend is regard.attend, regard.runs.train is regard.train)"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert printed.stdout == "True True\n"


def test_importing_regard_is_light_and_loads_no_extra() -> None:
    program = (
        "import sys, time, torch; before = time.perf_counter(); import regard; "
        "print(time.perf_counter() - before, *sys.modules)"
    )
    extras = optional_modules()
    assert "transformers" in extras
    for _ in range(5):  # a busy machine may stumble once
        printed = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
        seconds, *loaded = printed.stdout.split()
        assert extras.isdisjoint(loaded)
        if float(seconds) < 0.5:
            return
    pytest.fail(f"import regard took {seconds} s more than import torch")
