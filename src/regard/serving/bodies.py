"""Reading a body: in time, within its size, and as what it says it is."""

import asyncio
import re
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import parse_qsl

from pydantic import TypeAdapter, ValidationError
from starlette.requests import ClientDisconnect, Request

from regard.serving.asked import EXPLAINED, Asked
from regard.serving.problems import Problem, refuse
from regard.serving.settings import Settings

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
MOST_FIELDS = 1_000
MARKED = ("q", "mask", "position")
_MARK = re.compile(r"[a-z]+|constrained-\w+|list\[.*")
"""What pydantic puts into the path of a field that may be one of several things."""

Body = TypeVar("Body", bound=Asked)


async def read(request: Request, settings: Settings) -> bytes:
    """The whole body, or a problem: too large, or too slow."""
    said = request.headers.get("content-length", "0")
    if said.isdecimal() and int(said) > settings.body_bytes:
        raise _too_large(settings)
    body = bytearray()
    try:
        async with asyncio.timeout(settings.body_seconds):
            async for chunk in request.stream():
                body += chunk
                if len(body) > settings.body_bytes:
                    raise _too_large(settings)
    except TimeoutError:
        raise Problem(
            408, "slow_body", f"The body did not arrive within {settings.body_seconds:g} seconds."
        ) from None
    except ClientDisconnect:
        raise Gone from None
    return bytes(body)


class Gone(Exception):
    """The caller went away before there was an answer."""


def parse(body: bytes, media_type: str, shape: type[Body], *, form: bool = False) -> Body:
    """The body as what was asked, or a problem that names the field."""
    kind = media_type.partition(";")[0].strip().lower()
    if kind == FORM and form:
        return _checked(lambda: shape.model_validate(_fields(body), strict=False))
    if kind != JSON:
        allowed = f"{JSON} or {FORM}" if form else JSON
        raise Problem(415, "media_type", f"The body must be {allowed}: say so in Content-Type.")
    return _checked(lambda: shape.model_validate_json(body))


def which(body: bytes) -> type[Asked]:
    """Which explanation a body asks for: the field that only it has tells."""
    try:
        keys = TypeAdapter(dict[str, object]).validate_json(body)
    except ValidationError as error:
        raise _problem(error) from None
    for field, shape in EXPLAINED.items():
        if field in keys:
            return shape
    raise Problem(400, "invalid", f"The body must have one of the fields {', '.join(EXPLAINED)}.")


def _checked(check: Callable[[], Body]) -> Body:
    try:
        return check()
    except ValidationError as error:
        raise _problem(error) from None


def _problem(error: ValidationError) -> Problem:
    """The first thing that is wrong, without what was sent."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return Problem(400, "not_json", f"The body is not valid JSON: {_plain(first['msg'])}.")
    # "keep" is both a kind of mask and a field of it: a mark follows the field whose kind it tells.
    places = first["loc"]
    path = [
        str(part)
        for number, part in enumerate(places)
        if not (number and places[number - 1] in MARKED and _MARK.fullmatch(str(part)))
    ]
    if path[:1] == ["settings"]:
        path = path[:2]
    field = ".".join(path)[:200]
    return refuse(field, f"{field or 'The body'}: {_plain(first['msg'])}.")


def _plain(message: str) -> str:
    message = message.removeprefix("Invalid JSON: ").rstrip(".")
    begins = message[:1] if message[:3].isupper() else message[:1].lower()  # EOF stays EOF
    return begins + message[1:300]


def _fields(body: bytes) -> dict[str, str | list[str]]:
    """The fields of a form; one that is given several times is a list."""
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise Problem(400, "invalid", f"The form must be UTF-8, with at most {MOST_FIELDS} fields.") from None
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in fields.items()}


def _too_large(settings: Settings) -> Problem:
    return Problem(413, "too_large", f"The body must have at most {settings.body_bytes:,} bytes.")
