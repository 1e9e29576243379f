"""The explorer served from this process: for texts too long for a page of their own."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Optional
from urllib.parse import parse_qsl, urlsplit

from . import _fovea
from ._explorer import frame, opened_on, page

MOST_BODY = 2_500_000  # bytes, as the explorer's own server
MOST_RUNS = 16
JSON, BINARY, HTML = "application/json; charset=utf-8", "application/octet-stream", "text/html; charset=utf-8"


class RequestError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: _HttpServer
    protocol_version = "HTTP/1.1"
    timeout = 30

    def log_message(self, *_: Any) -> None:
        pass

    def _check(self, navigation: bool) -> None:
        """Only our own page and programs of this machine: a site that points its name here sends another Host."""
        port = self.server.server_address[1]
        if (self.headers.get("Host") or "").lower() not in (f"127.0.0.1:{port}", f"localhost:{port}"):
            raise RequestError(421, f"wrong Host header; this server is reached at 127.0.0.1:{port}")
        elsewhere = self.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
        if elsewhere and not (navigation and self.headers.get("Sec-Fetch-Mode") == "navigate"):
            raise RequestError(403, "requests from other sites are refused")

    def _send(self, body: bytes, kind: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
        ):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _answer(self, make: Callable[[], tuple[bytes, str, int]]) -> None:
        try:
            body, kind, status = make()
        except RequestError as error:
            status, kind = error.status, JSON
            body = json.dumps({"error": {"message": str(error), "status": status}}).encode()
            self.close_connection = True
        self._send(body, kind, status)

    def do_GET(self) -> None:
        self._answer(self._get)

    do_HEAD = do_GET

    def _get(self) -> tuple[bytes, str, int]:
        target = urlsplit(self.path)
        self._check(target.path == "/")
        if target.path == "/":
            return self.server.html.encode(), HTML, 200
        if target.path == "/api/state":
            return _fovea.page_state(self.server.shown()).encode(), JSON, 200
        if target.path == "/api/examples":
            return _fovea.page_examples().encode(), JSON, 200
        found = re.fullmatch(r"/api/captures/([A-Za-z0-9]+)/([a-z]+)", target.path)
        if not found:
            raise RequestError(404, "there is no such address")
        status, body = self.server.capture(found[1]).answer(found[2], parse_qsl(target.query, keep_blank_values=True))
        if status != 200:
            raise RequestError(status, body.decode("utf-8", "replace"))
        return body, JSON if found[2] == "overview" else BINARY, 200

    def do_POST(self) -> None:
        self._answer(self._post)

    def _post(self) -> tuple[bytes, str, int]:
        self._check(False)
        origin = self.headers.get("Origin")
        if origin is not None and origin.lower() != f"http://{(self.headers.get('Host') or '').lower()}":
            raise RequestError(403, "requests from other sites are refused (the Origin header)")
        if urlsplit(self.path).path != "/api/captures":
            raise RequestError(404, "there is no such address")
        if not (self.headers.get("Content-Type") or "").lower().startswith("application/json"):
            raise RequestError(415, "expected Content-Type: application/json")
        length = self.headers.get("Content-Length") or ""
        if not length.isdecimal() or int(length) > MOST_BODY:
            raise RequestError(413, f"expected a body of at most {MOST_BODY} bytes")
        try:
            asked = json.loads(self.rfile.read(int(length)))
            text, second = asked["text"], asked.get("text2")
            if not isinstance(text, str) or not isinstance(second, (str, type(None))):
                raise ValueError
        except (ValueError, KeyError, TypeError, AttributeError):
            raise RequestError(400, 'expected {"model": .., "text": .., "text2": ..}') from None
        return self.server.add(text, second).encode(), JSON, 201


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, run: Any, link: str, port: int) -> None:
        self.html = opened_on(page(), link)
        self._lock = threading.Lock()
        self._runs = {"c1": run._shown("c1")}
        self._model = run._model_read[0] if run._model_read else None
        self._next = 2
        super().__init__(("127.0.0.1", port), _Handler)

    def shown(self) -> list[Any]:
        with self._lock:
            return list(self._runs.values())

    def capture(self, name: str) -> Any:
        with self._lock:
            if name in self._runs:
                return self._runs[name]
        raise RequestError(404, "there is no such capture: it was dropped, or never made")

    def add(self, text: str, second: Optional[str]) -> str:
        if self._model is None:
            raise RequestError(422, "this run came without its model: only what is on the screen can be shown")
        try:
            run = self._model(text, second or None)
        except _fovea.Error as error:
            raise RequestError(422, str(error)) from None
        with self._lock:
            name = f"c{self._next}"
            self._next += 1
        shown = run._shown(name)
        with self._lock:
            self._runs[name] = shown
            for old in list(self._runs)[1:-1][: max(0, len(self._runs) - MOST_RUNS)]:
                del self._runs[old]
        return json.dumps(json.loads(_fovea.page_state([shown]))["captures"][0])


class Server:
    """The explorer at an address of this machine, until close() or the end of the process. In a notebook, a frame."""

    def __init__(self, run: Any, link: str, port: int, height: int) -> None:
        self._server = _HttpServer(run, link, port)
        self.height = height
        self._thread = threading.Thread(target=self._server.serve_forever, name="fovea", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<fovea.Server {self.url}>"

    def _repr_html_(self) -> str:
        sandboxed = frame(f'src="{self.url}"', self.height)
        return sandboxed.replace('sandbox="allow-scripts', 'sandbox="allow-scripts allow-same-origin') + (
            f'<p><a href="{self.url}" target="_blank" rel="noopener">{self.url}</a> '
            "answers while this Python process lives.</p>"
        )
