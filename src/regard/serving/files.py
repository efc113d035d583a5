"""The page's own files: read once at start, served by name, so that no request makes a path."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from regard import viewing

PAGE = Path(__file__).parent / "page"
TERMS = Path(viewing.__file__).parent / "page" / "terms.js"
"""What heads and measures are called: the studio says it as every page of attention does."""
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)


@dataclass(frozen=True)
class File:
    """A file as it is sent."""

    content: bytes
    kind: str
    tag: str


def page_files(folder: Path = PAGE) -> dict[str, File]:
    """Every file of the page by its address; ``/`` is the index."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    files = {}
    for name, path in sorted({TERMS.name: TERMS, **found}.items()):
        if path.suffix in KINDS:
            content = path.read_bytes()
            tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
            files[f"/{name}"] = File(content, KINDS[path.suffix], tag)
    if "/index.html" in files:
        files["/"] = files["/index.html"]
    return files
