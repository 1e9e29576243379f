"""The explorer served from this process: for texts too long for a page of their own."""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Optional, Sequence
from urllib.parse import parse_qsl, urlsplit

from . import _fovea
from ._explorer import WITHOUT, frame, opened_on, page
from ._study import Study

MOST_BODY = 2_500_000  # bytes, as the explorer's own server
JSON, BINARY, HTML = "application/json; charset=utf-8", "application/octet-stream", "text/html; charset=utf-8"
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}

# The frame asks first whether the process that served the run still answers. Else it says so, in the language of the browser.
FRAME = """<!doctype html><meta charset="utf-8"><style>body{font:15px/1.5 system-ui,sans-serif;margin:2em;color-scheme:light dark}</style>
<p id="word" lang="en"></p><script>
const url = "%s", word = document.getElementById("word"), chinese = navigator.language.startsWith("zh");
const gone = () => {
  word.lang = chinese ? "zh-CN" : "en";
  word.textContent = chinese
    ? "提供这次运行的 Python 进程没有响应：它已经结束，或者这个笔记本不允许嵌入本机的页面。请重新运行这个单元格；进程仍在时，也可以在浏览器中打开下面的地址。"
    : "The Python process that served this run does not answer: it has ended, or this notebook does not allow pages of this machine. Run the cell again; while the process lives, the address below opens in a browser, too.";
};
fetch(url + "%s", { signal: AbortSignal.timeout(10000) }).then((answer) => (answer.ok ? location.replace(url) : gone()), gone);
</script>"""


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
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if self.path == self.server.alive:
            self.send_header("Access-Control-Allow-Origin", "*")
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
        if target.path == self.server.alive:
            return b"", "text/plain", 200
        self._check(target.path == "/")
        if target.path == "/":
            return self.server.html.encode(), HTML, 200
        if target.path == "/api/state":
            return self.server.served.state().encode(), JSON, 200
        if target.path == "/api/examples":
            return _fovea.page_examples().encode(), JSON, 200
        parameters = parse_qsl(target.query, keep_blank_values=True)
        if found := re.fullmatch(r"/api/studies/([A-Za-z0-9]+)(/head)?", target.path):
            return _given(self._study(found[1], found[2] is not None, dict(parameters)), JSON)
        found = re.fullmatch(r"/api/captures/([A-Za-z0-9]+)/([a-z]+)", target.path)
        if not found:
            raise RequestError(404, "there is no such address")
        return _given(self.server.served.get(found[1], found[2], parameters), JSON if _fovea.answer_is_json(found[2]) else BINARY)

    def _study(self, study: str, card: bool, parameters: dict[str, str]) -> tuple[int, bytes]:
        if not card:
            return self.server.served.study(study)
        head = parameters.get("head", "")
        if not re.fullmatch(r"[0-9]{1,9}", head):
            raise RequestError(400, "head: expected a number")
        return self.server.served.study_head(study, int(head))

    def _check_change(self) -> None:
        self._check(False)
        origin = self.headers.get("Origin")
        if origin is not None and origin.lower() != f"http://{(self.headers.get('Host') or '').lower()}":
            raise RequestError(403, "requests from other sites are refused (the Origin header)")
        if not (self.headers.get("Content-Type") or "").lower().startswith("application/json"):
            raise RequestError(415, "expected Content-Type: application/json")

    def do_POST(self) -> None:
        self._answer(self._post)

    def _post(self) -> tuple[bytes, str, int]:
        self._check_change()
        if urlsplit(self.path).path != "/api/captures":
            raise RequestError(404, "there is no such address")
        length = self.headers.get("Content-Length") or ""
        if not length.isdecimal() or int(length) > MOST_BODY:
            raise RequestError(413, f"expected a body of at most {MOST_BODY} bytes")
        return _given(self.server.served.post(*_run_wanted(self.rfile.read(int(length)))), JSON)

    def do_DELETE(self) -> None:
        self._answer(self._delete)

    def _delete(self) -> tuple[bytes, str, int]:
        self._check_change()
        found = re.fullmatch(r"/api/captures/([A-Za-z0-9]+)", urlsplit(self.path).path)
        if not found:
            raise RequestError(404, "there is no such address")
        return _given(self.server.served.remove(found[1]), JSON)


def _given(answer: tuple[int, bytes], kind: str) -> tuple[bytes, str, int]:
    status, body = answer
    if status >= 400:
        raise RequestError(status, body.decode("utf-8", "replace"))
    return body, kind, status


def _run_wanted(body: bytes) -> tuple[str, str, Optional[str], list[int], str]:
    """What Served.post takes, of the page's JSON; "more" is "17.4": tokens that the text is continued with."""
    try:
        asked = json.loads(body)
        text, second = asked["text"], asked.get("text2")
        rest = [asked.get(name, "") for name in ("model", "more", "replaces")]
        if not all(isinstance(each, str) for each in (text, second or "", *rest)):
            raise ValueError
        more = [int(each) for each in rest[1].split(".")] if rest[1] else []
        return rest[0], text, second or None, more, rest[2]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise RequestError(400, 'expected {"model": .., "text": .., "text2": .., "more": .., "replaces": ..}') from None


def studies_of(study: Any) -> list[Study]:
    """Of a study, the path of one, or several of these."""
    if study is None:
        return []
    given = [study] if isinstance(study, (Study, str, os.PathLike)) else list(study)
    return [each if isinstance(each, Study) else Study.load(each) for each in given]


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, run: Any, batch: int, link: str, port: int, studies: Sequence[Study]) -> None:
        self.html = opened_on(page(), link, [view for view in WITHOUT if view != "study" or not studies])
        self.served = _fovea.Served(run._shown(batch), [study._study for study in studies])
        # Known to this run's frame alone: that asks whether the process that made it still answers.
        self.alive = f"/alive/{secrets.token_urlsafe(16)}"
        super().__init__(("127.0.0.1", port), _Handler)


class Server:
    """The explorer at an address of this machine, until close() or the end of the process. In a notebook, a frame."""

    def __init__(self, run: Any, batch: int, link: str, port: int, height: int, studies: Sequence[Study] = ()) -> None:
        self._server = _HttpServer(run, batch, link, port, studies)
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
        # Its own origin, this server's, which is not the notebook's; without it the page could not ask the server.
        shown = frame(f'srcdoc="{escape(FRAME % (self.url, self._server.alive[1:]))}"', self.height, "allow-same-origin")
        return shown + (
            f'<p><a href="{self.url}" target="_blank" rel="noopener">{self.url}</a> '
            "answers while this Python process lives.</p>"
        )
