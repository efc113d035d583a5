"""The search of the documentation, in both languages, as files and from a server, without a network."""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.docs.test_directives import PAGE, build

SAYS = "\n\n层归一化 is over the features.\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One page, built as the documentation is."""
    folder = tmp_path_factory.mktemp("docs")
    built = build(folder, PAGE + SAYS)
    assert built.returncode == 0, built.stderr
    return folder / "out" / "html"


class Quiet(SimpleHTTPRequestHandler):
    """A server that does not print."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("by", ["file", "server"])
@pytest.mark.parametrize(("word", "found"), [("归一化", 1), ("features", 1), ("归零化", 0)])
def test_a_word_is_found(browser: Any, site: Path, served: str, by: str, word: str, found: int) -> None:
    context = browser.new_context(offline=by == "file")
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{site.as_uri() if by == 'file' else served}/search.html?q={word}")
    page.wait_for_selector("#search-results .search-summary")
    page.wait_for_function("!document.querySelector('#search-results h2').innerText.startsWith('Searching')")
    assert page.locator("#search-results li").count() == found
    assert [line for line in said if "favicon" not in line and "404" not in line] == []
    context.close()
