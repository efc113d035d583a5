"""A real Chromium that opens pages without a network and forgives nothing they say or ask for."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

ROOT = Path(__file__).parents[2]
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


class Open(Protocol):
    """Opens a page; ``heard`` is what any page said."""

    heard: list[str]

    def __call__(self, html: str, ready: str | None = ..., **options: Any) -> Any: ...


def missing(what: str) -> None:
    """Skip, unless these tests were asked for."""
    reason = f"{what}: make test-browser installs it and runs these tests"
    if os.environ.get("REGARD_BROWSER") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        missing("there is no Chromium here")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        missing("playwright is not installed")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def axe() -> str:
    path = ROOT / ".venv" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
    if not path.exists():
        missing("axe-core is not installed")
    return path.read_text(encoding="utf-8")


DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""A promise kept when what was asked for is on the screen: a page is drawn in the frame after it is ready."""


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """Open a page written to a file; afterwards it must have said nothing and asked for nothing."""
    contexts: list[Any] = []
    heard: list[str] = []
    asked: list[str] = []

    def open_(html: str, ready: str | None = "html[data-ready=true]", **options: Any) -> Any:
        address = (tmp_path / f"page-{len(contexts)}.html").resolve()
        address.write_text(html, encoding="utf-8")
        options = {
            "viewport": {"width": 1400, "height": 900},
            "offline": True,
            "accept_downloads": True,
        } | options
        context = browser.new_context(**options)
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: heard.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"error: {error}"))
        page.on("dialog", lambda dialog: heard.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address.as_uri())
        asked.remove(address.as_uri())
        if ready:
            page.wait_for_selector(ready, state="attached")
            page.evaluate(DRAWN)
        return page

    open_.heard = heard  # type: ignore[attr-defined]
    yield open_  # type: ignore[misc]
    for context in contexts:
        context.close()
    assert heard == []
    assert [url for url in asked if not url.startswith("data:")] == []


def settled(page: Any) -> None:
    """Wait until what was asked for is drawn, and what that in turn asked for."""
    for _ in range(2):
        page.evaluate(DRAWN)


def until(page: Any, says: str) -> None:
    """Wait for something to be true; asked from outside, since the studio lets no string run inside."""
    for _ in range(400):
        if page.evaluate(says):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"not within twenty seconds: {says}")


class OpenStudio(Protocol):
    """Opens a part of the studio by its address; ``heard`` is what any page said."""

    heard: list[str]

    def __call__(self, part: str = ..., language: str = ..., theme: str = ..., **options: Any) -> Any: ...


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A real studio over a run small enough to be trained here, and over one of its checkpoints."""
    try:
        import torch

        from regard import runs
        from regard.recipe import DataSettings, ModelSettings, Recipe, TrainingSettings
        from regard.serving import Settings, Shelf, Studio
        from tests.runs.test_training import pairs_file
        from tests.serving.calling import serving
    except ModuleNotFoundError as error:
        missing(f"{error.name} is not installed")
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("studio")
    recipe = Recipe(
        data=DataSettings(train=(str(pairs_file(folder)),), source_language="en", target_language="fr"),
        model=ModelSettings(kind="transformer", width=32, layers=1, heads=2, hidden_width=32, dropout=0.3),
        training=TrainingSettings(
            steps=120,
            tokens_per_batch=512,
            validate_every=60,
            validation_pairs=2,
            schedule="inverse-square-root",
            peak_learning_rate=5e-3,
            warmup_steps=10,
            weight_decay=0.0,
            dropout_steps=0,
        ),
    )
    for _ in runs.train(recipe, into=folder / "small"):
        pass
    shelf = Shelf.load([f"{folder}/small", f"{folder}/small@60"])
    with serving(Studio(shelf, Settings(port=0))) as server:
        yield server


@pytest.fixture
def open_studio(browser: Any, studio: Any) -> Iterator[OpenStudio]:
    """Open the studio; afterwards it must have said nothing, and asked nobody but its own server."""
    contexts: list[Any] = []
    heard: list[str] = []
    asked: list[str] = []

    def open_(part: str = "", language: str = "en", theme: str = "light", **options: Any) -> Any:
        options = {"viewport": {"width": 1400, "height": 900}, "accept_downloads": True} | options
        context = browser.new_context(**options)
        context.set_default_timeout(30_000)
        contexts.append(context)
        context.add_init_script(
            "const kept = localStorage;"
            f"kept.getItem('regard.language') ?? kept.setItem('regard.language', '{language}');"
            f"kept.setItem('regard.theme', '{theme}');"
        )
        page = context.new_page()
        page.on("console", lambda message: heard.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"error: {error}"))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(studio.address + (f"#{part}" if part else ""))
        page.wait_for_selector("html[data-ready=true]", state="attached")
        page.evaluate(DRAWN)
        return page

    open_.heard = heard  # type: ignore[attr-defined]
    yield open_  # type: ignore[misc]
    for context in contexts:
        context.close()
    assert heard == []
    assert [url for url in asked if not url.startswith((studio.address, "data:", "blob:"))] == []
