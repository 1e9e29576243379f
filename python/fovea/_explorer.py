"""The explorer with a run inside: one HTML page, in a notebook or as a file."""

from __future__ import annotations

import os
import tempfile
from html import escape
from pathlib import Path
from typing import Any, Optional, Sequence
from urllib.parse import quote

from . import _fovea

MOST_WEIGHTS = 4e6  # of a run that shows itself unasked: about 10 MB in the notebook
STORED_TOKENS = 512  # as explorer::kStoredTokens: pages of longer texts hold no weights
WITHOUT = ("study", "learn")  # views of the page that a run has no numbers for
VIEWS = ("text", "matrix", "lines", "grid", "steps", "masks", "heads", "compare", "flow")


def page() -> str:
    """The page as web/ builds it, without data."""
    path = Path(__file__).parent / "page.html"
    if not path.exists():
        raise RuntimeError(
            "this installation of fovea has no explorer: its page is built by node and npm, which were not there."
            " Install them, then the package again"
        )
    return path.read_text(encoding="utf-8")


def opened_on(html: str, link: str, without: Sequence[str] = WITHOUT) -> str:
    """The page opening on a view (what stands behind the # of a link to it), without those that have nothing to show."""
    told = {"fovea-without": " ".join(without), "fovea-start": link.replace("<", "%3C")}
    scripts = "".join(f'<script type="text/plain" id="{name}">{text}</script>' for name, text in told.items() if text)
    place = '<div id="app"></div>'
    if place not in html:
        raise RuntimeError("the explorer's page has no element #app")
    return html.replace(place, place + scripts, 1)


def link_to(
    view: Optional[str] = None,
    layer: Optional[int] = None,
    head: Any = None,
    heads: Sequence[int] = (),
    kind: Optional[str] = None,
    *,
    views: Sequence[str] = VIEWS,
) -> str:
    if view is not None and view not in views:
        raise ValueError(f"view: got {view!r}, expected one of {', '.join(views)}")
    if isinstance(head, str) and head != "mean":
        raise ValueError(f'head: got {head!r}, expected a number or "mean"')
    parts = {
        "view": view,
        "kind": kind,
        "layer": layer,
        "head": head if head is not None else (heads[0] if heads else None),
        "heads": ".".join(str(int(each)) for each in heads) or None,
    }
    return "&".join(f"{key}={quote(str(value))}" for key, value in parts.items() if value is not None)


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Writes the file completely or not at all."""
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent or ".", prefix=f".{target.name}.", suffix=".part")
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def frame(attribute: str, height: int, *rights: str) -> str:
    """A frame without the notebook's rights: the page runs its own script and saves pictures, nothing else."""
    allowed = " ".join(("allow-scripts", "allow-downloads", *rights))
    return (
        f'<iframe {attribute} title="fovea" sandbox="{allowed}" allow="fullscreen; clipboard-write"'
        f' style="width:100%;height:{int(height)}px;border:1px solid #8886;border-radius:6px;box-sizing:border-box"></iframe>'
    )


class Explorer:
    """The explorer in one page, without server and network. Shows itself in a notebook, also when it is reopened."""

    def __init__(self, html: str, height: int = 640, note: str = "") -> None:
        self.html = html
        self.height = height
        self.note = note  # what the page does not hold

    @property
    def data(self) -> str:
        """As IPython.display.HTML has it: what a notebook shows."""
        return self._repr_html_()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page: a file to open in any browser, to send, to publish. Written whole or not at all."""
        if not os.fspath(path).endswith((".html", ".htm")):
            raise ValueError(f"a page is saved as .html, got {os.fspath(path)!r}")
        write_whole(path, self.html)

    def _repr_html_(self) -> str:
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return note + frame(f'srcdoc="{escape(self.html)}"', self.height)

    def __repr__(self) -> str:
        return f"<fovea.Explorer, {len(self.html) / 1e6:.1f} MB; .save(path) writes it>"


def explorer_of(shown: Any, steps: Sequence[tuple[str, int, int]], link: str, height: int) -> Explorer:
    html, weights, _ = _fovea.page_file(shown, page(), list(steps))
    note = "" if weights else f"Longer than {STORED_TOKENS} tokens: this page holds small pictures and measures, no weights. run.serve() shows all."
    return Explorer(opened_on(html.decode("utf-8"), link), height, note)
