"""Whatever is sent, the answer is never 5xx, always JSON, and the server lives on."""

import json
import random
import sys
from collections.abc import Iterator
from itertools import product

import pytest
from starlette.testclient import TestClient

from tests.serving.calling import Server

POSTS = ("/translate", "/detect", "/rivals", "/attention", "/explain")
FORM = "application/x-www-form-urlencoded"

FIXED = [
    *(b"", b"{", b"}", b"[]", b"null", b"true", b"5", b'"text"', b"{}", b"\x00", b"\xff\xfe", b"{\x00}"),
    *(b'{"q": NaN}', b'{"q": Infinity}', b'{"q": -Infinity}', b'{"q": 1e999}', b'{"q": -1e999}'),
    *(b'{"q": "\\ud800"}', b'{"q": "\\udfff\\ud800"}', b'{"q": "\\u0000"}', b'{"q": "\xed\xa0\x80"}'),
    *(b"[" * 50_000, b'{"a":' * 50_000, b'{"q": ' + b"[" * 9_000 + b"]" * 9_000 + b"}"),
    *(
        b'{"q": "a", "q": "b"}',
        b'{"q": "a", "beam": 1e400}',
        b'{"q": "a", "beam": 5.0}',
        b'{"q":"a","beam":"5"}',
    ),
    *(b'{"q": "a", "beam": true}', b'{"q": "a", "beam": 99999999999999999999999}', b'{"q": "a", "beam": -1}'),
    *(b'{"q": "a", "beam": 0}', b'{"q": ["a", null]}', b'{"q": [["a"]]}', b'{"q": {"a": 1}}'),
    *(
        b'{"q": "a", "alternatives": 10000}',
        b'{"q": "a", "model": "__proto__"}',
        b'{"q": "a", "prefix": "\\u0000"}',
    ),
    *(
        b'{"q": "\\ud83d\\ude00\\u200d\\u202e", "details": true}',
        b'{"q": "a", "source": "auto", "target": "auto"}',
    ),
    *(b'{"q": "<<<>><!--<![CDATA[<?<b", "format": "html"}', b'{"q": "<b", "format": "html"}'),
    *(
        b'{"text": "a", "target": "\\u0000", "position": 0}',
        b'{"text": "\\u2028", "target": "a", "position": 0}',
    ),
    *(b'{"text": "a", "knock_out": {"": []}}', b'{"text": "a", "knock_out": {"decoder.0.cross": [1, 1, 1]}}'),
    *(b'{"queries": [[]]}', b'{"queries": []}', b'{"queries": [[1e999]]}', b'{"queries": [[NaN]]}'),
    *(b'{"queries": [[1]], "temperature": 0}', b'{"queries": [[1]], "temperature": 1e-320}'),
    *(b'{"queries": [[1]], "heads": 0}', b'{"queries": [[1]], "keys": [[1, 2]]}'),
    *(
        b'{"queries": [[1]], "keys": [[1], [2]], "mask": {"kind": "causal"}}',
        b'{"queries": [[1]], "mask": {}}',
    ),
    *(
        b'{"queries": [[1]], "values": [[1], [2]]}',
        b'{"queries": [[1]], "mask": {"kind":"lengths","counts":[9]}}',
    ),
    *(
        b'{"queries": [[1]], "position": {"kind": "rotary"}}',
        b'{"queries": [[1]], "position": {"kind": "alibi"}}',
    ),
    *(b'{"queries": [[1, 1]], "position": {"kind": "relative", "key_table": [[1], [1, 2], []]}}',),
    *(b'{"queries": [[1]], "score": "additive", "additive": {"vector": [1, 2]}}', b'{"worked": "kitten"}'),
    *(b'{"worked": "kitten", "settings": {"d": 0}}', b'{"worked": "good", "settings": {"x": 1}}'),
    *(
        b'{"worked": "nothing"}',
        b'{"text": "a", "name": "decoder.0.cross", "head": 9}',
        b'{"text": "a", "name": ""}',
    ),
    *(b'{"text": "a", "name": "decoder.0.cross", "query": 99}', b'{"text": "a", "target": "", "name": "x"}'),
]


def grown(count: int, seed: int) -> Iterator[bytes]:
    """Good bodies with bytes changed, doubled, cut out, or cut off; and noise."""
    chance = random.Random(seed)
    good = [one for one in FIXED if len(one) < 200]
    good += [
        json.dumps(body).encode()
        for body in (
            {"q": "alpha beta", "source": "en", "target": "fr", "details": True},
            {"text": "alpha", "target": "beta", "position": 0, "count": 2},
            {"text": "alpha", "words": False, "draw": {"as": "svg"}},
            {"queries": [[1, 2], [3, 4]], "score": "gaussian", "mask": {"kind": "causal"}, "heads": 2},
            {"text": "alpha", "name": "decoder.0.cross", "head": 0, "query": 0},
        )
    ]
    tokens = [
        b"NaN",
        b"1e999",
        b"\\ud800",
        b"null",
        b"[",
        b"}",
        b'"',
        b"-0",
        b"\x00",
        b"\xff",
        b"9" * 400,
        b"{}",
    ]
    for _ in range(count):
        body = bytearray(chance.choice(good))
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(len(body) + 1)
            kind = chance.randrange(4)
            if kind == 0:
                body[place:place] = chance.choice(tokens)
            elif kind == 1:
                del body[place : place + chance.randint(1, 9)]
            elif kind == 2:
                body[place : place + 1] = chance.randbytes(chance.randint(1, 5))
            else:
                body[place:place] = body[: chance.randint(0, 30)]
        yield bytes(body)


def send(client: TestClient, path: str, body: bytes, kind: str) -> None:
    answer = client.post(path, content=body, headers={"content-type": kind})
    assert answer.status_code in (200, 400, 404, 408, 413, 415), (path, body[:300], answer.text)
    told = answer.json()
    if answer.status_code != 200:
        problem = told["problem"] if path in ("/translate", "/detect") else told["error"]
        assert problem["version"] == 1
        assert problem["message"].endswith(".")


@pytest.mark.parametrize("path", POSTS)
def test_no_body_is_answered_by_a_defect(client: TestClient, path: str) -> None:
    for body in (*FIXED, *grown(60, seed=POSTS.index(path))):
        send(client, path, body, "application/json")
    for body in (
        *FIXED[:12],
        b"q=%ff",
        b"q=%00",
        b"q=a&beam=x",
        b"q=a&q=b",
        b"q=" + b"%41" * 99,
        b"&" * 2_000,
    ):
        send(client, path, body, FORM)
    assert client.get("/health").json() == {"status": "ok"}


@pytest.mark.slow
def test_no_body_of_twenty_thousand_is_answered_by_a_defect(client: TestClient) -> None:
    for number, (path, body) in enumerate(product(POSTS, grown(4_000, seed=7))):
        send(client, path, body, FORM if number % 17 == 0 else "application/json")
    assert client.get("/health").json() == {"status": "ok"}


NAMES = [
    *(
        "../small",
        "..",
        ".",
        "/etc/passwd",
        "small/",
        "small\x00",
        "%2e%2e/small",
        "SMALL",
        " small",
        "small@2",
    ),
    *(
        "\\\\host\\share",
        "file:///etc/passwd",
        "http://127.0.0.1/",
        "small@",
        "@small",
        "~",
        "$HOME",
        "{0}",
        "%s",
    ),
    *("a" * 200, "", "small/checkpoints", "small@../1", "con", "nul", "..\\small", "‮small", "ｓmall"),
]


def test_no_name_of_a_model_opens_anything(client: TestClient) -> None:
    opened: list[str] = []
    listening = True

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if listening and event in ("open", "os.listdir", "os.scandir", "socket.connect", "urllib.Request"):
            opened.append(f"{event} {arguments[0]}")

    sys.addaudithook(hear)
    try:
        for name in NAMES:
            assert client.post("/attention", json={"text": "a", "model": name}).status_code == 404
            assert client.post("/translate", json={"q": "a", "model": name}).status_code == 404
            assert client.get(f"/training/{name.encode().hex()}/looks/1").status_code == 404
    finally:
        listening = False
    assert opened == []


HEADS = [
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET /models HTTP/1.1\r\nHost: evil\r\n\r\n",
    b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
    b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
    b"POST /translate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /%ff%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    b"GET " + b"/a" * 40_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 10_000 + b"\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
    b"Sec-WebSocket-Key: YQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    b"BREW /models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
]


@pytest.mark.parametrize("head", HEADS, ids=range(len(HEADS)))
def test_no_head_is_answered_by_a_defect(server: Server, head: bytes) -> None:
    with server.socket() as line:
        line.sendall(head)
        answer = b""
        try:
            while chunk := line.recv(65_536):
                answer += chunk
        except ConnectionResetError:
            pass
    assert not answer.startswith(b"HTTP/1.1 5"), answer[:200]
    assert server.ask("/health")[0] == 200
