"""Counts for Prometheus, in its text format. No label ever holds what a user wrote."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import accumulate

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """What a studio has done so far.

    >>> metrics = Metrics()
    >>> metrics.request("/translate", 200, 0.03)
    >>> 'regard_requests_total{route="/translate",status="200"} 1' in metrics.text()
    True
    """

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: dict[str, list[int]] = {}
        self._sums: dict[str, float] = {}
        self._totals: dict[tuple[str, str], float] = {}
        self._now: dict[tuple[str, str], int] = {}
        self._gone = 0

    def request(self, route: str, status: int, seconds: float) -> None:
        """A request was answered; ``route`` is ours, never the caller's path."""
        self._requests[route, status] += 1
        self._seconds.setdefault(route, [0] * (len(BOUNDS) + 1))[bisect_left(BOUNDS, seconds)] += 1
        self._sums[route] = self._sums.get(route, 0.0) + seconds

    def batch(self, queue: str, *, texts: int, tokens: int, seconds: float) -> None:
        """A batch was done."""
        for name, amount in (("batches", 1), ("texts", texts), ("tokens", tokens), ("work_seconds", seconds)):
            self._add(name, queue, amount)

    def queue(self, queue: str, *, texts: int, tokens: int) -> None:
        """So much is waiting or at work."""
        self._now["queue_texts", queue], self._now["queue_tokens", queue] = texts, tokens

    def shed(self, queue: str) -> None:
        """A caller was turned away because the queue was full."""
        self._add("shed", queue, 1)

    def gone(self) -> None:
        """A caller went away before the answer."""
        self._gone += 1

    def text(self) -> str:
        """Everything, as Prometheus reads it."""
        lines = ["# TYPE regard_requests_total counter"]
        for (route, status), count in sorted(self._requests.items()):
            lines.append(f'regard_requests_total{{route="{route}",status="{status}"}} {count}')
        lines.append("# TYPE regard_request_seconds histogram")
        for route, counts in sorted(self._seconds.items()):
            for bound, count in zip((*map(str, BOUNDS), "+Inf"), accumulate(counts), strict=True):
                lines.append(f'regard_request_seconds_bucket{{route="{route}",le="{bound}"}} {count}')
            lines.append(f'regard_request_seconds_sum{{route="{route}"}} {self._sums[route]:.6f}')
            lines.append(f'regard_request_seconds_count{{route="{route}"}} {sum(counts)}')
        lines += ["# TYPE regard_gone_total counter", f"regard_gone_total {self._gone}"]
        lines += _lines(
            {(f"{name}_total", queue): total for (name, queue), total in self._totals.items()}, "counter"
        )
        return "\n".join([*lines, *_lines(self._now, "gauge")]) + "\n"

    def _add(self, name: str, queue: str, amount: float) -> None:
        self._totals[name, queue] = self._totals.get((name, queue), 0) + amount


def _lines(values: Mapping[tuple[str, str], float], kind: str) -> Iterator[str]:
    for name in sorted({name for name, _ in values}):
        yield f"# TYPE regard_{name} {kind}"
        for (other, queue), value in sorted(values.items()):
            if other == name:
                yield f'regard_{name}{{queue="{queue}"}} {round(value, 6):.12g}'
