"""What a studio allows: every limit has a default that is safe on an ordinary machine."""

from dataclasses import dataclass, fields
from ipaddress import ip_address

from regard.errors import RegardError


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Where to listen, whom to serve, and how much of everything.

    Tokens are the unit of work: a text costs its tokens times the beam.

    >>> Settings(host="127.0.0.1").is_local, Settings(host="0.0.0.0").requests_per_minute
    (True, 600)
    """

    host: str = "127.0.0.1"
    port: int = 5000
    names: tuple[str, ...] = ()
    """Names besides localhost by which a server of this machine alone may be called, as by a proxy."""
    keys: tuple[str, ...] = ()
    """API keys; none means that no key is needed."""

    body_bytes: int = 1 << 20
    texts: int = 64
    """Texts of one request."""
    characters: int = 10_000
    """Characters of all texts of one request."""
    beam: int = 16
    alternatives: int = 10
    look_tokens: int = 100
    """Tokens of a text whose attention is shown: maps grow with the square."""
    vectors: int = 64
    width: int = 256
    rate: int | None = None
    """Requests a minute for each client; by default none on this machine alone, else 600. 0 is no limit."""

    batch_tokens: int = 8_192
    """Tokens translated together."""
    batch_texts: int = 256
    """Texts translated together; 1 is no batching."""
    queue_tokens: int = 65_536
    """Tokens waiting and at work before callers are turned away."""
    queue_texts: int = 1_024

    header_seconds: float = 10.0
    """For the head of a request, and for a connection that says nothing."""
    body_seconds: float = 10.0
    work_seconds: float = 30.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name in ("port", "rate", "alternatives") else 1e-3
            if isinstance(value, int | float) and value < least:
                raise RegardError(f"{field.name} must be at least {1 if least else 0}, but got {value}.")
        if not 0 <= self.port <= 65_535:
            raise RegardError(f"port must lie between 0 and 65535, but got {self.port}.")

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine can ask."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def requests_per_minute(self) -> int:
        """The rate for each client; 0 is no limit."""
        if self.rate is not None:
            return self.rate
        return 0 if self.is_local else 600

    @property
    def told(self) -> dict[str, int]:
        """The limits a client should know."""
        names = ("texts", "characters", "beam", "alternatives", "look_tokens", "vectors", "width")
        return {name: getattr(self, name) for name in names}
