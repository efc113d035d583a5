"""Manifests that know when they were changed: each is sealed by the hash of its own text."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def sealed(content: Mapping[str, Any]) -> bytes:
    """A manifest as it is written, so that no bit of it may change.

    >>> is_as_sealed(sealed({"step": 3}), {"step": 3}), is_as_sealed(sealed({"step": 3}), {"step": 4})
    (True, False)
    """
    seal = hashlib.sha256(json.dumps(content, indent=1).encode()).hexdigest()
    return json.dumps({**content, "seal": seal}, indent=1).encode()


def is_as_sealed(data: bytes, content: Mapping[str, Any]) -> bool:
    """Whether this is, bit for bit, what was written of a content."""
    return data == sealed({name: value for name, value in content.items() if name != "seal"})
