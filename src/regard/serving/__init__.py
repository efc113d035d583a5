"""The studio: translate, look and learn in the browser, and an HTTP API for programs.

``Studio(Shelf.load(["runs/demo"])).app`` is an ASGI application; :func:`serve` runs it.
"""

from regard.serving.running import serve
from regard.serving.settings import Settings
from regard.serving.shelf import Served, Shelf
from regard.serving.studio import Studio

__all__ = ["Served", "Settings", "Shelf", "Studio", "serve"]
