"""The door: who may come in and how often, what every answer carries, and how bodies nobody reads end."""

import asyncio
import hmac
import time
from collections import OrderedDict
from contextlib import suppress
from typing import Protocol

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from regard.serving.problems import Problem
from regard.serving.settings import Settings

MOST_CLIENTS = 10_000
LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
SILENT_POLICY = "default-src 'none'; frame-ancestors 'none'"


class Rate:
    """So many requests a minute for each client, a minute's worth at once.

    >>> rate = Rate(2)
    >>> [rate.wait("a", now=now) for now in (0.0, 0.0, 0.0, 31.0)]
    [0, 0, 30, 0]
    """

    def __init__(self, per_minute: int) -> None:
        self._most = per_minute
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str, now: float | None = None) -> int:
        """Take one; 0, or the seconds to wait where none is left."""
        if not self._most:
            return 0
        now = time.monotonic() if now is None else now
        left, then = self._left.pop(client, (float(self._most), now))
        left = min(left + (now - then) * self._most / 60, self._most)
        self._left[client] = (max(left - 1, 0.0) if left >= 1 else left, now)
        if len(self._left) > MOST_CLIENTS:
            self._left.popitem(last=False)
        return 0 if left >= 1 else max(round((1 - left) * 60 / self._most), 1)


class Door:
    """Knows the keys, the names this server goes by, and how often each client came."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._rate = Rate(settings.requests_per_minute)
        self._names = {*LOCAL_NAMES, settings.host, *settings.names} if settings.is_local else None

    def check(self, headers: Headers, client: str) -> None:
        """Refuse who calls us by a strange name, or too often.

        A page of another site that was led to this machine by a false name may not talk to us.
        """
        host = headers.get("host", "")
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if self._names is not None and name not in self._names:
            raise Problem(
                403, "host", "This server does not go by that name. Use localhost, or start it with --name."
            )
        wait = self._rate.wait(client)
        if wait:
            raise Problem(429, "rate", "Too many requests. Come a little slower.", retry_after=wait)

    def check_key(self, headers: Headers, in_body: str | None = None) -> None:
        """Refuse who has no key, where keys are needed."""
        if not self._settings.keys:
            return
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        given = [bearer.strip()] if scheme.lower() == "bearer" else []
        if not any(_same(one, key) for one in (*given, in_body or "") for key in self._settings.keys):
            raise Problem(403, "key", "A key is needed: send Authorization: Bearer KEY.")


class Leaving(Protocol):
    """Who knows whether the server is on its way out."""

    stopping: bool


class Attendant:
    """Gives every answer its headers, and swallows what is left of a body that was refused.

    hypercorn waits until each part of a body is taken; a refused body that nobody takes would keep
    its connection for ever.
    """

    def __init__(self, app: ASGIApp, *, leaving: Leaving) -> None:
        self._app, self._leaving = app, leaving

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
        ended = not has_body
        swallowing: asyncio.Task[None] | None = None

        async def hear() -> Message:
            nonlocal ended
            message = await receive()
            ended = message["type"] != "http.request" or not message.get("more_body", False)
            return message

        async def say(message: Message) -> None:
            nonlocal swallowing
            if message["type"] == "http.response.start":
                self._dress(MutableHeaders(raw=message.setdefault("headers", [])))
                if not ended:
                    swallowing = asyncio.create_task(_swallow(receive))
            await send(message)

        try:
            await self._app(scope, hear, say)
        finally:
            if swallowing is not None:
                swallowing.cancel()
                with suppress(asyncio.CancelledError):
                    await swallowing

    def _dress(self, headers: MutableHeaders) -> None:
        for name, value in HEADERS.items():
            headers.setdefault(name, value)
        headers.setdefault("content-security-policy", SILENT_POLICY)
        headers.setdefault("cache-control", "no-store")
        if self._leaving.stopping:
            headers["connection"] = "close"


async def _swallow(receive: Receive) -> None:
    while (await receive())["type"] == "http.request":
        pass


def _same(given: str, key: str) -> bool:
    return hmac.compare_digest(given.encode(), key.encode())
