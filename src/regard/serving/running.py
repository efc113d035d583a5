"""Serving for real: a socket, hypercorn, signals, and an orderly end."""

import asyncio
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress

from hypercorn.asyncio.run import worker_serve
from hypercorn.config import Config, Sockets
from hypercorn.utils import wrap_app

from regard.errors import RegardError
from regard.serving.settings import Settings
from regard.serving.studio import Studio

BACKLOG = 1_024
FAREWELL = 0.5
"""Seconds between saying that we stop and stopping, so that whoever is at the door gets an answer."""


def serve(studio: Studio, announce: Callable[[str], None] = print) -> None:
    """Serve until a signal comes; ``announce`` is given the address."""
    listening = bind(studio.settings)
    # The model's thread must not keep the loop waiting when it only needs a moment.
    sys.setswitchinterval(0.001)
    # Nor the collector of garbage, who would look through all that was imported again and again.
    gc.collect()
    gc.freeze()
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(studio, listening, announce))
    if studio.is_learning:  # a thread in the middle of torch does not survive an orderly end of Python
        sys.stdout.flush()
        os._exit(0)


def bind(settings: Settings) -> socket.socket:
    """The socket to listen on, so that a port that is taken is told in one sentence."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise RegardError(
            f"{settings.host}:{settings.port} cannot be listened on: {error.strerror}. "
            "Choose another with --host and --port."
        ) from None


def address(listening: socket.socket) -> str:
    """Where to find us."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


async def _serve(studio: Studio, listening: socket.socket, announce: Callable[[str], None]) -> None:
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    ending: list[asyncio.Task[None]] = []

    async def end() -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(studio.settings.work_seconds + 1):
                await studio.stop()
        await asyncio.sleep(FAREWELL)
        stopped.set()

    def hear() -> None:
        if ending:
            os._exit(1)
        ending.append(loop.create_task(end()))

    for one in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(one, hear)
    announce(address(listening))
    await run(studio, listening, stopped)


async def run(studio: Studio, listening: socket.socket, stopped: asyncio.Event) -> None:
    """Answer whoever comes to the socket until the event is set."""
    app = wrap_app(studio.app, 0, "asgi")  # type: ignore[arg-type]
    with suppress(asyncio.CancelledError):  # what is still open when time is up
        await worker_serve(
            app, _config(studio.settings), sockets=Sockets([], [listening], []), shutdown_trigger=stopped.wait
        )


def _config(settings: Settings) -> Config:
    config = Config()
    config.loglevel = "WARNING"
    config.include_server_header = False
    config.backlog = BACKLOG
    config.keep_alive_timeout = settings.header_seconds
    config.keep_alive_max_requests = 1_000_000
    # It also runs while we work, so it may only end what outlasts every other deadline.
    config.read_timeout = int(settings.body_seconds + settings.work_seconds + 10)
    config.graceful_timeout = settings.body_seconds + settings.work_seconds
    return config
