"""The studio: routes over a shelf of models, a queue of work and a page."""

import asyncio
import json
import logging
import threading
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from regard import __version__
from regard.errors import RegardError
from regard.serving import (
    arithmetic,
    asked,
    bench,
    described,
    examples,
    looking,
    progress,
    rivals,
    translating,
)
from regard.serving.bodies import JSON, Gone, parse, read, which
from regard.serving.door import Attendant, Door
from regard.serving.files import POLICY, File, page_files
from regard.serving.metrics import Metrics
from regard.serving.operations import OPERATIONS, Operation
from regard.serving.problems import Problem, refuse
from regard.serving.settings import Settings
from regard.serving.shelf import Served, Shelf
from regard.serving.work import Once, Workshop

LOG = logging.getLogger("regard.serving")
LOOK_COST, BENCH_COST = 8, 64
"""Looking costs so many times its tokens; arithmetic on numbers costs so many."""


class Studio:
    """Everything that answers; ``app`` is the ASGI application."""

    def __init__(self, shelf: Shelf, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.shelf = shelf
        self.metrics = Metrics()
        self.workshop: Workshop
        self.bench: Workshop
        self.stopping = False
        self._learning = threading.Thread(target=self.shelf.learn, name="regard-learn", daemon=True)
        self._door = Door(self.settings)
        self._files = page_files()
        self._description = described.openapi(__version__)
        routes = [
            *(self._route(name, operation) for name, operation in OPERATIONS.items()),
            Route("/openapi.json", self._openapi),
            Route("/docs", self._docs),
            *(Route(path, self._sending(file)) for path, file in self._files.items()),
        ]
        self.app = Starlette(
            routes=routes,
            lifespan=self._open,
            middleware=[Middleware(Attendant, leaving=self)],
            exception_handlers={HTTPException: self._no_route},
        )

    @asynccontextmanager
    async def _open(self, app: Starlette) -> AsyncIterator[None]:
        del app
        # Arithmetic has hands of its own, so that it follows at once however much is being translated.
        self.workshop = Workshop(self.settings, self.metrics, "model")
        self.bench = Workshop(self.settings, self.metrics, "bench")
        self._learning.start()
        working = [asyncio.create_task(one.work()) for one in (self.workshop, self.bench)]
        try:
            yield
        finally:
            for task in working:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            for one in (self.workshop, self.bench):
                one.close()

    @property
    def is_learning(self) -> bool:
        """Whether it is still finding out about its models, in a thread that nobody waits for."""
        return self._learning.is_alive()

    async def stop(self) -> None:
        """Take nothing new, and wait until all that was accepted is answered."""
        self.stopping = self.workshop.stopping = self.bench.stopping = True
        await self.workshop.drained()
        await self.bench.drained()

    # What each operation does.

    async def translate(self, body: asked.Translate) -> Any:
        """Translate."""
        return await translating.translate(body, self.shelf, self.workshop, self.settings)

    async def detect(self, body: asked.Detect) -> Any:
        """Tell languages apart."""
        translating.check_characters("q", len(body.q), self.settings)
        return [{"confidence": sure, "language": code} for code, sure in self.shelf.detector.detect(body.q)]

    async def languages(self) -> Any:
        """List languages."""
        return self.shelf.languages()

    async def rivals(self, body: asked.Rivals) -> Any:
        """Find rivals of a word."""
        served = self._served(body.model, body.text, body.target)
        return await self._once(lambda: rivals.find_rivals(body, served, self.settings), served, body.text)

    async def attention(self, body: asked.Attention) -> Any:
        """Look."""
        served = self._served(body.model, body.text, body.target)
        return await self._once(lambda: looking.look(body, served, self.settings), served, body.text)

    async def explain(self, body: asked.Asked) -> Any:
        """Explain."""
        if isinstance(body, asked.Worked):
            return await self._once(lambda: examples.tell(body))
        if isinstance(body, asked.Numbers):
            return await self._once(lambda: bench.compute(body, self.settings))
        assert isinstance(body, asked.OneQuery)
        served = self._served(body.model, body.text, body.target)
        return await self._once(lambda: arithmetic.one_query(body, served, self.settings), served, body.text)

    async def examples(self, language: str) -> Any:
        """List worked examples."""
        return examples.examples(language)

    async def models(self) -> Any:
        """List models."""
        served = [one.told for one in self.shelf.models.values()]
        default = served[0]["name"] if served else None
        return {"default": default, "models": served, "limits": self.settings.told}

    async def training(self, after: int) -> Any:
        """Tell of runs in progress."""
        return await asyncio.to_thread(progress.report, self.shelf.folders, after)

    async def look(self, name: str, step: int) -> Any:
        """Show maps of a run in progress."""
        return await asyncio.to_thread(progress.look_at, self.shelf.folders, name, step)

    async def health(self) -> Any:
        """Say that it lives."""
        return {"status": "ok"}

    async def ready(self) -> Any:
        """Say whether it takes work."""
        if self.stopping:
            raise Problem(503, "stopping", "The server is stopping.")
        return {"status": "ready"}

    def _served(self, name: str | None, *texts: str | None) -> Served:
        for field, text in zip(("text", "target"), texts, strict=False):
            translating.check_characters(field, len(text or ""), self.settings)
        return self.shelf.default() if name is None else self.shelf.called(name)

    async def _once(self, function: Callable[[], Any], served: Served | None = None, text: str = "") -> Any:
        if served is None:
            (answer,) = await self.bench.do(Once(function), [None], [BENCH_COST])
        else:
            tokens = (len(served.translator.tokenizer.source.encode(text)) + 1) * LOOK_COST
            (answer,) = await self.workshop.do(Once(function), [None], [tokens])
        return answer

    # How a request becomes an answer.

    def _route(self, name: str, operation: Operation) -> Route:
        async def endpoint(request: Request) -> Response:
            began = time.perf_counter()
            status = 499
            try:
                answer = await self._answer(name, operation, request)
                status = answer.status_code
                return answer
            except Gone:
                self.metrics.gone()
                return Response(status_code=400)
            finally:
                self.metrics.request(operation.path, status, time.perf_counter() - began)

        return Route(operation.path, endpoint, methods=[operation.method], name=name)

    async def _answer(self, name: str, operation: Operation, request: Request) -> Response:
        try:
            if name not in ("health", "ready", "metrics"):
                self._door.check(request.headers, request.client.host if request.client else "")
            if operation.text:
                self._door.check_key(request.headers)
                return Response(self.metrics.text(), media_type=operation.text)
            if not operation.asks:
                if not operation.is_open:
                    self._door.check_key(request.headers)
                return _json(await getattr(self, name)(**_parameters(operation, request)))
            body = await self._body(operation, request)
            return _json(await _unless_gone(request, getattr(self, name)(body)))
        except Problem as problem:
            return _told(problem, operation.libre)
        except RegardError as error:
            return _told(Problem(400, "invalid", str(error)), operation.libre)
        except (Gone, asyncio.CancelledError):
            raise
        except Exception as error:  # noqa: BLE001 - the caller is told, and so is the log, without any text
            LOG.error("%s in %s: %s", type(error).__name__, operation.path, _where(error))
            defect = Problem(500, "defect", "Something is wrong with regard itself; its log says where.")
            return _told(defect, operation.libre)

    async def _body(self, operation: Operation, request: Request) -> asked.Asked:
        body = await read(request, self.settings)
        kind = request.headers.get("content-type", "")
        shape = operation.asks[0]
        if len(operation.asks) > 1 and kind.partition(";")[0].strip().lower() == JSON:
            shape = which(body)
        parsed = parse(body, kind, shape, form=operation.form)
        self._door.check_key(request.headers, parsed.key)
        return parsed

    async def _openapi(self, request: Request) -> Response:
        del request
        return _json(self._description)

    async def _docs(self, request: Request) -> Response:
        del request
        headers = {"content-security-policy": described.POLICY}
        return Response(described.page(self._description), media_type="text/html", headers=headers)

    def _sending(self, file: File) -> Callable[[Request], Awaitable[Response]]:
        async def send(request: Request) -> Response:
            headers = {"etag": file.tag, "cache-control": "no-cache", "content-security-policy": POLICY}
            if file.tag in request.headers.get("if-none-match", ""):
                return Response(status_code=304, headers=headers)
            return Response(file.content, headers={**headers, "content-type": file.kind})

        return send

    async def _no_route(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        self.metrics.request("other", error.status_code, 0.0)
        libre = any(one.libre and one.path == request.url.path for one in OPERATIONS.values())
        if error.status_code == 405:
            problem = Problem(405, "method", "That method is not for this path; see /docs.")
        else:
            problem = Problem(404, "not_found", "There is nothing here; see /docs.")
        answer = _told(problem, libre)
        answer.headers.update(error.headers or {})
        return answer


def _json(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "replace"), status, {**(headers or {}), "content-type": JSON})


def _told(problem: Problem, libre: bool) -> Response:
    content = {"error": problem.message, "problem": problem.told} if libre else {"error": problem.told}
    return _json(content, problem.status, problem.headers)


def _parameters(operation: Operation, request: Request) -> dict[str, Any]:
    """What stands in the path and the query, as what it should be."""
    found = {}
    for one in operation.parameters:
        given = request.path_params if one.where == "path" else request.query_params
        text = given.get(one.name)
        if text is None:
            found[one.name] = one.default
        elif one.schema["type"] == "integer":
            if not (
                text.isascii() and text.isdecimal() and len(text) < 12 and int(text) <= one.schema["maximum"]
            ):
                raise refuse(one.name, f"{one.name} must be a whole number of at least 0.")
            found[one.name] = int(text)
        elif text not in one.schema.get("enum", [text]):
            raise refuse(one.name, f"{one.name} must be one of {', '.join(one.schema['enum'])}.")
        else:
            found[one.name] = text
    return found


async def _unless_gone(request: Request, work: Awaitable[Any]) -> Any:
    """The work's result; where the caller goes away first, the work is given up."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Gone
        return working.result()
    finally:
        for task in (working, leaving):
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task


def _where(error: BaseException) -> str:
    """Where a defect showed, in our own lines and not in the user's words."""
    frames = traceback.extract_tb(error.__traceback__)
    return " < ".join(
        f"{frame.filename.rpartition('regard/')[2]}:{frame.lineno}" for frame in reversed(frames)
    )
