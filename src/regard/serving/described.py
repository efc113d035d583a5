"""The description of the API: OpenAPI for programs, a page without scripts for people."""

import base64
import hashlib
import json
from collections.abc import Sequence
from html import escape
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from regard.serving.answered import Error, LibreError
from regard.serving.bodies import FORM, JSON
from regard.serving.operations import OPERATIONS, Operation

REFERENCE = "#/components/schemas/{model}"
MEANINGS = {
    400: "A field is wrong, or the body is no JSON.",
    403: "A key is needed.",
    404: "There is no such thing, or no such model.",
    405: "That method is not for this path.",
    408: "The body came too slowly.",
    413: "Too large.",
    415: "The body is of another type.",
    429: "Too many requests; see Retry-After.",
    503: "Overloaded or stopping; see Retry-After.",
}
STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;"
    "padding:0 1rem}h2{margin-top:2.5rem;border-top:1px solid #8886;padding-top:1rem}"
    "code,pre{font:14px/1.45 ui-monospace,monospace}pre{overflow:auto;background:#8881;padding:.75rem;"
    "border-radius:.4rem}summary{cursor:pointer}"
)
_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode("ascii")
POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; frame-ancestors 'none'"


def openapi(version: str) -> dict[str, Any]:
    """The whole description."""
    shapes: set[type[BaseModel]] = {Error, LibreError}
    for operation in OPERATIONS.values():
        shapes |= {*operation.asks, *operation.answers}
    ordered = sorted(shapes, key=lambda shape: shape.__name__)
    _, definitions = models_json_schema(
        [(shape, "validation") for shape in ordered], ref_template=REFERENCE, by_alias=True
    )
    paths: dict[str, Any] = {}
    for name, operation in OPERATIONS.items():
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(name, operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "regard studio",
            "version": version,
            "description": "Translate, look and learn. Errors are JSON: a code, a sentence, the field.",
        },
        "paths": paths,
        "components": {
            "schemas": definitions["$defs"],
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _described(name: str, operation: Operation) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": name,
        "summary": operation.summary,
        "parameters": [
            {"name": one.name, "in": one.where, "required": one.where == "path", "schema": one.schema}
            for one in operation.parameters
        ],
        "responses": {"200": {"description": "The answer.", "content": _content(operation)}},
    }
    error = LibreError if operation.libre else Error
    for status in _statuses(operation):
        content = {JSON: {"schema": _reference(error)}}
        told["responses"][str(status)] = {"description": MEANINGS[status], "content": content}
    if operation.asks:
        schema = _either(operation.asks)
        kinds = (JSON, FORM) if operation.form else (JSON,)
        told["requestBody"] = {"required": True, "content": {kind: {"schema": schema} for kind in kinds}}
    if not operation.is_open:
        told["security"] = [{}, {"key": []}]
    return told


def _statuses(operation: Operation) -> list[int]:
    """What may go wrong with any request of this kind."""
    found = {405, 429, *operation.statuses}
    if operation.parameters:
        found |= {400, 404}
    if operation.asks:
        found |= {400, 404, 408, 413, 415}
    if operation.works:
        found |= {503}
    if not operation.is_open:
        found |= {403}
    return sorted(found)


def _content(operation: Operation) -> dict[str, Any]:
    if operation.text:
        return {operation.text: {"schema": {"type": "string"}}}
    one = _either(operation.answers)
    return {JSON: {"schema": {"type": "array", "items": one} if operation.many else one}}


def _either(shapes: Sequence[type[BaseModel]]) -> dict[str, Any]:
    references = [_reference(shape) for shape in shapes]
    return references[0] if len(references) == 1 else {"anyOf": references}


def _reference(shape: type[BaseModel]) -> dict[str, str]:
    return {"$ref": REFERENCE.format(model=shape.__name__)}


def page(description: dict[str, Any]) -> str:
    """The description for people: every route, what it takes and what it answers."""
    schemas = description["components"]["schemas"]
    parts = []
    for name, operation in OPERATIONS.items():
        title = f"{operation.method} {operation.path}"
        parts.append(f'<h2 id="{name}"><code>{escape(title)}</code></h2><p>{escape(operation.summary)}</p>')
        if operation.example:
            call = f"curl localhost:5000{operation.path} -H 'Content-Type: {JSON}' -d '{operation.example}'"
            parts.append(f"<pre>{escape(call)}</pre>")
        if operation.parameters:
            given = {one.name: one.schema for one in operation.parameters}
            parts.append(_folded("Parameters", given))
        for heading, shapes in (("Takes", operation.asks), ("Answers", operation.answers)):
            parts += [_folded(f"{heading}: {shape.__name__}", schemas[shape.__name__]) for shape in shapes]
        parts.append(f"<p>May also answer {', '.join(map(str, _statuses(operation)))}.</p>")
    contents = "".join(
        f'<li><a href="#{name}"><code>{one.method} {escape(one.path)}</code></a> {escape(one.summary)}</li>'
        for name, one in OPERATIONS.items()
    )
    parts.append('<h2 id="schemas">Shapes</h2>')
    parts += [_folded(name, schema) for name, schema in schemas.items()]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>regard: the API</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>'
        '<h1>regard: the API</h1><p>For programs: <a href="openapi.json">openapi.json</a>. '
        "Clients of LibreTranslate can use /translate, /detect and /languages as they are. "
        "An error has a code, one sentence, and the field that is wrong. "
        "Where keys are needed, send Authorization: Bearer KEY.</p>"
        f"<ul>{contents}</ul>"
        f"{''.join(parts)}</body></html>"
    )


def _folded(title: str, content: Any) -> str:
    text = json.dumps(content, indent=1, ensure_ascii=False)
    return f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"
